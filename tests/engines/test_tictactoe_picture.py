"""Pictures read as a person would: by their parts, their places, and the colours of both."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import pytest

from engines.tictactoe.board import START, State, parse
from engines.tictactoe.picture import Picture, board_svg, board_text

SVG = "{http://www.w3.org/2000/svg}"
PAPER, X_COLOUR, O_COLOUR = "#fffdf8", "#c8372d", "#1d6fa5"
X_BAND, O_BAND = "#fae0dc", "#d9ebf6"


def board(text: str) -> State:
    """The state of nine symbols."""
    return parse(text).value()


def parts(state: State, tag: str) -> list[dict[str, str]]:
    """The attributes of all elements of this tag, in the order in which they are painted."""
    return [part.attrib for part in ElementTree.fromstring(board_svg(state)).iter(SVG + tag)]


def lines_in(state: State, colour: str) -> list[tuple[float, ...]]:
    """The ends x1, y1, x2, y2 of the lines of this colour."""
    found = [line for line in parts(state, "line") if line["stroke"] == colour]
    return [tuple(float(line[end]) for end in ("x1", "y1", "x2", "y2")) for line in found]


def words(state: State) -> list[str | None]:
    """What is written in the picture."""
    root = ElementTree.fromstring(board_svg(state))
    return [part.text for part in root.iter(SVG + "text")]


def test_an_x_is_a_cross_over_the_centre_of_its_cell() -> None:
    # Cell 5: row 1, column 2.
    assert lines_in(board(".....X..."), X_COLOUR) == [
        (269, 169, 319, 219),
        (269, 219, 319, 169),
    ]


def test_an_o_is_a_ring_around_the_centre_of_its_cell() -> None:
    # Cell 6: row 2, column 0.
    (ring,) = parts(board("......O.."), "circle")
    assert (ring["cx"], ring["cy"], ring["stroke"], ring["fill"]) == ("94", "294", O_COLOUR, "none")


def test_every_mark_is_drawn_and_no_other() -> None:
    state = board("XX.O..X.O")
    assert (len(lines_in(state, X_COLOUR)), len(parts(state, "circle"))) == (2 * 3, 2)
    assert (lines_in(START, X_COLOUR), parts(START, "circle")) == ([], [])


def test_the_grid_has_two_lines_across_and_two_down() -> None:
    assert [
        tuple(map(float, (li["x1"], li["y1"], li["x2"], li["y2"]))) for li in parts(START, "line")
    ] == [
        (44, 144, 344, 144),
        (44, 244, 344, 244),
        (144, 44, 144, 344),
        (244, 44, 244, 344),
    ]


def test_the_winning_line_is_a_band_from_centre_to_centre_in_the_tint_of_the_winner() -> None:
    assert lines_in(board("XO..XO..X"), X_BAND) == [(94, 94, 294, 294)]
    assert lines_in(board("X.O.O.OXX"), O_BAND) == [(294, 94, 94, 294)]
    assert lines_in(board("XO..XO..X"), O_BAND) == lines_in(board("X.O.O.OXX"), X_BAND) == []


def test_two_winning_lines_are_two_bands() -> None:
    assert lines_in(board("XXXXOOXOO"), X_BAND) == [(94, 94, 294, 94), (94, 94, 94, 294)]


def test_the_band_is_painted_before_the_grid_and_the_marks() -> None:
    strokes = [line["stroke"] for line in parts(board("XXX.O.O.."), "line")]
    assert strokes == [X_BAND, *["#cfc7ba"] * 4, *[X_COLOUR] * 6]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        (".........", "not decided yet"),
        ("XO..XO..X", "X has won"),
        ("X.O.O.OXX", "O has won"),
        ("XOXXOOOXX", "a draw"),
    ],
)
def test_the_picture_says_how_the_game_stands_to_eyes_and_to_screen_readers(
    text: str, caption: str
) -> None:
    assert words(board(text)) == [*"012", *"012", caption]
    assert f"<title>Tic-tac-toe: {caption}</title>" in board_svg(board(text))
    assert board_text(board(text)).endswith(f"\n  {caption}")


def test_the_picture_has_its_own_size_and_paper() -> None:
    root = ElementTree.fromstring(board_svg(START))
    assert root.attrib["viewBox"] == "0 0 388 404"
    assert parts(START, "rect") == [{"width": "388", "height": "404", "rx": "14", "fill": PAPER}]


def test_equal_states_give_equal_text() -> None:
    assert board_svg(board("XX.O....O")) == board_svg(board("XX.O....O"))


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, as WCAG 2.1 defines it."""
    levels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21, as WCAG 2.1 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_words_and_marks_stand_out_from_whatever_is_below_them() -> None:
    inks = {part["fill"] for part in parts(board("XX.O....O"), "text")}
    assert len(inks) == 2
    assert all(contrast(ink, PAPER) >= 4.5 for ink in inks)
    grounds = (PAPER, X_BAND, O_BAND)
    assert all(contrast(*pair) >= 3 for pair in product((X_COLOUR, O_COLOUR), grounds))


def test_the_text_shows_the_board_in_a_frame_with_the_winning_line_in_brackets() -> None:
    assert board_text(board("X.O.O.OXX")).split("\n") == [
        "    0   1   2",
        "  ┌───┬───┬───┐",
        "0 │ X │   │[O]│",
        "  ├───┼───┼───┤",
        "1 │   │[O]│   │",
        "  ├───┼───┼───┤",
        "2 │[O]│ X │ X │",
        "  └───┴───┴───┘",
        "  O has won",
    ]


def test_an_undecided_board_has_no_brackets() -> None:
    assert "[" not in board_text(board("XX.OO...."))


def test_a_picture_is_svg_in_a_notebook_and_text_where_it_is_printed() -> None:
    picture = Picture(board("XX.O....O"))
    # IPython asks an object for its SVG by this name.
    assert picture._repr_svg_() == board_svg(picture.state)  # pylint: disable=protected-access
    assert f"{picture}" == board_text(picture.state)
