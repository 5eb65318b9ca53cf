"""Fill captured values into messages, find them, and match messages with partial ones. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from harness.jsonio.decoder import EXTENSIONS, JUDGE_DEPTH, Json, Number, encode
from harness.jsonio.fast import decode
from harness.model.dialogue import Capture, Step

NAME: Final = "[A-Za-z_][A-Za-z0-9_]*"
_MARK: Final = "${"
# In the text of a value: a whole string that is no key, or a part of one; "$${" stands for "${".
_REFERENCE: Final = re.compile(
    rf'(?<!\\)"\$\{{(?P<whole>{NAME})\}}"(?!:)|(?P<escaped>\$\$\{{)|\$\{{(?P<part>{NAME})\}}'
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def references(value: Json) -> set[str]:
    """Return the names of the captured values that a message uses."""
    if not _has_mark(value):
        return set()
    uses = _REFERENCE.finditer(encode(value))
    return {name for each in uses if (name := each["whole"] or each["part"])}


def has_stray_mark(value: Json) -> bool:
    """Return whether a message has "${" that begins no reference, as in "${my-id}"."""
    return _has_mark(value) and _MARK in _REFERENCE.sub(" ", encode(value))


def fill(value: Json, captured: Mapping[str, Json]) -> Json:
    """Return a message with the captured values that it uses."""
    if not _has_mark(value):
        return value

    def filled(match: re.Match[str]) -> str:
        if match["escaped"]:
            return _MARK
        new = captured.get(match["whole"] or match["part"])
        if match["whole"]:
            return encode(new)
        return encode(new if isinstance(new, str) else encode(new))[1:-1]

    return _decoded(_REFERENCE.sub(filled, encode(value)))


def filled_values(step: Step, captured: Mapping[str, Json]) -> list[Json]:
    """Return what a step sends or expects, with the captured values that it uses."""
    if not step.is_template:
        return list(step.values)
    return [fill(value, captured) for value in step.values]


def has_references(text: bytes) -> bool:
    """Return whether a text in JSON may have references: a script is asked once, not each value."""
    return b"$" in text or b"\\u" in text


def escape_references(value: Json) -> Json:
    """Return the message that `fill` makes into this one."""
    return _decoded(encode(value).replace(_MARK, f"${_MARK}")) if _has_mark(value) else value


def _has_mark(value: Json) -> bool:
    """Return whether a string or key of a message has the sign of a reference: most have none."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if _MARK in one:
                return True
        elif isinstance(one, dict):
            waiting += one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False


def _decoded(text: str) -> Json:
    """Return a value that has been encoded, with anything that a suite may allow in messages."""
    escaped = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return decode(escaped.encode(), 2 * JUDGE_DEPTH, EXTENSIONS).values[0]


def capture(value: Json, one: Capture) -> tuple[Json] | None:
    """Return the value that a capture names in a message, or None if there is none."""
    for step in one.path:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and len(step) < 10:
            if int(step) >= len(value):
                return None
            value = value[int(step)]
        else:
            return None
    return (value,)


def matches(pattern: Json, value: Json) -> bool:
    """Return whether a message has everything that a partial one names.

    In a string of the pattern, `*` stands for any text.
    """
    return all(_matches_leaf(leaf, actual) for leaf, actual in _leaves(pattern, value))


def agrees(pattern: Json, expected: Json, value: Json) -> bool:
    """Return whether two messages match a pattern, and have the same simple values at all places
    it names."""
    if not (matches(pattern, expected) and matches(pattern, value)):
        return False
    one, other = (
        [
            actual
            for _, actual in _leaves(pattern, each)
            if not isinstance(actual, (tuple, list, dict))
        ]
        for each in (expected, value)
    )
    return one == other


def _leaves(pattern: Json, value: Json) -> Iterator[tuple[Json, Json | tuple[()]]]:
    """Yield the simple values of a pattern with what a message has there, or () for nothing."""
    waiting: list[tuple[Json, Json | tuple[()]]] = [(pattern, value)]
    while waiting:
        wanted, actual = waiting.pop()
        if isinstance(wanted, dict) and wanted:
            has = isinstance(actual, dict)
            waiting += [(each, _member(actual, key) if has else ()) for key, each in wanted.items()]
        elif isinstance(wanted, list) and wanted:
            elements: Sequence[Json] = actual if isinstance(actual, list) else ()
            is_long = len(elements) >= len(wanted)
            parts = elements if is_long else [()] * len(wanted)
            waiting += list(zip(wanted, parts, strict=False))
        else:
            yield wanted, actual


def _member(actual: Json | tuple[()], key: str) -> Json | tuple[()]:
    return actual.get(key, ()) if isinstance(actual, dict) else ()


def _matches_leaf(wanted: Json, actual: Json | tuple[()]) -> bool:
    if isinstance(wanted, str) and isinstance(actual, str):
        return _matches_glob(wanted.split("*"), actual)
    if isinstance(wanted, (dict, list)):  # an empty one
        return isinstance(actual, type(wanted))
    if isinstance(wanted, Number) or isinstance(actual, Number):
        return wanted == actual
    return not isinstance(actual, tuple) and type(wanted) is type(actual) and wanted == actual


def _matches_glob(parts: list[str], text: str) -> bool:
    """Return whether a text has these parts, in order; linear in the length of the text."""
    first, *middle = parts
    if not middle:
        return text == first
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return text.endswith(last)
