"""The pictures, read back: what they show is what the board is, and can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from engines.bitboard36.boards import Board, Player, State, variants
from engines.bitboard36.neighbours import neighbour_counts
from engines.bitboard36.numbering import numbering_svg
from engines.bitboard36.pictures import board_svg, state_svg, variants_svg
from engines.bitboard36.shape import FULL

if TYPE_CHECKING:
    from collections.abc import Iterable
    from xml.etree.ElementTree import Element

# Pieces of both colours, which no mirror leaves as they are, and cell 0 among them.
BOARD = Board(1 << 0 | 1 << 7 | 1 << 8 | 1 << 22, 1 << 9 | 1 << 19 | 1 << 35, Player.BLACK)

WHITE, BLACK = "#ffffff", "#22303a"


def number_of(drawn: Element, attribute: str) -> float:
    """A number that an element has."""
    return float(drawn.attrib[attribute])


def elements(picture: str, tag: str) -> list[Element]:
    """All elements of this name, in the order they are drawn."""
    return list(ElementTree.fromstring(picture).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def by_position(found: Iterable[Element]) -> list[Element]:
    """Texts in the order of positions: from the lowest row upwards, each from the left."""
    return sorted(found, key=lambda text: (-number_of(text, "y"), number_of(text, "x")))


def texts(picture: str, size: float) -> list[Element]:
    """The texts of this size, in the order of positions."""
    return by_position(
        text for text in elements(picture, "text") if number_of(text, "font-size") == size
    )


def frames(picture: str) -> list[Element]:
    """The edges of the boards."""
    return [rect for rect in elements(picture, "rect") if rect.attrib["fill"] == "none"]


def word_within(frame: Element, picture: str, fill: str) -> int:
    """The word of the pieces of this colour on the board with this edge."""
    left, top, side = (number_of(frame, name) for name in ("x", "y", "width"))
    found = 0
    for disc in elements(picture, "circle"):
        column = (number_of(disc, "cx") - left) * 6 / side
        row = 6 - (number_of(disc, "cy") - top) * 6 / side
        if disc.attrib["fill"] == fill and 0 < column < 6 and 0 < row < 6:
            found |= 1 << 6 * int(row) + int(column)
    return found


def test_a_board_shows_its_pieces_where_they_are() -> None:
    picture = board_svg(BOARD)
    (frame,) = frames(picture)
    assert word_within(frame, picture, WHITE) == BOARD.white
    assert word_within(frame, picture, BLACK) == BOARD.black


def test_a_board_shows_every_bit_and_every_neighbour_count() -> None:
    picture = board_svg(BOARD)
    assert [text.text for text in texts(picture, 11)] == [str(bit) for bit in range(36)]
    assert [text.text for text in texts(picture, 22)] == [
        str(count) for count in neighbour_counts(BOARD.pieces)
    ]


def test_a_board_says_who_plays_and_which_words_it_is() -> None:
    picture = board_svg(BOARD)
    (title,) = elements(picture, "title")
    assert title.text == "6 x 6 board, Black to play: white 0x000400181, black 0x800080200"
    assert [text.text for text in texts(picture, 20)] == ["Black to play"]
    words = [text.text for text in elements(picture, "text") if "0x" in (text.text or "")]
    assert words == ["white 0x000400181", "black 0x800080200"]


def test_a_state_shows_the_current_players_pieces_white() -> None:
    picture = state_svg(State(1 << 0 | 1 << 7, 1 << 35))
    (frame,) = frames(picture)
    assert word_within(frame, picture, WHITE) == 1 << 0 | 1 << 7
    assert word_within(frame, picture, BLACK) == 1 << 35
    words = [text.text for text in elements(picture, "text") if "0x" in (text.text or "")]
    assert words == ["current 0x000000081", "next 0x800000000"]


def test_variants_are_drawn_left_and_right_and_white_above_black() -> None:
    four = variants(State(1 << 0 | 1 << 7, 1 << 8 | 1 << 35))
    picture = variants_svg(four)
    places = {(number_of(frame, "x"), number_of(frame, "y")): frame for frame in frames(picture)}
    shown = [places[place] for place in sorted(places, key=lambda place: (place[1], place[0]))]
    assert [
        (word_within(frame, picture, WHITE), word_within(frame, picture, BLACK)) for frame in shown
    ] == [board[:2] for board in (four.white_left, four.white_right, four.black_left, four[2])]


def test_the_base_state_alone_is_framed_in_the_colour_of_the_axes() -> None:
    picture = variants_svg(variants(State(1, 2)))
    (colour,) = {line.attrib["stroke"] for line in elements(picture, "line")}
    framed = [frame for frame in frames(picture) if frame.attrib["stroke"] == colour]
    (title,) = elements(picture, "title")
    assert title.text == "The four variants of the base state 0x000000001, 0x000000002"
    assert [word_within(frame, picture, WHITE) for frame in framed] == [1]


def test_the_numbering_shows_all_bits_plain_and_in_both_mirrors() -> None:
    bits, flipped, turned = (
        [text.text for text in by_position(group)]
        for group in elements(numbering_svg(), "g")
        if len(group) == 36
    )
    assert bits == [str(bit) for bit in range(36)]
    assert flipped == [str(6 * (5 - bit // 6) + bit % 6) for bit in range(36)]
    assert turned == [str(6 * (bit // 6) + 5 - bit % 6) for bit in range(36)]


def test_the_numbering_shows_eight_offsets_in_the_middle_and_three_in_a_corner() -> None:
    (offsets,) = (group for group in elements(numbering_svg(), "g") if len(group) == 13)
    assert [text.text for text in by_position(offsets)] == [
        *("−7", "−6", "−5"),
        *("−1", "n", "+1"),
        *("+5", "+6", "+7"),
        *("−7", "−6"),
        *("−1", "n"),
    ]


@pytest.mark.parametrize("pieces", [0, 1 << 14, FULL ^ 1 << 14, FULL])
def test_every_number_on_a_board_stands_out_from_what_is_behind_it(pieces: int) -> None:
    # 4.5 to 1 is what WCAG 2.1 (1.4.3) asks of small text.
    for board in (Board(pieces, 0), Board(0, pieces)):
        picture = board_svg(board)
        for text in (*texts(picture, 11), *texts(picture, 22)):
            assert contrast(text.attrib["fill"], behind(text, picture)) >= 4.5, text.text


@pytest.mark.parametrize(
    ("shown", "picture"),
    [
        (BOARD, board_svg(BOARD)),
        (State(1, 2), state_svg(State(1, 2))),
        (variants(State(1, 2)), variants_svg(variants(State(1, 2)))),
    ],
)
def test_a_notebook_shows_the_picture_of_a_value(shown: object, picture: str) -> None:
    assert getattr(shown, "_repr_svg_")() == picture


def behind(text: Element, picture: str) -> str:
    """The colour of the topmost disc or cell that the middle of a text lies on."""
    x, y = number_of(text, "x"), number_of(text, "y") - 0.35 * number_of(text, "font-size")
    for disc in elements(picture, "circle"):
        across = (number_of(disc, "cx") - x) ** 2 + (number_of(disc, "cy") - y) ** 2
        if across < number_of(disc, "r") ** 2:
            return disc.attrib["fill"]
    (fill,) = (
        cell.attrib["fill"]
        for cell in elements(picture, "rect")
        if number_of(cell, "width") == 64
        and 0 <= x - number_of(cell, "x") < 64
        and 0 <= y - number_of(cell, "y") < 64
    )
    return fill


def contrast(first: str, second: str) -> float:
    """The contrast of two colours as WCAG 2.1 defines it, from 1 to 21."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb`, from 0 to 1 (WCAG 2.1)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
