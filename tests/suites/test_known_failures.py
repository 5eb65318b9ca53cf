"""Known failures: the runs that a [[known]] table lists, and whether its prediction holds."""

from __future__ import annotations

from support.suites import parse_settings

from harness.model.case_names import CaseName
from harness.model.events import Judged, KnownFailure
from harness.model.subject import Subject
from harness.model.verdict import Verdict

SEVEN = CaseName("", 7)
PYTHON = Subject("/usr/bin/python3 mine.py", ("/usr/bin/python3", "mine.py"))


def known(
    text: str, verdict: Verdict, name: CaseName = SEVEN, delivery: str = "plain"
) -> KnownFailure | None:
    """Return the known failure of a run with this verdict."""
    event = Judged("s", name.text, PYTHON.name, delivery, verdict, "")
    return parse_settings(text).known_failure(PYTHON, name, event)


ENTRY = '[[known]]\nmatch = "1-9"\nreason = "r"\n'


def test_a_table_predicts_any_failure_of_its_cases() -> None:
    assert known(ENTRY + 'link = "l"', Verdict.DIFFERS) == KnownFailure("r", "l", True)
    assert known(ENTRY, Verdict.FLAKY) == KnownFailure("r", "", True)
    assert known(ENTRY, Verdict.PASSED) == KnownFailure("r", "", False)
    assert known(ENTRY, Verdict.DIFFERS, name=CaseName("", 10)) is None
    assert known("", Verdict.DIFFERS) is None


def test_a_run_without_the_subject_is_never_known() -> None:
    for verdict in (Verdict.NOT_STARTED, Verdict.INVALID_CASE, Verdict.HARNESS_FAULT):
        assert known(ENTRY, verdict) is None


def test_verdicts_and_deliveries_narrow_the_prediction() -> None:
    only = ENTRY + 'verdicts = ["crashed", "differs"]'
    assert known(only, Verdict.DIFFERS) == KnownFailure("r", "", True)
    assert known(only, Verdict.SILENT) == KnownFailure("r", "", False)
    only = ENTRY + 'deliveries = ["cut", "slow"]'
    assert known(only, Verdict.SILENT, delivery="cut") == KnownFailure("r", "", True)
    assert known(only, Verdict.PASSED) is None


def test_a_subject_matches_by_name_file_or_command_line() -> None:
    def matches(pattern: str) -> bool:
        return known(f'{ENTRY}subject = "{pattern}"', Verdict.DIFFERS) is not None

    names = ("python3", "/usr/bin/python3", "/usr/bin/*", "*python3 mine.py", "*mine.py", "*")
    assert all(map(matches, names))
    assert not any(map(matches, ("python", "mine.py", "Python3")))


def test_a_case_may_say_why_it_fails() -> None:
    cases = '[[cases]]\nmatch = ["7", "x-*"]\nknown = "c"\n'
    assert known(cases, Verdict.DIFFERS) == KnownFailure("c", "", True)
    assert known(cases, Verdict.PASSED) == KnownFailure("c", "", False)
    assert known(cases, Verdict.DIFFERS, name=CaseName("", 8)) is None
    linked = '[[cases]]\nmatch = "7"\nknown = { reason = "d", link = "l" }\n'
    assert known(cases + linked, Verdict.DIFFERS) == KnownFailure("d", "l", True)
    assert known(cases + ENTRY, Verdict.DIFFERS) == KnownFailure("r", "", True)


def test_the_first_table_that_predicts_the_verdict_is_taken_or_else_the_first() -> None:
    both = (
        '[[known]]\nmatch = "1-9"\nreason = "a"\nverdicts = ["crashed"]\n'
        '[[known]]\nmatch = "7"\nreason = "b"\nverdicts = ["differs"]\n'
    )
    assert known(both, Verdict.DIFFERS) == KnownFailure("b", "", True)
    assert known(both, Verdict.CRASHED) == KnownFailure("a", "", True)
    assert known(both, Verdict.SILENT) == KnownFailure("a", "", False)
    assert known(both, Verdict.PASSED) == KnownFailure("a", "", False)
