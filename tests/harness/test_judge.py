"""The verdict table: every cause, every pair of causes, and what is said about each."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from harness.jsonfast import decode
from harness.judging.comparison import Comparison, Order, PlaceRule
from harness.judging.judge import judge, judge_invalid, passes
from harness.records import (
    MISSING,
    Case,
    Difference,
    Ending,
    Exited,
    ExitRange,
    InvalidCase,
    Judgement,
    Limit,
    Limits,
    NotStarted,
    Numbers,
    Policy,
    Signalled,
    Transcript,
    Verdict,
)

LIMITS = Limits(
    wall_s=10, first_byte_s=2.5, cpu_s=4, memory_mib=256, output_mib=16, processes=1_000
)
STRICT = Policy(limits=LIMITS)


def case_of(expected: bytes) -> Case:
    """A case that expects these values."""
    return Case("s", "7", b"", expected, decode(expected).values)


def seen(stdout: bytes, ending: Ending = Exited(0), limit: Limit | None = None) -> Transcript:
    """What was seen of a program that printed this, at once."""
    return Transcript(
        ending,
        stdout,
        stdout_bytes=len(stdout),
        limit=limit,
        first_byte_s=0.25 if stdout else None,
        cpu_s=1.5,
    )


def verdict_of(transcript: Transcript, expected: bytes, policy: Policy = STRICT) -> Verdict:
    """The verdict alone."""
    return judge(transcript, case_of(expected), policy).verdict


def said_of(transcript: Transcript, expected: bytes, policy: Policy = STRICT) -> str:
    """The verdict and the message, as a report shows them."""
    judgement = judge(transcript, case_of(expected), policy)
    return f"{judgement.verdict.value}: {judgement.message}"


# Which cause is told: the earliest, whatever else went wrong.

EXPECTED = b"[1] 2\n"
ENDINGS: list[tuple[Ending, Verdict]] = [
    (Exited(0), Verdict.PASSED),
    (Exited(1), Verdict.EXIT_STATUS),
    (Signalled(11), Verdict.CRASHED),
    (NotStarted("no such file"), Verdict.NOT_STARTED),
]
FALLEN: list[tuple[Limit | None, Verdict]] = [
    (None, Verdict.PASSED),
    (Limit.FIRST_BYTE, Verdict.SILENT),
    (Limit.WALL, Verdict.STALLED),
    (Limit.CPU, Verdict.CPU_LIMIT),
    (Limit.MEMORY, Verdict.MEMORY_LIMIT),
    (Limit.OUTPUT, Verdict.OUTPUT_LIMIT),
    (Limit.PROCESSES, Verdict.PROCESS_LIMIT),
]
PRINTED = [
    (EXPECTED, Verdict.PASSED),
    (b"[1] \n 2", Verdict.PASSED),
    (b"[1] 3", Verdict.DIFFERS),
    (b"[1] 2 3", Verdict.TOO_MANY),
    (b"[9] 2 3", Verdict.TOO_MANY),
    (b"[1]", Verdict.TOO_FEW),
    (b"[9]", Verdict.TOO_FEW),
    (b" \n", Verdict.TOO_FEW),
    (b"[1] 2 ]", Verdict.MALFORMED),
    (b'[1] "\xff"', Verdict.MALFORMED),
    (b"[1] [2", Verdict.MALFORMED),
]


@pytest.mark.parametrize(
    ("ending", "limit", "stdout", "causes"),
    [
        (ending, limit, stdout, (one, two, three))
        for (ending, one), (limit, two), (stdout, three) in product(ENDINGS, FALLEN, PRINTED)
    ],
)
def test_of_all_that_went_wrong_the_earliest_cause_is_told(
    ending: Ending, limit: Limit | None, stdout: bytes, causes: tuple[Verdict, ...]
) -> None:
    in_order = list(Verdict)
    earliest = min(causes, key=in_order.index)
    assert verdict_of(seen(stdout, ending, limit), EXPECTED) is earliest


@pytest.mark.parametrize(("ending", "cause"), ENDINGS)
def test_a_program_that_printed_nothing_in_time_is_silent_unless_it_never_started(
    ending: Ending, cause: Verdict
) -> None:
    started = cause is not Verdict.NOT_STARTED
    wanted = Verdict.SILENT if started else Verdict.NOT_STARTED
    for limit in (Limit.WALL, Limit.FIRST_BYTE):
        assert verdict_of(seen(b"", ending, limit), EXPECTED) is wanted


def test_the_documentation_has_every_verdict_in_this_order() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "verdicts.md"
    rows = re.findall(r"^\| `([a-z-]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [verdict.value for verdict in Verdict]


def test_an_invalid_case_says_why_itself() -> None:
    broken = InvalidCase("s", "7", "7-in.json is an orphan: there is no 7-out.json")
    assert judge_invalid(broken) == Judgement(
        Verdict.INVALID_CASE, "7-in.json is an orphan: there is no 7-out.json"
    )


# What is said.


def test_what_the_system_said_of_a_program_is_told_visibly() -> None:
    said = said_of(Transcript(NotStarted("./a\x1b[2Jb: permission denied")), b"1")
    assert said == "not-started: ./a\\x1b[2Jb: permission denied"


@pytest.mark.parametrize(
    ("transcript", "said"),
    [
        (
            seen(b"", Signalled(9), Limit.WALL),
            "silent: printed nothing within 10 s (1.5 s of processor time used)",
        ),
        (
            seen(b"", Signalled(9), Limit.FIRST_BYTE),
            "silent: printed nothing within 2.5 s (1.5 s of processor time used)",
        ),
        (
            seen(b"[1] 2", Signalled(9), Limit.FIRST_BYTE)._replace(first_byte_s=2.6),
            "silent: printed nothing within 2.5 s (1.5 s of processor time used);"
            " 5 bytes came too late",
        ),
        (
            seen(b"[", Signalled(9), Limit.WALL)._replace(first_byte_s=10.0),
            "silent: printed nothing within 10 s (1.5 s of processor time used);"
            " 1 byte came too late",
        ),
        (
            seen(b"[1] 2", Signalled(9), Limit.WALL),
            "stalled: was still running after 10 s, having printed the whole expected output"
            " (1.5 s of processor time used)",
        ),
        (
            seen(b"[1]", Signalled(9), Limit.WALL),
            "stalled: was still running after 10 s, having printed 1 whole value"
            " (1.5 s of processor time used)",
        ),
        (
            seen(b"[1] [2, ", Signalled(9), Limit.WALL),
            "stalled: was still running after 10 s, having printed 1 whole value and part of a"
            " value (1.5 s of processor time used)",
        ),
        (
            seen(b"[1] 2 3 done", Signalled(9), Limit.WALL),
            "stalled: was still running after 10 s, having printed 3 whole values and what is not"
            " JSON (1.5 s of processor time used)",
        ),
        (
            seen(b"[", Signalled(9), Limit.WALL),
            "stalled: was still running after 10 s, having printed part of a value"
            " (1.5 s of processor time used)",
        ),
        (
            seen(EXPECTED, Signalled(9), Limit.CPU),
            "cpu-limit: used more than 4 s of processor time",
        ),
        (
            seen(EXPECTED, Signalled(9), Limit.MEMORY),
            "memory-limit: used more than 256 MiB of memory",
        ),
        (seen(EXPECTED, Signalled(9), Limit.OUTPUT), "output-limit: printed more than 16 MiB"),
        (
            seen(EXPECTED, Signalled(9), Limit.PROCESSES),
            "process-limit: had more than 1,000 processes at once",
        ),
        (seen(b"", Signalled(11)), "crashed: ended by SIGSEGV, having printed nothing"),
        (seen(b" \n", Signalled(6)), "crashed: ended by SIGABRT, having printed only white space"),
        (seen(b"[1]", Signalled(6)), "crashed: ended by SIGABRT, having printed 1 whole value"),
        (
            seen(b"[1] 2", Signalled(11)),
            "crashed: ended by SIGSEGV, having printed the whole expected output",
        ),
        (
            seen(b"oh no", Signalled(64)),
            "crashed: ended by SIGRTMAX, having printed what is not JSON",
        ),
    ],
)
def test_a_program_that_did_not_end_by_itself_is_told_how_far_it_had_come(
    transcript: Transcript, said: str
) -> None:
    assert said_of(transcript, EXPECTED) == said


def test_without_a_limit_on_the_first_byte_the_whole_answer_has_one() -> None:
    transcript = seen(b"", Signalled(9), Limit.FIRST_BYTE)
    assert said_of(transcript, EXPECTED, Policy(limits=Limits(wall_s=0.5))) == (
        "silent: printed nothing within 0.5 s (1.5 s of processor time used)"
    )


def test_who_falls_silent_in_a_conversation_is_told_what_was_awaited() -> None:
    case = case_of(EXPECTED)._replace(stdin=b"1 2 [3]\n")
    for stdout, sent, done in ((b"", 1, "silent: printed nothing"), (b"[1]", 2, "stalled: was")):
        transcript = seen(stdout, Signalled(9), Limit.WALL)._replace(awaited=sent)
        judgement = judge(transcript, case, STRICT)
        said = f"{judgement.verdict.value}: {judgement.message}"
        assert said.startswith(done)
        assert said.endswith(
            f" used); xtest had sent {sent} of 3 values, and waited for the answer to the last one:"
            " does it flush its output?"
        )


@pytest.mark.parametrize(
    ("stdout", "status", "said"),
    [
        (b"", 0, "too-few: 2 values expected, none printed"),
        (b"\n\n", 0, "too-few: 2 values expected, none printed"),
        (b"", 1, "too-few: 2 values expected, none printed; the exit status is 1, not 0"),
        (b"[1]", 0, "too-few: 2 values expected, 1 printed; those are right"),
        (
            b"[3]",
            0,
            "too-few: 2 values expected, 1 printed; of 2 differences,"
            " the first at /0/0: 1 expected, 3 printed",
        ),
        (
            b"[[1], 2]",
            0,
            "too-few: 2 values expected, 1 printed; of 3 differences,"
            " the first at /0/0: nothing expected, [1] printed;"
            " the values are printed inside one array",
        ),
        (b"[1] 2 3 4", 0, "too-many: 2 values expected, 4 printed; the expected ones are right"),
        (
            b"[1] 3 2",
            4,
            "too-many: 2 values expected, 3 printed; the expected ones are right;"
            " /1 is too many; the exit status is 4, not 0",
        ),
        (
            b"3 4 5 6 7 8 [1] 2",
            0,
            "too-many: 2 values expected, 8 printed; the expected ones are right;"
            " /0, /1, /2, /3, /4, … are too many",
        ),
        (b"2", 0, "too-few: 2 values expected, 1 printed; those are right; /0 is missing"),
        (b"[1] 3", 0, "differs: 1 difference, the first at /1: 2 expected, 3 printed"),
        (
            b'["1"] 3',
            0,
            "differs: 2 differences,"
            ' the first at /0/0: 1 expected, "1" printed (a number, not a string)',
        ),
        (
            b"2 [1]",
            2,
            "differs: 2 differences,"
            " the first at /0: [1] expected, 2 printed (an array, not a number);"
            " all is there, but in another order; the exit status is 2, not 0",
        ),
        (
            b"[1] 2 }",
            0,
            "malformed: output is not JSON at byte 6 (line 1, column 7), after 2 whole values:"
            " a value expected, found '}' (this bracket closes nothing); here: [1] 2 -->}",
        ),
        (
            b"[1] [2",
            3,
            "malformed: output is cut short at byte 6 (line 1, column 7), after 1 whole value:"
            " the text ends inside an array"
            " (a bracket or quote left open, or output that was never flushed?);"
            " here: [1] [2-->; the exit status is 3, not 0",
        ),
        (b"[1]\n2\n", 1, "exit-status: the values are right, but the exit status is 1, not 0"),
        (
            b"[1] 2",
            126,
            "exit-status: the values are right, but the exit status is 126, not 0"
            " (in a shell: a program could not be run)",
        ),
        (
            b"",
            127,
            "too-few: 2 values expected, none printed; the exit status is 127, not 0"
            " (in a shell: a program was not found)",
        ),
        (
            b"",
            139,
            "too-few: 2 values expected, none printed; the exit status is 139, not 0"
            " (in a shell: a program was ended by SIGSEGV)",
        ),
        (b"[1] 2", 255, "exit-status: the values are right, but the exit status is 255, not 0"),
        (b"[1] 2", 0, "passed: as expected"),
    ],
)
def test_output_is_told_what_is_wrong_with_it(stdout: bytes, status: int, said: str) -> None:
    assert said_of(seen(stdout, Exited(status)), EXPECTED) == said


@pytest.mark.parametrize(
    ("stdout", "status", "stderr", "said"),
    [
        (
            b"",
            1,
            b"Traceback\n  File 1\nTypeError: \x1b\n",
            "too-few: 2 values expected, none printed; the exit status is 1, not 0; its standard"
            " error ends: TypeError: \\x1b",
        ),
        (b"", 0, b"look\n", "too-few: 2 values expected, none printed"),
        (
            b"[1] 3",
            1,
            b"look\n",
            "differs: 1 difference, the first at /1: 2 expected, 3 printed; the exit status is 1,"
            " not 0",
        ),
        (
            b"",
            127,
            b"env: 'python3\\r': No such file or directory\n",
            "too-few: 2 values expected, none printed; the exit status is 127, not 0 (a script has"
            r" Windows line ends: sed -i 's/\r$//' FILE); its standard error ends: env:"
            r" 'python3\r': No such file or directory",
        ),
    ],
)
def test_who_ended_early_with_a_fault_is_told_what_it_complained_of(
    stdout: bytes, status: int, stderr: bytes, said: str
) -> None:
    transcript = seen(stdout, Exited(status))._replace(stderr=stderr)
    assert said_of(transcript, EXPECTED) == said


def test_all_differences_are_kept_each_with_its_pointer_and_values() -> None:
    judgement = judge(seen(b'{"a": [1, 9], "b": null}'), case_of(b'{"a": [1, 2, 3]}'), STRICT)
    two, three, nine, null = (decode(text).values[0] for text in (b"2", b"3", b"9", b"null"))
    assert judgement.differences == (
        Difference("/0/a/1", two, nine),
        Difference("/0/a/2", three, MISSING),
        Difference("/0/b", MISSING, null),
    )


@pytest.mark.parametrize("stdout", [b"[1", b"", b"[1] 2"])
def test_what_has_no_values_to_compare_lists_no_differences(stdout: bytes) -> None:
    ending: Ending = Signalled(11) if stdout == b"" else Exited(0)
    assert judge(seen(stdout, ending), case_of(EXPECTED), STRICT).differences == ()


# The policy.


@pytest.mark.parametrize(
    ("expected_exit", "status", "note"),
    [
        (ExitRange(3, 3), 3, None),
        (ExitRange(3, 3), 0, "the exit status is 0, not 3"),
        (ExitRange(1, 125), 1, None),
        (ExitRange(1, 125), 125, None),
        (ExitRange(1, 125), 0, "the exit status is 0, not 1-125"),
        (ExitRange(1, 255), 255, None),
        (ExitRange(1, 255), 0, "the exit status is 0, not nonzero"),
    ],
)
def test_the_expected_exit_status_may_be_a_number_a_range_or_nonzero(
    expected_exit: ExitRange, status: int, note: str | None
) -> None:
    judgement = judge(seen(b"1", Exited(status)), case_of(b"1"), Policy(exit=expected_exit))
    if note is None:
        assert judgement == Judgement(Verdict.PASSED, "as expected")
    else:
        told = f"the values are right, but {note}"
        assert judgement == Judgement(Verdict.EXIT_STATUS, told)


def test_a_signal_is_no_exit_status_that_nonzero_would_mean() -> None:
    policy = Policy(exit=ExitRange(1, 255))
    assert verdict_of(seen(b"1", Signalled(15)), b"1", policy) is Verdict.CRASHED


@pytest.mark.parametrize("stdout", [b"", b" \n\t\r\n"])
def test_nothing_printed_where_nothing_is_expected_passes(stdout: bytes) -> None:
    assert verdict_of(seen(stdout), b"\n") is Verdict.PASSED
    assert verdict_of(seen(stdout, Exited(1)), b"") is Verdict.EXIT_STATUS


def test_something_printed_where_nothing_is_expected_is_too_many() -> None:
    said = said_of(seen(b"null"), b"")
    assert said == "too-many: 0 values expected, 1 printed"


def test_numbers_are_compared_as_the_policy_says() -> None:
    by_value = Policy(Comparison(numbers=Numbers.VALUE))
    assert verdict_of(seen(b"1.0"), b"1") is Verdict.DIFFERS
    assert verdict_of(seen(b"1.0"), b"1", by_value) is Verdict.PASSED


@pytest.mark.parametrize(
    ("stdout", "allow"),
    [
        (b"[NaN]", "nan"),
        (b'{"a":2,"a":1}', "duplicate-keys"),
        (b'"\\udead"', "lone-surrogates"),
    ],
)
def test_what_is_no_strict_json_is_malformed_unless_the_policy_allows_it(
    stdout: bytes, allow: str
) -> None:
    assert verdict_of(seen(stdout), b"1") is Verdict.MALFORMED
    assert verdict_of(seen(stdout), b"1", Policy(Comparison(allow=(allow,)))) is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("stdout", "verdict"),
    [(b"1 2 2 1", Verdict.PASSED), (b"1 1 3", Verdict.TOO_MANY), (b"3 3", Verdict.DIFFERS)],
)
def test_in_a_stream_that_is_a_set_the_number_of_values_does_not_count(
    stdout: bytes, verdict: Verdict
) -> None:
    policy = Policy(Comparison(at=(PlaceRule(("",), order=Order.SET),)))
    assert verdict_of(seen(stdout), b"2 1", policy) is verdict


@pytest.mark.parametrize(
    ("stdout", "ignored", "verdict"),
    [
        (b"1 2", "/2", Verdict.PASSED),
        (b"1 2 3 4", "/3", Verdict.PASSED),
        (b"1 9", "/2", Verdict.DIFFERS),
        (b"1 9 3 4", "/3", Verdict.DIFFERS),
        (b"1 2", "/1", Verdict.TOO_FEW),
        (b"1 2 3 4", "/2", Verdict.TOO_MANY),
        (b"1 2 3 4 5", "/3", Verdict.TOO_MANY),
        (b"9 8 7 6", "/*", Verdict.PASSED),
    ],
)
def test_values_that_are_ignored_are_neither_too_few_nor_too_many(
    stdout: bytes, ignored: str, verdict: Verdict
) -> None:
    policy = Policy(Comparison(ignore=(ignored,)))
    assert verdict_of(seen(stdout), b"1 2 3", policy) is verdict


def test_in_a_stream_without_order_other_values_are_not_called_right() -> None:
    policy = Policy(Comparison(unordered=("",)))
    assert said_of(seen(b"3 9"), b"1 2 3", policy) == (
        "too-few: 3 values expected, 2 printed; of 3 differences,"
        " the first at /0: 1 expected, nothing printed"
    )
    assert said_of(seen(b"3 1"), b"1 2 3", policy) == (
        "too-few: 3 values expected, 2 printed; those are right; /1 is missing"
    )


# Bounds.


def test_far_too_many_values_are_not_all_compared() -> None:
    judgement = judge(seen(b"1 2" + b" 3" * 5_000), case_of(b"1 1"), STRICT)
    assert judgement.message == (
        "2 values expected, 5,002 printed; of 1,001 differences or more,"
        " the first at /1: 1 expected, 2 printed"
    )
    assert len(judgement.differences) == 1_001


def test_far_too_many_differences_are_not_all_listed() -> None:
    expected = b"[" + b"1," * 11_000 + b"1]"
    judgement = judge(seen(expected.replace(b"1", b"2")), case_of(expected), STRICT)
    assert judgement.message == (
        "10,000 differences or more, the first at /0/0: 1 expected, 2 printed"
    )
    assert len(judgement.differences) == 10_000


@pytest.mark.parametrize(("size", "is_told"), [(32_000, True), (33_000, False)])
def test_hints_are_not_looked_for_in_large_streams(size: int, is_told: bool) -> None:
    large = b'"' + b"x" * size + b'"'
    judgement = judge(seen(b"2 " + large), case_of(large + b" 2"), STRICT)
    assert judgement.message.startswith("2 differences, the first at /0: ")
    assert judgement.message.endswith("; all is there, but in another order") == is_told


def test_an_element_left_out_is_one_difference_with_its_place_on_both_sides() -> None:
    judgement = judge(seen(b'[{"a": 1, "b": 3}, 4]'), case_of(b'[0, {"a": 1, "b": 2}, 4]'), STRICT)
    assert judgement.message == "2 differences, the first at /0/0: 0 expected, nothing printed"
    zero, two, three = (decode(text).values[0] for text in (b"0", b"2", b"3"))
    assert judgement.differences == (
        Difference("/0/0", zero, MISSING),
        Difference("/0/1/b", two, three, "/0/0/b"),
    )


def test_a_limit_that_fell_and_a_signal_are_no_pass() -> None:
    case = case_of(b"1")
    assert not passes(seen(b"1", Signalled(9), Limit.WALL), case, STRICT)
    assert not passes(seen(b"1", Signalled(11)), case, case.policy)
    assert passes(seen(b"1"), case, case.policy)
