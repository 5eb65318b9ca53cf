"""The matrix: counts from events in any order, in bounded memory."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.matrix import Matrix, MatrixRow, PassedBy, PassedTests, Score
from harness.model.events import Event, RunFingerprint, RunResult, RunStarted
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict

PASSED, DIFFERS, INVALID = Verdict.PASSED, Verdict.DIFFERS, Verdict.INVALID_CASE


def judged(suite: str, case: str, subject: str, verdict: Verdict, way: str = "plain") -> RunResult:
    return RunResult(suite, case, subject, way, verdict, "")


def matrix_of(*events: Event, order: tuple[str, ...] = ()) -> Matrix:
    matrix = Matrix(order)
    for event in events:
        matrix.add(event)
    return matrix


# js passes 2 of 3, c 1 of 2, py its only valid case.
EVENTS = (
    judged("s", "10", "js", PASSED),
    judged("s", "2", "js", DIFFERS),
    judged("s", "2", "c", DIFFERS),
    judged("s", "10", "c", PASSED),
    judged("t", "1", "js", PASSED),
    judged("t", "1", "py", PASSED),
    judged("t", "2", "py", INVALID),
)


def test_scores_leave_out_broken_cases() -> None:
    matrix = matrix_of(*EVENTS)
    assert (matrix.score("js"), matrix.score("js", "s")) == (Score(2, 3), Score(1, 2))
    assert (matrix.score("c", "t"), matrix.score("py")) == (Score(), Score(1, 1, broken=1))
    assert matrix.verdicts("js") == {PASSED: 2, DIFFERS: 1}
    assert matrix.cases == 4


def start_of(subject: str, digest: str, suites: dict[str, int]) -> RunStarted:
    """Return the start of a run of suites with these numbers of cases, and this digest."""
    infos = (SuiteInfo(name, name, cases=cases, digest=digest) for name, cases in suites.items())
    keys = tuple(RunFingerprint(name, subject, "") for name in suites)
    return RunStarted("0", "", tuple(suites), 1, 1, keys, suite_infos=tuple(infos))


def test_cases_that_were_not_run_are_left_out_where_the_size_of_a_suite_is_known() -> None:
    not_run = judged("s", "11", "js", Verdict.NOT_RUN)
    matrix = matrix_of(start_of("js", "", {"s": 10, "u": 5}), *EVENTS, not_run)
    assert (matrix.left_out("js"), matrix.left_out("js", "t"), matrix.left_out("py")) == (8, 0, 0)
    assert matrix.all_left_out == 16
    withheld = start_of("js", "", {"s": 10})._replace(withheld=True)
    assert matrix_of(withheld, *EVENTS).all_left_out == 0


def test_subjects_on_different_versions_of_a_suite_do_not_compare() -> None:
    old, new = start_of("js", "1", {"s": 2, "t": 2}), start_of("c", "2", {"s": 2})
    assert matrix_of(old, new, *EVENTS).mixed_suites == ("s",)
    again = start_of("js", "2", {"s": 2})
    assert not matrix_of(old, new, again, *EVENTS).mixed_suites


def test_tests_are_those_of_the_worst_run_of_each_case() -> None:
    runs = [
        judged("s", "1", "js", PASSED)._replace(tests=5, tests_passed=5),
        judged("s", "1", "js", DIFFERS, "cut")._replace(tests=5, tests_passed=3),
        judged("s", "2", "js", DIFFERS)._replace(tests=4),
        judged("s", "3", "js", INVALID),
        judged("t", "1", "js", PASSED),
        judged("s", "1", "py", PASSED)._replace(tests=5, tests_passed=5),
    ]
    for events in (runs, runs[::-1]):
        matrix = matrix_of(*events, order=("js", "py"))
        assert matrix.subjects == ("py", "js")
        assert matrix.tests("js") == PassedTests(4, 10)
        assert matrix.tests("js", "t") == PassedTests(1, 1)


def test_rows_come_in_natural_order_with_each_verdict() -> None:
    assert list(matrix_of(*EVENTS).rows()) == [
        MatrixRow("s", "2", (DIFFERS, DIFFERS, None)),
        MatrixRow("s", "10", (PASSED, PASSED, None)),
        MatrixRow("t", "1", (None, PASSED, PASSED)),
        MatrixRow("t", "2", (None, None, INVALID)),
    ]


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not PASSED])
def test_a_case_passes_if_all_its_runs_do(verdict: Verdict) -> None:
    both = (judged("s", "1", "a", PASSED), judged("s", "1", "a", verdict, "slow"))
    for events in (both, both[::-1]):
        assert matrix_of(*events).verdicts("a") == {verdict: 1}


NAMES = map(st.sampled_from, ("st", ["1", "2", "9", "10"], "abc"))
RUNS = st.builds(judged, *NAMES, st.just(PASSED) | st.sampled_from(Verdict))


@given(st.lists(RUNS, max_size=30), st.data())
def test_totals_are_those_of_the_rows_in_any_order_of_events(
    events: list[RunResult], data: st.DataObject
) -> None:
    one, other = matrix_of(*events), matrix_of(*data.draw(st.permutations(events)))
    rows = list(one.rows())
    assert rows == list(other.rows())
    assert list(one.same_outcomes()) == list(other.same_outcomes())
    valid = [[each for each in row.verdicts if each and each.concerns_subject] for row in rows]
    passes = [(row.count(PASSED), len(row)) for row in valid if row]
    assert one.passed_by() == PassedBy(
        sum(passed == ran for passed, ran in passes),
        sum(0 < passed < ran for passed, ran in passes),
        sum(passed == 0 for passed, _ in passes),
    )
    for pair in one.same_outcomes():
        left, right = one.subjects.index(pair.one), one.subjects.index(pair.other)
        both = [(row.verdicts[left], row.verdicts[right]) for row in rows]
        both = [two for two in both if all(one and one.concerns_subject for one in two)]
        agree = sum((mine is PASSED) == (theirs is PASSED) for mine, theirs in both)
        assert (pair.agree, pair.cases) == (agree, len(both))


def test_memory_is_a_name_per_case_and_a_byte_per_verdict() -> None:
    matrix = Matrix()
    tracemalloc.start()
    for number in range(2_000):
        for subject in ("a", "b", "c", "d", "e"):
            matrix.add(judged("s", str(number), subject, PASSED if number % 3 else DIFFERS))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 300 * 2_000  # with events it would be 10 MB
    assert matrix.score("e") == Score(1_333, 2_000)
