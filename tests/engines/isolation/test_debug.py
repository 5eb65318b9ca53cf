"""DebugState prints a state as the original documentation does."""

from __future__ import annotations

from support.golden import Golden

from engines.isolation import Action, DebugState, Isolation

PLACED = Isolation().result(57).result(0)


def test_a_debug_state_prints_as_documented() -> None:
    assert repr(DebugState.from_state(PLACED)) == (
        "DebugState(board=41523161203939121938568444148443134, ply_count=2, locs=(57, 0))"
    )
    assert DebugState.from_state(PLACED).bitboard_string == (
        "1111111111100111111111110011111111111001111111111100111110111110011111111111001111"
        "111111100111111111110011111111110"
    )


def test_the_bits_keep_their_places_when_the_top_left_cell_is_taken() -> None:
    bits = DebugState.from_state(Isolation().result(114)).bitboard_string
    assert (len(bits), bits[:13]) == (115, "0111111111100")


def test_coordinates_count_columns_from_the_right_and_rows_from_the_bottom() -> None:
    assert DebugState.ind2xy(57) == (5, 4)
    assert DebugState.ind2xy(25) == (12, 1)  # any integer


def test_the_grid_shows_pieces_and_blocked_cells(golden: Golden) -> None:
    state = PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW)
    golden("grid.txt", str(DebugState.from_state(state)))


def test_a_debug_state_equals_its_origin_and_its_results_are_plain() -> None:
    assert DebugState.from_state(PLACED) == PLACED
    assert hash(DebugState.from_state(PLACED)) == hash(PLACED)
    assert repr(DebugState.from_state(Isolation()).result(57)).startswith("Isolation(")
