"""Tiles: wires, rotation and equality; and the 35 tiles of the game, derived independently."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.tsuro import port

from engines.tsuro import DEGREES, PORT_LETTERS, TILES, PortID, Tile, pattern_of
from engines.tsuro import tile_pattern as rotated
from engines.tsuro.tile import Edge


def _edges(wires: str) -> list[Edge]:
    return [(port(wire[0]), port(wire[1])) for wire in wires.split()]


def _tile(wires: str) -> Tile:
    return Tile(_edges(wires))


def _letters(tile: Tile) -> str:
    return " ".join(PORT_LETTERS[one] + PORT_LETTERS[two] for one, two in tile.edges)


# Without symmetry.
LOPSIDED = _tile("AC BG DE FH")


def test_wires_are_sorted() -> None:
    assert _letters(_tile("HF ED CA GB")) == "AC BG DE FH"
    assert repr(LOPSIDED) == "Tile([(0, 2), (1, 6), (3, 4), (5, 7)])"


def test_changing_the_specified_list_of_edges_does_not_change_the_tile() -> None:
    # pylint: disable=protected-access  # the specification names this attribute
    edges = LOPSIDED._edges
    assert edges == [(0, 2), (1, 6), (3, 4), (5, 7)]
    edges.clear()
    assert LOPSIDED._edges == [(0, 2), (1, 6), (3, 4), (5, 7)]


@pytest.mark.parametrize("wires", ["", "AB CD EF GH AB", "AB CD EF GG", "AB CD EF GA"])
def test_each_port_must_have_exactly_one_wire(wires: str) -> None:
    with pytest.raises(ValueError) as caught:
        _tile(wires)
    message = f"a tile must use each of the ports 0 to 7 exactly once, not {_edges(wires)!r}"
    assert str(caught.value) == message


def test_a_wire_must_have_two_ends() -> None:
    edges = [(0, 1, 2), (3,), (4, 5)]
    with pytest.raises(ValueError) as caught:
        Tile(edges)  # type: ignore[arg-type]  # an untyped caller could
    assert str(caught.value) == (
        "each wire of a tile must connect two ports; (0, 1, 2) of [(0, 1, 2), (3,), (4, 5)] "
        "does not"
    )


@pytest.mark.parametrize("number", [8, True, 1.0])
def test_an_end_of_a_wire_must_be_a_port(number: int) -> None:
    with pytest.raises(ValueError) as caught:
        Tile([*_edges("AC DE FH"), (PortID(number), PortID(6))])
    assert str(caught.value) == f"a port must be an integer from 0 to 7, not {number!r}"


def test_equality_ignores_rotation_and_same_wires_does_not() -> None:
    turned = _tile("AH BD CF EG")
    assert turned == LOPSIDED
    assert hash(turned) == hash(LOPSIDED)
    assert not turned.same_wires(LOPSIDED)
    assert _tile("GB HF AC DE").same_wires(LOPSIDED)


# By index, the other ends of the wires at A, B, ... H. No law determines the order of the indices.
_EXITS = """
EFHGABDC EFGHABCD FEHGBADC EDGBAHCF HCBEDGFA ECBHAGFD ECBGAHDF
DGFAHCBE DFGAHBCE DEHABGFC DEGABHCF DCBAHGFE CHAFGDEB CHAEDGFB
CGAFHDBE CGAEDHBF CFAHGBED CFAGHBDE CEAHBGFD CEAGBHDF CDABHGFE
CDABGHEF BAHGFEDC BAHFGDEC BAHEDGFC BAGHFECD BAGFHDCE BAGEDHCF
BAFHGCED BAFGHCDE BAEHCGFD BAEGCHDF BADCHGFE BADCGHEF BADCFEHG
"""


def _matchings(ports: str) -> Iterator[frozenset[str]]:
    """Yield every way to connect these ports in pairs."""
    if not ports:
        yield frozenset()
        return
    for other in ports[1:]:
        for matching in _matchings(ports[1:].replace(other, "")):
            yield matching | {ports[0] + other}


def _rotations(matching: frozenset[str]) -> frozenset[frozenset[str]]:
    onward = str.maketrans("ABCDEFGH", "CDEFGHAB")
    found = [matching]
    while len(found) < 4:
        turned = ("".join(sorted(wire.translate(onward))) for wire in found[-1])
        found.append(frozenset(turned))
    return frozenset(found)


def test_tiles_are_ordered_by_index() -> None:
    exits = ["".join(PORT_LETTERS[port] for port in tile.exits) for tile in TILES]
    assert exits == _EXITS.split()


def test_the_tiles_are_all_matchings_of_eight_ports_up_to_rotation() -> None:
    classes = {_rotations(matching) for matching in _matchings("ABCDEFGH")}
    assert sum(len(rotations) for rotations in classes) == 105
    assert {_rotations(frozenset(_letters(tile).split())) for tile in TILES} == classes
    assert len(classes) == len(TILES) == 35


def test_the_pattern_of_a_tile_has_the_least_rotation_that_gives_its_wires() -> None:
    for index, tile in enumerate(TILES):
        rotations = [rotation.edges for rotation in tile.all_rotations()]
        for degrees, edges in zip(DEGREES, rotations, strict=True):
            assert rotated(index, degrees).edges == edges
            assert pattern_of(Tile(edges)) == (index, DEGREES[rotations.index(edges)])
            assert (Tile(edges), hash(Tile(edges))) == (tile, hash(tile))
