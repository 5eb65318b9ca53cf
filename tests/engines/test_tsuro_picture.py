"""The pictures, by what must stand where; docs/pictures shows what a board looks like."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engines.tsuro import (
    COLORS,
    PORTS,
    Board,
    BoardPosition,
    BoardState,
    ColorString,
    InitialMove,
    IntermediateMove,
    Port,
    PortID,
    Tile,
    board_svg,
    tile_pattern,
    tile_svg,
)

_ROOT = Path(__file__).parents[2]
_SVG = "{http://www.w3.org/2000/svg}"
_CURVE = re.compile(r"([MC])([-\d. ]+)")

# Wires AE BC DG FH and AB CG DF EH: no turn and no mirror leaves them as they are.
_FIRST = tile_pattern(6, 0)
_SECOND = tile_pattern(26, 0)
_WHERE = BoardPosition(3, 5)

_Point = tuple[float, float]
_Spots = dict[ColorString, tuple[BoardPosition, PortID]]


def _state(tiles: dict[tuple[int, int], Tile], spots: _Spots | None = None) -> BoardState:
    rows = [[tiles.get((x, y)) for x in range(10)] for y in range(10)]
    return BoardState(rows, spots)


def _elements(svg: str, tag: str, class_: str = "") -> list[ElementTree.Element]:
    """The elements of one kind (and class), in the order they are drawn."""
    found = ElementTree.fromstring(svg).iter(_SVG + tag)
    return [element for element in found if class_ in (element.get("class") or "")]


def _curves(element: ElementTree.Element) -> list[tuple[_Point, _Point]]:
    """The ends of each curve of a path."""
    curves: list[tuple[_Point, _Point]] = []
    pen = (0.0, 0.0)
    for command, written in _CURVE.findall(element.get("d") or ""):
        numbers = [float(number) for number in written.split()]
        if command == "C":
            curves.append((pen, (numbers[-2], numbers[-1])))
        pen = numbers[-2], numbers[-1]
    return curves


def _avatars(svg: str) -> dict[str, _Point]:
    """By colour, where its avatar stands; the legend's, drawn later, is left out."""
    found: dict[str, _Point] = {}
    for group in _elements(svg, "g", "avatar"):
        disc = group[0]
        name = (group.get("class") or "").removeprefix("avatar ")
        found.setdefault(name, (float(disc.get("cx") or 0), float(disc.get("cy") or 0)))
    return found


def _trail(svg: str, color: ColorString) -> list[ElementTree.Element]:
    """The lines that are drawn for the way to this avatar: one way or none."""
    groups = _elements(svg, "g", f"trail {color}")
    assert len(groups) <= 1
    return [line for group in groups for line in group]


def test_each_wire_of_a_tile_is_drawn_once_and_ends_at_its_ports() -> None:
    (path,) = _elements(board_svg(_state({(3, 5): _FIRST})), "path", "wires")
    assert _curves(path) == [
        ((240, 340), (260, 400)),  # A E
        ((260, 340), (280, 360)),  # B C
        ((280, 380), (220, 380)),  # D G
        ((240, 400), (220, 360)),  # F H
    ]


def test_a_wire_leaves_a_side_at_a_right_angle() -> None:
    (path,) = _elements(board_svg(_state({(3, 5): _FIRST})), "path", "wires")
    assert (path.get("d") or "").startswith("M240 340C240 366 260 374 260 400M")


def test_every_tile_is_drawn_on_its_square() -> None:
    svg = board_svg(_state({(0, 9): _SECOND, (8, 1): _FIRST}))
    tiles = [rect for rect in _elements(svg, "rect") if rect.get("rx") == "4"]
    # In the order of the rows: (8, 1), then (0, 9).
    assert [(rect.get("x"), rect.get("y")) for rect in tiles] == [
        ("520.5", "100.5"),
        ("40.5", "580.5"),
    ]
    assert len(_elements(svg, "path", "wires")) == 2


@pytest.mark.parametrize(
    ("port", "centre"),
    [
        (0, (240, 345)),
        (1, (260, 345)),
        (2, (275, 360)),
        (3, (275, 380)),
        (4, (260, 395)),
        (5, (240, 395)),
        (6, (225, 380)),
        (7, (225, 360)),
    ],
)
def test_an_avatar_stands_on_its_port_just_inside_its_tile(port: int, centre: _Point) -> None:
    svg = board_svg(_state({(3, 5): _FIRST}, {"green": (_WHERE, PORTS[port])}))
    assert _avatars(svg) == {"green": centre}


