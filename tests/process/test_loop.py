"""Real processes over real pipes: what the loop observes of programs that behave or do not."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.processes import observe
from support.suites import write_program

from harness.model.limits import MIB, Limit, Limits
from harness.model.subject import ExecutionContext
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.killable import Bounds, KillableQueue, Stopped
from harness.process.loop import in_order, run
from harness.process.reaper import Drain

SHELL = "/bin/sh"


def test_waiting_for_background_work_ends_at_the_deadline() -> None:
    def echo_late(request: bytes) -> bytes:
        time.sleep(20)
        return request

    queue = KillableQueue[int, bytes | Stopped](echo_late, Bounds(), lambda _, answer: answer)
    with closing(queue):
        queue.submit(0, lambda: b"x")
        no_jobs: Iterator[tuple[int, Job]] = iter(())
        deadline = time.monotonic() + 0.2
        assert not [*run(in_order(no_jobs), 1, os.environ, background=queue, deadline=deadline)]


def jobs_of(*commands: str, drawn: list[int] | None = None) -> Iterator[tuple[int, Job]]:
    """Yield jobs, and append the number of each to `drawn`."""
    for number, command in enumerate(commands):
        if drawn is not None:
            drawn.append(number)
        yield number, Job((SHELL, "-c", command), b"")


@pytest.mark.parametrize(("gather_s", "expected"), [(0, [1, 2, 3]), (60, [3, 3, 3])])
def test_runs_that_have_ended_wait_for_others(gather_s: float, expected: list[int]) -> None:
    drawn: list[int] = []
    jobs = jobs_of("true", "true", "true", drawn=drawn)
    ended = [
        (len(drawn), each.key) for each in run(in_order(jobs), 1, os.environ, gather_s=gather_s)
    ]
    assert ended == list(zip(expected, range(3), strict=True))


def test_a_run_that_has_ended_waits_for_a_moment_only(tmp_path: Path) -> None:
    jobs = jobs_of("true", f"until [ -e {tmp_path}/seen ]; do sleep 0.01; done")
    for ended in run(in_order(jobs), 1, os.environ, gather_s=0.05):
        (tmp_path / "seen").touch()
        assert ended.transcript.limit is None


def test_an_interruption_loses_no_run_that_has_ended() -> None:
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGUSR1, interrupt)
    seen: list[int] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            jobs = jobs_of("true", "kill -USR1 $PPID; sleep 600")
            seen += (each.key for each in run(in_order(jobs), 1, os.environ, gather_s=60))
    finally:
        signal.signal(signal.SIGUSR1, usual)
    assert seen == [0]


def test_a_large_output_does_not_wait() -> None:
    drawn: list[int] = []
    jobs = jobs_of("head -c 100000 /dev/zero", "true", drawn=drawn)
    ended = run(in_order(jobs), 1, os.environ, gather_s=60)
    assert (next(ended).key, drawn) == (0, [0])


def test_cat_prints_its_input() -> None:
    seen = observe("/bin/cat", stdin=b'[1, "\xc3\xa9"]\n')
    assert seen.ending == Exited(0)
    assert seen.stdout == b'[1, "\xc3\xa9"]\n'
    assert (seen.stdout_bytes, seen.stderr_bytes, seen.limit) == (9 + 1, 0, None)
    assert seen.first_byte_s is not None and 0 < seen.first_byte_s <= seen.wall_s


def test_signals_that_python_ignores_are_not_ignored_in_the_subject() -> None:
    # `yes` would run until the limit if it inherited our ignored SIGPIPE and kept on printing.
    seen = observe(SHELL, "-c", "yes | head -n 1")
    assert (seen.ending, seen.stdout) == (Exited(0), b"y\n")
    ignored = observe("/bin/grep", "SigIgn", "/proc/self/status").stdout.split()[1]
    # Signals 32 and 33 belong to the C library, which has them ignored.
    assert int(ignored, 16) & 0x7FFFFFFF == 0


def test_a_nul_byte_in_the_command_is_reported() -> None:
    reason = "the command cannot be passed to the system: embedded null byte"
    assert observe("/bin/echo", "a\0b").ending == NotStarted(reason)


def test_a_silent_program_reaches_the_first_byte_limit_first() -> None:
    seen = observe("/bin/sleep", "60", limits=Limits(wall_s=30, first_byte_s=0.2))
    assert (seen.limit, seen.wall_s < 30) == (Limit.FIRST_BYTE, True)


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


def test_limits_hold_for_what_runs_on_after_the_exit() -> None:
    script = "(while :; do :; done) & echo early"
    # On a busy machine, the child may have used less after the five seconds of a usual drain.
    seen = observe(SHELL, "-c", script, limits=Limits(60, cpu_s=0.1), drain=Drain(most_s=60))
    assert (seen.ending, seen.limit) == (Exited(0), Limit.CPU)


# Prints after this much processor time, in a child that outlives the program.
LATE = """
import os, time
if os.fork() == 0:
    while time.process_time() < {cpu_s}: pass
    print("late", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("cpu_s", "most_cpu_s", "most_s", "wall_s"),
    [(0.2, 0.5, 600, 600), (2.0, 0.5, 600, 600), (4.0, 600, 0.1, 600), (4.0, 600, 600, 2)],
    ids=["little work", "much work", "a long wait", "the time of the run"],
)
def test_a_child_that_waits_for_a_processor_may_print_later(
    cpu_s: float, most_cpu_s: float, most_s: float, wall_s: float
) -> None:
    # In place of a machine so busy that a child does not run for half a second.
    drain = Drain(usual_s=0, most_s=most_s, most_cpu_s=most_cpu_s, check_s=0.01)
    program = sys.executable, "-c", LATE.format(cpu_s=cpu_s)
    seen = observe(*program, limits=Limits(wall_s), drain=drain)
    assert (seen.ending, seen.stdout) == (Exited(0), b"late\n" * (cpu_s == 0.2))


