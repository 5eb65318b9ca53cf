"""The event loop: several subjects at once, every read and write bounded, nothing left behind.

One thread, one epoll over pipes and pidfds. A run ends by the program's own exit plus a short
drain, or by the first limit; then its process group is killed, and only then is it reaped.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, TypeVar

from harness.process.spawn import Child, keep_standard_streams_open, spawn
from harness.records import MIB, Exited, Job, Limit, NotStarted, Signalled, Transcript

__all__ = ["run"]

K = TypeVar("K")

_CHUNK: Final = 65_536  # bytes per read: what a pipe holds
_PIPE_READS: Final = 16  # reads that empty the largest pipe an ordinary user can have (1 MiB)
_DRAIN_QUIET_S: Final = 0.05  # after the exit, a pipe that is still open is done when quiet so long
_DRAIN_MOST_S: Final = 0.5
_TIMERS_PER_RUN: Final = 8
_STDERR_KEPT: Final = MIB
_DEATH_S: Final = 2.0  # how long a killed process may stay in the kernel before it is given up


def run(
    jobs: Iterator[tuple[K, Job]], parallel: int, environment: Mapping[str, str]
) -> Iterator[tuple[K, Transcript]]:
    """Run jobs, at most `parallel` at a time, and yield each key with its transcript as it ends.

    Jobs are drawn only when there is room for one, so that any number of them takes bounded
    memory. When the iterator is closed or an exception passes through, what runs is killed.
    """
    keep_standard_streams_open()
    loop = _Loop(environment)
    keys: dict[int, K] = {}
    more = True
    try:
        while more or keys:
            while more and len(keys) < parallel:
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
    """A subject that is running: what is still to be written, and what was seen so far."""

    __slots__ = (
        "child",
        "ended_at",
        "err",
        "err_bytes",
        "first_byte_at",
        "input",
        "job",
        "limit",
        "number",
        "open",
        "out",
        "out_bytes",
        "quiet_since",
        "started_at",
        "written",
    )

    def __init__(self, number: int, job: Job, child: Child, started_at: float) -> None:
        self.number = number
        self.job = job
        self.child = child
        self.started_at = started_at
        self.input = job.stdin
        self.written = child.written
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self.out_bytes = 0
        self.err_bytes = 0
        self.first_byte_at: float | None = None
        self.limit: Limit | None = None
        self.ended_at: float | None = None  # when the program itself had exited
        self.quiet_since = started_at
        self.open = {child.stdout, child.stderr}


class _Loop:
    """All that runs. `start` begins a job, `finished` waits until at least one has ended."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        # Encoded once, not once per case.
        self._environment = {os.fsencode(k): os.fsencode(v) for k, v in environment.items()}
        self._epoll = select.epoll()
        self._numbers = count()
        self._runs: dict[int, _Run] = {}  # by number
        self._by_descriptor: dict[int, _Run] = {}
        self._timers: list[tuple[float, int]] = []  # a heap of (when to look, a run's number)
        self._done: list[tuple[int, Transcript]] = []

    def start(self, job: Job) -> int:
        """Begin a job; its number comes back from `finished`."""
        number = next(self._numbers)
        started_at = time.monotonic()
        child = spawn(job.argv, job.stdin, self._environment)
        if isinstance(child, str):
            self._done.append((number, Transcript(NotStarted(child))))
            return number
        started = _Run(number, job, child, started_at)
        self._runs[number] = started
        for descriptor in (child.stdout, child.stderr, child.pidfd):
            self._watch(started, descriptor, select.EPOLLIN)
        self._look_again(started_at + _first_look(job), started)
        if started.written < len(started.input):
            self._watch(started, child.stdin, select.EPOLLOUT)
        else:
            os.close(child.stdin)
        return number

    def finished(self) -> list[tuple[int, Transcript]]:
        """The runs that ended, with what was seen of them; waits until there is one."""
        while self._runs and not self._done:
            for descriptor, _ in self._epoll.poll(self._patience()):
                ready = self._by_descriptor.get(descriptor)
                if ready is not None:
                    self._advance(ready, descriptor)
            self._look_at_clocks()
        done, self._done = self._done, []
        return done

    def close(self) -> None:
        """Kill and forget whatever still runs."""
        for running in list(self._runs.values()):
            self._finish(running)
        self._epoll.close()

    def _watch(self, running: _Run, descriptor: int, events: int) -> None:
        self._by_descriptor[descriptor] = running
        self._epoll.register(descriptor, events)

    def _close(self, descriptor: int) -> None:
        self._forget(descriptor)
        os.close(descriptor)

    def _forget(self, descriptor: int) -> None:
        # Closing alone is not enough: a child that is just being executed may still hold a copy,
        # and the epoll would go on reporting it under a number that means another pipe by then.
        if self._by_descriptor.pop(descriptor, None) is not None:
            self._epoll.unregister(descriptor)

    def _patience(self) -> float:
        # Rounded up to the epoll's millisecond, or it would wake just before the time, in circles.
        return max(0.0, self._timers[0][0] - time.monotonic()) + 0.001

    def _advance(self, running: _Run, descriptor: int) -> None:
        child = running.child
        if descriptor == child.stdin:
            self._write(running)
        elif descriptor in running.open:
            self._read(running, descriptor)
        elif descriptor == child.pidfd:
            self._exited(running)
        if running.ended_at is not None and not running.open and running.number in self._runs:
            self._finish(running)

    def _write(self, running: _Run) -> None:
        try:
            running.written += os.write(
                running.child.stdin, memoryview(running.input)[running.written :][: 16 * _CHUNK]
            )
        except BlockingIOError:
            return
        except BrokenPipeError:
            running.written = len(
                running.input
            )  # it closed its end: nothing more can be told to it
        if running.written >= len(running.input):
            self._close(running.child.stdin)

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

    def _read_what_is_there(self, running: _Run, descriptor: int) -> None:
        # Bounded: a grandchild may fill the pipe as fast as we empty it.
        for _ in range(_PIPE_READS):
            if not self._read(running, descriptor):
                return

    def _keep_stdout(self, running: _Run, chunk: bytes) -> None:
        if running.first_byte_at is None:
            running.first_byte_at = running.quiet_since
        cap = int(running.job.limits.output_mib * MIB)
        if running.out_bytes < cap:
            running.out.append(chunk[: cap - running.out_bytes])
        running.out_bytes += len(chunk)
        if running.out_bytes > cap:
            self._stop(running, Limit.OUTPUT)

    def _exited(self, running: _Run) -> None:
        """The program is gone: take what its pipes still hold, and drain those that stay open."""
        running.ended_at = time.monotonic()
        running.quiet_since = running.ended_at
        self._forget(running.child.pidfd)  # it would stay ready; it has said what it can
        for descriptor in list(running.open):
            self._read_what_is_there(running, descriptor)
        if running.open:
            self._look_again(running.ended_at + _DRAIN_QUIET_S, running)

    def _look_again(self, when: float, running: _Run) -> None:
        if len(self._timers) > _TIMERS_PER_RUN * len(self._runs) + 64:
            # Most belong to runs that ended long before their limit.
            self._timers = [timer for timer in self._timers if timer[1] in self._runs]
            heapify(self._timers)
        heappush(self._timers, (when, running.number))

    def _look_at_clocks(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            _, number = heappop(self._timers)
            running = self._runs.get(number)
            if running is not None:
                self._look_at_clock(running, now)

    def _look_at_clock(self, running: _Run, now: float) -> None:
        if running.ended_at is not None:
            done_at = running.quiet_since + _DRAIN_QUIET_S
            done_at = min(done_at, running.ended_at + _DRAIN_MOST_S)
            if now >= done_at:
                self._finish(running)
            else:
                self._look_again(done_at, running)
            return
        fallen, next_look = _fallen(running, now)
        if running.limit is not None:
            self._finish(running)  # killed long ago, and still not gone
        elif fallen is None:
            self._look_again(next_look, running)
        else:
            self._stop(running, fallen)

    def _stop(self, running: _Run, limit: Limit) -> None:
        """A limit fell: kill the group. The run ends when the kernel says the program is gone."""
        if running.limit is None:
            running.limit = limit
            _kill_group(running.child.pid)
            self._look_again(time.monotonic() + _DEATH_S, running)

    def _finish(self, running: _Run) -> None:
        """Kill the group while its number is still taken, reap, close, and write the transcript."""
        child = running.child
        _kill_group(child.pid)
        del self._runs[running.number]
        if running.written < len(running.input):
            self._close(child.stdin)
        for descriptor in running.open:
            self._close(descriptor)
        status, cpu_s = _reap(child)
        self._close(child.pidfd)
        self._done.append((running.number, _transcript(running, status, cpu_s)))


def _first_look(job: Job) -> float:
    first_byte = job.limits.first_byte_s
    return job.limits.wall_s if first_byte is None else min(first_byte, job.limits.wall_s)


def _fallen(running: _Run, now: float) -> tuple[Limit | None, float]:
    """The clock that fell, if one did, and when to look again."""
    limits = running.job.limits
    if now >= running.started_at + limits.wall_s:
        return Limit.WALL, now
    if running.first_byte_at is None and limits.first_byte_s is not None:
        first_byte_by = running.started_at + limits.first_byte_s
        if now >= first_byte_by:
            return Limit.FIRST_BYTE, now
        return None, min(first_byte_by, running.started_at + limits.wall_s)
    return None, running.started_at + limits.wall_s


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or all that is left of it has changed its user


def _reap(child: Child) -> tuple[int, float]:
    """The wait status of a killed or ended process, and its CPU seconds (its waited-for children's
    with them). One that the kernel will not let go is left to it, as if our signal had ended it."""
    death = select.poll()
    death.register(child.pidfd, select.POLLIN)
    death.poll(_DEATH_S * 1000)
    pid, status, usage = os.wait4(child.pid, os.WNOHANG)
    if pid == 0:
        return signal.SIGKILL, 0.0
    return status, usage.ru_utime + usage.ru_stime


def _transcript(running: _Run, status: int, cpu_s: float) -> Transcript:
    ended_at = running.ended_at if running.ended_at is not None else time.monotonic()
    first_byte_at = running.first_byte_at
    return Transcript(
        ending=_ending(status),
        stdout=b"".join(running.out),
        stderr=b"".join(running.err),
        stdout_bytes=running.out_bytes,
        stderr_bytes=running.err_bytes,
        limit=running.limit,
        first_byte_s=None if first_byte_at is None else first_byte_at - running.started_at,
        wall_s=ended_at - running.started_at,
        cpu_s=cpu_s,
    )


def _ending(status: int) -> Exited | Signalled:
    if os.WIFSIGNALED(status):
        return Signalled(os.WTERMSIG(status))
    return Exited(os.WEXITSTATUS(status))
