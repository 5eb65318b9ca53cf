"""Which values of a run are drawn, what a run of a renderer means, and how pictures are hung."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.documents import pictures
from harness.documents.pictures import (
    Gallery,
    Hung,
    Picture,
    Rendering,
    Sheet,
    Side,
    Spot,
    picture_of,
    spots_of,
)
from harness.events import Bytes, Evidence, ShownDifference
from harness.records import Exited, Limit, NotStarted, Signalled, Transcript
from harness.suites.policy import Drawn

OUTPUT = Rendering(("r",), "/s", (Drawn.OUTPUT,))
BOTH = OUTPUT._replace(draws=(Drawn.INPUT, Drawn.OUTPUT))


def carried(text: str) -> Bytes:
    """A stream that is carried as a whole."""
    return Bytes(text.encode(), len(text.encode()))


def evidence(stdin: str, expected: str, stdout: str, *found: ShownDifference) -> Evidence:
    """What was seen of a run."""
    streams = carried(stdin), carried(expected), carried(stdout), carried("")
    return Evidence(*streams, found, len(found))


def places(spots: Sequence[Spot]) -> list[tuple[str, str]]:
    """Which side, and the value."""
    return [(spot.side.value, spot.value) for spot in spots]


# Which values.


def test_the_values_that_differ_are_drawn_on_both_sides() -> None:
    seen = evidence("0", "1 [2,3] 4", "1 [2,5] 4", ShownDifference("/1/1", "3", "5"))
    assert places(spots_of(seen, OUTPUT)) == [("expected", "[2,3]"), ("printed", "[2,5]")]


def test_a_value_is_drawn_once_however_often_it_differs() -> None:
    found = ShownDifference("/0/0", "1", "2"), ShownDifference("/0/1", "1", "2")
    seen = evidence("0", "[1,1]", "[2,2]", *found)
    assert places(spots_of(seen, OUTPUT)) == [("expected", "[1,1]"), ("printed", "[2,2]")]


def test_a_value_that_moved_is_drawn_beside_its_partner() -> None:
    moved = ShownDifference("/1/0", "2", "9", "/0/0")
    missing = ShownDifference("/0", "[1]", None)
    seen = evidence("0", "[1] [2]", "[9]", missing, moved)
    assert spots_of(seen, OUTPUT) == [
        Spot(Side.EXPECTED, "/0", "[1]", 0),
        Spot(Side.EXPECTED, "/1", "[2]", 1),
        Spot(Side.PRINTED, "/0", "[9]", 1),
    ]


def test_a_value_too_many_is_drawn_alone() -> None:
    seen = evidence("0", "1", "1 7", ShownDifference("/1", None, "7"))
    assert places(spots_of(seen, OUTPUT)) == [("printed", "7")]


@pytest.mark.parametrize("found", [(), (ShownDifference("", "1", "2"),)])
def test_what_was_not_compared_value_by_value_is_drawn_from_its_beginning(
    found: tuple[ShownDifference, ...],
) -> None:
    seen = evidence("0", "1 2", "1 [3", *found)
    assert places(spots_of(seen, OUTPUT)) == [
        ("expected", "1"),
        ("printed", "1"),
        ("expected", "2"),
    ]


def test_at_most_four_places_are_drawn() -> None:
    many = evidence("1 2 3 4 5 6", "1 2 3 4 5 6", "")
    assert len(spots_of(many, OUTPUT)) == 4
    assert places(spots_of(many, BOTH))[:4] == [("input", str(number)) for number in (1, 2, 3, 4)]


def test_in_a_conversation_the_inputs_are_drawn_that_belong_to_the_answers() -> None:
    seen = evidence("10 20 30", "1 2 3", "1 2 4", ShownDifference("/2", "3", "4"))
    talking = BOTH._replace(conversation=True)
    assert places(spots_of(seen, talking)) == [
        ("input", "30"),
        ("expected", "3"),
        ("printed", "4"),
    ]


# What a run of a renderer means.


@pytest.mark.parametrize(
    "printed",
    [
        b"<svg/>",
        b"\xef\xbb\xbf <svg>\n</svg>",
        b'<?xml version="1.0"?>\n<!-- a <svg> -->\n<!DOCTYPE svg PUBLIC "x" "y">\n<svg xmlns="z"/>',
    ],
)
def test_svg_is_a_picture(printed: bytes) -> None:
    assert picture_of(Transcript(Exited(0), printed), "r") == Picture(printed)


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        (Transcript(NotStarted("r: no such program")), "r: no such program"),
        (Transcript(Signalled(9), limit=Limit.WALL), "r took more than 10 s, and was ended"),
        (
            Transcript(Signalled(9), limit=Limit.OUTPUT),
            "r printed more than 512 KiB, and was ended",
        ),
        (Transcript(Signalled(9), limit=Limit.MEMORY), "r used too much, and was ended"),
        (Transcript(Signalled(11), b"<svg/>"), "r was ended by SIGSEGV"),
        (Transcript(Exited(3), b"<svg/>", b"a\nno \x1b board\n"), "no \\x1b board"),
        (Transcript(Exited(3), b"<svg/>"), "r ended with status 3"),
        (Transcript(Exited(0), b"<html><svg/></html>"), "r printed no SVG"),
        (Transcript(Exited(0)), "r printed no SVG"),
        (Transcript(Exited(0), b"<svgx/>"), "r printed no SVG"),
    ],
)
def test_anything_else_is_a_note(seen: Transcript, note: str) -> None:
    assert picture_of(seen, "r") == Picture(b"", f"no picture: {note}")


def test_a_note_is_bounded() -> None:
    assert len(picture_of(Transcript(Exited(1), b"", b"x" * 10_000), "r").note) < 350


# The gallery.


class Painter:
    """Draws even numbers, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def draw(self, sheets: Sequence[Sheet]) -> list[Picture]:
        """A picture of each sheet."""
        self.asked += (sheet.value for sheet in sheets)
        return [self._picture(int(sheet.value)) for sheet in sheets]

    def _picture(self, number: int) -> Picture:
        return Picture(b"", "odd") if number % 2 else Picture(f"<svg>{number}</svg>".encode())


