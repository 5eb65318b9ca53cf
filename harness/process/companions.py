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
    Attendance,
    CompanionJob,
    CompanionRun,
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


class _Attendant:
    def __init__(self, declared: CompanionJob) -> None:
        self.declared: Final = declared
        self.running: RunState | None = None
        self.run = CompanionRun(declared.name, Attendance.ABSENT)

    @property
    def is_living(self) -> bool:
        return self.running is not None and self.running.ended_at is None

    def note_end(self, transcript: Transcript, attendance: Attendance) -> None:
        """Keep what was observed of it, once."""
        self.running = None
        self.run = CompanionRun(
            self.declared.name,
            attendance,
            transcript.ending if attendance in (Attendance.ENDED, Attendance.DEAF) else None,
            transcript.limit,
            transcript.wall_s,
            last_bytes(transcript.stdout, _KEPT),
            last_bytes(transcript.stderr, _KEPT),
            transcript.stdout_bytes + transcript.stderr_bytes,
            self.run.listening,
        )


class Company:
    """The companions of one program, and the port of all of them."""

    def __init__(self, number: int, job: Job, now: float) -> None:
        self.number: Final = number
        self.job: Final = job
        self.reservation: Final = Reservation()
        self.port: Final = self.reservation.port
        self.companions: Final = [_Attendant(each) for each in job.companions]
        self.program: RunState | None = None
        self.transcript: Transcript | None = None  # of the program, once it has ended
        self.until = now + job.limits.wall_s  # for a server to listen
        self.pauses = Pauses(now)
        self.is_at_limit = False  # the program: from then on, companions lose it
        self.is_over = False

    @property
    def next_at(self) -> float:
        """The time at which the system is asked next whether something listens."""
        waits = any(each.run.attendance is Attendance.ABSENT for each in self.companions)
        waits = waits and self.transcript is None
        return self.pauses.next_at if waits else math.inf

    @property
    def living(self) -> list[_Attendant]:
        return [each for each in self.companions if each.running is not None]


