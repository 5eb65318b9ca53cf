"""The 35 tiles: the data, derived again from first principles, and the patterns that name them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.tsuro import (
    DEGREES,
    PORT_LETTERS,
    TILES,
    Degrees,
    TileIndex,
    TilePattern,
    degrees,
    pattern_of,
    tile_index,
    tile_pattern,
)


def _matchings(ports: str) -> Iterator[frozenset[str]]:
    """Every way to join these ports two and two."""
    if not ports:
        yield frozenset()
        return
    first, rest = ports[0], ports[1:]
    for other in rest:
        for matching in _matchings(rest.replace(other, "")):
            yield matching | {first + other}


def _turned(matching: frozenset[str]) -> frozenset[str]:
    onward = str.maketrans("ABCDEFGH", "CDEFGHAB")
    return frozenset("".join(sorted(wire.translate(onward))) for wire in matching)


def _turns(matching: frozenset[str]) -> frozenset[frozenset[str]]:
    """The distinct turns of a matching."""
    twice = _turned(_turned(matching))
    return frozenset({matching, _turned(matching), twice, _turned(twice)})


def _wires(index: int) -> frozenset[str]:
    return frozenset(PORT_LETTERS[one] + PORT_LETTERS[two] for one, two in TILES[index].edges)


_MATCHINGS = list(_matchings("ABCDEFGH"))

# By index, the other ends of the wires at A, B, ... H: no law gives the order of the indices.
_EXITS = """
EFHGABDC EFGHABCD FEHGBADC EDGBAHCF HCBEDGFA ECBHAGFD ECBGAHDF
DGFAHCBE DFGAHBCE DEHABGFC DEGABHCF DCBAHGFE CHAFGDEB CHAEDGFB
CGAFHDBE CGAEDHBF CFAHGBED CFAGHBDE CEAHBGFD CEAGBHDF CDABHGFE
CDABGHEF BAHGFEDC BAHFGDEC BAHEDGFC BAGHFECD BAGFHDCE BAGEDHCF
BAFHGCED BAFGHCDE BAEHCGFD BAEGCHDF BADCHGFE BADCGHEF BADCFEHG
"""


def test_there_are_105_ways_to_join_eight_ports() -> None:
    assert len(_MATCHINGS) == len(set(_MATCHINGS)) == 7 * 5 * 3 * 1


def test_the_tiles_are_each_way_to_join_eight_ports_once_up_to_rotation() -> None:
    classes = {_turns(matching) for matching in _MATCHINGS}
    assert len(classes) == len(TILES) == 35
    assert {_turns(_wires(index)) for index in range(35)} == classes


def test_the_tiles_have_one_two_or_four_distinct_turns() -> None:
    sizes = [len(_turns(_wires(index))) for index in range(35)]
    one = [index for index, size in enumerate(sizes) if size == 1]
    two = [index for index, size in enumerate(sizes) if size == 2]
    assert one == [1, 2, 4, 7, 34]
    assert two == [0, 3, 5, 8, 11, 12, 16, 21, 22, 25]
    assert sizes.count(4) == 20
    assert sum(sizes) == 105


def test_tiles_stand_at_their_index() -> None:
    exits = ["".join(PORT_LETTERS[port] for port in tile.exits) for tile in TILES]
    assert exits == _EXITS.split()


def test_each_tile_at_0_degrees_is_the_first_of_its_turns_by_letters() -> None:
    written = [" ".join(sorted(_wires(index))) for index in range(35)]
    first_turns = [
        min(" ".join(sorted(turn)) for turn in _turns(_wires(index))) for index in range(35)
    ]
    assert written == first_turns


def test_a_pattern_is_a_tile_turned_clockwise() -> None:
    assert tile_pattern(15, 0).same_wires(TILES[15])
    assert tile_pattern(15, 90).same_wires(TILES[15].rotate())
    assert tile_pattern(15, 270).same_wires(TILES[15].rotate().rotate().rotate())


def test_a_tile_is_named_by_its_pattern() -> None:
    assert pattern_of(tile_pattern(15, 270)) == (15, 270)
    assert pattern_of(tile_pattern(0, 90)) == TilePattern(TileIndex(0), Degrees(90))


def test_a_symmetric_tile_is_named_with_the_least_degrees() -> None:
    assert [pattern_of(tile_pattern(2, turn)) for turn in DEGREES] == [(2, 0)] * 4
    assert [pattern_of(tile_pattern(0, turn)).degrees for turn in DEGREES] == [0, 90, 0, 90]


def test_every_way_to_join_eight_ports_has_a_pattern_of_its_own() -> None:
    patterns = {pattern_of(tile_pattern(index, turn)) for index in range(35) for turn in DEGREES}
    assert len(patterns) == 105
    assert all(pattern_of(tile_pattern(*pattern)) == pattern for pattern in patterns)


@pytest.mark.parametrize("index", [-1, 35, True, 4.0])
def test_there_is_no_tile_of_another_index(index: int) -> None:
    message = f"a tile's index is a whole number from 0 to 34, not {index!r}"
    for refusing in (lambda: tile_index(index), lambda: tile_pattern(index, 0)):
        with pytest.raises(ValueError) as caught:
            refusing()
        assert str(caught.value) == message


@pytest.mark.parametrize("turn", [-90, 45, 360, False, 90.0])
def test_there_is_no_other_turn(turn: int) -> None:
    message = f"a tile is turned by 0, 90, 180 or 270 degrees, not {turn!r}"
    for refusing in (lambda: degrees(turn), lambda: tile_pattern(3, turn)):
        with pytest.raises(ValueError) as caught:
            refusing()
        assert str(caught.value) == message


def test_valid_numbers_are_returned_as_they_are() -> None:
    assert (tile_index(34), degrees(270)) == (34, 270)
