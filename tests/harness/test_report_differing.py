"""All differences of a run, in as many lines as there is room for."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.events import Bytes, Evidence, ShownDifference
from harness.jsonfast import decode
from harness.jsontext import encode
from harness.judging.aligned import aligned_differences
from harness.records import MISSING, Comparison
from harness.report.differing import Screen, difference_lines
from harness.report.emphasis import cells
from harness.report.text import PLAIN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "differences.md"


def evidence_of(expected: str, actual: str, listed: int = 200) -> Evidence:
    """What an event carries of two streams that differ."""
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    found = [
        ShownDifference(
            one.pointer,
            None if one.expected is MISSING else encode(one.expected),
            None if one.actual is MISSING else encode(one.actual),
            one.actual_pointer,
        )
        for one in aligned_differences(left, right, Comparison())
    ]
    nothing, wanted, printed = (
        Bytes(text.encode(), len(text.encode())) for text in ("", expected, actual)
    )
    return Evidence(nothing, wanted, printed, nothing, tuple(found[:listed]), len(found))


def shown(evidence: Evidence, screen: Screen) -> str:
    """The lines on a screen."""
    return "\n".join(line.rstrip() for line in difference_lines(evidence, PLAIN, screen))


EVIDENCE = evidence_of('{"a": [1, 2, 3, 4, 5], "b": true}', '{"a": [1, 3, 4, 9], "b": true}')


def test_side_by_side_where_there_is_room() -> None:
    assert shown(EVIDENCE, Screen(100, None, True)) == (
        "expected               printed\n"
        "{                      {\n"
        '  "a": [                 "a": [\n'
        "    1                      1\n"
        "    2                <                       /0/a/1\n"
        "    3                      3\n"
        "    4                      4\n"
        "    5                |     9                 /0/a/4→3\n"
        "  ]                      ]\n"
        '  "b": true              "b": true\n'
        "}                      }"
    )


@pytest.mark.parametrize("screen", [Screen(100, None, False), Screen(60, None, True)])
def test_one_below_the_other_elsewhere(screen: Screen) -> None:
    assert shown(EVIDENCE, screen) == (
        "- expected, + printed\n"
        "  {\n"
        '    "a": [\n'
        "      1\n"
        "-     2  at /0/a/1\n"
        "      3\n"
        "      4\n"
        "-     5  at /0/a/4\n"
        "+     9  at /0/a/3\n"
        "    ]\n"
        '    "b": true\n'
        "  }"
    )


def test_a_screenful_ends_before_what_does_not_fit_and_counts_it() -> None:
    assert shown(EVIDENCE, Screen(60, 7, False)) == (
        "- expected, + printed\n"
        "  {\n"
        '    "a": [\n'
        "      1\n"
        "-     2  at /0/a/1\n"
        "      3\n"
        "      4\n"
        "(and 1 more; --full shows all)"
    )


def test_what_comes_before_the_first_difference_takes_half_a_screen_at_the_most() -> None:
    deep = evidence_of("[" * 50 + "1" + "]" * 50, "[" * 50 + "2" + "]" * 50)
    assert shown(deep, Screen(120, 6, False)) == "\n".join(
        [
            "- expected, + printed",
            " " * 62 + "…",
            *[" " * 62 + "["] * 3,
            f"-{' ' * 61}1  at …{'/0' * 14}",
            f"+{' ' * 61}2",
        ]
    )


def test_those_that_are_not_carried_are_counted() -> None:
    many = evidence_of(json.dumps([0] * 1_000), json.dumps([1] * 1_000), 3)
    assert shown(many, Screen(60, None, False)).splitlines()[-3:] == [
        "-   0  at /0/2",
        "+   1",
        "(and 997 more)",
    ]
    assert (
        shown(many, Screen(60, 4, False)).splitlines()[-1]
        == "(and 999 more; --full shows the first 3)"
    )


@pytest.mark.parametrize("beside", [False, True])
def test_the_documentation_shows_real_screens(beside: bool) -> None:
    evidence = evidence_of('{"a": [0,1,2,3,5,6,7,8]}', '{"a": [0,1,2,4,5,7,8,"new"]}')
    block = indent(shown(evidence, Screen(100, None, beside)), "    ")
    assert f"\n\n{block}\n\n" in PAGE.read_text(encoding="utf-8")


_VALUES = st.recursive(
    st.one_of(st.none(), st.integers(-9, 9), st.text(max_size=30)),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


@given(_VALUES, _VALUES, st.integers(30, 170), st.booleans(), st.integers(5, 30))
@settings(deadline=None, max_examples=150)
def test_whatever_differs_lines_are_printable_bounded_and_no_wider_than_the_screen(
    expected: object, actual: object, width: int, beside: bool, most: int
) -> None:
    """In cells of a terminal: of some characters one takes two, and marks above others none."""
    left, right = json.dumps(expected), json.dumps(actual)
    if decode(left.encode()).fault is not None or decode(right.encode()).fault is not None:
        return  # a lone surrogate
    evidence = evidence_of(left, right)
    lines = list(difference_lines(evidence, PLAIN, Screen(width, most, beside)))
    assert all(line.isprintable() for line in lines)
    assert max(map(cells, lines)) <= max(width, 38)
    assert len(lines) <= most + 2
