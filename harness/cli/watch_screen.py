"""Show what a watch does, and read the keys that steer it."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any, Final, TextIO

from harness.files import is_terminal
from harness.reports.text.display import display_for
from harness.text import escape_nonprintable

_CLEAR: Final = "\x1b[H\x1b[2J"


@contextmanager
def _restored_modes() -> Iterator[list[Any]]:
    """Yield the modes of the terminal, and restore them at the end of the block."""
    modes = termios.tcgetattr(sys.stdin)
    try:
        yield [*modes]
    finally:
        with suppress(termios.error):  # the terminal has gone
            if not _is_in_background():
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


def _is_in_background() -> bool:
    """Return whether the terminal belongs to another job: setting its modes would stop this one."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp()
    except OSError:  # it is not the controlling terminal, so there are no jobs
        return False


@contextmanager
def reading_lines() -> Iterator[None]:
    """Read lines from the terminal, with echo, until the end of the block."""
    with _restored_modes() as modes:
        modes[3] |= termios.ECHO | termios.ICANON
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
        read_keys = signal.signal(signal.SIGCONT, signal.SIG_DFL)
        yield
        signal.signal(signal.SIGCONT, read_keys)


def _read_keys(*_: object) -> None:
    """Read keys from the terminal without an Enter after them."""
    with suppress(termios.error):  # the terminal has gone; a read will tell
        if _is_in_background():
            return
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # keeps keys that were typed already


class WatchKey(Enum):
    """A key of the watch, with its label and meaning on the status line."""

    RERUN = ("\n", "enter", "rerun")
    FAILED = ("f", "f", "failed only")
    ACCEPT = ("a", "a", "accept")
    QUIT = ("q", "q", "quit")

    def __init__(self, character: str, label: str, meaning: str) -> None:
        self.character = character
        self.label = label
        self.meaning = meaning


class TerminalClosed(Exception):
    """The terminal from which keys are read has been closed."""


class WatchScreen:
    """The output of a watch: a terminal that is cleared for each round, or another stream.

    Keys are read if both are terminals, the stream and standard input.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_cleared = is_terminal(stream)
        self._style = display_for(stream).style
        self.has_keys = self._is_cleared and sys.stdin.isatty()

    @property
    def is_closed(self) -> bool:
        """True if keys were read from a terminal that has been closed."""
        if not self.has_keys:
            return False
        try:
            termios.tcgetattr(sys.stdin)
        except termios.error:
            return True
        return False

    @contextmanager
    def reading_keys(self) -> Iterator[None]:
        """Read keys without an Enter after them, until the end of the block."""
        if not self.has_keys:
            yield
            return
        with _restored_modes():
            _read_keys()
            # After Ctrl-Z, the shell resets the terminal.
            signal.signal(signal.SIGCONT, _read_keys)
            yield

    def read_key(self) -> WatchKey | None:
        """Return the key that was pressed, or None for another one.

        Raises TerminalClosed.
        """
        try:
            pressed = os.read(sys.stdin.fileno(), 1)
        except OSError:
            raise TerminalClosed from None
        if not pressed:
            raise TerminalClosed
        character = pressed.decode("ascii", "replace").lower()
        return next((key for key in WatchKey if key.character == character), None)

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
        left_out = () if has_failures else (WatchKey.FAILED, WatchKey.ACCEPT)
        keys = [key for key in WatchKey if key not in left_out]
        words = (f"{self._style(key.label, 'strong')} {key.meaning}" for key in keys)
        print("  ".join(("watching:", *words)), file=self._stream, flush=True)

    @staticmethod
    def note(line: str) -> None:
        print(f"xtest: {line}", file=sys.stderr, flush=True)
