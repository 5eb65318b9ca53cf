"""Real processes that try to get away, and that use more than they may."""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

from harness.model.limits import Limit, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Exited, Job, Signalled, Transcript
from harness.process import loop, sampling, spawn
from harness.process.cgroups import GroupPool, Layout
from harness.process.loop import run

SHELL = "/bin/sh"

# Forks twice, with a session of its own in between, as a daemon does, and prints its number.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {prelude}
        os.write(1, b"%d\\n" % os.getpid())
        os.close(0), os.close(1), os.close(2)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep({linger})
"""


@pytest.fixture(autouse=True)
def _without_control_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "GroupPool", lambda: GroupPool(Layout(Accounting.PROC)))


# Prints the number of a daemon, which has the mark of its run.
LEAVES = "echo $( (setsid sh -c 'echo $$; exec sleep 600 >&- 2>&-' &) )"


def observe(*argv: str, stdin: bytes = b"", limits: Limits = Limits(wall_s=60)) -> Transcript:
    """The transcript of one run."""
    jobs = iter([(0, Job(argv, stdin, limits))])
    ((_, transcript),) = run(jobs, 1, dict(os.environ), sole_parent=True)
    return transcript


def python(text: str, limits: Limits = Limits(wall_s=60)) -> Transcript:
    """The transcript of a Python program."""
    return observe(sys.executable, "-c", text, limits=limits)


def exists(pid: int) -> bool:
    """Return whether a process exists, even as a zombie."""
    return Path(f"/proc/{pid}").exists()


def test_a_finishing_run_leaves_its_neighbours_daemon_alone(tmp_path: Path) -> None:
    before = daemons()
    signs = tmp_path / "over"
    first = DAEMON.format(prelude="pass", linger="0").replace(
        "time.sleep(0)",
        f"[time.sleep(0.01) for _ in iter(lambda: os.path.exists({str(signs)!r}), True)]",
    )
    # The second run ends while the first one's daemon lives; only then may the first one end.
    jobs = iter(
        [
            ("first", Job((sys.executable, "-c", first), b"", Limits(wall_s=60))),
            ("second", Job((SHELL, "-c", f"sleep 0.5; {LEAVES}"), b"", Limits(wall_s=60))),
        ]
    )
    stream = run(jobs, 2, dict(os.environ), sole_parent=True)
    key, transcript = next(stream)
    assert key == "second"
    assert not exists(int(transcript.stdout))
    marked = list(daemons() - before)
    assert len(marked) == 1
    signs.touch()
    key, transcript = next(stream)
    assert (key, int(transcript.stdout)) == ("first", marked[0])
    assert not exists(marked[0])


def daemons() -> set[int]:
    """Return the daemons that exist; other tests of this process may have left some."""
    return {pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if is_daemon(pid)}


def is_daemon(pid: int) -> bool:
    """Return whether a process is an orphan of this test: our child, in a session not its own."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return int(words[1]) == os.getpid() and int(words[3]) not in (pid, os.getsid(0))


def test_children_of_the_process_that_we_live_in_are_left_alone() -> None:
    other = os.posix_spawn("/bin/sleep", ("sleep", "600"), os.environ, setsid=True)
    try:
        observe(SHELL, "-c", "sleep 600 & exit 0")
        assert exists(other)
        assert os.waitpid(other, os.WNOHANG) == (0, 0)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)


def test_a_run_that_is_alone_owns_every_orphan() -> None:
    # No session, environment or sample says whose it is. The substitution waits until it has begun.
    daemon = "(setsid env -i sh -c 'echo $$; exec sleep 600 >&- 2>&-' &)"
    leaves = Job((SHELL, "-c", f"echo $( {daemon} )"), b"", Limits(wall_s=60))
    jobs = iter([(1, leaves), (2, Job(("/bin/true",), b""))])
    stream = run(jobs, 1, dict(os.environ), sole_parent=True)
    _, transcript = next(stream)
    assert not exists(int(transcript.stdout))
    assert [key for key, _ in stream] == [2]


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
    seen = python(text, Limits(wall_s=60, memory_mib=100))
    assert seen.limit is Limit.MEMORY
    assert seen.peak_mib is not None and seen.peak_mib > 100
    assert seen.processes == 2


def test_reserved_memory_that_is_not_used_does_not_count() -> None:
    text = "import mmap, time; held = mmap.mmap(-1, 8 << 30); time.sleep(0.3); print(1)"
    seen = python(text, Limits(wall_s=60, memory_mib=500))
    assert (seen.limit, seen.stdout) == (None, b"1\n")
    assert seen.peak_mib is not None and 1 < seen.peak_mib < 100


def test_too_many_processes_at_once_fall_to_their_limit() -> None:
    text = "for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; wait"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=20, processes=5))
    assert seen.limit is Limit.PROCESSES
    assert seen.processes > 5


def test_a_file_past_its_size_ends_the_program_and_a_core_file_is_never_written(
    tmp_path: Path,
) -> None:
    file = tmp_path / "large"
    text = f"exec head -c 5000000 /dev/zero >{file}"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=60, file_mib=1))
    assert seen.ending == Signalled(signal.SIGXFSZ)
    assert file.stat().st_size == 1 << 20
    core = observe("/bin/grep", "core file size", "/proc/self/limits").stdout.split()[4]
    assert core == b"0"


def test_no_more_files_are_open_than_the_limit_says() -> None:
    text = """
import os, resource
while resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 30: pass
for n in range(100): os.dup(0)
"""
    seen = python(text, Limits(wall_s=20, open_files=30))
    assert seen.ending == Exited(1)
    assert b"Too many open files" in seen.stderr


def test_the_limit_on_files_holds_from_the_first_instruction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spawn, "apply_rlimits", lambda *_: None)  # of a process that has begun
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    seen = observe("/bin/cat", "/proc/self/limits", limits=Limits(wall_s=60, file_mib=1))
    assert re.search(b"^Max file size +1048576 ", seen.stdout, re.MULTILINE)
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before


def test_a_short_run_is_not_looked_at_and_says_so() -> None:
    seen = observe("/bin/true")
    while seen.wall_s >= 0.010:  # on a busy machine
        seen = observe("/bin/true")
    assert (seen.peak_mib, seen.processes) == (None, 1)


def test_nothing_of_any_run_is_left_when_the_loop_is_closed() -> None:
    before = daemons()
    text = DAEMON.format(prelude="pass", linger=600)
    jobs = iter([(0, Job((sys.executable, "-c", text), b"")), (1, Job(("/bin/sleep", "0.7"), b""))])
    stream = run(jobs, 2, dict(os.environ), sole_parent=True)
    next(stream)
    assert daemons() - before
    stream.close()
    time.sleep(0.05)
    assert not daemons() - before
