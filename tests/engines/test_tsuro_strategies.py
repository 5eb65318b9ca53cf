"""The three strategies: where they begin, and which option they take."""

from __future__ import annotations

import pytest

from engines.tsuro import (
    COLORS,
    FIRST,
    PORT_LETTERS,
    SECOND,
    STRATEGIES,
    THIRD,
    BoardPosition,
    ColorString,
    First,
    InitialChoice,
    InitialTiles,
    Layout,
    Player,
    Second,
    Spot,
    Square,
    Third,
    Tile,
    TileIndex,
    TilePattern,
    TurnTiles,
    layout_with,
    port_id,
    square_of,
    tile_pattern,
)
from engines.tsuro.positions import neighbors

_THREE: InitialTiles = (TileIndex(5), TileIndex(9), TileIndex(0))
_STRAIGHT = tile_pattern(2, 0)


def _square(x: int, y: int) -> Square:
    return square_of(BoardPosition(x, y))


def _spot(x: int, y: int, letter: str) -> Spot:
    return _square(x, y), port_id(PORT_LETTERS.index(letter))


def _pair(first: int, second: int) -> TurnTiles:
    return TileIndex(first), TileIndex(second)


def _blocked(*free: tuple[int, int]) -> Layout:
    """A board on which these squares along the edge are free, and no others."""
    open_ones = {_square(x, y) for x, y in free}
    kept = open_ones | {near for square in open_ones for near in neighbors(square)}
    tiles: dict[Square, Tile] = {
        Square(number): _STRAIGHT for number in range(100) if Square(number) not in kept
    }
    return Layout(tiles, {})


def _begins(player: Player, layout: Layout | None = None) -> tuple[int, int, str]:
    """Where this player begins: x, y, port."""
    board = Layout({}, {}) if layout is None else layout
    pattern, position, port = player.initial_placement(board, "white", _THREE)
    assert pattern == (0, 0), "the third tile, as it is"
    return position.x, position.y, PORT_LETTERS[port]


@pytest.mark.parametrize("player", [FIRST, SECOND])
def test_the_first_and_the_second_begin_right_of_the_corner_facing_right(player: Player) -> None:
    assert _begins(player) == (1, 0, "C")


def test_the_third_begins_below_the_corner_facing_up() -> None:
    assert _begins(THIRD) == (0, 1, "A")


@pytest.mark.parametrize("player", [FIRST, SECOND])
def test_the_first_and_the_second_go_round_clockwise(player: Player) -> None:
    # On each side, of two free squares the one that comes first; the port, from A on.
    assert _begins(player, _blocked((9, 0), (9, 5))) == (9, 0, "E")
    assert _begins(player, _blocked((9, 3), (9, 8))) == (9, 3, "A")
    assert _begins(player, _blocked((9, 9), (3, 9))) == (9, 9, "A")
    assert _begins(player, _blocked((6, 9), (3, 9))) == (6, 9, "A")
    assert _begins(player, _blocked((0, 9), (0, 4))) == (0, 9, "A")
    assert _begins(player, _blocked((0, 7), (0, 4))) == (0, 7, "A")
    assert _begins(player, _blocked((0, 0), (0, 4))) == (0, 4, "A")
    assert _begins(player, _blocked((0, 0))) == (0, 0, "C")


def test_the_third_goes_round_counter_clockwise() -> None:
    assert _begins(THIRD, _blocked((0, 9), (5, 9))) == (0, 9, "A")
    assert _begins(THIRD, _blocked((3, 9), (8, 9))) == (3, 9, "A")
    assert _begins(THIRD, _blocked((9, 9), (9, 3))) == (9, 9, "A")
    assert _begins(THIRD, _blocked((9, 6), (9, 3))) == (9, 6, "A")
    # Along the top, A and B face off the board: H, and in the corner (0, 0) not even that.
    assert _begins(THIRD, _blocked((9, 0), (4, 0))) == (9, 0, "H")
    assert _begins(THIRD, _blocked((7, 0), (4, 0))) == (7, 0, "H")
    assert _begins(THIRD, _blocked((0, 0), (4, 0))) == (4, 0, "H")
    assert _begins(THIRD, _blocked((0, 0))) == (0, 0, "F")


def _one_after_another(player: Player) -> list[tuple[int, int, str]]:
    layout, begun = Layout({}, {}), []
    for color in COLORS:
        begun.append(_begins(player, layout))
        layout = layout_with(layout, color, player.initial_placement(layout, color, _THREE))
    return begun


