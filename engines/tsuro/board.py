"""The referee's board: validates and applies the moves of players, and notifies observers.

Each operation builds the complete next state and then replaces the old one, or leaves the board
unchanged; states are never modified. Movement itself is in movement.py. Source: the board
specification; docs/games/tsuro.md maps its statements to this code, and explains how moves and
observers, which it names without defining them, are defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from enum import Enum
from typing import NamedTuple, Protocol

from engines.deferred import draw
from engines.result import Result, error, ok
from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.movement import Fate, Layout, Placement, layout_after, placement, with_fate
from engines.tsuro.ports import PortID, is_integer_in_range
from engines.tsuro.positions import BoardPosition, neighbors, position_of, square_of
from engines.tsuro.rules import InitialRefusal, place_refusal
from engines.tsuro.state import BoardState, layout_of, state_of
from engines.tsuro.tiles import Tile

__all__ = [
    "Board",
    "BoardObserver",
    "InitialMove",
    "IntermediateMove",
    "MoveRefusal",
    "RefusedMove",
]


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


class MoveRefusal(Enum):
    """Why a board refuses a move."""

    NOT_A_MOVE = "the player, tile, port or position is none of the game"
    ELIMINATED = "the player's avatar has left the board"
    ON_BOARD = "the player's avatar is on the board already"
    NO_POSITION = "an initial move needs a position"
    NOT_ON_EDGE = "the position is not on the edge of the board"
    NOT_FREE = "the position or one beside it holds a tile"
    FACES_OFF = "the avatar would face off the board"
    NOT_ON_BOARD = "the player's avatar is not on the board"
    NO_SQUARE = "the player's avatar does not face an empty square"
    LOOPS = "the tile would put an avatar in a loop"


class RefusedMove(NamedTuple):
    """The first move of two lists that a board refuses.

    `number` is its number in its list, from 1; `text` says why it is refused.
    """

    is_initial: bool
    number: int
    refusal: MoveRefusal
    text: str

    def __str__(self) -> str:
        return f"{'initial placement' if self.is_initial else 'move'} {self.number}: {self.text}"


class BoardObserver(Protocol):
    """An observer of a board. Inherit from it and override methods, or implement all of them.

    The board is already updated. Exceptions raised by an observer are ignored.
    """

    def player_entered_board(
        self, player: ColorString, position: BoardPosition, port: PortID
    ) -> None:
        """Handle the initial move of a player, whose tile `tile_placed` reported before."""
        return  # a body makes overriding optional

    def tile_placed(self, tile: Tile, position: BoardPosition) -> None:
        """Handle a new tile on the board."""
        return  # as above

    def player_moved(self, player: ColorString, position: BoardPosition, port: PortID) -> None:
        """Handle the move of a player's avatar to a new place."""
        return  # as above

    def player_exited_board(self, player: ColorString) -> None:
        """Handle the exit of a player's avatar."""
        return  # as above

    def player_entered_loop(self, player: ColorString) -> None:
        """Handle a refused tile that would have put this player's avatar in a loop."""
        return  # as above


