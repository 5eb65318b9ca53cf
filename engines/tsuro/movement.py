"""Where each avatar ends when a tile is placed: pure functions over mappings, without a Board.

What follows from an end (a refusal, a removal, a word on the wire) is up to the caller, and so is
whether a choice is legal. Source: "How avatars move" in docs/tsuro-board.md.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from engines.result import Result, error, ok
from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.ports import TOUCHING, PortID
from engines.tsuro.positions import FACED, Square, position_of
from engines.tsuro.tile import Tile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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

# The square of the tile that an avatar is on, and its port there.
Spot = tuple[Square, PortID]


class Layout(NamedTuple):
    """What lies on a board: tiles by square, and where each avatar on it stands. An avatar stands
    on a tile; it may face one, too (a layout is taken as it is)."""

    tiles: Mapping[Square, Tile]
    avatars: Mapping[ColorString, Spot]


class Fate(Enum):
    """What becomes of an avatar that moves."""

    RESTS = "rests"
    LEAVES = "leaves"
    LOOPS = "loops"


class End(NamedTuple):
    """Where one avatar's move ends, and how.

    RESTS: it stands here, facing an empty square of the board. LEAVES: it went off the board from
    here. LOOPS: it came back to here, where it had started, and would for ever.
    """

    fate: Fate
    square: Square
    port: PortID


class Placement(NamedTuple):
    """What placing one tile would do: the tile, its square, and the end of every avatar's move, in
    the order of COLORS."""

    tile: Tile
    square: Square
    ends: Mapping[ColorString, End]


def placement(layout: Layout, player: ColorString, tile: Tile) -> Result[Placement]:
    """What becomes of everybody when this tile is placed on the square that `player` faces.

    Nothing is changed: `layout_after` is the layout that results. Leaving and looping are ends, not
    errors. An error: the player is not on the board, or faces off the board, or faces a tile.
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
    """The layout once a placement stands: the tile lies there, and the avatars that rest are the
    ones left. Whether it may stand where it loops somebody is up to the caller: a Board says no."""
    resting = {
        player: (end.square, end.port)
        for player, end in placed.ends.items()
        if end.fate is Fate.RESTS
    }
    return Layout({**layout.tiles, placed.square: placed.tile}, resting)


def ends(
    tiles: Mapping[Square, Tile], avatars: Mapping[ColorString, Spot]
) -> dict[ColorString, End]:
    """Where every avatar's move over these tiles ends, in the order of COLORS. Avatars do not block
    each other; one that stands at rest ends where it stands."""
    return {player: end_of(tiles, avatars[player]) for player in COLORS if player in avatars}


def end_of(tiles: Mapping[Square, Tile], start: Spot) -> End:
    """Where a move over these tiles ends that begins here."""
    # One step can be undone: what lies before a (square, port) is given by its tile and the port
    # that touches. So no two steps lead to one place, the first place to come twice is the start,
    # and of 800 places one must: no set of places seen is needed, and this ends.
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
    """Whether an avatar here would stay: it faces a square of the board, and no tile lies there."""
    square, port = spot
    ahead = FACED[square][port]
    return ahead is not None and ahead not in tiles


def with_fate(moved: Mapping[ColorString, End], fate: Fate) -> tuple[ColorString, ...]:
    """The avatars with this fate, in the order given."""
    return tuple(player for player, end in moved.items() if end.fate is fate)


def collided(moved: Mapping[ColorString, End]) -> tuple[ColorString, ...]:
    """The avatars at rest that share their square and port with another, in the order given."""
    resting = [end for end in moved.values() if end.fate is Fate.RESTS]
    return tuple(player for player, end in moved.items() if resting.count(end) > 1)
