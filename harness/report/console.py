"""Printing a run: lines of text, and on a terminal the same lines in colour below a progress bar.

Here, and nowhere else in the harness but its command line, something is printed. rich is imported
only where there is a terminal to use it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final, Protocol, TextIO

from harness.events import DeliveriesDiffer, Event, Judged, Problem, RunEnded, RunStarted
from harness.records import Verdict
from harness.report.text import (
    PLAIN,
    Look,
    Style,
    Tally,
    closing_lines,
    delivery_lines,
    failure_lines,
    known_line,
    outgrown_line,
    passed_line,
    problem_lines,
)

__all__ = ["Loudness", "Reporter", "look_for", "reporter_for", "style_and_width"]

_PIPE_WIDTH: Final = 160  # characters of a line where nobody says how wide it may be
_OTHER_LINES: Final = 10  # of a failure, beside its differences, most often
_LEAST_LINES: Final = 10
_CODES: Final = {"good": "32", "bad": "31", "odd": "33", "dim": "2", "strong": "1"}


class Loudness:  # pylint: disable=too-few-public-methods  # a name for three numbers
    """How much is printed: QUIET the last line, NORMAL what fell short, VERBOSE every run."""

    QUIET: Final = 0
    NORMAL: Final = 1
    VERBOSE: Final = 2


class Reporter(Protocol):
    """Whatever shows events as they come."""

    def show(self, event: Event) -> None:
        """Show one event."""

    def close(self) -> None:
        """The stream is over, perhaps early."""


def reporter_for(stream: TextIO, loudness: int, *, full: bool = False) -> Reporter:
    """The reporter that suits where the output goes. `full`: all differences are shown, and not
    only as many as fit on a screen."""
    style, width, look = look_for(stream, full=full)
    lines = _Lines(stream, style, width, loudness, look)
    return _Terminal(lines) if _is_terminal(stream) else lines


def look_for(stream: TextIO, *, full: bool = False) -> tuple[Style, int, Look]:
    """How texts are coloured, how wide a line may be, and how differences are shown, where the
    output goes."""
    if not _is_terminal(stream):
        return PLAIN, _PIPE_WIDTH, Look(None) if full else Look()
    style = PLAIN if os.environ.get("NO_COLOR") else _coloured
    import shutil  # pylint: disable=import-outside-toplevel  # a run in a pipe is spared it

    width, height = shutil.get_terminal_size()
    look = Look(None if full else max(_LEAST_LINES, height - _OTHER_LINES), side_by_side=True)
    return style, width, look


def style_and_width(stream: TextIO) -> tuple[Style, int | None]:
    """How a table is printed where the output goes: its style, and how wide its lines may be; None:
    nobody looks at how wide they are."""
    style, width, _ = look_for(stream)
    return style, width if _is_terminal(stream) else None


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _coloured(text: str, role: str) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


class _Lines:
    """Every event as its lines, printed at once."""

    def __init__(self, stream: TextIO, style: Style, width: int, loudness: int, look: Look) -> None:
        self.stream = stream
        self.write: Callable[[str], None] = lambda text: print(text, file=stream, flush=True)
        self._style = style
        self._width = width
        self._loudness = loudness
        self._look = look
        self._tally = Tally()
        self._told: set[tuple[str, str]] = set()

    def show(self, event: Event) -> None:
        """Print what this event says at this loudness."""
        lines = list(self.lines(event))
        if lines:
            self.write("\n".join(lines))

    def lines(self, event: Event) -> Iterable[str]:
        """What this event says at this loudness."""
        if isinstance(event, Judged):
            self._tally.add(event)
            return self._judged(event)
        if isinstance(event, Problem):
            return problem_lines(event, self._style)
        if isinstance(event, DeliveriesDiffer):
            quiet = self._loudness == Loudness.QUIET
            return () if quiet else delivery_lines(event, self._style)
        if isinstance(event, RunEnded):
            tally = Tally() if self._loudness == Loudness.QUIET else self._tally
            return closing_lines(tally, event, self._style)
        return ()

    def close(self) -> None:
        """Nothing is held back."""

    def _judged(self, event: Judged) -> Iterable[str]:
        if self._loudness == Loudness.QUIET:
            return ()
        known, is_verbose = event.known, self._loudness == Loudness.VERBOSE
        if event.verdict is Verdict.PASSED:
            if known is not None:
                return (outgrown_line(event, known, self._style),)
            return (passed_line(event, self._style),) if is_verbose else ()
        if known is not None and known.holds and not is_verbose:
            return (known_line(event, known, self._style),)
        if event.verdict is Verdict.NOT_STARTED and self._loudness < Loudness.VERBOSE:
            # What is not there for one case is not there for the next hundred.
            told = (event.subject, event.message)
            if told in self._told:
                return ()
            self._told.add(told)
        return failure_lines(event, self._style, self._width, self._look)


class _Terminal:
    """The same lines, above a progress bar that goes away at the end."""

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._plain_write = lines.write
        self._advance: Callable[[], None] = lambda: None
        self._stop: Callable[[], None] = lambda: None

    def show(self, event: Event) -> None:
        """Move the bar, and print above it what there is to say."""
        if isinstance(event, RunStarted):
            self._start(event.runs)
        elif isinstance(event, RunEnded):
            self.close()
        elif isinstance(event, Judged):
            self._advance()
        self._lines.show(event)

    def close(self) -> None:
        """Take the bar away."""
        self._stop()
        self._stop = lambda: None
        self._lines.write = self._plain_write

    def _start(self, runs: int) -> None:
        # pylint: disable=import-outside-toplevel  # a run in a pipe must not pay for rich
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
        from rich.text import Text

        console = Console(file=self._lines.stream)
        progress = Progress(
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        task = progress.add_task("running", total=runs)
        progress.start()
        self._lines.write = lambda text: console.print(Text.from_ansi(text), soft_wrap=True)
        self._advance = lambda: progress.advance(task)
        self._stop = progress.stop
