"""The colours of the avatars, and their order."""

from __future__ import annotations

import pytest

from engines.tsuro import COLORS, color_string


def test_the_colours_stand_in_the_order_in_which_players_act() -> None:
    assert COLORS == ("white", "black", "red", "green", "blue")


def test_a_colour_is_known_by_its_name() -> None:
    assert color_string("green") == "green"


def test_another_name_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        color_string("Red")
    assert str(caught.value) == "a colour is one of white, black, red, green, blue, not 'Red'"