class Companies:
    """The companies of the runs in progress.

    Args:
        timers: wake the loop for a company whose program is not running
        members: returns the living processes of a run
        start: starts a program or a companion of a company
        finish: ends a run at once
        done: takes the transcript of a program, with those of its companions
    """

    def __init__(
        self,
        timers: Timers,
        members: Callable[[RunState], list[Process]],
        start: Callable[[int | None, Job, Company], RunState | NotStarted],
        finish: Callable[[RunState], None],
        done: Callable[[int, Transcript], None],
    ) -> None:
        self._timers = timers
        self._members = members
        self._start = start
        self._finish = finish
        self._done = done
        self._companies: dict[int, Company] = {}  # by the number of the program's run

    @property
    def surplus(self) -> int:
        """The number of runs in progress beyond one for each company."""
        living = sum(len(company.living) for company in self._companies.values())
        return living - sum(company.program is None for company in self._companies.values())

    def begin(self, number: int, job: Job) -> None:
        """Start the companions that must listen before the program, or else the program."""
        now = time.monotonic()
        if not SYSTEM.sees_connections:
            self._done(number, Transcript(NotStarted(_UNSEEN, by_machine=True)))
            return
        try:
            company = self._companies[number] = Company(number, job, now)
        except OSError as problem:
            reason = NotStarted(f"its port: {os_reason(problem)}", by_machine=True)
            self._done(number, Transcript(reason))
            return
        servers = [each for each in company.companions if each.declared.listens]
        if not servers:
            self._start_program(company)
        elif self._start_companions(company, servers):
            self._timers.set(number, company.pauses.next_at)
        else:
            self._give_up(company)

    def check(self, number: int, now: float) -> None:
        """Go on with a company whose program has not started, or has ended."""
        company = self._companies.get(number)
        if company is None or company.program is not None:
            return
        if company.transcript is not None:
            self._conclude(company)
        elif self._is_listening(company, now):
            self._start_program(company)
        elif now >= company.until:
            self._give_up(company)
        else:
            self._timers.set(number, min(company.until, company.pauses.next_at))

    def go_on(self, running: RunState, now: float) -> None:
        """Start the clients of a program if something listens on the port now."""
        company = running.company
        if not isinstance(company, Company) or company.program is not running:
            return
        if now < company.next_at:
            return
        if self._is_listening(company, now):
            self._start_clients(company, running)

    def note_limit(self, running: RunState) -> None:
        """Note which companions have no connection when the program reaches a time limit."""
        company = running.company
        if not isinstance(company, Company) or company.program is not running:
            return
        company.is_at_limit = True
        if not SYSTEM.listens(company.port, running.child.pid):
            return
        for companion in company.living:
            assert companion.running is not None
            pids = [process.pid for process in self._members(companion.running)]
            if not SYSTEM.connects(pids, company.port):
                companion.run = companion.run._replace(attendance=Attendance.ALONE)

    def ended(self, running: RunState, transcript: Transcript) -> None:
        """Note the end of a program or a companion."""
        company = running.company
        assert isinstance(company, Company)
        if company.program is running:
            company.program, company.transcript = None, transcript
            self._leave(company, time.monotonic())
            return
        for companion in company.living:
            if companion.running is running:
                self._note_end(company, companion, transcript)

    def close(self) -> None:
        """Forget all companies, whose runs are killed one by one."""
        for company in self._companies.values():
            company.is_over = True
            company.reservation.close()
        self._companies.clear()

    # The beginning.

    def _start_companions(self, company: Company, companions: list[_Attendant]) -> bool:
        """Start companions; return whether all of them could."""
        for companion in companions:
            job = companion.declared.job
            if isinstance(job, Job):
                limits = job.limits._replace(wall_s=math.inf, first_byte_s=None)
                job = job._replace(port=company.port, limits=limits)
                started = self._start(None, job, company)
            else:
                started = job
            if isinstance(started, NotStarted):
                companion.note_end(Transcript(started), Attendance.ENDED)
                return False
            companion.running = started
            companion.run = companion.run._replace(attendance=Attendance.STAYED)
        return True

    def _is_listening(self, company: Company, now: float) -> bool:
        company.pauses.go_on(now)
        first = company.program or next(each.running for each in company.living)
        return first is not None and SYSTEM.listens(company.port, first.child.pid)

    def _start_program(self, company: Company) -> None:
        company.pauses = Pauses(time.monotonic())
        job = company.job._replace(port=company.port, companions=())
        started = self._start(company.number, job, company)
        if isinstance(started, NotStarted):
            company.transcript = Transcript(started)
            self._conclude(company)
            return
        company.program = started
        if company.living:  # the server, which others can connect to, too
            self._start_clients(company, started)

    def _start_clients(self, company: Company, program: RunState) -> None:
        absent = [each for each in company.companions if each.run.attendance is Attendance.ABSENT]
        if not self._start_companions(company, absent):
            program.kill_at = time.monotonic()  # it cannot be judged

    def _give_up(self, company: Company) -> None:
        """End a company whose program cannot start."""
        for companion in company.living:
            if companion.running is not None and companion.declared.listens:
                pids = [process.pid for process in self._members(companion.running)]
                listening = SYSTEM.listening(pids)
                companion.run = companion.run._replace(
                    attendance=Attendance.DEAF, listening=listening
                )
        company.transcript = Transcript(NotStarted("it needs its companions"))
        self._conclude(company)

    # The end.

    def _note_end(self, company: Company, companion: _Attendant, transcript: Transcript) -> None:
        is_early = company.program is None and company.transcript is None
        if company.is_at_limit:
            companion.note_end(transcript, companion.run.attendance)
        else:
            companion.note_end(transcript, Attendance.DEAF if is_early else Attendance.ENDED)
        if company.is_over:
            return
        if is_early:
            self._give_up(company)
        elif company.transcript is not None and not _are_leaving(company):
            self._conclude(company)

    def _leave(self, company: Company, now: float) -> None:
        """Give clients time to end after the program, unless a limit ended it."""
        if company.is_over:
            return
        if company.transcript is not None and _may_leave(company.transcript):
            if _are_leaving(company):
                self._timers.set(company.number, now + _LEAVE_S)
                return
        self._conclude(company)

    def _conclude(self, company: Company) -> None:
        """Kill the companions that are left, and pass on what was observed."""
        company.is_over = True
        del self._companies[company.number]
        for companion in company.living:
            self._stop(companion)
        company.reservation.close()
        assert company.transcript is not None
        runs = tuple(companion.run for companion in company.companions)
        self._done(company.number, company.transcript._replace(companions=runs))

    def _stop(self, companion: _Attendant) -> None:
        running, attendance = companion.running, companion.run.attendance
        assert running is not None
        with suppress(OSError):
            self._finish(running)  # which notes its end
        listening = companion.run.listening
        companion.run = companion.run._replace(attendance=attendance, listening=listening)
        if attendance is not Attendance.ENDED:
            companion.run = companion.run._replace(ending=None, limit=None)


def _are_leaving(company: Company) -> bool:
    """Return whether a client is still running."""
    return any(not companion.declared.listens for companion in company.living)


def _may_leave(transcript: Transcript) -> bool:
    return transcript.limit is None and not isinstance(transcript.ending, NotStarted)
