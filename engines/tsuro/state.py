"""What stands on a board at one moment, as players and rule checkers are shown it.

The two views of it, rows of tiles and the mappings that movement reckons with, turn into each other
here. No rules. Source: the board specification (docs/tsuro-board.md).
"""

from __future__ import annotations

from copy import deepcopy

from engines.result import Result, error, ok
from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout
from engines.tsuro.ports import PortID
from engines.tsuro.positions import (
    BOARD_SIDE,
    BoardPosition,
    Square,
    position_faced,
    position_of,
    square_of,
)
from engines.tsuro.tile import Tile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BoardState", "layout_of", "state_of"]


class BoardState:
    """The rows of a board and the avatars on it; without arguments, an empty board.

    `board[y][x]` is the tile at (x, y), or None: ten rows of ten. `live_players` has, by colour,
    the position of each avatar on the board and its port there. Treat it as immutable: only a
    Board may make a board's state, and what it hands out is a deep copy. Raises ValueError where
    the rows are not ten of ten; the rest is taken as it is.
    """

    __slots__ = ("board", "live_players")

    board: list[list[Tile | None]]
    live_players: Mapping[ColorString, tuple[BoardPosition, PortID]]

    def __init__(
        self,
        board: Iterable[Iterable[Tile | None]] | None = None,
        live_players: Mapping[ColorString, tuple[BoardPosition, PortID]] | None = None,
    ) -> None:
        self.board = _empty_rows() if board is None else _checked_rows(board)
        self.live_players = {} if live_players is None else dict(live_players)

    def get_tile(self, pos: BoardPosition) -> Tile | None:
        """The tile at this position, or None."""
        return self.board[pos.y][pos.x]

    def get_position_of_player(self, player: ColorString) -> Result[tuple[BoardPosition, PortID]]:
        """The position of the tile that the player's avatar is on, and its port there. An error:
        the player is not on the board."""
        spot = self.live_players.get(player)
        return error(f"{player} is not on the board") if spot is None else ok(spot)

    def calculate_adjacent_position_of_player(
        self, player: ColorString
    ) -> Result[BoardPosition | None]:
        """The position that the player's avatar faces, or None where that is off the board. An
        error: the player is not on the board."""
        found = self.get_position_of_player(player)
        if found.is_error():
            return error(found.error())
        position, port = found.value()
        return ok(position_faced(square_of(position), port))

    def _repr_svg_(self) -> str:
        # pylint: disable-next=import-outside-toplevel,cyclic-import  # paid for by who draws
        from engines.tsuro.picture import board_svg

        return board_svg(self)

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> BoardState:
        memo = {} if memo is None else memo
        return BoardState(deepcopy(self.board, memo), deepcopy(self.live_players, memo))


def layout_of(state: BoardState) -> Layout:
    """The same tiles and avatars, by square."""
    tiles = {
        Square(y * BOARD_SIDE + x): tile
        for y, row in enumerate(state.board)
        for x, tile in enumerate(row)
        if tile is not None
    }
    avatars = {
        player: (square_of(position), port)
        for player, (position, port) in state.live_players.items()
    }
    return Layout(tiles, avatars)


def state_of(layout: Layout) -> BoardState:
    """The same tiles and avatars, in rows."""
    rows = _empty_rows()
    for square, tile in layout.tiles.items():
        rows[square // BOARD_SIDE][square % BOARD_SIDE] = tile
    return BoardState(
        rows,
        {player: (position_of(square), port) for player, (square, port) in layout.avatars.items()},
    )


def _empty_rows() -> list[list[Tile | None]]:
    return [[None] * BOARD_SIDE for _ in range(BOARD_SIDE)]


def _checked_rows(board: Iterable[Iterable[Tile | None]]) -> list[list[Tile | None]]:
    rows = [list(row) for row in board]
    lengths = [len(row) for row in rows]
    if lengths != [BOARD_SIDE] * BOARD_SIDE:
        raise ValueError(f"a board is 10 rows of 10 squares, not rows of {lengths}")
    return rows
