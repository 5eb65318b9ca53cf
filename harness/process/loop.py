"""Run several subjects at once in an event loop, with every read and write bounded.

One thread, one poll over pipes and, on Linux, pidfds. A run ends by the program's own exit plus a
short drain, or by the first limit; then its group is killed, it is reaped, and its orphans are
killed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from functools import partial
from itertools import count
from typing import Any, Final, TypeVar

from harness.model.limits import Limit
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.backend import CLOSED, Process, RunGroup
from harness.process.companions import CompanionGroup, CompanionGroups
from harness.process.connecting import Connector, open_connector
from harness.process.killable import KillableQueue
from harness.process.own_process import close_on_exec
from harness.process.reaper import (
    DEATH_S,
    DRAIN,
    Drain,
    Reaper,
    RunProcesses,
    group_exists,
    kill_group,
    mark_of,
    reap,
)
from harness.process.run_state import (
    EndedRun,
    EndedRuns,
    RunState,
    next_check_at,
    transcript_of,
)
from harness.process.sampling import exceeded_clock
from harness.process.spawn import (
    Child,
    disable_core_files,
    encode_environment,
    keep_standard_streams_open,
    spawn,
    spawn_in,
    spawn_private,
)
from harness.process.streams import Streams
from harness.process.system import SYSTEM
from harness.process.wakeups import READABLE, Timers, Watcher

K = TypeVar("K")
R_co = TypeVar("R_co", covariant=True)

_MUCH_OUTPUT: Final = 4_096  # bytes of a run, after which the next run is watched from its start
_MOST_PACED: Final = 64  # runs at once whose input is fed in chunks

# Returns the next key with its job, or a transcript that is passed through; None if there is none
# now. It is asked again after each run.
NextJob = Callable[[], tuple[K, Job | Transcript] | None]


def run(
    next_job: NextJob[K],
    parallel: int,
    environment: Mapping[str, str],
    *,
    sole_parent: bool = False,
    background: KillableQueue[Any, R_co] | None = None,
    deadline: float = math.inf,
    gather_s: float = 0.0,
    drain: Drain = DRAIN,
) -> Generator[EndedRun[K] | R_co, None, None]:
    """Run jobs, several at a time, and yield each key with its transcript as it ends.

    A job is drawn only when there is room for it, so that any number of jobs takes bounded memory.
    Jobs with input in chunks mostly wait, and do not count as `parallel`. When the generator is
    closed or an exception is raised, all subjects are killed.

    Args:
        next_job: returns keys and jobs
        parallel: the most jobs at a time
        environment: the variables of the subjects; those of a job are added
        sole_parent: nothing else in this process starts children, so every orphan is a subject's
        background: work that the consumer submits, whose results are yielded, too; pending work
            takes the place of a job
        deadline: when the generator ends as if it were closed, on the monotonic clock
        gather_s: seconds that an ended run waits for others, or up to twice as long while one is in
            progress; it is yielded before a KeyboardInterrupt
        drain: how long output of children is read after the exit
    """
    SYSTEM.require()
    keep_standard_streams_open()
    close_on_exec()
    disable_core_files()
    SYSTEM.adopt_orphans()
    loop = _Loop(environment, background, sole_parent=sole_parent, drain=drain)
    keys: dict[int, K] = {}
    ended = EndedRuns[K](gather_s, deadline)
    try:
        while time.monotonic() < deadline:
            while loop.has_room(parallel) and (drawn := next_job()) is not None:
                keys[loop.start(drawn[1])] = drawn[0]
            is_idle = not keys and not loop.pending
            if is_idle and not ended:
                return
            for number, transcript in loop.finished(ended.wait_until):
                ended.add(keys.pop(number), transcript)
            # Preferably between two runs: a run in progress would seem to take longer.
            if is_idle or ended.are_due:
                yield from ended.take()
            if background is not None:
                yield from background.results()
    except KeyboardInterrupt:
        yield from ended.take()
        raise
    finally:
        loop.close()


def in_order(jobs: Iterable[tuple[K, Job | Transcript]]) -> NextJob[K]:
    """Return a function that returns these jobs, one after another."""
    return partial(next, iter(jobs), None)


def run_one(
    job: Job,
    environment: Mapping[str, str],
    *,
    sole_parent: bool = False,
    drain: Drain = DRAIN,
) -> Transcript:
    """Run a job, and return its transcript."""
    jobs = in_order([(None, job)])
    with closing(run(jobs, 1, environment, sole_parent=sole_parent, drain=drain)) as runs:
        ((_, transcript),) = runs
    return transcript


class _Loop:  # pylint: disable=too-many-instance-attributes  # indexes of the same runs
    """The runs in progress: `start` begins one, `finished` waits until at least one has ended."""

    def __init__(
        self,
        environment: Mapping[str, str],
        background: KillableQueue[Any, Any] | None,
        *,
        sole_parent: bool,
        drain: Drain,
    ) -> None:
        self._background = background
        self._drain_bounds = drain
        self._environment = encode_environment(environment.items())
        # By the variables that are added.
        self._environments: dict[tuple[tuple[str, str], ...], dict[bytes, bytes]] = {}
        self._watcher = Watcher[RunState]()
        self._timers = Timers()
        self._streams = Streams(self._watcher, self._timers, self._members, self._stop)
        self._companions = CompanionGroups(
            self._timers,
            self._members,
            start=self._start,
            finish=self._finish,
            done=lambda number, transcript: self._done.append((number, transcript)),
        )
        self._reaper = Reaper(sole_parent=sole_parent)
        self._groups = SYSTEM.groups()
        self._numbers = count()
        self._runs: dict[int, RunState] = {}  # by number
        self._spawning: bytes | None = None  # the mark of a run that is not yet in _runs
        self._leaders: dict[int, RunState] = {}  # by process number
        self._paced = 0
        self._done: list[tuple[int, Transcript]] = []
        self._expects_much = False  # the last run printed much: the next one probably will

    @property
    def pending(self) -> int:
        """The pieces of background work without a result."""
        return self._background.pending if self._background is not None else 0

    def has_room(self, parallel: int) -> bool:
        """Return whether one more job may be started."""
        # Without the first condition, jobs that end at once would be drawn endlessly.
        return (
            not self._done
            and len(self._runs) - self._companions.surplus - self._paced + self.pending < parallel
            and self._paced < _MOST_PACED
        )

    def start(self, job: Job | Transcript) -> int:
        """Start a job, and return the number under which `finished` returns it."""
        number = next(self._numbers)
        if isinstance(job, Transcript):
            self._done.append((number, job))
        elif job.companions:
            self._companions.begin(number, job)
        else:
            started = self._start(number, job)
            if isinstance(started, NotStarted):
                self._done.append((number, Transcript(started)))
        return number

    def _start(
        self, number: int | None, job: Job, companions: CompanionGroup | None = None
    ) -> RunState | NotStarted:
        number = next(self._numbers) if number is None else number
        started_at = time.monotonic()
        # Random: a process of an earlier run cannot carry the mark of a later one.
        mark = self._spawning = mark_of(os.getpid()) + os.urandom(8).hex().encode()
        restricts_usage = job.limits.restrict_usage
        if restricts_usage and (unmeasured := SYSTEM.unmeasured(job.limits)):
            reason = f"{', '.join(unmeasured)} cannot be measured here"
            return NotStarted(reason, by_machine=True)
        reservation = None if companions is None else companions.reservation
        connector = open_connector(job, started_at, reservation) if job.has_connection else None
        if isinstance(connector, NotStarted):
            return connector
        group = self._groups.take() if restricts_usage else None
        job = job._replace(port=connector.port) if connector is not None else job
        job = job if group is None else group.start(job)
        child = self._spawn(job, mark)
        if isinstance(child, NotStarted):
            self._discard(job, connector, group)
            return child
        is_alone = self._begin_alone()
        started = RunState(number, job, child, started_at, group, connector, companions, is_alone)
        self._runs[number] = self._leaders[child.pid] = started
        self._spawning = None
        self._paced += job.is_paced
        if child.pidfd != CLOSED:
            self._watcher.watch(child.pidfd, READABLE, started)
        self._streams.begin(started, is_watched=self._expects_much)
        self._timers.set(number, next_check_at(started))
        return started

    def _discard(self, job: Job, connector: Connector | None, group: RunGroup | None) -> None:
        """Give back what a job was to have that did not start."""
        if connector is not None:
            connector.close()
        if group is not None:
            self._groups.give_back(group)
        if job.private is not None:
            job.private.end_run()

    def _begin_alone(self) -> bool:
        """Return whether every orphan will belong to the run that begins now."""
        for other in self._runs.values():
            other.processes.is_alone = False
            self._reaper.is_clean = False
        return self._reaper.is_clean

    def _spawn(self, job: Job, mark: bytes) -> Child | NotStarted:
        added = (*job.variables, *(job.context.environment if job.context is not None else ()))
        environment = self._environments.get(added)
        if environment is None:
            environment = self._environment | encode_environment(added)
            self._environments[added] = environment
        if job.private is not None:
            return spawn_private(job.private, job, environment, mark)
        if job.context is None:
            return spawn(job, environment, mark)
        return spawn_in(job.context.folder, job, environment, mark)

    def finished(self, deadline: float) -> list[tuple[int, Transcript]]:
        """Wait until a run or background work has ended; return the runs with their transcripts.

        Return at the deadline in any case.
        """
        is_background_ready = False
        while self._runs or self.pending:
            # Poll even if a run is done already: subjects must not be kept waiting.
            SYSTEM.check_parent()
            now = time.monotonic()
            left_s = max(0.0, deadline - now)
            wait_s = 0 if self._done else min(self._time_to_timer(now), left_s)
            if self.pending:
                ready, is_background_ready = self._poll_with_background(wait_s)
            else:
                ready = self._watcher.poll(wait_s)
            for descriptor in ready:
                running = self._watcher.owner(descriptor)
                if running is not None:
                    self._advance(running, descriptor)
            now = time.monotonic()
            self._check_timers(now)
            if self._done or is_background_ready or now >= deadline:
                break
        done, self._done = self._done, []
        return done

    def _poll_with_background(self, wait_s: float) -> tuple[list[int], bool]:
        """Return the ready descriptors, and whether background work needs attention."""
        background = self._background
        assert background is not None and background.deadline is not None
        # Its process may be replaced at any time, and with it the descriptor.
        descriptor, left_s = background.fileno(), background.deadline - time.monotonic()
        ready = self._watcher.poll_with(descriptor, max(0.0, min(wait_s, left_s)))
        return ready, descriptor in ready or background.deadline <= time.monotonic()

    def close(self) -> None:
        """Kill all runs in progress."""
        self._companions.close()
        for running in list(self._runs.values()):
            with suppress(OSError):  # an interruption may have come while it was being closed
                self._finish(running)
        if self._spawning is not None:  # an interruption may have come just after the spawn
            self._reaper.wait_for_marks()
            self._reaper.sweep(RunProcesses(-1, self._spawning), {})
        self._reaper.sweep_all({})
        self._reaper.close()
        self._groups.close()

    def _advance(self, running: RunState, descriptor: int) -> None:
        if descriptor == running.child.pidfd:
            self._exited(running)
        else:
            self._streams.advance(running, descriptor)
        if running.ended_at is not None:
            self._finish_if_over(running)

    def _finish_if_over(self, running: RunState) -> None:
        """Finish a run whose program has ended, unless its output must be drained."""
        # Do not drain after a limit: later output is not judged.
        if running.number in self._runs and (not running.open or running.limit is not None):
            self._finish(running)

    def _exited(self, running: RunState) -> None:
        """Read what the pipes still hold after the exit, and drain those that stay open."""
        running.ended_at = time.monotonic()
        if running.child.pidfd != CLOSED:
            self._watcher.forget(running.child.pidfd)  # it would stay ready
        self._streams.read_what_is_there(running)
        # Processes that the program left behind count; no later sample sees those that have ended.
        limits = running.job.limits
        has_left = limits.restrict_usage and bool(self._orphans())
        if has_left or running.group is not None:
            orphans = self._orphans if has_left else None
            _, limit = running.sampler.sample(orphans, running.ended_at)
            if limit is not None:
                self._stop(running, limit)
        if running.open:
            self._streams.watch(running)
            self._timers.set(running.number, running.ended_at + self._drain_bounds.check_s)

    # Timers.

    def _time_to_timer(self, now: float) -> float:
        """Return the seconds until the next timer."""
        # Rounded up to the millisecond of poll, which would otherwise wake just before the time.
        return self._timers.seconds_left(now) + 0.001

    def _check_timers(self, now: float) -> None:
        while (number := self._timers.take_due(now)) is not None:
            running = self._runs.get(number)
            if running is None:
                self._companions.check(number, now)
            else:
                self._check(running, now)

    def _check(self, running: RunState, now: float) -> None:
        if running.ended_at is None and self._has_exited(running):
            self._exited(running)
            self._finish_if_over(running)
        elif running.ended_at is not None:
            self._drain(running, now)
        elif running.limit is not None or running.is_killed:
            self._finish(running)  # killed DEATH_S ago, and still in the kernel
        else:
            self._check_living(running, now)

    def _has_exited(self, running: RunState) -> bool:
        """Return whether a program that no descriptor reports has ended, which reaps it."""
        if running.child.pidfd != CLOSED:
            return False
        running.exit_info = SYSTEM.exit_of(running.child.pid)
        if running.exit_info is None:
            return False
        # A group keeps its number as long as it has processes; then others may get it.
        running.has_group = group_exists(running.child.pid)
        return True

    def _drain(self, running: RunState, now: float) -> None:
        assert running.ended_at is not None
        bounds = self._drain_bounds
        usual, most = running.ended_at + bounds.usual_s, running.ended_at + bounds.most_s
        most = min(most, running.started_at + running.job.limits.wall_s)
        usage, limit = running.sampler.sample(self._orphans, now)
        if running.drain_cpu_s is None:
            running.drain_cpu_s = usage.cpu_s
        if limit is not None:
            self._stop(running, limit)
            self._finish(running)
        elif now < usual:
            self._timers.set(running.number, min(usual, now + bounds.check_s))
        elif (
            now < most
            and usage.cpu_s - running.drain_cpu_s < bounds.most_cpu_s
            and SYSTEM.is_starved(self._members(running), running.open)
        ):
            self._timers.set(running.number, now + bounds.check_s)
        else:
            self._streams.read_once(running)
            self._finish(running)

    def _check_living(self, running: RunState, now: float) -> None:
        self._streams.read_first_output(running)
        if running.limit is not None:
            return
        limits, has_begun = running.job.limits, running.first_byte_at is not None
        limit = exceeded_clock(limits, now - running.started_at, has_begun=has_begun)
        if limit is None and now >= running.sampler.next_at:
            orphans = None if running.sampler.is_leader_only else self._orphans
            _, limit = running.sampler.sample(orphans, now)
        if limit is not None:
            self._streams.give_up_connection(running)
            self._companions.note_limit(running)
            self._stop(running, limit)
        elif now >= running.kill_at:
            running.is_killed = True
            _kill_group(running)
            self._timers.set(running.number, now + DEATH_S)
        else:
            self._streams.go_on(running, now)
            self._companions.go_on(running, now)
            self._timers.set(running.number, next_check_at(running))

    def _orphans(self) -> list[Process]:
        return self._reaper.orphans(self._leaders)

    def _members(self, running: RunState) -> list[Process]:
        return running.sampler.members(self._orphans)

    # The end of a run.

    def _stop(self, running: RunState, limit: Limit) -> None:
        """Kill the group after a limit was exceeded; the run ends with the exit of the program."""
        if running.limit is None:
            running.limit = limit
            _kill_group(running)
            if running.ended_at is None:
                self._timers.set(running.number, time.monotonic() + DEATH_S)

    def _finish(self, running: RunState) -> None:
        """Kill the group and the orphans of a run, reap it, and make its transcript."""
        child = running.child
        _kill_group(running)
        if running.group is not None:
            running.group.kill()
        self._streams.close(running)
        exit_info = running.exit_info or reap(child.pid)
        if child.pidfd != CLOSED:
            self._watcher.close_descriptor(child.pidfd)
        if running.processes.is_alone:
            self._reaper.sweep_all(self._leaders)
        else:
            self._reaper.sweep(running.processes, self._leaders)
        del self._runs[running.number], self._leaders[child.pid]
        self._timers.cancel(running.number)
        if not self._runs and not self._reaper.is_clean:
            self._reaper.sweep_all({})
        if running.group is not None:
            self._groups.give_back(running.group)
        self._paced -= running.job.is_paced
        self._expects_much = running.out_bytes + running.err_bytes >= _MUCH_OUTPUT
        transcript = transcript_of(running, exit_info)
        if running.job.private is not None:
            if (written := running.job.private.end_run()).names:
                transcript = transcript._replace(written=written)
        elif running.job.has_changed is not None:
            changed = running.job.has_changed()
            transcript = transcript._replace(shares_folder=True, folder_changed=changed)
        if running.companions is not None:
            self._companions.ended(running, transcript)
        else:
            self._done.append((running.number, transcript))


def _kill_group(running: RunState) -> None:
    if running.has_group:
        kill_group(running.child.pid)
