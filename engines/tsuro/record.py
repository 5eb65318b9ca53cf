"""The record of a game, move by move, and the boards that it replays to.

Source: "A game" in docs/games/tsuro-games.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from engines.deferred import draw
from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Fate, Layout, Placement, layout_after, placement, with_fate
from engines.tsuro.rules import (
    InitialChoice,
    InitialRefusal,
    InitialTiles,
    TurnRefusal,
    TurnTiles,
    layout_with,
)
from engines.tsuro.tiles import TilePattern, tile_pattern

__all__ = [
    "Beginning",
    "Game",
    "Misconduct",
    "Move",
    "Turn",
    "layout_after_turn",
    "layout_without",
    "replay",
]


class Misconduct(Enum):
    """Reasons to disqualify a player besides an illegal choice."""

    RAISED = "it raised an exception"
    CHANGED = "it changed what it was given"


class Beginning(NamedTuple):
    """A player's action in the initial round.

    `choice` is the placement made or refused, or None if the answer was unreadable. `offence` is
    why the player was disqualified, or None.
    """

    player: ColorString
    given: InitialTiles
    choice: InitialChoice | None
    offence: InitialRefusal | Misconduct | None


class Turn(NamedTuple):
    """A player's action in a later round, and its effect.

    `choice` and `offence` are as in Beginning. `looped` are the avatars eliminated by a legal
    choice that loops them, without placing the tile. `left` are those that left the board. Both are
    in the order of COLORS.
    """

    player: ColorString
    given: TurnTiles
    choice: TilePattern | None
    offence: TurnRefusal | Misconduct | None
    looped: tuple[ColorString, ...] = ()
    left: tuple[ColorString, ...] = ()


Move: TypeAlias = Beginning | Turn


class Game(NamedTuple):
    """The immutable record of a game, sufficient to replay it.

    `players` are the colours that took part. `ranking` is best first: the survivors, if any, then
    those eliminated in the last round, and so on backwards; each rank in the order of COLORS.
    `cheaters` are unranked, in the order in which they were caught.
    """

    players: tuple[ColorString, ...]
    beginnings: tuple[Beginning, ...]
    rounds: tuple[tuple[Turn, ...], ...]
    ranking: tuple[tuple[ColorString, ...], ...]
    cheaters: tuple[ColorString, ...]

    def _repr_html_(self) -> str:
        return draw(self, "html")

    def _repr_svg_(self) -> str:
        return draw(self)

    def moves(self) -> tuple[Move, ...]:
        """Return all actions in order."""
        return (*self.beginnings, *(turn for turns in self.rounds for turn in turns))


def replay(game: Game) -> Iterator[Layout]:
    """Yield the board after each move of a game. `state_of` converts a board for drawing."""
    layout = Layout({}, {})
    for move in game.moves():
        layout = _layout_after_move(layout, move)
        yield layout


def layout_after_turn(layout: Layout, placed: Placement) -> Layout:
    """Return the layout after a legal choice.

    If it loops any avatar, the tile is not placed and the looping avatars are removed.
    """
    looped = with_fate(placed.ends, Fate.LOOPS)
    return layout_without(layout, looped) if looped else layout_after(layout, placed)


def layout_without(layout: Layout, gone: Iterable[ColorString]) -> Layout:
    """Return the layout without these avatars; tiles stay."""
    without = set(gone)
    left = {player: spot for player, spot in layout.avatars.items() if player not in without}
    return Layout(layout.tiles, left)


def _layout_after_move(layout: Layout, move: Move) -> Layout:
    if move.offence is not None or move.choice is None:
        return layout_without(layout, (move.player,))
    if isinstance(move.choice, InitialChoice):
        return layout_with(layout, move.player, move.choice)
    tile = tile_pattern(*move.choice)
    return layout_after_turn(layout, placement(layout, move.player, tile).value())
