"""The rules at a place: the last that matches it wins, and some combinations are rejected."""

from __future__ import annotations

from support.golden import Golden
from support.tables import check_table, comparison_of

from harness.judging.rules import Rules, RulesHere, rules_of, unsound
from harness.model.comparison import (
    ArrayOrder,
    Comparison,
    Numbers,
    PlaceRule,
    Schema,
    Strings,
    Tolerance,
)

NEAR = Tolerance("0.1")


def here(comparison: Comparison, *steps: int | str) -> RulesHere:
    rules = rules_of(comparison)
    for step in steps:
        rules = rules.below(step)
    return rules.here


def test_of_the_rules_for_one_thing_the_last_one_holds() -> None:
    comparison = Comparison(
        numbers=Numbers.VALUE,
        unordered=("/0/a",),
        ignore=("/0/**",),
        at=(
            PlaceRule(("/0/a", "/0/b"), order=ArrayOrder.SET, ignore=False),
            PlaceRule(("/*/a",), key="id"),
            PlaceRule(("/*/b",), numbers=NEAR, strings=Strings.NFC, schema=Schema("true")),
        ),
        contract=(PlaceRule(("/**",), numbers=Numbers.EXACT, order=ArrayOrder.LIST),),
    )
    assert here(comparison, 0) == RulesHere(ignore=True)
    assert here(comparison, 0, "a") == RulesHere(order=ArrayOrder.MULTISET, key="id")
    assert here(comparison, 0, "b") == RulesHere(
        NEAR, Strings.NFC, ArrayOrder.SET, None, Schema("true"), False
    )
    assert here(comparison, 0, "c") == RulesHere(ignore=True)
    assert here(comparison, 1, "c") == RulesHere()


def test_a_rule_that_speaks_of_an_array_says_all_of_it() -> None:
    comparison = Comparison(
        at=(
            PlaceRule(("/0",), order=ArrayOrder.SET, key="id"),
            PlaceRule(("/0",), order=ArrayOrder.SET),
        )
    )
    assert here(comparison, 0) == RulesHere(order=ArrayOrder.SET)


def test_earlier_rules_can_be_reset() -> None:
    comparison = Comparison(
        numbers=Numbers.VALUE,
        contract=(
            PlaceRule(("/*",), numbers=NEAR, order=ArrayOrder.SET, ignore=True),
            PlaceRule(("/0/**",), forget=True),
            PlaceRule(("/0",), key="id"),
        ),
    )
    assert here(comparison, 0) == RulesHere(Numbers.VALUE, order=ArrayOrder.MULTISET, key="id")
    assert here(comparison, 1) == RulesHere(NEAR, order=ArrayOrder.SET, ignore=True)


def test_places_that_no_path_names_share_one_outlook() -> None:
    rules = rules_of(Comparison(ignore=("/**/x", "/0/a")))
    first = rules.below(1)
    assert isinstance(first, Rules)
    assert first is rules.below(2) is rules.below("k").below(7)
    assert first is not rules.below(0)
    assert rules.below(0) is rules.below("0")


def test_without_rules_every_place_is_like_the_first() -> None:
    rules = rules_of(Comparison(Numbers.VALUE))
    assert rules.is_uniform
    assert rules.below(0) is rules.below("a") is rules
    assert not rules_of(Comparison(ignore=("/0",))).is_uniform
    assert rules_of(Comparison(ignore=("/0",))).below(1).is_uniform


def test_a_tolerance_must_not_reach_into_a_set_without_a_key(golden: Golden) -> None:
    def fault(expression: str) -> str:
        return unsound(comparison_of(expression)).partition(", an array without")[0]

    check_table(golden, __file__, "soundness.txt", fault)
