"""Groups of equal outputs."""

from __future__ import annotations

import pytest

from harness.judging.grouping import answer_of, groups_of, has_tolerance, is_repeated
from harness.model.case import ExitRange, Policy
from harness.model.compared import Groups
from harness.model.comparison import Comparison, PlaceRule, Tolerance
from harness.model.limits import Limit
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript

NEAR = Comparison(Tolerance(absolute="1"))


def seen(text: str, ending: Ending = Exited(0), limit: Limit | None = None) -> Transcript:
    """Return the transcript of a subject that printed a text."""
    return Transcript(ending, text.encode(), stdout_bytes=len(text.encode()), limit=limit)


def groups(*transcripts: Transcript, policy: Policy = Policy()) -> Groups:
    """Return the groups of transcripts."""
    return groups_of([answer_of(each, policy) for each in transcripts], policy.comparison)


def test_equal_values_form_one_group_however_they_are_written() -> None:
    texts = ('{"a": 1, "b": "é"}', '{"b":"\\u00e9","a":1}\n', '{"a": 1.0, "b": "é"}')
    assert groups(*map(seen, texts)) == ((0, 1), (2,))


def test_the_policy_decides_equality() -> None:
    policy = Policy(Comparison(unordered=("/0",), ignore=("/1",)))
    texts = ("[1,2]", "[2,1] 7", "[2,2]")
    assert groups(*map(seen, texts), policy=policy) == ((0, 1), (2,))


def test_accepted_exit_statuses_are_equal() -> None:
    ended = [seen("1", Exited(status)) for status in (0, 1, 2, 3)]
    assert groups(*ended) == ((0,), (1,), (2,), (3,))
    assert groups(*ended, policy=Policy(exit=ExitRange(1, 2))) == ((0,), (1, 2), (3,))


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (seen("", NotStarted("no such file")), "not-started", "no such file"),
        (seen("1", Signalled(11)), "crashed by 11", "killed by SIGSEGV after printing 1 whole"),
        (seen("  ", Signalled(11)), "crashed by 11", "killed by SIGSEGV after printing only white"),
        (seen("", Signalled(6)), "crashed by 6", "killed by SIGABRT after printing nothing"),
        (seen("", Signalled(9), Limit.WALL), "silent", "printed nothing within 10 s"),
        (seen("1", Signalled(9), Limit.OUTPUT), "output-limit", "printed more than 16 MiB"),
        (seen("[1"), "malformed", "output is cut short at byte 2 (line 1, column 3)"),
    ],
)
def test_each_kind_of_failure_is_a_group(failure: Transcript, kind: str, message: str) -> None:
    answer = answer_of(failure, Policy())
    assert answer.kind == (kind, None)
    assert answer.failure is not None
    assert answer.failure.message.startswith(message)
    assert groups(failure, seen("1"), failure) == ((0, 2), (1,))


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
