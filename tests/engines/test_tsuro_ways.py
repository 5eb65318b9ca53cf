"""The ways round a square, by hand; tests/property/test_tsuro_rules_laws.py holds them to
movement."""

from __future__ import annotations

import pytest

from engines.tsuro import (
    PORT_LETTERS,
    BoardPosition,
    End,
    Fate,
    Layout,
    Spot,
    Square,
    Ways,
    port_id,
    square_of,
    tile_pattern,
)

# All wires straight across; all round a corner; all back to their own side.
_STRAIGHT = tile_pattern(2, 0)
_CORNERS = tile_pattern(4, 0)
_BACK = tile_pattern(34, 0)


def _square(x: int, y: int) -> Square:
    return square_of(BoardPosition(x, y))


def _spot(x: int, y: int, letter: str) -> Spot:
    return _square(x, y), port_id(PORT_LETTERS.index(letter))


def _end(fate: Fate, x: int, y: int, letter: str) -> End:
    return End(fate, *_spot(x, y, letter))


# White to the left of (5, 5), on a tile that leads back; black far away.
_LAYOUT = Layout(
    {_square(4, 5): _BACK, _square(1, 1): _STRAIGHT},
    {"black": _spot(1, 1, "C"), "white": _spot(4, 5, "C")},
)


def test_tile_after_tile_is_tried_on_one_square() -> None:
    ways = Ways(_LAYOUT, _square(5, 5))
    stays = _end(Fate.RESTS, 1, 1, "C")
    # In at H: straight on and out at C; round to A; back out at G, where tile 34 leads to C again.
    assert ways.ends(_STRAIGHT) == {"white": _end(Fate.RESTS, 5, 5, "C"), "black": stays}
    assert ways.ends(_CORNERS) == {"white": _end(Fate.RESTS, 5, 5, "A"), "black": stays}
    assert ways.ends(_BACK) == {"white": _end(Fate.LOOPS, 4, 5, "C"), "black": stays}
    assert ways.ends(_STRAIGHT) == {"white": _end(Fate.RESTS, 5, 5, "C"), "black": stays}


def test_ends_stand_in_the_order_of_the_colours() -> None:
    assert list(Ways(_LAYOUT, _square(5, 5)).ends(_STRAIGHT)) == ["white", "black"]


def test_an_avatar_that_moves_by_itself_may_come_to_the_square_or_not() -> None:
    # Neither is at rest: blue goes over (6, 6) up to (6, 5), green over (1, 1) off to the left.
    layout = Layout(
        {_square(6, 7): _STRAIGHT, _square(6, 6): _STRAIGHT, _square(0, 1): _STRAIGHT},
        {"blue": _spot(6, 7, "A"), "green": _spot(0, 1, "G")},
    )
    moved = Ways(layout, _square(6, 5)).ends(_CORNERS)
    assert moved == {"blue": _end(Fate.RESTS, 6, 5, "G"), "green": _end(Fate.LEAVES, 0, 1, "G")}


def test_square_0_and_port_0_are_real_ones() -> None:
    layout = Layout({_square(0, 1): _STRAIGHT}, {"red": _spot(0, 1, "A")})
    ways = Ways(layout, Square(0))
    # Back in at B, and straight down to E.
    assert ways.ends(_BACK) == {"red": _end(Fate.RESTS, 0, 1, "E")}
    assert ways.ends(_STRAIGHT) == {"red": _end(Fate.LEAVES, 0, 0, "A")}


def test_a_square_with_a_tile_is_no_square_to_try_tiles_on() -> None:
    with pytest.raises(ValueError) as caught:
        Ways(_LAYOUT, _square(4, 5))
    assert str(caught.value) == "square 54 holds a tile: no other can be tried there"
