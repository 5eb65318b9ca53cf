"""The trend over runs: which outcomes changed, since when, and the text of it."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.analysis.history import History
from harness.model.events import Diagnostic, Judged, KnownFailure, RunStarted
from harness.model.verdict import Verdict
from harness.reports.terminal.display import PLAIN
from harness.reports.terminal.history import history_lines

# Letters of outcomes: k is a known failure.
OUTCOMES = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "c": Verdict.CRASHED, "k": Verdict.DIFFERS}


def judged(case: str, letter: str, content: str = "00", **others: str) -> Judged:
    """Return a run of a case of the suite s by the subject x."""
    known = KnownFailure("why") if letter == "k" else None
    event = Judged("s", case, "x", "plain", OUTCOMES[letter], "", content=content, known=known)
    return event._replace(**others)  # type: ignore[arg-type]  # names by field


def history(*runs: dict[str, str]) -> History:
    """Return a history of runs, each with the letters of its cases."""
    found = History()
    for number, run in enumerate(runs, start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), f"r{number}")
        for case, letter in run.items():
            found.add(judged(case, letter))
    return found


def test_a_change_is_dated_by_its_first_run(golden: Golden) -> None:
    def changes(runs: str) -> str:
        found = history(*({"1": run} if run != "-" else {"2": "p"} for run in runs))
        lines = [
            f"{one.before} {one.verdict} {one.since[-2:]} {one.runs} {one.changes}"
            for one in found.changes()
        ]
        return "; ".join([*lines, *["new failures"] * found.has_new_failures])

    check_table(golden, __file__, "changes.txt", changes)


def test_suites_subjects_and_deliveries_are_followed_separately() -> None:
    found = History()
    others: tuple[dict[str, str], ...] = ({"suite": "t"}, {"subject": "y"}, {"delivery": "slow"})
    for number, letter in enumerate("pd", start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), "r")
        found.add(Diagnostic("s", "not judged"))
        found.add(judged("1", "p"))
        for other in others:
            found.add(judged("1", letter, **other))
    assert [(one.suite, one.subject, one.delivery) for one in found.changes()] == [
        *(("s", "x", "slow"), ("s", "y", "plain"), ("t", "x", "plain"))
    ]
    lines = [(one.suite, one.subject, one.runs, one.passed, one.failed) for one in found.suites()]
    assert lines == [("s", "x", 2, 1, 1), ("s", "y", 2, 0, 1), ("t", "x", 2, 0, 1)]


@pytest.mark.parametrize(
    ("before", "after", "case_changed"),
    [("00", "11", True), ("11", "11", False), ("00", "", False)],
)
def test_a_change_of_the_case_itself_is_marked(before: str, after: str, case_changed: bool) -> None:
    found = History()
    for letter, content in (("p", before), ("d", after)):
        found.begin(RunStarted("0", "now", ("s",), 1, 1), "r")
        found.add(judged("1", letter, content))
    assert [one.case_changed for one in found.changes()] == [case_changed]


def test_the_text_is_what_is_recorded(golden: Golden) -> None:
    trend = history(
        {"3": "c", "7": "p", "10": "p", "11": "p", "12": "k"},
        {"3": "p", "7": "d", "10": "p", "11": "d", "12": "k"},
        {"3": "p", "7": "d", "10": "d", "11": "p", "12": "k"},
    )
    hostile = History()
    for letter, content in (("p", "00"), ("d", "11")):
        hostile.begin(RunStarted("0", "\x1b[2J" + "9" * 99, (), 1, 1), "r")
        hostile.add(judged("\r1", letter, content, suite="s" * 99, delivery="\u202eslow"))
    texts = [
        "\n".join(history_lines(each, PLAIN)) for each in (trend, history({"1": "p"}), hostile)
    ]
    golden("history.txt", "\n\n".join([*texts, ""]))


def test_memory_grows_with_the_cases_and_not_with_the_runs() -> None:
    found = history(*({"1": "pd"[number % 2], "2": "p"} for number in range(300)))
    assert len(found.changes()) == 1
    assert len(vars(found)["_states"]) == 2
