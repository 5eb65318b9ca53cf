"""How cases are called in pytest."""

from __future__ import annotations

import pytest

from harness.pytesting.naming import fits, item_name, marker_of, subject_names, suite_id
from harness.runs.deliveries import Delivery


def test_a_suite_is_called_as_xtest_calls_it_but_for_what_separates_ids() -> None:
    assert suite_id("cases/easy") == "cases/easy"
    assert suite_id("a::()") == "a:()"
    assert suite_id("a\nb") == "a\\nb"


@pytest.mark.parametrize(
    ("subject", "delivery", "name"),
    [
        ("", Delivery.PLAIN, "bad-7"),
        ("", Delivery.SLOW, "bad-7[slow]"),
        ("js", Delivery.PLAIN, "bad-7[js]"),
        ("js", Delivery.BYTE_BY_BYTE, "bad-7[js-byte-by-byte]"),
    ],
)
def test_a_name_has_what_tells_the_item_apart(subject: str, delivery: Delivery, name: str) -> None:
    assert item_name("bad-7", subject, delivery) == name


@pytest.mark.parametrize(
    ("tag", "marker"),
    [
        ("errors", "errors"),
        ("rule-7.2", "rule-7.2"),
        ("two words: (a|b)", "two_words___a_b_"),
        ("größe", "größe"),
        ("skip", "tag_skip"),
        ("not", "tag_not"),
        ("_own", "tag__own"),
    ],
)
def test_a_tag_is_a_marker_that_pytest_takes_for_nothing_else(tag: str, marker: str) -> None:
    assert marker_of(tag) == marker


def test_an_id_means_itself_its_suite_or_its_case_in_any_way_and_no_longer_name() -> None:
    assert fits("s::7", "s::7")
    assert fits("s::7", "s::7[slow]")
    assert fits("s", "s::7")
    assert not fits("s::7", "s::77")
    assert not fits("s::7[slow]", "s::7")


def test_commands_are_told_apart_by_their_programs_where_these_differ() -> None:
    commands = [("python3", "a.py"), ("python3", "b c.py"), ("./prog", "-v"), ("js",)]
    names = ["python3 a.py", "python3 'b c.py'", "./prog", "js"]
    assert subject_names(commands, ()) == names
    assert subject_names([("js",), ("js", "-v")], ("js",)) == ["js", "js -v"]
    assert subject_names([("js", "-v")], ("js",)) == ["js -v"]
