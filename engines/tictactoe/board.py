"""The rules of tic-tac-toe on positions encoded as integers.

The encoding is that of the bitboard notebook (docs/games/tictactoe.md).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NewType

from engines.bits import bit, cells
from engines.deferred import draw
from engines.result import Result, error, ok
from engines.tictactoe.masks import CELLS, FREE_CELLS, FULL, HAS_LINE, LINES, SIDE

__all__ = [
    "DRAW",
    "O_WINS",
    "START",
    "X_WINS",
    "Cell",
    "Player",
    "State",
    "cell_at",
    "cell_of",
    "finished",
    "mark_at",
    "marks",
    "moves",
    "next_states",
    "parse",
    "place",
    "player_of",
    "state_of",
    "symbols",
    "utility",
    "winner",
    "winning_lines",
]

# 0 to 8: 3 * row + column. Made by `cell_of` and `cell_at`.
Cell = NewType("Cell", int)


class State(int):
    """A position in 18 bits: bit n is X's mark on cell n, bit 9 + n is O's. Made by `state_of`.

    It is an integer that a notebook displays as a board.
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return draw(self)


class Player(IntEnum):
    """A player, by its number in the notebook. X starts a game."""

    X = 0
    O = 1

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player(1 - self)


START: Final = State(0)

# Results as seen from X.
X_WINS: Final = 1
DRAW: Final = 0
O_WINS: Final = -1

_EMPTY: Final = "."


def state_of(number: int) -> Result[State]:
    """Return the state encoded by a number.

    An error if the number does not have 18 bits, marks a cell twice or has a line for both players.
    Players may have any number of marks.
    """
    return _checked_state(number, str(number))


def parse(text: str) -> Result[State]:
    """Return the state written as nine symbols, "X", "O" or "." for cells 0 to 8.

    An error if the text is anything else, or if `state_of` refuses the state.
    """
    if len(text) != CELLS or set(text) - {*Player.__members__, _EMPTY}:
        return error(f"{text!r} is no board: expected 9 symbols out of X, O and {_EMPTY}")
    number = 0
    for cell, symbol in enumerate(text):
        if symbol != _EMPTY:
            number |= bit(cell + CELLS * Player[symbol])
    return _checked_state(number, text)


def cell_of(number: int) -> Result[Cell]:
    """Return the cell of a number, or an error if it is not 0 to 8."""
    if not 0 <= number < CELLS:
        return error(f"{number} is no cell: expected a number from 0 to 8")
    return ok(Cell(number))


def cell_at(row: int, column: int) -> Result[Cell]:
    """Return the cell in a row and column, or an error if one of them is not 0 to 2."""
    if not (0 <= row < SIDE and 0 <= column < SIDE):
        return error(
            f"row {row}, column {column} is no cell: expected a row and a column from 0 to 2"
        )
    return ok(Cell(row * SIDE + column))


def player_of(number: int) -> Result[Player]:
    """Return the player of a number, 0 for X and 1 for O, or an error for any other number."""
    if number not in (Player.X, Player.O):
        return error(f"{number} is no player: expected 0 for X or 1 for O")
    return ok(Player(number))


def symbols(state: State) -> str:
    """Return the nine symbols of a state, as read by `parse`."""
    shown = (mark_at(state, Cell(cell)) for cell in range(CELLS))
    return "".join(_EMPTY if mark is None else mark.name for mark in shown)


def marks(state: State, player: Player) -> int:
    """Return the cells marked by a player as a mask of nine bits."""
    return state >> CELLS * player & FULL


def mark_at(state: State, cell: Cell) -> Player | None:
    """Return the player who marked a cell, or None. X is 0: test `is None`, not the truth."""
    for player in Player:
        if marks(state, player) & bit(cell):
            return player
    return None


def winner(state: State) -> Player | None:
    """Return the player who has a line, or None. X is 0: test `is None`, not the truth."""
    for player in Player:
        if HAS_LINE[marks(state, player)]:
            return player
    return None


def winning_lines(state: State) -> tuple[int, ...]:
    """Return the winner's lines as masks of nine bits, in the order of `LINES`.

    Empty without a winner; two lines if one mark completed both, or in states of unequal marks.
    """
    return _lines_within(marks(state, Player.X)) + _lines_within(marks(state, Player.O))


def utility(state: State) -> int | None:
    """Return X_WINS (1), O_WINS (-1) or DRAW (0) for a finished game, or None for an open one."""
    won_by = winner(state)
    if won_by is not None:
        return X_WINS if won_by is Player.X else O_WINS
    return DRAW if _occupied(state) == FULL else None


def finished(state: State) -> bool:
    """Return whether the game is over: a player has a line, or no cell is empty."""
    return utility(state) is not None


def moves(state: State) -> tuple[Cell, ...]:
    """Return the cells that may be marked, in ascending order; empty if the game is over."""
    return () if finished(state) else tuple(Cell(cell) for cell in cells(FULL ^ _occupied(state)))


def place(state: State, player: Player, cell: Cell) -> Result[State]:
    """Return the state after a player marks a cell.

    An error if the game is over or the cell is taken. A state does not record whose turn it is, so
    any player may move.
    """
    if finished(state):
        return error(f"cell {cell} cannot be marked: the game is over, expected one that goes on")
    owner = mark_at(state, cell)
    if owner is not None:
        return error(
            f"cell {cell} cannot be marked: it has an {owner.name}, expected an empty cell"
        )
    return ok(State(state | bit(cell + CELLS * player)))


def next_states(state: State, player: Player) -> tuple[State, ...]:
    """Return the states after each move of a player, ascending by cell; empty if finished."""
    if finished(state):
        return ()
    return tuple(State(state | mark << CELLS * player) for mark in FREE_CELLS[_occupied(state)])


def _checked_state(number: int, written: str) -> Result[State]:
    """Return the state of a number, or an error that names it as it was written."""
    if not 0 <= number < 1 << 2 * CELLS:
        return error(f"{written} is not a state: expected 18 bits, a number from 0 to 262143")
    x_marks, o_marks = number & FULL, number >> CELLS
    if x_marks & o_marks:
        return error(
            f"{written} is not a state: X and O share cell {_format_cells(x_marks & o_marks)}, "
            "expected one mark a cell"
        )
    if HAS_LINE[x_marks] and HAS_LINE[o_marks]:
        x_line, o_line = _lines_within(x_marks)[0], _lines_within(o_marks)[0]
        return error(
            f"{written} is not a state: X holds the line {_format_cells(x_line)} and O the line "
            f"{_format_cells(o_line)}, expected that a game ends with its first line"
        )
    return ok(State(number))


def _occupied(state: State) -> int:
    return (state | state >> CELLS) & FULL


def _lines_within(mask: int) -> tuple[int, ...]:
    return tuple(line for line in LINES if mask & line == line)


def _format_cells(mask: int) -> str:
    return ", ".join(map(str, cells(mask)))
