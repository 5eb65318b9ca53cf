"""What a player asks a board to do, and what a board tells those who watch it.

Records and an interface, no rules. Source: the board specification uses these names without
defining them; docs/tsuro-board.md says what was chosen.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from engines.tsuro.colors import ColorString
from engines.tsuro.ports import PortID
from engines.tsuro.positions import BoardPosition
from engines.tsuro.tile import Tile

__all__ = ["BoardObserver", "InitialMove", "IntermediateMove"]


class InitialMove(NamedTuple):
    """A player's first move: a tile, as it is turned now, on a position, and the player's avatar on
    a port of it. A move without a position can be written down; a board refuses it."""

    position: BoardPosition | None
    tile: Tile
    port: PortID
    player: ColorString


class IntermediateMove(NamedTuple):
    """A player's later move: a tile, as it is turned now, for the square that its avatar faces."""

    tile: Tile
    player: ColorString


class BoardObserver(Protocol):
    """Whoever wants to hear of a board's events: inherit from it and override what matters, or just
    have both methods. Whatever Exception they raise is silenced."""

    def player_exited_board(self, player: ColorString) -> None:
        """This player's avatar has left the board; the board has its new state already."""
        return  # a body, however small, makes overriding optional

    def player_entered_loop(self, player: ColorString) -> None:
        """A tile would have put this player's avatar in a loop; the board refused it."""
        return  # likewise
