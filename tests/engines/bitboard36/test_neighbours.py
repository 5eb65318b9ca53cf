"""Neighbour counts of edges, corners and all neighbourhoods of a cell."""

from __future__ import annotations

import pytest

from engines.bitboard36.neighbours import (
    NEIGHBOURS,
    neighbour_counts,
)
from engines.bitboard36.shape import FULL
from engines.bitboard36.words import Word
from engines.bits import cells


@pytest.mark.parametrize(
    ("at", "near"),
    [
        (0, [1, 6, 7]),
        (5, [4, 10, 11]),
        (30, [24, 25, 31]),
        (35, [28, 29, 34]),
        (12, [6, 7, 13, 18, 19]),
        (17, [10, 11, 16, 22, 23]),
        (14, [7, 8, 9, 13, 15, 19, 20, 21]),
    ],
)
def test_neighbours_do_not_wrap(at: int, near: list[int]) -> None:
    assert list(cells(NEIGHBOURS[at])) == near


def test_a_full_board_counts_three_at_corners_five_at_edges_and_eight_inside() -> None:
    edge, inside = (3, 5, 5, 5, 5, 3), (5, 8, 8, 8, 8, 5)
    assert neighbour_counts(Word(FULL)) == (*edge, *inside * 4, *edge)