class Board:
    """A playable board, empty at first. Players get copies of its state, never the board."""

    __slots__ = ("_board_state", "_eliminated", "_observers")

    _board_state: BoardState
    _eliminated: set[ColorString]
    _observers: list[BoardObserver]

    def __init__(self) -> None:
        self._board_state = BoardState()
        self._eliminated = set()
        self._observers = []

    @classmethod
    def from_state(cls, state: BoardState) -> Board:
        """Return a board with a copy of this state; rules are not checked and avatars do not move.

        No player counts as eliminated. Raises ValueError if the state does not have ten rows of
        ten.
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
        refused = board.play(initial_placements, moves)
        return ok(board) if refused is None else error(str(refused))

    def play(
        self, initial_placements: Sequence[InitialMove], moves: Sequence[IntermediateMove]
    ) -> RefusedMove | None:
        """Make these initial moves and later moves, up to the first that is refused.

        Return that one, with the reason, or None if all are made.
        """
        for number, initial in enumerate(initial_placements, 1):
            refused = self._make_initial_move(initial)
            if refused is not None:
                return RefusedMove(True, number, *refused)
        for number, move in enumerate(moves, 1):
            refused = self._place_tile(move)
            if refused is not None:
                return RefusedMove(False, number, *refused)
        return None

    def add_observer(self, observer: BoardObserver) -> None:
        """Notify an observer of events from now on. Exceptions that it raises are ignored."""
        self._observers.append(observer)

    def get_board_state(self) -> BoardState:
        """Return a deep copy of the state."""
        return deepcopy(self._board_state)

    def validate_initial_move(self, move: InitialMove) -> Result[None]:
        """Check an initial move without making it.

        The error is the first of: the player is not a colour of the game, the tile not a Tile, the
        port not one of a tile, or the position neither a BoardPosition nor None; the player's
        avatar has left this board, or is on it already; the move has no position; the position is
        not on the edge; it or a neighbouring square holds a tile; the port faces off the board.
        """
        return _result_of(self._refuse_initial_move(move))

    def initial_move(self, move: InitialMove) -> Result[None]:
        """Place the tile and the avatar of a player's first move.

        Returns the error of `validate_initial_move`, leaving the board unchanged, if the move is
        refused.
        """
        return _result_of(self._make_initial_move(move))

    def initial_move_with_scissors(self, move: InitialMove) -> Result[None]:
        """Place the tile and the avatar of a trusted first move without checking the rules.

        An existing tile is replaced, and an avatar on the board is moved here; one that has left
        the board is back. No other avatar moves. Errors: a part of the move is none of the game, as
        in `validate_initial_move`, or the move has no position.
        """
        return _result_of(_refuse_parts(move) or self._enter(move))

    def validate_place_tile(self, move: IntermediateMove) -> Result[None]:
        """Check that the player is on the board and the tile is one. Loops are only detected by
        `place_tile`."""
        return _result_of(self._refuse_tile(move))

    def place_tile(self, move: IntermediateMove) -> Result[None]:
        """Place a tile on the square that the player faces, and move every avatar.

        Avatars that leave the board are removed, and observers are notified of the tile and of each
        avatar that moves or leaves, in the order of COLORS. Errors, which leave the board
        unchanged: the player is not on the board; the tile is not a Tile; the player faces off the
        board; it faces a tile; the tile would put any avatar in a loop. The error names the looping
        avatars, and observers are notified of each.
        """
        return _result_of(self._place_tile(move))

    def place_tile_at_index_with_scissors(self, tile: Tile, pos: BoardPosition) -> Result[None]:
        """Place a tile at a position without checking the rules; no avatar moves.

        An avatar that faces the position moves when the next tile is placed. Errors, which leave
        the board unchanged: the tile is not a Tile; the position holds a tile.
        """
        if not _is_tile(tile):
            return error(_not_a_tile(tile))
        if self._board_state.get_tile(pos) is not None:
            return error(f"{pos} holds a tile already")
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(Layout({**tiles, square_of(pos): tile}, avatars))
        self._notify(lambda observer: observer.tile_placed(tile, pos))
        return ok(None)

    def __repr__(self) -> str:
        return f"<Board {self._board_state!r}>"

    def _repr_svg_(self) -> str:
        return draw(self._board_state)

    def _make_initial_move(self, move: InitialMove) -> _Refused | None:
        return self._refuse_initial_move(move) or self._enter(move)

    def _refuse_initial_move(self, move: InitialMove) -> _Refused | None:
        malformed = _refuse_parts(move)
        if malformed is not None:
            return malformed
        if move.player in self._eliminated:
            return MoveRefusal.ELIMINATED, f"{move.player} has left the board and is out"
        if move.player in self._board_state.live_players:
            return MoveRefusal.ON_BOARD, f"{move.player} is on the board already"
        if move.position is None:
            return _NO_POSITION
        layout = layout_of(self._board_state)
        refusal = place_refusal(layout, move.position, move.port)
        return None if refusal is None else _explain(refusal, layout, move.position, move.port)

    def _enter(self, move: InitialMove) -> _Refused | None:
        player, position, port = move.player, move.position, move.port
        if position is None:
            return _NO_POSITION
        square = square_of(position)
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(
            Layout({**tiles, square: move.tile}, {**avatars, player: (square, port)})
        )
        self._eliminated.discard(player)
        self._notify(lambda observer: observer.tile_placed(move.tile, position))
        self._notify(lambda observer: observer.player_entered_board(player, position, port))
        return None

    def _refuse_tile(self, move: IntermediateMove) -> _Refused | None:
        if move.player not in COLORS:
            return MoveRefusal.NOT_A_MOVE, _not_a_player(move.player)
        found = self._board_state.get_position_of_player(move.player)
        if found.is_error():
            return MoveRefusal.NOT_ON_BOARD, found.error()
        if not _is_tile(move.tile):
            return MoveRefusal.NOT_A_MOVE, _not_a_tile(move.tile)
        return None

    def _place_tile(self, move: IntermediateMove) -> _Refused | None:
        refused = self._refuse_tile(move)
        if refused is not None:
            return refused
        layout = layout_of(self._board_state)
        placed = placement(layout, move.player, move.tile)
        if placed.is_error():
            return MoveRefusal.NO_SQUARE, placed.error()
        return self._apply_placement(layout, placed.value())

    def _apply_placement(self, layout: Layout, placed: Placement) -> _Refused | None:
        position = position_of(placed.square)
        looping = with_fate(placed.ends, Fate.LOOPS)
        if looping:
            for player in looping:
                self._notify_of(_notify_loop, player)
            text = f"a tile at {position} would put {', '.join(looping)} in a loop"
            return MoveRefusal.LOOPS, text
        self._board_state = state_of(layout_after(layout, placed))
        self._eliminated.update(with_fate(placed.ends, Fate.LEAVES))
        self._notify(lambda observer: observer.tile_placed(placed.tile, position))
        for player, end in placed.ends.items():
            if end.fate is Fate.LEAVES:
                self._notify_of(_notify_exit, player)
            elif (end.square, end.port) != layout.avatars[player]:
                self._notify_of(_notify_move(position_of(end.square), end.port), player)
        return None

    def _notify_of(
        self, event: Callable[[BoardObserver, ColorString], None], player: ColorString
    ) -> None:
        self._notify(lambda observer: event(observer, player))

    def _notify(self, event: Callable[[BoardObserver], None]) -> None:
        for observer in tuple(self._observers):
            try:
                event(observer)
            # The specification requires that observers cannot disturb the game.
            except Exception:  # pylint: disable=broad-exception-caught
                pass


# Why a move is refused, and the sentence that says so.
_Refused = tuple[MoveRefusal, str]

_NO_POSITION: _Refused = (MoveRefusal.NO_POSITION, MoveRefusal.NO_POSITION.value)


def _result_of(refused: _Refused | None) -> Result[None]:
    return ok(None) if refused is None else error(refused[1])


def _refuse_parts(move: InitialMove) -> _Refused | None:
    """Return why the parts of an initial move are none of the game."""
    text = None
    if move.player not in COLORS:
        text = _not_a_player(move.player)
    elif not _is_tile(move.tile):
        text = _not_a_tile(move.tile)
    elif not is_integer_in_range(move.port, 0, 7):
        text = f"a port must be an integer from 0 to 7, not {move.port!r}"
    elif not _is_position(move.position):
        text = f"a position must be a BoardPosition, not {move.position!r}"
    return None if text is None else (MoveRefusal.NOT_A_MOVE, text)


# Types are checked at run time: moves are untrusted. The parameters are objects, as mypy would call
# a check of a typed one unreachable.


def _is_tile(tile: object) -> bool:
    return isinstance(tile, Tile)


def _is_position(position: object) -> bool:
    return position is None or isinstance(position, BoardPosition)


def _not_a_player(player: object) -> str:
    return f"{player!r} is not a player: use one of {', '.join(COLORS)}"


def _not_a_tile(tile: object) -> str:
    return f"a tile must be a Tile, not {tile!r}"


def _explain(
    refusal: InitialRefusal, layout: Layout, position: BoardPosition, port: PortID
) -> _Refused:
    if refusal is InitialRefusal.NOT_ON_EDGE:
        return MoveRefusal.NOT_ON_EDGE, f"{position} is not on the edge of the board"
    if refusal is InitialRefusal.NOT_FREE:
        square = square_of(position)
        near = next(near for near in (square, *neighbors(square)) if near in layout.tiles)
        where = "" if near == square else f", next to {position},"
        return MoveRefusal.NOT_FREE, f"{position_of(near)}{where} holds a tile already"
    return MoveRefusal.FACES_OFF, f"port {port} of {position} faces off the board"


def _notify_loop(observer: BoardObserver, player: ColorString) -> None:
    observer.player_entered_loop(player)


def _notify_exit(observer: BoardObserver, player: ColorString) -> None:
    observer.player_exited_board(player)


def _notify_move(
    position: BoardPosition, port: PortID
) -> Callable[[BoardObserver, ColorString], None]:
    return lambda observer, player: observer.player_moved(player, position, port)
