"""A pool of workers: each number is drawn once, and a lost worker is reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from support.processes import descendants_of, lives, until

from harness.engine import worker_pool
from harness.engine.worker_pool import DrawnNumbers, WorkerPool, WorkFunction
from harness.model.transcript import Job
from harness.process.loop import in_order, run

LOST = "a worker of xtest was killed by SIGKILL"


def start_pool(
    work: WorkFunction[object],
    total: int,
    workers: int,
    most_drawn: int = 1,
    on_loss: Callable[[int], None] = lambda _place: None,
) -> WorkerPool[object]:
    return WorkerPool(
        work,
        total,
        workers,
        pack=lambda outcomes: (json.dumps([each]).encode() for each in outcomes),
        unpack=json.loads,
        most_drawn=most_drawn,
        on_loss=on_loss,
    )


def squares(numbers: Iterator[int], place: int) -> Generator[Sequence[object], None, None]:
    """Yield each number, its square, and the worker that drew it."""
    for number in numbers:
        yield [[place, number, number * number]]


def sleepers(numbers: Iterator[int], _place: int) -> Generator[Sequence[object], None, None]:
    """Yield the worker, which has two subjects that sleep, and a large result for each number."""
    argvs = (("/bin/true",), ("/bin/sleep", "600"), ("/bin/sleep", "600"))
    jobs = enumerate(Job(argv, b"") for argv in argvs)
    for _ in run(in_order(jobs), 3, os.environ, sole_parent=True):
        yield [os.getpid()]
        yield from ([" " * 1_000_000] for _ in numbers)


def wait_for_subjects(workers: Iterable[object]) -> set[int]:
    """Wait until each worker has two subjects, and return these."""
    found: set[int] = set()
    for worker in workers:
        assert isinstance(worker, int)
        while len(subjects := descendants_of(worker)) < 2:
            time.sleep(0.01)
        found |= subjects
    return found


@pytest.mark.parametrize("most_drawn", [1, 8])
@pytest.mark.parametrize(("total", "workers"), [(0, 2), (1, 2), (100, 3), (40_001, 2)])
def test_each_number_is_drawn_by_one_worker(total: int, workers: int, most_drawn: int) -> None:
    with closing(start_pool(squares, total, workers, most_drawn)) as pool:
        came = [outcome for outcome in pool.outcomes() if isinstance(outcome, list)]
        assert not pool.losses()
    assert sorted(number for _, number, _ in came) == list(range(total))
    assert all(square == number * number for _, number, square in came)
    for place in range(workers):
        drawn = [number for worker, number, _ in came if worker == place]
        assert drawn == sorted(drawn)


def test_fewer_numbers_are_drawn_at_once_as_fewer_are_left() -> None:
    def held(numbers: DrawnNumbers, _place: int) -> Generator[Sequence[object], None, None]:
        yield from ([numbers.in_hand] for _ in numbers)

    with closing(start_pool(held, 30, 1, 4)) as pool:
        in_hand = [*([3, 2, 1, 0] * 4), *([2, 1, 0] * 1), *([1, 0] * 2), *([0] * 7)]
        assert list(pool.outcomes()) == in_hand


def test_outcomes_of_any_size_come_back_whole() -> None:
    def texts(numbers: Iterator[int], _place: int) -> Generator[Sequence[object], None, None]:
        yield from ([str(number) * 300_000] for number in numbers)

    with closing(start_pool(texts, 5, 2)) as pool:
        assert sorted(map(str, pool.outcomes())) == [str(number) * 300_000 for number in range(5)]


def test_a_failed_worker_is_reported_and_the_others_finish(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def at_odds(numbers: Iterator[int], place: int) -> Generator[Sequence[object], None, None]:
        if place == 0:
            raise ValueError("on purpose")
        yield from ([number] for number in numbers)

    with closing(start_pool(at_odds, 50, 2)) as pool:
        assert list(pool.outcomes()) == list(range(50))
        assert pool.losses() == ["a worker of xtest failed; please report its output"]
    assert capfd.readouterr().err.endswith("ValueError: on purpose\n")


def test_a_killed_worker_is_replaced_and_loses_only_what_it_drew() -> None:
    def fatal(numbers: Iterator[int], _place: int) -> Generator[Sequence[object], None, None]:
        for number in numbers:
            if number in (5, 20):
                os.kill(os.getpid(), signal.SIGKILL)
            yield [number]

    lost: list[int] = []
    with closing(start_pool(fatal, 50, 1, 4, on_loss=lost.append)) as pool:
        drawn_together = {5, 6, 7, 20, 21, 22, 23}
        assert list(pool.outcomes()) == sorted({*range(50)} - drawn_together)
        assert pool.losses() == [LOST.replace("a worker of xtest was", "2 workers of xtest were")]
    assert lost == [0, 0]


def test_a_worker_that_is_killed_before_it_draws_is_not_replaced() -> None:
    def dead(_numbers: Iterator[int], _place: int) -> Generator[Sequence[object], None, None]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield []

    with closing(start_pool(dead, 9, 1)) as pool:
        assert not list(pool.outcomes())
        assert pool.losses() == [LOST]


def test_a_stopped_pool_leaves_no_process_behind() -> None:
    with closing(start_pool(sleepers, 0, 2)) as pool:
        outcomes = pool.outcomes()
        started = wait_for_subjects([next(outcomes), next(outcomes)])
    assert not any(map(lives, started))


def stops_always(_numbers: Iterator[int], _place: int) -> Generator[Sequence[object], None, None]:
    """Stop this worker again and again."""
    yield [os.getpid()]
    while True:
        os.kill(os.getpid(), signal.SIGSTOP)


def test_a_worker_that_is_stopped_again_and_again_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_pool, "_CHECK_MS", 1)
    with closing(start_pool(stops_always, 1, 1)) as pool:
        assert len(list(pool.outcomes())) == 1
        assert pool.losses() == [LOST.replace("killed by SIGKILL", "stopped by a subject 11 times")]


def test_a_pool_with_a_stopped_worker_can_be_closed() -> None:
    with closing(start_pool(stops_always, 1, 1)) as pool:
        worker = next(pool.outcomes())
        assert isinstance(worker, int)
        until(lambda: " T " in Path(f"/proc/{worker}/stat").read_text(encoding="ascii"))


PARENT = """
import sys
sys.path += {path!r}
from harness.interruption import clean_up_when_stopped
clean_up_when_stopped()
from test_worker_pool import sleepers, start_pool
for worker in start_pool(sleepers, 8, 1).outcomes():
    print(worker, flush=True)
"""


def test_when_xtest_is_killed_its_workers_kill_their_subjects() -> None:
    tests = Path(__file__).parents[1]
    script = PARENT.format(path=[str(each) for each in (tests / "engine", tests, tests.parent)])
    with subprocess.Popen([sys.executable, "-P", "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        started = wait_for_subjects([worker])
        parent.kill()
    until(lambda: not lives(worker))
    assert not any(map(lives, started))
