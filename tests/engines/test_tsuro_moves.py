"""The records of moves, and the observer's interface."""

from __future__ import annotations

from copy import deepcopy

from engines.tsuro import (
    BoardObserver,
    BoardPosition,
    InitialMove,
    IntermediateMove,
    Port,
    tile_pattern,
)

_INITIAL = InitialMove(BoardPosition(0, 6), tile_pattern(15, 90), Port.RightTop, "green")


def test_an_initial_move_is_a_position_a_tile_a_port_and_a_player() -> None:
    assert _INITIAL == InitialMove(
        position=BoardPosition(0, 6), tile=tile_pattern(15, 90), port=Port.RightTop, player="green"
    )


def test_an_intermediate_move_is_a_tile_and_a_player() -> None:
    tile = tile_pattern(15, 90)
    assert IntermediateMove(tile, "green") == IntermediateMove(tile=tile, player="green")


def test_a_deep_copy_of_a_move_has_a_copy_of_its_tile_as_it_is_turned() -> None:
    first = deepcopy(_INITIAL)
    later = deepcopy(IntermediateMove(_INITIAL.tile, "green"))
    assert first == _INITIAL
    assert later.player == "green"
    for copied in (first.tile, later.tile):
        assert copied is not _INITIAL.tile
        assert copied.same_wires(_INITIAL.tile)


def test_an_observer_that_overrides_nothing_may_be_told_everything() -> None:
    class _Idle(BoardObserver):
        """Heeds nothing."""

    idle = _Idle()
    idle.player_exited_board("red")
    idle.player_entered_loop("red")
