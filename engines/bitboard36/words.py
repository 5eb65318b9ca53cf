"""Sets of pieces as 36-bit words: the source's three formulas, and two mirrors.

Plain integers without tables, ready for compilation. Players and legal moves are in boards.py.
Source: docs/games/bitboard36.md, "Words".
"""

from __future__ import annotations

from typing import Final, NewType

from engines.bitboard36.errors import InvalidWord
from engines.bitboard36.shape import BOTTOM_ROW, CELLS, FULL, LEFT_COLUMN, SIDE, Position

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
"""A set of cells: bit n for position n, up to bit 35; made by `word`."""

_HALF: Final = SIDE // 2

_LOWER_HALF: Final = FULL >> _HALF * SIDE
_MIDDLE_ROWS: Final = BOTTOM_ROW << SIDE | BOTTOM_ROW << (SIDE - 2) * SIDE
_OUTER_ROWS: Final = BOTTOM_ROW | BOTTOM_ROW << _HALF * SIDE

_LEFT_HALF: Final = LEFT_COLUMN * (BOTTOM_ROW >> _HALF)
_MIDDLE_COLUMNS: Final = LEFT_COLUMN << 1 | LEFT_COLUMN << SIDE - 2
_OUTER_COLUMNS: Final = LEFT_COLUMN | LEFT_COLUMN << _HALF


def word(number: int) -> Word:
    """Return a number as a word. Raises InvalidWord if it is negative or has a bit beyond 35."""
    if number < 0:
        raise InvalidWord(number, "a word is not negative")
    if number > FULL:
        raise InvalidWord(
            number, f"bit {number.bit_length() - 1} is set, and a word ends at bit {CELLS - 1}"
        )
    return Word(number)


def hexadecimal(pieces: Word) -> str:
    """Return the word as nine hexadecimal digits, such as 0x000000041."""
    return f"{pieces:#011x}"


def value(pieces: Word, at: Position) -> int:
    """Return 1 if there is a piece at a position, otherwise 0."""
    return (pieces & (1 << at)) >> at


def toggled(pieces: Word, at: Position) -> Word:
    """Return the word with the bit of a position inverted."""
    return Word(pieces ^ (1 << at))


def moved(pieces: Word, origin: Position, target: Position) -> Word:
    """Return the word with the bits of both positions inverted: a piece moves from origin to
    target.

    This is the source's formula, which checks nothing; `after_move` does.
    """
    return Word(pieces ^ (1 << origin) ^ (1 << target))


def horizontal_mirror(pieces: Word) -> Word:
    """Return the word mirrored along the horizontal axis: row -> 5 - row."""
    # Swap the halves (rows 0-2 and 3-5), then the outer rows of each, which reverses three rows.
    halves = (pieces >> _HALF * SIDE) | ((pieces & _LOWER_HALF) << _HALF * SIDE)
    return Word(
        (halves & _MIDDLE_ROWS)
        | ((halves >> 2 * SIDE) & _OUTER_ROWS)
        | ((halves & _OUTER_ROWS) << 2 * SIDE)
    )


def vertical_mirror(pieces: Word) -> Word:
    """Return the word mirrored along the vertical axis: column -> 5 - column."""
    # The same, within all rows at once.
    halves = ((pieces >> _HALF) & _LEFT_HALF) | ((pieces & _LEFT_HALF) << _HALF)
    return Word(
        (halves & _MIDDLE_COLUMNS)
        | ((halves >> 2) & _OUTER_COLUMNS)
        | ((halves & _OUTER_COLUMNS) << 2)
    )
