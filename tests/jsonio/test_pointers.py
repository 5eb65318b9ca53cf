"""Places, their pointers, and the patterns that stand for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.jsonio.pointers import PathError, PathPattern, parse_pattern, pointer


def test_a_pattern_is_read_as_a_json_pointer(golden: Golden) -> None:
    check_table(golden, __file__, "patterns.txt", lambda pattern: str(parse_pattern(pattern)))


@pytest.mark.parametrize("pattern", ["0/winners", "#/0", "/a~", "/~2/b", "/~~0", "/~/1"])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    start = "in a path, write" if pattern.startswith("/") else 'a path must begin with "/"'
    with pytest.raises(PathError, match=f"^{start}.*, not '{pattern}'$"):
        parse_pattern(pattern)


def test_a_place_is_spelled_as_a_json_pointer(golden: Golden) -> None:
    check_table(golden, __file__, "pointers.txt", pointer)


# A pattern, the steps of places that it stands for, and of places that it does not.
FITS: list[tuple[str, list[tuple[str | int, ...]], list[tuple[str | int, ...]]]] = [
    ("", [()], [(0,), ("",)]),
    ("/", [("",)], [(), (0,), ("", "")]),
    ("/0", [(0,), ("0",)], [(), (1,), (0, 0), ("00",)]),
    ("/0/a", [(0, "a")], [(0,), (0, "A"), (0, "a", "a"), ("a", 0)]),
    ("/*", [(0,), (7,), ("a",), ("",), ("*",)], [(), (0, 0)]),
    ("/*/a", [(0, "a"), ("b", "a")], [("a",), (0, "b"), (0, 0, "a")]),
    ("/**", [(), (0,), (0, "a", 2)], []),
    ("/**/a", [("a",), (0, "a"), (0, "a", "a")], [(), (0, "a", 0)]),
    ("/a/**", [("a",), ("a", 0), ("a", 0, "b")], [(), ("b", "a")]),
    ("/a/**/b", [("a", "b"), ("a", "b", "b"), ("a", 0, "c", "b")], [("a",), ("b",), ("a", "b", 1)]),
    ("/**/a/*/b", [("a", 0, "b"), ("a", "a", 0, "b"), ("a", "a", "a", "b")], [("a", "b")]),
    ("/**/**", [(), (0,), (0, 1)], []),
    ("/**/*", [(0,), (0, 1)], [()]),
    ("/*/**/*", [(0, 1), (0, 1, 2)], [(), (0,)]),
    ("/**/a/**/a", [("a", "a"), (0, "a", 1, "a")], [("a",), ("a", "a", 0)]),
    ("/a~1b", [("a/b",)], [("a", "b")]),
]


@pytest.mark.parametrize(("pattern", "places", "others"), FITS, ids=lambda value: str(value)[:20])
def test_a_pattern_stands_for_these_places_and_not_for_those(
    pattern: str, places: list[tuple[str | int, ...]], others: list[tuple[str | int, ...]]
) -> None:
    for steps in places:
        assert seen_from([pattern], steps).here
    for steps in others:
        assert not seen_from([pattern], steps).here


def test_the_paths_on_the_page_stand_for_what_it_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "equality.md").read_text()
    rows = re.findall(r"^\| `(/.*)` \| (`/.*`) \| (`/.*`) \|$", page, re.M)
    assert len(rows) == 6
    for pattern, places, others in rows:
        for place in places.strip("`").split("`, `"):
            assert seen_from([pattern], parse_pattern(place)).here
        for place in others.strip("`").split("`, `"):
            assert not seen_from([pattern], parse_pattern(place)).here


def test_a_place_fits_when_one_of_several_patterns_does() -> None:
    patterns = ["/0/a", "/*/b", "/1"]
    fitting = [
        steps for steps in [(0, "a"), (7, "b"), (1,), (1, "a")] if seen_from(patterns, steps).here
    ]
    assert fitting == [(0, "a"), (7, "b"), (1,)]


def test_without_patterns_no_place_fits() -> None:
    assert not seen_from([], ()).here
    assert not seen_from([], (0, "a")).here


def test_to_go_down_leaves_the_patterns_above_as_they_are() -> None:
    above = seen_from(["/0/a", ""], ())
    assert above.below(0).below("a").here
    assert above.here
    assert not above.below(0).here


def seen_from(patterns: list[str], steps: tuple[str | int, ...]) -> PathPattern:
    """The patterns as they are seen from the place at the end of these steps."""
    paths = PathPattern(map(parse_pattern, patterns))
    for step in steps:
        paths = paths.below(step)
    return paths
