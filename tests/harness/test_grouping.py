"""Answers gathered into groups, counted, and the smallest inputs kept."""

from __future__ import annotations

import pytest

from harness.judging.comparison import Comparison, PlaceRule, Tolerance
from harness.records import (
    Ending,
    Exited,
    ExitRange,
    Limit,
    NotStarted,
    Policy,
    Signalled,
    Transcript,
)
from harness.several.grouping import (
    Agreement,
    Answer,
    Groups,
    Smallest,
    answer_of,
    groups_of,
    has_tolerance,
    is_repeated,
    letter,
)

NEAR = Comparison(Tolerance(absolute="1"))


def seen(text: str, ending: Ending = Exited(0), limit: Limit | None = None) -> Transcript:
    """What was observed of a subject that printed a text."""
    return Transcript(ending, text.encode(), stdout_bytes=len(text.encode()), limit=limit)


def groups(*transcripts: Transcript, policy: Policy = Policy()) -> Groups:
    """The groups of what was observed."""
    return groups_of([answer_of(each, policy) for each in transcripts], policy.comparison)


def test_equal_values_are_one_group_however_they_are_spelled() -> None:
    texts = ('{"a": 1, "b": "é"}', '{"b":"\\u00e9","a":1}\n', '{"a": 1.0, "b": "é"}')
    assert groups(*map(seen, texts)) == ((0, 1), (2,))


def test_the_policy_says_what_is_equal() -> None:
    policy = Policy(Comparison(unordered=("/0",), ignore=("/1",)))
    texts = ("[1,2]", "[2,1] 7", "[2,2]")
    assert groups(*map(seen, texts), policy=policy) == ((0, 1), (2,))


def test_exit_statuses_that_the_policy_accepts_are_all_the_same() -> None:
    ended = [seen("1", Exited(status)) for status in (0, 1, 2, 3)]
    assert groups(*ended) == ((0,), (1,), (2,), (3,))
    assert groups(*ended, policy=Policy(exit=ExitRange(1, 2))) == ((0,), (1, 2), (3,))


@pytest.mark.parametrize(
    ("short", "kind", "message"),
    [
        (seen("", NotStarted("no such file")), "not-started", "no such file"),
        (
            seen("1", Signalled(11)),
            "crashed by 11",
            "ended by SIGSEGV, having printed 1 whole value",
        ),
        (
            seen("  ", Signalled(11)),
            "crashed by 11",
            "ended by SIGSEGV, having printed only white space",
        ),
        (seen("", Signalled(6)), "crashed by 6", "ended by SIGABRT, having printed nothing"),
        (
            seen("", Signalled(9), Limit.WALL),
            "silent",
            "printed nothing within 10 s (0 s of processor time used)",
        ),
        (seen("1", Signalled(9), Limit.OUTPUT), "output-limit", "printed more than 16 MiB"),
        (
            seen("[1"),
            "malformed",
            "output is cut short at byte 2 (line 1, column 3): the text ends inside an array"
            " (a bracket or quote left open, or output that was never flushed?); here: [1-->",
        ),
    ],
)
def test_each_way_of_falling_short_is_a_group_of_its_own(
    short: Transcript, kind: str, message: str
) -> None:
    answer = answer_of(short, Policy())
    assert answer.kind == (kind, None)
    assert answer.short is not None
    assert answer.short.message == message
    assert groups(short, seen("1"), short) == ((0, 2), (1,))


def test_what_is_not_json_is_one_group_unless_the_exit_status_differs() -> None:
    assert groups(seen("oops"), seen("[1"), seen("oops", Exited(3))) == ((0, 1), (2,))


def test_within_a_tolerance_the_first_of_a_group_is_what_others_are_near_to() -> None:
    texts = ("0", "1", "2", "2.0", '"x"', "oops")
    policy = Policy(NEAR)
    assert groups(*map(seen, texts), policy=policy) == ((0, 1), (2, 3), (4,), (5,))
    # From the other end the same numbers make other groups: near is not transitive.
    assert groups(*map(seen, reversed(texts[:3])), policy=policy) == ((0, 1), (2,))


