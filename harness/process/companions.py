"""Run the companions of programs: the server that a program needs, or its clients.

A companion is a run like any other, with processes, limits and samples of its own, which ends with
the program. A server starts before the program, and clients once something listens on their common
port. The system says so: an attempt to connect would count as a client.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from harness.errors import os_reason
from harness.model.transcript import (
    CompanionJob,
    CompanionRun,
    CompanionState,
    Job,
    NotStarted,
    Transcript,
)
from harness.process.backend import Process
from harness.process.connecting import Pauses, Reservation
from harness.process.run_state import RunState
from harness.process.system import SYSTEM
from harness.process.wakeups import Timers
from harness.text import last_bytes

_LEAVE_S: Final = 0.5  # for clients to end by themselves after the program
_KEPT: Final = 4_096  # bytes of each stream of a companion
_UNSEEN: Final = "without psutil, nothing shows when a program listens, so companions cannot start"


class _CompanionProgram:
    def __init__(self, declared: CompanionJob) -> None:
        self.declared: Final = declared
        self.running: RunState | None = None
        self.run = CompanionRun(declared.name, CompanionState.NOT_STARTED)

    def note_end(self, transcript: Transcript, state: CompanionState) -> None:
        """Keep what was observed of it, once."""
        self.running = None
        self.run = CompanionRun(
            self.declared.name,
            state,
            transcript.ending
            if state in (CompanionState.ENDED, CompanionState.NOT_LISTENING)
            else None,
            transcript.limit,
            transcript.wall_s,
            last_bytes(transcript.stdout, _KEPT),
            last_bytes(transcript.stderr, _KEPT),
            transcript.stdout_bytes + transcript.stderr_bytes,
            self.run.listening,
        )


class CompanionGroup:
    """The companions of one program, and the port of all of them."""

    def __init__(self, number: int, job: Job, now: float) -> None:
        self.number: Final = number
        self.job: Final = job
        self.reservation: Final = Reservation()
        self.port: Final = self.reservation.port
        self.companions: Final = [_CompanionProgram(each) for each in job.companions]
        self.program: RunState | None = None
        self.transcript: Transcript | None = None  # of the program, once it has ended
        self.until = now + job.limits.wall_s  # for a server to listen
        self.pauses = Pauses(now)
        self.is_called = False  # whether a client had connected when one ended
        self.is_at_limit = False  # the program: from then on, companions lose it
        self.is_over = False

    @property
    def next_at(self) -> float:
        """The time at which the system is asked next whether something listens."""
        waits = any(each.run.state is CompanionState.NOT_STARTED for each in self.companions)
        waits = waits and self.transcript is None
        return self.pauses.next_at if waits else math.inf

    @property
    def living(self) -> list[_CompanionProgram]:
        return [each for each in self.companions if each.running is not None]


class CompanionGroups:
    """The programs in progress that have companions.

    Args:
        timers: wake the loop for a group whose program is not running
        members: returns the living processes of a run
        start: starts a program or a companion of a group
        finish: ends a run at once
        done: takes the transcript of a program, with those of its companions
    """

    def __init__(
        self,
        timers: Timers,
        members: Callable[[RunState], list[Process]],
        start: Callable[[int | None, Job, CompanionGroup], RunState | NotStarted],
        finish: Callable[[RunState], None],
        done: Callable[[int, Transcript], None],
    ) -> None:
        self._timers = timers
        self._members = members
        self._start = start
        self._finish = finish
        self._done = done
        self._groups: dict[int, CompanionGroup] = {}  # by the number of the program's run

    @property
    def surplus(self) -> int:
        """The number of runs in progress beyond one for each group."""
        if not self._groups:
            return 0
        living = sum(len(group.living) for group in self._groups.values())
        return living - sum(group.program is None for group in self._groups.values())

    def begin(self, number: int, job: Job) -> None:
        """Start the companions that must listen before the program, or else the program."""
        now = time.monotonic()
        if not SYSTEM.sees_connections:
            self._done(number, Transcript(NotStarted(_UNSEEN, by_machine=True)))
            return
        try:
            group = self._groups[number] = CompanionGroup(number, job, now)
        except OSError as problem:
            reason = NotStarted(f"its port: {os_reason(problem)}", by_machine=True)
            self._done(number, Transcript(reason))
            return
        servers = [each for each in group.companions if each.declared.listens]
        if not servers:
            self._start_program(group)
        elif self._start_companions(group, servers):
            self._timers.set(number, group.pauses.next_at)
        else:
            self._give_up(group)

    def check(self, number: int, now: float) -> None:
        """Go on with a group whose program has not started, or has ended."""
        group = self._groups.get(number)
        if group is None or group.program is not None:
            return
        if group.transcript is not None:
            self._conclude(group)
        elif self._is_listening(group, now):
            self._start_program(group)
        elif now >= group.until:
            self._give_up(group)
        else:
            self._timers.set(number, min(group.until, group.pauses.next_at))

    def go_on(self, running: RunState, now: float) -> None:
        """Start the clients of a program if something listens on the port now."""
        group = running.companions
        if not isinstance(group, CompanionGroup) or group.program is not running:
            return
        if now < group.next_at:
            return
        if self._is_listening(group, now):
            self._start_clients(group, running)

    def note_limit(self, running: RunState) -> None:
        """Note which companions have no connection when the program reaches a time limit."""
        group = running.companions
        if not isinstance(group, CompanionGroup) or group.program is not running:
            return
        group.is_at_limit = True
        if not SYSTEM.listens(group.port, running.child.pid):
            return
        for companion in group.living:
            assert companion.running is not None
            pids = [process.pid for process in self._members(companion.running)]
            if not SYSTEM.connects(pids, group.port):
                companion.run = companion.run._replace(state=CompanionState.NOT_CONNECTED)

    def ended(self, running: RunState, transcript: Transcript) -> None:
        """Note the end of a program or a companion."""
        group = running.companions
        assert isinstance(group, CompanionGroup)
        if group.program is running:
            group.program, group.transcript = None, transcript
            self._leave(group, time.monotonic())
            return
        for companion in group.living:
            if companion.running is running:
                self._note_end(group, companion, transcript)

    def close(self) -> None:
        """Forget all groups, whose runs are killed one by one."""
        for group in self._groups.values():
            group.is_over = True
            group.reservation.close()
        self._groups.clear()

    # The beginning.

    def _start_companions(self, group: CompanionGroup, companions: list[_CompanionProgram]) -> bool:
        """Start companions; return whether all of them could."""
        for companion in companions:
            job = companion.declared.job
            if isinstance(job, Job):
                limits = job.limits._replace(wall_s=math.inf, first_byte_s=None)
                job = job._replace(port=group.port, limits=limits)
                started = self._start(None, job, group)
            else:
                started = job
            if isinstance(started, NotStarted):
                companion.note_end(Transcript(started), CompanionState.ENDED)
                return False
            companion.running = started
            companion.run = companion.run._replace(state=CompanionState.RUNNING)
        return True

    def _is_listening(self, group: CompanionGroup, now: float) -> bool:
        group.pauses.go_on(now)
        first = group.program or next(each.running for each in group.living)
        return first is not None and SYSTEM.listens(group.port, first.child.pid)

    def _start_program(self, group: CompanionGroup) -> None:
        group.pauses = Pauses(time.monotonic())
        job = group.job._replace(port=group.port, companions=())
        started = self._start(group.number, job, group)
        if isinstance(started, NotStarted):
            group.transcript = Transcript(started)
            self._conclude(group)
            return
        group.program = started
        if group.living:  # the server, which others can connect to, too
            self._start_clients(group, started)

    def _start_clients(self, group: CompanionGroup, program: RunState) -> None:
        absent = [each for each in group.companions if each.run.state is CompanionState.NOT_STARTED]
        if not self._start_companions(group, absent):
            program.kill_at = time.monotonic()  # it cannot be judged

    def _give_up(self, group: CompanionGroup) -> None:
        """End a group whose program cannot start."""
        for companion in group.living:
            if companion.running is not None and companion.declared.listens:
                pids = [process.pid for process in self._members(companion.running)]
                listening = SYSTEM.listening(pids)
                companion.run = companion.run._replace(
                    state=CompanionState.NOT_LISTENING, listening=listening
                )
        group.transcript = Transcript(NotStarted("it needs its companions"))
        self._conclude(group)

    # The end.

    def _note_end(
        self, group: CompanionGroup, companion: _CompanionProgram, transcript: Transcript
    ) -> None:
        is_early = group.program is None and group.transcript is None
        if group.is_at_limit:
            companion.note_end(transcript, companion.run.state)
        elif is_early:
            companion.note_end(transcript, CompanionState.NOT_LISTENING)
        else:
            companion.note_end(transcript, CompanionState.ENDED)
            self._note_calls(group, companion)
        if group.is_over:
            return
        if is_early:
            self._give_up(group)
        elif group.transcript is not None and not _are_leaving(group):
            self._conclude(group)

    def _note_calls(self, group: CompanionGroup, ended: _CompanionProgram) -> None:
        """Note of a client that has just ended if nothing has connected to the program by then."""
        if group.program is not None and not ended.declared.listens:
            group.is_called |= SYSTEM.is_called(group.port, group.program.child.pid)
            ended.run = ended.run._replace(has_called=group.is_called)

    def _leave(self, group: CompanionGroup, now: float) -> None:
        """Give clients time to end after the program, unless a limit ended it."""
        if group.is_over:
            return
        if group.transcript is not None and _may_leave(group.transcript):
            if _are_leaving(group):
                self._timers.set(group.number, now + _LEAVE_S)
                return
        self._conclude(group)

    def _conclude(self, group: CompanionGroup) -> None:
        """Kill the companions that are left, and pass on what was observed."""
        group.is_over = True
        del self._groups[group.number]
        for companion in group.living:
            self._stop(companion)
        group.reservation.close()
        assert group.transcript is not None
        runs = tuple(companion.run for companion in group.companions)
        self._done(group.number, group.transcript._replace(companions=runs))

    def _stop(self, companion: _CompanionProgram) -> None:
        running, state = companion.running, companion.run.state
        assert running is not None
        with suppress(OSError):
            self._finish(running)  # which notes its end
        listening = companion.run.listening
        companion.run = companion.run._replace(state=state, listening=listening)
        if state is not CompanionState.ENDED:
            companion.run = companion.run._replace(ending=None, limit=None)


def _are_leaving(group: CompanionGroup) -> bool:
    """Return whether a client is still running."""
    return any(not companion.declared.listens for companion in group.living)


def _may_leave(transcript: Transcript) -> bool:
    return transcript.limit is None and not isinstance(transcript.ending, NotStarted)
