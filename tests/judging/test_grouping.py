"""Groups of equal outputs."""

from __future__ import annotations

from typing import Any

from support.golden import Golden
from support.tables import check_table, transcript_of

from harness.judging.grouping import answer_of, groups_of, has_tolerance, is_repeated
from harness.model.case import ExitRange, Policy
from harness.model.compared import Groups
from harness.model.comparison import Comparison, PlaceRule, Tolerance
from harness.model.limits import Limit
from harness.model.transcript import Ending, Exited, Signalled, Transcript

NEAR = Comparison(Tolerance(absolute="1"))


def seen(text: str, ending: Ending = Exited(0), limit: Limit | None = None) -> Transcript:
    """Return the transcript of a subject that printed a text."""
    return Transcript(ending, text.encode(), stdout_bytes=len(text.encode()), limit=limit)


def groups(*transcripts: Transcript, policy: Policy = Policy()) -> Groups:
    return groups_of([answer_of(each, policy) for each in transcripts], policy.comparison)


def test_accepted_exit_statuses_are_equal() -> None:
    ended = [seen("1", Exited(status)) for status in (0, 1, 2, 3)]
    assert groups(*ended) == ((0,), (1,), (2,), (3,))
    assert groups(*ended, policy=Policy(exit=ExitRange(1, 2))) == ((0,), (1, 2), (3,))


def test_each_kind_of_failure_is_a_group(golden: Golden) -> None:
    def failed(run: dict[str, Any]) -> str:
        failure = transcript_of(run)
        assert groups(failure, seen("1"), failure) == ((0, 2), (1,))
        answer = answer_of(failure, Policy())
        assert answer.failure is not None
        return f"{answer.kind[0]}: {answer.failure.message}"

    check_table(golden, __file__, "failures.txt", failed)


def test_with_a_tolerance_outputs_join_the_first_group_they_are_close_to() -> None:
    texts = ("0", "1", "2", "2.0", '"x"', "oops")
    policy = Policy(NEAR)
    assert groups(*map(seen, texts), policy=policy) == ((0, 1), (2, 3), (4,), (5,))
    # In another order the groups differ, as closeness is not transitive.
    assert groups(*map(seen, reversed(texts[:3])), policy=policy) == ((0, 1), (2,))


def test_values_are_kept_only_with_a_tolerance() -> None:
    assert answer_of(seen("1"), Policy()).values is None
    assert answer_of(seen("[]"), Policy(NEAR)).values == [[]]
    assert has_tolerance(NEAR)
    assert has_tolerance(Comparison(at=(PlaceRule(("/0",), numbers=Tolerance("1")),)))
    assert not has_tolerance(Comparison(at=(PlaceRule(("/0",), ignore=True),)))


def test_runs_are_repeated_if_bytes_and_status_are_equal() -> None:
    assert is_repeated(seen("[1]"), seen("[1]"))
    assert not is_repeated(seen("[1]"), seen("[1 ]"))
    assert not is_repeated(seen("[1]", Exited(1)), seen("[1]"))
    assert not is_repeated(seen("[1]", Exited(9)), seen("[1]", Signalled(9)))
    assert not is_repeated(seen("[1]", Signalled(9)), seen("[1]", Signalled(9)))
    assert not is_repeated(seen("[1]"), seen("[1]", limit=Limit.WALL))
    assert not is_repeated(seen("[1]", limit=Limit.WALL), seen("[1]"))
