"""Places, their pointers, and the patterns that stand for them."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from support.golden import Golden

from harness.jsonio.fast import decode
from harness.jsonio.pointers import (
    PathError,
    PatternSet,
    describe_place,
    has_place,
    parse_path,
    parse_pattern,
    path_like,
    path_matches,
    pointer,
    value_at,
)


def test_a_pattern_is_read_as_a_json_pointer(golden: Golden) -> None:
    golden.table("patterns.txt", lambda pattern: str(parse_pattern(pattern)))


@pytest.mark.parametrize("pattern", ["0/winners", "#/0", "/a~", "/~2/b", "/~~0", "/~/1"])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    start = "in a path, write" if pattern.startswith("/") else 'a path must begin with "/"'
    with pytest.raises(PathError, match=f"^{start}.*, not '{pattern}'$"):
        parse_pattern(pattern)


def test_a_place_is_spelled_as_a_json_pointer(golden: Golden) -> None:
    golden.table("pointers.txt", pointer)


def test_a_pattern_matches_these_places(golden: Golden) -> None:
    """Of the places with up to three of these steps; tests/property has the law."""
    steps: tuple[str | int, ...] = ("a", 0)
    places = [place for length in range(4) for place in product(steps, repeat=length)]

    def matched(pattern: str) -> str:
        found = [place for place in places if seen_from([pattern], place).matches_here]
        return " ".join("".join(f"/{step}" for step in place) or "(top)" for place in found)

    golden.table("matched_places.txt", matched)
    assert (
        seen_from(["/a~1b"], ("a/b",)).matches_here
        and not seen_from(["/a~1b"], ("a", "b")).matches_here
    )
    assert seen_from(["/0"], ("0",)).matches_here and not seen_from(["/0"], ("00",)).matches_here
    assert seen_from(["/"], ("",)).matches_here and not seen_from(["/"], ()).matches_here


def test_the_paths_on_the_page_stand_for_what_it_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "equality.md").read_text()
    rows = re.findall(r"^\| `(/.*)` \| (`/.*`) \| (`/.*`) \|$", page, re.M)
    assert len(rows) == 7
    for pattern, places, others in rows:
        for place in places.strip("`").split("`, `"):
            assert path_matches(pattern, place)
        for place in others.strip("`").split("`, `"):
            assert not path_matches(pattern, place)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("/user/name", ("*", "user", "name")),
        ("/", ("*", "")),
        ("/00/a", ("*", "00", "a")),
        ("/0/a", ("0", "a")),
        ("/*/a", ("*", "a")),
        ("/**", ("**",)),
        ("", ()),
    ],
)
def test_a_path_that_begins_with_a_key_leads_into_every_value(
    path: str, steps: tuple[str, ...]
) -> None:
    assert parse_path(path) == steps


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/0/orders/3/lines", "/orders/*/lines"),
        ("/0/a~1b", "/a~1b"),
        ("/2", "/*"),
        ("/0/4/lines", "/*/*/lines"),
        ("/0/*/lines", "/*/*/lines"),
        ("", ""),
    ],
)
def test_a_rule_for_places_like_one_matches_it(place: str, path: str) -> None:
    assert path_like(parse_pattern(place)) == path
    assert path_matches(path, place)


def test_a_message_numbers_a_value_only_among_several() -> None:
    places = ("/0/a/1", "/1/a~1b", "/1", "/0", "", "/*/a")
    alone = ("/0/a/1", "/0", "", "/*/a")
    assert [describe_place(place, alone=True) for place in alone] == ["/a/1", "", "", "/a"]
    assert [describe_place(place, alone=False) for place in places] == [
        *("value 1: /a/1", "value 2: /a~1b", "value 2", "value 1", "", "/*/a")
    ]


def test_going_down_does_not_change_the_patterns_above() -> None:
    above = seen_from(["/0/a", ""], ())
    assert above.below(0).below("a").matches_here
    assert above.matches_here
    assert not above.below(0).matches_here


@pytest.mark.parametrize(
    ("path", "is_there"),
    [
        *(("", True), ("/0/a", True), ("/*/a/1", True), ("/**/c", True), ("/**", True)),
        *(("/1", False), ("/0/b/**/c", False), ("/*/*/*/*/*", False)),
    ],
)
def test_a_path_has_a_place_or_not(path: str, is_there: bool) -> None:
    values = decode(b'{"a": [1, {"c": null}], "b": 2}').values
    assert has_place(values, PatternSet([parse_pattern(path)])) is is_there


def seen_from(patterns: list[str], steps: tuple[str | int, ...]) -> PatternSet:
    """The patterns as they are seen from the place at the end of these steps."""
    paths = PatternSet(map(parse_pattern, patterns))
    for step in steps:
        paths = paths.below(step)
    return paths


@pytest.mark.parametrize("step", ["00", "-1", "٠", "1", "9" * 5_000])
def test_only_an_index_within_an_array_leads_to_an_element(step: str) -> None:
    assert value_at(["first"], ("0",)) == "first"
    assert value_at(["first"], (step,)) is None
