"""Print a run: lines of text, and on a terminal the same lines in colour above a progress line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final, Protocol, TextIO

from harness.analysis.failure_kinds import (
    FailureKind,
    FailureKinds,
    run_name,
    summarize_message,
)
from harness.analysis.summary import Groups
from harness.engine.progress import ProgressBoard
from harness.files import is_terminal
from harness.model.events import Diagnostic, Event, RunEnded, RunResult, RunStarted
from harness.model.subject import NOT_BUILT
from harness.model.tally import message_of
from harness.model.verdict import Verdict
from harness.reports.terminal.progress_line import Heartbeat, ProgressLine
from harness.reports.text.display import Style, display_for
from harness.reports.text.events import (
    brief_line,
    closing_lines,
    common_failure_lines,
    diagnostic_lines,
    failure_headline,
    failure_lines,
    label_line,
    program_lines,
    remark_lines,
)
from harness.text import (
    cells,
    escape_ci_commands,
    pluralize,
    shell_line,
    shorten,
    truncate_to_width,
    wrap,
)

_MARGIN: Final = "    "
_SUSPICIOUS: Final = 3  # equal failures without output
_SUBJECT: Final = 40  # characters
_RUN_WORDS: Final = 2  # `xtest run`
_LABEL_WIDTH: Final = len("rerun failed")  # the longest label of a command
_NAME_LINES: Final = 3
_UNUSED: Final = 6  # cells at the end of a line of names
_NAMES_MARGIN: Final = " " * 7


class Verbosity(IntEnum):
    QUIET = 0  # only the closing line
    NORMAL = 1  # failures
    VERBOSE = 2  # every run


class Reporter(Protocol):
    """Shows events as they come."""

    def show(self, event: Event) -> None:
        """Show one event."""

    def board(self, places: int) -> ProgressBoard | None:
        """Return a board for the progress of `places` parallel runs, or None if none is shown."""

    def close(self) -> None:
        """End the output, perhaps early."""


class FailsafeReporter:
    """Passes events on to another reporter until that fails to write; `error` is why, or None."""

    def __init__(self, reporter: Reporter) -> None:
        self.error: OSError | None = None
        self._reporter = reporter

    def show(self, event: Event) -> None:
        self._try(lambda: self._reporter.show(event))

    def board(self, places: int) -> ProgressBoard | None:
        return self._reporter.board(places)

    def close(self) -> None:
        self._try(self._reporter.close)

    def _try(self, write: Callable[[], None]) -> None:
        if self.error is None:
            try:
                write()
            except OSError as problem:
                self.error = problem


class ConsoleReporter:  # pylint: disable=too-many-instance-attributes  # what it shows at the end
    """Prints the lines of each event at once, on a terminal above a progress line.

    Of failures of one kind, the first is shown whole, some more in a line each, and the others are
    counted; with `full`, each is shown with all of its differences. With `heartbeat`, it shows
    progress outside a terminal even if it is quiet. After failures, it suggests commands made from
    `rerun`, the command line that repeats the run.
    """

    def __init__(
        self,
        stream: TextIO,
        verbosity: int,
        *,
        full: bool = False,
        heartbeat: bool = False,
        rerun: tuple[str, ...] = (),
    ) -> None:
        self._stream = stream
        self._has_heartbeat = heartbeat or verbosity != Verbosity.QUIET
        self._write = self._print
        self._verbosity = verbosity
        self._display = display_for(stream, full=full)
        self._counts = Groups()
        self._problems = 0
        # Failures that concern every case, by subject and message; shown once.
        self._common: set[tuple[str, str]] = set()
        self._unbuilt: dict[str, str] = {}  # why builds failed, or "", by subject
        self._is_full: Final = full
        self._ends_in_list = False  # whether the last failure was shown in a line
        self._failures = FailureKinds()
        self._rerun = rerun
        self._progress: Heartbeat | ProgressLine | None = None
        self._question = _CommandQuestion()

    def show(self, event: Event) -> None:
        if self._progress is not None:
            if isinstance(event, RunStarted):
                self._progress.start(event.runs, event.resumed)
            elif isinstance(event, RunEnded):
                self.close()
            elif isinstance(event, RunResult):
                self._progress.add(event)
        self._show_lines(self._lines(event), event)

    def _show_lines(self, texts: Iterable[str], event: Event) -> None:
        if texts == ():  # for most events
            return
        lines = list(texts)
        if lines and is_terminal(self._stream):
            lines = list(_wrap_lines(lines, event, self._display.width))
        if lines:
            # The output may end up in the log of a CI server.
            self._write("\n".join(map(escape_ci_commands, lines)))

    def board(self, places: int) -> ProgressBoard | None:
        board = ProgressBoard(places)
        if is_terminal(self._stream):
            self._progress = line = ProgressLine(self._stream, self._display.style, board)
            self._write = line.write
        elif self._has_heartbeat:
            self._progress = Heartbeat(sys.stderr, board)
        return board if self._progress is not None else None

    def close(self) -> None:
        self._write = self._print
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _print(self, text: str) -> None:
        # In one write: the reader of a pipe may have left before a line end that comes by itself.
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _lines(self, event: Event) -> Iterable[str]:
        display = self._display
        if isinstance(event, Diagnostic):
            self._problems += 1
            return diagnostic_lines(event, display.style)
        if isinstance(event, RunStarted):
            self._display = display._replace(names_subject=len(event.subjects) > 1)
            self._unbuilt = {one.name: one.build_failure for one in event.subjects}
            return program_lines(event, display.style) if self._is_verbose else ()
        if isinstance(event, RunEnded):
            is_quiet = self._verbosity == Verbosity.QUIET
            rerun = () if is_quiet else self._rerun
            summary = [*failure_summary_lines(self._failures, rerun, display.style, display.width)]
            summary += [""] * bool(summary and is_quiet)
            fitting = display.width if is_terminal(self._stream) else None
            return (*summary, *closing_lines(self._counts, event, display, fitting, self._problems))
        if self._verbosity == Verbosity.QUIET:
            if isinstance(event, RunResult):
                self._failures.add(self._with_build_failure(event))
            return ()
        return self._judged(event) if isinstance(event, RunResult) else remark_lines(event, display)

    @property
    def _is_verbose(self) -> bool:
        return self._verbosity == Verbosity.VERBOSE

    def _judged(self, event: RunResult) -> Iterable[str]:
        self._counts.add(event)
        if event.stdout_bytes:
            self._question.settle(event.subject)
        known, is_verbose = event.known, self._is_verbose
        has_passed = event.verdict in (Verdict.PASSED, Verdict.SKIPPED)
        if has_passed and known is None and not is_verbose:
            return ()
        if has_passed or known is not None and known.holds and not is_verbose:
            return (brief_line(event, self._display),)
        if event.verdict in (Verdict.NOT_STARTED, Verdict.NOT_RUN) and not is_verbose:
            key = event.subject, event.message
            is_new = key not in self._common
            self._common.add(key)
            shown = self._with_build_failure(event)
            return common_failure_lines(shown, self._display) if is_new else ()
        kind = self._failures.add(event)
        question = self._question.lines(event, self._display.style)
        if kind is None or kind.count == 1 or self._is_full:
            self._ends_in_list = False
            return (*failure_lines(event, self._display), *question)
        if not kind.is_listed and not is_verbose:
            return question
        gap = () if self._ends_in_list else ("",)
        self._ends_in_list = not question
        is_same = message_of(event) == message_of(kind.first)
        message = f"like {run_name(kind.first)}" if is_same else message_of(event)
        return (*gap, failure_headline(event, message, self._display), *question)

    def _with_build_failure(self, event: RunResult) -> RunResult:
        """Return a run with the reason why its program was not built, if it was not."""
        if event.message != NOT_BUILT:
            return event
        return event._replace(message=self._unbuilt.get(event.subject, NOT_BUILT))


class _CommandQuestion:
    """Asks whether a command is right after several equal failures without any output."""

    def __init__(self) -> None:
        self._silent = Counter[tuple[str, str]]()  # by subject and kind
        self._settled: set[str] = set()  # subjects that printed something, or were asked about

    def settle(self, subject: str) -> None:
        self._settled.add(subject)

    def lines(self, event: RunResult, style: Style) -> Sequence[str]:
        """Count a shown failure, and return the question if it is the time to ask it."""
        if event.verdict is not Verdict.EXIT_STATUS or event.subject in self._settled:
            return ()
        kind = event.subject, summarize_message(event)
        self._silent[kind] += 1
        if self._silent[kind] < _SUSPICIOUS:
            return ()
        self.settle(event.subject)
        subject = shorten(event.subject, _SUBJECT)
        text = f"{_SUSPICIOUS} runs of {subject} failed in the same way and printed nothing"
        return "", f"{style('note', 'odd')}  {text}: is the command right?"


def _wrap_lines(lines: Sequence[str], event: Event, width: int) -> Iterator[str]:
    """Yield lines wrapped at spaces, except the table at the end, and commands to paste."""
    table = len(lines) - 1 if isinstance(event, RunEnded) else 0
    for index, line in enumerate(lines):
        if index < table or line.startswith(_MARGIN):
            yield line
        else:
            yield from wrap(line, width)


# The failures of a run.


def failure_summary_lines(
    kinds: FailureKinds, rerun: tuple[str, ...], style: Style, width: int
) -> Iterator[str]:
    """Yield the kinds of failures, most frequent first, and commands; nothing for few failures.

    `rerun` is the command line `xtest run ...` of the run, or empty for no commands.
    """
    if kinds.is_few:
        return
    shown, others = kinds.most_frequent()
    if shown:
        yield ""
        yield style(f"{pluralize(kinds.total, 'run')} failed", "strong")
    for verdict, message, kind in shown:
        yield from _kind_lines(kind, verdict, message, style, width)
    if others:
        yield style(f"    {others}", "dim")
    if rerun:
        yield ""
        first = min(kinds.kinds.values(), key=lambda kind: -kind.count).example
        if first.repeat:
            yield _command_line("rerun one", first.repeat, style)
        failed = *rerun[:_RUN_WORDS], "--failed"
        suite = rerun[_RUN_WORDS:]
        yield _command_line("rerun failed", (*failed, *suite), style)
        if kinds.has_several_differences or kinds.has_unlisted:
            yield _command_line("in full", (*failed, "--full", *suite), style)
        yield _command_line("HTML page", (*failed, "--report", "html=xtest.html", *suite), style)


def _command_line(label: str, words: tuple[str, ...], style: Style) -> str:
    return label_line(label.ljust(_LABEL_WIDTH), shell_line(words), style)


def _kind_lines(
    kind: FailureKind, verdict: str, message: str, style: Style, width: int
) -> Iterator[str]:
    names = kind.examples(_NAME_LINES * (width - len(_NAMES_MARGIN) - _UNUSED))
    line = f"{kind.count:>5,}  {f'{verdict}  ' if verdict else ''}{message}"
    if cells(line) + cells(names) + 2 <= width:
        yield f"{_colour_verdict(line, verdict, style)}  {style(names, 'dim')}"
        return
    yield _colour_verdict(truncate_to_width(line, width), verdict, style)
    for names_line in wrap(f"{_NAMES_MARGIN}{names}", width, _NAMES_MARGIN):
        yield style(truncate_to_width(names_line, width), "dim")


def _colour_verdict(line: str, verdict: str, style: Style) -> str:
    if not verdict:
        return line
    role = "bad" if verdict == Verdict.PASSED.value else Verdict(verdict).colour
    return line.replace(verdict, style(verdict, role), 1)
