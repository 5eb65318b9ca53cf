"""Initial placements of the strategies; tests/xtests/test_random_inputs.py has their turns."""

from __future__ import annotations

from itertools import combinations

import pytest
from support.references import tsuro_game
from support.tsuro import STRAIGHT

from engines import tsuro
from engines.tsuro import Layout, Square
from engines.tsuro.positions import neighbors

THREE: tsuro.InitialTiles = (tsuro.TileIndex(5), tsuro.TileIndex(9), tsuro.TileIndex(0))


EDGE = [square for square in map(Square, range(100)) if tsuro.position_of(square).is_edge()]


def _only_free(*free: Square) -> Layout:
    """Return a board on which of the squares along the edge only these are free."""
    empty = {*free, *(near for square in free for near in neighbors(square))}
    return Layout(
        {square: STRAIGHT for square in map(Square, range(100)) if square not in empty}, {}
    )


@pytest.mark.parametrize("name", tsuro.STRATEGIES)
def test_a_player_starts_on_the_first_free_square_of_its_direction(name: str) -> None:
    for free in (*combinations(EDGE, 1), *combinations(EDGE, 2)):
        layout = _only_free(*free)
        tiles = {(square % 10, square // 10): (2, 0) for square in layout.tiles}
        pattern, position, port = tsuro.STRATEGIES[name].initial_placement(layout, "white", THREE)
        assert pattern == (0, 0)  # the third tile, unrotated
        start = position.x, position.y, tsuro.PORT_LETTERS[port]
        assert start == tsuro_game.first_place(tiles, tsuro_game.SPELLINGS[name]), free


@pytest.mark.parametrize("player", tsuro.STRATEGIES.values())
def test_a_player_cannot_start_without_a_free_square(player: tsuro.Strategy) -> None:
    with pytest.raises(ValueError, match="^white cannot start: no square on the edge is free$"):
        player.initial_placement(_only_free(), "white", THREE)
