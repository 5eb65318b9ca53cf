"""Declare the types of the values in suite.toml: their readers, messages and JSON Schemas.

A reader returns None for a value of another type, or raises an error that says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from harness.dialogue.script import STEP_SCHEMA, parse_steps
from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import parse_pattern
from harness.judging.comparison_parser import json_of_toml
from harness.model.case import NONZERO, ExitRange, InputKind
from harness.model.case_names import Match, parse_range
from harness.model.dialogue import Framing, Step, Transport
from harness.model.limits import Limit
from harness.model.protection import Protection
from harness.model.suite_info import Visibility
from harness.model.verdict import Verdict
from harness.suites.settings import DELIVERY_NAMES, KnownRule, RenderedSide
from harness.text import did_you_mean, quote
from harness.tomlio.tables import (
    POSITIVE_INTEGER,
    POSITIVE_NUMBER,
    STRING,
    STRINGS,
    Key,
    TomlError,
    ValueType,
    choice,
    string,
    strings,
    table_schema,
)

_NO_PATH: Final = "^[^/]|~(?![01])"
_PATH: Final = {"type": "string", "not": {"pattern": _NO_PATH}}
_PATHS: Final = {"type": "array", "items": _PATH}


def _as_list(value: Any) -> Any:
    """Return a text as a list with one element, and other values as they are."""
    return [value] if isinstance(value, str) else value


def _distinct_list(names: Iterable[str]) -> dict[str, Any]:
    return {"type": "array", "items": {"enum": list(names)}, "minItems": 1, "uniqueItems": True}


def _distinct(known: Mapping[str, Any], thing: str, expected: str) -> ValueType:
    """Return the type of a list of distinct names, read as their values in `known`."""

    def read(value: Any) -> tuple[Any, ...] | None:
        names = strings(value) or ()
        for name in names:
            if name not in known:
                hint = did_you_mean(name, tuple(known))
                raise TomlError(f"unknown {thing} {quote(name)}; {hint}")
            if names.count(name) > 1:
                raise TomlError(f'"{name}" is listed twice')
        return tuple(known[name] for name in names) or None

    return ValueType(read, expected, _distinct_list(known))


# Suites and cases.

_NAME_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,59}"
NAME: Final = ValueType(
    lambda value: value if re.fullmatch(_NAME_PATTERN, string(value) or "") else None,
    "up to 60 characters of A-Z a-z 0-9 _ . + - /, starting with a letter, a digit or _",
    {"type": "string", "pattern": rf"^{_NAME_PATTERN}(?![\s\S])"},
)
SCHEMA_FILE: Final = STRING._replace(expected="the file name of a schema")
PROGRAM: Final = STRING._replace(expected="the name of a program")
SUBJECT: Final = STRING._replace(expected="a glob on the subject's name")
VISIBILITY: Final = choice(Visibility)
INPUT_KIND: Final = choice(InputKind)
DELIVERY_LIST: Final = _distinct(
    {name: name for name in DELIVERY_NAMES}, "delivery", "a list of deliveries"
)


def _read_match(value: Any) -> Match | None:
    patterns = strings(_as_list(value)) or ()
    for pattern in patterns:
        numbers = parse_range(pattern)
        if numbers is not None and numbers[0] > numbers[1]:
            raise TomlError(f"the range {quote(pattern)} runs backwards")
    return (value if isinstance(value, str) else patterns) or None


MATCH: Final = ValueType(
    _read_match,
    'a glob on the names of cases, a range such as "40-59", or a list of them',
    {"anyOf": [STRING.schema, {**STRINGS.schema, "minItems": 1}]},
)


def _read_globs(value: Any) -> tuple[str, ...] | None:
    globs = strings(value)
    for each in globs or ():
        if each.startswith("/") or ".." in each.split("/") or "\0" in each:
            raise TomlError(f"{quote(each)} is outside the suite's folder")
    return globs or None


_LEADS_OUT: Final = r"^/|\u0000|(^|/)\.\.(/|(?![\s\S]))"
FILES: Final = ValueType(
    _read_globs,
    'a list of globs on files and folders, such as ["remotes/**"]',
    {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "not": {"pattern": _LEADS_OUT}},
        "minItems": 1,
    },
)


# Dialogues.

FRAMING: Final = choice(Framing)
TRANSPORT: Final = choice(Transport)


def _json(value: Any) -> Any:
    """Return a value of TOML as one of JSON. Raises ValueError for a date, nan or inf."""
    try:
        return decode(encode(json_of_toml(value)).encode()).values[0]
    except ValueError:
        raise ValueError("JSON has no dates, nan or inf") from None


def _read_messages(value: Any) -> tuple[Any, ...] | None:
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return tuple(map(_json, value))
    return None


def _steps_type(prefix: str) -> ValueType:
    def read(value: Any) -> tuple[Step, ...] | None:
        return None if (steps := _read_messages(value)) is None else parse_steps(steps, prefix)

    expected = 'a list of steps such as [{ send = { method = "initialize" } }]'
    return ValueType(read, expected, {"type": "array", "items": STEP_SCHEMA})


MESSAGE: Final = ValueType(
    lambda value: _json(value) if isinstance(value, dict) else None,
    'a message such as { method = "roots/list" }',
    {"type": "object"},
)
MESSAGES: Final = ValueType(
    _read_messages,
    'a list of messages such as [{ method = "notifications/*" }]',
    {"type": "array", "items": MESSAGE.schema},
)
JSON_VALUE: Final = ValueType(_json, "a value of JSON", {})
START_STEPS: Final = _steps_type("start ")
END_STEPS: Final = _steps_type("end ")


def move_file(value: Any, to: Callable[[str], str]) -> Any:
    return to(value) if isinstance(value, str) else value


# Runs.


def _read_exit(value: Any) -> ExitRange | None:
    if value == "nonzero":
        return NONZERO
    numbers = parse_range(value) if isinstance(value, str) and len(value) <= 7 else None
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (value, value)
    if numbers is None or not 0 <= numbers[0] <= numbers[1] <= 255:
        return None
    return ExitRange(*numbers)


_STATUS: Final = "0*([0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_STATUSES: Final = rf"^(nonzero|{_STATUS}(-{_STATUS})?)(?![\s\S])"
EXIT: Final = ValueType(
    _read_exit,
    'a status from 0 to 255, a range such as "1-125", or "nonzero"',
    {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 255},
            {"type": "string", "maxLength": 7, "pattern": _STATUSES},
        ]
    },
)
LIMIT_KEYS: Final = tuple(
    Key(each.value, POSITIVE_INTEGER if each.is_integer else POSITIVE_NUMBER, each.description)
    for each in Limit
)
SUBJECT_LIMIT_KEYS: Final = (
    Key(
        "factor",
        POSITIVE_NUMBER,
        "A factor for the times in the limits of every suite and case: 3 for a slow language.",
    ),
    *LIMIT_KEYS,
)
_PROTECTIONS: Final = {each.value: each for each in Protection}
PROTECTIONS: Final = _distinct(
    _PROTECTIONS, "protection", f"a list of these: {', '.join(_PROTECTIONS)}"
)


# Known failures.

# The verdicts that a run of a subject can fail with.
_FAILURES: Final = {verdict.value: verdict for verdict in Verdict if verdict.is_failure}
_RESULTS: Final = {**_FAILURES, Verdict.PASSED.value: Verdict.PASSED}
REASON: Final = STRING._replace(expected="the cause of the failure, in one line")


def _read_verdicts(value: Any) -> tuple[Verdict, ...] | None:
    verdicts: tuple[Verdict, ...] | None = _RESULT_LIST.read(value)
    if verdicts == (Verdict.PASSED,):
        raise TomlError('"passed" alone is no failure; name the failures, too')
    return verdicts


_RESULT_LIST: Final = _distinct(
    _RESULTS, "failure verdict", 'a list of verdicts of failed runs, and "passed" if some pass'
)
VERDICTS: Final = _RESULT_LIST._replace(
    read=_read_verdicts,
    schema={**_RESULT_LIST.schema, "not": {"const": [Verdict.PASSED.value]}},
)
_CONTENT: Final = "[0-9a-f]{16}"


def _read_contents(value: Any) -> Mapping[str, str] | None:
    if not isinstance(value, dict):
        return None
    texts = list(map(string, value.values()))
    return value if all(text and re.fullmatch(_CONTENT, text) for text in texts) else None


CONTENTS: Final = ValueType(
    _read_contents,
    "a table of fingerprints by name, as xtest known writes it",
    {
        "type": "object",
        "additionalProperties": {"type": "string", "pattern": f"^{_CONTENT}(?![\\s\\S])"},
    },
)


def _read_known(value: Any) -> KnownRule | None:
    table = {"reason": value} if isinstance(value, str) else value
    if not isinstance(table, dict) or "reason" not in table:
        return None
    if others := table.keys() - {"reason", "link"}:
        in_table = others & set(KnownRule._fields)
        if not in_table:
            return None
        raise TomlError(f"{min(in_table)} is a key of [[known]] tables; write one for these cases")
    return KnownRule((), **table) if all(map(string, table.values())) else None


_KNOWN_TABLE: Final = table_schema(
    dict.fromkeys(("reason", "link"), STRING.schema), required=["reason"]
)
KNOWN: Final = ValueType(
    _read_known,
    'the cause of the failure, or a table such as { reason = "no ties", link = "..." }',
    {"anyOf": [STRING.schema, _KNOWN_TABLE]},
)


# Comparison.


def _read_paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    for path in value:
        parse_pattern(path)  # raises PathError
    return tuple(value)


POINTERS: Final = ValueType(
    _read_paths, 'a list of JSON Pointers (with * and **), such as ["/winners"]', _PATHS
)
POINTER_OR_POINTERS: Final = ValueType(
    lambda value: _read_paths(_as_list(value)) or None,
    'a JSON Pointer (with * and **), such as "/score", or a list of them',
    {"anyOf": [_PATH, {**_PATHS, "minItems": 1}]},
)


def _read_one_step_pointer(value: Any) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    if "**" in parse_pattern(value):  # raises PathError
        raise TomlError('"**" could count nested values twice; use "*" for each step')
    return value


ONE_STEP_POINTER: Final = ValueType(
    _read_one_step_pointer,
    'a JSON Pointer (with *), such as "/answers/*"',
    {"type": "string", "minLength": 1, "not": {"pattern": f"{_NO_PATH}|/\\*\\*(/|(?![\\s\\S]))"}},
)


# Commands, and what they draw.


def _read_command(value: Any) -> tuple[str, ...] | None:
    argv = value.split() if isinstance(value, str) else value
    if not isinstance(argv, list) or not argv or not string(argv[0]):
        return None
    # An argument may be empty; no word can hold U+0000.
    if not all(isinstance(word, str) and "\0" not in word for word in argv):
        return None
    return tuple(argv)


def move_command(value: Any, to: Callable[[str], str]) -> Any:
    program, *rest = _read_command(value) or ()
    return [to(program) if "/" in program else program, *rest]


COMMAND: Final = ValueType(
    _read_command,
    'a command such as "xdraw tsuro", or a list of its words',
    {
        "anyOf": [
            {"type": "string", "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"},
            {
                "type": "array",
                "prefixItems": [{"type": "string", "pattern": "^[^\\u0000]+$"}],
                "items": {"type": "string", "pattern": "^[^\\u0000]*$"},
                "minItems": 1,
            },
        ]
    },
)


def _read_sides(value: Any) -> tuple[RenderedSide, ...] | None:
    names = strings(_as_list(value))
    sides = {side.value: side for side in RenderedSide}
    if not names or len(set(names)) < len(names) or not set(names) <= set(sides):
        return None
    return tuple(sides[name] for name in names)


SIDES: Final = ValueType(
    _read_sides,
    '"output", "input", or a list of both',
    {"anyOf": [choice(RenderedSide).schema, _distinct_list(side.value for side in RenderedSide)]},
)
