"""Groups of equal outputs, the inputs that separate subjects, and the text of a comparison."""

from __future__ import annotations

from typing import Any

from support.cases import printed as seen
from support.golden import Golden
from support.tables import transcript_of

from harness.judging.grouping import (
    comparable_output,
    exited_alike,
    group_outputs,
    separation,
)
from harness.model.case import ExitRange, Policy
from harness.model.compared import Groups, SeparatingInput, Separation
from harness.model.comparison import Comparison, PlaceRule, Tolerance
from harness.model.judgement import ShownDifference
from harness.model.limits import Limit
from harness.model.transcript import Exited, Signalled, Transcript
from harness.reports.terminal.compare import separation_lines
from harness.reports.text.display import Display

NEAR = Comparison(Tolerance(absolute="1"))
CRASH = Transcript(Signalled(11), b"[", b"a\nbang\x1b\n", stdout_bytes=1, stderr_bytes=8)


def groups(*transcripts: Transcript, policy: Policy = Policy()) -> Groups:
    return group_outputs(
        [comparable_output(each, policy) for each in transcripts], policy.comparison
    )


def separate(*transcripts: Transcript, comparison: Comparison = Comparison()) -> Separation:
    answers = [comparable_output(each, Policy(comparison)) for each in transcripts]
    of = SeparatingInput("s", "1", 3, group_outputs(answers, comparison))
    repeat = ("xtest", "compare", "a b")
    return separation(of, b"[\x1b]", transcripts, answers, comparison, repeat=repeat)


def test_accepted_exit_statuses_are_equal() -> None:
    ended = [seen("1", Exited(status)) for status in (0, 1, 2, 3)]
    assert groups(*ended) == ((0,), (1,), (2,), (3,))
    assert groups(*ended, policy=Policy(exit=ExitRange(1, 2))) == ((0,), (1, 2), (3,))


def test_each_kind_of_failure_is_a_group(golden: Golden) -> None:
    def failed(run: dict[str, Any]) -> str:
        failure = transcript_of(run)
        assert groups(failure, seen("1"), failure) == ((0, 2), (1,))
        answer = comparable_output(failure, Policy())
        assert answer.failure is not None
        return f"{answer.kind[0]}: {answer.failure.message}"

    golden.table("failures.txt", failed)


def test_with_a_tolerance_outputs_join_the_first_group_they_are_close_to() -> None:
    texts = ("0", "1", "2", "2.0", '"x"', "oops")
    policy = Policy(NEAR)
    assert groups(*map(seen, texts), policy=policy) == ((0, 1), (2, 3), (4,), (5,))
    # In another order the groups differ, as closeness is not transitive.
    assert groups(*map(seen, reversed(texts[:3])), policy=policy) == ((0, 1), (2,))


def test_values_are_kept_only_with_a_tolerance() -> None:
    assert comparable_output(seen("1"), Policy()).values is None
    assert comparable_output(seen("[]"), Policy(NEAR)).values == [[]]
    assert NEAR.has_tolerance
    assert Comparison(at=(PlaceRule(("/0",), numbers=Tolerance("1")),)).has_tolerance
    assert not Comparison(at=(PlaceRule(("/0",), ignore=True),)).has_tolerance


def test_runs_exited_alike_if_bytes_and_status_are_equal() -> None:
    assert exited_alike(seen("[1]"), seen("[1]"))
    assert not exited_alike(seen("[1]"), seen("[1 ]"))
    assert not exited_alike(seen("[1]", Exited(1)), seen("[1]"))
    assert not exited_alike(seen("[1]", Exited(9)), seen("[1]", Signalled(9)))
    assert not exited_alike(seen("[1]", Signalled(9)), seen("[1]", Signalled(9)))
    assert not exited_alike(seen("[1]"), seen("[1]", limit=Limit.WALL))
    assert not exited_alike(seen("[1]", limit=Limit.WALL), seen("[1]"))


def test_each_group_is_compared_with_the_first_one_that_did_not_fail() -> None:
    found = separate(CRASH, seen("[1, 2]"), seen("oops"), seen("[1, 3]"), seen("[1,2]"))
    assert [(one.members, one.failed, one.compared_with) for one in found.outputs] == [
        ((0,), True, None),
        ((1, 4), False, None),
        ((2,), True, None),
        ((3,), False, 1),
    ]
    assert found.outputs[3].evidence.differences == (ShownDifference("/0/1", "2", "3"),)
    assert found.outputs[3].evidence.expected.data == b"[1, 2]"
    assert [one.compared_with for one in separate(CRASH, seen("oops")).outputs] == [None, None]


def test_a_malformed_output_shows_its_exit_status_too() -> None:
    (_, last) = separate(seen("1"), seen("o", Exited(3))).outputs
    assert last.ending.endswith("; exit status 3")


def test_differences_follow_the_policy_and_outputs_are_bounded() -> None:
    near = separate(seen("[1, 5]"), seen("[2, 9]"), comparison=Comparison(Tolerance("1")))
    assert near.outputs[1].evidence.differences == (ShownDifference("/0/1", "5", "9"),)
    large = separate(seen(f'"{"x" * 100_000}"'), seen("1")).outputs[0].evidence.stdout
    assert (len(large.data), large.total) == (65_536, 100_002)


def test_the_text_of_separating_inputs_is_what_is_recorded(golden: Golden) -> None:
    long = f'"{"x" * 100}"'
    narrow = Display(width=80)
    wide = Display(width=120, most_lines=None, side_by_side=True)
    several = separate(seen("[1, 2, 3]"), seen("[1, 5, 6]"))
    lines = [
        *separation_lines(separate(seen("1"), seen("2"), seen("1")), narrow),
        *separation_lines(several, narrow),
        *separation_lines(several, wide),
        *separation_lines(separate(seen(f"[{long}, 1]"), seen(f"[{long}, 2]")), narrow),
        *separation_lines(separate(seen("1"), CRASH, Transcript(Signalled(6))), narrow),
        *separation_lines(separate(seen("1"), seen("1", Exited(3))), narrow),
        *separation_lines(separate(seen("1"), seen('{"a": ')), Display(width=60)),
    ]
    golden("separating-inputs.txt", "\n".join([*lines, ""]))
