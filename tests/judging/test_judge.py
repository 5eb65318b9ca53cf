"""The verdict table: every cause, every pair of causes, and the message for each."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from support.cases import case_of, printed
from support.golden import Golden
from support.tables import comparison_of, transcript_of

from harness.judging.judge import combine, judge, judge_invalid, passes, passes_alike
from harness.model.case import CaseInfo, ExitRange, InvalidCase, Policy
from harness.model.comparison import Comparison
from harness.model.events import Origin, pass_like, run_result
from harness.model.judgement import Judgement, ShownDifference
from harness.model.limits import Limit, Limits, Usage
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict

LIMITS = Limits(
    wall_s=10, first_byte_s=2.5, cpu_s=4, memory_mib=256, output_mib=16, processes=1_000
)
STRICT = Policy(limits=LIMITS)


def seen(stdout: bytes, ending: Ending = Exited(0), limit: Limit | None = None) -> Transcript:
    first_byte_s = 0.25 if stdout else None
    return printed(stdout, ending, limit=limit, first_byte_s=first_byte_s, usage=Usage(1.5))


def verdict_of(transcript: Transcript) -> Verdict:
    return judge(transcript, case_of(EXPECTED), STRICT).verdict


# The verdict names the earliest cause, whatever else went wrong.

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
INCOMPLETE = (b"[1]", b"[9]", b" \n", b"[1] [2")


@pytest.mark.parametrize(
    ("ending", "limit", "stdout", "causes"),
    [
        (ending, limit, stdout, (one, two, three))
        for (ending, one), (limit, two), (stdout, three) in product(ENDINGS, FALLEN, PRINTED)
    ],
)
def test_of_several_causes_the_earliest_is_reported(
    ending: Ending, limit: Limit | None, stdout: bytes, causes: tuple[Verdict, ...]
) -> None:
    in_order = list(Verdict)
    earliest = min(causes, key=in_order.index)
    if stdout in INCOMPLETE and min(causes[:2], key=in_order.index) is Verdict.EXIT_STATUS:
        earliest = Verdict.EXIT_STATUS  # it explains why the output is incomplete
    assert verdict_of(seen(stdout, ending, limit)) is earliest


def test_a_program_that_printed_nothing_in_time_is_silent_unless_it_never_started() -> None:
    for (ending, cause), limit in product(ENDINGS, (Limit.WALL, Limit.FIRST_BYTE)):
        silent = cause if cause is Verdict.NOT_STARTED else Verdict.SILENT
        assert verdict_of(seen(b"", ending, limit)) is silent


def test_a_wrong_exit_status_is_reported_before_the_checker_and_the_bytes() -> None:
    policy = Policy(Comparison(bytes=True), limits=LIMITS, checker=("./check",))
    assert (
        judge(seen(b"2", Exited(1)), case_of(b"1", policy=policy), policy).verdict
        is Verdict.EXIT_STATUS
    )


def test_an_invalid_case_keeps_its_reason() -> None:
    assert judge_invalid(InvalidCase("s", "7", "why")) == Judgement(Verdict.INVALID_CASE, "why")


# Messages.


def judgement_of(run: dict[str, Any]) -> str:
    comparison = comparison_of(run.pop("compare", "Comparison()"))
    policy = Policy(comparison, ExitRange(*run.pop("accepts", (0, 0))), LIMITS)
    case = case_of(run.pop("expected", EXPECTED), b"1 2 [3]\n")
    first_byte_s = 0.25 if run.get("stdout") else None
    transcript = transcript_of({"usage": Usage(1.5), "first_byte_s": first_byte_s, **run})
    judgement = judge(transcript, case, policy)
    assert passes(transcript, case, policy) is (judgement.verdict is Verdict.PASSED)
    return f"{judgement.verdict.value}: {judgement.message}"


def test_a_message_says_what_is_wrong(golden: Golden) -> None:
    golden.table("judge.txt", judgement_of)


@pytest.mark.parametrize("stdout", [b"[1", b"", b"[1] 2"])
def test_an_output_without_values_to_compare_has_no_differences(stdout: bytes) -> None:
    ending: Ending = Signalled(11) if stdout == b"" else Exited(0)
    assert judge(seen(stdout, ending), case_of(EXPECTED), STRICT).differences == ()


# Bounds.


def test_far_too_many_values_are_not_all_compared() -> None:
    judgement = judge(seen(b"1 2" + b" 3" * 5_000), case_of(b"1 1"), STRICT)
    assert judgement.message == (
        "2 values expected, 5,002 printed; 1,001 differences or more,"
        " the first at value 2: 1 expected, 2 printed"
    )
    assert (len(judgement.differences), judgement.differences_total) == (200, 1_001)


def test_far_too_many_differences_are_not_all_listed() -> None:
    expected = b"[" + b"1," * 11_000 + b"1]"
    judgement = judge(seen(expected.replace(b"1", b"2")), case_of(expected), STRICT)
    assert judgement.message == (
        "10,000 differences or more, the first at /0: 1 expected, 2 printed"
    )
    assert judgement.differences_total == 10_000


@pytest.mark.parametrize(("size", "is_told"), [(32_000, True), (33_000, False)])
def test_hints_are_not_sought_in_large_streams(size: int, is_told: bool) -> None:
    large = b'"' + b"x" * size + b'"'
    judgement = judge(seen(b"2 " + large), case_of(large + b" 2"), STRICT)
    assert judgement.message.startswith("2 differences, the first at value 1: ")
    assert judgement.message.endswith("; the same values, reversed") == is_told


def test_a_removed_element_is_one_difference_with_its_place_on_both_sides() -> None:
    judgement = judge(seen(b'[{"a": 1, "b": 3}, 4]'), case_of(b'[0, {"a": 1, "b": 2}, 4]'), STRICT)
    assert judgement.message == "2 differences, the first at /0: 0 expected, nothing printed"
    assert judgement.differences == (
        ShownDifference("/0/0", "0", None),
        ShownDifference("/0/1/b", "2", "3", "/0/0/b"),
    )


# Several runs as one judgement.

RIGHT = (Transcript(Exited(0), b"1"), Judgement(Verdict.PASSED, "as expected"))
CRASH = (Transcript(Signalled(11)), Judgement(Verdict.CRASHED, "ended by SIGSEGV"))
SHORT = (Transcript(Exited(1)), Judgement(Verdict.TOO_FEW, "1 value expected, none printed"))


def test_runs_with_one_verdict_are_combined_into_the_last() -> None:
    assert combine([CRASH]) is CRASH
    again = (Transcript(Signalled(11), b"2"), Judgement(Verdict.CRASHED, "ended by SIGSEGV"))
    assert combine([CRASH, again]) is again


def test_runs_with_different_verdicts_are_flaky_and_show_the_first_that_failed() -> None:
    assert combine([CRASH, RIGHT])[1].verdict is Verdict.FLAKY
    transcript, judgement = combine([RIGHT, CRASH, RIGHT, SHORT])
    assert transcript is CRASH[0]
    assert judgement.verdict is Verdict.FLAKY
    assert judgement.message == (
        "4 runs: 2 passed, 1 crashed, 1 too-few; crashed: ended by SIGSEGV"
    )
    assert judgement.verdicts == (Verdict.CRASHED, Verdict.TOO_FEW, Verdict.PASSED)


def test_a_test_passes_if_it_passes_in_all_runs() -> None:
    wrong = (RIGHT[0], Judgement(Verdict.DIFFERS, "2 printed", tests=3, tests_passed=2))
    first = wrong[1]._replace(failed_tests=("/0/1",))
    second = wrong[1]._replace(failed_tests=("/0/2",))
    right = (RIGHT[0], RIGHT[1]._replace(tests=3, tests_passed=3))
    for attempts in ([(RIGHT[0], first), (RIGHT[0], second)], [right, wrong, (RIGHT[0], first)]):
        judgement = combine(attempts)[1]
        is_named = wrong not in attempts
        assert judgement.failed_tests == (("/0/1", "/0/2") if is_named else ())
        assert judgement.tests_passed == (1 if is_named else 2)


def test_the_least_share_of_points_counts() -> None:
    shares = (0.5, 0.25, 0.75)
    runs = [(RIGHT[0], Judgement(Verdict.DIFFERS, "no path", points=each)) for each in shares]
    assert combine(runs)[1].points == 0.25
    assert combine([RIGHT, *runs])[1].points == 0.25
    assert combine([*runs, (RIGHT[0], Judgement(Verdict.DIFFERS, "no path"))])[1].points is None
    assert combine([SHORT, *runs])[1].points is None


def test_runs_that_differ_in_several_ways_say_so() -> None:
    texts = ("1", "2")
    ways = [(ShownDifference("/0", "0", text),) for text in texts]
    runs = [(RIGHT[0], Judgement(Verdict.DIFFERS, "0 expected", way, 1)) for way in ways]
    assert combine(runs)[1].message == "0 expected; the outputs of 2 runs differ"
    assert combine([runs[0], runs[0]])[1].message == "0 expected"


def test_a_run_that_was_not_judged_is_no_reason_to_call_a_case_flaky() -> None:
    broken = (RIGHT[0], Judgement(Verdict.HARNESS_FAULT, "the checker failed"))
    assert combine([RIGHT, broken, SHORT]) is broken


PASS = b"[1]\n"
OTHERS = (PASS, b"[2, 2]\n[]\n", b"\n", b"[%s]\n" % (b"1," * 300_000 + b"1"))
POLICIES = {
    "the default": (STRICT, set(OTHERS)),
    "a status": (STRICT._replace(exit=ExitRange(1, 3)), set()),
    "a test path": (STRICT._replace(test_path="/*"), set()),
    "a checker": (STRICT._replace(checker=("check",)), set()),
    "little output": (STRICT._replace(limits=LIMITS._replace(output_mib=1)), set(OTHERS[:3])),
}


@pytest.mark.parametrize("policy, alike", POLICIES.values(), ids=POLICIES)
def test_a_pass_by_the_expected_text_says_all_about_others(
    policy: Policy, alike: set[bytes]
) -> None:
    origin = Origin("prog", "plain", ("xtest",), "stream")
    first = case_of(PASS, policy=policy)
    event = run_result(first, seen(PASS), judge(seen(PASS), first, policy), origin)
    told = set()
    for text in OTHERS:
        other = case_of(text, b"1", policy=policy, tags=("t",), info=CaseInfo("title"))
        own = run_result(other, seen(text), judge(seen(text), other, policy), origin)
        if event.is_bare_pass and passes_alike(other, first):
            told.add(text)
            assert pass_like(event, other, ("xtest",)) == own
    assert told == alike


def test_a_pass_says_nothing_of_another_policy_or_of_several_right_outputs() -> None:
    first = case_of(PASS, policy=STRICT)
    assert passes_alike(first, first)
    assert not passes_alike(case_of(PASS, policy=STRICT._replace(exit=ExitRange(1, 3))), first)
    assert not passes_alike(first._replace(alternatives=([True], [False])), first)
