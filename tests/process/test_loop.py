"""Real processes over real pipes: what the loop observes of programs that behave or do not."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.model.limits import MIB, Limit, Limits
from harness.model.subject import ExecutionContext
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process import loop, termination
from harness.process.killable import Bounds, KillableQueue, Stopped
from harness.process.loop import run

SHELL = "/bin/sh"


def observe(*argv: str, stdin: bytes = b"", limits: Limits = Limits(wall_s=30)) -> Transcript:
    """The transcript of one run."""
    ((key, transcript),) = run(iter([("key", Job(argv, stdin, limits))]), 1, dict(os.environ))
    assert key == "key"
    return transcript


def script(folder: Path, text: str, *, mode: int = 0o755) -> str:
    """An executable file with this text."""
    file = folder / "program"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return str(file)


def alive(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_soon_gone(pid: int) -> None:
    """A killed process may take a moment to leave; a living one never does."""
    for _ in range(200):
        if not alive(pid):
            return
        time.sleep(0.01)  # the kernel's moment, not a time limit: 2 s are for ever here
    pytest.fail(f"process {pid} is still there")


def test_waiting_for_background_work_ends_at_the_deadline() -> None:
    def echo_late(request: bytes) -> bytes:
        time.sleep(20)
        return request

    queue = KillableQueue[int, bytes | Stopped](echo_late, Bounds(), lambda _, answer: answer)
    with closing(queue):
        queue.submit(0, lambda: b"x")
        no_jobs: Iterator[tuple[int, Job]] = iter(())
        deadline = time.monotonic() + 0.2
        assert not [*run(no_jobs, 1, os.environ, background=queue, deadline=deadline)]


def test_cat_prints_its_input() -> None:
    seen = observe("/bin/cat", stdin=b'[1, "\xc3\xa9"]\n')
    assert seen.ending == Exited(0)
    assert seen.stdout == b'[1, "\xc3\xa9"]\n'
    assert (seen.stdout_bytes, seen.stderr_bytes, seen.limit) == (9 + 1, 0, None)
    assert seen.first_byte_s is not None and 0 < seen.first_byte_s <= seen.wall_s


def test_a_program_that_closes_its_input_may_go_on_printing() -> None:
    seen = observe(SHELL, "-c", "exec <&-; sleep 0.1; echo 1", stdin=b"x" * (3 * MIB))
    assert (seen.ending, seen.stdout, seen.limit) == (Exited(0), b"1\n", None)


def test_signals_that_python_ignores_are_not_ignored_in_the_subject() -> None:
    # `yes` would run until the limit if it inherited our ignored SIGPIPE and kept on printing.
    seen = observe(SHELL, "-c", "yes | head -n 1")
    assert (seen.ending, seen.stdout) == (Exited(0), b"y\n")
    ignored = observe("/bin/grep", "SigIgn", "/proc/self/status").stdout.split()[1]
    # Signals 32 and 33 belong to the C library, which has them ignored.
    assert int(ignored, 16) & 0x7FFFFFFF == 0


def test_a_program_that_cannot_start_says_why(tmp_path: Path, golden: Golden) -> None:
    def reason(given: tuple[str | None, int]) -> str:
        text, mode = given
        program = str(tmp_path / "none") if text is None else script(tmp_path, text, mode=mode)
        ending = observe(program).ending
        assert isinstance(ending, NotStarted)
        return ending.reason.replace(program, "PROGRAM")

    check_table(golden, __file__, "not_started.txt", reason)


def test_a_nul_byte_in_the_command_is_reported() -> None:
    reason = "the command cannot be passed to the system: embedded null byte"
    assert observe("/bin/echo", "a\0b").ending == NotStarted(reason)


def test_a_silent_program_reaches_the_first_byte_limit_first() -> None:
    seen = observe("/bin/sleep", "60", limits=Limits(wall_s=30, first_byte_s=0.2))
    assert seen.limit is Limit.FIRST_BYTE
    assert seen.wall_s < 30


def test_a_program_that_has_begun_to_answer_is_held_to_the_wall_clock() -> None:
    limits = Limits(wall_s=0.5, first_byte_s=0.3)
    seen = observe(SHELL, "-c", "echo '['; exec sleep 60", limits=limits)
    assert (seen.limit, seen.stdout) == (Limit.WALL, b"[\n")
    assert seen.wall_s >= 0.5


def test_a_flood_ends_at_the_cap_and_is_kept_up_to_it() -> None:
    seen = observe("/usr/bin/yes", limits=Limits(wall_s=60, output_mib=0.3))
    assert seen.limit is Limit.OUTPUT
    assert len(seen.stdout) == int(0.3 * MIB) < seen.stdout_bytes


def test_a_flood_on_standard_error_is_counted_and_dropped() -> None:
    seen = observe(SHELL, "-c", "head -c 5000000 /dev/zero >&2; echo 1")
    assert (seen.ending, seen.stdout, seen.limit) == (Exited(0), b"1\n", None)
    assert (len(seen.stderr), seen.stderr_bytes) == (MIB, 5_000_000)


def test_what_a_grandchild_prints_soon_after_the_exit_is_kept() -> None:
    seen = observe(SHELL, "-c", "(sleep 0.1; echo late) & echo early")
    assert seen.stdout == b"early\nlate\n"


# Prints after this much processor time, in a child that outlives the program.
LATE = """
import os, time
if os.fork() == 0:
    while time.process_time() < {cpu_s}: pass
    print("late", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("cpu_s", "is_kept"), [(0.2, True), (2.0, False)], ids=["little time", "much time"]
)
def test_a_child_that_waits_for_a_processor_may_print_later(
    monkeypatch: pytest.MonkeyPatch, cpu_s: float, is_kept: bool
) -> None:
    # In place of a machine so busy that a child does not run for half a second.
    monkeypatch.setattr(loop, "DRAIN_S", 0.0)
    monkeypatch.setattr(loop, "CHECK_S", 0.01)
    monkeypatch.setattr(loop, "MOST_DRAIN_S", 600.0)
    seen = observe(sys.executable, "-c", LATE.format(cpu_s=cpu_s), limits=Limits(wall_s=600))
    assert (seen.ending, seen.stdout) == (Exited(0), b"late\n" * is_kept)


