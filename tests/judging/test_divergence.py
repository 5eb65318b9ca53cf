"""Inputs that separate subjects: their details, and the text of a comparison."""

from __future__ import annotations

from itertools import combinations

from support.golden import Golden

from harness.analysis.compare import ComparisonTotals, OutcomeGroups
from harness.judging.grouping import answer_of, failures_of, groups_of, separation
from harness.model.case import Policy
from harness.model.compared import SeparatingInput, Separation
from harness.model.comparison import Comparison, Tolerance
from harness.model.events import Diagnostic, ShownDifference
from harness.model.transcript import Exited, Signalled, Transcript
from harness.reports.terminal.display import PLAIN, Display
from harness.reports.terminal.groups import separation_lines, subject_lines, sum_lines


def printed(text: str, status: int = 0) -> Transcript:
    """Return the transcript of a subject that printed a text."""
    return Transcript(Exited(status), text.encode(), stdout_bytes=len(text.encode()))


CRASH = Transcript(Signalled(11), b"[", b"a\nbang\x1b\n", stdout_bytes=1, stderr_bytes=8)


def separate(*seen: Transcript, comparison: Comparison = Comparison()) -> Separation:
    answers = [answer_of(each, Policy(comparison)) for each in seen]
    of = SeparatingInput("s", "1", 3, groups_of(answers, comparison))
    repeat = ("xtest", "compare", "a b")
    return separation(of, b"[\x1b]", seen, answers, comparison, repeat=repeat)


def totals(*inputs: tuple[Transcript, ...]) -> ComparisonTotals:
    """Return the totals of inputs, the first separating one with details."""
    agreement = OutcomeGroups(len(inputs[0]) if inputs else 2)
    separating = []
    for seen in inputs:
        answers = [answer_of(each, Policy()) for each in seen]
        groups = groups_of(answers, Comparison())
        agreement.add(failures_of(answers), groups)
        if len(groups) > 1:
            separating.append(separate(*seen))
    names = tuple(f"./p{number}" for number in range(agreement.subjects))
    found = [each.of for each in separating]
    return ComparisonTotals(names, False, agreement, found, separating[:1])


def test_each_group_is_compared_with_the_first_one_that_did_not_fail() -> None:
    found = separate(CRASH, printed("[1, 2]"), printed("oops"), printed("[1, 3]"), printed("[1,2]"))
    assert [(one.members, one.failed, one.beside) for one in found.outputs] == [
        ((0,), True, None),
        ((1, 4), False, None),
        ((2,), True, None),
        ((3,), False, 1),
    ]
    assert found.outputs[3].evidence.differences == (ShownDifference("/0/1", "2", "3"),)
    assert found.outputs[3].evidence.expected.data == b"[1, 2]"
    assert [one.beside for one in separate(CRASH, printed("oops")).outputs] == [None, None]


def test_a_malformed_output_shows_its_exit_status_too() -> None:
    (_, last) = separate(printed("1"), printed("o", 3)).outputs
    assert last.ending.endswith("; exit status 3")


def test_differences_follow_the_policy_and_outputs_are_bounded() -> None:
    near = separate(printed("[1, 5]"), printed("[2, 9]"), comparison=Comparison(Tolerance("1")))
    assert near.outputs[1].evidence.differences == (ShownDifference("/0/1", "5", "9"),)
    large = separate(printed(f'"{"x" * 100_000}"'), printed("1")).outputs[0].evidence.stdout
    assert (len(large.data), large.total) == (65_536, 100_002)


def test_the_text_of_separating_inputs_is_what_is_recorded(golden: Golden) -> None:
    long = f'"{"x" * 100}"'
    narrow = Display(width=80)
    wide = Display(width=120, most_lines=None, side_by_side=True)
    several = separate(printed("[1, 2, 3]"), printed("[1, 5, 6]"))
    lines = [
        *separation_lines(separate(printed("1"), printed("2"), printed("1")), narrow),
        *separation_lines(several, narrow),
        *separation_lines(several, wide),
        *separation_lines(separate(printed(f"[{long}, 1]"), printed(f"[{long}, 2]")), narrow),
        *separation_lines(separate(printed("1"), CRASH, Transcript(Signalled(6))), narrow),
        *separation_lines(separate(printed("1"), printed("1", 3)), narrow),
    ]
    golden("separating-inputs.txt", "\n".join([*lines, ""]))


def test_the_totals_are_what_is_recorded(golden: Golden) -> None:
    one, two = printed("1"), printed("2")
    found = totals((one, one, one), (one, two, CRASH), (one, one, two), (CRASH, CRASH, CRASH))
    many = [
        tuple(two if number in pair else one for number in range(6))
        for pair in combinations(range(6), 2)
    ]
    alike = totals((one, one))
    reported = [
        found._replace(problems=[Diagnostic("s\x1b", "is broken")], has_reference=True),
        totals(*many, *many[:1]),
        alike,
        alike._replace(interrupted=True),
        totals((CRASH, CRASH)),
        totals(),
    ]
    lines = [
        line
        for each in reported
        for line in ("", *subject_lines(each, PLAIN), *sum_lines(each, 1, PLAIN))
    ]
    golden("totals.txt", "\n".join([*lines, ""]))
