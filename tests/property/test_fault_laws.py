"""Laws of the faults that are put on answers, and of what notices them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.care.mutation import Answer, answer, faults
from harness.care.outline import Step, outline, replaced
from harness.care.strength import Outcome, findings
from harness.jsonfast import decode
from harness.jsontext import Json, Number, encode
from harness.judging.judge import judge, passes
from harness.records import (
    Case,
    Comparison,
    Exited,
    ExitRange,
    Limit,
    Limits,
    NotStarted,
    Policy,
    Signalled,
    Transcript,
    Verdict,
)

NUMBERS = st.sampled_from(["0", "-0", "1", "7", "1.0", "1.5e3", "9007199254740993"]).map(Number)
LEAVES = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "B", "é", "12"])
KEYS = st.sampled_from(["a", "b", "ok", "7"])


def _wider(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)


VALUES: st.SearchStrategy[Json] = st.recursive(LEAVES, _wider, max_leaves=8)
STREAMS = st.lists(VALUES, max_size=3)
SUITES = st.lists(STREAMS, max_size=4)
ENDINGS = st.sampled_from([Exited(0), Exited(3), Signalled(11), NotStarted("no")])
POLICIES = st.builds(
    Policy,
    st.builds(
        Comparison,
        unordered=st.sampled_from([(), ("/**",)]),
        ignore=st.sampled_from([(), ("/*/a",), ("/0",)]),
        allow=st.just(()),
        at=st.just(()),
        contract=st.just(()),
    ),
    st.sampled_from([ExitRange(), ExitRange(1, 255)]),
    st.just(Limits()),
)


def right(streams: list[list[Json]]) -> list[Answer]:
    """These streams as right answers."""
    return [answer(stream, 0) for stream in streams]


@settings(deadline=None)
@given(STREAMS, STREAMS | st.binary(max_size=8), ENDINGS, POLICIES, st.booleans())
def test_whether_a_run_passes_is_what_the_judge_says(
    expected: list[Json],
    printed: list[Json] | bytes,
    ending: Exited | Signalled | NotStarted,
    policy: Policy,
    in_time: bool,
) -> None:
    """`passes` and `judge` never differ, whatever was observed."""
    text = printed if isinstance(printed, bytes) else answer(printed, 0).printed.text
    case = Case("s", "1", b"", answer(expected, 0).printed.text, expected, policy=policy)
    limit = None if in_time else Limit.WALL
    seen = Transcript(ending, text, stdout_bytes=len(text), limit=limit)
    assert passes(seen, case, policy) == (judge(seen, case, policy).verdict is Verdict.PASSED)


@settings(deadline=None)
@given(SUITES)
def test_a_change_of_nothing_keeps_the_very_values(streams: list[list[Json]]) -> None:
    """At every spot, to put each value in its own place makes the same object."""
    for spot in outline(streams):
        for number in spot.values:
            assert replaced(streams[number], spot.steps, lambda value: value) is streams[number]


@settings(deadline=None, max_examples=60)
@given(SUITES)
def test_a_spot_has_just_the_values_that_its_steps_lead_to(streams: list[list[Json]]) -> None:
    """What a spot is said to hold is what a change at its steps comes by, in the same order."""
    for spot in outline(streams):
        for number, values in spot.values.items():
            assert _met(streams[number], spot.steps) == [encode(value) for value in values]


def _met(stream: list[Json], steps: Sequence[Step]) -> list[str]:
    met: list[str] = []

    def note(value: Json) -> Json:
        met.append(encode(value))
        return value

    replaced(stream, steps, note)
    return met


@settings(deadline=None, max_examples=40)
@given(SUITES)
def test_a_fault_leaves_the_answers_as_they_were(streams: list[list[Json]]) -> None:
    """Putting every fault on every answer changes none of the right ones."""
    answers = right(streams)
    before = [each.printed for each in answers]
    for fault in faults(answers):
        for number in fault.answers:
            fault.put(number)
    assert [answer(each.values, 0).printed for each in answers] == before


@settings(deadline=None, max_examples=40)
@given(SUITES)
def test_a_strict_suite_hides_nothing(streams: list[list[Json]]) -> None:
    """Where every value and every place counts, a fault that changes an answer is noticed by every
    case whose answer it changes."""
    answers = right(streams)
    cases = [Case("s", "1", b"", each.printed.text, each.values) for each in answers]
    for finding in findings(cases, answers):
        assert finding.outcome is not Outcome.HIDDEN
        assert finding.noticed == finding.changed


@settings(deadline=None, max_examples=40)
@given(SUITES)
def test_a_fault_that_is_printed_as_values_is_printed_as_json(streams: list[list[Json]]) -> None:
    """Faults at a place change values, never what JSON is."""
    answers = right(streams)
    for fault in faults(answers):
        if fault.where:
            assert all(decode(fault.put(number).text).fault is None for number in fault.answers)
