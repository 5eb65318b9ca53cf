"""Cases as items of pytest: which are collected, how they are called, what can select them."""

from __future__ import annotations

import pytest
from plugged import cases, plugged, suite

pytest_plugins = ["pytester"]

MIXED = """
program = "cat"
[[cases]]
match = "bad-*"
tags = ["errors", "skip", "two words"]
"""


@pytest.fixture(name="folder")
def _folder(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a test, and a suite of which one case fails against cat."""
    suite(pytester.path / "s", MIXED, _2=("2", "2"), _10=("1", "1"), bad_1=("1", "2"))
    pytester.makepyfile(test_own="def test_own():\n    pass\n")
    return pytester


def test_nothing_is_collected_when_no_suite_is_named(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--strict-config", "--strict-markers")
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_cases_are_collected_in_natural_order_behind_the_tests(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--xtest-suite", "s", "--co", "-q")
    assert cases(result) == ["test_own.py::test_own", "s::2", "s::10", "s::bad-1"]
    assert result.outlines[-1].startswith("4 tests collected")


def test_cases_run_beside_the_tests(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--xtest-suite=s", "--strict-markers")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["s ..F*"])
    assert result.ret == 1


def test_a_keyword_means_a_subject_only_where_there_are_several(folder: pytest.Pytester) -> None:
    words = ("--xtest-suite", "s", "--co", "-q", "-k", "sleep", "--xtest-subject", "sleep 0")
    assert cases(plugged(folder, *words)) == []
    several = cases(plugged(folder, *words, "--xtest-subject", "cat"))
    assert several == ["s::2[sleep]", "s::10[sleep]", "s::bad-1[sleep]"]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["-k", "bad"], ["s::bad-1"]),
        (["-m", "errors and tag_skip and two_words"], ["s::bad-1"]),
        (["s::2"], ["s::2"]),
        (["s::2", "test_own.py"], ["test_own.py::test_own", "s::2"]),
        (["--deselect", "s::2", "-m", "xtest and not errors"], ["s::10"]),
    ],
)
def test_what_selects_tests_selects_cases(
    folder: pytest.Pytester, words: list[str], ids: list[str]
) -> None:
    result = plugged(folder, "--xtest-suite", "s", "--co", "-q", "--strict-markers", *words)
    assert cases(result) == ids


def test_an_id_that_means_nothing_is_told(folder: pytest.Pytester) -> None:
    result = plugged(folder, "--xtest-suite", "s", "s::3")
    assert result.errlines == ["ERROR: not found: s::3 (no such case)", ""]
    assert result.ret == 4


def test_only_what_failed_runs_again(folder: pytest.Pytester) -> None:
    plugged(folder, "--xtest-suite", "s")
    result = plugged(folder, "--xtest-suite", "s", "--lf", "-v")
    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(["s::bad-1 FAILED*"])


def test_it_stops_at_the_first_failure(pytester: pytest.Pytester) -> None:
    suite(pytester.path / "s", 'program = "cat"', _1=("1", "1"), _2=("1", "2"), _3=("1", "1"))
    result = plugged(pytester, "--xtest-suite", "s", "-x")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])


def test_several_subjects_and_deliveries_stand_in_the_ids(pytester: pytest.Pytester) -> None:
    suite(pytester.path / "s", "", _1=("[1, 2]", "[1,2]"), _2=("1", "1"))
    words = ("--xtest-suite", "s", "--xtest-deliver", "plain,compact")
    subjects = ("--xtest-subject", "cat", "--xtest-subject", "sh -c 'tr 2 3'")
    result = plugged(pytester, *words, *subjects, "-v")
    # Without a line end, 1 has no white space that compact could leave out.
    lines = [line.split("  ")[0] for line in result.outlines if line.startswith("s::")]
    assert lines == [
        "s::1[cat] PASSED",
        "s::1[cat-compact] PASSED",
        "s::2[cat] PASSED",
        "s::1[sh] FAILED",
        "s::1[sh-compact] FAILED",
        "s::2[sh] PASSED",
    ]
    chosen = plugged(pytester, *words, *subjects, "s::1[sh-compact]", "--co", "-q")
    assert cases(chosen) == ["s::1[sh-compact]"]
    both = plugged(pytester, *words, *subjects, "s::1", "-k", "compact", "--co", "-q")
    assert cases(both) == ["s::1[cat-compact]", "s::1[sh-compact]"]


def test_a_fault_of_usage_is_pytests_status_4(pytester: pytest.Pytester) -> None:
    result = plugged(pytester, "--xtest-suite", "nowhere")
    assert result.errlines[0].startswith("ERROR: nowhere: no such folder, and no bundled suite of")
    assert result.ret == 4
