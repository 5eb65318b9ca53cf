"""End processes: kill the group of a program, reap it, and kill the orphans that it leaves.

Its children are read first, its group is killed, then it is reaped: in this order no signal can
reach a new process that was given the same number. As a child subreaper the harness adopts every
process that a subject leaves behind. It signals only its own children, whose numbers cannot be
reused before it has reaped them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from harness.model.transcript import Exited, Signalled
from harness.process.backend import ExitInfo, Process, descendants
from harness.process.system import SYSTEM

_DYING_S: Final = 0.0005  # between two questions to a process that was killed
MOST_STOPS: Final = 10  # by subjects, after which a process of xtest is killed
DEATH_S: Final = 2.0  # after which a killed process that the kernel does not release is abandoned
HELPERS: Final[set[int]] = set()  # children of this process that belong to no run
# Passes in a row that may find nothing and still be incomplete: another run that forks endlessly
# leaves zombies at every pass, and must not hold up the loop.
_MOST_INCOMPLETE: Final = 10
_SWEEP_S: Final = 2.0  # the longest that one sweep may chase processes that fork
_RETRY_S: Final = 0.1  # the same, after an unsuccessful sweep
_OLDER_S: Final = 1.0  # between two samples of processes that are older than a run
_START_S: Final = 1.0  # the longest that a started process may show nothing
# By which processes know those of their own runs; forks share it.
_OWN: Final = int.from_bytes(os.urandom(4))


class Drain(NamedTuple):
    """Times for which pipes are read after the exit of a program, while a child holds one."""

    usual_s: float = 0.5
    most_s: float = 5.0  # while such a child waits for a processor
    most_cpu_s: float = 0.5  # processor time of children after which the drain ends
    check_s: float = 0.05  # between two checks


DRAIN: Final = Drain()


def kill_group(leader: int) -> None:
    """Kill every process of a group whose leader has not been reaped."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or its processes have changed their user


def group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # its processes have changed their user
        pass
    return True


def reap(pid: int) -> ExitInfo:
    """Reap a process that has ended or was killed.

    One that the kernel does not release counts as ended by SIGKILL.
    """
    until = time.monotonic() + DEATH_S
    while (exit_info := SYSTEM.exit_of(pid)) is None:
        if time.monotonic() > until:
            return ExitInfo(signal.SIGKILL, 0.0)
        time.sleep(_DYING_S)
    return exit_info


def to_ending(status: int) -> Exited | Signalled:
    code = os.waitstatus_to_exitcode(status)
    return Exited(code) if code >= 0 else Signalled(-code)


# Orphans.


def mark_of(worker: int) -> bytes:
    """Return what the variable begins with that identifies the processes of a worker's runs."""
    return f"XTEST_RUN={(_OWN + worker) % (1 << 32):08x}".encode()


class RunProcesses:
    """The processes of one run.

    If no other run can have left an orphan (`is_alone`), every orphan belongs to it. Otherwise an
    orphan is recognized by its session, if a process of the run was sampled in it, by the mark in
    its environment, or because it was sampled as a descendant (number and start time).
    """

    def __init__(self, leader: int, mark: bytes, *, is_alone: bool = False) -> None:
        self.leader = leader
        self.mark = mark
        self.is_alone = is_alone
        self.sampled: set[tuple[int, int]] = set()
        self._sessions = {leader}
        self._older: frozenset[int] = frozenset()
        self._older_until = 0.0

    def owns(self, orphan: Process) -> bool:
        return (
            self.is_alone
            or orphan.session in self._sessions
            or (orphan.pid, orphan.started) in self.sampled
            or SYSTEM.has_mark(orphan.pid, self.mark)
        )

    def find(self, roots: Sequence[int]) -> list[Process]:
        """Return the roots that exist, and all their descendants, and remember them.

        Processes that are older than the leader are no descendants of it: they are read again only
        after a second, when others may have their numbers.
        """
        now = time.monotonic()
        if now >= self._older_until:
            self._older = frozenset()
        everyone = SYSTEM.processes(self._older.difference(roots))
        if not self._older and self.leader in everyone:
            began = everyone[self.leader].started
            self._older = frozenset(pid for pid, each in everyone.items() if each.started < began)
            self._older_until = now + _OLDER_S
        members = descendants(roots, everyone)
        self.remember(members)
        return members

    def remember(self, members: list[Process]) -> None:
        """Remember descendants of the leader, or of another process of the run."""
        self.sampled.update((member.pid, member.started) for member in members)
        self._sessions.update(member.session for member in members)


