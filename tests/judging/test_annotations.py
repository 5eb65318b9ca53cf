"""Comparison rules in output schemas, and their conflicts with suite.toml."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.golden import Golden

from harness.jsonio.fast import decode
from harness.judging.annotations import conflicts, schema_rules, with_schema_rules
from harness.judging.comparison_parser import ComparisonError
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule, Tolerance


def rules(schema: Any) -> list[PlaceRule]:
    return list(schema_rules(decode(json.dumps(schema).encode()).values[0]))


def test_keywords_become_rules_for_the_places_they_stand_at(golden: Golden) -> None:
    def described(schema: Any) -> str:
        lines = []
        for rule in rules(schema):
            facts = {name: value for name, value in rule._asdict().items() if value}
            (path,) = facts.pop("paths")
            shown = [
                f"{name} {value.value if isinstance(value, ArrayOrder) else value}"
                for name, value in facts.items()
            ]
            lines.append(f"{path or '(all)'}: {', '.join(shown)}")
        return "; ".join(lines)

    golden.table("schema_rules.txt", described)


def test_references_that_multiply_without_end_are_refused() -> None:
    doubled = {
        f"d{level}": {"properties": {step: {"$ref": f"#/$defs/d{level + 1}"} for step in "ab"}}
        for level in range(20)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": doubled | {"d20": {"x-ignore": True}}}
    assert refusal(schema) == "its references lead to too many places"


def refusal(schema: Any) -> str:
    with pytest.raises(ComparisonError) as caught:
        if isinstance(schema, str):
            with_schema_rules(Comparison(Tolerance("1")), schema.encode(), "o.json")
        rules(schema)
    return str(caught.value)


def test_an_invalid_rule_in_a_schema_is_refused(golden: Golden) -> None:
    golden.table("annotations.txt", refusal)


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
        from_schema=(
            PlaceRule(("/*/a",), order=ArrayOrder.SET, key="name"),
            PlaceRule(("/*/n",), numbers=Tolerance("1")),
            PlaceRule(("/0/n",), ignore=True),
            PlaceRule(("/*/t",), ignore=True),
            PlaceRule(("/0/s",), order=ArrayOrder.SET),
            PlaceRule(("/0/**",), resets=True),
        ),
    )
    found = [f"{path}: {message}\n" for path, message in conflicts(comparison)]
    golden("conflicts.txt", "".join(found))
