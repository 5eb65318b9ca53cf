"""Laws of mutants, and of the cases that kill them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.json_texts import nested

from harness.authoring.mutants import mutants_of, reference_output
from harness.jsonio.decoder import Json, Number
from harness.judging.judge import judge, passes
from harness.model.case import Case, ExitRange, Policy
from harness.model.comparison import Comparison, Matching, Numbers, Strings, Tolerance
from harness.model.limits import Limit, Limits
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict

NUMBERS = st.sampled_from(["0", "-0", "1", "7", "1.0", "1.5e3", "9007199254740993"]).map(Number)
LEAVES = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "B", "é", "12"])
VALUES = nested(LEAVES, st.sampled_from(["a", "b", "ok", "7"]), max_size=3, max_leaves=8)
STREAMS = st.lists(VALUES, max_size=3)
ENDINGS = st.sampled_from([Exited(0), Exited(3), Signalled(11), NotStarted("no")])
POLICIES = st.builds(
    Policy,
    st.builds(
        Comparison,
        numbers=st.sampled_from([*Numbers, Tolerance(absolute="0.5")]),
        strings=st.sampled_from([*Strings, Matching("[a-z]+")]),
        unordered=st.sampled_from([(), ("/**",)]),
        ignore=st.sampled_from([(), ("/*/a",), ("/0",)]),
        allow=st.just(()),
        at=st.just(()),
        from_schema=st.just(()),
    ),
    st.sampled_from([ExitRange(), ExitRange(1, 255)]),
    st.just(Limits()),
    test_path=st.sampled_from(["", "/*", "/0/*"]),
    case_limits=st.just(()),
    checker=st.just(()),
)


@given(STREAMS, STREAMS | st.binary(max_size=8), ENDINGS, POLICIES, st.booleans())
def test_passes_agrees_with_the_judge(
    expected: list[Json],
    printed: list[Json] | bytes,
    ending: Exited | Signalled | NotStarted,
    policy: Policy,
    in_time: bool,
) -> None:
    text = printed if isinstance(printed, bytes) else reference_output(printed, 0).printed.text
    case = Case("s", "1", b"", reference_output(expected, 0).printed.text, expected, policy=policy)
    limit = None if in_time else Limit.WALL
    seen = Transcript(ending, text, stdout_bytes=len(text), limit=limit)
    assert passes(seen, case, policy) == (judge(seen, case, policy).verdict is Verdict.PASSED)


@settings(max_examples=40)
@given(st.lists(STREAMS, max_size=4))
def test_mutants_do_not_modify_the_outputs(streams: list[list[Json]]) -> None:
    outputs = [reference_output(stream, 0) for stream in streams]
    before = [each.printed for each in outputs]
    assert all(mutant.what for mutant in mutants_of(outputs))
    assert [reference_output(each.values, 0).printed for each in outputs] == before
