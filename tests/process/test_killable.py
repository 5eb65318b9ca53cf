"""Processes that answer requests under a clock and a memory limit."""

from __future__ import annotations

import os
import re
import resource
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from harness.errors import OutOfTime
from harness.model.limits import MIB
from harness.process.killable import Bounds, KillableProcess, Stopped


def answer(request: bytes) -> bytes:
    """Do what a request asks for, and return the number of the process."""
    match request:
        case b"match":
            try:
                re.fullmatch("(a+)+", "a" * 41 + "b")
            except OutOfTime as stop:
                stop.add_note("in the pattern (a+)+")
                raise
        case b"block the alarm":
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            signal.pause()
        case b"crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"descriptors":
            return " ".join(sorted(os.listdir("/proc/self/fd"), key=int)).encode()
    return str(os.getpid()).encode()


def process(seconds: float = 60) -> closing[KillableProcess]:
    return closing(KillableProcess(answer, Bounds(seconds)))


def test_one_process_answers_many_requests_of_any_size() -> None:
    with process() as killable:
        first = killable.call(b"")
        assert first != str(os.getpid()).encode()
        assert killable.call(b"x" * 300_000) == first
        # After a very large one, a new process has not kept the memory.
        assert killable.call(b"x" * 9_000_000) == first
        second = killable.call(b"")
        assert isinstance(second, bytes) and second != first


def test_a_request_that_takes_too_long_is_stopped_and_says_where() -> None:
    with process(seconds=0.2) as killable:
        assert killable.call(b"match") == Stopped("after 0.2 s, in the pattern (a+)+")
        assert isinstance(killable.call(b""), bytes)


def test_a_process_that_does_not_see_its_alarm_is_killed() -> None:
    with process(seconds=0.2) as killable:
        assert killable.call(b"block the alarm") == Stopped("after 0.2 s")
        assert isinstance(killable.call(b""), bytes)


def test_a_process_that_dies_is_replaced() -> None:
    with process() as killable:
        assert killable.call(b"crash") == Stopped("by SIGSEGV")
        pid = killable.call(b"")
        assert isinstance(pid, bytes)
        os.kill(int(pid), signal.SIGKILL)
        os.waitid(os.P_PID, int(pid), os.WEXITED | os.WNOWAIT)
        again = killable.call(b"")
        assert isinstance(again, bytes) and again != pid


def test_memory_is_bounded_where_the_system_only_remembers_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def grow(_request: bytes) -> bytes:
        chunks = []
        for _ in range(64):
            chunks.append(b"x" * MIB * 4)
            time.sleep(0.02)
        return str(len(chunks)).encode()

    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    with closing(KillableProcess(grow, Bounds(memory=40 * MIB))) as killable:
        assert killable.call(b"") == Stopped("at 0.0390625 GiB of memory")
    with closing(KillableProcess(grow, Bounds(memory=400 * MIB))) as killable:
        assert killable.call(b"") == b"64"


def test_the_process_inherits_no_pipes_and_ends_when_it_is_closed() -> None:
    read_end, write_end = os.pipe()
    with process() as killable:
        pid = killable.call(b"")
        # Its socket, and the folder that is listed.
        shown = killable.call(b"descriptors")
        assert isinstance(pid, bytes) and isinstance(shown, bytes)
        assert len(shown.split()) == 5
    os.close(write_end)
    assert os.read(read_end, 1) == b""
    os.close(read_end)
    assert not Path(f"/proc/{int(pid)}").exists()
