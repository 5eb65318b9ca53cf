"""Isolation: the documentation's examples, the decisions where it is silent, and the refusals."""

from math import inf

import pytest

from engines.isolation import Action, IllegalAction, Isolation, NotACell, Refusal

START = Isolation()
# Player 1 takes the centre, player 2 the bottom right corner.
PLACED = START.result(57).result(0)

FIRST_ACTIONS_END = Isolation(
    board=41381167001018985136977239403530224, ply_count=34, locs=(106, 13)
)
PRINTED_END = Isolation(board=36349881425809777517250506995532800, ply_count=84, locs=(32, 21))


def test_a_new_game_prints_as_documented() -> None:
    assert repr(START) == (
        "Isolation(board=41523161203939122082683632224299007, ply_count=0, locs=(None, None))"
    )


def test_the_documented_opening_has_the_documented_fields() -> None:
    assert PLACED.board == 41523161203939121938568444148443134
    assert PLACED.ply_count == 2
    assert PLACED.locs == (57, 0)


def test_the_opening_actions_are_the_open_cells_ascending() -> None:
    assert START.actions() == [13 * row + column for row in range(9) for column in range(11)]


def test_the_actions_of_a_placed_piece_are_documented() -> None:
    assert repr(PLACED.actions()) == (
        "[<Action.NNE: 25>, <Action.ENE: 11>, <Action.ESE: -15>, <Action.SSE: -27>, "
        "<Action.SSW: -25>, <Action.WSW: -11>, <Action.WNW: 15>, <Action.NNW: 27>]"
    )


def test_a_caller_may_change_the_list_of_actions() -> None:
    PLACED.actions().clear()
    assert len(PLACED.actions()) == 8


def test_the_players_take_turns() -> None:
    assert START.player() == 0
    assert START.result(57).player() == 1
    assert PLACED.player() == 0


def test_the_documented_liberties_come_in_the_order_of_actions() -> None:
    assert START.liberties(57) == [82, 68, 42, 30, 32, 46, 72, 84]


def test_a_blocked_cell_is_no_liberty() -> None:
    assert START.result(68).result(30).liberties(57) == [82, 42, 32, 46, 72, 84]


def test_the_liberties_of_a_piece_not_yet_placed_are_the_open_cells() -> None:
    state = START.result(0)
    assert state.liberties(state.locs[1]) == state.actions()


def test_liberties_of_no_cell_are_refused() -> None:
    with pytest.raises(NotACell) as caught:
        START.liberties(12)
    assert str(caught.value) == (
        "12 is not a cell of the 11 by 9 board: expected 13 * row + column, "
        "row 0 to 8 from the bottom, column 0 to 10 from the right"
    )


def test_a_result_leaves_its_origin_as_it_was() -> None:
    PLACED.result(Action.NNE)
    assert PLACED == Isolation(41523161203939121938568444148443134, 2, (57, 0))


def test_an_action_moves_the_piece_of_the_one_who_plays() -> None:
    after = PLACED.result(Action.WSW).result(Action.NNW)
    assert after.locs == (46, 27)
    assert PLACED.board - after.board == 2**46 + 2**27


def test_the_integer_of_an_action_will_do() -> None:
    assert PLACED.result(-15) == PLACED.result(Action.ESE)


def test_an_action_that_equals_a_cell_places_the_piece_on_that_cell() -> None:
    assert repr(START.result(Action.WNW).locs) == "(15, None)"


def test_states_are_hashable_and_equal_by_value() -> None:
    other_way = START.result(82).result(0).result(Action.SSW)
    book = {other_way: "seen"}
    assert book[Isolation(other_way.board, 3, (57, 0))] == "seen"


def test_the_first_of_the_actions_played_to_the_end_is_not_the_printed_end_bug() -> None:
    """The documentation plays actions()[0] to the end twice and prints ply 84 with locs (32, 21).
    Under its own order of actions the game ends at ply 34: player 2 is stuck on cell 13, while
    player 1 could go on."""
    state = START
    while not state.terminal_test():
        state = state.result(state.actions()[0])
    assert state == FIRST_ACTIONS_END
    assert state.liberties(13) == []
    assert state.actions() == [Action.WSW]
    assert [state.utility(0), state.utility(1)] == [inf, -inf]


def test_the_printed_end_is_an_end_that_player_2_has_won() -> None:
    assert PRINTED_END.terminal_test()
    assert repr([PRINTED_END.utility(0), PRINTED_END.utility(1)]) == "[-inf, inf]"


def test_a_new_game_is_not_over_and_worth_the_integer_0() -> None:
    assert not START.terminal_test()
    assert repr([START.utility(0), START.utility(1)]) == "[0, 0]"


# Cell 0 is a cell: code that asks for the truth of a liberty takes it for none.
ONLY_CELL_0 = Isolation(board=1 << 0 | 1 << 84, ply_count=2, locs=(15, 57))


def test_a_player_whose_only_liberty_is_cell_0_has_a_move() -> None:
    assert ONLY_CELL_0.liberties(15) == [0]
    assert ONLY_CELL_0.actions() == [Action.ESE]
    assert not ONLY_CELL_0.terminal_test()
    assert ONLY_CELL_0.utility(0) == 0


