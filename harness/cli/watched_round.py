"""Run a round of `xtest run --watch` in a process of its own, which reports to the watch."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Final, NamedTuple

from harness.errors import RESOURCE_ERRORS, UsageError, os_reason
from harness.interruption import clean_up_when_stopped
from harness.model.events import Event, Judged, RunEnded
from harness.model.exit_codes import ExitCode
from harness.options import messages
from harness.process.forking import fork
from harness.process.reaper import end_with_parent
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.results.watched import WatchedFiles, watched_files

BROKEN_PIPE: Final = 141  # the exit status of a round whose output is no longer read


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


def start_round(run: Callable[[RoundObserver], int]) -> tuple[int, Connection]:
    """Start a round; return its process, and the connection on which it sends messages.

    These are RoundPlanned, BuildsEnded, and at the end a list of FailedTarget.
    """
    ours, its = Pipe()
    parent = os.getpid()

    def work() -> int:
        ours.close()
        end_with_parent(parent)
        return run(RoundObserver(its))

    pid = fork(lambda: run_guarded(work))
    its.close()
    return pid, ours


class RoundObserver:
    """Sends messages about a run, whose stages call its methods."""

    def __init__(self, watch: Connection) -> None:
        self._watch = watch
        self._targets: dict[tuple[str, str], Target] = {}
        self._failures: dict[FailedTarget, None] = {}

    def found(
        self,
        targets: Sequence[Target],
        project: Project | None,
        suites: Sequence[str],
        depends: Sequence[str],
        *,
        builds: bool,
    ) -> None:
        """Report the files of the targets before they are built, and wait until they are watched.

        `suites` are all folders of suites, also of unusable ones; `depends` the paths of --depends.
        """
        self._targets = {target.key: target for target in targets}
        names = {target.subject.name for target in targets}
        config = () if project is None or not builds else project.config.subjects
        files = watched_files(targets, project, suites, depends)
        self._watch.send(RoundPlanned(files, any(one.build for one in config if one.name in names)))
        self._watch.recv()  # changes from now on are noticed

    def built(self, targets: Sequence[Target]) -> None:
        """Report the end of the builds; a subject whose build failed has a fault."""
        self._watch.send(
            BuildsEnded(time.time(), not any(target.subject.fault for target in targets))
        )

    def show(self, event: Event) -> None:
        if isinstance(event, Judged) and event.failed:
            target = self._targets[event.suite, event.subject]
            subject = target.subject.name if target.subject.context is not None else ""
            self._failures[FailedTarget(target.argument, subject)] = None
        elif isinstance(event, RunEnded):
            self._watch.send([*self._failures])


def run_guarded(work: Callable[[], int]) -> int:
    """Do the work of a forked process; return its exit status, also after a known error."""
    try:
        clean_up_when_stopped()
        status = work()
        sys.stdout.flush()
    except UsageError as problem:
        messages.print_message(str(problem))
        return ExitCode.FAULT
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as problem:
        if problem.errno not in RESOURCE_ERRORS:
            raise
        messages.print_message(os_reason(problem, ""))
        return ExitCode.FAULT
    return status
