"""Pairs of programs that disagree on some inputs, and pairs that agree on all.

`python fuzz_zoo.py left NAME` answers each value of its input with its size; `right` has the fault
NAME. Of each fault, `smallest` is an input that no smaller one can replace.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple
from unicodedata import normalize

INTEGERS = {"type": "array", "items": {"type": "integer"}}
NUMBERS = {"type": "array", "items": {"type": "number"}}
TEXTS = {"type": "array", "items": {"type": "string"}}
FREE: dict[str, Any] = {}
OBJECT = {"type": "object"}
RECORD = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "string"}},
    "additionalProperties": False,
}
TREE = {"type": "array", "items": {"$ref": "#/$defs/tree"}}
CHAIN = {
    "oneOf": [
        {"type": "null"},
        {
            "type": "object",
            "required": ["next"],
            "properties": {"next": {"$ref": "#/$defs/chain"}},
            "additionalProperties": False,
        },
    ]
}
KINDS = {
    "oneOf": [
        {"type": "string", "maxLength": 3},
        {"type": "array", "maxItems": 2},
        {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "circle"}}},
    ]
}

SUM = {
    "type": "object",
    "required": ["a", "b", "c"],
    "properties": {key: {"type": "integer"} for key in "abc"},
    "additionalProperties": False,
}
MAP = {"type": "object", "additionalProperties": {"type": ["integer", "string"]}}


def two(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with two values."""
    members = {"a": schema, "b": schema}
    return {
        "type": "object",
        "required": ["a", "b"],
        "properties": members,
        "additionalProperties": False,
    }


class Fault(NamedTuple):
    schema: dict[str, Any]
    strikes: Callable[[Any], bool]
    smallest: str


class Text(str):
    """A number as it is spelled."""

    @property
    def value(self) -> Decimal:
        return Decimal(self)


def walk(value: Any) -> Iterator[Any]:
    yield value
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    for each in inner:
        yield from walk(each)


def numbers(value: Any) -> list[Text]:
    return [each for each in walk(value) if isinstance(each, Text)]


def texts(value: Any) -> list[str]:
    return [each for each in walk(value) if isinstance(each, str) and not isinstance(each, Text)]


def keys(value: Any) -> list[str]:
    return [key for each in walk(value) if isinstance(each, dict) for key in each]


def depth(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    inner = value if isinstance(value, list) else value.values()
    return 1 + max(map(depth, inner), default=0)


def has(character: str) -> Callable[[Any], bool]:
    return lambda value: any(character in text for text in texts(value))


def is_any(test: Callable[[Text], bool]) -> Callable[[Any], bool]:
    return lambda value: any(map(test, numbers(value)))


def equal_but_case(words: list[str]) -> bool:
    return len({word.lower() for word in words}) < len(set(words))


def forms(value: Any) -> list[str]:
    return [json.dumps(each, sort_keys=True) for each in value]


FAULTS: dict[str, Fault] = {
    "empty list": Fault(INTEGERS, lambda v: v == [], "[]"),
    "equal elements": Fault(INTEGERS, lambda v: len(set(v)) < len(v), "[0,0]"),
    "equal texts": Fault(TEXTS, lambda v: len(set(v)) < len(v), '["",""]'),
    "beyond 2^53": Fault(INTEGERS, is_any(lambda n: n.value > 2**53), "[1e16]"),
    "minus zero": Fault(INTEGERS, is_any(lambda n: n == "-0"), "[-0]"),
    "empty key": Fault(OBJECT, lambda v: "" in v, '{"":0}'),
    "combining mark": Fault(TEXTS, has("\u0301"), '["\u0301"]'),
    "sum of zero": Fault(
        INTEGERS,
        lambda v: len(v) > 1 and all(n.value for n in v) and not sum(n.value for n in v),
        "[1,-1]",
    ),
    "depth of three": Fault(TREE, lambda v: depth(v) == 3, "[[[]]]"),
    "last of enum": Fault({"enum": list("abcdefghijklmnopqrst")}, lambda v: v == "t", '"t"'),
    "even objects": Fault(
        {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "integer"}}}},
        lambda v: sum("k" in each for each in v) in (2, 4, 6, 8),
        '[{"k":0},{"k":0}]',
    ),
    "missing member": Fault(RECORD, lambda v: "b" not in v, '{"a":0}'),
    "eleven elements": Fault(INTEGERS, lambda v: len(v) > 10, "[0,0,0,0,0,0,0,0,0,0,0]"),
    "longest text": Fault({"type": "string", "maxLength": 8}, lambda v: len(v) == 8, '"00000000"'),
    "astral": Fault(
        TEXTS, lambda v: any(max(t, default="") > "\uffff" for t in v), '["\U00010000"]'
    ),
    "fraction of zero": Fault(NUMBERS, is_any(lambda n: n.endswith(".0")), "[0.0]"),
    "exponent": Fault(NUMBERS, is_any(lambda n: "e" in n.lower()), "[0e0]"),
    "overflow": Fault(NUMBERS, is_any(lambda n: abs(float(n)) == float("inf")), "[1e400]"),
    "least": Fault({"type": "integer", "minimum": -7, "maximum": 900}, lambda v: v == "-7", "-7"),
    "most": Fault({"type": "integer", "minimum": -7, "maximum": 900}, lambda v: v == "900", "900"),
    "multiple of 256": Fault(
        INTEGERS, is_any(lambda n: bool(n.value) and not n.value % 256), "[256]"
    ),
    "both members": Fault(RECORD, lambda v: "b" in v and "c" in v, '{"a":0,"b":0,"c":""}'),
    "null": Fault({"type": "array"}, lambda v: None in v, "[null]"),
    "case": Fault(TEXTS, equal_but_case, '["a","A"]'),
    "true and one": Fault({"type": "array"}, lambda v: True in v and "1" in numbers(v), "[1,true]"),
    "first is last": Fault(INTEGERS, lambda v: len(v) > 2 and v[0] == v[-1], "[0,0,0]"),
    "descending": Fault(
        INTEGERS,
        lambda v: len(v) > 2 and all(a.value > b.value for a, b in zip(v, v[1:], strict=False)),
        "[2,1,0]",
    ),
    "palindrome": Fault({"type": "string"}, lambda v: len(v) > 2 and v == v[::-1], '"000"'),
    "quote": Fault(TEXTS, has('"'), '["\\""]'),
    "backslash": Fault(TEXTS, has("\\"), '["\\\\"]'),
    "line end": Fault(TEXTS, has("\n"), '["\\n"]'),
    "control": Fault(TEXTS, has("\x00"), '["\\u0000"]'),
    "line separator": Fault(TEXTS, has("\u2028"), '["\u2028"]'),
    "text null": Fault(TEXTS, lambda v: "null" in v, '["null"]'),
    "prototype": Fault(OBJECT, lambda v: "__proto__" in v, '{"__proto__":0}'),
    "three members": Fault(OBJECT, lambda v: len(v) > 2, '{"":0,"0":0,"1":0}'),
    "keys but case": Fault(OBJECT, lambda v: equal_but_case(list(v)), '{"a":0,"A":0}'),
    "empty object inside": Fault({"type": "array"}, lambda v: {} in v, "[{}]"),
    "third kind": Fault(KINDS, lambda v: isinstance(v, dict), '{"kind":"circle"}'),
    "chain of four": Fault(
        CHAIN, lambda v: depth(v) > 3, '{"next":{"next":{"next":{"next":null}}}}'
    ),
    "order of members": Fault(
        RECORD, lambda v: "b" in v and v["a"].value > v["b"].value, '{"a":1,"b":0}'
    ),
}

