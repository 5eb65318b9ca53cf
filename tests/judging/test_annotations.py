"""Comparison rules in output schemas, and their conflicts with suite.toml."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.jsonio.fast import decode
from harness.judging.annotations import conflicts, schema_rules, with_schema_rules
from harness.judging.comparison_parser import ComparisonError
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule, Tolerance


def rules(schema: Any) -> list[PlaceRule]:
    """The rules in a schema."""
    return list(schema_rules(decode(json.dumps(schema).encode()).values[0]))


IGNORED = PlaceRule((), ignore=True)
SET = PlaceRule((), order=ArrayOrder.SET)


def at(path: str, rule: PlaceRule = IGNORED) -> PlaceRule:
    """A rule for one path."""
    return rule._replace(paths=(path,))


def test_each_keyword_becomes_a_rule_for_the_place_it_stands_at() -> None:
    schema = {
        "x-order": "list",
        "items": {
            "properties": {
                "players": {"x-order": "set", "x-key": "name"},
                "a/b": {"x-tolerance": 0.001},
                "n": {"x-tolerance": {"relative": 1e-9, "absolute": 2}},
                "keyed": {"x-key": "id"},
                "time": {"x-ignore": True},
                "plain": {"type": "string", "x-mine": 1},
            }
        },
    }
    assert rules(schema) == [
        PlaceRule(("",), order=ArrayOrder.LIST),
        PlaceRule(("/*/players",), order=ArrayOrder.SET, key="name"),
        PlaceRule(("/*/a~1b",), numbers=Tolerance("0.001")),
        PlaceRule(("/*/n",), numbers=Tolerance("2", "1e-09")),
        PlaceRule(("/*/keyed",), key="id"),
        PlaceRule(("/*/time",), ignore=True),
    ]


def test_schemas_for_the_same_place_and_references_are_followed() -> None:
    ignored = {"x-ignore": True}
    schema = {
        "prefixItems": [{"$ref": "#/$defs/a"}, {"anyOf": [{"properties": {"x": ignored}}, True]}],
        "allOf": [{"items": {"then": {"else": {"patternProperties": {"^p": ignored}}}}}],
        "oneOf": [{"$ref": "#/allOf/0/items/then/else"}],
        "dependentSchemas": {"k": {"unevaluatedProperties": ignored}},
        "$defs": {"a": {"properties": {"y": ignored}}, "unused": ignored},
        "not": {"properties": {"never": ignored}},
    }
    assert rules(schema) == [at("/*/*"), at("/*"), at("/0/y"), at("/1/x")]


@pytest.mark.parametrize("reference", ["#anchor", "other.json", "#/$defs/none", "#/items/7/x", 3])
def test_a_reference_that_leads_nowhere_says_nothing(reference: Any) -> None:
    assert not rules({"$ref": reference, "items": [], "properties": []})


def test_rules_for_all_other_members_do_not_apply_to_named_ones() -> None:
    ignored = {"x-ignore": True}
    named = {"properties": {"a": {}, "b": {"x-order": "set"}}, "additionalProperties": ignored}
    forgotten = PlaceRule((), forget=True)
    assert rules(named) == [at("/*"), at("/a/**", forgotten), at("/b/**", forgotten), at("/b", SET)]
    assert rules({"prefixItems": [{}], "items": ignored}) == [at("/*"), at("/0/**", forgotten)]
    # Without rules, there is nothing to reset.
    assert not rules({"properties": {"a": {}}, "additionalProperties": {"type": "string"}})


def test_a_schema_that_contains_itself_holds_for_every_round() -> None:
    tree = {
        "properties": {
            "time": {"x-ignore": True},
            "children": {"x-order": "set", "items": {"$ref": "#/$defs/tree"}},
        }
    }
    schema = {"x-order": "set", "items": {"$ref": "#/$defs/tree"}, "$defs": {"tree": tree}}
    assert rules(schema) == [
        at("", SET),
        at("/*/time"),
        at("/*/children", SET),
        at("/*/**/children/*/time"),
        at("/*/**/children/*/children", SET),
    ]


def test_a_schema_that_only_stands_for_itself_is_read_once() -> None:
    assert rules({"x-ignore": True, "allOf": [{"$ref": "#"}]}) == [at("")]


def test_rounds_within_rounds_are_all_followed() -> None:
    inner = {"properties": {"i": {"$ref": "#/$defs/inner"}, "o": {"$ref": "#"}, "x": X_IGNORE}}
    found = rules({"properties": {"in": {"$ref": "#/$defs/inner"}}, "$defs": {"inner": inner}})
    assert [rule.paths[0] for rule in found] == [
        "/in/x",
        "/in/**/i/x",
        "/**/in/o/in/x",
        "/**/in/o/in/**/i/x",
    ]


X_IGNORE = {"x-ignore": True}


def test_references_that_multiply_without_end_are_refused() -> None:
    doubled = {
        f"d{level}": {"properties": {step: {"$ref": f"#/$defs/d{level + 1}"} for step in "ab"}}
        for level in range(20)
    }
    with pytest.raises(ComparisonError) as caught:
        rules({"$ref": "#/$defs/d0", "$defs": doubled | {"d20": X_IGNORE}})
    assert str(caught.value) == "its references lead to too many places"


def refusal(schema: Any) -> str:
    """Return the reason why a schema, or a text of one, is refused."""
    with pytest.raises(ComparisonError) as caught:
        if isinstance(schema, str):
            with_schema_rules(Comparison(Tolerance("1")), schema.encode(), "o.json")
        rules(schema)
    return str(caught.value)


def test_an_invalid_rule_in_a_schema_is_refused(golden: Golden) -> None:
    check_table(golden, __file__, "annotations.txt", refusal)


def test_a_comparison_is_joined_with_the_rules_of_the_schema() -> None:
    comparison = Comparison(ignore=("/0",))
    both = with_schema_rules(comparison, b'{"items":{"x-ignore":true}}', "o.json")
    assert both == comparison._replace(contract=(at("/*"),))


def test_rules_of_suite_toml_that_override_the_schema_are_conflicts(golden: Golden) -> None:
    comparison = Comparison(
        numbers=Numbers.VALUE,
        unordered=("/0/a", "/1"),
        ignore=("/0/t",),
        at=(
            PlaceRule(("/0/n",), numbers=Numbers.EXACT, ignore=False),
            PlaceRule(("/*/a",), key="id"),
            PlaceRule(("/9/n",), numbers=Tolerance("1")),
            PlaceRule(("/**/s",), order=ArrayOrder.SET),
        ),
        contract=(
            PlaceRule(("/*/a",), order=ArrayOrder.SET, key="name"),
            PlaceRule(("/*/n",), numbers=Tolerance("1")),
            PlaceRule(("/0/n",), ignore=True),
            PlaceRule(("/*/t",), ignore=True),
            PlaceRule(("/0/s",), order=ArrayOrder.SET),
            PlaceRule(("/0/**",), forget=True),
        ),
    )
    found = [f"{conflict.path}: {conflict.message}\n" for conflict in conflicts(comparison)]
    golden("conflicts.txt", "".join(found))