def test_no_more_jobs_are_drawn_than_there_is_room_for() -> None:
    drawn: list[int] = []
    stream = run(in_order(jobs_of(*["true"] * 10, drawn=drawn)), 3, os.environ)
    next(stream)
    assert len(drawn) <= 3
    assert sum(1 for _ in stream) == 9


class OneByOne:
    """Jobs of which none may begin while one of them runs."""

    def __init__(self) -> None:
        self.todo = ["0", "1", "2"]

    def next(self) -> tuple[str, Job] | None:
        if not self.todo or self.todo[0] == "running":
            return None
        number, self.todo[0] = self.todo[0], "running"
        return number, Job(("/bin/echo", number), b"")


def test_a_job_that_may_not_begin_yet_is_asked_for_again_after_each_run() -> None:
    jobs = OneByOne()
    printed = [(jobs.todo.pop(0), ended.transcript.stdout) for ended in run(jobs.next, 2, {})]
    assert printed == [("running", b"0\n"), ("running", b"1\n"), ("running", b"2\n")]


def test_no_descriptor_is_left_open() -> None:
    observe(SHELL, "-c", "sleep 60 & yes | head -c 100000")
    before = sorted(os.listdir("/proc/self/fd"))
    for text in ("sleep 60 & echo 1", "exec <&-", "kill -SEGV $$"):
        observe(SHELL, "-c", text, stdin=b"x" * MIB)
    observe("/no/such/program")
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_closed_standard_streams_of_xtest_do_no_harm() -> None:
    text = (
        "import os; os.close(0); os.close(2)\n"
        "from harness.process.loop import run_one\n"
        "from harness.model.transcript import Job\n"
        "seen = run_one(Job(('/bin/cat',), b'[1]'), dict(os.environ))\n"
        "print(seen.ending, seen.stdout)"
    )
    assert observe(sys.executable, "-c", text).stdout == b"Exited(status=0) b'[1]'\n"


def test_a_program_runs_in_its_context_and_xtest_keeps_its_working_folder(tmp_path: Path) -> None:
    here = os.getcwd()
    write_program(tmp_path / "program", "echo $A $B; pwd")
    context = ExecutionContext(str(tmp_path), (("A", "é"), ("B", "2")))
    jobs = [
        Job(("./program",), b"", context=context),
        Job(("./nix",), b"", context=context),
        Job(("./program",), b"", context=ExecutionContext("/no/such")),
        Job(("/bin/sh", "-c", "echo $A $B; pwd"), b""),
    ]
    environment = {**os.environ, "A": "1", "B": "1"}
    seen = dict(run(in_order(enumerate(jobs)), 1, environment))
    assert seen[0].stdout.decode() == f"é 2\n{tmp_path}\n"
    assert seen[1].ending == NotStarted(f"./nix: no such file or directory in {tmp_path}")
    assert seen[2].ending == NotStarted("its folder /no/such: no such file or directory")
    assert seen[3].stdout.decode() == f"1 1\n{here}\n"
    assert os.getcwd() == here


def seen_late(script: str, limits: Limits) -> Transcript:
    """Return the transcript of a run that is not watched while the consumer is busy."""
    jobs = [Job(("/bin/true",), b""), Job((SHELL, "-c", script), b"", limits)]
    stream = run(in_order(enumerate(jobs)), 2, os.environ)
    assert next(stream).key == 0
    time.sleep(0.6)
    ((_, seen),) = stream
    return seen


def test_a_busy_consumer_makes_no_program_silent() -> None:
    seen = seen_late("echo 1; sleep 1", Limits(wall_s=30, first_byte_s=0.3))
    assert (seen.ending, seen.stdout, seen.limit) == (Exited(0), b"1\n", None)


def test_a_run_whose_end_is_noticed_too_late_has_not_kept_its_limit() -> None:
    seen = seen_late("echo 1; sleep 0.2", Limits(wall_s=0.5))
    assert (seen.ending, seen.limit, seen.wall_s > 0.5) == (Exited(0), Limit.WALL, True)


def test_large_outputs_of_consecutive_runs_are_read_whole() -> None:
    much = Job((SHELL, "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"), b"")
    quick = Job(("/bin/echo", "1"), b"")
    sizes = [
        (seen.stdout_bytes, seen.stderr_bytes, seen.limit)
        for _, seen in run(in_order(enumerate([much, much, quick, much])), 1, dict(os.environ))
    ]
    assert sizes == [(300_000, 300_000, None)] * 2 + [(2, 0, None), (300_000, 300_000, None)]
