"""Feed and read runs through their pipes or connections, and hold their conversations.

Every read and write is bounded: a subject may print, or read, as fast as the loop does.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from typing import Final

from harness.model.limits import MIB, Limit
from harness.model.transcript import DeadEnd
from harness.process.backend import CLOSED, Process
from harness.process.connecting import close_sending
from harness.process.run_state import (
    QUIET_S,
    RunState,
    ScriptWriter,
    input_due_at,
    next_check_at,
)
from harness.process.system import SYSTEM
from harness.process.wakeups import READABLE, WRITABLE, Timers, Watcher

_READ_BYTES: Final = 65_536  # what a pipe holds
_PIPE_READS: Final = 16  # reads that empty the largest pipe of an ordinary user (1 MiB)
_STDERR_KEPT: Final = MIB
_LEAVE_S: Final = 0.5  # for a program to end after a dead end of its conversation
_REST_S: Final = 0.02  # ... or until it is asleep, if it need not end


class Streams:
    """The input and the output of the runs in progress.

    Args:
        watcher: wakes the loop for the descriptors of the runs
        timers: wake it for their pauses and conversations
        members: returns the living processes of a run
        stop: ends a run that exceeds a limit
    """

    def __init__(
        self,
        watcher: Watcher[RunState],
        timers: Timers,
        members: Callable[[RunState], list[Process]],
        stop: Callable[[RunState, Limit], None],
    ) -> None:
        self._watcher = watcher
        self._timers = timers
        self._members = members
        self._stop = stop

    def begin(self, running: RunState, *, is_watched: bool) -> None:
        """Begin to write the input, or to wait for the connection, of a run.

        A wake-up costs more than a read: a short run wakes the loop once, by its exit. A longer one
        is watched from its first check on. One that may print much is watched from its start: a
        full pipe would block it until then.
        """
        if is_watched or running.child.pidfd == CLOSED or not running.input.is_over:
            self.watch(running)
        connector = running.connector
        if connector is None:
            writer = running.input
            if not writer.is_over and (running.job.script is None or writer.begin()):
                self._feed(running)
        elif connector.descriptor != CLOSED:
            self._watcher.watch(connector.descriptor, READABLE, running)

    def watch(self, running: RunState) -> None:
        """From now on, wake up for the output of this run."""
        if running.is_watched:
            return
        running.is_watched = True
        for descriptor in running.open:
            self._watcher.watch(descriptor, READABLE, running)

    def advance(self, running: RunState, descriptor: int) -> None:
        """Write, read or connect, whatever a descriptor is ready for."""
        if descriptor == running.child.stdin:
            self._feed(running)
        elif descriptor in running.open:
            self._read(running, descriptor)
        elif running.connector is not None and descriptor == running.connector.descriptor:
            self._connect(running)

    def go_on(self, running: RunState, now: float) -> None:
        """Do what is due at this time: connect, go on without an answer, or end a pause."""
        if running.connector is not None and now >= running.connector.next_at:
            self._connect(running)
        if now >= running.input.due_at and not running.input.go_on(now):
            self._end_conversation(running, DeadEnd.SCRIPT)
        if now >= running.quiet_since + QUIET_S:
            self._check_unended(running, now)
        if now >= running.rests_at:
            # The end of its input has woken it, so that it would be running if it were to end.
            is_asleep = self._is_asleep(running)
            running.kill_at, running.rests_at = now if is_asleep else running.kill_at, now + _REST_S
        self._feed_after_pause(running, now)

    def read_what_is_there(self, running: RunState) -> None:
        """Read the output that was printed before the program ended."""
        if running.connector is not None:
            self._connect(running)  # it may have connected and ended since the last wake-up
        for descriptor in list(running.open):
            # Bounded: a grandchild may fill the pipe as fast as the loop empties it.
            for _ in range(_PIPE_READS):
                if not self._read(running, descriptor):
                    break

    def read_once(self, running: RunState) -> None:
        """Read what came since the last wake-up."""
        for descriptor in list(running.open):
            self._read(running, descriptor)

    def read_first_output(self, running: RunState) -> None:
        """Watch a run that was not watched so far: unread output counts for the clocks."""
        if not running.is_watched:
            self.watch(running)
            self._read(running, running.child.stdout)

    def close(self, running: RunState) -> None:
        """Close the input and the output of a run that is over."""
        self._close_input(running)
        self.give_up_connection(running, is_noted=False)
        for descriptor in running.open:
            self._watcher.close_descriptor(descriptor)

    # Connections.

    def _connect(self, running: RunState) -> None:
        """Begin the dialogue if its connection can be made now."""
        connector, writer = running.connector, running.input
        assert connector is not None and isinstance(writer, ScriptWriter)
        connection = None if connector.is_over else connector.attempt(time.monotonic())
        if connection is None:
            return
        self._watcher.forget(connector.descriptor)
        connector.close()
        received = connection.detach()
        running.child = running.child._replace(stdin=os.dup(received), stdout=received)
        running.open.add(received)
        self._watcher.watch(received, READABLE, running)
        writer.connect(time.monotonic())
        self._feed(running)

    def give_up_connection(self, running: RunState, *, is_noted: bool = True) -> None:
        """Wait for the connection no longer, and note where the program listens instead."""
        connector = running.connector
        if connector is not None and not connector.is_over:
            if is_noted:
                members = self._members(running)
                connector.listening = SYSTEM.listening([one.pid for one in members])
            self._watcher.forget(connector.descriptor)
            connector.close()

    # Input.

    def _close_input(self, running: RunState) -> None:
        """Close the input of a program, if it is open."""
        stdin = running.child.stdin
        if stdin == CLOSED:
            return
        running.child = running.child._replace(stdin=CLOSED)
        if running.connector is None:
            self._watcher.close_descriptor(stdin)
        else:
            self._watcher.forget(stdin)
            close_sending(stdin)

    def _feed(self, running: RunState) -> None:
        """Write the input that may be written now, and schedule the rest."""
        writer, stdin = running.input, running.child.stdin
        if not self._write(running):
            return
        pause_s = writer.advance()
        if pause_s is None:
            writer.is_over = True
            self._close_input(running)
        elif pause_s > 0:
            writer.not_before = time.monotonic() + pause_s
            self._watcher.forget(stdin)
            self._timers.set(running.number, writer.not_before)
        elif writer.begin():
            self._await_room(running)  # other runs come first
        else:
            self._watcher.forget(stdin)
            self._check_dead_end(running)

    def _write(self, running: RunState) -> bool:
        """Write what is pending; return False if something is left, or the pipe is closed."""
        writer, stdin = running.input, running.child.stdin
        try:
            # Bounded: a subject may read as fast as the loop writes.
            left = memoryview(writer.pending)[writer.position :]
            for _ in range(_PIPE_READS):
                if not left:
                    return True
                written = os.write(stdin, left[:_READ_BYTES])
                writer.position += written
                left = left[written:]
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            writer.is_over = True  # the subject closed its end
            self._close_input(running)
            return False
        self._await_room(running)
        return False

    def _await_room(self, running: RunState) -> None:
        """Wake up when more input can be written."""
        if running.child.stdin not in self._watcher:
            self._watcher.watch(running.child.stdin, WRITABLE, running)

    def _feed_after_pause(self, running: RunState, now: float) -> None:
        writer = running.input
        if running.job.script is not None and writer.begin():
            self._feed(running)
        if writer.not_before is not None and now >= writer.not_before:
            writer.not_before = None
            if writer.begin():
                self._feed(running)

    # Output.

    def _read(self, running: RunState, descriptor: int) -> bool:
        """Read once; return False if nothing was there."""
        try:
            chunk = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            assert running.connector is not None
            running.connector.is_reset = True
            chunk = b""
        if not chunk:
            running.open.discard(descriptor)
            self._watcher.close_descriptor(descriptor)
            if descriptor == running.child.stdout:
                self._check_dead_end(running)
            if running.child.pidfd == CLOSED and running.ended_at is None:
                self._timers.set(running.number, time.monotonic())  # it probably ends now
            return False
        if descriptor == running.child.stdout:
            self._keep_stdout(running, chunk)
        else:
            if running.err_bytes < _STDERR_KEPT:
                running.err += chunk[: _STDERR_KEPT - running.err_bytes]
            running.err_bytes += len(chunk)
        return True

    def _keep_stdout(self, running: RunState, chunk: bytes) -> None:
        if running.first_byte_at is None:
            running.first_byte_at = time.monotonic()
        most = int(running.job.limits.output_mib * MIB)
        if running.out_bytes < most:
            running.out += chunk[: most - running.out_bytes]
        running.out_bytes += len(chunk)
        if running.out_bytes > most:
            self._stop(running, Limit.OUTPUT)
        elif running.input.count_answers(chunk):
            running.quiet_since = math.inf
            if running.input.has_failed:
                self._end_conversation(running, DeadEnd.SCRIPT)
            elif running.input.begin():
                self._feed(running)
            elif chunk[-1:].isdigit():
                running.quiet_since = time.monotonic()
            if running.ended_at is None and running.limit is None:
                self._timers.set(running.number, input_due_at(running))

    def _check_dead_end(self, running: RunState) -> None:
        """End a conversation if the answer that it waits for can no longer come."""
        if running.child.stdout in running.open:
            return
        if running.ended_at is None and running.limit is None:  # not killed, either
            if running.input.awaited and running.input.dead_end is None:
                self._end_conversation(running, DeadEnd.CLOSED)

    def _end_conversation(self, running: RunState, dead_end: DeadEnd) -> None:
        """Close the input of a program, and let it end by itself for a moment."""
        if running.input.dead_end is not None or running.ended_at is not None:
            return
        self.give_up_connection(running)
        self._close_input(running)
        running.input.give_up(dead_end)
        now = time.monotonic()
        running.kill_at = now + _LEAVE_S
        if running.input.may_go_on:
            running.rests_at = now + _REST_S
        self._timers.set(running.number, next_check_at(running))

    def _check_unended(self, running: RunState, now: float) -> None:
        """End a conversation if the program waits, after a number that nothing follows."""
        running.quiet_since = math.inf
        if running.input.ends_in_number(bytes(running.out)):
            if self._is_asleep(running):
                self._end_conversation(running, DeadEnd.UNENDED)
            else:
                running.quiet_since = now

    def _is_asleep(self, running: RunState) -> bool:
        members = self._members(running)
        return bool(members) and all(member.state == "S" for member in members)
