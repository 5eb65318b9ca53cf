"""Work is cut into batches, and the item that kills workers is found."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.cluster.batches import Batch, Batches


def _batches(items: int) -> Batches[int]:
    return Batches(iter(range(items)), items, lambda item: item // 1_000)


def _draw(batches: Batches[Any], workers: int) -> Batch[Any]:
    batch = batches.draw(workers)
    assert batch is not None
    return batch


def test_batches_take_about_five_seconds_once_a_probe_has_ended() -> None:
    batches = _batches(100_000)
    probe = _draw(batches, 2)
    assert len(probe.items) == 16
    batches.learn(probe, wall_s=0.32)
    assert 249 <= len(_draw(batches, 2).items) <= 251


def test_the_first_batch_uses_what_an_earlier_run_took() -> None:
    batches = Batches(iter("a" * 500 + "b" * 500), 1_000, str, {"a": 0.05, "b": 0.0})
    first = _draw(batches, 2)
    assert 99 <= len(first.items) <= 101
    later = [first, *iter(lambda: batches.draw(2), None)]
    assert max(len(batch.items) for batch in later) <= 256


def test_near_the_end_all_workers_get_something() -> None:
    batches = _batches(1_600)
    batches.learn(_draw(batches, 8), wall_s=0.32)
    assert 98 <= len(_draw(batches, 8).items) <= 100


def test_a_slow_kind_has_small_batches() -> None:
    batches = Batches(iter("aaaabbbbbbbb"), 12, str)
    batches.learn(Batch(("a",)), wall_s=0.01)
    batches.learn(Batch(("b",)), wall_s=5.0)
    drawn = ["".join(batch.items) for batch in iter(lambda: batches.draw(1), None)]
    assert drawn == ["aaaab", *"bbbbbbb"]


@given(
    items=st.integers(1, 60),
    deadly=st.sets(st.integers(0, 59), max_size=3),
    accidents=st.sets(st.integers(0, 40), max_size=6),
    workers=st.integers(1, 9),
)
def test_every_item_ends_once_whatever_dies(
    items: int, deadly: set[int], accidents: set[int], workers: int
) -> None:
    batches, ended, blamed = _batches(items), list[int](), set[int]()
    for turn, batch in enumerate(iter(lambda: batches.draw(workers), None)):
        if deadly.intersection(batch.items) or turn in accidents:
            item = batches.blame(batch)
            if item is not None:
                blamed.add(item)
                ended.append(item)
        else:
            batches.learn(batch, 0.1)
            ended += batch.items
    assert sorted(ended) == list(range(items))
    assert deadly.intersection(range(items)) <= blamed


def test_one_death_blames_no_item() -> None:
    batches = _batches(1)
    batch = _draw(batches, 1)
    assert batches.blame(batch) is None
    assert batches.draw(1) is batch and batches.blame(batch) == 0
