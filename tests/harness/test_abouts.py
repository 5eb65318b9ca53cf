"""What the first event says of the suites: what suite.toml says, and of how many cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.about import About, Worth
from harness.records import Visibility
from harness.runs.abouts import about_suites
from harness.suites.corpus import Suite, read_suite

GRADED = """
title = "Doubling"
program = "double"
[grading]
points = 10
visibility = "after_due_date"
[[cases]]
match = "*"
tags = ["all"]
[[cases]]
match = "2-3"
points = 2.5
[[cases]]
match = "3"
points = 4
visibility = "hidden"
[[cases]]
match = "1"
visibility = "visible"
"""


@pytest.fixture(name="suite")
def _suite(tmp_path: Path) -> Callable[[str], Suite]:
    """A suite of four cases, with a suite.toml."""

    def make(settings: str) -> Suite:
        for number in range(1, 5):
            (tmp_path / f"{number}-in.json").write_text("1", encoding="utf-8")
            (tmp_path / f"{number}-out.json").write_text("2", encoding="utf-8")
        (tmp_path / "suite.toml").write_text(settings, encoding="utf-8")
        return read_suite("s", tmp_path)

    return make


def test_a_suite_that_says_nothing_has_a_name_a_folder_and_cases(
    suite: Callable[[str], Suite], tmp_path: Path
) -> None:
    assert about_suites([suite("")]) == (About("s", str(tmp_path), cases=4),)


def test_what_suite_toml_says_is_said_of_it_once(suite: Callable[[str], Suite]) -> None:
    made = suite(GRADED)
    (about,) = about_suites([made, made])
    assert about == About(
        *("s", str(made.folder), "Doubling", "double"),
        *(10.0, Visibility.AFTER_DUE_DATE),
        (
            Worth("2-3", 2.5, None, 1),
            Worth("3", 4.0, Visibility.HIDDEN, 1),
            Worth("1", None, Visibility.VISIBLE, 0),
        ),
        cases=4,
    )


def test_the_cases_of_a_visibility_alone_are_not_counted(suite: Callable[[str], Suite]) -> None:
    (about,) = about_suites([suite('[[cases]]\nmatch = "1"\nvisibility = "hidden"\n')])
    assert about.worth == (Worth("1", None, Visibility.HIDDEN, 0),)
