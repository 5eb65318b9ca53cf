"""How many of a position's eight neighbours hold a piece: for one position, or for all 36 at once.

Plain integers, ready to be compiled. Whose the pieces are makes no difference; edges do not wrap.
All at once comes in two forms of one sum: 36 numbers, or four words with a bit of each number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engines.bitboard36.shape import CELLS, FULL, LEFT_COLUMN, OFFSETS, POSITIONS, SIDE, column_of
from engines.bits import mask_of

if TYPE_CHECKING:
    from engines.bitboard36.shape import Position
    from engines.bitboard36.words import Word

__all__ = ["NEIGHBOURS", "neighbour_count", "neighbour_counts", "neighbour_planes"]


def _neighbours(at: Position) -> int:
    # A step over the left or the right edge would land five columns away.
    return mask_of(
        cell
        for cell in (at + offset for offset in OFFSETS)
        if 0 <= cell < CELLS and abs(cell % SIDE - column_of(at)) <= 1
    )


NEIGHBOURS: Final = tuple(map(_neighbours, POSITIONS))
"""The word of the cells around each position, by position."""

_NOT_LEFT: Final = FULL ^ LEFT_COLUMN
_NOT_RIGHT: Final = FULL ^ LEFT_COLUMN << SIDE - 1

_LANE: Final = 8
_FULL_LANE: Final = (1 << _LANE) - 1
_ROW_OF_LANES: Final = SIDE * _LANE
_ALL_LANES: Final = (1 << CELLS * _LANE) - 1
_LOWEST_BITS: Final = _ALL_LANES // _FULL_LANE


def _lanes(word: int) -> int:
    # A byte for every bit, 0 or 1: the digits "0" and "1" differ in their lowest bit.
    return int.from_bytes(f"{word:0{CELLS}b}".encode(), "big") & _LOWEST_BITS


_NOT_LEFT_LANES: Final = _lanes(_NOT_LEFT) * _FULL_LANE
_NOT_RIGHT_LANES: Final = _lanes(_NOT_RIGHT) * _FULL_LANE


def neighbour_count(pieces: Word, at: Position) -> int:
    """How many pieces stand around this position, 0 to 8; a piece on it does not count."""
    return (pieces & NEIGHBOURS[at]).bit_count()


def neighbour_counts(pieces: Word) -> tuple[int, ...]:
    """The neighbour counts of all 36 positions, by position."""
    # Each cell is a byte, and the bytes are added side by side. The largest sum is 8, so that no
    # byte overflows into the next. Reading the numbers out of the planes instead costs more than
    # 36 calls of neighbour_count (benchmarks/bitboard36_neighbours.py).
    own = _lanes(pieces)
    beside = ((own & _NOT_RIGHT_LANES) << _LANE) + ((own & _NOT_LEFT_LANES) >> _LANE)
    three = beside + own
    above = three >> _ROW_OF_LANES
    below = (three << _ROW_OF_LANES) & _ALL_LANES
    return tuple((beside + above + below).to_bytes(CELLS, "little"))


def neighbour_planes(pieces: Word) -> tuple[int, int, int, int]:
    """The neighbour counts of all 36 positions as bit-planes: (ones, twos, fours, eights).

    Bit n of each word is that binary digit of position n's count. One expression then answers for
    the whole board: `fours & ~(ones | twos) & ~pieces` are the empty cells with exactly four.
    """
    # A row's triple counts up to 3, the two beside a cell up to 2: each is a number of two bits.
    # Above, below and beside make at most 3 + 3 + 2 = 8, which takes four planes.
    left, right = (pieces & _NOT_RIGHT) << 1, (pieces & _NOT_LEFT) >> 1
    beside_ones, beside_twos = _half_adder(left, right)
    three_ones, three_twos = _full_adder(left, right, pieces)
    ones, more_twos = _full_adder(three_ones >> SIDE, (three_ones << SIDE) & FULL, beside_ones)
    twos, fours = _full_adder(three_twos >> SIDE, (three_twos << SIDE) & FULL, beside_twos)
    twos, more_fours = _half_adder(twos, more_twos)
    fours, eights = _half_adder(fours, more_fours)
    return ones, twos, fours, eights


def _half_adder(first: int, second: int) -> tuple[int, int]:
    # (sum, carry) of two bits, at every position.
    return first ^ second, first & second


def _full_adder(first: int, second: int, third: int) -> tuple[int, int]:
    # (sum, carry) of three bits, at every position.
    either = first ^ second
    return either ^ third, (first & second) | (either & third)
