"""The board: what one process writes, another reads at once."""

from __future__ import annotations

import os
import time

from harness.engine.progress import ProgressBoard, WorkerSlots


def track(slots: WorkerSlots, name: str, runs: int = 1) -> list[tuple[int]]:
    """Put runs on the board, and return their keys."""
    keys = [(number,) for number in range(runs)]
    for key in keys:
        slots.begin(key, name, 7.0, 3)
    return keys


def test_a_run_is_on_the_board_from_its_start_to_its_end() -> None:
    board = ProgressBoard(2)
    slots = board.slots()
    before = time.monotonic()
    key = track(slots, "né/1")[0]
    assert len(board.running()) == 1
    entry = board.running()[0]
    assert (entry.name, entry.limit_s, entry.cases) == ("né/1", 7.0, 3)
    assert 0 <= entry.age_s <= time.monotonic() - before
    slots.release(key)
    assert not board.running()


def test_cases_that_run_once_more_are_counted_from_0() -> None:
    board = ProgressBoard(1)
    slots = board.slots()
    track(slots, "lost")
    slots.count_case()
    board.restart(1, "again")
    assert (board.done, board.running(), board.note) == (0, [], "again")
    slots.count_case()
    assert board.done == 1


def test_runs_without_a_slot_still_run_and_long_names_are_cut() -> None:
    board = ProgressBoard(2)
    slots = board.slots()
    keys = track(slots, "€" * 500, runs=5)
    assert [entry.name for entry in board.running()] == ["€" * 37] * 2
    for key in keys:
        slots.release(key)
    assert not board.running()


def test_what_another_process_writes_is_read_here() -> None:
    board = ProgressBoard(3)
    pid = os.fork()
    if pid == 0:
        slots = board.slots(1, 2)
        track(slots, "theirs")
        slots.count_case()
        slots.count_case()
        os._exit(0)
    os.waitpid(pid, 0)
    slots = board.slots(0, 2)
    track(slots, "ours")
    slots.count_case()
    assert board.done == 3
    assert sorted(entry.name for entry in board.running()) == ["ours", "theirs"]
