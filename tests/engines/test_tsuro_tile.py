"""One tile: its wires, its turns, its equality."""

from __future__ import annotations

from copy import deepcopy

import pytest

from engines.tsuro import PORT_LETTERS, PORTS, Port, PortID, Tile
from engines.tsuro.tile import Edge


def _edge(wire: str) -> Edge:
    first, second = (PortID(PORT_LETTERS.index(letter)) for letter in wire)
    return first, second


def _edges(wires: str) -> list[Edge]:
    return [_edge(wire) for wire in wires.split()]


def _tile(wires: str) -> Tile:
    return Tile(_edges(wires))


def _letters(tile: Tile) -> str:
    return " ".join(PORT_LETTERS[one] + PORT_LETTERS[two] for one, two in tile.edges)


# Without any symmetry: each turn of it is another.
_LOPSIDED = _tile("AC BG DE FH")


def test_wires_are_kept_ascending_however_they_are_given() -> None:
    assert _letters(_tile("HF ED CA GB")) == "AC BG DE FH"


def test_the_specifications_list_of_wires_cannot_change_the_tile() -> None:
    tile = _tile("HF ED CA GB")
    # pylint: disable=protected-access  # the specification names this attribute
    edges = tile._edges
    assert edges == [(0, 2), (1, 6), (3, 4), (5, 7)]
    edges.clear()
    assert tile._edges == [(0, 2), (1, 6), (3, 4), (5, 7)]


@pytest.mark.parametrize(
    "wires",
    ["", "AB CD EF", "AB CD EF GH AB", "AB CD EF GG", "AB CD EF GA"],
)
def test_each_port_has_exactly_one_wire(wires: str) -> None:
    with pytest.raises(ValueError) as caught:
        _tile(wires)
    message = f"a tile joins each of the ports 0 to 7 exactly once, not {_edges(wires)!r}"
    assert str(caught.value) == message


def test_a_wire_has_two_ends() -> None:
    edges = [(0, 1, 2), (3,), (4, 5)]
    with pytest.raises(ValueError) as caught:
        Tile(edges)  # type: ignore[arg-type]  # as a reader of tiles from outside might
    assert str(caught.value) == (
        "each wire of a tile joins two ports; (0, 1, 2) of [(0, 1, 2), (3,), (4, 5)] does not"
    )


@pytest.mark.parametrize("port", [8, -1, True, 1.0])
def test_an_end_of_a_wire_is_a_port(port: int) -> None:
    edges = [*_edges("AC DE FH"), (PortID(port), PortID(6))]
    with pytest.raises(ValueError) as caught:
        Tile(edges)
    assert str(caught.value) == f"a port is a whole number from 0 to 7, not {port!r}"


def test_a_turn_is_clockwise_by_two_ports() -> None:
    assert _letters(_LOPSIDED.rotate()) == "AD BH CE FG"


def test_rotations_are_in_the_order_of_their_degrees() -> None:
    expected = ["AC BG DE FH", "AD BH CE FG", "AH BD CF EG", "AG BC DF EH"]
    assert [_letters(tile) for tile in _LOPSIDED.all_rotations()] == expected


def test_a_symmetric_tile_has_four_rotations_too() -> None:
    assert [_letters(tile) for tile in _tile("AB CD EF GH").all_rotations()] == ["AB CD EF GH"] * 4


def test_rotating_leaves_the_tile_itself_as_it_was() -> None:
    _LOPSIDED.rotate()
    assert _letters(_LOPSIDED) == "AC BG DE FH"


def test_a_wire_joins_its_ends_both_ways() -> None:
    others = [_LOPSIDED.get_port_connected_to(port) for port in PORTS]
    assert "".join(PORT_LETTERS[port] for port in others) == "CGAEDHBF"
    assert _LOPSIDED.exits == tuple(others)


@pytest.mark.parametrize("port", [8, -1])
def test_a_port_that_is_none_is_joined_to_none(port: int) -> None:
    with pytest.raises(ValueError, match=f"^a port is a whole number from 0 to 7, not {port}$"):
        _LOPSIDED.get_port_connected_to(PortID(port))


def test_tiles_are_equal_when_a_rotation_makes_them_so() -> None:
    turned = _tile("AH BD CF EG")
    assert turned == _LOPSIDED
    assert hash(turned) == hash(_LOPSIDED)


def test_same_wires_tells_rotations_apart() -> None:
    assert not _tile("AH BD CF EG").same_wires(_LOPSIDED)
    assert _tile("GB HF AC DE").same_wires(_LOPSIDED)


def test_a_mirrored_tile_is_another_tile() -> None:
    # Left and right changed: A with B, H with C, G with D, F with E.
    tile, mirrored = _tile("AB CG DE FH"), _tile("BA HD GF EC")
    assert mirrored != tile
    assert hash(mirrored) != hash(tile)


def test_only_a_tile_equals_a_tile() -> None:
    other: object = _LOPSIDED.edges
    assert _LOPSIDED != other


def test_a_deep_copy_is_another_object_with_the_same_wires() -> None:
    # pylint: disable-next=unnecessary-dunder-call  # to show that it needs no memo
    for copied in (deepcopy(_LOPSIDED), _LOPSIDED.__deepcopy__()):
        assert copied is not _LOPSIDED
        assert copied.edges == _LOPSIDED.edges
        assert copied.exits == _LOPSIDED.exits


def test_a_tile_shows_its_wires() -> None:
    assert repr(_LOPSIDED) == "Tile([(0, 2), (1, 6), (3, 4), (5, 7)])"


def test_plain_ports_make_a_tile() -> None:
    tile = Tile(
        [
            (Port.LeftTop, Port.TopLeft),
            (Port.TopRight, Port.RightTop),
            (Port.RightBottom, Port.BottomRight),
            (Port.BottomLeft, Port.LeftBottom),
        ]
    )
    assert _letters(tile) == "AH BC DE FG"
