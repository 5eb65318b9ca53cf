"""States, cells and the debug view; docs/games/isolation.md and the corpus define them."""

from __future__ import annotations

from math import inf
from typing import cast

import pytest
from support.golden import Golden

from engines import isolation
from engines.isolation import GRID, Action, DebugState, IllegalAction, Isolation, perft

START = Isolation()
# Player 1 takes the centre, player 2 the bottom right corner.
PLACED = START.result(57).result(0)
LOST = Isolation(board=36349881425809777517250506995532800, ply_count=84, locs=(32, 21))


def test_actions_returns_a_new_list() -> None:
    PLACED.actions().clear()
    assert len(PLACED.actions()) == 8


def test_always_playing_the_first_action_ends_at_ply_34_bug() -> None:
    """The original documentation prints ply 84 and locs (32, 21), which contradicts its order."""
    state = START
    while not state.terminal_test():
        state = state.result(state.actions()[0])
    assert state == Isolation(41381167001018985136977239403530224, 34, (106, 13))
    assert (state.liberties(13), state.actions()) == ([], [Action.WSW])
    assert [state.utility(0), state.utility(1)] == [inf, -inf]


@pytest.mark.parametrize("state", [START, PLACED])
@pytest.mark.parametrize("action", ["57", 57.9, 25.0, None])
def test_an_action_must_be_an_integer(state: Isolation, action: object) -> None:
    with pytest.raises(TypeError):
        state.result(cast(int, action))


def test_an_illegal_action_is_explained(golden: Golden) -> None:
    def explanation(given: tuple[str, list[int]]) -> str:
        state = {"start": START, "lost": LOST}[given[0]]
        *legal, illegal = given[1]
        for action in legal:
            state = state.result(action)
        with pytest.raises(IllegalAction) as caught:
            state.result(illegal)
        return str(caught.value)

    golden.table("illegal_actions.txt", explanation)


def test_an_illegal_action_carries_its_state_action_cell_and_reason() -> None:
    with pytest.raises(IllegalAction) as caught:
        PLACED.result(12)
    error = caught.value
    assert (error.state, error.action, error.cell) == (PLACED, 12, 69)
    assert error.reason is isolation.IllegalActionReason.NOT_A_STEP


def test_perft_plays_nothing_after_the_end_of_the_game() -> None:
    # Player 1 could move, but player 2 cannot.
    over = Isolation(board=1 << 27, ply_count=2, locs=(0, 114))
    assert over.actions() == [Action.NNW]
    assert [perft(over, depth) for depth in range(3)] == [1, 0, 0]


def test_border_bits_and_indices_off_the_board_are_not_cells() -> None:
    assert [GRID.cell(index) for index in (0, 10, 104, 114)] == [0, 10, 104, 114]
    for index in (-1, -13, 11, 12, 103, 115, 117, 118):
        with pytest.raises(isolation.NotACell) as caught:
            GRID.cell(index)
        assert (caught.value.encoding, caught.value.index) == (GRID, index)


def test_the_bits_keep_their_places_when_the_top_left_cell_is_taken() -> None:
    bits = DebugState.from_state(START.result(114)).bitboard_string
    assert (len(bits), bits[:13]) == (115, "0111111111100")


def test_the_grid_shows_pieces_and_blocked_cells(golden: Golden) -> None:
    state = PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW)
    golden("grid.txt", str(DebugState.from_state(state)))


def test_a_debug_state_equals_its_origin_and_its_results_are_plain() -> None:
    debug = DebugState.from_state(PLACED)
    assert (debug, hash(debug)) == (PLACED, hash(PLACED))
    assert repr(debug) == repr(PLACED).replace("Isolation", "DebugState")
    assert not isinstance(debug.result(Action.NNE), DebugState)
