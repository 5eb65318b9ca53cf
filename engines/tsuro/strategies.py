"""Who plays: the interface of a player, and three players that keep to a strategy each.

Pure and without state: what they choose follows from what they are given, and one object can play
for everybody. Whether a choice is legal, rules.py says. Source: docs/tsuro-rules.md.
"""

from __future__ import annotations

from typing import Final, Protocol

from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout
from engines.tsuro.ports import PORTS, PortID
from engines.tsuro.positions import (
    BOARD_SIDE,
    FACED,
    MAX_BOARD_COORDINATE,
    Square,
    position_of,
)
from engines.tsuro.rules import (
    InitialChoice,
    InitialTiles,
    TurnTiles,
    is_free,
    options,
)
from engines.tsuro.tiles import DEGREES, TilePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["FIRST", "SECOND", "STRATEGIES", "THIRD", "First", "Player", "Second", "Third"]


class Player(Protocol):
    """Whoever plays: any object with these two methods. An answer that the rules refuse, or an
    exception, makes its player a cheater; so does changing what was given."""

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Where this player begins: one of the three tiles given, turned, on a free position along
        the edge, and a port of it that does not face off the board. `layout` is what lies and
        stands on the board; the player's own avatar does not yet."""

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """Which of the two tiles given this player places on the square before its avatar, and how
        far it is turned. `layout` is what lies and stands on the board, the player's own avatar
        included; `rules.options` says what each of the eight options would do."""


class First:
    """Begins clockwise, on the third tile; then takes the first tile as it is, legal or not."""

    __slots__ = ()

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """The third tile at 0 degrees on the first free square clockwise from (1, 0), and the
        first port, from A on, that faces the board. Raises ValueError where no square is free."""
        return _beginning(layout, player, given, (_CLOCKWISE, PORTS))

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """The first tile at 0 degrees."""
        # pylint: disable=unused-argument  # what every player gets
        return TilePattern(given[0], DEGREES[0])


class Second:
    """Begins as the first does; then takes the first option that is legal, the first tile's
    first."""

    __slots__ = ()

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """As `First.initial_placement`."""
        return _beginning(layout, player, given, (_CLOCKWISE, PORTS))

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """The first legal option of the first tile, then of the second, by degrees; where none is
        legal, the first tile at 0 degrees. Raises ValueError where the player has no turn."""
        return _first_without_flaw(layout, player, given)


class Third:
    """Begins counter-clockwise; then takes the first option that is legal, the second tile's
    first."""

    __slots__ = ()

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """The third tile at 0 degrees on the first free square counter-clockwise from (0, 1), and
        the first port, from A over H down to B, that faces the board. Raises ValueError where no
        square is free."""
        return _beginning(layout, player, given, (_COUNTER_CLOCKWISE, _PORTS_BACKWARDS))

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """The first legal option of the second tile, then of the first, by degrees; where none is
        legal, the second tile at 0 degrees. Raises ValueError where the player has no turn."""
        return _first_without_flaw(layout, player, (given[1], given[0]))


def _edge_clockwise() -> Iterator[Square]:
    """The squares along the edge, from the one right of (0, 0) round to (0, 0) itself."""
    corner = Square(0)
    # To the right, down, to the left, up.
    for step in (1, BOARD_SIDE, -1, -BOARD_SIDE):
        for _ in range(MAX_BOARD_COORDINATE):
            corner = Square(corner + step)
            yield corner


_CLOCKWISE: Final = tuple(_edge_clockwise())
_COUNTER_CLOCKWISE: Final = (*_CLOCKWISE[-2::-1], _CLOCKWISE[-1])
_PORTS_BACKWARDS: Final = (PORTS[0], *PORTS[:0:-1])

FIRST: Final = First()
SECOND: Final = Second()
THIRD: Final = Third()

# By the names that they have on the wire.
STRATEGIES: Final[Mapping[str, Player]] = {"first-s": FIRST, "second-s": SECOND, "third-s": THIRD}


def _beginning(
    layout: Layout,
    player: ColorString,
    given: InitialTiles,
    order: tuple[tuple[Square, ...], tuple[PortID, ...]],
) -> InitialChoice:
    squares, ports = order
    for square in squares:
        if is_free(layout, square):
            port = next(port for port in ports if FACED[square][port] is not None)
            return InitialChoice(TilePattern(given[2], DEGREES[0]), position_of(square), port)
    raise ValueError(f"{player} has nowhere to begin: no square along the edge is free")


def _first_without_flaw(layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
    # Where all eight have one flaw, all are legal, and the first of them is what is left anyway.
    for option in options(layout, player, given):
        if option.flaw is None:
            return option.pattern
    return TilePattern(given[0], DEGREES[0])
