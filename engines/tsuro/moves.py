"""The moves that players request from a board, and the interface of its observers.

The board specification uses these names without defining them; docs/tsuro-board.md explains the
definitions chosen.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from engines.tsuro.colors import ColorString
from engines.tsuro.ports import PortID
from engines.tsuro.positions import BoardPosition
from engines.tsuro.tile import Tile

__all__ = ["BoardObserver", "InitialMove", "IntermediateMove"]


class InitialMove(NamedTuple):
    """A player's first move: a tile as rotated, its position, and the avatar's port on it.

    A move without a position can be created, but boards refuse it.
    """

    position: BoardPosition | None
    tile: Tile
    port: PortID
    player: ColorString


class IntermediateMove(NamedTuple):
    """A player's later move: a tile as rotated, for the square that its avatar faces."""

    tile: Tile
    player: ColorString


class BoardObserver(Protocol):
    """An observer of a board. Inherit from it and override methods, or implement both.

    Exceptions raised by an observer are ignored.
    """

    def player_exited_board(self, player: ColorString) -> None:
        """Handle the exit of a player's avatar; the board is already updated."""
        return  # a body makes overriding optional

    def player_entered_loop(self, player: ColorString) -> None:
        """Handle a refused tile that would have put this player's avatar in a loop."""
        return  # as above
