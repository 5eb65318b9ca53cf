"""The trend over runs: which outcomes changed, since when, and the text of it."""

from __future__ import annotations

import pytest
from support.events import history_of, run, runs_of_letters
from support.golden import Golden

from harness.analysis.history import History
from harness.model.events import Diagnostic, KnownFailure, RunResult, RunStarted
from harness.model.verdict import Verdict
from harness.reports.terminal.history import history_lines
from harness.reports.text.display import PLAIN


def test_a_change_is_dated_by_its_first_run(golden: Golden) -> None:
    def changes(runs: str) -> str:
        found = history_of(runs_of_letters({"1": runs}))
        lines = [
            f"{one.latest.before} {one.verdict.value} {one.since[-2:]} {one.runs} {one.changes}"
            for one in found.changes()
        ]
        return "; ".join([*lines, *["new failures"] * found.has_new_failures])

    golden.table("changes.txt", changes)


def test_a_known_failure_that_fails_otherwise_than_listed_began_to_fail() -> None:
    known = run("1", Verdict.DIFFERS)._replace(known=KnownFailure("r"))
    other = known._replace(known=KnownFailure("r", holds=False, mismatch="/0/1 failed, too"))
    found = history_of([[known], [other]])
    assert (found.runs[-1].began_to_fail, found.has_new_failures) == (1, True)


def test_equal_changes_are_told_once() -> None:
    letters = dict.fromkeys(map(str, range(1, 31)), "pd")
    shown = "\n".join(
        history_lines(history_of(runs_of_letters({**letters, "31": "pc"})), PLAIN, width=60)
    )
    assert shown.count("differs since") == shown.count("crashed since") == 1
    assert "and 29 more like it: s/2, s/3, s/4" in shown
    # Fewer than four changes have their names in front.
    few = "\n".join(history_lines(history_of(runs_of_letters(dict.fromkeys("123", "pd"))), PLAIN))
    assert few.count("differs since") == 3 and "more like it" not in few


def test_moments_are_written_as_in_reports_and_without_a_year_on_a_narrow_terminal() -> None:
    history = History()
    for day in (1, 2):
        history.begin(RunStarted("0", f"2026-01-0{day}T12:34:56Z", ("s",), 1, 1), f"r{day}")
        history.add(run("1", Verdict.PASSED if day == 1 else Verdict.DIFFERS))
    shown = "\n".join(history_lines(history, PLAIN))
    assert "\n2026-01-02 12:34:56 UTC " in shown
    assert "differs since 2026-01-02 12:34:56 UTC (1 run)" in shown
    assert "\n01-02 12:34:56 " in "\n".join(history_lines(history, PLAIN, width=60))


def test_long_names_that_differ_at_their_ends_can_be_told_apart() -> None:
    names = [f"{'order-' * 15}{number}" for number in (1, 2)]
    shown = "\n".join(history_lines(history_of(runs_of_letters(dict.fromkeys(names, "pd"))), PLAIN))
    assert all(f"s/{name}  " in shown for name in names)


def test_tests_that_begin_to_fail_in_a_failing_case_are_a_change() -> None:
    def ran(*failed_tests: str, content: str = "00") -> RunResult:
        return run("1", Verdict.DIFFERS)._replace(failed_tests=failed_tests, content=content)

    found = history_of([[ran("/0/1")], [ran("/0/1", "/0/2", "/0/3")]])
    (change,) = found.changes()
    assert (change.latest.more_failed_tests, found.has_new_failures) == (2, True)
    shown = "\n".join(history_lines(found, PLAIN))
    assert "differs since 2026-01-02 (1 run), differs before; 2 more tests failed" in shown
    # Fewer tests, the same ones, and those of a case that changed are none.
    for later in (ran("/0/1"), ran(), ran("/0/1", "/0/2", content="11")):
        assert history_of([[ran("/0/1")], [later]]).changes() == []


def test_a_case_that_became_a_known_failure_has_not_begun_to_pass() -> None:
    found = history_of(runs_of_letters({"1": "ck"}))
    (line,) = found.suites()
    assert (found.runs[-1].began_to_pass, line.passed, line.known, line.failed) == (0, 0, 1, 0)


def test_suites_subjects_and_deliveries_are_followed_separately() -> None:
    ways: tuple[dict[str, str], ...] = ({"suite": "t"}, {"subject": "y"}, {"delivery": "slow"})
    problem = Diagnostic("s", "not judged")
    found = history_of(
        (problem, run("1"), *(run("1", verdict, **way) for way in ways))
        for verdict in (Verdict.PASSED, Verdict.DIFFERS)
    )
    changes = [f"{one.key.suite} {one.key.subject} {one.key.delivery}" for one in found.changes()]
    assert changes == ["s x slow", "s y plain", "t x plain"]
    lines = [(one.suite, one.subject, one.runs, one.passed, one.failed) for one in found.suites()]
    assert lines == [("s", "x", 2, 1, 1), ("s", "y", 2, 0, 1), ("t", "x", 2, 0, 1)]


@pytest.mark.parametrize(
    ("before", "after", "case_changed"),
    [("00", "11", True), ("11", "11", False), ("00", "", False)],
)
def test_a_change_of_the_case_itself_is_marked(before: str, after: str, case_changed: bool) -> None:
    runs = run("1", content=before), run("1", Verdict.DIFFERS, content=after)
    (change,) = history_of([each] for each in runs).changes()
    assert change.latest.case_changed is case_changed


def test_a_renamed_case_keeps_its_history() -> None:
    def ran(**verdicts: str) -> list[RunResult]:
        """Cases with their verdicts, each as the content that stands before it."""
        return [
            run(case[1:], Verdict(verdict), content=case[0]) for case, verdict in verdicts.items()
        ]

    first = ran(a1="passed", b2="differs", c3="passed", d4="differs")
    # Another case was inserted before the second one, and the last one was removed.
    found = history_of([first, ran(a1="passed", x2="differs", b3="differs", c4="passed")])
    assert found.changes() == []
    assert [(case.key.case, len(case.marks.strip(b"\0"))) for case in found.cases()] == [
        *(("1", 2), ("2", 1), ("3", 2), ("4", 2))
    ]
    found = history_of([first, ran(a1="passed", x2="passed", b3="passed", c4="differs")])
    assert [(change.key.case, change.latest.before) for change in found.changes()] == [
        *(("4", "passed"), ("3", "differs"))
    ]
    assert (found.runs[-1].began_to_fail, found.runs[-1].began_to_pass) == (1, 1)
    # A copy of a case that is still there is a new case.
    (case, copy) = history_of([ran(a2="passed"), ran(a1="differs", a2="passed")]).cases()
    assert (case.changes, copy.changes, len(copy.marks)) == (0, 0, 2)


def test_the_text_is_what_is_recorded(golden: Golden) -> None:
    letters = {"3": "cpp", "7": "pdd", "10": "ppd", "11": "pdp", "12": "kkk"}
    hostile = History()
    for verdict, content in ((Verdict.PASSED, "00"), (Verdict.DIFFERS, "11")):
        hostile.begin(RunStarted("0", "\x1b[2J" + "9" * 99, (), 1, 1), "r")
        names = {"suite": "s" * 99, "delivery": "\u202eslow"}
        hostile.add(run("\r1", verdict, content=content, **names))
    ordinary = (history_of(runs_of_letters(each)) for each in (letters, {"1": "p"}))
    texts = ["\n".join(history_lines(each, PLAIN)) for each in (*ordinary, hostile)]
    golden("history.txt", "\n\n".join([*texts, ""]))
