"""The eight ports of a square, clockwise from the top left, and which of them touch.

        0   1
      +-------+          Letters: A is port 0, H is port 7.
    7 |       | 2
    6 |       | 3        Two per side: top, right, bottom, left.
      +-------+
        5   4

Source: the board specification (docs/games/tsuro.md).
"""

from __future__ import annotations

from typing import Final, NewType

__all__ = ["PORTS", "PORT_LETTERS", "TOUCHING", "Port", "PortID", "is_integer_in_range", "port_id"]

PortID = NewType("PortID", int)

PORT_LETTERS: Final = "ABCDEFGH"
PORTS: Final = tuple(PortID(number) for number in range(8))

# By port: the port it touches on the next square. The opposite side is four ports on and runs the
# other way: one more from a side's first port, one less from its second.
TOUCHING: Final = tuple(PortID((port + (5 if port % 2 == 0 else 3)) % 8) for port in PORTS)


class Port:
    """The ports by name, as plain PortIDs.

    `TopLeft` is the left port of the top side, `LeftTop` the top port of the left side.
    """

    # pylint: disable=invalid-name  # the board specification gives these names

    TopLeft: Final = PortID(0)
    TopRight: Final = PortID(1)
    RightTop: Final = PortID(2)
    RightBottom: Final = PortID(3)
    BottomRight: Final = PortID(4)
    BottomLeft: Final = PortID(5)
    LeftBottom: Final = PortID(6)
    LeftTop: Final = PortID(7)


def port_id(number: int) -> PortID:
    """Return a number as a port. Raises ValueError if it is not one."""
    if not is_integer_in_range(number, 0, 7):
        raise ValueError(f"a port must be an integer from 0 to 7, not {number!r}")
    return PortID(number)


def is_integer_in_range(value: object, least: int, most: int) -> bool:
    """Return whether a value is an int from `least` to `most`; True, False and 1.0 are not."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
