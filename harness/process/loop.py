"""The event loop: several subjects at once, every read and write bounded, nothing left behind.

One thread, one epoll over pipes and pidfds. A run ends by the program's own exit plus a short
drain, or by the first limit; then its group is killed, it is reaped, and its orphans are swept.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, TypeVar

from harness.process.ending import DEATH_S, Reaped, ending_of, kill_group, reap
from harness.process.feeding import NOTHING_LEFT, Feeding
from harness.process.reaper import Family, Reaper, become_subreaper
from harness.process.spawn import (
    CLOSED,
    Child,
    Surroundings,
    keep_standard_streams_open,
    no_core_files,
    restrain,
    spawn,
    spawn_in,
    surroundings,
    with_more,
)
from harness.process.tree import Process, Use, descendants, processes, use_of
from harness.process.watching import Watch, fallen_clock, fallen_use
from harness.records import MIB, Job, Limit, NotStarted, Setting, Transcript

__all__ = ["run"]

K = TypeVar("K")

_CHUNK: Final = 65_536  # bytes per read: what a pipe holds
_PIPE_READS: Final = 16  # reads that empty the largest pipe an ordinary user can have (1 MiB)
_DRAIN_QUIET_S: Final = 0.05  # after the exit, a pipe that is still open is done when quiet so long
_DRAIN_MOST_S: Final = 0.5
_TIMERS_PER_RUN: Final = 8
_ONCE: Final = select.EPOLLIN | select.EPOLLONESHOT
_MUCH: Final = 4_096  # bytes of a run: the next one may fill a pipe before it is looked at
_STDERR_KEPT: Final = MIB
_SLOW_AT_ONCE: Final = 64  # runs that mostly wait, beside those that work

MARK: Final = "XTEST_RUN"  # the variable that tells the processes of a run


def run(
    jobs: Iterator[tuple[K, Job | Transcript]],
    parallel: int,
    environment: Mapping[str, str],
    *,
    sole_parent: bool = False,
) -> Generator[tuple[K, Transcript], None, None]:
    """Run jobs, at most `parallel` at a time, and yield each key with its transcript as it ends.

    Jobs are drawn only when there is room for one, and what has ended was taken, so that any number
    of them takes bounded memory; a transcript in place of a job is handed on as it is. Those that
    are fed in pieces mostly wait, and have room of their own. When the iterator is closed or an
    exception passes through, what runs is killed. `sole_parent`: nobody else in this process starts
    children, so that any orphan is a subject's.
    """
    keep_standard_streams_open()
    no_core_files()
    become_subreaper()
    loop = _Loop(environment, sole_parent=sole_parent)
    keys: dict[int, K] = {}
    more = True
    try:
        while more or keys:
            while more and loop.has_room(parallel):
                drawn = next(jobs, None)
                if drawn is None:
                    more = False
                else:
                    keys[loop.start(drawn[1])] = drawn[0]
            for number, transcript in loop.finished():
                yield keys.pop(number), transcript
    finally:
        loop.close()


class _Run:  # pylint: disable=too-many-instance-attributes  # one register per thing observed
    """A subject that is running, and what was seen of it so far."""

    __slots__ = (
        "child",
        "ended_at",
        "err",
        "err_bytes",
        "family",
        "feeding",
        "is_watched",
        "first_byte_at",
        "job",
        "limit",
        "look_at",
        "number",
        "open",
        "out",
        "out_bytes",
        "quiet_since",
        "started_at",
        "watch",
    )

    def __init__(self, number: int, job: Job, child: Child, started_at: float) -> None:
        self.number = number
        self.job = job
        self.child = child
        self.started_at = started_at
        self.feeding = NOTHING_LEFT if child.stdin == CLOSED else Feeding(job, child.written)
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self.out_bytes = 0
        self.err_bytes = 0
        self.first_byte_at: float | None = None
        self.limit: Limit | None = None
        self.ended_at: float | None = None  # when the program itself had exited
        self.quiet_since = started_at
        self.open = {child.stdout, child.stderr}
        self.is_watched = False  # its pipes, too; until then only for its end
        self.family = Family(child.pid, child.mark)
        self.watch = Watch(started_at)
        self.look_at: float | None = None  # the time on the clock that counts


class _Loop:  # pylint: disable=too-many-instance-attributes  # what runs, by each of its names
    """All that runs. `start` begins a job, `finished` waits until at least one has ended."""

    def __init__(self, environment: Mapping[str, str], *, sole_parent: bool) -> None:
        # By where a subject runs; None: where its caller is.
        self._around: dict[Setting | None, Surroundings] = {None: surroundings(environment)}
        self._token = f"{MARK}={os.urandom(8).hex()}"
        self._epoll = select.epoll()
        self._reaper = Reaper(sole_parent=sole_parent)
        self._numbers = count()
        self._runs: dict[int, _Run] = {}  # by number
        self._leaders: dict[int, _Run] = {}  # by process
        self._slow = 0
        self._by_descriptor: dict[int, _Run] = {}
        self._asleep: set[int] = set()  # descriptors that have woken us once, and will not again
        self._timers: list[tuple[float, int]] = []  # a heap of (when to look, a run's number)
        self._done: list[tuple[int, Transcript]] = []
        self._is_much = False  # what the last run has printed: the next one will be alike

    def has_room(self, parallel: int) -> bool:
        """Whether one more job may be started."""
        # Jobs that end at once need no room: there would be no end of drawing them.
        return (
            not self._done
            and len(self._runs) - self._slow < parallel
            and self._slow < _SLOW_AT_ONCE
        )

    def start(self, job: Job | Transcript) -> int:
        """Begin a job; its number comes back from `finished`."""
        number = next(self._numbers)
        if isinstance(job, Transcript):
            self._done.append((number, job))
            return number
        started_at = time.monotonic()
        mark = f"{self._token}-{number}".encode()
        stdin = job.stdin if job.feed is None else None
        if job.setting is None:
            child = spawn(job.argv, stdin, self._around[None], mark)
        else:
            child = self._spawn_elsewhere(job, job.setting, stdin, mark)
        if isinstance(child, str):
            self._done.append((number, Transcript(NotStarted(child))))
            return number
        restrain(child.pid, job.limits)
        started = _Run(number, job, child, started_at)
        self._runs[number] = self._leaders[child.pid] = started
        self._slow += job.feed is not None
        # To be woken costs more than to read. So a run that is over soon wakes us once, when it has
        # ended; others are watched from the first look at them on, and where much is to be expected
        # from the start: a full pipe would hold the program up until then.
        self._watch(started, child.pidfd, _ONCE)
        if self._is_much or not started.feeding.is_over:
            self._watch_all(started)
        if not started.feeding.is_over:
            self._feed(started)
        self._look_again(_due_at(started), started)
        return number

    def _spawn_elsewhere(
        self, job: Job, setting: Setting, stdin: bytes | None, mark: bytes
    ) -> Child | str:
        around = self._around.get(setting)
        if around is None:
            around = with_more(self._around[None], setting.environment)
            self._around[setting] = around
        return spawn_in(setting.folder, job.argv, stdin, around, mark)

    def finished(self) -> list[tuple[int, Transcript]]:
        """The runs that ended, with what was seen of them; waits until there is one."""
        while self._runs:
            # Even when nothing is waited for, what runs is not to be kept waiting.
            for descriptor, _ in self._epoll.poll(0 if self._done else self._patience()):
                ready = self._by_descriptor.get(descriptor)
                if ready is not None:
                    self._advance(ready, descriptor)
            self._look_at_clocks()
            if self._done:
                break
        done, self._done = self._done, []
        return done

    def close(self) -> None:
        """Kill and forget whatever still runs."""
        for running in list(self._runs.values()):
            with suppress(OSError):  # an interruption may have come while one was being closed
                self._finish(running)
        self._reaper.sweep_all()
        self._reaper.close()
        self._epoll.close()

    # What is ready.

    def _advance(self, running: _Run, descriptor: int) -> None:
        child = running.child
        if descriptor == child.pidfd:
            self._asleep.add(descriptor)
        if descriptor == child.stdin:
            self._feed(running)
        elif descriptor in running.open:
            self._read(running, descriptor)
        elif descriptor == child.pidfd:
            self._exited(running)
        if running.ended_at is not None and running.number in self._runs:
            # After a limit fell nothing more is waited for: what comes then is not judged.
            if not running.open or running.limit is not None:
                self._finish(running)

    def _feed(self, running: _Run) -> None:
        """Write what may be written now, and see to it that the rest follows in its time."""
        feeding = running.feeding
        while not feeding.is_over:
            if not self._write(running):
                return
            pause_s = feeding.advance()
            if pause_s is None:
                feeding.is_over = True
                self._close(running.child.stdin)
            elif pause_s > 0:
                feeding.not_before = time.monotonic() + pause_s
                self._forget(running.child.stdin)
                self._look_again(feeding.not_before, running)
                return
            elif not feeding.begin():
                self._forget(running.child.stdin)
                return

    def _write(self, running: _Run) -> bool:
        """Write what is pending. False: the pipe is full, and will say when it is not."""
        feeding, stdin = running.feeding, running.child.stdin
        try:
            while feeding.has_pending:
                rest = memoryview(feeding.pending)[feeding.position :]
                feeding.position += os.write(stdin, rest[: 16 * _CHUNK])
        except BlockingIOError:
            if stdin not in self._by_descriptor:
                self._watch(running, stdin, select.EPOLLOUT)
            return False
        except BrokenPipeError:
            feeding.is_over = True  # it closed its end: nothing more can be told to it
            self._close(stdin)
            return False
        return True

    def _read(self, running: _Run, descriptor: int) -> bool:
        """Read what is there, once. False: nothing was, for now or for ever."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            running.open.discard(descriptor)
            self._close(descriptor)
            return False
        running.quiet_since = time.monotonic()
        if descriptor == running.child.stdout:
            self._keep_stdout(running, chunk)
        else:
            if running.err_bytes < _STDERR_KEPT:
                running.err.append(chunk[: _STDERR_KEPT - running.err_bytes])
            running.err_bytes += len(chunk)
        return True

    def _keep_stdout(self, running: _Run, chunk: bytes) -> None:
        if running.first_byte_at is None:
            running.first_byte_at = running.quiet_since
        cap = int(running.job.limits.output_mib * MIB)
        if running.out_bytes < cap:
            running.out.append(chunk[: cap - running.out_bytes])
        running.out_bytes += len(chunk)
        if running.out_bytes > cap:
            self._stop(running, Limit.OUTPUT)
        elif running.feeding.saw(chunk) and running.feeding.begin():
            self._feed(running)

    def _exited(self, running: _Run) -> None:
        """The program is gone: take what its pipes still hold, and drain those that stay open."""
        running.ended_at = time.monotonic()
        running.quiet_since = running.ended_at
        self._forget(running.child.pidfd)  # it would stay ready; it has said what it can
        for descriptor in list(running.open):
            # Bounded: a grandchild may fill the pipe as fast as we empty it.
            for _ in range(_PIPE_READS):
                if not self._read(running, descriptor):
                    break
        if running.open:
            self._watch_all(running)
            self._look_again(running.ended_at + _DRAIN_QUIET_S, running)

    # Clocks.

    def _patience(self) -> float:
        """How many seconds until there is something to look at."""
        while not self._counts(*self._timers[0]):
            heappop(self._timers)
        # Rounded up to the epoll's millisecond, or it would wake just before the time, in circles.
        return max(0.0, self._timers[0][0] - time.monotonic()) + 0.001

    def _look_again(self, when: float, running: _Run) -> None:
        """Look at a run at this time, or earlier; each run has one time that counts."""
        if running.look_at is not None and running.look_at <= when:
            return
        running.look_at = when
        if len(self._timers) > _TIMERS_PER_RUN * len(self._runs) + 64:
            # Most belong to runs that ended long before.
            self._timers = [timer for timer in self._timers if timer[1] in self._runs]
            heapify(self._timers)
        heappush(self._timers, (when, running.number))

    def _look_at_clocks(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            when, number = heappop(self._timers)
            if self._counts(when, number):
                running = self._runs[number]
                running.look_at = None
                self._look_at(running, now)

    def _counts(self, when: float, number: int) -> bool:
        """Whether a timer is the one that its run has, and not of one that ended long before."""
        running = self._runs.get(number)
        return running is not None and running.look_at == when

    def _look_at(self, running: _Run, now: float) -> None:
        if running.ended_at is not None:
            self._drain(running, now)
        elif running.limit is not None:
            self._finish(running)  # killed long ago, and still not gone
        else:
            self._look_at_living(running, now)

    def _drain(self, running: _Run, now: float) -> None:
        assert running.ended_at is not None
        done_at = min(running.quiet_since + _DRAIN_QUIET_S, running.ended_at + _DRAIN_MOST_S)
        if now >= done_at:
            self._finish(running)
        else:
            self._look_again(done_at, running)

    def _look_at_living(self, running: _Run, now: float) -> None:
        if not running.is_watched:
            self._watch_all(running)
            self._read(running, running.child.stdout)  # what it printed before counts for clocks
            if running.limit is not None:
                return
        limits, has_begun = running.job.limits, running.first_byte_at is not None
        limit = fallen_clock(limits, now - running.started_at, has_begun=has_begun)
        if limit is None and now >= running.watch.next_at:
            limit = fallen_use(limits, self._use_of(running, now))
        if limit is not None:
            self._stop(running, limit)
            return
        feeding = running.feeding
        if feeding.not_before is not None and now >= feeding.not_before:
            feeding.not_before = None
            if feeding.begin():
                self._feed(running)
        self._look_again(_due_at(running), running)

    def _use_of(self, running: _Run, now: float) -> Use:
        """Look at what a run uses."""
        watch, leader = running.watch, running.child.pid
        if watch.is_at_leader_only:
            use = watch.look_at_leader(leader)
        else:
            everyone = processes()
            members = descendants(self._roots(running, everyone), everyone)
            running.family.remember(members)
            use = use_of(members)
        watch.record(use, now, time.monotonic() - now)
        return use

    def _roots(self, running: _Run, everyone: Mapping[int, Process]) -> list[int]:
        """The leader, and the orphans that belong to it."""
        us = os.getpid()
        strays = [
            process.pid
            for process in everyone.values()
            if process.parent == us
            and process.pid not in self._leaders
            and running.family.owns(process)
        ]
        return [running.child.pid, *strays]

    # The end.

    def _stop(self, running: _Run, limit: Limit) -> None:
        """A limit fell: kill the group. The run ends when the kernel says the program is gone."""
        if running.limit is None:
            running.limit = limit
            kill_group(running.child.pid)
            if running.ended_at is None:
                self._look_again(time.monotonic() + DEATH_S, running)

    def _finish(self, running: _Run) -> None:
        """Kill the group while its number is still taken, reap, sweep, and write the transcript."""
        child = running.child
        kill_group(child.pid)
        if not running.feeding.is_over:
            self._close(child.stdin)
        for descriptor in running.open:
            self._close(descriptor)
        reaped = reap(child.pid, child.pidfd)
        self._close(child.pidfd)
        self._reaper.sweep(running.family, self._leaders)
        del self._runs[running.number], self._leaders[child.pid]
        self._slow -= running.job.feed is not None
        self._is_much = running.out_bytes + running.err_bytes >= _MUCH
        self._done.append((running.number, _transcript(running, reaped)))

    # Descriptors.

    def _watch(self, running: _Run, descriptor: int, events: int) -> None:
        self._by_descriptor[descriptor] = running
        self._epoll.register(descriptor, events)

    def _watch_all(self, running: _Run) -> None:
        """From now on, whatever comes from this run wakes us."""
        if running.is_watched:
            return
        running.is_watched = True
        for descriptor in running.open:
            self._watch(running, descriptor, select.EPOLLIN)

    def _close(self, descriptor: int) -> None:
        self._forget(descriptor)
        os.close(descriptor)

    def _forget(self, descriptor: int) -> None:
        # Closing alone is not enough: a child that is just being executed may still hold a copy,
        # and the epoll would go on reporting it under a number that means another pipe by then.
        # One that is asleep reports nothing any more, and the kernel forgets it by itself.
        if self._by_descriptor.pop(descriptor, None) is None:
            return
        if descriptor in self._asleep:
            self._asleep.discard(descriptor)
        else:
            self._epoll.unregister(descriptor)


def _due_at(running: _Run) -> float:
    """When a living run is to be looked at next."""
    limits = running.job.limits
    due = min(running.watch.next_at, running.started_at + limits.wall_s)
    if running.first_byte_at is None and limits.first_byte_s is not None:
        due = min(due, running.started_at + limits.first_byte_s)
    not_before = running.feeding.not_before
    return due if not_before is None else min(due, not_before)


def _transcript(running: _Run, reaped: Reaped) -> Transcript:
    ended_at = running.ended_at if running.ended_at is not None else time.monotonic()
    watch, limit = running.watch, running.limit
    allowed_s = running.job.limits.cpu_s
    if limit is None and allowed_s is not None and reaped.cpu_s > allowed_s:
        limit = Limit.CPU  # between two looks, or by the kernel's own count
    return Transcript(
        ending=ending_of(reaped.status),
        stdout=b"".join(running.out),
        stderr=b"".join(running.err),
        stdout_bytes=running.out_bytes,
        stderr_bytes=running.err_bytes,
        limit=limit,
        first_byte_s=_first_byte_s(running, ended_at),
        wall_s=ended_at - running.started_at,
        cpu_s=max(reaped.cpu_s, watch.cpu_s),  # the kernel counts only what was waited for
        peak_mib=watch.peak_bytes / MIB if watch.peak_bytes else None,
        processes=watch.processes,
        awaited=running.feeding.awaited,
    )


def _first_byte_s(running: _Run, ended_at: float) -> float | None:
    # Of a run that nobody has looked at yet, it is seen after the end.
    seen_at = running.first_byte_at
    return None if seen_at is None else min(seen_at, ended_at) - running.started_at
