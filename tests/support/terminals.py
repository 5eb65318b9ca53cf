"""A terminal in which a program runs, and whose screen can be read as a person reads it."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte
from support.xtest import SHARED, clean_environment


class Terminal:
    """A screen and the process that draws on it."""

    def __init__(
        self, ours: int, running: subprocess.Popen[bytes], columns: int, lines: int
    ) -> None:
        self._ours = ours
        self.running = running
        self.screen = pyte.HistoryScreen(columns, lines, history=10_000)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""

    def shown(self) -> list[str]:
        """Return the lines of the screen, without empty ones at its end."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def await_that(self, seen: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the screen satisfies a condition, or the process ends; return its lines."""
        while not seen(self.shown()) and self._read():
            continue
        return self.shown()

    def await_more(self) -> None:
        """Wait for more output. Fail if the process ended."""
        assert self._read(), self.shown()

    def to_the_end(self) -> list[str]:
        return self.await_that(lambda _: False)

    def resize(self, columns: int, lines: int) -> None:
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)
        self.screen.resize(lines, columns)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def close(self) -> None:
        """Close the terminal, as its window does."""
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1

    def _read(self) -> bool:
        try:
            chunk = os.read(self._ours, 65_536)
        except OSError:  # Linux: the other side of the terminal is closed
            return False
        self.written += chunk
        self._stream.feed(chunk)
        return bool(chunk)


@contextmanager
def terminal(
    command: list[str], folder: Path, *, columns: int = 80, lines: int = 24, **variables: str
) -> Iterator[Terminal]:
    """Run a command in a terminal of its own, its controlling one."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = clean_environment(
        Path(os.environ["XDG_CACHE_HOME"]), TERM="xterm-256color", **SHARED
    )
    # pylint: disable-next=subprocess-popen-preexec-fn  # the tests start no threads
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        env={**environment, **variables},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # the one that /dev/tty means
    ) as running:
        os.close(its)
        shown = Terminal(ours, running, columns, lines)
        try:
            yield shown
        finally:
            # Hung up, xtest stops what it runs; killed, it could not.
            running.send_signal(signal.SIGHUP)
            shown.close()
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:  # it ignores SIGHUP
                running.kill()
