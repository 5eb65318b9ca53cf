"""Counts of the pieces around a position, for one position or for all 36 at once.

Plain integers, ready for compilation. Colours do not matter, and edges do not wrap. The counts of
all positions come as 36 numbers or as four bit-planes.
"""

from __future__ import annotations

from typing import Final

from engines.bitboard36.shape import (
    CELLS,
    FULL,
    LEFT_COLUMN,
    OFFSETS,
    POSITIONS,
    SIDE,
    Position,
    column_of,
)
from engines.bitboard36.words import Word
from engines.bits import mask_of

__all__ = ["NEIGHBOURS", "neighbour_count", "neighbour_counts", "neighbour_planes"]


def _neighbours(at: Position) -> int:
    # A step across the left or right edge would land five columns away.
    return mask_of(
        cell
        for cell in (at + offset for offset in OFFSETS)
        if 0 <= cell < CELLS and abs(cell % SIDE - column_of(at)) <= 1
    )


NEIGHBOURS: Final = tuple(map(_neighbours, POSITIONS))
"""By position: the word of the cells around it."""

_NOT_LEFT: Final = FULL ^ LEFT_COLUMN
_NOT_RIGHT: Final = FULL ^ LEFT_COLUMN << SIDE - 1

_LANE: Final = 8
_FULL_LANE: Final = (1 << _LANE) - 1
_ROW_OF_LANES: Final = SIDE * _LANE
_ALL_LANES: Final = (1 << CELLS * _LANE) - 1
_LOWEST_BITS: Final = _ALL_LANES // _FULL_LANE


def _lanes(word: int) -> int:
    # One byte, 0 or 1, per bit: "0" and "1" differ in their lowest bit.
    return int.from_bytes(f"{word:0{CELLS}b}".encode(), "big") & _LOWEST_BITS


_NOT_LEFT_LANES: Final = _lanes(_NOT_LEFT) * _FULL_LANE
_NOT_RIGHT_LANES: Final = _lanes(_NOT_RIGHT) * _FULL_LANE


def neighbour_count(pieces: Word, at: Position) -> int:
    """Return the number of pieces around a position, 0 to 8, not counting a piece on it."""
    return (pieces & NEIGHBOURS[at]).bit_count()


def neighbour_counts(pieces: Word) -> tuple[int, ...]:
    """Return the neighbour counts of all 36 positions, by position."""
    # Each cell is a byte, and all bytes are added at once; sums are at most 8, so none overflows.
    # Extracting the counts from the planes is slower than 36 calls of neighbour_count
    # (benchmarks/bitboard36_neighbours.py).
    own = _lanes(pieces)
    beside = ((own & _NOT_RIGHT_LANES) << _LANE) + ((own & _NOT_LEFT_LANES) >> _LANE)
    three = beside + own
    above = three >> _ROW_OF_LANES
    below = (three << _ROW_OF_LANES) & _ALL_LANES
    return tuple((beside + above + below).to_bytes(CELLS, "little"))


def neighbour_planes(pieces: Word) -> tuple[int, int, int, int]:
    """Return the neighbour counts of all 36 positions as bit-planes: (ones, twos, fours, eights).

    Bit n of each word is that binary digit of the count of position n. One expression then applies
    to the whole board: `fours & ~(ones | twos) & ~pieces` are the empty cells with exactly four.
    """
    # A row's triple sums to at most 3, and the two beside a cell to at most 2: two bits each. The
    # rows above and below with the two beside make at most 3 + 3 + 2 = 8: four planes.
    left, right = (pieces & _NOT_RIGHT) << 1, (pieces & _NOT_LEFT) >> 1
    beside_ones, beside_twos = _half_adder(left, right)
    three_ones, three_twos = _full_adder(left, right, pieces)
    ones, more_twos = _full_adder(three_ones >> SIDE, (three_ones << SIDE) & FULL, beside_ones)
    twos, fours = _full_adder(three_twos >> SIDE, (three_twos << SIDE) & FULL, beside_twos)
    twos, more_fours = _half_adder(twos, more_twos)
    fours, eights = _half_adder(fours, more_fours)
    return ones, twos, fours, eights


def _half_adder(first: int, second: int) -> tuple[int, int]:
    # Return (sum, carry) of two bits at every position.
    return first ^ second, first & second


def _full_adder(first: int, second: int, third: int) -> tuple[int, int]:
    # Return (sum, carry) of three bits at every position.
    either = first ^ second
    return either ^ third, (first & second) | (either & third)
