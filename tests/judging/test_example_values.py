"""Messages about values that a schema or a pattern decides: the expected one is only an example."""

from __future__ import annotations

from typing import Final

import pytest

from harness.jsonio.fast import decode
from harness.judging.array_diff import aligned_differences
from harness.judging.examples import first_difference_text, with_rules
from harness.model.comparison import ArrayOrder, Comparison, Matching, PlaceRule, Schema

_TEXT: Final = Schema('{"type": "string"}')
_LIST: Final = Schema(
    '{"required": ["content"], "properties": {"content": {"items": {"required": ["type"]}}}}',
    file="results.schema.json#/$defs/list",
)
_RULES: Final = Comparison(
    at=(
        PlaceRule(("/*/message",), schema=_TEXT),
        PlaceRule(("/*/result",), schema=_LIST),
        PlaceRule(("/*/token",), strings=Matching("[a-z]+")),
        PlaceRule(("/*/set",), order=ArrayOrder.MULTISET),
        PlaceRule(("/*/set/*/name",), schema=_TEXT),
    )
)
_BY_LIST: Final = "by the schema results.schema.json#/$defs/list"


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        ('{"message": ""}', '{"message": 5}', "/message: 5 is not of type 'string', by {text}"),
        (
            '{"message": ""}',
            "{}",
            "/message: a value that matches {text} expected, nothing printed",
        ),
        (
            '{"result": {"content": []}}',
            '{"result": {"content": [{"type": 1}, {"x": 1}], "y": 1}}',
            "/result/content/1: 'type' is a required property, by {list} at /result",
        ),
        (
            '{"result": {"content": []}}',
            '{"result": {"y": 1}, "z": 1}',
            "2 differences, the first at /result: 'content' is a required property, by {list}",
        ),
        (
            '{"id": 1, "message": ""}',
            '{"id": 2, "message": 5}',
            "2 differences, the first at /id: 1 expected, 2 printed",
        ),
        (
            '{"token": "abc"}',
            '{"token": "X"}',
            '/token: "X" printed, which does not match the pattern "[a-z]+"',
        ),
        # Without a right example, the schema explains nothing.
        ('{"message": 1}', '{"message": 5}', "/message: 1 expected, 5 printed"),
        (
            '{"set": [{"a": 1, "b": 2, "name": ""}, {"a": 2, "b": 3, "name": ""}]}',
            '{"set": [{"a": 2, "b": 3, "name": 7}, {"a": 1, "b": 2, "name": ""}]}',
            "/set/0/name: 7 is not of type 'string', by {text}",
        ),
        (
            '1 {"message": ""}',
            '1 {"message": []}',
            "value 2: /message: [] is not of type 'string', by {text}",
        ),
    ],
)
def test_the_rule_is_explained_in_place_of_the_example(
    expected: str, actual: str, message: str
) -> None:
    left, right = (decode(text.encode()).values for text in (expected, actual))
    found = tuple(aligned_differences(left, right, _RULES))
    rules = {"text": "the schema of suite.toml", "list": _BY_LIST.removeprefix("by ")}
    explained = with_rules(left, right, _RULES, found)
    text = first_difference_text(explained, alone=len(left) == 1)
    assert text == message.replace("{text}", rules["text"]).replace("{list}", rules["list"])
