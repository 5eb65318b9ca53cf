"""What may become an expected output, and what is left as it is, from made-up transcripts."""

from __future__ import annotations

import pytest

from harness.care.acceptance import (
    Check,
    Layout,
    Proposal,
    Refused,
    change_lines,
    considered,
    steady,
)
from harness.jsonfast import decode
from harness.records import (
    Case,
    Comparison,
    Exited,
    ExitRange,
    InputKind,
    Limit,
    NotStarted,
    Policy,
    Signalled,
    Transcript,
)


def case(expected: str, policy: Policy = Policy()) -> Case:
    """A case with an expected output."""
    text = expected.encode()
    return Case("s", "1", b"", text, decode(text).values, policy=policy)


def ran(stdout: str, status: int = 0) -> Transcript:
    """A run that ended by itself."""
    text = stdout.encode()
    return Transcript(Exited(status), text, stdout_bytes=len(text), first_byte_s=0.1)


def outcome(
    one: Case,
    seen: Transcript,
    *,
    check: Check | None = None,
    layout: Layout | None = None,
    is_new: bool = False,
) -> Proposal | Refused | None:
    """What becomes of a case."""
    return considered(one, seen, check, layout=layout, is_new=is_new)


def proposal(
    one: Case, seen: Transcript, *, layout: Layout | None = None, is_new: bool = False
) -> Proposal:
    """The same where it is a proposal."""
    made = outcome(one, seen, layout=layout, is_new=is_new)
    assert isinstance(made, Proposal)
    return made


def reason(one: Case, seen: Transcript, check: Check | None = None) -> str:
    """The same where it is a refusal."""
    made = outcome(one, seen, check=check)
    assert isinstance(made, Refused)
    return made.reason


def test_an_answer_that_is_equal_under_the_policy_changes_nothing() -> None:
    assert outcome(case("[1, 2]"), ran("[1,2]\n")) is None
    ignored = Policy(Comparison(ignore=("/0/m",)))
    assert outcome(case('{"m": 1}', ignored), ran('{"m":2}')) is None


def test_another_answer_is_proposed_with_its_differences() -> None:
    made = proposal(case('{"a": 1}\n'), ran('{ "a" : 2 }'))
    assert made.text == b'{"a":2}\n'
    assert made.message == "1 difference, the first at /0/a: 1 expected, 2 printed"
    assert [each.pointer for each in made.differences] == ["/0/a"]
    assert not made.is_new


def test_too_few_and_too_many_values_may_become_the_expected_ones() -> None:
    assert proposal(case("1 2"), ran("1")).text == b"1\n"
    assert proposal(case("1"), ran("1 2")).text == b"1\n2\n"
    assert proposal(case("1"), ran("")).text == b""


def test_numbers_and_texts_are_written_as_they_were_spelled() -> None:
    assert proposal(case("0"), ran('1e2 -0 1.50 "é\\n"')).text == '1e2\n-0\n1.50\n"é\\n"\n'.encode()


def test_a_file_keeps_its_layout() -> None:
    indented = '{\n  "a": [\n    1\n  ]\n}\n'
    assert proposal(case(indented), ran('{"a":[2]}')).text == indented.replace("1", "2").encode()
    assert proposal(case('{ "a":[1]}'), ran('{"a":[2]}')).text == b'{"a":[2]}\n'
    assert proposal(case("1\n"), ran("[2]")).text == b"[2]\n"


def test_another_layout_can_be_asked_for() -> None:
    printed = ran("[ 1,2 ]  3")
    assert proposal(case("0"), printed, layout=Layout.PRINTED).text == b"[ 1,2 ]  3"
    assert proposal(case("0"), printed, layout=Layout.LINES).text == b"[1,2]\n3\n"
    pretty = proposal(case("0"), printed, layout=Layout.PRETTY)
    assert pretty.text == b"[\n  1,\n  2\n]\n3\n"


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (Transcript(NotStarted("no such file")), "not-started: no such file"),
        (
            Transcript(Signalled(11), b"2"),
            "crashed: ended by SIGSEGV, having printed 1 whole value",
        ),
        (
            Transcript(Signalled(9), b"", limit=Limit.WALL),
            "silent: printed nothing within 10 s (0 s of processor time used)",
        ),
        (
            Transcript(Signalled(9), b"2", stdout_bytes=1, limit=Limit.OUTPUT),
            "output-limit: printed more than 16 MiB",
        ),
        (
            ran("[2"),
            "malformed: output is cut short at byte 2 (line 1, column 3): the text ends inside an"
            " array (a bracket or quote left open, or output that was never flushed?); here: [2-->",
        ),
        (ran("2", 3), "the exit status is 3, not 0"),
        (ran("1", 3), "the exit status is 3, not 0"),
    ],
)
def test_a_program_that_fell_short_otherwise_changes_nothing(seen: Transcript, why: str) -> None:
    assert reason(case("1"), seen) == why


def test_the_exit_status_that_the_case_expects_is_no_fault() -> None:
    nonzero = Policy(exit=ExitRange(1, 255))
    assert isinstance(outcome(case("1", nonzero), ran("2", 7)), Proposal)
    assert reason(case("1", nonzero), ran("2", 0)) == "the exit status is 0, not nonzero"


def test_an_answer_that_breaks_the_output_schema_is_refused() -> None:
    def check(each: Case) -> str:
        assert each.kind is InputKind.RAW  # the input is not looked at again
        return "the expected output breaks its schema at /0" if len(each.expected) > 1 else ""

    assert isinstance(outcome(case("1"), ran("2"), check=check), Proposal)
    assert reason(case("1"), ran("2 3"), check) == (
        "what it printed cannot stand as expected: the expected output breaks its schema at /0"
    )


def test_a_case_without_an_expected_output_gets_what_was_printed_even_if_that_is_nothing() -> None:
    made = proposal(case(""), ran("1 2"), is_new=True)
    assert (made.text, made.message, made.is_new) == (b"1\n2\n", "2 values printed", True)
    assert proposal(case(""), ran(""), is_new=True).text == b""


def test_what_a_second_run_does_not_print_again_is_refused() -> None:
    made = proposal(case("1"), ran("2"))
    assert steady(made, ran("2 ")) is made
    again = steady(made, ran("3"))
    assert isinstance(again, Refused)
    assert again.reason == (
        "a second run did not come to the same"
        " (differs: 1 difference, the first at /0: 2 expected, 3 printed)"
    )


def test_changes_are_listed_and_many_of_them_only_if_asked_for() -> None:
    one = proposal(case("1"), ran("2"))
    assert not list(change_lines(one, full=False))  # its message has said it
    many = proposal(case("[0,0,0,0,0,0,0,0,0,0,0,0]"), ran("[1,1,1,1,1,1,1,1,1,1,1,1]"))
    lines = list(change_lines(many, full=False))
    assert lines[0] == "at /0/0: 0 expected, 1 printed"
    assert lines[10:] == ["… and 2 more (--full shows them)"]
    assert len(list(change_lines(many, full=True))) == 12


def test_the_values_of_a_new_output_are_shown_safe_for_a_terminal() -> None:
    made = proposal(case(""), ran('"\\u0007\u200b" 2'), is_new=True)
    assert list(change_lines(made, full=False)) == [r'"\u0007\u200b"', "2"]
