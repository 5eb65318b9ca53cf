"""What is kept of an input that separates subjects: who said what, and where it differs."""

from __future__ import annotations

from harness.events import ShownDifference
from harness.judging.comparison import Comparison, Tolerance
from harness.records import Exited, Policy, Signalled, Transcript
from harness.several.contrast import How, Separating, Separation, separation
from harness.several.grouping import answer_of, groups_of


def contrast(*seen: Transcript, comparison: Comparison = Comparison()) -> Separation:
    """What is shown of an input to which subjects said this."""
    answers = [answer_of(each, Policy(comparison)) for each in seen]
    of = Separating("s", "1", 2, groups_of(answers, comparison))
    return separation(of, b"in", seen, answers, How(comparison, ("again",)))


def printed(text: str, status: int = 0) -> Transcript:
    """What was observed of a subject that printed a text."""
    return Transcript(Exited(status), text.encode(), stdout_bytes=len(text))


CRASH = Transcript(Signalled(11), b"[", b"bang\n", stdout_bytes=1, stderr_bytes=5)


def test_each_group_is_compared_with_the_first_one() -> None:
    shown = contrast(printed("[1, 2]"), printed("[1, 3]"), printed("[1,2]"), printed("[4, 2]"))
    assert (shown.stdin.data, shown.repeat) == (b"in", ("again",))
    assert [(said.members, said.beside) for said in shown.said] == [
        ((0, 2), None),
        ((1,), 0),
        ((3,), 0),
    ]
    assert [said.evidence.differences for said in shown.said] == [
        (),
        (ShownDifference("/0/1", "2", "3"),),
        (ShownDifference("/0/0", "1", "4"),),
    ]
    assert [said.evidence.expected.data for said in shown.said[1:]] == [b"[1, 2]", b"[1, 2]"]


def test_those_that_fell_short_are_compared_with_nobody() -> None:
    shown = contrast(CRASH, printed("1"), printed("oops"), printed("2"))
    assert [(said.fell_short, said.beside) for said in shown.said] == [
        (True, None),
        (False, None),
        (True, None),
        (False, 1),
    ]
    crash, _, malformed, _ = shown.said
    assert crash.ending == "crashed: ended by SIGSEGV, having printed part of a value"
    assert crash.evidence.stderr.data == b"bang\n"
    assert malformed.ending.startswith("malformed: output is not JSON at byte 0")


def test_exit_statuses_are_told_where_one_of_them_was_not_to_be_expected() -> None:
    shown = contrast(printed("1"), printed("1", 3), printed("oops", 3), CRASH)
    endings = [said.ending for said in shown.said]
    assert endings[:2] == ["exit status 0", "exit status 3"]
    assert endings[2].endswith("; exit status 3")
    assert endings[3] == "crashed: ended by SIGSEGV, having printed part of a value"
    assert contrast(printed("1"), printed("2")).said[0].ending == ""


def test_where_all_fell_short_otherwise_nobody_is_compared() -> None:
    shown = contrast(CRASH, printed("oops"))
    assert [said.beside for said in shown.said] == [None, None]


def test_the_differences_are_those_of_the_policy() -> None:
    near = Comparison(Tolerance("1"))
    shown = contrast(printed("[1, 5]"), printed("[2, 9]"), comparison=near)
    assert shown.said[1].evidence.differences == (ShownDifference("/0/1", "5", "9"),)


def test_a_large_answer_is_not_kept_whole() -> None:
    shown = contrast(printed(f'"{"x" * 100_000}"'), printed("1"))
    assert len(shown.said[0].evidence.stdout.data) == 65_536
    assert shown.said[0].evidence.stdout.total == 100_002
