"""Which faults a suite notices, and why it does not notice others."""

from __future__ import annotations

from harness.care.mutation import answer
from harness.care.strength import Finding, Outcome, Refusal, findings
from harness.jsonfast import decode
from harness.records import Case, Comparison, ExitRange, InputKind, Numbers, Policy


def case(name: int, expected: str, policy: Policy = Policy()) -> Case:
    """A case with an expected output, written as its values."""
    values = decode(expected.encode()).values
    return Case("s", str(name), b"", expected.encode(), values, policy=policy)


def found(
    *expected: str, policy: Policy = Policy(), status: int = 0, refusal: Refusal | None = None
) -> dict[tuple[str, str], Finding]:
    """What comes of each fault, by place and name, on a suite with these expected outputs."""
    cases = [case(number, text, policy) for number, text in enumerate(expected)]
    right = [answer(each.expected, status) for each in cases]
    return {(one.fault.where, one.fault.what): one for one in findings(cases, right, refusal)}


FLIPPED = "false for true, true for false"


def test_a_fault_is_noticed_by_the_cases_that_do_not_pass_with_it() -> None:
    finding = found("true", "1", "false")["/0", FLIPPED]
    assert finding.outcome is Outcome.NOTICED
    assert (finding.changed, finding.noticed, finding.reason) == ((0, 2), (0, 2), "")


def test_a_fault_that_changes_no_answer_does_not_apply() -> None:
    assert found("1", "2")["/0", FLIPPED].outcome is Outcome.IDLE


def test_other_bytes_that_are_the_same_values_are_no_fault() -> None:
    half = "only the first half is printed"
    assert found("1")["", half].outcome is Outcome.IDLE  # 1 without its line end
    finding = found("1", "12")["", half]
    assert (finding.changed, finding.noticed) == ((1,), (1,))


def test_what_never_varies_is_a_fault_that_nobody_notices() -> None:
    finding = found('{"n": 1, "ok": true}', '{"n": 2, "ok": true}')["/0/ok", "always true"]
    assert finding.outcome is Outcome.UNNOTICED
    assert finding.reason == "nothing else stands there in any answer (2 cases)"


def test_a_suite_whose_answers_are_all_alike_does_not_notice_a_constant() -> None:
    finding = found("7", "7")["", "always prints the most common answer"]
    assert finding.outcome is Outcome.UNNOTICED
    assert finding.reason == "all answers are alike (2 cases)"


def test_what_the_policy_makes_no_difference_of_is_hidden_by_name() -> None:
    ignore = Policy(Comparison(ignore=("/*/m",)))
    finding = found('{"m": "a"}', '{"m": "b"}', policy=ignore)["/0/m", "empty"]
    assert (finding.outcome, finding.noticed) == (Outcome.HIDDEN, ())
    assert finding.changed == (0, 1)
    assert finding.reason == "no difference by [compare] ignore"
    unordered = Policy(Comparison(unordered=("/0",)))
    reverse = found("[1, 2]", "[3]", policy=unordered)["/0", "in reverse"]
    assert reverse.reason == "no difference by [compare] unordered"
    by_value = Policy(Comparison(numbers=Numbers.VALUE))
    point = found("1", policy=by_value)["/*", "with a decimal point"]
    assert point.reason == "no difference by [compare] numbers"


def test_two_parts_of_a_policy_that_each_hide_a_fault_are_said_to_do_so_together() -> None:
    both = Policy(Comparison(ignore=("/*/m",), unordered=("/**",)))
    finding = found('{"m": [1, 2]}', policy=both)["/*/m", "in reverse"]
    assert finding.outcome is Outcome.HIDDEN
    assert finding.reason == "several parts of [compare] together make no difference of it"


def test_a_policy_that_hides_a_whole_answer_hides_too_much() -> None:
    finding = found("1", "2", policy=Policy(Comparison(ignore=("/**",))))["", "prints nothing"]
    assert finding.outcome is Outcome.UNNOTICED
    assert finding.reason == "no difference by [compare] ignore"


def test_an_exit_status_that_may_be_any_hides_another() -> None:
    finding = found("1", policy=Policy(exit=ExitRange(1, 125)), status=1)
    assert finding["", "the exit status is one more"].reason == "no difference by exit"
    assert finding["", "the exit status is always 0"].outcome is Outcome.NOTICED


def schema(*allowed: str) -> Refusal:
    """A schema for outputs: one of these, as they are written."""

    def check(each: Case) -> str:
        assert each.kind is InputKind.RAW  # nobody asks about the input here
        texts = [decode(text.encode()).values for text in allowed]
        return "" if each.expected in texts else "the expected output breaks its schema"

    return check


def test_what_the_schema_has_as_a_constant_need_not_vary() -> None:
    finding = found('"error"', '"error"', refusal=schema('"error"'))["/0", 'always "error"']
    assert finding.outcome is Outcome.IDLE
    assert finding.reason == "the schema has no other value there"


def test_what_the_schema_lets_vary_is_to_vary() -> None:
    finding = found("true", "true", refusal=schema("true", "false"))["/0", "always true"]
    assert finding.outcome is Outcome.UNNOTICED


def test_a_schema_that_the_right_answers_break_says_nothing() -> None:
    finding = found("true", "true", refusal=schema())["/0", "always true"]
    assert finding.outcome is Outcome.UNNOTICED


def test_no_cases_no_findings() -> None:
    assert not found()
