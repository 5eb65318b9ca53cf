"""Print a run: lines of text, and on a terminal the same lines in colour above a progress line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final, Protocol, TextIO

from harness.model.events import DeliveriesDiffer, Diagnostic, Event, Judged, RunEnded, RunStarted
from harness.model.verdict import Verdict
from harness.reports.terminal.event_text import (
    PLAIN,
    DisplayOptions,
    Style,
    Tally,
    closing_lines,
    delivery_lines,
    diagnostic_lines,
    failure_lines,
    known_line,
    passed_line,
    unexpected_pass_line,
)
from harness.reports.terminal.failure_summary import FailureSummary
from harness.reports.terminal.progress_line import ProgressLine
from harness.runner.progress import ProgressBoard
from harness.text import escape_ci_commands, wrap

__all__ = [
    "Verbosity",
    "Reporter",
    "coloured",
    "display_options",
    "reporter_for",
    "style_and_width",
]

_PIPE_WIDTH: Final = 160  # characters of a line outside a terminal
_OTHER_LINES: Final = 10  # lines of a typical failure, without its differences
_LEAST_LINES: Final = 10
_MARGIN: Final = "    "
_CODES: Final = {"good": "32", "bad": "31", "odd": "33", "dim": "2", "strong": "1"}


class Verbosity(IntEnum):
    """The amount of output."""

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


def reporter_for(stream: TextIO, verbosity: int, *, full: bool = False) -> Reporter:
    """Return the reporter for a stream; with `full`, it shows all differences of a failure."""
    style, width, look = display_options(stream, full=full)
    lines = _Lines(stream, style, width, verbosity, look)
    return _Terminal(lines, style) if _is_terminal(stream) else lines


def display_options(stream: TextIO, *, full: bool = False) -> tuple[Style, int, DisplayOptions]:
    """Return the style, the width of a line, and how differences are shown on a stream."""
    style = coloured if _has_colours(stream) else PLAIN
    if not _is_terminal(stream):
        return style, _PIPE_WIDTH, DisplayOptions(None) if full else DisplayOptions()
    width, height = shutil.get_terminal_size()
    look = DisplayOptions(
        None if full else max(_LEAST_LINES, height - _OTHER_LINES), side_by_side=True
    )
    return style, width, look


def style_and_width(stream: TextIO) -> tuple[Style, int | None]:
    """Return the style and the width of a table on a stream; outside a terminal, any width."""
    style, width, _ = display_options(stream)
    return style, width if _is_terminal(stream) else None


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _has_colours(stream: TextIO) -> bool:
    """Return whether to use colours; NO_COLOR wins, as in Python itself.

    Sources: no-color.org, force-color.org, bixense.com/clicolors.
    """
    variable = os.environ.get
    if variable("NO_COLOR"):
        return False
    if variable("FORCE_COLOR") or variable("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return _is_terminal(stream) and variable("CLICOLOR") != "0"


def coloured(text: str, role: str) -> str:
    """Return a text in the colour of its role."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


class _Lines:
    """Prints the lines of each event at once."""

    def __init__(
        self, stream: TextIO, style: Style, width: int, verbosity: int, look: DisplayOptions
    ) -> None:
        self.stream = stream
        self.write: Callable[[str], None] = lambda text: print(text, file=stream, flush=True)
        self._style = style
        self._width = width
        self._wraps: Final = _is_terminal(stream)
        self._verbosity = verbosity
        self._look = look
        self._tally = Tally()
        self._problems = 0
        self._not_started: set[tuple[str, str]] = set()  # subjects and messages already shown
        self._failures = FailureSummary()

    def show(self, event: Event) -> None:
        """Print an event."""
        lines = list(self.lines(event))
        if lines and self._wraps:
            lines = list(_wrap_lines(lines, event, self._width))
        if lines:
            # The output may end up in the log of a CI server.
            self.write("\n".join(map(escape_ci_commands, lines)))

    def lines(self, event: Event) -> Iterable[str]:
        """Return the lines of an event at this verbosity."""
        if isinstance(event, Judged):
            self._tally.add(event)
            return self._judged(event)
        if isinstance(event, Diagnostic):
            self._problems += 1
            return diagnostic_lines(event, self._style)
        if isinstance(event, DeliveriesDiffer):
            if self._verbosity == Verbosity.QUIET:
                return ()
            return delivery_lines(event, self._style, names_subject=self._look.names_subject)
        if isinstance(event, RunEnded):
            return self._closing(event)
        self._look = self._look._replace(names_subject=len(event.subjects) > 1)
        return ()

    def board(self, places: int) -> ProgressBoard | None:
        """Return None: a pipe shows no progress."""

    def close(self) -> None:
        """Do nothing: no line is held back."""

    def _closing(self, event: RunEnded) -> Iterable[str]:
        if self._verbosity == Verbosity.QUIET:
            return closing_lines(Tally(), event, self._style, None, self._problems)
        width = self._width if self.stream.isatty() else None
        summary = self._failures.lines(self._style, self._width)
        end = closing_lines(self._tally, event, self._style, width, self._problems)
        return (*summary, *end)

    def _judged(self, event: Judged) -> Iterable[str]:
        if event.failed and event.verdict is not Verdict.PASSED:
            self._failures.add(event)
        if self._verbosity == Verbosity.QUIET:
            return ()
        known, is_verbose = event.known, self._verbosity == Verbosity.VERBOSE
        names_subject = self._look.names_subject
        if event.verdict is Verdict.PASSED:
            if known is not None:
                return (
                    unexpected_pass_line(event, known, self._style, names_subject=names_subject),
                )
            return (
                (passed_line(event, self._style, names_subject=names_subject),)
                if is_verbose
                else ()
            )
        if known is not None and known.holds and not is_verbose:
            return (known_line(event, known, self._style, names_subject=names_subject),)
        if event.verdict is Verdict.NOT_STARTED and self._verbosity < Verbosity.VERBOSE:
            # A missing program is missing for every case: show it once.
            shown = (event.subject, event.message)
            if shown in self._not_started:
                return ()
            self._not_started.add(shown)
        return failure_lines(event, self._style, self._width, self._look)


def _wrap_lines(lines: Sequence[str], event: Event, width: int) -> Iterator[str]:
    """Yield lines wrapped at spaces, except indented lines, which fit or are commands to paste, and
    the table at the end."""
    table = len(lines) - 1 if isinstance(event, RunEnded) else 0
    for at, line in enumerate(lines):
        if at < table or line.startswith(_MARGIN):
            yield line
        else:
            yield from wrap(line, width)


class _Terminal:
    """Prints the same lines above a progress line."""

    def __init__(self, lines: _Lines, style: Style) -> None:
        self._lines = lines
        self._style = style
        self._plain_write = lines.write
        self._progress: ProgressLine | None = None

    def board(self, places: int) -> ProgressBoard | None:
        """Return a board for the progress of `places` parallel runs."""
        board = ProgressBoard(places)
        self._progress = ProgressLine(self._lines.stream, self._style, board)
        return board

    def show(self, event: Event) -> None:
        """Print an event above the progress line."""
        if self._progress is not None:
            if isinstance(event, RunStarted):
                self._lines.write = self._progress.write
                self._progress.start(event)
            elif isinstance(event, RunEnded):
                self.close()
            elif isinstance(event, Judged):
                self._progress.add(event)
        self._lines.show(event)

    def close(self) -> None:
        """Remove the progress line."""
        self._lines.write = self._plain_write
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