class Reaper:
    """The orphans of subjects: children of this process that it did not start."""

    def __init__(self, *, sole_parent: bool) -> None:
        self._session = os.getsid(0)
        # Where orphans become children of another process, nothing shows that there are none.
        sole_parent = sole_parent and SYSTEM.adopts_orphans()
        self._sole_parent = sole_parent
        # Children of the host process that were there before.
        self._list = SYSTEM.orphan_list()
        self._others = set(self._list.pids())
        self._killed: set[int] = set()
        self._is_complete = True  # whether the last listing was complete
        self._patience_s = _SWEEP_S
        self.is_clean = sole_parent  # whether runs that ended have left nothing behind

    def orphans(self, leaders: Mapping[int, object]) -> list[Process]:
        """Return the orphans, zombies included."""
        return [
            process
            for pid in self._list.pids()
            if pid not in leaders and pid not in self._others and pid not in HELPERS
            # Descendants of a subject can never join this session.
            if (process := SYSTEM.read_process(pid)) is not None
            and process.session != self._session
        ]

    def wait_for_marks(self) -> None:
        """Wait until a process that was just started shows the mark in its environment.

        posix_spawn returns before the kernel has set up the memory of the new program.
        """
        until = time.monotonic() + _START_S
        while time.monotonic() < until and any(
            SYSTEM.is_starting(orphan.pid) for orphan in self.orphans({}) if not orphan.is_zombie
        ):
            time.sleep(0.001)

    def sweep(self, processes_of_run: RunProcesses, leaders: Mapping[int, object]) -> None:
        """Kill every orphan of a run, and the orphans that they leave, until none is left.

        `leaders` must still include the leader of the run.
        """
        until = time.monotonic() + _SWEEP_S
        incomplete = 0
        while time.monotonic() < until:
            living = self._reap_zombies(leaders, processes_of_run.leader)
            mine = [orphan for orphan in living if processes_of_run.owns(orphan)]
            incomplete = incomplete + 1 if not mine else 0
            if not mine and (self._is_complete or incomplete == _MOST_INCOMPLETE):
                return
            # A dying orphan shows no mark: without its number it would not be reaped.
            below = descendants([orphan.pid for orphan in mine], SYSTEM.processes())
            processes_of_run.remember(mine + below)
            self._kill(mine)

    def sweep_all(self, leaders: Mapping[int, object]) -> None:
        """Kill all orphans, when no run is left that they could belong to."""
        until = time.monotonic() + self._patience_s
        self.is_clean = False
        while self._sole_parent and time.monotonic() < until:
            strays = self._reap_zombies(leaders)
            if not strays and self._is_complete:
                self.is_clean = True
                break
            self._kill(strays)
        # A process that cannot be killed now will hardly be killed after the next run.
        self._patience_s = _SWEEP_S if self.is_clean else _RETRY_S

    def close(self) -> None:
        self._list.close()

    def _reap_zombies(self, leaders: Mapping[int, object], session: int = 0) -> list[Process]:
        """Reap those orphans that cannot belong to the host process; return the living ones."""
        living = []
        self._is_complete = True
        for orphan in self.orphans(leaders):
            if not orphan.is_zombie:
                living.append(orphan)
            elif self._sole_parent or orphan.pid in self._killed or orphan.session == session:
                # It may have had a child, not in this listing, when it was listed.
                self._is_complete = False
                self._reap(orphan.pid)
        return living

    def _kill(self, orphans: list[Process]) -> None:
        for orphan in orphans:
            self._killed.add(orphan.pid)
            try:
                # With the group that it leads, if any: a fork must not escape.
                if orphan.group == orphan.pid:
                    os.killpg(orphan.pid, signal.SIGKILL)
                os.kill(orphan.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue  # ended, or changed to a user that may not be signalled
            self._reap(orphan.pid)

    def _reap(self, pid: int) -> None:
        try:
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                self._killed.discard(pid)
        except ChildProcessError:
            self._killed.discard(pid)