# Values that resemble others, and sizes at which programs change how they work.
FAULTS |= {
    "element three times": Fault(INTEGERS, lambda v: any(v.count(n) > 2 for n in v), "[0,0,0]"),
    "permutation": Fault(
        INTEGERS,
        lambda v: len(v) > 2 and sorted(n.value for n in v) == list(range(len(v))),
        "[0,1,2]",
    ),
    "sum of members": Fault(
        SUM,
        lambda v: (
            min(v["a"].value, v["b"].value) > 0 and v["a"].value + v["b"].value == v["c"].value
        ),
        '{"a":1,"b":1,"c":2}',
    ),
    "same elements": Fault(
        two(INTEGERS),
        lambda v: len(set(v["a"])) > 1 and v["a"] != v["b"] and sorted(v["a"]) == sorted(v["b"]),
        '{"a":[0,1],"b":[1,0]}',
    ),
    "text inside the other": Fault(
        two({"type": "string"}),
        lambda v: v["b"] != "" and v["a"] != v["b"] and v["b"] in v["a"],
        '{"a":"00","b":"0"}',
    ),
    "same letters": Fault(
        two({"type": "string"}),
        lambda v: v["a"] != v["b"] and sorted(v["a"]) == sorted(v["b"]),
        '{"a":"ab","b":"ba"}',
    ),
    "same but case": Fault(
        two({"type": "string"}),
        lambda v: v["a"] != v["b"] and v["a"].lower() == v["b"].lower(),
        '{"a":"A","b":"a"}',
    ),
    "number as text": Fault(
        two({"type": ["integer", "string"]}),
        lambda v: [isinstance(v[key], Text) for key in "ab"] == [True, False] and v["a"] == v["b"],
        '{"a":0,"b":"0"}',
    ),
    "key as value": Fault(MAP, lambda v: any(key and key == v[key] for key in v), '{"0":0}'),
    "composed keys": Fault(
        MAP,
        lambda v: len({normalize("NFC", key) for key in v}) < len(v),
        '{"\u00e9":0,"e\u0301":0}',
    ),
    "2^16": Fault(
        {"type": "integer", "minimum": 0, "maximum": 100_000}, lambda v: v.value == 65_536, "65536"
    ),
    "thousand": Fault({"type": "integer"}, lambda v: v.value != 0 and v.value % 1000 == 0, "1000"),
    "sixteen characters": Fault({"type": "string"}, lambda v: len(v) == 16, '"0000000000000000"'),
    "more than 64 elements": Fault(INTEGERS, lambda v: len(v) > 64, f"[{','.join('0' * 65)}]"),
    "depth of twenty": Fault(TREE, lambda v: depth(v) >= 20, "[" * 20 + "]" * 20),
    "line end of Windows": Fault(TEXTS, has("\r\n"), '["\\r\\n"]'),
}


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of the inputs of a fault: one to three values."""
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": 3,
        "items": FAULTS[name].schema,
        "$defs": {"tree": TREE, "chain": CHAIN},
    }


def answer(value: Any, *, is_wrong: bool) -> Any:
    size = len(list(walk(value))) + len(keys(value))
    return {"size": size, "kind": type(value).__name__, "wrong": is_wrong}


def parse(text: str) -> list[Any]:
    decoder = json.JSONDecoder(parse_int=Text, parse_float=Text)
    values, text = [], text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:].strip()
    return values


def main() -> None:
    side, name = sys.argv[1:]
    strikes = FAULTS[name].strikes
    for value in parse(sys.stdin.buffer.read().decode()):
        found = answer(value, is_wrong=side == "right" and strikes(value))
        if side == "respelled":
            found = dict(reversed(found.items()))
        print(json.dumps(found, indent=2 if side == "respelled" else None))


if __name__ == "__main__":
    main()