@pytest.mark.parametrize(
    ("color", "letter", "fill", "ring"),
    [
        ("white", "W", "#ffffff", "#40342a"),
        ("black", "K", "#1f1c1a", "#ffffff"),
        ("red", "R", "#d0342c", "#ffffff"),
        ("green", "G", "#2c9a56", "#ffffff"),
        ("blue", "B", "#2266c4", "#ffffff"),
    ],
)
def test_an_avatar_and_its_way_have_its_colour_and_one_that_stands_out_around_it(
    color: ColorString, letter: str, fill: str, ring: str
) -> None:
    svg = board_svg(_state({(3, 5): _FIRST}, {color: (_WHERE, Port.TopLeft)}))
    drawn = _elements(svg, "g", "avatar")
    assert len(drawn) == 2  # on the board, and in the legend
    for disc, sign in drawn:
        assert (disc.get("fill"), disc.get("stroke")) == (fill, ring)
        assert (sign.text, sign.get("fill")) == (letter, ring)
    assert [line.get("stroke") for line in _trail(svg, color)] == [ring, fill]


def test_the_way_to_an_avatar_goes_back_over_the_tiles_to_the_edge() -> None:
    board = Board()
    start = InitialMove(BoardPosition(0, 5), tile_pattern(2, 0), Port.RightTop, "red")
    assert board.initial_move(start).is_ok()
    assert board.place_tile(IntermediateMove(tile_pattern(4, 0), "red")).is_ok()
    # Tile 2 joins C and H, tile 4 joins A and H: in from the left, across, and up.
    expected = [((40, 360), (100, 360)), ((100, 360), (120, 340))]
    for line in _trail(board_svg(board.get_board_state()), "red"):
        assert _curves(line) == expected
        assert line.get("stroke-dasharray") is None


def test_the_way_ends_where_the_tiles_do() -> None:
    svg = board_svg(_state({(3, 5): _FIRST}, {"blue": (_WHERE, Port.TopRight)}))
    for line in _trail(svg, "blue"):
        assert _curves(line) == [((280, 360), (260, 340))]


def test_a_way_that_goes_round_for_ever_is_drawn_once() -> None:
    # Four tiles around a corner, each turned so that its wire B C joins the next one's.
    around = {
        (4, 4): tile_pattern(5, 90),
        (5, 4): tile_pattern(5, 180),
        (5, 5): tile_pattern(5, 270),
        (4, 5): tile_pattern(5, 0),
    }
    svg = board_svg(_state(around, {"red": (BoardPosition(4, 5), Port.TopRight)}))
    assert [len(_curves(line)) for line in _trail(svg, "red")] == [4, 4]


def test_an_avatar_without_a_tile_is_drawn_without_a_way() -> None:
    svg = board_svg(_state({}, {"blue": (_WHERE, Port.TopRight)}))
    assert _avatars(svg) == {"blue": (260, 345)}
    assert not _trail(svg, "blue")


def test_avatars_on_one_port_stand_in_a_row() -> None:
    spot = (_WHERE, Port.RightTop)
    svg = board_svg(_state({(3, 5): _FIRST}, {"blue": spot, "white": spot, "green": spot}))
    assert _avatars(svg) == {"white": (275, 360), "green": (262, 360), "blue": (249, 360)}


def test_avatars_that_face_each_other_stand_apart() -> None:
    tiles = {(3, 5): _FIRST, (4, 5): _FIRST}
    spots: _Spots = {
        "red": (_WHERE, Port.RightTop),
        "blue": (BoardPosition(4, 5), Port.LeftTop),
    }
    assert _avatars(board_svg(_state(tiles, spots))) == {"red": (275, 360), "blue": (285, 360)}


def test_ways_that_are_one_line_are_dashed_so_that_each_is_seen() -> None:
    # Green stands at the other end of the wire of white and black; red has one of its own.
    spots: _Spots = {
        "white": (_WHERE, Port.TopLeft),
        "black": (_WHERE, Port.TopLeft),
        "green": (_WHERE, Port.BottomRight),
        "red": (_WHERE, Port.RightBottom),
    }
    svg = board_svg(_state({(3, 5): _FIRST}, spots))
    dashes = {color: _trail(svg, color)[-1].get("stroke-dasharray") for color in spots}
    assert dashes == {"white": None, "red": None, "black": "9 9", "green": "9 18"}
    assert [len(_trail(svg, color)) for color in spots] == [2, 1, 1, 2]


