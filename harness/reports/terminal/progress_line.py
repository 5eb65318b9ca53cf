"""Show a progress line at the foot of a terminal while a run lasts.

A thread draws it, as events may be far apart.
"""

from __future__ import annotations

import shutil
import threading
import time
from typing import Final, TextIO

from harness.model.events import Judged, RunStarted
from harness.reports.terminal.display import Style
from harness.reports.terminal.eta import (
    EtaEstimator,
    RunState,
    format_progress,
    render_progress,
)
from harness.runner.progress import ProgressBoard

__all__ = ["ProgressLine"]

_FIRST_S: Final = 0.5  # a run that ends earlier shows no progress
_EVERY_S: Final = 0.15
_ESTIMATE_S: Final = 1.0  # no estimate is shown earlier
_BOX_DRAWING: Final = "━─"
_ASCII: Final = "#-"


class ProgressLine:  # pylint: disable=too-many-instance-attributes  # a screen, a clock and a count
    """The progress line. While it is shown, all output must go through `write`."""

    def __init__(self, stream: TextIO, style: Style, board: ProgressBoard) -> None:
        self._stream = stream
        self._style = style
        self._board = board
        self._glyphs = _BOX_DRAWING if _can_encode(stream, _BOX_DRAWING) else _ASCII
        self._estimator = EtaEstimator()
        self._begun = time.monotonic()
        self._runs = 0
        self._resumed = 0  # runs still to come that took no time now
        self._failed = 0
        self._is_shown = False
        self._columns = 0  # width of the drawn line
        self._over = threading.Event()
        self._screen = threading.Lock()
        self._drawer = threading.Thread(target=self._draw_until_stopped, daemon=True)

    def start(self, event: RunStarted) -> None:
        self._runs = event.runs
        self._resumed = event.resumed
        self._begun = time.monotonic()
        self._drawer.start()

    def add(self, event: Judged) -> None:
        self._failed += event.failed
        if self._resumed > 0:
            self._resumed -= 1
        elif not event.cached:
            self._estimator.add(event.wall_s)

    def write(self, text: str) -> None:
        with self._screen:
            self._write(f"{self._erase()}{text}\n{self._drawn()}")

    def stop(self) -> None:
        self._over.set()
        if self._drawer.is_alive():
            self._drawer.join()
        with self._screen:
            self._write(self._erase())
            self._is_shown = False
            self._columns = 0

    def _draw_until_stopped(self) -> None:
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
        now = time.monotonic()
        running = [
            RunState(entry.name, now - entry.begun, entry.clock_s)
            for entry in self._board.running()
        ]
        planned, done = self._board.planned, self._board.done
        elapsed_s, left_s = now - self._begun, None
        if elapsed_s >= _ESTIMATE_S:
            left_s = self._estimator.left_s(elapsed_s, done, planned, running)
        all_done = self._runs - planned + done
        words = format_progress(all_done, self._runs, self._failed, left_s, running)
        part = all_done / self._runs if self._runs else 1.0
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
