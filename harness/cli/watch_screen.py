"""Print the lines around the rounds of `xtest run --watch`, and read keys."""

from __future__ import annotations

import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Final, TextIO

from harness.reports.terminal.display import display_for, is_terminal
from harness.text import escape_nonprintable

_CLEAR: Final = "\x1b[H\x1b[2J"


class Key(Enum):
    """A key of the watch, with its label and meaning on the status line."""

    RERUN = ("\n", "enter", "rerun")
    FAILED = ("f", "f", "failed only")
    ACCEPT = ("a", "a", "accept")
    QUIT = ("q", "q", "quit")

    def __init__(self, character: str, label: str, meaning: str) -> None:
        self.character = character
        self.label = label
        self.meaning = meaning

    @property
    def needs_failures(self) -> bool:
        """True if the key does nothing when nothing failed."""
        return self in (Key.FAILED, Key.ACCEPT)


class WatchScreen:
    """A terminal that is cleared for each round, or a stream to which lines are added.

    Keys are read if standard input is a terminal, too.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_cleared = is_terminal(stream)
        self._style = display_for(stream).style
        self.has_keys = self._is_cleared and sys.stdin.isatty()

    @contextmanager
    def reading_keys(self) -> Iterator[None]:
        """Read keys without an Enter after them, until the end of the block."""
        if not self.has_keys:
            yield
            return
        modes = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)

    @contextmanager
    def reading_lines(self) -> Iterator[None]:
        """Read lines again, as the shell set the terminal."""
        modes = termios.tcgetattr(sys.stdin)
        lines = termios.tcgetattr(sys.stdin)
        lines[3] |= termios.ECHO | termios.ICANON
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, lines)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)

    def read_key(self) -> Key | None:
        """Return the key that was pressed, or None for another one."""
        pressed = os.read(sys.stdin.fileno(), 1)
        self.has_keys = bool(pressed)  # false when the terminal has gone
        character = pressed.decode("ascii", "replace").lower()
        return next((key for key in Key if key.character == character), None)

    def begin(self, cause: str) -> None:
        """Begin a round, and show its cause."""
        line = escape_nonprintable(cause)
        if self._is_cleared:
            print(f"{_CLEAR}{self._style(line, 'dim')}", file=self._stream, flush=True)
        elif line:
            self.note(line)

    def wait(self, *, has_failures: bool) -> None:
        """Show that nothing runs, and the keys that work now."""
        if not self.has_keys:
            self.note("waiting for changes; Ctrl-C ends")
            return
        keys = [key for key in Key if has_failures or not key.needs_failures]
        words = (f"{self._style(key.label, 'strong')} {key.meaning}" for key in keys)
        print("  ".join(("watching:", *words)), file=self._stream, flush=True)

    @staticmethod
    def note(line: str) -> None:
        print(f"xtest: {line}", file=sys.stderr, flush=True)
