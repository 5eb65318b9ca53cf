"""Strategies, and the probes that they use: initial placements by example, turns as laws."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tsuro import STRAIGHT, square

from engines import tsuro
from engines.tsuro import COLORS, DEGREES, FIRST, PORTS, SECOND, THIRD, Layout, Square, Tile
from engines.tsuro.positions import FACED, neighbors

# Initial placements

THREE: tsuro.InitialTiles = (tsuro.TileIndex(5), tsuro.TileIndex(9), tsuro.TileIndex(0))


def _only_free(*free: tuple[int, int]) -> Layout:
    """Return a board on which of the squares along the edge only these are free."""
    free_squares = {square(x, y) for x, y in free}
    empty = free_squares | {near for one in free_squares for near in neighbors(one)}
    squares = [Square(number) for number in range(100)]
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
    player: tsuro.Strategy, free: list[tuple[int, int]], start: tuple[int, int, str]
) -> None:
    pattern, position, port = player.initial_placement(_only_free(*free), "white", THREE)
    assert pattern == (0, 0)  # the third tile, unrotated
    assert (position.x, position.y, tsuro.PORT_LETTERS[port]) == start


@pytest.mark.parametrize("player", [FIRST, SECOND, THIRD])
def test_a_player_cannot_start_without_a_free_square(player: tsuro.Strategy) -> None:
    with pytest.raises(ValueError, match="^white cannot start: no square on the edge is free$"):
        player.initial_placement(_only_free(), "white", THREE)


# Turns

_law = settings(max_examples=250)

# With these, loops and exits are frequent.
_TIGHT = (2, 4, 7, 22, 24, 32, 33, 34)

_indices = st.builds(tsuro.TileIndex, st.sampled_from(_TIGHT) | st.integers(0, 34))
_patterns = st.builds(tsuro.TilePattern, _indices, st.sampled_from(DEGREES))
_tiles = _patterns.map(lambda pattern: tsuro.tile_pattern(*pattern))
_pairs = st.tuples(_indices, _indices) | _indices.map(lambda index: (index, index))


class Turn(NamedTuple):
    """A board, the player to move and its two tiles."""

    layout: Layout
    player: tsuro.ColorString
    given: tsuro.TurnTiles


@st.composite
def _turns(draw: st.DrawFn) -> Turn:
    """Draw a dense block of tiles, often at the edge, around an empty square, and one to five
    avatars at rest, most of them facing that square."""
    # From a seed, which is ten times as fast as drawing some fifty values.
    chance = Random(draw(st.integers(0, 2**32)))
    hole, tiles = _block(chance)
    near = [(square, port) for square in tiles for port in PORTS if FACED[square][port] == hole]
    resting = [(s, port) for s in tiles for port in PORTS if tsuro.is_at_rest(tiles, (s, port))]
    colors = chance.sample(COLORS, chance.randint(1, 5))
    avatars = {color: chance.choice(near if chance.random() < 0.7 else resting) for color in colors}
    avatars[colors[0]] = chance.choice(near)
    return Turn(Layout(tiles, avatars), colors[0], draw(_pairs))


def _block(chance: Random) -> tuple[Square, dict[Square, Tile]]:
    width, height = chance.randint(2, 4), chance.randint(2, 4)
    left, top = _start(chance, width), _start(chance, height)
    squares = [Square(10 * (top + j) + left + i) for j in range(height) for i in range(width)]
    hole = chance.choice(squares)
    beside = chance.choice([square for square in squares if hole in FACED[square]])
    filled = [square for square in squares if square != hole and chance.random() < 0.8]
    return hole, {square: _tile(chance) for square in {*filled, beside}}


def _start(chance: Random, length: int) -> int:
    return chance.choice((0, 10 - length, chance.randint(0, 10 - length)))


def _tile(chance: Random) -> Tile:
    index = chance.choice(_TIGHT) if chance.random() < 0.5 else chance.randrange(35)
    return tsuro.tile_pattern(index, chance.choice(DEGREES))


@given(_turns(), st.lists(_tiles, min_size=1, max_size=6), st.data())
@_law
def test_a_probe_agrees_with_movement_over_a_board_with_the_tile(
    turn: Turn, tried: list[Tile], data: st.DataObject
) -> None:
    # Avatars need not be at rest.
    tiles, avatars = turn.layout
    spots = st.tuples(st.sampled_from(sorted(tiles)), st.sampled_from(PORTS))
    avatars = {**avatars, **data.draw(st.dictionaries(st.sampled_from(COLORS), spots))}
    empty = sorted({Square(number) for number in range(100)} - set(tiles))
    hole = data.draw(st.sampled_from(empty))
    probe = tsuro.SquareProbe(Layout(tiles, avatars), hole)
    for tile in tried:
        found = probe.ends(tile)
        assert found == tsuro.ends({**tiles, hole: tile}, avatars)
        assert list(found) == [color for color in COLORS if color in avatars]


@given(_turns())
@_law
def test_the_strategies_take_the_first_legal_option_or_the_first_of_all(turn: Turn) -> None:
    found = [option.pattern for option in tsuro.options(*turn)]
    for player, patterns in ((SECOND, found), (THIRD, found[4:] + found[:4])):
        outcomes = [tsuro.turn_outcome(*turn, pattern) for pattern in patterns]
        legal = [isinstance(outcome, tsuro.Placement) for outcome in outcomes]
        assert player.turn(*turn) == patterns[legal.index(True) if any(legal) else 0]
