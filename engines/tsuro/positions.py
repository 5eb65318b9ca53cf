"""Positions on the 10 x 10 board, their square numbers, and the squares that ports face.

x grows to the right, y downwards; (0, 0) is the top left. Source: the board specification
(docs/games/tsuro.md).
"""

from __future__ import annotations

from typing import Final, NewType

from engines.result import Frozen
from engines.tsuro.ports import PortID, is_integer_in_range

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

# A position as one number, 10 * y + x, made by `square_of`: integers are the fastest dictionary
# keys.
Square = NewType("Square", int)

_RANGE: Final = range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1)

_PORTS_OF_A_SIDE: Final = 2

# By side, clockwise from the top: the step to the next square.
_SIDE_STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))


class BoardPosition(Frozen):
    """An immutable square of the board by coordinates, comparable and hashable.

    Raises ValueError if a coordinate is not an integer from 0 to 9.
    """

    __slots__ = ("x", "y")

    x: int
    y: int

    def __init__(self, x: int, y: int) -> None:
        object.__setattr__(self, "x", _checked_coordinate("x", x))
        object.__setattr__(self, "y", _checked_coordinate("y", y))

    def is_corner(self) -> bool:
        """Return whether this is one of the four corners of the board."""
        return _is_outermost(self.x) and _is_outermost(self.y)

    def is_edge(self) -> bool:
        """Return whether this is on the edge of the board; corners are."""
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
        # By default, copy.copy and pickle would set the slots of an empty instance, which raises.
        return BoardPosition, (self.x, self.y)


def square_of(position: BoardPosition) -> Square:
    """Return the number of a position, 0 to 99."""
    return Square(position.y * BOARD_SIDE + position.x)


def position_of(square: Square) -> BoardPosition:
    """Return the position of a number. Raises ValueError if it is off the board."""
    return BoardPosition(square % BOARD_SIDE, square // BOARD_SIDE)


def position_faced(square: Square, port: PortID) -> BoardPosition | None:
    """Return the position that an avatar at this port faces, or None if it is off the board."""
    ahead = FACED[square][port]
    return None if ahead is None else position_of(ahead)


def neighbors(square: Square) -> tuple[Square, ...]:
    """Return the two to four squares that share a side with this one, clockwise from the top."""
    return tuple(near for near in FACED[square][::_PORTS_OF_A_SIDE] if near is not None)


def _checked_coordinate(name: str, value: int) -> int:
    if not is_integer_in_range(value, MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE):
        raise ValueError(
            f"{name} must be an integer from {MIN_BOARD_COORDINATE} to {MAX_BOARD_COORDINATE}, "
            f"not {value!r}"
        )
    return value


def _is_outermost(coordinate: int) -> bool:
    return coordinate in (MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE)


def _square_or_none(x: int, y: int) -> Square | None:
    return Square(y * BOARD_SIDE + x) if x in _RANGE and y in _RANGE else None


def _faced_squares(x: int, y: int) -> tuple[Square | None, ...]:
    by_side = [_square_or_none(x + step_x, y + step_y) for step_x, step_y in _SIDE_STEPS]
    return tuple(square for square in by_side for _ in range(_PORTS_OF_A_SIDE))


# By square and port: the square that an avatar there faces, or None off the board.
FACED: Final = tuple(_faced_squares(x, y) for y in _RANGE for x in _RANGE)
