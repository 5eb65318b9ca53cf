"""The rules of Isolation by example; tests/xtests/test_request_laws.py compares random games."""

from __future__ import annotations

from math import inf

import pytest
from support.golden import Golden
from support.tables import check_table

from engines.isolation import Action, IllegalAction, IllegalActionReason, Isolation, perft

START = Isolation()
# Player 1 takes the centre, player 2 the bottom right corner.
PLACED = START.result(57).result(0)


def test_the_documented_opening() -> None:
    assert repr(START) == (
        "Isolation(board=41523161203939122082683632224299007, ply_count=0, locs=(None, None))"
    )
    assert PLACED == Isolation(41523161203939121938568444148443134, 2, (57, 0))
    assert START.actions() == [13 * row + column for row in range(9) for column in range(11)]
    assert repr(PLACED.actions()) == (
        "[<Action.NNE: 25>, <Action.ENE: 11>, <Action.ESE: -15>, <Action.SSE: -27>, "
        "<Action.SSW: -25>, <Action.WSW: -11>, <Action.WNW: 15>, <Action.NNW: 27>]"
    )
    assert START.liberties(57) == [82, 68, 42, 30, 32, 46, 72, 84]


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


@pytest.mark.parametrize("player_id", [-1, 2])
def test_there_is_no_third_player(player_id: int) -> None:
    with pytest.raises(ValueError) as caught:
        START.utility(player_id)
    assert str(caught.value) == f"player_id is {player_id}: expected 0 (player 1) or 1 (player 2)"


LOST = Isolation(board=36349881425809777517250506995532800, ply_count=84, locs=(32, 21))


def test_an_illegal_action_is_explained(golden: Golden) -> None:
    def explanation(given: tuple[str, list[int]]) -> str:
        state = {"start": START, "lost": LOST}[given[0]]
        *legal, illegal = given[1]
        for action in legal:
            state = state.result(action)
        with pytest.raises(IllegalAction) as caught:
            state.result(illegal)
        return str(caught.value)

    check_table(golden, __file__, "illegal_actions.txt", explanation)


def test_an_illegal_action_carries_its_state_action_cell_and_reason() -> None:
    with pytest.raises(IllegalAction) as caught:
        PLACED.result(12)
    error = caught.value
    assert (error.state, error.action, error.cell) == (PLACED, 12, 69)
    assert error.reason is IllegalActionReason.NOT_A_STEP


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate([1, 8, 16, 109, 527, 2880, 13148, 65021, 341228])),
)
def test_known_perft_counts(depth: int, count: int) -> None:
    assert perft(PLACED, depth) == count


def test_perft_plays_nothing_after_the_end_of_the_game() -> None:
    # Player 1 could move, but player 2 cannot.
    over = Isolation(board=1 << 27, ply_count=2, locs=(0, 114))
    assert over.actions() == [Action.NNW]
    assert [perft(over, depth) for depth in range(3)] == [1, 0, 0]


def test_perft_refuses_a_negative_depth() -> None:
    with pytest.raises(ValueError, match="^depth is -1: expected 0 or more$"):
        perft(START, -1)