def test_a_relative_tolerance_is_of_the_first_one() -> None:
    policy = Policy(Comparison(Tolerance(relative="0.1")))
    assert groups(seen("10"), seen("9"), policy=policy) == ((0, 1),)
    assert groups(seen("9"), seen("10"), policy=policy) == ((0,), (1,))


def test_values_are_kept_only_where_there_is_a_tolerance() -> None:
    assert answer_of(seen("1"), Policy()).values is None
    assert answer_of(seen("[]"), Policy(NEAR)).values == [[]]
    assert has_tolerance(NEAR)
    assert has_tolerance(Comparison(at=(PlaceRule(("/0",), numbers=Tolerance("1")),)))
    assert not has_tolerance(Comparison(at=(PlaceRule(("/0",), ignore=True),)))


def test_agreement_is_counted_over_all_and_two_by_two() -> None:
    agreement = Agreement(3)
    assert (agreement.percent(0, 1), agreement.ranked()) == (100.0, [])
    values, crash = answer_of(seen("1"), Policy()), answer_of(seen("", Signalled(6)), Policy())
    agreement.add([values, values, values], ((0, 1, 2),))
    agreement.add([values, crash, values], ((0, 2), (1,)))
    agreement.add([values, crash, values], ((0, 2), (1,)))
    agreement.add([crash, crash, crash], ((0, 1, 2),))
    agreement.add([values, values, crash], ((0,), (1,), (2,)))
    agreement.add([values, values, crash], ((0,), (1,), (2,)))
    assert (agreement.inputs, agreement.alike, agreement.in_vain) == (6, 2, 1)
    assert [agreement.together(2, other) for other in range(3)] == [4, 2, 6]
    assert agreement.percent(0, 2) == agreement.percent(2, 0) == 66.6
    assert agreement.ranked() == [
        (((0, 1, 2),), 2),
        (((0,), (1,), (2,)), 2),
        (((0, 2), (1,)), 2),
    ]
    assert [dict(counted) for counted in agreement.shortfalls] == [
        {"crashed": 1},
        {"crashed": 3},
        {"crashed": 3},
    ]


def test_less_than_all_is_never_a_hundred_percent() -> None:
    agreement = Agreement(2)
    one = Answer(("values", None), "a")
    for _ in range(4999):
        agreement.add([one, one], ((0, 1),))
    agreement.add([one, Answer(("values", None), "b")], ((0,), (1,)))
    assert agreement.percent(0, 1) == 99.9


def test_the_smallest_few_are_kept_and_come_first() -> None:
    smallest = Smallest[str](2)
    for place, word in enumerate(["four", "six", "a", "three", "b", "c"]):
        fits = smallest.has_room_for(len(word), place)
        smallest.add(len(word), place, word)
        assert fits == (word in list(smallest))
    assert list(smallest) == ["a", "b"]


def test_subjects_are_called_by_letters() -> None:
    assert [letter(number) for number in (0, 1, 25)] == ["A", "B", "Z"]


def test_an_answer_is_repeated_where_bytes_and_status_are_the_same() -> None:
    assert is_repeated(seen("[1]"), seen("[1]"))
    assert not is_repeated(seen("[1]"), seen("[1 ]"))
    assert not is_repeated(seen("[1]", Exited(1)), seen("[1]"))
    assert not is_repeated(seen("[1]", Exited(9)), seen("[1]", Signalled(9)))
    assert not is_repeated(seen("[1]", Signalled(9)), seen("[1]", Signalled(9)))
    assert not is_repeated(seen("[1]"), seen("[1]", limit=Limit.WALL))
    assert not is_repeated(seen("[1]", limit=Limit.WALL), seen("[1]"))