def test_cell_0_can_be_taken() -> None:
    taken = ONLY_CELL_0.result(Action.ESE)
    assert (taken.board, taken.locs) == (1 << 84, (0, 57))


def test_cell_0_is_enough_for_a_piece_not_yet_placed() -> None:
    last = Isolation(board=1, ply_count=1, locs=(15, None))
    assert last.actions() == [0]
    assert not last.terminal_test()
    assert last.result(0).locs == (15, 0)


def test_a_piece_that_stands_on_cell_0_is_placed() -> None:
    assert START.result(0).result(57).actions() == [Action.WNW, Action.NNW]


def test_a_full_board_is_over_for_a_piece_not_yet_placed() -> None:
    assert Isolation(board=0).terminal_test()


STUCK, FREE = 114, 0
OPEN_TO_FREE = 1 << 27


@pytest.mark.parametrize(
    ("board", "ply_count", "locs", "worth"),
    [
        (OPEN_TO_FREE, 4, (STUCK, FREE), [-inf, inf]),
        (OPEN_TO_FREE, 4, (FREE, STUCK), [inf, -inf]),
        (OPEN_TO_FREE, 5, (STUCK, FREE), [-inf, inf]),
        (OPEN_TO_FREE, 5, (FREE, STUCK), [inf, -inf]),
        # Both are stuck: who plays has lost.
        (0, 4, (STUCK, FREE), [-inf, inf]),
        (0, 5, (STUCK, FREE), [inf, -inf]),
    ],
)
def test_who_cannot_go_on_has_lost_and_first_of_all_the_one_who_plays(
    board: int, ply_count: int, locs: tuple[int, int], worth: list[float]
) -> None:
    state = Isolation(board, ply_count, locs)
    assert state.terminal_test()
    assert [state.utility(0), state.utility(1)] == worth


@pytest.mark.parametrize("player_id", [-1, 2])
def test_there_is_no_third_player(player_id: int) -> None:
    with pytest.raises(ValueError) as caught:
        START.utility(player_id)
    assert str(caught.value) == (f"player_id is {player_id}: expected 0 (player 1) or 1 (player 2)")


@pytest.mark.parametrize(
    ("state", "action", "cell", "reason", "message"),
    [
        (
            START,
            11,
            11,
            Refusal.OFF_THE_BOARD,
            "player 1 to move, placing it: cell 11 is off the board; expected an open cell",
        ),
        (
            START,
            -1,
            -1,
            Refusal.OFF_THE_BOARD,
            "player 1 to move, placing it: cell -1 is off the board; expected an open cell",
        ),
        (
            START,
            10**12,
            10**12,
            Refusal.OFF_THE_BOARD,
            "player 1 to move, placing it: cell 1000000000000 is off the board; "
            "expected an open cell",
        ),
        (
            START.result(57),
            57,
            57,
            Refusal.OCCUPIED,
            "player 2 to move, placing it: cell 57 is taken by a piece; expected an open cell",
        ),
        (
            PLACED,
            12,
            69,
            Refusal.NOT_A_STEP,
            "player 1 to move, action 12 from cell 57: cell 69 is not one step away; "
            "expected NNE (25), ENE (11), ESE (-15), SSE (-27), SSW (-25), WSW (-11), "
            "WNW (15), NNW (27)",
        ),
        (
            PLACED.result(Action.NNE),
            Action.SSE,
            -27,
            Refusal.OFF_THE_BOARD,
            "player 2 to move, action -27 from cell 0: cell -27 is off the board; "
            "expected WNW (15), NNW (27)",
        ),
        (
            PLACED.result(Action.NNE),
            Action.NNE,
            25,
            Refusal.OFF_THE_BOARD,
            "player 2 to move, action 25 from cell 0: cell 25 is off the board; "
            "expected WNW (15), NNW (27)",
        ),
        (
            START.result(57).result(82),
            Action.NNE,
            82,
            Refusal.OCCUPIED,
            "player 1 to move, action 25 from cell 57: cell 82 is taken by a piece; "
            "expected ENE (11), ESE (-15), SSE (-27), SSW (-25), WSW (-11), WNW (15), NNW (27)",
        ),
        (
            PLACED.result(Action.NNE).result(Action.WNW),
            Action.SSW,
            57,
            Refusal.BLOCKED,
            "player 1 to move, action -25 from cell 82: cell 57 is blocked; expected NNE (25), "
            "ENE (11), ESE (-15), SSE (-27), WSW (-11), WNW (15), NNW (27)",
        ),
        (
            PRINTED_END,
            Action.NNE,
            57,
            Refusal.BLOCKED,
            "player 1 to move, action 25 from cell 32: cell 57 is blocked; "
            "expected nothing: the piece has nowhere to go",
        ),
    ],
)
def test_result_refuses_what_is_not_in_actions_and_says_why(
    state: Isolation, action: int, cell: int, reason: Refusal, message: str
) -> None:
    with pytest.raises(IllegalAction) as caught:
        state.result(action)
    assert (caught.value.state, caught.value.action) == (state, action)
    assert (caught.value.cell, caught.value.reason) == (cell, reason)
    assert str(caught.value) == message
