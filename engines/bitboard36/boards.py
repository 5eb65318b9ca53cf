"""Boards with players, their legal moves, and the mapping between boards and base states.

A Board has colours. A State has a current and a next player and is seen from White's side. Only the
origin and target of a move are checked: nothing is captured. Source:
docs/games/bitboard36.md, "Boards and base states" and "Moves".
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, Self, cast

from engines.bitboard36.errors import IllegalMove, Overlap
from engines.bitboard36.shape import CELLS, FULL, Position
from engines.bitboard36.words import (
    Word,
    hexadecimal,
    horizontal_mirror,
    moved,
    value,
    vertical_mirror,
    word,
)
from engines.bits import cells
from engines.deferred import draw

__all__ = [
    "Board",
    "Player",
    "State",
    "Variants",
    "after_move",
    "base_state",
    "legal_moves",
    "perft",
    "state_of",
    "variants",
]


class Player(Enum):
    """The two colours."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player.BLACK if self is Player.WHITE else Player.WHITE


class _BoardFields(NamedTuple):
    white: Word
    black: Word
    to_play: Player


class Board(_BoardFields):
    """The words of both colours and the player to move: (white, black, to_play).

    Immutable and hashable. Raises InvalidWord for a word with bits beyond 35, Overlap if both
    colours hold a cell, and ValueError if `to_play` is not a Player. Copies made with `_replace`
    are checked too.
    """

    __slots__ = ()

    def __new__(cls, white: int, black: int, to_play: Player = Player.WHITE) -> Self:
        """Return a checked board; White is to move by default."""
        first, second = _disjoint_words(white, black)
        if not isinstance(to_play, Player):
            raise ValueError(f"to_play must be a Player, such as Player.WHITE, not {to_play!r}")
        return super().__new__(cls, first, second, to_play)

    @classmethod
    # NamedTuple's own _make, which `_replace` uses, skips __new__. mypy and pylint compare with a
    # signature that they generate for each named tuple.
    # pylint: disable-next=arguments-differ
    def _make(cls, iterable: Iterable[object]) -> Self:  # type: ignore[override]
        return cls(*cast("tuple[int, int, Player]", tuple(iterable)))

    @property
    def pieces(self) -> Word:
        """The word of all pieces of either colour."""
        return Word(self.white | self.black)

    def __repr__(self) -> str:
        words = f"white={hexadecimal(self.white)}, black={hexadecimal(self.black)}"
        return f"Board({words}, to_play={self.to_play})"

    def _repr_svg_(self) -> str:
        return draw(self)


class _StateFields(NamedTuple):
    current: Word
    next: Word


class State(_StateFields):
    """The words of the player to move and of the other: (current, next), seen from White's side.

    States are ordered by the current player's word, then by the next player's. Immutable and
    hashable. Raises InvalidWord and Overlap, as Board does.
    """

    __slots__ = ()

    # Named after the field, so that it can be given by keyword.
    # pylint: disable-next=redefined-builtin
    def __new__(cls, current: int, next: int) -> Self:
        """Return a checked state."""
        first, second = _disjoint_words(current, next)
        return super().__new__(cls, first, second)

    @classmethod
    # As in Board.
    # pylint: disable-next=arguments-differ
    def _make(cls, iterable: Iterable[object]) -> Self:  # type: ignore[override]
        return cls(*cast("tuple[int, int]", tuple(iterable)))

    @property
    def pieces(self) -> Word:
        """The word of all pieces of either player."""
        return Word(self.current | self.next)

    def __repr__(self) -> str:
        return f"State(current={hexadecimal(self.current)}, next={hexadecimal(self.next)})"

    def _repr_svg_(self) -> str:
        return draw(self)


class Variants(NamedTuple):
    """The four boards that share a base state; `white_right` is the base state itself.

    The source calls the smaller of two vertical mirrors "right", wherever its pieces are. For a
    board that is its own vertical mirror, left and right are equal.
    """

    white_right: Board
    white_left: Board
    black_right: Board
    black_left: Board

    def _repr_svg_(self) -> str:
        return draw(self)


def after_move(board: Board, origin: Position, target: Position) -> Board:
    """Return the board after the player to move moves a piece, with the other player to move.

    Any distance is legal. Raises IllegalMove if `origin` does not hold a piece of the player, or if
    `target` is occupied.
    """
    player = board.to_play
    own, _ = _own_and_other(board)
    if value(own, origin) == 0:
        raise IllegalMove(origin, f"there is no piece of {player.value}, who plays, to move")
    if value(board.pieces, target) == 1:
        raise IllegalMove(target, "the cell to move to is occupied")
    arrived = moved(own, origin, target)
    if player is Player.WHITE:
        return Board(arrived, board.black, player.other)
    return Board(board.white, arrived, player.other)


def legal_moves(board: Board) -> tuple[tuple[Position, Position], ...]:
    """Return every (origin, target) that `after_move` accepts, in ascending order."""
    origins, _ = _own_and_other(board)
    empty = tuple(cells(FULL & ~board.pieces))
    return tuple(
        (Position(origin), Position(target)) for origin in cells(origins) for target in empty
    )


def perft(board: Board, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves from this board; 1 for depth 0.

    Raises ValueError for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    # A product, as no move changes the number of pieces of either player or of empty cells.
    playing, waiting = (pieces.bit_count() for pieces in _own_and_other(board))
    empty = CELLS - board.pieces.bit_count()
    sequences = 1
    for _ in range(depth):
        sequences *= playing * empty
        playing, waiting = waiting, playing
    return sequences


def state_of(board: Board) -> State:
    """Return the board as seen by the player to move.

    For Black, the board is mirrored along the horizontal axis and the players are switched.
    """
    if board.to_play is Player.WHITE:
        return State(board.white, board.black)
    return State(horizontal_mirror(board.black), horizontal_mirror(board.white))


def base_state(board: Board) -> State:
    """Return the smaller of `state_of(board)` and its vertical mirror: equal for all variants."""
    return _smaller_mirror(state_of(board))


def variants(state: State) -> Variants:
    """Return the four boards that share the base state of this state."""
    right = _smaller_mirror(state)
    left = _vertically_mirrored(right)
    return Variants(
        _white_board(right), _white_board(left), _black_board(right), _black_board(left)
    )


def _own_and_other(board: Board) -> tuple[Word, Word]:
    if board.to_play is Player.WHITE:
        return board.white, board.black
    return board.black, board.white


def _smaller_mirror(state: State) -> State:
    return min(state, _vertically_mirrored(state))


def _vertically_mirrored(state: State) -> State:
    return State(vertical_mirror(state.current), vertical_mirror(state.next))


def _white_board(state: State) -> Board:
    return Board(state.current, state.next, Player.WHITE)


def _black_board(state: State) -> Board:
    return Board(horizontal_mirror(state.next), horizontal_mirror(state.current), Player.BLACK)


def _disjoint_words(first: int, second: int) -> tuple[Word, Word]:
    if (shared := word(first) & word(second)) != 0:
        raise Overlap(
            shared, f"a cell holds one piece, and both players hold {_format_positions(shared)}"
        )
    return Word(first), Word(second)


def _format_positions(mask: int) -> str:
    numbers = ", ".join(map(str, cells(mask)))
    return f"position {numbers}" if mask & (mask - 1) == 0 else f"positions {numbers}"
