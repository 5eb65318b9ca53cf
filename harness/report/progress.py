"""What a terminal shows while a run lasts: one line at its foot, which goes away at the end.

Draws, from a thread of its own, as nothing may come for a long time; what the line says is
harness/report/pace.py's to know. A run that is over in a moment has none.
"""

from __future__ import annotations

import shutil
import threading
import time
from typing import Final, TextIO

from harness.events import Judged, RunStarted
from harness.report.pace import Glyphs, Moment, Pace, Running, drawn, progress_words
from harness.report.text import Style
from harness.runs.board import Board

__all__ = ["Foot"]

_MOMENT_S: Final = 0.5  # a run that is over by then shows no progress
_EVERY_S: Final = 0.15
_KNOWN_S: Final = 1.0  # nothing is said of how long it will take before
_DRAWS_A_LINE: Final = Glyphs()
_ASCII: Final = Glyphs("#", "-")


class Foot:  # pylint: disable=too-many-instance-attributes  # a screen, a clock and a count
    """The line at the foot. All that is printed while it is there goes through `write`."""

    def __init__(self, stream: TextIO, style: Style, board: Board) -> None:
        self._stream = stream
        self._style = style
        self._board = board
        self._glyphs = _DRAWS_A_LINE if _can_say(stream, "".join(_DRAWS_A_LINE)) else _ASCII
        self._pace = Pace()
        self._begun = time.monotonic()
        self._runs = 0
        self._earlier = 0  # runs that are told again, and took no time now
        self._short = 0
        self._is_shown = False
        self._columns = 0  # that are drawn
        self._over = threading.Event()
        self._screen = threading.Lock()
        self._drawer = threading.Thread(target=self._go_on, daemon=True)

    def start(self, event: RunStarted) -> None:
        """The run begins."""
        self._runs = event.runs
        self._earlier = event.resumed
        self._begun = time.monotonic()
        self._drawer.start()

    def add(self, event: Judged) -> None:
        """One run was judged."""
        self._short += event.falls_short
        if self._earlier > 0:
            self._earlier -= 1
        elif not event.cached:
            self._pace.add(event.wall_s)

    def write(self, text: str) -> None:
        """Print lines above."""
        with self._screen:
            self._write(f"{self._wiped()}{text}\n{self._drawn()}")

    def stop(self) -> None:
        """Take the line away."""
        self._over.set()
        if self._drawer.is_alive():
            self._drawer.join()
        with self._screen:
            self._write(self._wiped())
            self._is_shown = False
            self._columns = 0

    def _go_on(self) -> None:
        wait = _MOMENT_S
        while not self._over.wait(wait):
            wait = _EVERY_S
            with self._screen:
                self._is_shown = True
                self._write(f"{self._wiped()}{self._drawn()}")

    def _wiped(self) -> str:
        """What takes the line off the screen."""
        if not self._columns:
            return ""
        # In a terminal that became narrower, it may have been broken.
        above = (self._columns - 1) // max(1, shutil.get_terminal_size().columns)
        return f"\r\x1b[{above}A\x1b[J" if above else "\r\x1b[K"

    def _write(self, text: str) -> None:
        # At once: a carriage return makes the stream write what it has, and the line would flicker.
        self._stream.write(text)
        self._stream.flush()

    def _drawn(self) -> str:
        if not self._is_shown:
            return ""
        text, self._columns = self._line()
        return text

    def _line(self) -> tuple[str, int]:
        """The line as it is now, and the columns that it takes."""
        now = time.monotonic()
        running = [
            Running(entry.name, now - entry.begun, entry.clock_s) for entry in self._board.running()
        ]
        planned, done = self._board.planned, self._board.done
        moment = Moment(now - self._begun, done, planned, running)
        left_s = self._pace.left_s(moment) if moment.elapsed_s >= _KNOWN_S else None
        all_done = self._runs - planned + done
        words = progress_words(all_done, self._runs, self._short, left_s, running)
        part = all_done / self._runs if self._runs else 1.0
        # The last column stays free: to write there makes some terminals go on to the next line.
        width = shutil.get_terminal_size().columns - 1
        return drawn(words, part, width, self._style, self._glyphs)


def _can_say(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
