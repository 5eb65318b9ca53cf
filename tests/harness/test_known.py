"""Known failures: whom an entry of suite.toml means, and whether it still holds."""

from __future__ import annotations

import pytest

from harness.events import Judged, Known
from harness.judging.known import known_of
from harness.records import Subject, Verdict
from harness.suites.naming import CaseName
from harness.suites.policy import SuiteSettings, parse_suite_toml

SEVEN = CaseName("", 7)
PYTHON = Subject("/usr/bin/python3", ("/usr/bin/python3", "mine.py"))


def listed(text: str) -> SuiteSettings:
    """The settings of entries; each has the match 1-9 unless it says otherwise."""
    return parse_suite_toml(text.encode(), "suite.toml")


def known(
    text: str,
    verdict: Verdict,
    *,
    subject: Subject = PYTHON,
    name: CaseName = SEVEN,
    delivery: str = "plain",
) -> Known | None:
    """What is known of a run of this verdict."""
    event = Judged("s", name.text, subject.name, delivery, verdict, "")
    return known_of(listed(text), subject, name, event)


ENTRY = '[[known]]\nmatch = "1-9"\nreason = "r"\n'


def test_an_entry_holds_for_whatever_falls_short_and_not_for_what_passes() -> None:
    assert known(ENTRY + 'link = "l"', Verdict.DIFFERS) == Known("r", "l", True)
    assert known(ENTRY, Verdict.FLAKY) == Known("r", "", True)
    assert known(ENTRY, Verdict.PASSED) == Known("r", "", False)
    assert known(ENTRY, Verdict.DIFFERS, name=CaseName("", 10)) is None
    assert known("", Verdict.DIFFERS) is None


@pytest.mark.parametrize(
    "verdict", [Verdict.NOT_STARTED, Verdict.INVALID_CASE, Verdict.HARNESS_FAULT]
)
def test_what_the_subject_did_not_do_is_never_known(verdict: Verdict) -> None:
    assert known(ENTRY, verdict) is None


def test_of_another_verdict_the_entry_does_not_hold() -> None:
    only = ENTRY + 'verdicts = ["crashed", "differs"]'
    assert known(only, Verdict.DIFFERS) == Known("r", "", True)
    assert known(only, Verdict.SILENT) == Known("r", "", False)


def test_of_other_deliveries_it_says_nothing() -> None:
    only = ENTRY + 'deliveries = ["cut", "slow"]'
    assert known(only, Verdict.SILENT, delivery="cut") == Known("r", "", True)
    assert known(only, Verdict.PASSED) is None


@pytest.mark.parametrize(
    ("pattern", "is_meant"),
    [
        ("python3", True),
        ("/usr/bin/python3", True),
        ("/usr/bin/*", True),
        ("*python3 mine.py", True),
        ("*mine.py", True),
        ("*", True),
        ("python", False),
        ("mine.py", False),
        ("Python3", False),
    ],
)
def test_a_subject_is_meant_by_its_name_its_file_or_its_whole_command(
    pattern: str, is_meant: bool
) -> None:
    found = known(f'{ENTRY}subject = "{pattern}"', Verdict.DIFFERS)
    assert (found is not None) == is_meant


def test_of_several_entries_the_one_that_holds_is_taken_and_otherwise_the_first() -> None:
    both = (
        '[[known]]\nmatch = "1-9"\nreason = "a"\nverdicts = ["crashed"]\n'
        '[[known]]\nmatch = "7"\nreason = "b"\nverdicts = ["differs"]\n'
    )
    assert known(both, Verdict.DIFFERS) == Known("b", "", True)
    assert known(both, Verdict.CRASHED) == Known("a", "", True)
    assert known(both, Verdict.SILENT) == Known("a", "", False)
    assert known(both, Verdict.PASSED) == Known("a", "", False)