@pytest.mark.parametrize("bound", ["MOST_DRAIN_S", "wall_s"])
def test_a_child_that_waits_for_a_processor_has_a_bound(
    monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(loop, "DRAIN_S", 0.0)
    monkeypatch.setattr(loop, "CHECK_S", 0.01)
    monkeypatch.setattr(loop, "MOST_DRAIN_S", 0.1 if bound == "MOST_DRAIN_S" else 600.0)
    monkeypatch.setattr(termination, "_CPU_S", 600.0)
    limits = Limits(wall_s=3 if bound == "wall_s" else 600)
    assert observe(sys.executable, "-c", LATE.format(cpu_s=6), limits=limits).stdout == b""


def test_no_more_jobs_are_drawn_than_there_is_room_for() -> None:
    drawn: list[int] = []

    def jobs() -> Iterator[tuple[int, Job]]:
        for number in range(10):
            drawn.append(number)
            yield number, Job((SHELL, "-c", "exit 0"), b"")

    stream = run(jobs(), 3, dict(os.environ))
    next(stream)
    assert len(drawn) <= 3
    assert sum(1 for _ in stream) == 9


class OneByOne(Iterator[tuple[int, Job]]):
    """Jobs that end for now while one of them runs."""

    def __init__(self) -> None:
        self.left = [0, 1, 2]
        self.is_idle = True

    def __next__(self) -> tuple[int, Job]:
        if not self.left or not self.is_idle:
            raise StopIteration
        self.is_idle = False
        return self.left[0], Job((SHELL, "-c", f"echo {self.left.pop(0)}"), b"")


def test_jobs_that_end_for_now_are_asked_again_after_each_run() -> None:
    jobs = OneByOne()
    printed = []
    for ended in run(jobs, 2, {}):
        jobs.is_idle = True
        printed.append(ended.transcript.stdout)
    assert printed == [b"0\n", b"1\n", b"2\n"]


def test_whoever_stops_listening_leaves_nothing_running(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    slow = Job((SHELL, "-c", f"echo $$ >>{pids}; exec sleep 60"), b"")
    quick = Job((SHELL, "-c", f"while ! [ -s {pids} ]; do :; done"), b"")
    stream = run(iter([("slow", slow), ("quick", quick)]), 2, dict(os.environ))
    assert next(stream)[0] == "quick"
    stream.close()
    assert_soon_gone(int(pids.read_text(encoding="utf-8")))


def test_no_descriptor_is_left_open() -> None:
    observe(SHELL, "-c", "sleep 60 & yes | head -c 100000")
    before = sorted(os.listdir("/proc/self/fd"))
    for text in ("sleep 60 & echo 1", "exec <&-", "kill -SEGV $$"):
        observe(SHELL, "-c", text, stdin=b"x" * MIB)
    observe("/no/such/program")
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_closed_standard_streams_of_ours_do_no_harm() -> None:
    text = (
        "import os; os.close(0); os.close(2)\n"
        "from harness.process.loop import run\n"
        "from harness.model.transcript import Job\n"
        "((_, seen),) = run(iter([(0, Job(('/bin/cat',), b'[1]'))]), 1, dict(os.environ))\n"
        "print(seen.ending, seen.stdout)"
    )
    assert observe(sys.executable, "-c", text).stdout == b"Exited(status=0) b'[1]'\n"


def test_a_program_runs_in_its_setting_and_we_stay_where_we_are(tmp_path: Path) -> None:
    here = os.getcwd()
    script(tmp_path, "#!/bin/sh\necho $A $B; pwd\n")
    context = ExecutionContext(str(tmp_path), (("A", "é"), ("B", "2")))
    jobs = [
        Job(("./program",), b"", context=context),
        Job(("./nix",), b"", context=context),
        Job(("./program",), b"", context=ExecutionContext("/no/such")),
        Job(("/bin/sh", "-c", "echo $A $B; pwd"), b""),
    ]
    environment = {**os.environ, "A": "1", "B": "1"}
    seen = dict(run(iter(enumerate(jobs)), 1, environment))
    assert seen[0].stdout.decode() == f"é 2\n{tmp_path}\n"
    assert seen[1].ending == NotStarted(f"./nix: no such file or directory in {tmp_path}")
    assert seen[2].ending == NotStarted("its folder /no/such: no such file or directory")
    assert seen[3].stdout.decode() == f"1 1\n{here}\n"
    assert os.getcwd() == here


def test_who_is_busy_meanwhile_takes_nobody_for_silent() -> None:
    limits = Limits(wall_s=30, first_byte_s=0.3)
    talker = Job((SHELL, "-c", "echo 1; sleep 1"), b"", limits)
    stream = run(iter([(1, Job(("/bin/true",), b"")), (2, talker)]), 2, dict(os.environ))
    assert next(stream)[0] == 1
    time.sleep(0.6)  # as long as the loop is not asked, it looks at nothing
    ((number, seen),) = stream
    assert (number, seen.ending, seen.stdout, seen.limit) == (2, Exited(0), b"1\n", None)


def test_a_run_whose_end_is_noticed_too_late_has_not_kept_its_limit() -> None:
    late = Job((SHELL, "-c", "echo 1; sleep 0.2"), b"", Limits(wall_s=0.5))
    stream = run(iter([(1, Job(("/bin/true",), b"")), (2, late)]), 2, dict(os.environ))
    assert next(stream)[0] == 1
    time.sleep(0.6)  # the consumer is busy
    ((_, seen),) = stream
    assert (seen.ending, seen.limit, seen.wall_s > 0.5) == (Exited(0), Limit.WALL, True)


def test_inherited_descriptors_do_not_reach_the_subject() -> None:
    os.dup2(0, 77, inheritable=True)
    try:
        listing = observe("/bin/ls", "/proc/self/fd").stdout.split()
    finally:
        os.close(77)
    assert listing == [b"0", b"1", b"2", b"3"]


def test_those_that_print_much_are_seen_whole_one_after_the_other() -> None:
    much = Job((SHELL, "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"), b"")
    quick = Job(("/bin/echo", "1"), b"")
    sizes = [
        (seen.stdout_bytes, seen.stderr_bytes, seen.limit)
        for _, seen in run(iter(enumerate([much, much, quick, much])), 1, dict(os.environ))
    ]
    assert sizes == [(300_000, 300_000, None)] * 2 + [(2, 0, None), (300_000, 300_000, None)]
