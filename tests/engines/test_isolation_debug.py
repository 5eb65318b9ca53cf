"""DebugState: the documentation's examples, and what its grid shows of a game under way."""

from engines.isolation import Action, DebugState, Isolation

PLACED = Isolation().result(57).result(0)

RULE = "+ - + - + - + - + - + - + - + - + - + - + - +"
BLANK = "|   |   |   |   |   |   |   |   |   |   |   |"


def grid(*rows: str) -> str:
    """What is printed of nine rows: a rule around each, an empty line before and behind."""
    return "\n".join(["", RULE, *(f"{row}\n{RULE}" for row in rows), ""])


def test_a_debug_state_prints_as_documented() -> None:
    assert repr(DebugState.from_state(PLACED)) == (
        "DebugState(board=41523161203939121938568444148443134, ply_count=2, locs=(57, 0))"
    )


def test_the_documented_bits_of_the_board() -> None:
    assert DebugState.from_state(PLACED).bitboard_string == (
        "1111111111100111111111110011111111111001111111111100111110111110011111111111001111"
        "111111100111111111110011111111110"
    )


def test_the_bits_keep_their_places_when_the_top_left_cell_is_taken() -> None:
    bits = DebugState.from_state(Isolation().result(114)).bitboard_string
    assert (len(bits), bits[:13]) == (115, "0111111111100")


def test_the_documented_coordinates_of_an_index() -> None:
    assert DebugState.ind2xy(57) == (5, 4)


def test_the_documented_coordinates_of_an_action_taken_for_an_index() -> None:
    assert DebugState.ind2xy(PLACED.actions()[0]) == (12, 1)


def test_the_documented_grid_of_a_new_game() -> None:
    assert str(DebugState.from_state(Isolation())) == grid(*[BLANK] * 9)


def test_the_documented_grid_of_two_pieces() -> None:
    assert str(DebugState.from_state(PLACED)) == grid(
        BLANK,
        BLANK,
        BLANK,
        BLANK,
        "|   |   |   |   |   | 1 |   |   |   |   |   |",
        BLANK,
        BLANK,
        BLANK,
        "|   |   |   |   |   |   |   |   |   |   | 2 |",
    )


def test_cells_that_were_left_are_blocked_in_the_grid() -> None:
    state = PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW)
    assert str(DebugState.from_state(state)) == grid(
        BLANK,
        "|   |   |   |   |   |   | 1 |   |   |   |   |",
        BLANK,
        "|   |   |   |   |   |   |   | X |   |   |   |",
        "|   |   |   |   |   | X |   |   |   |   |   |",
        BLANK,
        "|   |   |   |   |   |   |   |   |   | 2 |   |",
        BLANK,
        "|   |   |   |   |   |   |   |   |   |   | X |",
    )


def test_a_debug_state_is_the_state_it_was_made_from() -> None:
    assert DebugState.from_state(PLACED) == PLACED
    assert hash(DebugState.from_state(PLACED)) == hash(PLACED)


def test_the_result_of_a_debug_state_is_a_plain_state() -> None:
    assert repr(DebugState.from_state(Isolation()).result(57)).startswith("Isolation(")
