"""The referee's board: its state moves on by the moves of players, and it tells its observers.

Every operation makes the next state whole and then puts it in place, or leaves the board as it was:
a state, once in place, is never changed. How avatars move stands in movement.py. Source: the board
specification; docs/tsuro-board.md maps each sentence of it to the code here.
"""

from __future__ import annotations

from copy import deepcopy

from engines.result import Result, error, ok
from engines.tsuro._values import whole
from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.movement import Fate, Layout, Placement, layout_after, placement, with_fate
from engines.tsuro.moves import BoardObserver, InitialMove, IntermediateMove
from engines.tsuro.ports import PortID
from engines.tsuro.positions import FACED, BoardPosition, Square, neighbors, position_of, square_of
from engines.tsuro.state import BoardState, layout_of, state_of
from engines.tsuro.tile import Tile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Board"]


class Board:
    """A board that can be played on, empty at first. Not shared with players: they get copies of
    its state."""

    __slots__ = ("_board_state", "_observers")

    _board_state: BoardState
    _observers: list[BoardObserver]

    def __init__(self) -> None:
        self._board_state = BoardState()
        self._observers = []

    @classmethod
    def from_state(cls, state: BoardState) -> Board:
        """A board that stands as this state says, as it is: no rule is looked at, nobody moves.
        The state is copied. Raises ValueError where its rows are not ten of ten."""
        board = cls()
        board._board_state = deepcopy(state)
        return board

    @staticmethod
    def create_board_from_initial_placements(
        initial_placements: Sequence[InitialMove],
    ) -> Result[Board]:
        """The board after these initial moves, in this order. An error: that of the first move
        that is refused, with its number, counted from 1."""
        return Board.create_board_from_moves(initial_placements, [])

    @staticmethod
    def create_board_from_moves(
        initial_placements: Sequence[InitialMove], moves: Sequence[IntermediateMove]
    ) -> Result[Board]:
        """The board after these initial moves and then these later ones, in this order. An error:
        that of the first move that is refused, with its number, counted from 1 in its list."""
        board = Board()
        for number, first in enumerate(initial_placements, 1):
            placed = board.initial_move(first)
            if placed.is_error():
                return error(f"initial placement {number}: {placed.error()}")
        for number, move in enumerate(moves, 1):
            placed = board.place_tile(move)
            if placed.is_error():
                return error(f"move {number}: {placed.error()}")
        return ok(board)

    def add_observer(self, observer: BoardObserver) -> None:
        """Tell this observer of what happens on this board from now on. It is told colours and
        nothing else, and what it raises is silenced."""
        self._observers.append(observer)

    def get_board_state(self) -> BoardState:
        """The state of this board, copied deeply: whatever is done to it, the board stays."""
        return deepcopy(self._board_state)

    def validate_initial_move(self, move: InitialMove) -> Result[None]:
        """Whether the board's rules allow this initial move; nothing is changed.

        An error, the first of: the player is no colour of the game, or is on the board already; the
        move has no position; the position is not along the edge; it, or a square that shares a side
        with it, holds a tile; there is no such port; the port faces off the board.
        """
        if move.player not in COLORS:
            return error(f"{move.player!r} is no player: one of {', '.join(COLORS)}")
        if move.player in self._board_state.live_players:
            return error(f"{move.player} is on the board already")
        if move.position is None:
            return error("an initial move needs a position")
        if not move.position.is_edge():
            return error(f"{move.position} is not along the edge of the board")
        square = square_of(move.position)
        refusal = self._first_tile_near(square) or _outward(square, move.port)
        return ok(None) if refusal is None else error(refusal)

    def initial_move(self, move: InitialMove) -> Result[None]:
        """Place the tile of a player's first move, and its avatar. Nobody moves: what lies around
        is free. An error: that of `validate_initial_move`; the board stays as it was."""
        valid = self.validate_initial_move(move)
        return valid if valid.is_error() else self.initial_move_with_scissors(move)

    def initial_move_with_scissors(self, move: InitialMove) -> Result[None]:
        """Place the tile of a player's first move, and its avatar, whatever the rules say: a tile
        that lies there is replaced, an avatar that stands elsewhere is set down here. Nobody moves.
        Only for moves that can be trusted. An error: the move has no position."""
        if move.position is None:
            return error("an initial move needs a position")
        square = square_of(move.position)
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(
            Layout({**tiles, square: move.tile}, {**avatars, move.player: (square, move.port)})
        )
        return ok(None)

    def validate_place_tile(self, move: IntermediateMove) -> Result[None]:
        """Whether the player is on the board, and so may place a tile; nothing is changed. An
        error: it is not. That the placement loops nobody, only `place_tile` finds out."""
        found = self._board_state.get_position_of_player(move.player)
        return error(found.error()) if found.is_error() else ok(None)

    def place_tile(self, move: IntermediateMove) -> Result[None]:
        """Place this tile on the square that the player faces, and move every avatar.

        Those that leave the board are removed; observers hear of each, in the order of COLORS. An
        error, and the board stays as it was: the player is not on the board; it faces off the
        board, or faces a tile (it was not at rest); some avatars, any, would be in a loop, and the
        error names them; of these, too, observers hear in that order.
        """
        valid = self.validate_place_tile(move)
        if valid.is_error():
            return valid
        layout = layout_of(self._board_state)
        placed = placement(layout, move.player, move.tile)
        if placed.is_error():
            return error(placed.error())
        return self._settle(layout, placed.value())

    def place_tile_at_index_with_scissors(self, tile: Tile, pos: BoardPosition) -> Result[None]:
        """Place a tile at this position, whatever the rules say. Nobody moves; an avatar that faces
        the position is no longer at rest, and moves when the next tile is placed. An error, and the
        board stays as it was: the position holds a tile already."""
        if self._board_state.get_tile(pos) is not None:
            return error(f"{pos} holds a tile already")
        tiles, avatars = layout_of(self._board_state)
        self._board_state = state_of(Layout({**tiles, square_of(pos): tile}, avatars))
        return ok(None)

    def _repr_svg_(self) -> str:
        # pylint: disable-next=import-outside-toplevel,cyclic-import  # paid for by who draws
        from engines.tsuro.picture import board_svg

        return board_svg(self._board_state)

    def _settle(self, layout: Layout, placed: Placement) -> Result[None]:
        looping = with_fate(placed.ends, Fate.LOOPS)
        if looping:
            self._tell(_loop, looping)
            return error(
                f"a tile at {position_of(placed.square)} would put {', '.join(looping)} in a loop"
            )
        self._board_state = state_of(layout_after(layout, placed))
        self._tell(_exit, with_fate(placed.ends, Fate.LEAVES))
        return ok(None)

    def _first_tile_near(self, square: Square) -> str | None:
        for near in (square, *neighbors(square)):
            if self._board_state.get_tile(position_of(near)) is not None:
                where = "" if near == square else f", next to {position_of(square)},"
                return f"{position_of(near)}{where} holds a tile already"
        return None

    def _tell(
        self,
        event: Callable[[BoardObserver, ColorString], None],
        players: Iterable[ColorString],
    ) -> None:
        for player in players:
            for observer in tuple(self._observers):
                try:
                    event(observer, player)
                # As specified: whatever an observer raises, the game goes on.
                except Exception:  # pylint: disable=broad-exception-caught
                    pass


def _outward(square: Square, port: PortID) -> str | None:
    if not whole(port, 0, 7):
        return f"a port is a whole number from 0 to 7, not {port!r}"
    if FACED[square][port] is None:
        return f"port {port} of {position_of(square)} faces off the board"
    return None


def _loop(observer: BoardObserver, player: ColorString) -> None:
    observer.player_entered_loop(player)


def _exit(observer: BoardObserver, player: ColorString) -> None:
    observer.player_exited_board(player)