def hung(*spots: tuple[Side, int, int]) -> list[tuple[str, str, int, str]]:
    """What hangs in a gallery of these values, each with its group."""
    painter = Painter()
    gallery = Gallery({"s": BOTH}, painter.draw)
    wanted = [Spot(side, f"/{group}", str(number), group) for side, number, group in spots]
    gallery.prepare([("s", wanted)])
    return [(one.side.value, one.place, one.number, one.note) for one in gallery.hang("s", wanted)]


def test_equal_values_are_drawn_once_and_equal_pictures_kept_once() -> None:
    painter = Painter()
    gallery = Gallery({"s": BOTH}, painter.draw)
    first = [Spot(Side.EXPECTED, "/0", "2", 0), Spot(Side.PRINTED, "/0", "4", 0)]
    second = [Spot(Side.EXPECTED, "/0", "4", 0), Spot(Side.PRINTED, "/0", "2", 0)]
    gallery.prepare([("s", first), ("s", second)])
    gallery.prepare([("s", second)])
    assert painter.asked == ["2", "4"]
    assert [one.number for one in gallery.hang("s", first) + gallery.hang("s", second)] == [
        *(0, 1, 1, 0)
    ]
    assert gallery.pictures == [b"<svg>2</svg>", b"<svg>4</svg>"]


def test_a_suite_without_a_renderer_has_no_pictures() -> None:
    gallery = Gallery({"s": BOTH}, Painter().draw)
    assert gallery.spots("other", evidence("1", "1", "2")) == []
    assert gallery.spots("s", None) == []
    assert len(gallery.spots("s", evidence("2", "2", "4"))) == 3


def test_of_a_pair_of_boards_each_is_named_by_its_side() -> None:
    assert hung((Side.EXPECTED, 2, 0), (Side.PRINTED, 4, 0)) == [
        ("expected", "", 0, ""),
        ("printed", "", 1, ""),
    ]


def test_of_several_pairs_each_has_its_place_and_its_row() -> None:
    gallery = Gallery({"s": BOTH}, Painter().draw)
    wanted = [
        Spot(side, f"/{group}", "2", group)
        for group in (0, 1)
        for side in (Side.EXPECTED, Side.PRINTED)
    ]
    gallery.prepare([("s", wanted)])
    assert gallery.hang("s", wanted) == [
        Hung(Side.EXPECTED, "/0", 0, "", 0),
        Hung(Side.PRINTED, "/0", 0, "", 0),
        Hung(Side.EXPECTED, "/1", 0, "", 1),
        Hung(Side.PRINTED, "/1", 0, "", 1),
    ]


def test_an_answer_without_a_board_is_not_told_beside_the_board_that_it_is_about() -> None:
    assert hung((Side.INPUT, 2, 0), (Side.EXPECTED, 3, 0), (Side.PRINTED, 5, 0)) == [
        ("input", "", 0, "")
    ]


def test_beside_a_board_it_is_told_why_there_is_no_other() -> None:
    assert hung((Side.EXPECTED, 2, 0), (Side.PRINTED, 3, 0))[1] == ("printed", "", -1, "odd")


def test_what_is_beside_the_board_in_an_input_is_not_told() -> None:
    assert hung((Side.INPUT, 2, -1), (Side.INPUT, 3, -1), (Side.EXPECTED, 5, 0)) == [
        ("input", "", 0, "")
    ]


def test_where_nothing_could_be_drawn_it_is_told_once() -> None:
    assert hung((Side.INPUT, 1, -1), (Side.EXPECTED, 3, 0), (Side.PRINTED, 5, 0)) == [
        ("input", "", -1, "odd")
    ]
    assert hung() == []


def test_a_report_has_only_so_many_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_PICTURES", 1)
    painter = Painter()
    gallery = Gallery({"s": BOTH}, painter.draw)
    for value in ("2", "4"):
        spots = [Spot(Side.INPUT, "/0", value, -1)]
        gallery.prepare([("s", spots)])
        last = gallery.hang("s", spots)
    full = "no picture: the report has as many as it may have"
    assert last == [Hung(Side.INPUT, "", -1, full)]
    assert painter.asked == ["2"]


def test_a_report_has_only_so_many_bytes_of_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_BYTES", 5)
    painter = Painter()
    gallery = Gallery({"s": BOTH}, painter.draw)
    gallery.prepare([("s", [Spot(Side.INPUT, "/0", "2", -1)])])
    gallery.prepare([("s", [Spot(Side.INPUT, "/0", "4", -1)])])
    assert painter.asked == ["2"]
