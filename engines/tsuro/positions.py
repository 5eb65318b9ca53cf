"""Where on the board: a position as users write it, the same as one number, and what it faces.

The board is 10 x 10; x grows to the right, y downwards, (0, 0) is the top left. Nothing here knows
what lies on a square. Source: the board specification (docs/tsuro-board.md).
"""

from __future__ import annotations

from typing import Final, NewType

from engines.tsuro._values import Frozen, whole
from engines.tsuro.ports import PortID

__all__ = [
    "BOARD_SIDE",
    "FACED",
    "MAX_BOARD_COORDINATE",
    "MIN_BOARD_COORDINATE",
    "BoardPosition",
    "Square",
    "neighbors",
    "position_faced",
    "position_of",
    "square_of",
]

MIN_BOARD_COORDINATE: Final = 0
MAX_BOARD_COORDINATE: Final = 9
BOARD_SIDE: Final = MAX_BOARD_COORDINATE - MIN_BOARD_COORDINATE + 1

# A position as one number, row by row: 10 * y + x. Movement reckons with these, since an integer is
# the cheapest key of a dictionary. `square_of` is the one way to make one.
Square = NewType("Square", int)

_RANGE: Final = range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1)

_PORTS_OF_A_SIDE: Final = 2

# By side, clockwise from the top: the way to the next square.
_STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))


class BoardPosition(Frozen):
    """A square of the board, by its coordinates; immutable, and equal to any position with the same
    ones. Raises ValueError where a coordinate is not a whole number from 0 to 9."""

    __slots__ = ("x", "y")

    x: int
    y: int

    def __init__(self, x: int, y: int) -> None:
        object.__setattr__(self, "x", _coordinate("x", x))
        object.__setattr__(self, "y", _coordinate("y", y))

    def is_corner(self) -> bool:
        """Whether it is one of the four corners of the board."""
        return _is_outermost(self.x) and _is_outermost(self.y)

    def is_edge(self) -> bool:
        """Whether it lies along the edge of the board; a corner does."""
        return _is_outermost(self.x) or _is_outermost(self.y)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoardPosition):
            return NotImplemented
        return self.x == other.x and self.y == other.y

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"BoardPosition(x={self.x}, y={self.y})"

    def __str__(self) -> str:
        return f"({self.x}, {self.y})"

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> BoardPosition:
        return BoardPosition(self.x, self.y)

    def __reduce__(self) -> tuple[type[BoardPosition], tuple[int, int]]:
        # Without this, copy.copy and pickle would set the slots of an empty one, and be refused.
        return BoardPosition, (self.x, self.y)


def square_of(position: BoardPosition) -> Square:
    """The number of this position, 0 to 99."""
    return Square(position.y * BOARD_SIDE + position.x)


def position_of(square: Square) -> BoardPosition:
    """The position of this number. Raises ValueError where it is not on the board."""
    return BoardPosition(square % BOARD_SIDE, square // BOARD_SIDE)


def position_faced(square: Square, port: PortID) -> BoardPosition | None:
    """The position that an avatar at this port of a tile here faces, or None off the board."""
    ahead = FACED[square][port]
    return None if ahead is None else position_of(ahead)


def neighbors(square: Square) -> tuple[Square, ...]:
    """The two to four squares that share a side with this one, clockwise from the top."""
    return tuple(near for near in FACED[square][::_PORTS_OF_A_SIDE] if near is not None)


def _coordinate(name: str, value: int) -> int:
    if not whole(value, MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE):
        raise ValueError(
            f"{name} is a whole number from {MIN_BOARD_COORDINATE} to {MAX_BOARD_COORDINATE}, "
            f"not {value!r}"
        )
    return value


def _is_outermost(coordinate: int) -> bool:
    return coordinate in (MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE)


def _if_on_board(x: int, y: int) -> Square | None:
    return Square(y * BOARD_SIDE + x) if x in _RANGE and y in _RANGE else None


def _faced_by_port(x: int, y: int) -> tuple[Square | None, ...]:
    by_side = [_if_on_board(x + step_x, y + step_y) for step_x, step_y in _STEPS]
    return tuple(square for square in by_side for _ in range(_PORTS_OF_A_SIDE))


# By square and port: the square that an avatar there faces, or None where that is off the board.
FACED: Final = tuple(_faced_by_port(x, y) for y in _RANGE for x in _RANGE)
