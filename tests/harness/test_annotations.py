"""What an output schema says of comparing, and where suite.toml says otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.jsonfast import decode
from harness.judging.annotations import AnnotationError, conflicts, contract_rules, with_contract
from harness.judging.comparison import Comparison, Numbers, Order, PlaceRule, Tolerance


def rules(schema: Any) -> list[PlaceRule]:
    """The rules in a schema."""
    return list(contract_rules(decode(json.dumps(schema).encode()).values[0]))


IGNORED = PlaceRule((), ignore=True)
SET = PlaceRule((), order=Order.SET)


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
        PlaceRule(("",), order=Order.LIST),
        PlaceRule(("/*/players",), order=Order.SET, key="name"),
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


def test_what_is_said_of_all_others_does_not_hold_for_what_is_named() -> None:
    ignored = {"x-ignore": True}
    named = {"properties": {"a": {}, "b": {"x-order": "set"}}, "additionalProperties": ignored}
    forgotten = PlaceRule((), forget=True)
    assert rules(named) == [
        at("/*"),
        at("/a/**", forgotten),
        at("/b/**", forgotten),
        at("/b", SET),
    ]
    assert rules({"prefixItems": [{}], "items": ignored}) == [at("/*"), at("/0/**", forgotten)]
    # Nothing is forgotten where nothing was said.
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
    inner = {"properties": {"i": {"$ref": "#/$defs/inner"}, "o": {"$ref": "#"}, "x": SAID}}
    found = rules({"properties": {"in": {"$ref": "#/$defs/inner"}}, "$defs": {"inner": inner}})
    assert [rule.paths[0] for rule in found] == [
        "/in/x",
        "/in/**/i/x",
        "/**/in/o/in/x",
        "/**/in/o/in/**/i/x",
    ]


SAID = {"x-ignore": True}


def test_references_that_multiply_without_end_are_refused() -> None:
    doubled = {
        f"d{level}": {"properties": {step: {"$ref": f"#/$defs/d{level + 1}"} for step in "ab"}}
        for level in range(20)
    }
    with pytest.raises(AnnotationError) as caught:
        rules({"$ref": "#/$defs/d0", "$defs": doubled | {"d20": SAID}})
    assert str(caught.value) == "its references make too many places to be followed"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"x-order": "bag"}, '/x-order is to be "list", "set" or "multiset", found "bag"'),
        ({"x-order": True}, '/x-order is to be "list", "set" or "multiset", found true'),
        ({"x-key": 1}, "/x-key is to be the name of a member, found 1"),
        ({"x-ignore": "yes"}, '/x-ignore is to be true or false, found "yes"'),
        (
            {"x-tolerance": "1"},
            '/x-tolerance is to be a number, or a table with absolute, relative or both, found "1"',
        ),
        (
            {"x-tolerance": -1},
            "/x-tolerance is to be a number, or a table with absolute, relative or both, found -1",
        ),
        (
            {"items": {"properties": {"a": {"x-tolerance": {"rel": 1}}}}},
            '/items/properties/a/x-tolerance: unknown key "rel"; known: absolute, relative',
        ),
        (
            {"x-order": "list", "x-key": "a"},
            '/x-key pairs the elements of a set or multiset, and x-order is "list"',
        ),
    ],
)
def test_nonsense_in_a_schema_is_told_with_its_place(schema: Any, said: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        rules(schema)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"x-', 'the output schema "o.json" is not JSON: the text ends inside a key'),
        (b"{} {}", 'the output schema "o.json" is not JSON: not one value'),
        (
            b'{"x-ignore":0}',
            'the output schema "o.json": /x-ignore is to be true or false, found 0',
        ),
        (
            b'{"x-order":"set"}',
            'with the output schema "o.json": numbers at "/**" have a tolerance, and may stand'
            ' inside "", an array whose order does not count: which of its elements belong'
            ' together? Give that array a key, or say for path = "/**", in a [[compare.at]] of its'
            ' own at the end, numbers = "value"',
        ),
    ],
)
def test_a_schema_that_cannot_be_joined_is_told_with_its_name(text: bytes, said: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        with_contract(Comparison(Tolerance("1")), text, "o.json")
    assert str(caught.value) == said


def test_a_comparison_is_joined_with_what_the_schema_says() -> None:
    comparison = Comparison(ignore=("/0",))
    both = with_contract(comparison, b'{"items":{"x-ignore":true}}', "o.json")
    assert both == comparison._replace(contract=(at("/*"),))


def test_where_both_speak_and_disagree_is_told() -> None:
    comparison = Comparison(
        numbers=Numbers.VALUE,
        unordered=("/0/a", "/1"),
        ignore=("/0/t",),
        at=(
            PlaceRule(("/0/n",), numbers=Numbers.EXACT, ignore=False),
            PlaceRule(("/*/a",), key="id"),
            PlaceRule(("/9/n",), numbers=Tolerance("1")),
            PlaceRule(("/**/s",), order=Order.SET),
        ),
        contract=(
            PlaceRule(("/*/a",), order=Order.SET, key="name"),
            PlaceRule(("/*/n",), numbers=Tolerance("1")),
            PlaceRule(("/0/n",), ignore=True),
            PlaceRule(("/*/t",), ignore=True),
            PlaceRule(("/0/s",), order=Order.SET),
            PlaceRule(("/0/**",), forget=True),
        ),
    )
    assert [(conflict.path, conflict.said) for conflict in conflicts(comparison)] == [
        (
            "/0/a",
            'suite.toml says order = "multiset" for "/0/a", the output schema x-order "set" and'
            ' x-key "name" for "/*/a"; suite.toml holds',
        ),
        (
            "/*/a",
            'suite.toml says key = "id" for "/*/a", the output schema x-order "set" and'
            ' x-key "name" for "/*/a"; suite.toml holds',
        ),
        (
            "/0/n",
            'suite.toml says numbers = "exact" for "/0/n", the output schema'
            ' x-tolerance { absolute = 1, relative = 0 } for "/*/n"; suite.toml holds',
        ),
        (
            "/0/n",
            'suite.toml says ignore = false for "/0/n", the output schema x-ignore true for'
            ' "/0/n"; suite.toml holds',
        ),
    ]
