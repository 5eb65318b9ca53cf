"""Positions of tic-tac-toe, one integer each, and what the rules say of them.

Nothing here searches, counts or draws. Source: the encoding is that of the bitboard notebook
(docs/tictactoe.md), the rules are those of the game.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NewType

from engines.bits import bit, cells
from engines.result import Result, error, ok
from engines.tictactoe.masks import CELLS, FREE, FULL, LINES, SIDE, WON

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

# 18 bits: bit n is set where X has marked cell n, bit 9 + n where O has. Made by `state_of`, which
# refuses a cell with both marks and a line on both sides; the number of marks is free.
State = NewType("State", int)

# 0 to 8, row by row: 3 * row + column. Made by `cell_of` and `cell_at`.
Cell = NewType("Cell", int)


class Player(IntEnum):
    """A side, by the number that the notebook gives it. X starts a game."""

    X = 0
    O = 1

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player(1 - self)


START: Final = State(0)

# What a game is worth, always seen from X, whoever moves.
X_WINS: Final = 1
DRAW: Final = 0
O_WINS: Final = -1

_EMPTY: Final = "."


def state_of(number: int) -> Result[State]:
    """The state that a number encodes; an error where it has other bits than the 18, a cell with
    both marks, or a line on both sides. Unequal numbers of marks are welcome."""
    if not 0 <= number < 1 << 2 * CELLS:
        return error(f"{number} is no state: expected 18 bits, a number from 0 to 262143")
    x_marks, o_marks = number & FULL, number >> CELLS
    if x_marks & o_marks:
        return error(
            f"{number} is no state: X and O share cell {_listed(x_marks & o_marks)}, "
            "expected one mark a cell"
        )
    if WON[x_marks] and WON[o_marks]:
        return error(
            f"{number} is no state: X holds the line {_listed(_lines_in(x_marks)[0])} and O the "
            f"line {_listed(_lines_in(o_marks)[0])}, expected that a game ends with its first line"
        )
    return ok(State(number))


def parse(text: str) -> Result[State]:
    """The state whose cells 0 to 8 show these symbols: "X", "O", or "." for an empty one. An error
    where the text is anything but nine of them, and where `state_of` has one."""
    if len(text) != CELLS or set(text) - {*Player.__members__, _EMPTY}:
        return error(f"{text!r} is no board: expected 9 symbols out of X, O and {_EMPTY}")
    number = 0
    for cell, symbol in enumerate(text):
        if symbol != _EMPTY:
            number |= bit(cell + CELLS * Player[symbol])
    return state_of(number)


def cell_of(number: int) -> Result[Cell]:
    """The cell of this number; an error where it is not one of 0 to 8."""
    if not 0 <= number < CELLS:
        return error(f"{number} is no cell: expected a number from 0 to 8")
    return ok(Cell(number))


def cell_at(row: int, column: int) -> Result[Cell]:
    """The cell in this row and column, both from 0 to 2; an error where one is not."""
    if not (0 <= row < SIDE and 0 <= column < SIDE):
        return error(
            f"row {row}, column {column} is no cell: expected a row and a column from 0 to 2"
        )
    return ok(Cell(row * SIDE + column))


def player_of(number: int) -> Result[Player]:
    """The player of this number, 0 for X and 1 for O; an error for any other number."""
    if number not in (Player.X, Player.O):
        return error(f"{number} is no player: expected 0 for X or 1 for O")
    return ok(Player(number))


def symbols(state: State) -> str:
    """The nine symbols of cells 0 to 8, as `parse` reads them."""
    shown = (mark_at(state, Cell(cell)) for cell in range(CELLS))
    return "".join(_EMPTY if mark is None else mark.name for mark in shown)


def marks(state: State, player: Player) -> int:
    """The cells that this player has marked, as a mask of nine bits."""
    return state >> CELLS * player & FULL


def mark_at(state: State, cell: Cell) -> Player | None:
    """Whose mark the cell has, or None where it is empty. X is 0: ask `is None`, not for truth."""
    for player in Player:
        if marks(state, player) & bit(cell):
            return player
    return None


def winner(state: State) -> Player | None:
    """Who holds a line, or None. X is 0: ask `is None`, not for truth."""
    for player in Player:
        if WON[marks(state, player)]:
            return player
    return None


def winning_lines(state: State) -> tuple[int, ...]:
    """The lines that the winner holds, masks of nine bits in the order of `LINES`: none in a game
    without a winner; two where one mark completed both, or where the marks are unequal."""
    return _lines_in(marks(state, Player.X)) + _lines_in(marks(state, Player.O))


def utility(state: State) -> int | None:
    """X_WINS (1), O_WINS (-1) or DRAW (0) of a game that is over, None of one that is not."""
    won_by = winner(state)
    if won_by is not None:
        return X_WINS if won_by is Player.X else O_WINS
    return DRAW if _occupied(state) == FULL else None


def finished(state: State) -> bool:
    """Whether the game is over: a line is held, or no cell is empty."""
    return utility(state) is not None


def moves(state: State) -> tuple[Cell, ...]:
    """The cells that may be marked next, ascending; none once the game is over."""
    return () if finished(state) else tuple(Cell(cell) for cell in cells(FULL ^ _occupied(state)))


def place(state: State, player: Player, cell: Cell) -> Result[State]:
    """The state after this player marks this cell; an error where the game is over or the cell is
    taken. Whose turn it is, the caller knows: a state does not."""
    if finished(state):
        return error(f"cell {cell} cannot be marked: the game is over, expected one that goes on")
    owner = mark_at(state, cell)
    if owner is not None:
        return error(
            f"cell {cell} cannot be marked: it has an {owner.name}, expected an empty cell"
        )
    return ok(State(state | bit(cell + CELLS * player)))


def next_states(state: State, player: Player) -> tuple[State, ...]:
    """The states after each move of this player, ascending by the cell marked; none once the game
    is over."""
    if finished(state):
        return ()
    return tuple(State(state | mark << CELLS * player) for mark in FREE[_occupied(state)])


def _occupied(state: State) -> int:
    return (state | state >> CELLS) & FULL


def _lines_in(mask: int) -> tuple[int, ...]:
    return tuple(line for line in LINES if mask & line == line)


def _listed(mask: int) -> str:
    return ", ".join(map(str, cells(mask)))
