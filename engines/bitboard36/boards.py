"""Boards with players: who holds which word, who plays, moves, and the mapping to base states.

A Board has colours; a State has only the current and the next player, as White would sit there.
No rules beyond the source: nothing is captured, and a move is checked for its two cells only.
Source: docs/bitboard36.md, "Boards and base states".
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from engines import bitboard36
from engines.bitboard36.errors import IllegalMove, Overlap
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

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engines.bitboard36.shape import Position

__all__ = [
    "Board",
    "Player",
    "State",
    "Variants",
    "after_move",
    "base_state",
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
    """Both colours' words as they lie on the board, and who plays: (white, black, to_play).

    Immutable and hashable. Raises InvalidWord for a word with bits beyond 35, Overlap where both
    colours hold a cell; a copy made with `_replace` is checked as well.
    """

    __slots__ = ()

    def __new__(cls, white: int, black: int, to_play: Player = Player.WHITE) -> Self:
        """A checked board; White plays unless it is said otherwise."""
        first, second = _apart(white, black)
        return super().__new__(cls, first, second, to_play)

    @classmethod
    # The inherited one skips __new__, and `_replace` stands on it. Both checkers know its signature
    # only as one that they make up for each named tuple.
    # pylint: disable-next=arguments-differ
    def _make(cls, iterable: Iterable[object]) -> Self:  # type: ignore[override]
        return cls(*cast("tuple[int, int, Player]", tuple(iterable)))

    @property
    def pieces(self) -> Word:
        """The word of all pieces, of either colour."""
        return Word(self.white | self.black)

    def __repr__(self) -> str:
        words = f"white={hexadecimal(self.white)}, black={hexadecimal(self.black)}"
        return f"Board({words}, to_play={self.to_play})"

    def _repr_svg_(self) -> str:
        # By way of the package, which loads pictures when they are asked for: only notebooks do.
        return bitboard36.board_svg(self)


class _StateFields(NamedTuple):
    current: Word
    next: Word


class State(_StateFields):
    """The word of the player to play, and the other's: (current, next), with White's seat below.

    States compare as the source says, by the current player's word, then the next player's.
    Immutable and hashable. Raises InvalidWord and Overlap, as Board does.
    """

    __slots__ = ()

    # The parameter is called like the field, so that it can be given by name.
    # pylint: disable-next=redefined-builtin
    def __new__(cls, current: int, next: int) -> Self:
        """A checked state."""
        first, second = _apart(current, next)
        return super().__new__(cls, first, second)

    @classmethod
    # As in Board.
    # pylint: disable-next=arguments-differ
    def _make(cls, iterable: Iterable[object]) -> Self:  # type: ignore[override]
        return cls(*cast("tuple[int, int]", tuple(iterable)))

    @property
    def pieces(self) -> Word:
        """The word of all pieces, of either player."""
        return Word(self.current | self.next)

    def __repr__(self) -> str:
        return f"State(current={hexadecimal(self.current)}, next={hexadecimal(self.next)})"

    def _repr_svg_(self) -> str:
        return bitboard36.state_svg(self)


class Variants(NamedTuple):
    """The four boards that share a base state; `white_right` is the base state itself.

    "Right" is the source's name for the smaller of the two vertical mirrors, wherever its pieces
    are. A board that is its own vertical mirror has left equal to right.
    """

    white_right: Board
    white_left: Board
    black_right: Board
    black_left: Board

    def _repr_svg_(self) -> str:
        return bitboard36.variants_svg(self)


def after_move(board: Board, origin: Position, target: Position) -> Board:
    """The board after the player to play moved a piece, with the other player to play.

    Raises IllegalMove where `origin` does not hold a piece of the player's own, or where `target`
    is occupied, by whichever colour (so also where both are the same cell). Any distance is legal.
    """
    player = board.to_play
    own = board.white if player is Player.WHITE else board.black
    if value(own, origin) == 0:
        raise IllegalMove(origin, f"there is no piece of {player.value}, who plays, to move")
    if value(board.pieces, target) == 1:
        raise IllegalMove(target, "the cell to move to is occupied")
    arrived = moved(own, origin, target)
    if player is Player.WHITE:
        return Board(arrived, board.black, player.other)
    return Board(board.white, arrived, player.other)


def state_of(board: Board) -> State:
    """The board for the player to play: as it lies for White; for Black mirrored along the
    horizontal axis and with the players switched."""
    if board.to_play is Player.WHITE:
        return State(board.white, board.black)
    return State(horizontal_mirror(board.black), horizontal_mirror(board.white))


def base_state(board: Board) -> State:
    """The one state that stands for this board and its other variants: the smaller of
    `state_of(board)` and its vertical mirror."""
    return _right_version(state_of(board))


def variants(state: State) -> Variants:
    """The four boards that have the base state of this state, which need not be one itself."""
    right = _right_version(state)
    left = _vertically_mirrored(right)
    return Variants(_for_white(right), _for_white(left), _for_black(right), _for_black(left))


def _right_version(state: State) -> State:
    return min(state, _vertically_mirrored(state))


def _vertically_mirrored(state: State) -> State:
    return State(vertical_mirror(state.current), vertical_mirror(state.next))


def _for_white(state: State) -> Board:
    return Board(state.current, state.next, Player.WHITE)


def _for_black(state: State) -> Board:
    return Board(horizontal_mirror(state.next), horizontal_mirror(state.current), Player.BLACK)


def _apart(first: int, second: int) -> tuple[Word, Word]:
    if (shared := word(first) & word(second)) != 0:
        raise Overlap(shared, f"a cell holds one piece, and both players hold {_listed(shared)}")
    return Word(first), Word(second)


def _listed(mask: int) -> str:
    numbers = ", ".join(map(str, cells(mask)))
    return f"position {numbers}" if mask & (mask - 1) == 0 else f"positions {numbers}"
