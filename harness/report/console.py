"""Printing a run: lines of text, and on a terminal the same lines in colour above a progress line.

Here, and nowhere else in the harness but its command line, something is printed. What only a
terminal needs is imported only where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from harness.words import harmless, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.report.progress import Foot
    from harness.report.summary import Shortfalls
    from harness.runs.board import Board

__all__ = ["Loudness", "Reporter", "coloured", "look_for", "reporter_for", "style_and_width"]

_PIPE_WIDTH: Final = 160  # characters of a line where nobody says how wide it may be
_OTHER_LINES: Final = 10  # of a failure, beside its differences, most often
_LEAST_LINES: Final = 10
_MARGIN: Final = "    "
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

    def board(self, places: int) -> Board | None:
        """Where a run of so many at once is to write what is under way; None: nobody watches."""

    def close(self) -> None:
        """The stream is over, perhaps early."""


def reporter_for(stream: TextIO, loudness: int, *, full: bool = False) -> Reporter:
    """The reporter that suits where the output goes. `full`: all differences are shown, and not
    only as many as fit on a screen."""
    style, width, look = look_for(stream, full=full)
    lines = _Lines(stream, style, width, loudness, look)
    return _Terminal(lines, style) if _is_terminal(stream) else lines


def look_for(stream: TextIO, *, full: bool = False) -> tuple[Style, int, Look]:
    """How texts are coloured, how wide a line may be, and how differences are shown, where the
    output goes."""
    style = coloured if _has_colours(stream) else PLAIN
    if not _is_terminal(stream):
        return style, _PIPE_WIDTH, Look(None) if full else Look()
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


def _has_colours(stream: TextIO) -> bool:
    """Whether colours are wanted there: NO_COLOR is stronger than what asks for them, as Python has
    it itself. Sources: no-color.org, force-color.org, bixense.com/clicolors."""
    said = os.environ.get
    if said("NO_COLOR"):
        return False
    if said("FORCE_COLOR") or said("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return _is_terminal(stream) and said("CLICOLOR") != "0"


def coloured(text: str, role: str) -> str:
    """The style of a terminal."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


class _Lines:
    """Every event as its lines, printed at once."""

    def __init__(self, stream: TextIO, style: Style, width: int, loudness: int, look: Look) -> None:
        self.stream = stream
        self.write: Callable[[str], None] = lambda text: print(text, file=stream, flush=True)
        self._style = style
        self._width = width
        self._wraps: Final = _is_terminal(stream)
        self._loudness = loudness
        self._look = look
        self._tally = Tally()
        self._problems = 0
        self._told: set[tuple[str, str]] = set()
        self._shortfalls: Shortfalls | None = None

    def show(self, event: Event) -> None:
        """Print what this event says at this loudness."""
        lines = list(self.lines(event))
        if lines and self._wraps:
            lines = list(_broken(lines, event, self._width))
        if lines:
            # What is printed may well stand in the log of a CI server.
            self.write("\n".join(map(harmless, lines)))

    def lines(self, event: Event) -> Iterable[str]:
        """What this event says at this loudness."""
        if isinstance(event, Judged):
            self._tally.add(event)
            return self._judged(event)
        if isinstance(event, Problem):
            self._problems += 1
            return problem_lines(event, self._style)
        if isinstance(event, DeliveriesDiffer):
            quiet, whose = self._loudness == Loudness.QUIET, self._look.names_subject
            return () if quiet else delivery_lines(event, self._style, whose=whose)
        if isinstance(event, RunEnded):
            return self._closing(event)
        self._look = self._look._replace(names_subject=len(event.subjects) > 1)
        return ()

    def board(self, places: int) -> Board | None:
        """Nobody watches a pipe."""

    def close(self) -> None:
        """Nothing is held back."""

    def _closing(self, event: RunEnded) -> Iterable[str]:
        if self._loudness == Loudness.QUIET:
            return closing_lines(Tally(), event, self._style, None, self._problems)
        width = self._width if self.stream.isatty() else None
        gathered = self._shortfalls
        summary = () if gathered is None else gathered.lines(self._style, self._width)
        end = closing_lines(self._tally, event, self._style, width, self._problems)
        return (*summary, *end)

    def _gather(self, event: Judged) -> None:
        if self._shortfalls is None:
            # pylint: disable-next=import-outside-toplevel  # a run that passed does not pay for it
            from harness.report.summary import Shortfalls

            self._shortfalls = Shortfalls()
        self._shortfalls.add(event)

    def _judged(self, event: Judged) -> Iterable[str]:
        if event.falls_short and event.verdict is not Verdict.PASSED:
            self._gather(event)
        if self._loudness == Loudness.QUIET:
            return ()
        known, is_verbose = event.known, self._loudness == Loudness.VERBOSE
        whose = self._look.names_subject
        if event.verdict is Verdict.PASSED:
            if known is not None:
                return (outgrown_line(event, known, self._style, whose=whose),)
            return (passed_line(event, self._style, whose=whose),) if is_verbose else ()
        if known is not None and known.holds and not is_verbose:
            return (known_line(event, known, self._style, whose=whose),)
        if event.verdict is Verdict.NOT_STARTED and self._loudness < Loudness.VERBOSE:
            # What is not there for one case is not there for the next hundred.
            told = (event.subject, event.message)
            if told in self._told:
                return ()
            self._told.add(told)
        return failure_lines(event, self._style, self._width, self._look)


def _broken(lines: Sequence[str], event: Event, width: int) -> Iterator[str]:
    """Lines of which sentences are broken at spaces, for a screen of this width. What is indented
    has its width, or is to be pasted; so has the table at the end."""
    table = len(lines) - 1 if isinstance(event, RunEnded) else 0
    for at, line in enumerate(lines):
        if at < table or line.startswith(_MARGIN):
            yield line
        else:
            yield from wrapped(line, width)


class _Terminal:
    """The same lines, above one that tells how the run goes on, and goes away at the end."""

    def __init__(self, lines: _Lines, style: Style) -> None:
        self._lines = lines
        self._style = style
        self._plain_write = lines.write
        self._foot: Foot | None = None

    def board(self, places: int) -> Board | None:
        """Where the run is to write what is under way."""
        # pylint: disable=import-outside-toplevel  # a run in a pipe must not pay for threads
        from harness.report.progress import Foot
        from harness.runs.board import Board

        board = Board(places)
        self._foot = Foot(self._lines.stream, self._style, board)
        return board

    def show(self, event: Event) -> None:
        """Count, and print above the line what there is to say."""
        if self._foot is not None:
            if isinstance(event, RunStarted):
                self._lines.write = self._foot.write
                self._foot.start(event)
            elif isinstance(event, RunEnded):
                self.close()
            elif isinstance(event, Judged):
                self._foot.add(event)
        self._lines.show(event)

    def close(self) -> None:
        """Take the line away."""
        self._lines.write = self._plain_write
        if self._foot is not None:
            self._foot.stop()
            self._foot = None
