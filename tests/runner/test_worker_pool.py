"""A pool of workers: each number is drawn once, and a lost worker is reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.model.transcript import Job
from harness.process.loop import run
from harness.runner.worker_pool import Serializer, WorkerPool

PARCELS: Serializer[object] = Serializer(lambda outcome: json.dumps(outcome).encode(), json.loads)
LOST = "a worker of xtest was killed by SIGKILL; cases are missing"


def squares(numbers: Iterator[int], place: int) -> Iterator[object]:
    """Each number's square, and who drew it."""
    for number in numbers:
        yield [place, number, number * number]


def sleepers(numbers: Iterator[int], _place: int) -> Iterator[object]:
    """Runs of a program that says who it is, and goes on."""
    jobs = ((number, Job(("/bin/sh", "-c", "echo $$; exec sleep 600"), b"")) for number in numbers)
    yield os.getpid()
    for number, transcript in run(jobs, 2, os.environ, sole_parent=True):
        yield [number, transcript.wall_s]


def wait_until(holds: Callable[[], bool]) -> None:
    """Until something holds that must come about."""
    while not holds():
        time.sleep(0.01)


def below(pid: int) -> set[int]:
    """All living descendants of a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    found = {int(child) for child in listed}
    return found.union(*(below(child) for child in found))


def lives(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2][1] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("total", "hands"), [(0, 2), (1, 2), (100, 3), (40_001, 2)])
def test_each_number_is_drawn_by_one_hand(total: int, hands: int) -> None:
    with closing(WorkerPool(squares, PARCELS, total, hands)) as crew:
        came = [outcome for outcome in crew.outcomes() if isinstance(outcome, list)]
        assert not crew.losses()
    assert sorted(number for _, number, _ in came) == list(range(total))
    assert all(square == number * number for _, number, square in came)
    for place in range(hands):
        drawn = [number for hand, number, _ in came if hand == place]
        assert drawn == sorted(drawn)


def test_outcomes_of_any_size_come_back_whole() -> None:
    def texts(numbers: Iterator[int], _place: int) -> Iterator[object]:
        yield from (str(number) * 300_000 for number in numbers)

    with closing(WorkerPool(texts, PARCELS, 5, 2)) as crew:
        assert sorted(map(str, crew.outcomes())) == [str(number) * 300_000 for number in range(5)]


def test_a_hand_that_fails_is_told_of_and_the_others_finish(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def at_odds(numbers: Iterator[int], place: int) -> Iterator[object]:
        if place == 0:
            raise ValueError("on purpose")
        yield from numbers

    with closing(WorkerPool(at_odds, PARCELS, 50, 2)) as crew:
        assert list(crew.outcomes()) == list(range(50))
        assert crew.losses() == ["a worker of xtest failed; please report what it printed"]
    assert capfd.readouterr().err.endswith("ValueError: on purpose\n")


def test_when_a_hand_is_killed_what_it_ran_is_killed_too() -> None:
    with closing(WorkerPool(sleepers, PARCELS, 2, 1)) as crew:
        outcomes = crew.outcomes()
        hand = next(outcomes)
        assert isinstance(hand, int)
        wait_until(lambda: len(below(hand)) == 2)
        subjects = below(hand)
        os.kill(hand, signal.SIGKILL)
        assert not list(outcomes)
        assert crew.losses() == [LOST]
    assert not [pid for pid in subjects if lives(pid)]


def test_a_crew_that_is_stopped_goes_home_and_leaves_nothing_behind() -> None:
    with closing(WorkerPool(sleepers, PARCELS, 8, 2)) as crew:
        outcomes = crew.outcomes()
        hands = [next(outcomes), next(outcomes)]
        wait_until(lambda: all(isinstance(hand, int) and len(below(hand)) == 2 for hand in hands))
        started = set().union(*(below(hand) for hand in hands if isinstance(hand, int)))
    assert not [pid for pid in started if lives(pid)]


PARENT = """
import signal, sys
sys.path[:0] = {path!r}
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as xtest does
from test_worker_pool import PARCELS, WorkerPool, sleepers
for hand in WorkerPool(sleepers, PARCELS, 8, 2).outcomes():
    print(hand, flush=True)
"""


def test_when_xtest_itself_is_killed_its_crew_stops_all_that_runs() -> None:
    path = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    script = PARENT.format(path=path)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        hands = [int(parent.stdout.readline()), int(parent.stdout.readline())]
        wait_until(lambda: all(len(below(hand)) == 2 for hand in hands))
        started = set().union(*(below(hand) for hand in hands)) | set(hands)
        parent.kill()
    wait_until(lambda: not [pid for pid in started if lives(pid)])
