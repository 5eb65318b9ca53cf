"""The referee's board: validates and applies the moves of players, and notifies observers.

Each operation builds the complete next state and then replaces the old one, or leaves the board
unchanged; states are never modified. Movement itself is in movement.py. Source: the board
specification; docs/tsuro-board.md maps its statements to this code, and explains how moves and
observers, which it names without defining them, are defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import NamedTuple, Protocol

from engines.deferred import draw
from engines.result import Result, error, ok
from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.movement import Fate, Layout, Placement, layout_after, placement, with_fate
from engines.tsuro.ports import PortID, is_integer_in_range
from engines.tsuro.positions import FACED, BoardPosition, Square, neighbors, position_of, square_of
from engines.tsuro.state import BoardState, layout_of, state_of
from engines.tsuro.tiles import Tile

__all__ = ["Board", "BoardObserver", "InitialMove", "IntermediateMove"]


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


class Board:
    """A playable board, empty at first. Players get copies of its state, never the board."""

    __slots__ = ("_board_state", "_observers")

    _board_state: BoardState
    _observers: list[BoardObserver]

    def __init__(self) -> None:
        self._board_state = BoardState()
        self._observers = []

    @classmethod
    def from_state(cls, state: BoardState) -> Board:
        """Return a board with a copy of this state; rules are not checked and avatars do not move.

        Raises ValueError if the state does not have ten rows of ten.
        """
        board = cls()
        board._board_state = deepcopy(state)
        return board

    @staticmethod
    def create_board_from_initial_placements(
        initial_placements: Sequence[InitialMove],
    ) -> Result[Board]:
        """Return the board after these initial moves, or the error of the first refused move.

        Errors give the number of the move, from 1.
        """
        return Board.create_board_from_moves(initial_placements, [])

    @staticmethod
    def create_board_from_moves(
        initial_placements: Sequence[InitialMove], moves: Sequence[IntermediateMove]
    ) -> Result[Board]:
        """Return the board after these initial moves and later moves, or the error of the first
        refused one.

        Errors give the number of the move in its list, from 1.
        """
        board = Board()
        for number, initial in enumerate(initial_placements, 1):
            placed = board.initial_move(initial)
            if placed.is_error():
                return error(f"initial placement {number}: {placed.error()}")
        for number, move in enumerate(moves, 1):
            placed = board.place_tile(move)
            if placed.is_error():
                return error(f"move {number}: {placed.error()}")
        return ok(board)

    def add_observer(self, observer: BoardObserver) -> None:
        """Notify an observer of events from now on. Exceptions that it raises are ignored."""
        self._observers.append(observer)

    def get_board_state(self) -> BoardState:
        """Return a deep copy of the state."""
        return deepcopy(self._board_state)

    def validate_initial_move(self, move: InitialMove) -> Result[None]:
        """Check an initial move without making it.

        The error is the first of: the player is not a colour of the game, or is on the board
        already; the move has no position; the position is not on the edge; it or a neighbouring
        square holds a tile; the port does not exist; the port faces off the board.
        """
        if move.player not in COLORS:
            return error(f"{move.player!r} is not a player: use one of {', '.join(COLORS)}")
        if move.player in self._board_state.live_players:
            return error(f"{move.player} is on the board already")
        if move.position is None:
            return error("an initial move needs a position")
        if not move.position.is_edge():
            return error(f"{move.position} is not on the edge of the board")
        square = square_of(move.position)
        refusal = self._occupied_error(square) or _port_error(square, move.port)
        return ok(None) if refusal is None else error(refusal)

    def initial_move(self, move: InitialMove) -> Result[None]:
        """Place the tile and the avatar of a player's first move.

        Returns the error of `validate_initial_move`, leaving the board unchanged, if the move is
        refused.
        """
        valid = self.validate_initial_move(move)
        return valid if valid.is_error() else self.initial_move_with_scissors(move)

    def initial_move_with_scissors(self, move: InitialMove) -> Result[None]:
        """Place the tile and the avatar of a trusted first move without checking the rules.

        An existing tile is replaced, and an avatar on the board is moved here. No other avatar
        moves. The only error is a move without a position.
        """
        if move.position is None:
            return error("an initial move needs a position")
        square = square_of(move.position)
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(
            Layout({**tiles, square: move.tile}, {**avatars, move.player: (square, move.port)})
        )
        return ok(None)

    def validate_place_tile(self, move: IntermediateMove) -> Result[None]:
        """Check that the player is on the board. Loops are only detected by `place_tile`."""
        found = self._board_state.get_position_of_player(move.player)
        return error(found.error()) if found.is_error() else ok(None)

    def place_tile(self, move: IntermediateMove) -> Result[None]:
        """Place a tile on the square that the player faces, and move every avatar.

        Avatars that leave the board are removed, and observers are notified of each, in the order
        of COLORS. Errors, which leave the board unchanged: the player is not on the board; it faces
        off the board; it faces a tile; the tile would put any avatar in a loop. The error names the
        looping avatars, and observers are notified of each.
        """
        valid = self.validate_place_tile(move)
        if valid.is_error():
            return valid
        layout = layout_of(self._board_state)
        placed = placement(layout, move.player, move.tile)
        if placed.is_error():
            return error(placed.error())
        return self._apply_placement(layout, placed.value())

    def place_tile_at_index_with_scissors(self, tile: Tile, pos: BoardPosition) -> Result[None]:
        """Place a tile at a position without checking the rules; no avatar moves.

        An avatar that faces the position moves when the next tile is placed. The only error, which
        leaves the board unchanged, is a position that holds a tile.
        """
        if self._board_state.get_tile(pos) is not None:
            return error(f"{pos} holds a tile already")
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(Layout({**tiles, square_of(pos): tile}, avatars))
        return ok(None)

    def _repr_svg_(self) -> str:
        return draw(self._board_state)

    def _apply_placement(self, layout: Layout, placed: Placement) -> Result[None]:
        looping = with_fate(placed.ends, Fate.LOOPS)
        if looping:
            self._notify(_notify_loop, looping)
            return error(
                f"a tile at {position_of(placed.square)} would put {', '.join(looping)} in a loop"
            )
        self._board_state = state_of(layout_after(layout, placed))
        self._notify(_notify_exit, with_fate(placed.ends, Fate.LEAVES))
        return ok(None)

    def _occupied_error(self, square: Square) -> str | None:
        for near in (square, *neighbors(square)):
            if self._board_state.get_tile(position_of(near)) is not None:
                where = "" if near == square else f", next to {position_of(square)},"
                return f"{position_of(near)}{where} holds a tile already"
        return None

    def _notify(
        self,
        event: Callable[[BoardObserver, ColorString], None],
        players: Iterable[ColorString],
    ) -> None:
        for player in players:
            for observer in tuple(self._observers):
                try:
                    event(observer, player)
                # The specification requires that observers cannot disturb the game.
                except Exception:  # pylint: disable=broad-exception-caught
                    pass


def _port_error(square: Square, port: PortID) -> str | None:
    if not is_integer_in_range(port, 0, 7):
        return f"a port must be an integer from 0 to 7, not {port!r}"
    if FACED[square][port] is None:
        return f"port {port} of {position_of(square)} faces off the board"
    return None


def _notify_loop(observer: BoardObserver, player: ColorString) -> None:
    observer.player_entered_loop(player)


def _notify_exit(observer: BoardObserver, player: ColorString) -> None:
    observer.player_exited_board(player)
