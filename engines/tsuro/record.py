"""A game written down, move by move: what the referee hands out, and how the boards come back.

Values, and a function from them to boards; nobody is asked, and nothing is judged again. Source:
"A game" in docs/xref.md.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeAlias

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "Beginning",
    "Game",
    "Misconduct",
    "Move",
    "Turn",
    "layout_of_others",
    "layout_of_turn",
    "replay",
]


class Misconduct(Enum):
    """What makes a cheater, besides an answer that the rules refuse."""

    RAISED = "it raised an exception"
    CHANGED = "it changed what it was given"


class Beginning(NamedTuple):
    """What a player did in the initial round.

    `choice` stands, or was refused; None where there was none that could be read. `offence` is why
    the player is a cheater, or None.
    """

    player: ColorString
    given: InitialTiles
    choice: InitialChoice | None
    offence: InitialRefusal | Misconduct | None


class Turn(NamedTuple):
    """What a player did in a later round, and what came of it.

    `choice` and `offence`: as those of a Beginning. `looped` are the avatars that the choice, a
    legal one, put in a loop: they lost, and no tile was placed. `left` are those that left the
    board. Both in the order of COLORS.
    """

    player: ColorString
    given: TurnTiles
    choice: TilePattern | None
    offence: TurnRefusal | Misconduct | None
    looped: tuple[ColorString, ...] = ()
    left: tuple[ColorString, ...] = ()


Move: TypeAlias = Beginning | Turn


class Game(NamedTuple):
    """The record of a game: immutable through and through, and enough to play it again.

    `players` are the colours that took part. `ranking` is best first: who was left at the end, if
    anybody, then those who fell in the last round, and so back; in the order of COLORS in a rank.
    `cheaters`, in the order in which they were caught, have no rank.
    """

    players: tuple[ColorString, ...]
    beginnings: tuple[Beginning, ...]
    rounds: tuple[tuple[Turn, ...], ...]
    ranking: tuple[tuple[ColorString, ...], ...]
    cheaters: tuple[ColorString, ...]

    def moves(self) -> tuple[Move, ...]:
        """All that was done, in order."""
        return (*self.beginnings, *(turn for turns in self.rounds for turn in turns))


def replay(game: Game) -> Iterator[Layout]:
    """The boards of a game, one after each of its moves, made of the record alone. `state_of` makes
    each of them one that can be drawn."""
    layout = Layout({}, {})
    for move in game.moves():
        layout = _layout_after_move(layout, move)
        yield layout


def layout_of_turn(layout: Layout, placed: Placement) -> Layout:
    """The layout once a legal choice has been made. Where it loops somebody, no tile is placed, and
    whoever loops is taken off the board."""
    looped = with_fate(placed.ends, Fate.LOOPS)
    return layout_of_others(layout, looped) if looped else layout_after(layout, placed)


def layout_of_others(layout: Layout, gone: Iterable[ColorString]) -> Layout:
    """The layout without these avatars; all tiles stay."""
    without = set(gone)
    left = {player: spot for player, spot in layout.avatars.items() if player not in without}
    return Layout(layout.tiles, left)


def _layout_after_move(layout: Layout, move: Move) -> Layout:
    if move.offence is not None or move.choice is None:
        return layout_of_others(layout, (move.player,))
    if isinstance(move.choice, InitialChoice):
        return layout_with(layout, move.player, move.choice)
    tile = tile_pattern(*move.choice)
    return layout_of_turn(layout, placement(layout, move.player, tile).value())
