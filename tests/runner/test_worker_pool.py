"""A pool of workers: each number is drawn once, and a lost worker is reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.processes import descendants_of, lives, until

from harness.model.transcript import Job
from harness.process.loop import run
from harness.runner import worker_pool
from harness.runner.worker_pool import Serializer, WorkerPool

SERIALIZER: Serializer[object] = Serializer(
    lambda outcome: json.dumps(outcome).encode(), json.loads
)
LOST = "a worker of xtest was killed by SIGKILL; cases are missing"


def squares(numbers: Iterator[int], place: int) -> Generator[object, None, None]:
    """Yield each number, its square, and the worker that drew it."""
    for number in numbers:
        yield [place, number, number * number]


def sleepers(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
    """Yield the runs of a program that prints its process number and keeps running."""
    jobs = ((number, Job(("/bin/sh", "-c", "echo $$; exec sleep 600"), b"")) for number in numbers)
    yield os.getpid()
    for number, transcript in run(jobs, 2, os.environ, sole_parent=True):
        yield [number, transcript.wall_s]


def verbose_sleepers(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
    """The same, of a worker that waits for xtest to read a result."""
    argvs = (("/bin/true",), ("/bin/sleep", "600"), ("/bin/sleep", "600"))
    jobs = enumerate(Job(argv, b"") for argv in argvs)
    for _ in run(jobs, 3, os.environ, sole_parent=True):
        yield os.getpid()
        yield from (" " * 1_000_000 for _ in numbers)


def open_pipes() -> set[str]:
    """Return the pipes that this process has open."""
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return {os.readlink(link) for link in links if Path(link).is_fifo()}


def wait_for_subjects(workers: Iterable[object]) -> set[int]:
    """Wait until each worker has two subjects, and return these."""
    found: set[int] = set()
    for worker in workers:
        assert isinstance(worker, int)
        while len(subjects := descendants_of(worker)) < 2:
            time.sleep(0.01)
        found |= subjects
    return found


@pytest.mark.parametrize(("total", "workers"), [(0, 2), (1, 2), (100, 3), (40_001, 2)])
def test_each_number_is_drawn_by_one_worker(total: int, workers: int) -> None:
    with closing(WorkerPool(squares, SERIALIZER, total, workers)) as pool:
        came = [outcome for outcome in pool.outcomes() if isinstance(outcome, list)]
        assert not pool.losses()
    assert sorted(number for _, number, _ in came) == list(range(total))
    assert all(square == number * number for _, number, square in came)
    for place in range(workers):
        drawn = [number for worker, number, _ in came if worker == place]
        assert drawn == sorted(drawn)


def test_workers_hold_no_pipe_that_a_subject_could_open() -> None:
    before = open_pipes()  # inherited

    def pipes(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
        yield from (sorted(open_pipes() - before) for _ in numbers)

    with closing(WorkerPool(pipes, SERIALIZER, 1, 2)) as pool:
        assert list(pool.outcomes()) == [[]]


def test_outcomes_of_any_size_come_back_whole() -> None:
    def texts(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
        yield from (str(number) * 300_000 for number in numbers)

    with closing(WorkerPool(texts, SERIALIZER, 5, 2)) as pool:
        assert sorted(map(str, pool.outcomes())) == [str(number) * 300_000 for number in range(5)]


def test_a_failed_worker_is_reported_and_the_others_finish(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def at_odds(numbers: Iterator[int], place: int) -> Generator[object, None, None]:
        if place == 0:
            raise ValueError("on purpose")
        yield from numbers

    with closing(WorkerPool(at_odds, SERIALIZER, 50, 2)) as pool:
        assert list(pool.outcomes()) == list(range(50))
        assert pool.losses() == ["a worker of xtest failed; please report what it printed"]
    assert capfd.readouterr().err.endswith("ValueError: on purpose\n")


def test_when_a_worker_is_killed_its_subjects_are_killed() -> None:
    with closing(WorkerPool(sleepers, SERIALIZER, 2, 1)) as pool:
        outcomes = pool.outcomes()
        worker = next(outcomes)
        subjects = wait_for_subjects([worker])
        assert isinstance(worker, int)
        os.kill(worker, signal.SIGKILL)
        assert not list(outcomes)
        assert pool.losses() == [LOST]
    assert not any(map(lives, subjects))


def test_a_stopped_pool_leaves_no_process_behind() -> None:
    with closing(WorkerPool(sleepers, SERIALIZER, 8, 2)) as pool:
        outcomes = pool.outcomes()
        started = wait_for_subjects([next(outcomes), next(outcomes)])
    assert not any(map(lives, started))


def test_a_worker_that_a_subject_stops_is_continued() -> None:
    def stopped(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
        for number in numbers:
            os.kill(os.getpid(), signal.SIGSTOP)
            yield number

    with closing(WorkerPool(stopped, SERIALIZER, 2, 1)) as pool:
        assert (list(pool.outcomes()), pool.losses()) == ([0, 1], [])


def stops_always(_numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
    """Stop this worker again and again."""
    yield os.getpid()
    while True:
        os.kill(os.getpid(), signal.SIGSTOP)


def test_a_worker_that_is_stopped_again_and_again_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_pool, "_CHECK_MS", 1)
    with closing(WorkerPool(stops_always, SERIALIZER, 1, 1)) as pool:
        assert len(list(pool.outcomes())) == 1
        assert pool.losses() == [LOST]


def test_a_pool_with_a_stopped_worker_can_be_closed() -> None:
    with closing(WorkerPool(stops_always, SERIALIZER, 1, 1)) as pool:
        worker = next(pool.outcomes())
        assert isinstance(worker, int)
        until(lambda: " T " in Path(f"/proc/{worker}/stat").read_text(encoding="ascii"))


def test_an_interruption_of_a_worker_interrupts_the_pool() -> None:
    def interrupted(numbers: Iterator[int], _place: int) -> Generator[object, None, None]:
        yield from numbers
        raise KeyboardInterrupt

    with closing(WorkerPool(interrupted, SERIALIZER, 3, 1)) as pool:
        outcomes = pool.outcomes()
        assert [next(outcomes), next(outcomes), next(outcomes)] == [0, 1, 2]
        with pytest.raises(KeyboardInterrupt):
            next(outcomes)


PARENT = """
import sys
sys.path += {path!r}
from harness.interruption import clean_up_when_stopped
clean_up_when_stopped()
from test_worker_pool import SERIALIZER, WorkerPool, sleepers, verbose_sleepers
for worker in WorkerPool({work}, SERIALIZER, 8, {workers}).outcomes():
    print(worker, flush=True)
"""


@pytest.mark.parametrize(("work", "workers"), [("sleepers", 2), ("verbose_sleepers", 1)])
def test_when_xtest_is_killed_its_workers_kill_their_subjects(work: str, workers: int) -> None:
    tests = Path(__file__).parents[1]
    path = [str(each) for each in (tests / "runner", tests, tests.parent)]
    script = PARENT.format(path=path, work=work, workers=workers)
    with subprocess.Popen([sys.executable, "-P", "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(parent.stdout.readline()) for _ in range(workers)]
        started = wait_for_subjects(pids)
        parent.kill()
    until(lambda: not any(map(lives, pids)))
    assert not any(map(lives, started))
