"""Rules are made once for many places, and some combinations are rejected."""

from __future__ import annotations

from support.golden import Golden
from support.tables import comparison_of

from harness.judging.rules import Rules, rules_of, tolerance_conflict
from harness.model.comparison import Comparison, Numbers


def test_places_that_no_path_names_share_their_rules() -> None:
    rules = rules_of(Comparison(ignore=("/**/x", "/0/a")))
    first = rules.below(1)
    assert isinstance(first, Rules)
    assert first is rules.below(2) is rules.below("k").below(7)
    assert first is not rules.below(0)
    assert rules.below(0) is rules.below("0")


def test_without_paths_every_place_has_the_same_rules() -> None:
    rules = rules_of(Comparison(Numbers.VALUE))
    assert rules.is_uniform
    assert rules.below(0) is rules.below("a") is rules
    assert not rules_of(Comparison(ignore=("/0",))).is_uniform
    assert rules_of(Comparison(ignore=("/0",))).below(1).is_uniform


def test_a_tolerance_must_not_apply_inside_a_set_or_nested_unordered_arrays_without_a_key(
    golden: Golden,
) -> None:
    def fault(expression: str) -> str:
        return tolerance_conflict(comparison_of(expression)).partition(", so its")[0]

    golden.table("soundness.txt", fault)
