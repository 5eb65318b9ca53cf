"""Positions and rules, on boards that no symmetry maps to themselves."""

from __future__ import annotations

import pytest

from engines.tictactoe.board import (
    DRAW,
    O_WINS,
    START,
    X_WINS,
    Cell,
    Player,
    State,
    cell_at,
    cell_of,
    finished,
    mark_at,
    marks,
    moves,
    next_states,
    parse,
    place,
    player_of,
    state_of,
    symbols,
    utility,
    winner,
    winning_lines,
)

# X to move wins in cell 2; a board without a symmetry of its own.
OPEN = "XX.OO...."


def board(text: str) -> State:
    """The state of nine symbols."""
    return parse(text).value()


# Building


def test_x_is_in_the_first_nine_bits_and_o_in_the_second() -> None:
    assert board("X.......O") == 2**0 + 2 ** (9 + 8)


def test_the_start_is_the_empty_board() -> None:
    assert board(".........") == START == 0


def test_a_state_of_a_number_is_that_number() -> None:
    assert state_of(0b000011000_000000011).value() == board(OPEN)


def test_unequal_numbers_of_marks_make_a_state() -> None:
    assert symbols(state_of(0b111_111_111).value()) == "XXXXXXXXX"
    assert symbols(state_of(0b111_111_111 << 9).value()) == "OOOOOOOOO"


@pytest.mark.parametrize("number", [-1, 2**18, 10**30])
def test_a_number_of_other_than_eighteen_bits_is_no_state(number: int) -> None:
    assert state_of(number).error() == (
        f"{number} is no state: expected 18 bits, a number from 0 to 262143"
    )


def test_a_cell_with_both_marks_is_refused_and_named_even_if_it_is_cell_0() -> None:
    assert state_of(0b000000001_000000001).error() == (
        "513 is no state: X and O share cell 0, expected one mark a cell"
    )


def test_all_shared_cells_are_named() -> None:
    assert state_of(0b100100000_110100000).error() == (
        "147872 is no state: X and O share cell 5, 8, expected one mark a cell"
    )


def test_a_line_on_both_sides_is_refused_and_both_lines_are_named() -> None:
    assert state_of(0b000111000_000000111).error() == (
        "28679 is no state: X holds the line 0, 1, 2 and O the line 3, 4, 5, "
        "expected that a game ends with its first line"
    )


@pytest.mark.parametrize(
    "text", ["", "XO......", "XO........", "xO.......", "X O......", "XO0......"]
)
def test_a_text_of_other_than_nine_symbols_is_no_board(text: str) -> None:
    assert parse(text).error() == f"{text!r} is no board: expected 9 symbols out of X, O and ."


def test_a_text_that_shows_two_lines_is_refused_as_its_number_is() -> None:
    assert parse("XXXOOO...").error() == state_of(0b000111000_000000111).error()


def test_cells_are_numbered_row_by_row() -> None:
    numbers = [cell_at(row, column).value() for row in range(3) for column in range(3)]
    assert numbers == list(range(9))


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (3, 0), (0, 3)])
def test_a_row_or_a_column_beyond_the_board_is_no_cell(row: int, column: int) -> None:
    assert cell_at(row, column).error() == (
        f"row {row}, column {column} is no cell: expected a row and a column from 0 to 2"
    )


def test_the_numbers_from_0_to_8_are_cells() -> None:
    assert [cell_of(number).value() for number in range(9)] == list(range(9))


@pytest.mark.parametrize("number", [-1, 9])
def test_other_numbers_are_no_cells(number: int) -> None:
    assert cell_of(number).error() == f"{number} is no cell: expected a number from 0 to 8"


def test_player_0_is_x_and_player_1_is_o() -> None:
    assert (player_of(0).value(), player_of(1).value()) == (Player.X, Player.O)


@pytest.mark.parametrize("number", [-1, 2])
def test_other_numbers_are_no_players(number: int) -> None:
    assert player_of(number).error() == f"{number} is no player: expected 0 for X or 1 for O"


def test_each_player_is_the_other_of_the_other() -> None:
    assert (Player.X.other, Player.O.other) == (Player.O, Player.X)


# Asking


