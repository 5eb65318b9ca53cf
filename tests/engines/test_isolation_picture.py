"""The pictures: the text whole, the SVG by what must stand where."""

from xml.etree import ElementTree

import pytest

from engines.isolation import Action, Isolation, board_svg, board_text

PLACED = Isolation().result(57).result(0)
UNDER_WAY = PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW)
# Neither piece can go on; player 1, to move, has lost.
OVER = Isolation(board=1 << 50 | 1 << 60, ply_count=6, locs=(114, 0))

SVG = "{http://www.w3.org/2000/svg}"


def elements(state: Isolation, tag: str) -> list[ElementTree.Element]:
    """The elements of one kind, in the order they are drawn."""
    return list(ElementTree.fromstring(board_svg(state)).iter(SVG + tag))


def words(state: Isolation) -> list[str]:
    """Everything that is written in the SVG, in reading order."""
    return [element.text or "" for element in elements(state, "text")]


def test_the_text_of_a_game_under_way() -> None:
    assert board_text(UNDER_WAY).splitlines() == [
        "      +10   +9   +8   +7   +6   +5   +4   +3   +2   +1   +0",
        " 104    .    .    .    .    .    .    .    .    .    .    .",
        "  91    .    .    .    .    .    .  (1)    .    .    .    .",
        "  78    .    .    .    .    .    .    .    .    .    .    .",
        "  65    .    .    .    .    .    .    .  ###    .    .    .",
        "  52    .    .    .    .    .  ###    .    .  NNW    .  NNE",
        "  39    .    .    .    .    .    .    .  WNW    .    .    .",
        "  26    .    .    .    .    .    .    .    .    .  (2)    .",
        "  13    .    .    .    .    .    .    .  WSW    .    .    .",
        "   0    .    .    .    .    .    .    .    .  SSW    .  ###",
        "",
        "     player 2 to move, ply 5",
    ]


def test_the_text_of_the_opening_has_the_cells_to_choose_from() -> None:
    lines = board_text(Isolation().result(57)).splitlines()
    assert lines[5] == "  52   62   61   60   59   58  (1)   56   55   54   53   52"
    assert lines[9] == "   0   10    9    8    7    6    5    4    3    2    1    0"


def test_the_text_of_a_game_that_is_over_has_no_moves_and_names_the_winner() -> None:
    lines = board_text(OVER).splitlines()
    assert lines[1] == " 104  (1)" + "  ###" * 10
    assert lines[6] == "  39" + "  ###" * 11
    assert lines[5] == "  52  ###  ###    ." + "  ###" * 8
    assert lines[-1] == "     player 2 wins, ply 6"


def test_moves_end_with_the_game_even_where_the_one_who_plays_has_some() -> None:
    over = Isolation(board=1 << 27, ply_count=2, locs=(0, 114))
    assert "NNW" not in board_text(over)
    assert board_text(over).endswith("     player 1 wins, ply 2")


def test_the_svg_writes_each_move_above_its_cell() -> None:
    written = words(PLACED)
    moves = [(name, written[i + 1]) for i, name in enumerate(written) if name in Action.__members__]
    assert moves == [
        ("NNW", "84"),
        ("NNE", "82"),
        ("WNW", "72"),
        ("ENE", "68"),
        ("WSW", "46"),
        ("ESE", "42"),
        ("SSW", "32"),
        ("SSE", "30"),
    ]


def test_the_svg_numbers_every_open_cell_once() -> None:
    labels = [str(row) for row in range(104, -1, -13)]
    cells = words(PLACED)[11 + len(labels) : -1]
    numbers = [int(word) for word in cells if word not in Action.__members__]
    # Each piece has its own number: 1 on cell 57, and 2 on cell 0.
    assert numbers == [
        {57: 1, 0: 2}.get(row + column, row + column)
        for row in range(104, -1, -13)
        for column in range(10, -1, -1)
    ]


def test_row_and_column_labels_stand_around_the_svg() -> None:
    assert words(PLACED)[:20] == [
        *(f"+{column}" for column in range(10, -1, -1)),
        *(str(row) for row in range(104, -1, -13)),
    ]


def test_the_svg_leaves_blocked_cells_dark_and_without_a_number() -> None:
    dark = [tile for tile in elements(UNDER_WAY, "rect") if tile.get("fill") == "#4b4f59"]
    centres = [(float(tile.get("x", "")) + 24.5, float(tile.get("y", "")) + 24.5) for tile in dark]
    # From the top: cells 68, 57 and 0, at 52 units a cell from (48, 36).
    assert centres == [(438, 218), (334, 270), (594, 478)]
    assert "57" not in words(UNDER_WAY)


@pytest.mark.parametrize(
    ("state", "ringed", "caption"),
    [
        (PLACED, "#2563b0", "player 1 to move, ply 2"),
        (UNDER_WAY, "#c2540f", "player 2 to move, ply 5"),
        (OVER, "#c2540f", "player 2 wins, ply 6"),
    ],
)
def test_the_svg_rings_who_plays_or_has_won_and_says_so(
    state: Isolation, ringed: str, caption: str
) -> None:
    rings = [circle.get("stroke") for circle in elements(state, "circle") if circle.get("stroke")]
    assert rings == [ringed]
    assert words(state)[-1] == caption
    assert elements(state, "title")[0].text == f"Isolation, {caption}"


def test_the_opening_offers_every_open_cell_in_the_colour_of_the_one_who_plays() -> None:
    offered = [
        element.text
        for element in elements(Isolation().result(57), "text")
        if element.get("fill") == "#c2540f"
    ]
    assert len(offered) == 98
    assert "0" in offered and "57" not in offered


def test_a_notebook_shows_the_svg() -> None:
    # IPython looks this method up by its name.
    assert getattr(UNDER_WAY, "_repr_svg_")() == board_svg(UNDER_WAY)
