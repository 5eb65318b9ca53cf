"""Real processes that try to get away, and that use more than they may."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from harness.process.loop import run
from harness.records import Exited, Job, Limit, Limits, Signalled, Transcript

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


def observe(*argv: str, stdin: bytes = b"", limits: Limits = Limits(wall_s=60)) -> Transcript:
    """The transcript of one run."""
    jobs = iter([(0, Job(argv, stdin, limits))])
    ((_, transcript),) = run(jobs, 1, dict(os.environ), sole_parent=True)
    return transcript


def python(text: str, limits: Limits = Limits(wall_s=60)) -> Transcript:
    """The transcript of a Python program."""
    return observe(sys.executable, "-c", text, limits=limits)


def exists(pid: int) -> bool:
    """Whether there is a process of this number, even a zombie."""
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    "prelude",
    [
        "pass",
        "signal = __import__('signal'); signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "os.execve(sys.executable, [sys.executable, '-c', 'import os, time;"
        ' os.write(1, b"%d" % os.getpid()); time.sleep(600)\'], {})',
    ],
    ids=["plain", "deaf", "without environment"],
)
def test_a_daemon_is_gone_when_its_run_is_over(prelude: str) -> None:
    seen = python(DAEMON.format(prelude=prelude, linger=0.2))
    assert seen.ending == Exited(0)
    assert not exists(int(seen.stdout))


def test_a_daemon_that_forks_on_is_gone_with_all_its_children() -> None:
    text = """
import os, time
if os.fork() == 0:
    os.setsid()
    for _ in range(4):
        os.fork()
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(600)
time.sleep(0.5)
"""
    pids = [int(word) for word in python(text).stdout.split()]
    assert len(pids) == 16
    assert not any(exists(pid) for pid in pids)


def test_a_finishing_run_leaves_its_neighbours_daemon_alone(tmp_path: Path) -> None:
    signs = tmp_path / "over"
    first = DAEMON.format(prelude="pass", linger="0").replace(
        "time.sleep(0)",
        f"[time.sleep(0.01) for _ in iter(lambda: os.path.exists({str(signs)!r}), True)]",
    )
    # The second run ends while the first one's daemon lives; only then may the first one end.
    jobs = iter(
        [
            ("first", Job((sys.executable, "-c", first), b"", Limits(wall_s=60))),
            ("second", Job((SHELL, "-c", "sleep 0.5; echo done"), b"", Limits(wall_s=60))),
        ]
    )
    stream = run(jobs, 2, dict(os.environ), sole_parent=True)
    key, _ = next(stream)
    assert key == "second"
    marked = [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if is_daemon(pid)]
    assert len(marked) == 1
    signs.touch()
    key, transcript = next(stream)
    assert (key, int(transcript.stdout)) == ("first", marked[0])
    assert not exists(marked[0])


def is_daemon(pid: int) -> bool:
    """Whether a process is an orphan of this test's: our child, in a session not its own."""
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


def test_memory_counts_for_the_whole_tree() -> None:
    text = """
import os, time
held = bytearray(60 << 20)
if os.fork() == 0:
    more = bytearray(60 << 20)
time.sleep(600)
"""
    seen = python(text, Limits(wall_s=60, memory_mib=150))
    assert seen.limit is Limit.MEMORY
    assert seen.peak_mib is not None and seen.peak_mib > 150
    assert seen.processes == 2


def test_reserved_memory_that_is_not_used_does_not_count() -> None:
    text = "import mmap, time; held = mmap.mmap(-1, 8 << 30); time.sleep(0.3); print(1)"
    seen = python(text, Limits(wall_s=60, memory_mib=500))
    assert (seen.limit, seen.stdout) == (None, b"1\n")
    assert seen.peak_mib is not None and 1 < seen.peak_mib < 100


def test_a_spinning_program_falls_to_the_cpu_limit() -> None:
    seen = observe(SHELL, "-c", "while :; do :; done", limits=Limits(wall_s=60, cpu_s=0.3))
    assert seen.limit is Limit.CPU
    assert seen.cpu_s > 0.3


def test_processor_time_counts_for_the_whole_tree() -> None:
    text = "(while :; do :; done) & (while :; do :; done) & wait"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=60, cpu_s=0.4))
    assert seen.limit is Limit.CPU


def test_too_many_processes_at_once_fall_to_their_limit() -> None:
    text = "for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; wait"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=60, processes=5))
    assert seen.limit is Limit.PROCESSES
    assert seen.processes > 5


def test_a_file_past_its_size_ends_the_program_and_a_core_file_is_never_written(
    tmp_path: Path,
) -> None:
    file = tmp_path / "large"
    text = f"sleep 0.05; exec head -c 5000000 /dev/zero >{file}"
    seen = observe(SHELL, "-c", text, limits=Limits(wall_s=60, file_mib=1))
    assert seen.ending == Signalled(signal.SIGXFSZ)
    assert file.stat().st_size == 1 << 20
    core = observe("/bin/grep", "core file size", "/proc/self/limits").stdout.split()[4]
    assert core == b"0"


def test_no_more_files_are_open_than_the_limit_says() -> None:
    text = "import os, time; time.sleep(0.1)\nfor n in range(100): os.dup(0)"
    seen = python(text, Limits(wall_s=60, open_files=30))
    assert seen.ending == Exited(1)
    assert b"Too many open files" in seen.stderr


def test_a_short_run_is_not_looked_at_and_says_so() -> None:
    seen = observe("/bin/true")
    while seen.wall_s >= 0.010:  # on a busy machine
        seen = observe("/bin/true")
    assert (seen.peak_mib, seen.processes) == (None, 1)


def test_a_run_that_takes_its_time_is_measured_though_it_has_no_limits() -> None:
    seen = python("held = bytearray(50 << 20); import time; time.sleep(1)")
    assert seen.peak_mib is not None and seen.peak_mib > 50
    assert seen.cpu_s > 0


def test_nothing_of_any_run_is_left_when_the_loop_is_closed() -> None:
    text = DAEMON.format(prelude="pass", linger=600)
    jobs = iter([(0, Job((sys.executable, "-c", text), b"")), (1, Job(("/bin/sleep", "0.7"), b""))])
    stream = run(jobs, 2, dict(os.environ), sole_parent=True)
    next(stream)
    assert any(is_daemon(pid) for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))))
    stream.close()
    time.sleep(0.05)
    assert not any(is_daemon(pid) for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))))