def test_coordinates_stand_above_and_at_the_left() -> None:
    labels = _elements(board_svg(BoardState()), "text")[:20]
    above, left = labels[:10], labels[10:]
    assert [label.text for label in labels] == [*"0123456789"] * 2
    assert [label.get("x") for label in above] == [str(70 + 60 * x) for x in range(10)]
    assert {label.get("y") for label in above} == {"21.4"}
    assert [label.get("y") for label in left] == [f"{75.4 + 60 * y:g}" for y in range(10)]


def test_an_empty_board_says_so() -> None:
    svg = board_svg(BoardState())
    assert [title.text for title in _elements(svg, "title")] == [
        "Tsuro board, tiles: 0, avatars: none"
    ]
    assert _elements(svg, "text")[-1].text == "no avatars"
    assert not _elements(svg, "path", "wires") and not _avatars(svg)


def test_the_legend_and_the_title_name_every_avatar_in_the_order_of_the_colours() -> None:
    spots: _Spots = {
        "red": (_WHERE, Port.TopLeft),
        "white": (BoardPosition(9, 0), Port.LeftTop),
    }
    svg = board_svg(_state({(3, 5): _FIRST, (9, 0): _SECOND}, spots))
    written = [label.text for label in _elements(svg, "text")]
    assert written[-4:] == ["W", "white (9, 0) H", "R", "red (3, 5) A"]
    assert _elements(svg, "title")[0].text == (
        "Tsuro board, tiles: 2, avatars: white (9, 0) H, red (3, 5) A"
    )


def test_equal_boards_give_equal_bytes_whatever_order_they_were_made_in() -> None:
    spots: _Spots = {color: (_WHERE, PORTS[number]) for number, color in enumerate(COLORS)}
    backwards = dict(reversed(spots.items()))
    tiles = {(3, 5): _FIRST}
    assert board_svg(_state(tiles, spots)) == board_svg(_state(dict(tiles), backwards))


def test_a_tile_is_drawn_as_it_is_turned_with_its_letters_and_its_pattern() -> None:
    svg = tile_svg(_FIRST.rotate())
    (path,) = _elements(svg, "path", "wires")
    assert _curves(path) == [
        ((20, 0), (20, 60)),  # A F, what D G was
        ((40, 0), (0, 20)),  # B H, what F H was
        ((60, 20), (0, 40)),  # C G, what A E was
        ((60, 40), (40, 60)),  # D E, what B C was
    ]
    assert [label.text for label in _elements(svg, "text")] == [*"ABCDEFGH", "tile 6, 90°"]
    assert _elements(svg, "title")[0].text == "Tsuro tile 6, 90°: wires AF BH CG DE"


def test_the_letters_of_a_tile_stand_outside_beside_their_ports() -> None:
    letters = {label.text: label for label in _elements(tile_svg(_FIRST), "text")}
    # A: a third along the top, above it. D: two thirds down the right, beside it.
    assert (letters["A"].get("x"), letters["A"].get("y")) == ("64", "16.68")
    assert (letters["D"].get("x"), letters["D"].get("y")) == ("156", "108.68")


def test_a_notebook_shows_boards_states_and_tiles() -> None:
    state = _state({(3, 5): _FIRST}, {"red": (_WHERE, Port.TopLeft)})
    # IPython looks this method up by its name.
    assert getattr(state, "_repr_svg_")() == board_svg(state)
    assert getattr(Board.from_state(state), "_repr_svg_")() == board_svg(state)
    assert getattr(_SECOND, "_repr_svg_")() == tile_svg(_SECOND)


def test_a_program_that_draws_nothing_does_not_load_the_pictures() -> None:
    drawing = ("engines.svg", "engines.tsuro.picture", "engines.tsuro.terminal")
    program = (
        f"import sys; sys.path.insert(0, {str(_ROOT)!r}); import xtests.xboard, xtests.xtiles\n"
        f"def loaded(): return [name for name in {drawing!r} if name in sys.modules]\n"
        "from engines.tsuro import Board; board = Board(); before = loaded()\n"
        "board._repr_svg_(); print(before, loaded())"
    )
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[] ['engines.svg', 'engines.tsuro.picture']\n"
