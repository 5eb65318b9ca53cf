"""Movement by example; tests/xtests compare random boards with a reference."""

from __future__ import annotations

import pytest
from support.tsuro import STRAIGHT, U_TURNS, end, layout, spot, square

from engines.tsuro import (
    PORT_LETTERS,
    Fate,
    SquareProbe,
    ends,
    is_at_rest,
    placement,
)


def test_square_0_and_port_0_are_not_mistaken_for_none() -> None:
    # From (0, 1) up into (0, 0), back down, and up again from port A of (0, 1).
    tiles = layout({(0, 0): U_TURNS, (0, 1): U_TURNS}).tiles
    assert ends(tiles, {"red": spot(0, 1, "A")}) == {"red": end(Fate.LOOPS, 0, 1, "A")}
    alone = layout({(0, 1): STRAIGHT}, {"red": spot(0, 1, "A")})
    assert is_at_rest(alone.tiles, spot(0, 1, "A"))
    assert placement(alone, "red", U_TURNS).value().square == 0


def test_an_avatar_is_at_rest_if_it_faces_an_empty_square() -> None:
    tiles = layout({(9, 0): STRAIGHT, (9, 1): U_TURNS}).tiles
    resting = [letter for letter in PORT_LETTERS if is_at_rest(tiles, spot(9, 0, letter))]
    assert resting == ["G", "H"]


@pytest.mark.parametrize(
    ("letter", "message"),
    [
        ("", "blue is not on the board, so it cannot place a tile"),
        ("G", "blue at (0, 6) faces off the board: no square for a tile"),
        ("B", "blue faces (0, 5), which holds a tile already"),
    ],
)
def test_a_tile_needs_an_avatar_that_faces_an_empty_square(letter: str, message: str) -> None:
    tiles = {(0, 6): STRAIGHT, (0, 5): U_TURNS}
    before = layout(tiles, {"blue": spot(0, 6, letter)} if letter else {})
    assert placement(before, "blue", U_TURNS).error() == message


# White to the left of (5, 5), on a tile that leads back; black far away.
PROBED = layout(
    {(4, 5): U_TURNS, (1, 1): STRAIGHT}, {"black": spot(1, 1, "C"), "white": spot(4, 5, "C")}
)


def test_a_probe_needs_an_empty_square() -> None:
    with pytest.raises(ValueError) as caught:
        SquareProbe(PROBED, square(4, 5))
    assert str(caught.value) == "square 54 holds a tile: no other can be tried there"
