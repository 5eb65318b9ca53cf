"""`xtest run --watch`: run again when files change. Source: docs/watch.md.

Each round runs in a fork of this process, which has imported everything already.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Final, TextIO

from harness.cli.registry import run_command_line
from harness.cli.run_options import RunOptions
from harness.cli.watch_files import ChangedFiles, RoundTimes
from harness.cli.watched_round import (
    BROKEN_PIPE,
    BuildsEnded,
    FailedTarget,
    RoundPlanned,
    run_guarded,
    start_round,
)
from harness.errors import UsageError
from harness.files import is_terminal
from harness.model.exit_codes import ExitCode
from harness.options import common
from harness.process.forking import fork
from harness.reports.registry import parse_report_option
from harness.reports.terminal.display import display_for
from harness.results.store import cache_folder
from harness.text import escape_nonprintable, pluralize

_RunFunction = Callable[[RunOptions, tuple[str, ...] | None], int]


def watch_runs(options: RunOptions, command: tuple[str, ...] | None, run: _RunFunction) -> int:
    """Run until the user quits, and return the exit status of the last round. Raises UsageError."""
    if options.resume:
        raise UsageError(
            "--watch cannot be combined with --resume; --cached skips runs that passed"
        )
    screen = WatchScreen(options.stream)
    rounds = _Rounds(options, command, run, screen)
    with screen.reading_keys():
        try:
            rounds.start("")
            while rounds.is_watching:
                rounds.step()
        except KeyboardInterrupt:
            return ExitCode.INTERRUPTED
        finally:
            rounds.close()
    return rounds.status


class _Rounds:
    """The rounds of a watch, of which at most one runs at a time."""

    def __init__(
        self,
        options: RunOptions,
        command: tuple[str, ...] | None,
        run: _RunFunction,
        screen: WatchScreen,
    ) -> None:
        self.is_watching = True
        self.status: int = ExitCode.INTERRUPTED  # of the last round
        self._options = options
        self._command = command
        self._run = run
        self._screen = screen
        self._files = ChangedFiles(_written_paths(options))
        self._running: tuple[int, Connection] | None = None
        self._time = RoundTimes(0.0)
        self._failures: list[FailedTarget] = []
        self._is_built = False

    def start(self, cause: str, *, failed: bool = False, builds: bool = True) -> None:
        """Stop the round that runs, and start the next one."""
        is_first = not self._time.started
        self._stop()
        selection = self._options.selection
        selection = selection._replace(failed=failed or selection.failed, failed_first=True)
        options = self._options._replace(selection=selection, builds=builds)
        if options.results and not (is_first or options.append):
            options = options._replace(replace=True)
        self._screen.begin(cause)
        self._is_built = self._is_built and not builds
        self._failures = []
        self._time = RoundTimes(time.time())
        self._running = start_round(
            lambda observer: self._run(options._replace(observer=observer), self._command)
        )

    def step(self) -> None:
        """Wait for a key, a message or a change of files, and act on one of them."""
        keys = [sys.stdin.fileno()] if self._screen.has_keys else []
        messages = [] if self._running is None else [self._running[1]]
        ready = wait([*keys, *messages, *self._files.connections])[0]
        if ready in keys:
            self._handle_key(self._screen.read_key())
        elif ready in messages:
            self._receive()
            self._end_round()
        elif isinstance(ready, Connection):
            report = self._files.take(ready, self._time)
            for path in report.recurring:
                path = _format_path(path)
                self._screen.note(
                    f"note: {path} changes in every round; does the program write it?"
                )
            if report.changed:
                self.start(_cause(report.changed), builds=report.needs_build or not self._is_built)

    def close(self) -> None:
        """Stop the round that runs, and watch no more files."""
        self._stop()
        self._files.close()

    # The round that runs.

    def _stop(self) -> None:
        if self._running is not None:
            with suppress(ProcessLookupError):
                os.kill(self._running[0], signal.SIGINT)
        while self._running is not None:
            self._receive()

    def _receive(self) -> None:
        """Receive a message of the round, or its end."""
        assert self._running is not None
        pid, connection = self._running
        try:
            message = connection.recv()
        except EOFError:
            connection.close()
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            self.status = code if code >= 0 else ExitCode.FAULT
            self._running = None
            self._time = self._time._replace(ended=time.time())
            return
        match message:
            case RoundPlanned():
                self._time = self._time._replace(has_builds=message.has_builds)
                self._files.watch(message.files)
                with suppress(OSError):  # the round was killed
                    connection.send(None)
            case BuildsEnded():
                self._time = self._time._replace(built=message.at)
                self._is_built = message.is_complete
            case list():
                self._failures = message

    def _end_round(self) -> None:
        if self._running is not None:
            return
        if self.status == BROKEN_PIPE:
            raise BrokenPipeError
        # An invalid command line names nothing to watch.
        self.is_watching = bool(self._files.connections)
        if self.is_watching:
            self._screen.wait(has_failures=bool(self._failures))

    # Starting a round, or ending the watch.

    def _handle_key(self, key: WatchKey | None) -> None:
        match key:
            case WatchKey.RERUN:
                self._files.forget_stops()
                self.start("rerun requested")
            case WatchKey.FAILED if self._failures:
                self._files.forget_stops()
                self.start("rerun of failed cases", failed=True, builds=not self._is_built)
            case WatchKey.ACCEPT if self._failures and self._running is None:
                self._accept()
            case WatchKey.QUIT:
                self._stop()
                self.is_watching = False

    def _accept(self) -> None:
        """Let the user accept the outputs of the cases that failed."""
        with _reading_lines():
            for failure in self._failures:
                words = ["accept", *_accept_words(failure, self._options)]
                run = partial(run_command_line, words, None if failure.subject else self._command)
                os.waitpid(fork(partial(run_guarded, run)), 0)
        self._screen.wait(has_failures=True)


def _cause(paths: Sequence[str]) -> str:
    more = f" and {pluralize(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
    return f"{_format_path(paths[0])}{more} changed"


def _format_path(path: str) -> str:
    return escape_nonprintable(os.path.relpath(path))


def _written_paths(options: RunOptions) -> Iterator[str]:
    """Yield the paths that xtest itself writes; some are empty."""
    yield options.results
    yield cache_folder(os.environ)
    yield from (parse_report_option(word, "--report").file for word in options.reports)
    yield from common.output_files()


def _accept_words(failure: FailedTarget, options: RunOptions) -> Iterator[str]:
    """Yield the words of `xtest accept` for the cases that failed."""
    yield f"./{failure.suite}" if failure.suite.startswith("-") else failure.suite
    yield "--failed"
    yield from options.selection.words
    if options.wall is not None:
        yield from ("--wall", repr(options.wall))
    if failure.subject:
        yield from ("--subject", failure.subject)


_CLEAR: Final = "\x1b[H\x1b[2J"


@contextmanager
def _restored_modes() -> Iterator[list[Any]]:
    """Yield the modes of the terminal, and restore them at the end of the block."""
    modes = termios.tcgetattr(sys.stdin)
    try:
        yield [*modes]
    finally:
        if not _is_in_background():
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


def _is_in_background() -> bool:
    """Return whether the terminal belongs to another job: setting its modes would stop this one."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp()
    except OSError:  # it is not the controlling terminal, so there are no jobs
        return False


