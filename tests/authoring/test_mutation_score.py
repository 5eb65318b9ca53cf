"""The outcome of mutants: killed, survived, hidden by the policy, or without effect."""

from __future__ import annotations

from support.cases import case_of

from harness.authoring.mutants import reference_output
from harness.authoring.mutation_score import MutantFinding, MutantOutcome, score_mutants
from harness.engine.request import Check
from harness.jsonio.fast import decode
from harness.model.case import Case, ExitRange, InputKind, Policy
from harness.model.comparison import Comparison, Numbers

KILLED, SURVIVED = MutantOutcome.KILLED, MutantOutcome.SURVIVED
HIDDEN, NO_EFFECT = MutantOutcome.HIDDEN, MutantOutcome.NO_EFFECT
SWAPPED = "true and false swapped"


def score(
    *expected: str, policy: Policy = Policy(), status: int = 0, check: Check | None = None
) -> dict[tuple[str, str], MutantFinding]:
    """Return the finding of each mutant, by path and name, on a suite of expected outputs."""
    cases = [case_of(text.encode(), policy=policy) for text in expected]
    outputs = [reference_output(each.expected, status) for each in cases]
    return {(one.where, one.what): one for one in score_mutants(cases, outputs, check)}


def test_a_mutant_is_killed_by_the_cases_that_fail() -> None:
    finding = score("true", "1", "false")["the value", SWAPPED]
    assert (finding.outcome, finding.changed, finding.killed_by) == (KILLED, (0, 2), (0, 2))
    assert score("1", "2")["the value", SWAPPED].outcome is NO_EFFECT


def test_other_bytes_of_the_same_values_have_no_effect() -> None:
    half = ("", "prints only the first half")
    assert score("1")[half].outcome is NO_EFFECT  # 1 without its line end
    finding = score("1", "12")[half]
    assert (finding.changed, finding.killed_by) == ((1,), (1,))


def test_a_constant_survives_unless_the_schema_fixes_it() -> None:
    def check_of(*allowed: str) -> Check:
        def check(each: Case) -> str:
            assert each.kind is InputKind.RAW  # the input is not validated again
            texts = [decode(text.encode()).values for text in allowed]
            return "" if each.expected in texts else "invalid"

        return check

    fixed = score('"error"', '"error"', check=check_of('"error"'))["the value", 'always "error"']
    assert (fixed.outcome, fixed.reason) == (NO_EFFECT, "the schema allows no other value there")
    free = score("true", "true", check=check_of("true", "false"))["the value", "always true"]
    invalid = score("true", "true", check=check_of())["the value", "always true"]
    assert free.outcome is invalid.outcome is SURVIVED


def test_a_mutant_hidden_by_the_policy_names_the_keys() -> None:
    numbers = Comparison(numbers=Numbers.VALUE), "[compare] numbers"
    for (comparison, reason), expected, where, what in (
        ((Comparison(ignore=("/m",)), "[compare] ignore"), '{"m": "a"}', "/m", "emptied string"),
        ((Comparison(unordered=("/0",)), "[compare] unordered"), "[1, 2]", "the value", "reversed"),
        (numbers, "1", "the value", "with a decimal point"),
    ):
        finding = score(expected, "[3]", policy=Policy(comparison))[where, what]
        assert (finding.outcome, finding.killed_by) == (HIDDEN, ())
        assert finding.reason == f"ignored by {reason}"
        assert finding.changed == (0,)
    both = Policy(Comparison(ignore=("/*/m",), unordered=("/**",)))
    finding = score('{"m": [1, 2]}', policy=both)["/m", "reversed"]
    assert finding.outcome is HIDDEN
    assert finding.reason == "several rules of [compare] together ignore it"


def test_a_policy_that_hides_a_whole_output_hides_too_much() -> None:
    finding = score("1", "2", policy=Policy(Comparison(ignore=("/**",))))["", "prints nothing"]
    assert (finding.outcome, finding.reason) == (SURVIVED, "ignored by [compare] ignore")


def test_an_exit_range_hides_another_status() -> None:
    findings = score("1", policy=Policy(exit=ExitRange(1, 125)), status=1)
    assert findings["", "exits with a status one higher"].reason == "ignored by exit"
    assert findings["", "always exits with 0"].outcome is KILLED


def test_without_cases_there_are_no_findings() -> None:
    assert not score()