def test_five_of_a_kind_begin_on_every_other_square() -> None:
    first_five = [(1, 0, "C"), (3, 0, "C"), (5, 0, "C"), (7, 0, "C"), (9, 0, "E")]
    assert _one_after_another(FIRST) == first_five
    assert _one_after_another(SECOND) == first_five
    assert _one_after_another(THIRD) == [(0, y, "A") for y in (1, 3, 5, 7, 9)]


def test_a_square_beside_a_tile_is_passed_over() -> None:
    # (1, 1) is below (1, 0), (3, 0) beside (2, 0) and (4, 0).
    layout = Layout({_square(1, 1): _STRAIGHT, _square(3, 0): _STRAIGHT}, {})
    assert _begins(FIRST, layout) == (5, 0, "C")


@pytest.mark.parametrize("player", [FIRST, SECOND, THIRD])
def test_where_no_square_is_free_nobody_begins(player: Player) -> None:
    with pytest.raises(ValueError) as caught:
        player.initial_placement(_blocked(), "white", _THREE)
    assert str(caught.value) == "white has nowhere to begin: no square along the edge is free"


# Red beside an empty square, on a tile that leads back: whatever leads back, too, loops, as tile 34
# does at every turn, and tile 2 at none.
_RED = Layout({_square(3, 6): tile_pattern(34, 0)}, {"red": _spot(3, 6, "C")})
# The same before the corner: tile 34 loops, and 2 leads off.
_CORNER = Layout({_square(0, 1): tile_pattern(34, 0)}, {"red": _spot(0, 1, "A")})


@pytest.mark.parametrize(
    ("player", "given", "chosen"),
    [
        # The first takes the first tile as it is, though it loops.
        (FIRST, _pair(34, 2), (34, 0)),
        (FIRST, _pair(0, 34), (0, 0)),
        (SECOND, _pair(2, 6), (2, 0)),
        (SECOND, _pair(34, 2), (2, 0)),
        (THIRD, _pair(6, 2), (2, 0)),
        (THIRD, _pair(2, 34), (2, 0)),
        (THIRD, _pair(2, 0), (0, 0)),
    ],
)
def test_a_turn_amid_the_board(player: Player, given: TurnTiles, chosen: tuple[int, int]) -> None:
    assert player.turn(_RED, "red", given) == chosen


@pytest.mark.parametrize(
    ("letter", "index", "degrees"),
    [
        # Downwards, in at B: tile 24 has AB at 0 degrees, and at no others.
        ("E", 24, 90),
        # To the left, in at D: tile 32 has CD at 0 degrees, and, from its AB, at 90.
        ("G", 32, 180),
    ],
)
def test_the_least_degrees_that_are_legal_are_taken(letter: str, index: int, degrees: int) -> None:
    layout = Layout({_square(3, 6): tile_pattern(34, 0)}, {"red": _spot(3, 6, letter)})
    assert SECOND.turn(layout, "red", _pair(index, 2)) == (index, degrees)
    assert SECOND.turn(layout, "red", _pair(34, index)) == (index, degrees)
    assert THIRD.turn(layout, "red", _pair(2, index)) == (index, degrees)
    assert THIRD.turn(layout, "red", _pair(index, 34)) == (index, degrees)


@pytest.mark.parametrize(
    ("player", "given", "chosen"),
    [(SECOND, _pair(34, 2), (34, 0)), (THIRD, _pair(34, 2), (2, 0))],
)
def test_where_nothing_is_legal_the_preferred_tile_is_played_as_it_is(
    player: Player, given: TurnTiles, chosen: tuple[int, int]
) -> None:
    assert player.turn(_CORNER, "red", given) == chosen


@pytest.mark.parametrize("player", [SECOND, THIRD])
def test_where_all_eight_loop_the_preferred_tile_is_played_as_it_is(player: Player) -> None:
    assert player.turn(_RED, "red", _pair(34, 34)) == (34, 0)


def test_the_strategies_go_by_the_names_that_they_have_on_the_wire() -> None:
    assert {name: type(player) for name, player in STRATEGIES.items()} == {
        "first-s": First,
        "second-s": Second,
        "third-s": Third,
    }


class _Stubborn:
    """A user's own player, which knows nothing of this package but its types."""

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        """Where the first begins."""
        return FIRST.initial_placement(layout, player, given)

    def turn(self, layout: Layout, player: ColorString, given: TurnTiles) -> TilePattern:
        """The second tile, whatever comes of it, turned as the third would turn its own."""
        return TilePattern(given[-1], THIRD.turn(layout, player, given).degrees)


def test_any_object_with_the_two_methods_is_a_player() -> None:
    stubborn: Player = _Stubborn()
    assert stubborn.turn(_RED, "red", _pair(34, 2)) == (2, 0)
    assert _begins(stubborn) == (1, 0, "C")