def test_the_marks_of_a_player_are_a_mask_of_nine_bits() -> None:
    assert marks(board(OPEN), Player.X) == 0b000000011
    assert marks(board(OPEN), Player.O) == 0b000011000


def test_the_mark_of_a_cell_is_its_owner_or_none() -> None:
    state = board("X.......O")
    assert [mark_at(state, Cell(cell)) for cell in (0, 1, 8)] == [Player.X, None, Player.O]


def test_the_symbols_of_a_board_are_those_it_was_read_from() -> None:
    assert symbols(board("XO..X..O.")) == "XO..X..O."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("XXX.O.O..", 0b000000111),
        ("O..XXX..O", 0b000111000),
        ("OO....XXX", 0b111000000),
        ("XO.X.OX..", 0b001001001),
        ("OX..XO.X.", 0b010010010),
        ("O.X.OX..X", 0b100100100),
        ("XO..XO..X", 0b100010001),
        ("O.X.X.XO.", 0b001010100),
    ],
)
def test_each_line_wins_for_either_player(text: str, line: int) -> None:
    swapped = text.translate(str.maketrans("XO", "OX"))
    assert (winner(board(text)), utility(board(text))) == (Player.X, X_WINS)
    assert (winner(board(swapped)), utility(board(swapped))) == (Player.O, O_WINS)
    assert winning_lines(board(text)) == winning_lines(board(swapped)) == (line,)


def test_a_mark_can_complete_two_lines_at_once() -> None:
    assert winning_lines(board("XXXXOOXOO")) == (0b000000111, 0b001001001)


def test_a_full_board_without_a_line_is_a_draw() -> None:
    state = board("XOXXOOOXX")
    assert (utility(state), winner(state), winning_lines(state)) == (DRAW, None, ())


def test_a_full_board_with_a_line_is_won_not_drawn() -> None:
    assert utility(board("XXXXOOXOO")) == X_WINS


@pytest.mark.parametrize("text", [".........", OPEN, ".XOXOOXOX"])
def test_a_board_with_an_empty_cell_and_no_line_is_undecided(text: str) -> None:
    assert (utility(board(text)), finished(board(text))) == (None, False)


@pytest.mark.parametrize("text", ["XOXXOOOXX", "XXX.O.O..", "OOOXX..X."])
def test_a_game_is_finished_when_it_is_drawn_or_won(text: str) -> None:
    assert finished(board(text))


# Moving


def test_the_moves_are_the_empty_cells_ascending() -> None:
    assert moves(board(OPEN)) == (2, 5, 6, 7, 8)


def test_cell_0_can_be_the_only_move() -> None:
    state = board(".XOXOOXOX")
    assert moves(state) == (0,)


def test_a_game_that_is_over_has_no_moves_though_cells_are_empty() -> None:
    won = board("XXX.O.O..")
    assert (moves(won), next_states(won, Player.O)) == ((), ())


def test_the_next_states_ascend_by_the_cell_marked() -> None:
    reached = next_states(board(OPEN), Player.O)
    assert [symbols(state) for state in reached] == [
        "XXOOO....",
        "XX.OOO...",
        "XX.OO.O..",
        "XX.OO..O.",
        "XX.OO...O",
    ]


def test_either_player_may_be_the_next_to_move() -> None:
    assert [symbols(state) for state in next_states(board("XXOOO.XXO"), Player.X)] == ["XXOOOXXXO"]
    assert next_states(START, Player.O) == tuple(2 ** (9 + cell) for cell in range(9))


def test_a_placed_mark_is_there_and_nothing_else_changes() -> None:
    assert symbols(place(board(OPEN), Player.X, Cell(2)).value()) == "XXXOO...."
    assert symbols(place(START, Player.O, Cell(0)).value()) == "O........"


def test_a_taken_cell_cannot_be_marked_by_either_player() -> None:
    refused = "cell 0 cannot be marked: it has an X, expected an empty cell"
    assert place(board(OPEN), Player.O, Cell(0)).error() == refused
    assert place(board(OPEN), Player.X, Cell(0)).error() == refused


def test_no_cell_can_be_marked_once_the_game_is_over() -> None:
    assert place(board("XXX.O.O.."), Player.O, Cell(3)).error() == (
        "cell 3 cannot be marked: the game is over, expected one that goes on"
    )
