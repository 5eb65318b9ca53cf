"""`xtest run --watch`: run again when files change. Source: docs/selecting.md.

Each round runs in a fork of this process, which has imported everything already, and reports to it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from errno import EIO
from functools import partial
from multiprocessing.connection import Connection, Pipe
from select import select
from typing import Final, NamedTuple

from harness.cli.registry import run_command_line
from harness.cli.watch_files import ChangedFiles, RoundTimes, WatchedFiles, watched_files
from harness.cli.watch_screen import TerminalClosed, WatchKey, WatchScreen, reading_lines
from harness.errors import RESOURCE_ERRORS, UsageError, os_reason
from harness.files import cache_folder, discard_output, output_files
from harness.interruption import clean_up_when_stopped
from harness.model.events import Event, RunEnded, RunResult
from harness.model.exit_codes import ExitCode
from harness.model.sessions import SessionOptions
from harness.options import messages
from harness.options.run_options import RunOptions
from harness.options.runs import run_suites
from harness.process.own_process import fork
from harness.process.system import SYSTEM
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.reports.registry import parse_report_option
from harness.text import escape_nonprintable, pluralize

_BROKEN_PIPE: Final = 141  # the exit status of a round whose output is no longer read


def watch_runs(options: RunOptions, command: tuple[str, ...] | None) -> int:
    """Run until the user quits, and return the exit status of the last round. Raises UsageError."""
    if options.resume:
        raise UsageError(
            "--watch cannot be combined with --resume; --cached skips runs that passed"
        )
    screen = WatchScreen(options.stream)
    rounds = _Rounds(options, command, screen)
    with screen.reading_keys():
        try:
            rounds.start("")
            while rounds.is_watching:
                rounds.step()
        except (KeyboardInterrupt, TerminalClosed):
            return ExitCode.INTERRUPTED
        except OSError as problem:
            # Without its terminal, which may be noticed first when something is printed.
            if problem.errno != EIO or not screen.is_closed:
                raise
            return ExitCode.INTERRUPTED
        finally:
            rounds.close()
            if screen.is_closed:
                discard_output()
    return rounds.status


class _Rounds:
    """The rounds of a watch, of which at most one runs at a time."""

    def __init__(
        self,
        options: RunOptions,
        command: tuple[str, ...] | None,
        screen: WatchScreen,
    ) -> None:
        self.is_watching = True
        self.status: int = ExitCode.INTERRUPTED  # of the last round
        self._options = options
        self._command = command
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
        # After the first round, something changed that builds may depend on, also elsewhere.
        execution = self._options.execution
        execution = execution._replace(rebuild=execution.rebuild or not is_first)
        options = self._options._replace(selection=selection, execution=execution)
        if options.results and not (is_first or options.append):
            options = options._replace(replace=True)
        self._screen.begin(cause)
        self._is_built = self._is_built and not builds
        self._failures = []
        self._time = RoundTimes(time.time())
        self._running = _start_round(options, self._command, builds=builds)

    def step(self) -> None:
        """Wait for a key, a message or a change of files, and act on one of them."""
        keys = [sys.stdin.fileno()] if self._screen.has_keys else []
        of_round = [] if self._running is None else [self._running[1]]
        # Not poll: some systems have none for terminals.
        ready = select([*keys, *of_round, *self._files.connections], [], [])[0][0]
        if ready in keys:
            self._handle_key(self._screen.read_key())
        elif ready in of_round:
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
        if self.status == _BROKEN_PIPE:
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
        with reading_lines():
            for failure in self._failures:
                words = ["accept", *_accept_words(failure, self._options)]
                run = partial(run_command_line, words, None if failure.subject else self._command)
                os.waitpid(fork(partial(_run_guarded, run)), 0)
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
    yield from output_files()


def _accept_words(failure: FailedTarget, options: RunOptions) -> Iterator[str]:
    """Yield the words of `xtest accept` for the cases that failed."""
    yield f"./{failure.suite}" if failure.suite.startswith("-") else failure.suite
    yield "--failed"
    yield from options.selection.args
    yield from options.execution._replace(sessions=SessionOptions()).outcome_args
    if failure.subject:
        yield from ("--subject", failure.subject)


# A round, in a process of its own.


class RoundPlanned(NamedTuple):
    """The files that a round depends on, and whether it has builds."""

    files: WatchedFiles
    has_builds: bool


class BuildsEnded(NamedTuple):
    """When the builds of a round ended, and whether all succeeded."""

    at: float
    is_complete: bool


class FailedTarget(NamedTuple):
    """A suite and a subject with failures."""

    suite: str  # as an argument of the command line
    subject: str  # its name in xtest.toml, "" for a command


def _start_round(
    options: RunOptions, command: tuple[str, ...] | None, *, builds: bool
) -> tuple[int, Connection]:
    """Start a round; return its process, and the connection on which it sends messages.

    These are RoundPlanned, BuildsEnded, and at the end a list of FailedTarget.
    """
    ours, its = Pipe()
    parent = os.getpid()

    def work() -> int:
        ours.close()
        SYSTEM.end_with_parent(parent)
        observer = RoundObserver(its, options.depends, builds=builds)
        return run_suites(options, command, builds=builds, observer=observer)

    pid = fork(lambda: _run_guarded(work))
    its.close()
    return pid, ours


class RoundObserver:
    """Sends messages about a run, as a RunObserver."""

    def __init__(self, watch: Connection, depends: Sequence[str], *, builds: bool) -> None:
        self._watch = watch
        self._depends = depends
        self._builds = builds
        self._targets: dict[tuple[str, str], Target] = {}
        self._failures: dict[FailedTarget, None] = {}

    def targets_found(
        self, targets: Sequence[Target], project: Project | None, suites: Sequence[str]
    ) -> None:
        """Report the files of the targets before they are built, and wait until they are watched.

        `suites` are all folders of suites, also of unusable ones.
        """
        self._targets = {target.key: target for target in targets}
        names = {target.subject.name for target in targets}
        config = () if project is None or not self._builds else project.config.subjects
        files = watched_files(targets, project, suites, self._depends)
        self._watch.send(RoundPlanned(files, any(one.build for one in config if one.name in names)))
        self._watch.recv()  # changes from now on are noticed

    def built(self, targets: Sequence[Target]) -> None:
        """Report the end of the builds; a subject whose build failed has a fault."""
        self._watch.send(
            BuildsEnded(time.time(), not any(target.subject.fault for target in targets))
        )

    def show(self, event: Event) -> None:
        if isinstance(event, RunResult) and event.failed:
            target = self._targets.get((event.suite, event.subject))
            if target is None:  # resumed, of a subject that is not selected
                return
            subject = target.subject.name if target.subject.context is not None else ""
            self._failures[FailedTarget(target.argument, subject)] = None
        elif isinstance(event, RunEnded):
            self._watch.send([*self._failures])


def _run_guarded(work: Callable[[], int]) -> int:
    """Do the work of a forked process; return its exit status, also after a known error."""
    try:
        clean_up_when_stopped()
        status = work()
        sys.stdout.flush()
    except UsageError as problem:
        messages.print_message(str(problem))
        return ExitCode.FAULT
    except BrokenPipeError:
        return _BROKEN_PIPE
    except OSError as problem:
        if problem.errno not in RESOURCE_ERRORS:
            raise
        messages.print_message(os_reason(problem, ""))
        return ExitCode.FAULT
    return status
