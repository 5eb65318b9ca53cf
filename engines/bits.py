"""Sets of small integers as bitmasks, shared by the bitboard engines.

Bit n of a mask stands for cell n, whatever the shape of the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["bit", "cells", "mask_of"]


def bit(cell: int) -> int:
    """Return the mask of one cell; the cell must not be negative."""
    return 1 << cell


def mask_of(numbers: Iterable[int]) -> int:
    """Return the mask of these cells; duplicates count once."""
    mask = 0
    for cell in numbers:
        mask |= 1 << cell
    return mask


def cells(mask: int) -> Iterator[int]:
    """Yield the cells of a mask in ascending order; the mask must not be negative."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
