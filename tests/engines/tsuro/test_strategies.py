"""The initial placements of the three strategies."""

from __future__ import annotations

import pytest
from support.tsuro import STRAIGHT, square

from engines import tsuro
from engines.tsuro import FIRST, SECOND, THIRD, Layout, Strategy, TileIndex
from engines.tsuro.positions import neighbors

THREE: tsuro.InitialTiles = (TileIndex(5), TileIndex(9), TileIndex(0))


def _only_free(*free: tuple[int, int]) -> Layout:
    """Return a board on which of the squares along the edge only these are free."""
    free_squares = {square(x, y) for x, y in free}
    empty = free_squares | {near for one in free_squares for near in neighbors(one)}
    squares = [tsuro.Square(number) for number in range(100)]
    return Layout({one: STRAIGHT for one in squares if one not in empty}, {})


@pytest.mark.parametrize(
    ("player", "free", "start"),
    [
        *[(FIRST, [(9, 0), (9, 5)], (9, 0, "E")), (SECOND, [(9, 3), (9, 8)], (9, 3, "A"))],
        *[(FIRST, [(9, 9), (3, 9)], (9, 9, "A")), (SECOND, [(6, 9), (3, 9)], (6, 9, "A"))],
        *[(FIRST, [(0, 9), (0, 4)], (0, 9, "A")), (SECOND, [(0, 7), (0, 4)], (0, 7, "A"))],
        *[(FIRST, [(0, 0), (0, 4)], (0, 4, "A")), (SECOND, [(0, 0)], (0, 0, "C"))],
        *[(THIRD, [(0, 9), (5, 9)], (0, 9, "A")), (THIRD, [(3, 9), (8, 9)], (3, 9, "A"))],
        *[(THIRD, [(9, 9), (9, 3)], (9, 9, "A")), (THIRD, [(9, 6), (9, 3)], (9, 6, "A"))],
        # At the top, A and B face off the board; in the corner (0, 0), so do G and H.
        *[(THIRD, [(9, 0), (4, 0)], (9, 0, "H")), (THIRD, [(0, 0), (4, 0)], (4, 0, "H"))],
        (THIRD, [(0, 0)], (0, 0, "F")),
    ],
)
def test_a_player_starts_on_the_first_free_square_of_its_direction(
    player: Strategy, free: list[tuple[int, int]], start: tuple[int, int, str]
) -> None:
    pattern, position, port = player.initial_placement(_only_free(*free), "white", THREE)
    assert pattern == (0, 0)  # the third tile, unrotated
    assert (position.x, position.y, tsuro.PORT_LETTERS[port]) == start


@pytest.mark.parametrize("player", [FIRST, SECOND, THIRD])
def test_a_player_cannot_start_without_a_free_square(player: Strategy) -> None:
    with pytest.raises(ValueError, match="^white cannot start: no square on the edge is free$"):
        player.initial_placement(_only_free(), "white", THREE)
