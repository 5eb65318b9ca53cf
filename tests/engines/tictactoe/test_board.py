"""The rules on boards without symmetry; tests/xtests compare random games with a reference."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engines.result import Result
from engines.tictactoe.board import (
    Cell,
    Player,
    State,
    cell_at,
    cell_of,
    parse,
    place,
    player_of,
    state_of,
)

# X to move wins in cell 2.
OPEN = "XX.OO...."


def board(text: str) -> State:
    """Return the state of nine symbols."""
    return parse(text).value()


NOT_18_BITS = "no state: expected 18 bits, a number from 0 to 262143"
BOTH_WON = (
    "no state: X holds the line 0, 1, 2 and O the line 3, 4, 5, "
    "expected that a game ends with its first line"
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: state_of(-1), f"-1 is {NOT_18_BITS}"),
        (lambda: state_of(2**18), f"262144 is {NOT_18_BITS}"),
        (
            lambda: state_of(0b000000001_000000001),
            "513 is no state: X and O share cell 0, expected one mark a cell",
        ),
        (
            lambda: state_of(0b100100000_110100000),
            "147872 is no state: X and O share cell 5, 8, expected one mark a cell",
        ),
        (lambda: state_of(0b000111000_000000111), f"28679 is {BOTH_WON}"),
        (lambda: parse("XXXOOO..."), f"28679 is {BOTH_WON}"),
        (lambda: cell_of(-1), "-1 is no cell: expected a number from 0 to 8"),
        (lambda: cell_of(9), "9 is no cell: expected a number from 0 to 8"),
        (lambda: player_of(-1), "-1 is no player: expected 0 for X or 1 for O"),
        (lambda: player_of(2), "2 is no player: expected 0 for X or 1 for O"),
        (
            lambda: place(board(OPEN), Player.O, Cell(0)),
            "cell 0 cannot be marked: it has an X, expected an empty cell",
        ),
        (
            lambda: place(board("XXX.O.O.."), Player.O, Cell(3)),
            "cell 3 cannot be marked: the game is over, expected one that goes on",
        ),
    ],
)
def test_an_error_says_what_was_expected(make: Callable[[], Result[object]], message: str) -> None:
    assert make().error() == message


@pytest.mark.parametrize("text", ["", "XO......", "XO........", "xO.......", "X O......"])
def test_a_text_of_other_than_nine_symbols_is_refused(text: str) -> None:
    assert parse(text).error() == f"{text!r} is no board: expected 9 symbols out of X, O and ."


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (3, 0), (0, 3)])
def test_a_cell_off_the_board_is_refused(row: int, column: int) -> None:
    assert cell_at(row, column).error() == (
        f"row {row}, column {column} is no cell: expected a row and a column from 0 to 2"
    )
