"""The ports of a square, and which of them touch."""

from __future__ import annotations

import pytest

from engines.tsuro import PORT_LETTERS, PORTS, Port, port_id
from engines.tsuro.ports import TOUCHING


def test_the_names_of_the_ports_run_clockwise_from_the_top_left() -> None:
    named = (
        Port.TopLeft,
        Port.TopRight,
        Port.RightTop,
        Port.RightBottom,
        Port.BottomRight,
        Port.BottomLeft,
        Port.LeftBottom,
        Port.LeftTop,
    )
    assert named == PORTS == (0, 1, 2, 3, 4, 5, 6, 7)


def test_a_port_by_name_is_a_plain_number() -> None:
    assert repr(Port.LeftBottom) == "6"


def test_ports_touch_across_north_and_south_and_across_east_and_west() -> None:
    letters = "".join(PORT_LETTERS[TOUCHING[PORT_LETTERS.index(port)]] for port in "ABCDEFGH")
    assert letters == "FEHGBADC"


def test_a_port_is_made_of_its_number() -> None:
    assert [port_id(number) for number in range(8)] == list(PORTS)


@pytest.mark.parametrize("number", [-1, 8, True, 2.0, "2"])
def test_no_other_number_makes_a_port(number: int) -> None:
    with pytest.raises(ValueError) as caught:
        port_id(number)
    assert str(caught.value) == f"a port is a whole number from 0 to 7, not {number!r}"
