"""Show the progress of a run and the time left: in a line that is redrawn, or as lines of a log."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import ceil, frexp, inf
from typing import Final, NamedTuple, TextIO

from harness.engine.progress import InFlight, ProgressBoard
from harness.files import is_terminal, terminal_size
from harness.model.events import RunResult
from harness.reports.text.display import Style, display_for
from harness.text import cells, pluralize, shorten_to_width

_FIRST_S: Final = 0.5  # a run that ends earlier shows no progress
_EVERY_S: Final = 0.15
_ESTIMATE_S: Final = 1.0  # no estimate is shown earlier
_HEARTBEAT_S: Final = 10.0
_BOX_DRAWING: Final = "━─"
_ASCII: Final = "#-"

# A run this many times longer than the longest ended one is expected to reach its time limit.
_STUCK: Final = 4
_STUCK_S: Final = 0.5
_LEAST_PACE: Final = 0.1
_LEAST_WALL: Final = 1e-6  # frexp(0) has the exponent of 0.5
_NAMED_S: Final = 2.0  # a run that takes longer is named
_LEAST_BAR: Final = 10
_MOST_BAR: Final = 40
_NAME: Final = 40


class Progress(NamedTuple):
    """The progress of a run: its cases, the seconds left if known, what is running, and a note.

    `total` is 0 if it is not known.
    """

    done: int
    total: int
    failed: int
    left_s: float | None
    running: Sequence[InFlight]
    note: str = ""


class EtaEstimator:
    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._longest = 0.0
        self._by_size: dict[int, tuple[int, float]] = {}  # by the exponent of 2

    def add(self, wall_s: float) -> None:
        self._count += 1
        self._sum += wall_s
        self._longest = max(self._longest, wall_s)
        size = frexp(max(wall_s, _LEAST_WALL))[1]
        count, total = self._by_size.get(size, (0, 0.0))
        self._by_size[size] = (count + 1, total + wall_s)

    def left_s(
        self, elapsed_s: float, done: int, planned: int, running: Sequence[InFlight]
    ) -> float | None:
        """Return the expected remaining seconds, or None if nothing has ended yet.

        `done` and `planned` are numbers of cases, which may have several runs. Runs in progress
        count too: runs that reach their time limit end last, so finished runs do not predict them.
        """
        if not self._count:  # no run was added
            return elapsed_s * (planned - done) / done if 0 < done <= planned else None
        expected = [self._expected_s(one) for one in running]
        left = [total - one.age_s for total, one in zip(expected, running, strict=True)]
        runs = self._count + sum(one.cases for one in running)
        mean = (self._sum + sum(expected)) / runs
        begun = done + sum({one.name: one.cases for one in running}.values())
        waiting = max(0.0, float(planned - begun), planned * runs / max(1, begun) - runs)
        if not waiting:
            return max(left, default=0.0)
        spent = self._sum + sum(one.age_s for one in running)
        at_once = max(_LEAST_PACE, spent / max(elapsed_s, 1e-6))
        return max((waiting * mean + sum(left)) / at_once, *left, 0.0)

    def _expected_s(self, one: InFlight) -> float:
        mean = one.cases * self._sum / self._count
        longer = [entry for size, entry in self._by_size.items() if size > frexp(one.age_s)[1]]
        if longer and one.age_s > mean:
            return sum(total for _, total in longer) / sum(count for count, _ in longer)
        if one.age_s > max(_STUCK_S, _STUCK * one.cases * self._longest):
            return max(one.limit_s, one.age_s)
        return max(one.age_s, mean)


class _ProgressThread:
    """Shows the progress of a run in a thread of its own, as events may be far apart."""

    def __init__(self, stream: TextIO, board: ProgressBoard) -> None:
        self._stream = stream
        self._board = board
        self._estimator = EtaEstimator()
        self._round = board.round  # the one that the estimator knows
        self._begun = time.monotonic()
        self._runs: int | None = None
        self._resumed = 0  # runs still to come that are only replayed
        self._failed = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_stopped, daemon=True)

    def start(self, runs: int | None = None, resumed: int = 0) -> None:
        """Show the progress of a number of runs, None for those that the board plans."""
        self._runs = runs
        self._resumed = resumed
        self._begun = time.monotonic()
        self._thread.start()

    def add(self, event: RunResult) -> None:
        self._follow_round()
        self._failed += event.failed
        if self._resumed > 0:
            self._resumed -= 1
        elif not event.cached:
            self._estimator.add(event.wall_s)

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _show_until_stopped(self) -> None:
        raise NotImplementedError

    def _follow_round(self) -> None:
        """Start a new estimate when cases are repeated: these run one by one, and are slow."""
        if self._round != self._board.round:
            self._round = self._board.round
            self._estimator = EtaEstimator()
            self._begun = self._board.begun

    def _progress(self) -> Progress:
        self._follow_round()
        running, planned, done = self._board.running(), self._board.planned, self._board.done
        elapsed_s, left_s = time.monotonic() - self._begun, None
        if elapsed_s >= _ESTIMATE_S:
            left_s = self._estimator.left_s(elapsed_s, done, planned, running)
        runs = planned if self._runs is None else self._runs
        done += runs - planned
        if self._board.ends_at < inf:
            runs, left_s = 0, max(0.0, self._board.ends_at - time.monotonic())
        return Progress(done, runs, self._failed, left_s, running, self._board.note)


class Heartbeat(_ProgressThread):
    """A line on a stream every `every_s` seconds, where nothing can be redrawn."""

    def __init__(
        self,
        stream: TextIO,
        board: ProgressBoard,
        every_s: float = _HEARTBEAT_S,
        noun: str = "case",
    ) -> None:
        super().__init__(stream, board)
        self._every_s = every_s
        self._noun = noun

    def _show_until_stopped(self) -> None:
        with suppress(OSError):  # the reader of standard error has gone
            while not self._over.wait(self._every_s):
                done, total, failed, left_s, _, note = self._progress()
                whole = f"{done:,} of {pluralize(total, self._noun)}"
                line = f"xtest: {whole if total else pluralize(done, self._noun)}"
                line += f", {failed:,} failed" if failed else ""
                line += "" if left_s is None else f", about {format_duration(left_s)} left"
                line += f"; {note}" if note else ""
                print(line, file=self._stream, flush=True)


class ProgressLine(_ProgressThread):
    """The progress line. While it is shown, all output must go through `write`."""

    def __init__(self, stream: TextIO, style: Style, board: ProgressBoard) -> None:
        super().__init__(stream, board)
        self._style = style
        self._glyphs = _BOX_DRAWING if _can_encode(stream, _BOX_DRAWING) else _ASCII
        self._is_shown = False
        self._columns = 0  # width of the drawn line
        self._screen = threading.Lock()

    def write(self, text: str) -> None:
        with self._screen:
            self._write(f"{self._erase()}{text}\n{self._drawn()}")

    def stop(self) -> None:
        super().stop()
        with self._screen:
            self._write(self._erase())
            self._is_shown = False
            self._columns = 0

    def _show_until_stopped(self) -> None:
        wait = _FIRST_S
        while not self._over.wait(wait):
            wait = _EVERY_S
            with self._screen:
                self._is_shown = True
                self._write(f"{self._erase()}{self._drawn()}")

    def _erase(self) -> str:
        if not self._columns:
            return ""
        # A terminal that became narrower has wrapped the line.
        above = (self._columns - 1) // max(1, terminal_size(self._stream).columns)
        return f"\r\x1b[{above}A\x1b[J" if above else "\r\x1b[K"

    def _write(self, text: str) -> None:
        # In one write: a stream that flushes at the carriage return would flicker.
        self._stream.write(text)
        self._stream.flush()

    def _drawn(self) -> str:
        if not self._is_shown:
            return ""
        progress = self._progress()
        words = format_progress(progress)
        elapsed_s = time.monotonic() - self._begun
        by_time = elapsed_s / (elapsed_s + (progress.left_s or 0.0))
        part = progress.done / progress.total if progress.total else by_time
        # The last column stays free, as writing there makes some terminals wrap.
        width = terminal_size(self._stream).columns - 1
        text, self._columns = render_progress(words, part, width, self._style, self._glyphs)
        return text


@contextmanager
def shown_progress(places: int, noun: str) -> Iterator[ProgressBoard]:
    """Show on standard error, until the end of the block, what the board says.

    The board has room for `places` simultaneous runs, of what the `noun` names.
    """
    board, stream = ProgressBoard(places), sys.stderr
    display: ProgressLine | Heartbeat
    if is_terminal(stream):
        display = ProgressLine(stream, display_for(stream).style, board)
    else:
        display = Heartbeat(stream, board, noun=noun)
    display.start()
    try:
        yield board
    finally:
        display.stop()


def _can_encode(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


# The text of the line.


def format_progress(progress: Progress) -> tuple[tuple[str, str], ...]:
    """Return the texts of the line with their roles, most important first."""
    of = f" of {progress.total:,}" if progress.total else ""
    words = [(f"{progress.done:,}{of}", "strong")]
    if progress.left_s is not None:
        words.append((f"{format_duration(progress.left_s)} left", ""))
    if progress.failed:
        words.append((f"{progress.failed:,} failed", "bad"))
    if progress.note:
        words.append((progress.note, "dim"))
    longest = max(progress.running, key=lambda one: one.age_s, default=None)
    if longest is not None and longest.age_s >= _NAMED_S:
        name = shorten_to_width(longest.name, _NAME)
        words.append((f"{name} for {format_duration(int(longest.age_s))}", "dim"))
    return tuple(words)


def render_progress(
    texts: Sequence[tuple[str, str]], part: float, width: int, style: Style, glyphs: str
) -> tuple[str, int]:
    """Return the line and its width: as many words as fit, after a bar if there is room.

    `part` of the bar is done, from 0 to 1; `glyphs` are the characters of both parts.
    """
    chosen: list[tuple[str, str]] = []
    used = 0
    for text, role in texts:
        more = cells(text) + (2 if chosen else 0)
        if used + more > width:
            break
        chosen.append((text, role))
        used += more
    line = "  ".join(style(text, role) if role else text for text, role in chosen)
    room = min(_MOST_BAR, width - used - 2)
    if room < _LEAST_BAR or not chosen:
        return line, used
    full = min(room, int(room * part))
    drawn = style(glyphs[0] * full, "good") + style(glyphs[1] * (room - full), "dim")
    return f"{drawn}  {line}", room + 2 + used


def format_duration(seconds: float) -> str:
    """Return a time in words, rounded up to what an estimate is worth: "8 s", "3 min 20 s"."""
    whole = max(1, ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    parts, units = divmod(-(-whole // 10) * 10, 60), ("min", "s")
    if whole >= 600:
        minutes = -(-whole // 60)
        parts, units = divmod(minutes, 60), ("h", "min")
    return " ".join(f"{number} {unit}" for number, unit in zip(parts, units, strict=True) if number)