@contextmanager
def _reading_lines() -> Iterator[None]:
    """Read lines from the terminal, with echo, until the end of the block."""
    with _restored_modes() as modes:
        modes[3] |= termios.ECHO | termios.ICANON
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
        read_keys = signal.signal(signal.SIGCONT, signal.SIG_DFL)
        yield
        signal.signal(signal.SIGCONT, read_keys)


def _read_keys(*_: object) -> None:
    """Read keys from the terminal without an Enter after them."""
    if not _is_in_background():
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


class WatchScreen:
    """The output of a watch: a terminal that is cleared for each round, or another stream.

    Keys are read if both are terminals, the stream and standard input.
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
        with _restored_modes():
            _read_keys()
            # After Ctrl-Z, the shell resets the terminal.
            signal.signal(signal.SIGCONT, _read_keys)
            yield

    def read_key(self) -> WatchKey | None:
        """Return the key that was pressed, or None for another one."""
        pressed = os.read(sys.stdin.fileno(), 1)
        self.has_keys = bool(pressed)  # false when the terminal has gone
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
        idle = () if has_failures else (WatchKey.FAILED, WatchKey.ACCEPT)
        keys = [key for key in WatchKey if key not in idle]
        words = (f"{self._style(key.label, 'strong')} {key.meaning}" for key in keys)
        print("  ".join(("watching:", *words)), file=self._stream, flush=True)

    @staticmethod
    def note(line: str) -> None:
        print(f"xtest: {line}", file=sys.stderr, flush=True)
