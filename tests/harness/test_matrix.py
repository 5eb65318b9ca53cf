"""The matrix: what is counted from events, in whatever order they come, and how little is kept."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.events import Judged
from harness.records import Verdict
from harness.several.matrix import Agreement, Matrix, Row, Score, Shares

PASSED, DIFFERS, INVALID = Verdict.PASSED, Verdict.DIFFERS, Verdict.INVALID_CASE


def judged(suite: str, case: str, subject: str, verdict: Verdict, way: str = "plain") -> Judged:
    """An event that judges."""
    return Judged(suite, case, subject, way, verdict, "")


def matrix_of(*events: Judged, order: tuple[str, ...] = ()) -> Matrix:
    """A matrix of these."""
    matrix = Matrix(order)
    for event in events:
        matrix.add(event)
    return matrix


# js passes 2 of 3, c 1 of 2 (and one broken case), py all of the one suite that it serves.
EVENTS = (
    judged("s", "10", "js", PASSED),
    judged("s", "2", "js", DIFFERS),
    judged("s", "2", "c", DIFFERS),
    judged("s", "10", "c", PASSED),
    judged("t", "1", "js", PASSED),
    judged("t", "1", "py", PASSED),
    judged("t", "2", "py", INVALID),
)


def test_scores_are_counted_by_subject_and_suite_and_broken_cases_are_left_out() -> None:
    matrix = matrix_of(*EVENTS)
    assert matrix.score("js") == Score(2, 3)
    assert matrix.score("js", "s") == Score(1, 2)
    assert matrix.score("c", "t") == Score()
    assert matrix.score("py") == Score(1, 1, broken=1)
    assert matrix.verdicts("js") == {PASSED: 2, DIFFERS: 1}
    assert matrix.cases == 4


def test_subjects_stand_in_the_order_that_is_given_and_then_in_natural_order() -> None:
    assert matrix_of(*EVENTS).subjects == ("c", "js", "py")
    assert matrix_of(*EVENTS, order=("py", "perl", "c")).subjects == ("py", "c", "js")
    assert matrix_of(*EVENTS).suites == ("s", "t")


def test_two_subjects_agree_where_both_pass_or_neither_does() -> None:
    assert list(matrix_of(*EVENTS).agreements()) == [
        Agreement("c", "js", 2, 2),
        Agreement("c", "py", 0, 0),
        Agreement("js", "py", 1, 1),
    ]
    more = matrix_of(*EVENTS, judged("t", "1", "c", DIFFERS))
    assert list(more.agreements())[0] == Agreement("c", "js", 2, 3)


def test_cases_are_shared_out_by_how_many_pass_them() -> None:
    assert matrix_of(*EVENTS).shares() == Shares(all=2, some=0, none=1)
    assert matrix_of(*EVENTS, judged("t", "1", "c", DIFFERS)).shares() == Shares(1, 1, 1)
    assert Matrix().shares() == Shares(0, 0, 0)


def test_the_cases_come_in_natural_order_with_the_verdict_of_each_subject() -> None:
    assert list(matrix_of(*EVENTS).rows()) == [
        Row("s", "2", (DIFFERS, DIFFERS, None)),
        Row("s", "10", (PASSED, PASSED, None)),
        Row("t", "1", (None, PASSED, PASSED)),
        Row("t", "2", (None, None, INVALID)),
    ]


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not PASSED])
def test_a_case_is_passed_if_all_its_runs_are(verdict: Verdict) -> None:
    both = (judged("s", "1", "a", PASSED), judged("s", "1", "a", verdict, "slow"))
    for events in (both, both[::-1]):
        assert matrix_of(*events).verdicts("a") == {verdict: 1}


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            judged,
            st.sampled_from("st"),
            st.sampled_from(["1", "2", "9", "10"]),
            st.sampled_from("abc"),
            st.sampled_from(Verdict),
        ),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_events_makes_no_difference(
    events: list[Judged], chance: random.Random
) -> None:
    """Runs end in any order: the matrix is the same, and its sums are those of its rows."""
    shuffled = list(events)
    chance.shuffle(shuffled)
    one, other = matrix_of(*events), matrix_of(*shuffled)
    rows = list(one.rows())
    assert rows == list(other.rows())
    assert list(one.agreements()) == list(other.agreements())
    valid = [
        [
            verdict
            for verdict in row.verdicts
            if verdict not in (None, INVALID, Verdict.HARNESS_FAULT)
        ]
        for row in rows
    ]
    passes = [(sum(verdict is PASSED for verdict in row), len(row)) for row in valid if row]
    assert one.shares() == Shares(
        sum(passed == ran for passed, ran in passes),
        sum(0 < passed < ran for passed, ran in passes),
        sum(passed == 0 for passed, _ in passes),
    )
    for pair in one.agreements():
        left, right = one.subjects.index(pair.one), one.subjects.index(pair.other)
        both = [(row.verdicts[left], row.verdicts[right]) for row in rows]
        both = [two for two in both if not {None, INVALID, Verdict.HARNESS_FAULT} & set(two)]
        agree = sum((mine is PASSED) == (theirs is PASSED) for mine, theirs in both)
        assert (pair.agree, pair.cases) == (agree, len(both))


def test_five_subjects_by_2000_cases_take_a_name_a_case_and_a_byte_a_verdict() -> None:
    matrix = Matrix()
    tracemalloc.start()
    for number in range(2_000):
        for subject in ("a", "b", "c", "d", "e"):
            matrix.add(judged("s", str(number), subject, PASSED if number % 3 else DIFFERS))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 300 * 2_000  # a case's name and place; with events it would be 10 MB
    assert matrix.score("e") == Score(1_333, 2_000)
