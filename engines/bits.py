"""Sets of small numbers as the bits of an integer: the few words that the bitboard engines share.

Bit n of a mask stands for cell n. Nothing here knows a board's shape.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["bit", "cells", "mask_of"]


def bit(cell: int) -> int:
    """The mask of one cell, which is not negative."""
    return 1 << cell


def mask_of(numbers: Iterable[int]) -> int:
    """The mask that has exactly these cells; a cell given twice counts once."""
    mask = 0
    for cell in numbers:
        mask |= 1 << cell
    return mask


def cells(mask: int) -> Iterator[int]:
    """The cells of a mask (not negative), ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
