"""The board: what one process writes, another reads at once."""

from __future__ import annotations

import os
import time

from harness.records import Job, Limits, NotStarted, Transcript
from harness.runs.board import Board


def job(wall_s: float = 10.0) -> Job:
    """A job with this limit."""
    return Job(("true",), b"", Limits(wall_s=wall_s))


def test_a_run_is_on_the_board_from_its_start_to_its_end() -> None:
    board = Board(2)
    desk = board.desk()
    before = time.monotonic()
    ((key, _),) = desk.watched(iter([(("unit", 1), job(7.0))]), lambda key: f"né/{key[1]}")
    assert len(board.running()) == 1
    entry = board.running()[0]
    assert (entry.name, entry.clock_s) == ("né/1", 7.0)
    assert before <= entry.begun <= time.monotonic()
    desk.ended(key)
    assert not board.running()


def test_more_than_have_room_are_run_all_the_same() -> None:
    board = Board(2)
    desk = board.desk()
    keys = [key for key, _ in desk.watched(iter([((n,), job()) for n in range(5)]), str)]
    assert len(board.running()) == 2
    for key in keys:
        desk.ended(key)
    assert not board.running()


def test_what_needs_no_process_is_not_on_it() -> None:
    board = Board(1)
    ready = Transcript(NotStarted("no such file"))
    assert len(list(board.desk().watched(iter([("key", ready)]), str))) == 1
    assert not board.running()


def test_a_long_name_is_cut_and_takes_no_other_slot() -> None:
    board = Board(2)
    list(board.desk().watched(iter([((1,), job()), ((2,), job())]), lambda key: "é" * 500))
    assert [len(entry.name) for entry in board.running()] == [56, 56]


def test_what_another_process_writes_is_read_here() -> None:
    board = Board(3)
    pid = os.fork()
    if pid == 0:
        desk = board.desk(1, 2)
        list(desk.watched(iter([((1,), job())]), lambda key: "theirs"))
        desk.count()
        desk.count()
        os._exit(0)
    os.waitpid(pid, 0)
    board.desk(0, 2).count()
    assert board.done == 3
    assert [entry.name for entry in board.running()] == ["theirs"]
