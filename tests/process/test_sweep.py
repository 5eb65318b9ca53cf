"""Real processes that try to get away, and that use more than they may."""

from __future__ import annotations

import os
import re
import resource
import signal
from pathlib import Path
from threading import Event

import pytest
from support.processes import LIMITS, observe, observe_python

from harness.model.limits import MIB, Limit, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Exited, Job
from harness.process import procfs, sampling
from harness.process.cgroups import GroupPool, Layout
from harness.process.loop import in_order, run
from harness.process.procfs import own_memory_mib, read_process
from harness.process.system import SYSTEM

SHELL = "/bin/sh"


@pytest.fixture(autouse=True)
def _without_control_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SYSTEM, "groups", lambda: GroupPool(Layout(Accounting.PROC)))


DAEMON = "(setsid sh -c 'echo $$ {}; exec sleep 600 >&- 2>&-' &)"  # {}: where its number goes
LEAVES = f"echo $( {DAEMON.format('')} )"  # waits until it has begun


def until(file: Path) -> str:
    """Return a command that waits for a file."""
    return f"until [ -s {file} ]; do sleep 0.05; done"


def exists(pid: int) -> bool:
    """Return whether a process exists, even as a zombie."""
    return Path(f"/proc/{pid}").exists()


@pytest.mark.needs("adoption")
def test_a_finishing_run_leaves_its_neighbours_daemon_alone(tmp_path: Path) -> None:
    begun, over = tmp_path / "begun", tmp_path / "over"
    # The second run ends while the first one's daemon lives; only then may the first one end.
    first = f"{DAEMON.format(f'>{begun}')}; {until(over)}"
    second = f"{until(begun)}; sleep 0.2; {LEAVES}"
    jobs = iter([(text, Job((SHELL, "-c", text), b"", LIMITS)) for text in (first, second)])
    stream = run(in_order(jobs), 2, os.environ, sole_parent=True)
    key, transcript = next(stream)
    assert key == second
    assert not exists(int(transcript.stdout))
    marked = int(begun.read_text("ascii"))
    assert exists(marked)
    over.write_text("x", "ascii")
    assert [key for key, _ in stream] == [first]
    assert not exists(marked)


def test_children_of_the_host_process_are_left_alone() -> None:
    other = os.posix_spawn("/bin/sleep", ("sleep", "600"), os.environ, setsid=True)
    try:
        observe(SHELL, "-c", "sleep 600 & exit 0")
        assert exists(other)
        assert os.waitpid(other, os.WNOHANG) == (0, 0)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)


@pytest.mark.needs("adoption")
def test_a_run_that_is_alone_owns_every_orphan() -> None:
    # No session, environment or sample says whose it is.
    daemon = "(setsid env -i sh -c 'echo $$; exec sleep 600 >&- 2>&-' &)"
    leaves = Job((SHELL, "-c", f"echo $( {daemon} )"), b"", LIMITS)
    jobs = iter([(1, leaves), (2, Job(("/bin/true",), b""))])
    stream = run(in_order(jobs), 1, os.environ, sole_parent=True)
    _, transcript = next(stream)
    assert not exists(int(transcript.stdout))
    assert [key for key, _ in stream] == [2]


@pytest.mark.needs("adoption")
def test_what_an_orphan_used_counts_when_the_program_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_LEADER_SAMPLES_S", (1_000.0, 2_000.0))
    spins = "n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done"
    text = f"echo $( (setsid sh -c '{spins}' &) )"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=60, cpu_s=0.03))
    assert (seen.limit, seen.ending) == (Limit.CPU, Exited(0))


def test_memory_counts_for_the_whole_tree() -> None:
    text = """
import os, time
held = bytearray(60 << 20)
if os.fork() == 0:
    more = bytearray(60 << 20)
time.sleep(600)
"""
    seen = observe_python(text, Limits(wall_s=60, memory_mib=100))
    assert (seen.limit, seen.usage.processes) == (Limit.MEMORY, 2)
    assert seen.usage.memory_mib > 100


def test_processes_that_fork_all_the_time_do_not_hold_up_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = Event()
    monkeypatch.setattr(procfs, "_READING_S", 0.05)
    monkeypatch.setattr(procfs, "_own_memory", lambda pid: is_over.wait(20) and pid)
    members = [member for member in (read_process(os.getpid()),) if member is not None]
    assert own_memory_mib(members) == 0
    is_over.set()
    monkeypatch.setattr(procfs, "_READING_S", 60.0)
    assert own_memory_mib(members) == os.getpid() / MIB


def test_no_more_files_are_open_than_the_limit_says() -> None:
    text = """
import os, resource
while resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 30: pass
for n in range(100): os.dup(0)
"""
    seen = observe_python(text, Limits(wall_s=20, open_files=30))
    assert seen.ending == Exited(1)
    assert b"Too many open files" in seen.stderr


def test_limits_on_files_hold_from_the_first_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SYSTEM, "limit", lambda *_: None)  # of a process that has begun
    kinds = resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE
    before = [*map(resource.getrlimit, kinds)]
    limits = Limits(wall_s=60, file_mib=1, open_files=200)
    seen = observe("/bin/cat", "/proc/self/limits", limits=limits)
    assert re.search(b"^Max file size +1048576 ", seen.stdout, re.MULTILINE)
    assert re.search(b"^Max open files +200 ", seen.stdout, re.MULTILINE)
    assert re.search(b"^Max core file size +0 ", seen.stdout, re.MULTILINE)
    assert [*map(resource.getrlimit, kinds)] == before


def test_a_limit_below_the_descriptors_of_a_start_holds_as_soon_as_the_back_end_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SYSTEM, "limit", lambda *_: None)  # of a process that has begun
    seen = observe("/bin/true", limits=Limits(wall_s=60, open_files=3))
    # posix_spawn passes on descriptors, so that Linux lowers the limit of the process that runs.
    # A fork lowers it after that, before execve: the loader then cannot open the C library.
    assert seen.ending == Exited(0 if SYSTEM.name == "linux" else 127)


def test_a_short_run_is_not_sampled_and_says_so() -> None:
    seen = observe("/bin/true")
    while seen.wall_s >= 0.010:  # on a busy machine
        seen = observe("/bin/true")
    assert (seen.usage.memory_mib, seen.usage.processes) == (0, 1)


@pytest.mark.needs("adoption")
def test_nothing_of_any_run_is_left_when_the_loop_is_closed(tmp_path: Path) -> None:
    leader, daemon = tmp_path / "leader", tmp_path / "daemon"
    leaves = f"echo $$ >{leader}; {DAEMON.format(f'>{daemon}')}; exec sleep 600"
    jobs = iter([(text, Job((SHELL, "-c", text), b"")) for text in (leaves, until(daemon))])
    stream = run(in_order(jobs), 2, os.environ, sole_parent=True)
    assert next(stream)[0] == until(daemon)
    started = [int(file.read_text("ascii")) for file in (leader, daemon)]
    assert all(map(exists, started))
    stream.close()
    assert not any(map(exists, started))
