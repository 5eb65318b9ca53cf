"""The names of cases in pytest."""

from __future__ import annotations

from support.golden import Golden

from harness.delivery.registry import Delivery
from harness.pytest_plugin.items import item_name, marker_of, suite_id
from harness.pytest_plugin.selection import subject_names


def test_the_id_of_a_suite_is_its_name_without_the_separator_of_ids() -> None:
    assert suite_id("cases/easy") == "cases/easy"
    assert suite_id("a::()") == "a:()"
    assert suite_id("a\nb") == "a\\nb"


def test_an_item_is_named_by_case_subject_and_delivery() -> None:
    assert item_name("bad-7", "", Delivery.PLAIN) == "bad-7"
    assert item_name("bad-7", "", Delivery.SLOW) == "bad-7[slow]"
    assert item_name("bad-7", "js", Delivery.BYTE_BY_BYTE) == "bad-7[js-byte-by-byte]"


def test_a_tag_becomes_a_marker_without_a_meaning_in_pytest(golden: Golden) -> None:
    golden.table("markers.txt", marker_of)


def test_commands_are_named_by_their_programs_if_these_differ() -> None:
    commands = [("python3", "a.py"), ("python3", "b c.py"), ("./prog", "-v"), ("js",)]
    names = ["python3 a.py", "python3 'b c.py'", "./prog", "js"]
    assert subject_names(commands, ()) == names
    assert subject_names([("js",), ("js", "-v")], ("js",)) == ["js", "js -v"]
    assert subject_names([("js", "-v")], ("js",)) == ["js -v"]
