"""Where each avatar ends up when a tile is placed: pure functions over mappings.

Legality and consequences are up to the caller. Source: "How avatars move" in docs/games/tsuro.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from engines.deferred import draw
from engines.result import Result, error, ok
from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.ports import TOUCHING, PortID
from engines.tsuro.positions import FACED, Square, position_of
from engines.tsuro.tiles import Tile

__all__ = [
    "End",
    "Fate",
    "Layout",
    "Placement",
    "Spot",
    "collided",
    "end_of",
    "ends",
    "is_at_rest",
    "layout_after",
    "placement",
    "with_fate",
]

# The square of an avatar's tile, and its port there.
Spot = tuple[Square, PortID]


class Layout(NamedTuple):
    """The tiles on a board by square, and the place of each avatar.

    Every avatar is on a tile. Avatars may face a tile: layouts are not validated.
    """

    tiles: Mapping[Square, Tile]
    avatars: Mapping[ColorString, Spot]

    def _repr_svg_(self) -> str:
        return draw(self)


class Fate(Enum):
    """The outcome of an avatar's move."""

    RESTS = "rests"
    LEAVES = "leaves"
    LOOPS = "loops"


class End(NamedTuple):
    """The end of one avatar's move.

    RESTS: it stops here, facing an empty square. LEAVES: it leaves the board from here. LOOPS: it
    returned to its start, here, and would go round forever.
    """

    fate: Fate
    square: Square
    port: PortID


class Placement(NamedTuple):
    """The effect of placing one tile: the tile, its square, and the end of each avatar's move in
    the order of COLORS."""

    tile: Tile
    square: Square
    ends: Mapping[ColorString, End]


def placement(layout: Layout, player: ColorString, tile: Tile) -> Result[Placement]:
    """Return the effect of placing a tile on the square that `player` faces.

    Leaving and looping are not errors. Errors: the player is not on the board, faces off the board,
    or faces a tile. `layout_after` gives the resulting layout.
    """
    spot = layout.avatars.get(player)
    if spot is None:
        return error(f"{player} is not on the board, so it cannot place a tile")
    square, port = spot
    ahead = FACED[square][port]
    if ahead is None:
        return error(f"{player} at {position_of(square)} faces off the board: no square for a tile")
    if ahead in layout.tiles:
        return error(f"{player} faces {position_of(ahead)}, which holds a tile already")
    return ok(Placement(tile, ahead, ends({**layout.tiles, ahead: tile}, layout.avatars)))


def layout_after(layout: Layout, placed: Placement) -> Layout:
    """Return the layout after a placement: with the tile, and only the avatars that rest."""
    resting = {
        player: (end.square, end.port)
        for player, end in placed.ends.items()
        if end.fate is Fate.RESTS
    }
    return Layout({**layout.tiles, placed.square: placed.tile}, resting)


def ends(
    tiles: Mapping[Square, Tile], avatars: Mapping[ColorString, Spot]
) -> dict[ColorString, End]:
    """Return where each avatar's move ends, in the order of COLORS.

    Avatars do not block each other, and an avatar at rest ends where it is.
    """
    return {player: end_of(tiles, avatars[player]) for player in COLORS if player in avatars}


def end_of(tiles: Mapping[Square, Tile], start: Spot) -> End:
    """Return where a move from this place ends."""
    # Steps are reversible: the tile and the touching port determine what precedes a (square, port).
    # So no two steps lead to the same place, the first place visited twice is the start, and one of
    # the 800 places must be: this terminates without a set of visited places.
    square, port = start
    while True:
        ahead = FACED[square][port]
        if ahead is None:
            return End(Fate.LEAVES, square, port)
        tile = tiles.get(ahead)
        if tile is None:
            return End(Fate.RESTS, square, port)
        square, port = ahead, tile.exits[TOUCHING[port]]
        if (square, port) == start:
            return End(Fate.LOOPS, square, port)


def is_at_rest(tiles: Mapping[Square, Tile], spot: Spot) -> bool:
    """Return whether an avatar at this place faces an empty square of the board."""
    square, port = spot
    ahead = FACED[square][port]
    return ahead is not None and ahead not in tiles


def with_fate(moved: Mapping[ColorString, End], fate: Fate) -> tuple[ColorString, ...]:
    """Return the avatars with this fate, in the order given."""
    return tuple(player for player, end in moved.items() if end.fate is fate)


def collided(moved: Mapping[ColorString, End]) -> tuple[ColorString, ...]:
    """Return the resting avatars that share square and port with another, in the order given."""
    resting = [end for end in moved.values() if end.fate is Fate.RESTS]
    return tuple(player for player, end in moved.items() if resting.count(end) > 1)
