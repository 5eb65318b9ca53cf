"""Pieces as a word of 36 bits: the source's three formulas, and the two mirrors.

Plain integers and no tables, ready to be compiled. A word knows neither its owner nor the other
player's; who may move what is for boards.py. Source: docs/bitboard36.md, "Words".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NewType

from engines.bitboard36.errors import InvalidWord
from engines.bitboard36.shape import BOTTOM_ROW, CELLS, FULL, LEFT_COLUMN, SIDE

if TYPE_CHECKING:
    from engines.bitboard36.shape import Position

__all__ = [
    "Word",
    "hexadecimal",
    "horizontal_mirror",
    "moved",
    "toggled",
    "value",
    "vertical_mirror",
    "word",
]

Word = NewType("Word", int)
"""A set of cells, bit n for position n, nothing beyond bit 35; build one with `word`."""

_HALF: Final = SIDE // 2

_LOWER_HALF: Final = FULL >> _HALF * SIDE
_MIDDLE_ROWS: Final = BOTTOM_ROW << SIDE | BOTTOM_ROW << (SIDE - 2) * SIDE
_OUTER_ROWS: Final = BOTTOM_ROW | BOTTOM_ROW << _HALF * SIDE

_LEFT_HALF: Final = LEFT_COLUMN * (BOTTOM_ROW >> _HALF)
_MIDDLE_COLUMNS: Final = LEFT_COLUMN << 1 | LEFT_COLUMN << SIDE - 2
_OUTER_COLUMNS: Final = LEFT_COLUMN | LEFT_COLUMN << _HALF


def word(number: int) -> Word:
    """The word of these 36 bits. Raises InvalidWord if it is negative or has a bit beyond 35."""
    if number < 0:
        raise InvalidWord(number, "a word is not negative")
    if number > FULL:
        raise InvalidWord(
            number, f"bit {number.bit_length() - 1} is set, and a word ends at bit {CELLS - 1}"
        )
    return Word(number)


def hexadecimal(pieces: Word) -> str:
    """The word as its nine hexadecimal digits, as in 0x000000041."""
    return f"{pieces:#011x}"


def value(pieces: Word, at: Position) -> int:
    """1 where a piece stands at this position, otherwise 0."""
    return (pieces & (1 << at)) >> at


def toggled(pieces: Word, at: Position) -> Word:
    """The word with this position's bit turned over."""
    return Word(pieces ^ (1 << at))


def moved(pieces: Word, origin: Position, target: Position) -> Word:
    """The word with both positions' bits turned over: a piece of `origin`, now on `target`.

    The source's formula, which checks nothing; `after_move` is the move that does.
    """
    return Word(pieces ^ (1 << origin) ^ (1 << target))


def horizontal_mirror(pieces: Word) -> Word:
    """The word mirrored along the horizontal axis: row -> 5 - row."""
    # Exchange the halves (rows 0-2 and 3-5), then the outer rows of each: three rows reversed.
    halves = (pieces >> _HALF * SIDE) | ((pieces & _LOWER_HALF) << _HALF * SIDE)
    return Word(
        (halves & _MIDDLE_ROWS)
        | ((halves >> 2 * SIDE) & _OUTER_ROWS)
        | ((halves & _OUTER_ROWS) << 2 * SIDE)
    )


def vertical_mirror(pieces: Word) -> Word:
    """The word mirrored along the vertical axis: column -> 5 - column."""
    # As above, within every row at once.
    halves = ((pieces >> _HALF) & _LEFT_HALF) | ((pieces & _LEFT_HALF) << _HALF)
    return Word(
        (halves & _MIDDLE_COLUMNS)
        | ((halves >> 2) & _OUTER_COLUMNS)
        | ((halves & _OUTER_COLUMNS) << 2)
    )
