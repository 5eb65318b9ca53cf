"""Show the progress of a run: at the foot of a terminal, elsewhere in a line every ten seconds."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import suppress
from typing import Final, TextIO

from harness.model.events import Judged, RunStarted
from harness.reports.terminal.display import Style
from harness.reports.terminal.eta import (
    EtaEstimator,
    Progress,
    RunState,
    format_duration,
    format_progress,
    render_progress,
)
from harness.runner.progress import ProgressBoard
from harness.text import pluralize

_FIRST_S: Final = 0.5  # a run that ends earlier shows no progress
_EVERY_S: Final = 0.15
_ESTIMATE_S: Final = 1.0  # no estimate is shown earlier
_HEARTBEAT_S: Final = 10.0
_BOX_DRAWING: Final = "━─"
_ASCII: Final = "#-"


class _Counter:
    """Count the runs of one execution, and estimate when it ends."""

    def __init__(self, board: ProgressBoard) -> None:
        self._board = board
        self._estimator = EtaEstimator()
        self._begun = time.monotonic()
        self._runs = 0
        self._resumed = 0  # runs still to come that took no time now
        self._failed = 0

    def start(self, event: RunStarted) -> None:
        self._runs = event.runs
        self._resumed = event.resumed
        self._begun = time.monotonic()

    def add(self, event: Judged) -> None:
        self._failed += event.failed
        if self._resumed > 0:
            self._resumed -= 1
        elif not event.cached:
            self._estimator.add(event.wall_s)

    def progress(self) -> Progress:
        now = time.monotonic()
        running = [
            RunState(entry.name, now - entry.begun, entry.clock_s)
            for entry in self._board.running()
        ]
        planned, done = self._board.planned, self._board.done
        elapsed_s, left_s = now - self._begun, None
        if elapsed_s >= _ESTIMATE_S:
            left_s = self._estimator.left_s(elapsed_s, done, planned, running)
        done += self._runs - planned
        return Progress(done, self._runs, self._failed, left_s, running, self._board.note)


class _Thread:
    """Counts the runs, and shows the progress in a thread, as events may be far apart."""

    def __init__(self, stream: TextIO, board: ProgressBoard) -> None:
        self._stream = stream
        self._counter = _Counter(board)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_stopped, daemon=True)
        self.add = self._counter.add

    def start(self, event: RunStarted) -> None:
        self._counter.start(event)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _show_until_stopped(self) -> None:
        raise NotImplementedError


class Heartbeat(_Thread):
    """A line on a stream every `every_s` seconds, where nothing can be redrawn."""

    def __init__(self, stream: TextIO, board: ProgressBoard, every_s: float = _HEARTBEAT_S) -> None:
        super().__init__(stream, board)
        self._every_s = every_s

    def _show_until_stopped(self) -> None:
        with suppress(OSError):  # the reader of standard error has gone
            while not self._over.wait(self._every_s):
                done, total, failed, left_s, _, note = self._counter.progress()
                line = f"xtest: {done:,} of {pluralize(total, 'case')}"
                line += f", {failed:,} failed" if failed else ""
                line += "" if left_s is None else f", about {format_duration(left_s)} left"
                line += f"; {note}" if note else ""
                print(line, file=self._stream, flush=True)


class ProgressLine(_Thread):
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
        above = (self._columns - 1) // max(1, shutil.get_terminal_size().columns)
        return f"\r\x1b[{above}A\x1b[J" if above else "\r\x1b[K"

    def _write(self, text: str) -> None:
        # In one write: a stream that flushes at the carriage return would flicker.
        self._stream.write(text)
        self._stream.flush()

    def _drawn(self) -> str:
        if not self._is_shown:
            return ""
        progress = self._counter.progress()
        words = format_progress(progress)
        part = progress.done / progress.total if progress.total else 1.0
        # The last column stays free, as writing there makes some terminals wrap.
        width = shutil.get_terminal_size().columns - 1
        text, self._columns = render_progress(words, part, width, self._style, self._glyphs)
        return text


def _can_encode(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
