"""The state of a board as shown to players, and its conversion to and from a Layout.

Source: the board specification (docs/games/tsuro.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy

from engines.deferred import draw
from engines.result import Result, error, ok
from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout
from engines.tsuro.ports import PORT_LETTERS, PortID
from engines.tsuro.positions import (
    BOARD_SIDE,
    BoardPosition,
    Square,
    position_faced,
    position_of,
    square_of,
)
from engines.tsuro.tiles import Tile

__all__ = ["BoardState", "layout_of", "state_of"]


class BoardState:
    """The rows of a board and its avatars; empty by default.

    `board[y][x]` is the tile at (x, y) or None, in ten rows of ten. `live_players` maps each colour
    on the board to its position and port. Treat it as immutable: boards hand out deep copies.
    States are equal if they have the same avatars and the same wires on every square, so that a
    rotated tile makes a difference; they are not hashable. Raises ValueError if there are not ten
    rows of ten; the rest is not validated.
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
        """Return the tile at a position, or None."""
        return self.board[pos.y][pos.x]

    def get_position_of_player(self, player: ColorString) -> Result[tuple[BoardPosition, PortID]]:
        """Return the position and port of an avatar, or an error if it is not on the board."""
        spot = self.live_players.get(player)
        return error(f"{player} is not on the board") if spot is None else ok(spot)

    def calculate_adjacent_position_of_player(
        self, player: ColorString
    ) -> Result[BoardPosition | None]:
        """Return the position that a player's avatar faces, or None if it faces off the board.

        An error if the player is not on the board.
        """
        found = self.get_position_of_player(player)
        if found.is_error():
            return error(found.error())
        position, port = found.value()
        return ok(position_faced(square_of(position), port))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoardState):
            return NotImplemented
        return self.live_players == other.live_players and self._wires() == other._wires()

    __hash__ = None  # type: ignore[assignment]  # the rows are lists

    def __repr__(self) -> str:
        tiles = [
            f"({x}, {y}) {_format_wires(tile)}"
            for y, row in enumerate(self.board)
            for x, tile in enumerate(row)
            if tile is not None
        ]
        players = [
            f"{player} {position} port {port}"
            for player, (position, port) in self.live_players.items()
        ]
        return (
            f"<BoardState tiles: {', '.join(tiles) or None}; players: {', '.join(players) or None}>"
        )

    def _repr_svg_(self) -> str:
        return draw(self)

    def _wires(self) -> list[list[object]]:
        # `==` of tiles ignores rotation.
        return [[None if tile is None else tile.edges for tile in row] for row in self.board]

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> BoardState:
        memo = {} if memo is None else memo
        return BoardState(deepcopy(self.board, memo), deepcopy(self.live_players, memo))


def layout_of(state: BoardState) -> Layout:
    """Return the tiles and avatars of a state by square."""
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
    """Return the tiles and avatars of a layout in rows."""
    rows = _empty_rows()
    for square, tile in layout.tiles.items():
        rows[square // BOARD_SIDE][square % BOARD_SIDE] = tile
    return BoardState(
        rows,
        {player: (position_of(square), port) for player, (square, port) in layout.avatars.items()},
    )


def _format_wires(tile: Tile) -> str:
    return " ".join(PORT_LETTERS[first] + PORT_LETTERS[second] for first, second in tile.edges)


def _empty_rows() -> list[list[Tile | None]]:
    return [[None] * BOARD_SIDE for _ in range(BOARD_SIDE)]


def _checked_rows(board: Iterable[Iterable[Tile | None]]) -> list[list[Tile | None]]:
    rows = [list(row) for row in board]
    lengths = [len(row) for row in rows]
    if lengths != [BOARD_SIDE] * BOARD_SIDE:
        raise ValueError(f"a board must have 10 rows of 10 squares, not rows of {lengths}")
    return rows
