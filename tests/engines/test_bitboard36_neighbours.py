"""Neighbour counts: edges and corners by hand, and the three ways against each other."""

from __future__ import annotations

import pytest

from engines.bitboard36.neighbours import (
    NEIGHBOURS,
    neighbour_count,
    neighbour_counts,
    neighbour_planes,
)
from engines.bitboard36.shape import FULL, POSITIONS, Position, column_of, row_of
from engines.bitboard36.words import Word
from engines.bits import cells


def test_neighbours_are_one_step_away_in_rows_and_columns() -> None:
    for at in POSITIONS:
        near = [
            cell
            for cell in POSITIONS
            if max(abs(row_of(cell) - row_of(at)), abs(column_of(cell) - column_of(at))) == 1
        ]
        assert list(cells(NEIGHBOURS[at])) == near


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
def test_corners_and_edges_do_not_wrap_round(at: int, near: list[int]) -> None:
    assert list(cells(NEIGHBOURS[at])) == near


@pytest.mark.parametrize("alone", POSITIONS)
def test_one_piece_counts_once_for_each_of_its_neighbours_and_not_for_itself(
    alone: Position,
) -> None:
    expected = tuple(int(NEIGHBOURS[alone] >> at & 1) for at in POSITIONS)
    assert neighbour_counts(Word(1 << alone)) == expected
    assert neighbour_planes(Word(1 << alone)) == (NEIGHBOURS[alone], 0, 0, 0)


def test_a_full_board_counts_three_at_corners_five_at_edges_and_eight_inside() -> None:
    edge, inside = (3, 5, 5, 5, 5, 3), (5, 8, 8, 8, 8, 5)
    assert neighbour_counts(Word(FULL)) == (*edge, *inside * 4, *edge)


def test_the_planes_of_a_full_board_need_the_fourth() -> None:
    _, _, _, eights = neighbour_planes(Word(FULL))
    assert eights == sum(1 << at for at in POSITIONS if NEIGHBOURS[at].bit_count() == 8)


@pytest.mark.parametrize("at", [Position(7), Position(14), Position(28)])
def test_every_neighbourhood_of_a_cell_is_counted_alike_in_all_three_ways(at: Position) -> None:
    # All 256 sets of pieces around a position: every sum that the adders can meet.
    around = [1 << cell for cell in cells(NEIGHBOURS[at])]
    for chosen in range(256):
        pieces = Word(sum(mask for n, mask in enumerate(around) if chosen >> n & 1))
        planes = neighbour_planes(pieces)
        assert sum((plane >> at & 1) << n for n, plane in enumerate(planes)) == chosen.bit_count()
        assert neighbour_counts(pieces)[at] == chosen.bit_count()
        assert neighbour_count(pieces, at) == chosen.bit_count()
