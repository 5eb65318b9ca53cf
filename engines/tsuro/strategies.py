"""The interface of a player, and three deterministic strategies.

Strategies are pure and stateless, so one object can play for several players. Source:
docs/games/tsuro.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout
from engines.tsuro.ports import PORTS, PortID
from engines.tsuro.positions import BOARD_SIDE, FACED, MAX_BOARD_COORDINATE, Square, position_of
from engines.tsuro.rules import InitialChoice, InitialTiles, TurnTiles, is_free, options
from engines.tsuro.tiles import DEGREES, TilePattern

__all__ = [
    "FIRST",
    "SECOND",
    "STRATEGIES",
    "THIRD",
    "FirstStrategy",
    "SecondStrategy",
    "Strategy",
    "ThirdStrategy",
]


class Strategy(Protocol):
    """The interface of a player: any object with these two methods.

    An illegal answer, an exception or a modified argument disqualifies the player.
    """

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Return one of the three tiles given, rotated, on a free position on the edge, with a port
        that does not face off the board. The player's avatar is not on `layout` yet."""

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return the tile, of the two given, to place on the square ahead, and its rotation.

        `layout` includes the player's avatar; `rules.options` evaluates each of the eight options.
        """


class FirstStrategy:
    """Starts clockwise, with the third tile; then plays the first tile unrotated, legal or not."""

    __slots__ = ()

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Return the third tile at 0 degrees on the first free square clockwise from (1, 0), with
        the first port, from A on, that faces the board. Raises ValueError if no square is free."""
        return _first_free_placement(layout, player, given, _CLOCKWISE, PORTS)

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return the first tile at 0 degrees."""
        # pylint: disable=unused-argument  # required by Strategy
        return TilePattern(given[0], DEGREES[0])


class SecondStrategy(FirstStrategy):
    """Starts as FirstStrategy; then plays the first legal option, preferring the first tile."""

    __slots__ = ()

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return the first legal option, of the first tile, then of the second, by degrees.

        Falls back to the first tile at 0 degrees. Raises ValueError if the player has no turn.
        """
        return _first_flawless_pattern(layout, player, given)


class ThirdStrategy:
    """Starts counter-clockwise; then plays the first legal option, preferring the second tile."""

    __slots__ = ()

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Return the third tile at 0 degrees on the first free square counter-clockwise from (0,
        1), with the first port of A, H, G, ... B that faces the board. Raises ValueError if no
        square is free."""
        return _first_free_placement(layout, player, given, _COUNTER_CLOCKWISE, _PORTS_BACKWARDS)

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Return the first legal option, of the second tile, then of the first, by degrees.

        Falls back to the second tile at 0 degrees. Raises ValueError if the player has no turn.
        """
        return _first_flawless_pattern(layout, player, (given[1], given[0]))


def _walk_edge_clockwise() -> Iterator[Square]:
    """Yield the squares along the edge, from the one right of (0, 0) round to (0, 0) itself."""
    corner = Square(0)
    # Right, down, left, up.
    for step in (1, BOARD_SIDE, -1, -BOARD_SIDE):
        for _ in range(MAX_BOARD_COORDINATE):
            corner = Square(corner + step)
            yield corner


_CLOCKWISE: Final = tuple(_walk_edge_clockwise())
_COUNTER_CLOCKWISE: Final = (*_CLOCKWISE[-2::-1], _CLOCKWISE[-1])
_PORTS_BACKWARDS: Final = (PORTS[0], *PORTS[:0:-1])

FIRST: Final = FirstStrategy()
SECOND: Final = SecondStrategy()
THIRD: Final = ThirdStrategy()

# By the names used on the wire.
STRATEGIES: Final[Mapping[str, Strategy]] = {"first-s": FIRST, "second-s": SECOND, "third-s": THIRD}


def _first_free_placement(
    layout: Layout,
    player: ColorString,
    given: InitialTiles,
    squares: tuple[Square, ...],
    ports: tuple[PortID, ...],
) -> InitialChoice:
    for square in squares:
        if is_free(layout, square):
            port = next(port for port in ports if FACED[square][port] is not None)
            return InitialChoice(TilePattern(given[2], DEGREES[0]), position_of(square), port)
    raise ValueError(f"{player} cannot start: no square on the edge is free")


def _first_flawless_pattern(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
    # If all eight have the same flaw, all are legal, including the first.
    for option in options(layout, player, given):
        if option.flaw is None:
            return option.pattern
    return TilePattern(given[0], DEGREES[0])
