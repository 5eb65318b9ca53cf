"""Declare the keys of suite.toml and parse the file into settings. Source: docs/suites.md.

To add a key, add a field to its record in settings.py and a `Key` here. Its reader, default,
messages and fingerprint follow; `pytest tests/suites --update-golden` writes
schemas/suite.schema.json and the table in docs/suites.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from harness.jsonio.decoder import EXTENSIONS
from harness.jsonio.pointers import parse_pattern
from harness.judging.comparison_parser import (
    NUMBERS_WANTED,
    SCHEMA_WANTED,
    STRINGS_WANTED,
    JsonText,
    parse_extensions,
    parse_numbers,
    parse_schema,
    parse_strings,
)
from harness.judging.rules import unsound
from harness.model.case import ExitRange, InputKind
from harness.model.case_names import Match, parse_range
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule, Strings
from harness.model.limits import Limit, Limits
from harness.model.protection import Protection
from harness.model.suite_info import Visibility
from harness.model.verdict import Verdict
from harness.suites.settings import (
    DELIVERIES,
    Assertions,
    CaseRule,
    Entries,
    Grading,
    KnownCase,
    KnownRule,
    Render,
    RenderedSide,
    SandboxRules,
    SuiteSettings,
)
from harness.text import did_you_mean, quote
from harness.tomlio.tables import (
    BOOLEAN,
    NON_NEGATIVE_NUMBER,
    POSITIVE_INTEGER,
    POSITIVE_NUMBER,
    STRING,
    STRINGS,
    Key,
    TableForm,
    TableSchema,
    TomlError,
    ValueType,
    choice,
    parse_toml,
    read_document,
    string,
    strings,
)

__all__ = [
    "DEFAULTS",
    "LIMIT_KEYS",
    "LINE_KEYS",
    "MATCH",
    "SUITE_TOML",
    "VERDICTS",
    "parse_suite_toml",
    "read_name",
    "set_entries",
]


def parse_suite_toml(text: bytes, where: str) -> SuiteSettings:
    """Return the settings in a suite.toml. Raises TomlError, which names the file `where`."""
    try:
        settings: SuiteSettings = read_document(SUITE_TOML, parse_toml(text, JsonText))
    except TomlError as problem:
        raise TomlError(f"{where}: {problem}", problem.place) from None
    return settings


def read_name(text: bytes) -> str:
    """Return the name that a suite.toml declares, or "" without a valid one. Raises TomlError."""
    return _NAME.read(parse_toml(text).get("name")) or ""


# Readers: None, or an error that says more, for a value of another type.


def _read_exit(value: Any) -> ExitRange | None:
    if value == "nonzero":
        return ExitRange(1, 255)
    numbers = parse_range(value) if isinstance(value, str) and len(value) <= 7 else None
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (value, value)
    if numbers is None or not 0 <= numbers[0] <= numbers[1] <= 255:
        return None
    return ExitRange(*numbers)


def _read_match(value: Any) -> Match | None:
    patterns = strings([value] if isinstance(value, str) else value) or ()
    for pattern in patterns:
        numbers = parse_range(pattern)
        if numbers is not None and numbers[0] > numbers[1]:
            raise TomlError(f"the range {quote(pattern)} runs backwards")
    return (value if isinstance(value, str) else patterns) or None


def _read_known(value: Any) -> KnownCase | None:
    if isinstance(value, str):
        value = {"reason": value}
    if not isinstance(value, dict) or not {"reason"} <= set(value) <= set(KnownCase._fields):
        return None
    known = KnownCase(**value)
    return known if all(map(string, value.values())) else None


def _read_paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    for path in value:
        parse_pattern(path)  # raises PathError
    return tuple(value)


def _read_each(value: Any) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    if "**" in parse_pattern(value):  # raises PathError
        raise TomlError('"**" could count a value within another one; use "*" for one step')
    return value


def _read_command(value: Any) -> tuple[str, ...] | None:
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not string(words[0]):
        return None
    # An argument may be empty; no word can hold U+0000.
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        return None
    return tuple(words)


def _read_globs(value: Any) -> tuple[str, ...] | None:
    globs = strings(value)
    for each in globs or ():
        if each.startswith("/") or ".." in each.split("/") or "\0" in each:
            raise TomlError(f"{quote(each)} leads out of the suite's folder")
    return globs or None


def _read_sides(value: Any) -> tuple[RenderedSide, ...] | None:
    names = strings([value] if isinstance(value, str) else value)
    sides = {side.value: side for side in RenderedSide}
    if not names or len(set(names)) < len(names) or not set(names) <= set(sides):
        return None
    return tuple(sides[name] for name in names)


# Movers: of a value, and a function that returns the name of a file from another folder.


def _move_file(value: Any, to: Callable[[str], str]) -> Any:
    return to(value) if isinstance(value, str) else value


def _move_command(value: Any, to: Callable[[str], str]) -> Any:
    program, *rest = _read_command(value) or ()
    return [to(program) if "/" in program else program, *rest]


# Types of values, with their JSON Schemas.

# The verdicts that a run of a subject can fail with.
_FAILURES: Final = {
    verdict.value: verdict
    for verdict in Verdict
    if verdict.subject_ran and verdict is not Verdict.PASSED
}
_STATUS: Final = "0*([0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_NO_PATH: Final = "^[^/]|~(?![01])"
_PATH: Final = {"type": "string", "not": {"pattern": _NO_PATH}}
_PATHS: Final = {"type": "array", "items": _PATH}
_WORD: Final = {"type": "string", "pattern": "^[^\\u0000]*$"}
_TOLERANCE: Final = {
    "type": "object",
    "properties": dict.fromkeys(("absolute", "relative"), {"type": "number", "minimum": 0}),
    "minProperties": 1,
    "additionalProperties": False,
}
_MATCHING: Final = {
    "type": "object",
    "properties": {"matching": {"type": "string"}},
    "required": ["matching"],
    "additionalProperties": False,
}


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


_EXIT: Final = ValueType(
    _read_exit,
    'a status from 0 to 255, a range such as "1-125", or "nonzero"',
    {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 255},
            {
                "type": "string",
                "maxLength": 7,
                "pattern": rf"^(nonzero|{_STATUS}(-{_STATUS})?)(?![\s\S])",
            },
        ]
    },
)
MATCH: Final = ValueType(
    _read_match,
    'a glob on the names of cases, a range such as "40-59", or a list of them',
    {"anyOf": [STRING.schema, {**STRINGS.schema, "minItems": 1}]},
)
_KNOWN: Final = ValueType(
    _read_known,
    'the cause of the failure, or a table such as { reason = "no ties", link = "..." }',
    {
        "anyOf": [
            STRING.schema,
            {
                "type": "object",
                "properties": dict.fromkeys(KnownCase._fields, STRING.schema),
                "required": ["reason"],
                "additionalProperties": False,
            },
        ]
    },
)
_LEADS_OUT: Final = r"^/|\u0000|(^|/)\.\.(/|(?![\s\S]))"
_NAME_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,59}"
_NAME: Final = ValueType(
    lambda value: value if re.fullmatch(_NAME_PATTERN, string(value) or "") else None,
    "up to 60 characters of A-Z a-z 0-9 _ . + - /, starting with a letter, a digit or _",
    {"type": "string", "pattern": rf"^{_NAME_PATTERN}(?![\s\S])"},
)
_FILE_NAME: Final = STRING._replace(expected="the file name of a schema")
_VISIBILITY: Final = choice(Visibility)
_DELIVERIES: Final = _distinct(
    {name: name for name in DELIVERIES}, "delivery", "a list of deliveries"
)
VERDICTS: Final = _distinct(_FAILURES, "verdict", "a list of verdicts of failed runs")
_PROTECTIONS: Final = {each.value: each for each in Protection}
_REQUIRED: Final = _distinct(
    _PROTECTIONS, "protection", f"a list of these: {', '.join(_PROTECTIONS)}"
)
_POINTERS: Final = ValueType(
    _read_paths, 'a list of JSON Pointers (with * and **), such as ["/0/winners"]', _PATHS
)
_POINTER_OR_POINTERS: Final = ValueType(
    lambda value: _read_paths([value] if isinstance(value, str) else value) or None,
    'a JSON Pointer (with * and **), such as "/*/score", or a list of them',
    {"anyOf": [_PATH, {**_PATHS, "minItems": 1}]},
)
_EACH: Final = ValueType(
    _read_each,
    'a JSON Pointer (with *), such as "/0/*"',
    {"type": "string", "minLength": 1, "not": {"pattern": f"{_NO_PATH}|/\\*\\*(/|(?![\\s\\S]))"}},
)
_NUMBERS: Final = ValueType(
    parse_numbers, NUMBERS_WANTED, {"anyOf": [choice(Numbers).schema, _TOLERANCE]}
)
_STRINGS: Final = ValueType(
    parse_strings, STRINGS_WANTED, {"anyOf": [choice(Strings).schema, _MATCHING]}
)
_MEMBER_NAME: Final = ValueType(
    lambda value: value if isinstance(value, str) else None,
    "the name of a member",
    {"type": "string"},
)
_SCHEMA: Final = ValueType(
    parse_schema,
    SCHEMA_WANTED,
    {
        "anyOf": [
            {"type": "object", "$ref": "https://json-schema.org/draft/2020-12/schema"},
            STRING.schema,
        ]
    },
)
_EXTENSIONS: Final = ValueType(
    parse_extensions,
    f"a list of these: {', '.join(EXTENSIONS)}",
    {"type": "array", "items": {"enum": list(EXTENSIONS)}},
)
_COMMAND: Final = ValueType(
    _read_command,
    'a command such as "xdraw tsuro", or a list of its words',
    {
        "anyOf": [
            {"type": "string", "pattern": "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"},
            {
                "type": "array",
                "prefixItems": [{"type": "string", "pattern": "^[^\\u0000]+$"}],
                "items": _WORD,
                "minItems": 1,
            },
        ]
    },
)
_FILES: Final = ValueType(
    _read_globs,
    'a list of globs on files and folders, such as ["remotes/**"]',
    {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "not": {"pattern": _LEADS_OUT}},
        "minItems": 1,
    },
)
_SIDES: Final = ValueType(
    _read_sides,
    '"output", "input", or a list of both',
    {"anyOf": [choice(RenderedSide).schema, _distinct_list(side.value for side in RenderedSide)]},
)


# Tables.


def _check_place_rule(rule: PlaceRule) -> str:
    if rule == PlaceRule(rule.paths):
        return f"sets nothing for its path; known: {', '.join(key.name for key in _AT.keys[1:])}"
    if rule.order is ArrayOrder.LIST and rule.key is not None:
        return 'key pairs the elements of a set or multiset, and order is "list"'
    return ""


def set_entries(**entries: Any) -> Entries:
    """Return the keys of a table that are set, and their values."""
    return tuple(entries.items())


LIMIT_KEYS: Final = tuple(
    Key(each.value, POSITIVE_INTEGER if each.is_integer else POSITIVE_NUMBER, each.description)
    for each in Limit
)
_AT: Final = TableSchema(
    "at",
    PlaceRule,
    "Rules for some places. The last rule for a place decides.",
    keys=(
        Key("path", _POINTER_OR_POINTERS, "The places.", required=True, field="paths"),
        Key("numbers", _NUMBERS, "As in `[compare]`."),
        Key("strings", _STRINGS, 'As in `[compare]`, or `{ matching = "a pattern" }`.'),
        Key(
            "order",
            choice(ArrayOrder),
            "How an array is compared: in order, as a set or as a multiset.",
        ),
        Key("key", _MEMBER_NAME, "The member that pairs the elements of a set or multiset."),
        Key(
            "schema",
            _SCHEMA,
            "A JSON Schema, or its file: values that both match are equal.",
            move=_move_file,
        ),
        Key("ignore", BOOLEAN, "The values may differ, or be missing."),
    ),
    form=TableForm.ARRAY,
    check=_check_place_rule,
    constraints={
        "minProperties": 2,
        "not": {"properties": {"order": {"const": "list"}}, "required": ["order", "key"]},
    },
)
LINE_KEYS: Final = (
    *(
        Key(name, STRING, text, affects_outcome=False)
        for name, text in (
            ("title", "A one-line title; `--case '~WORDS'` searches it."),
            ("description", "A description for reports."),
            ("link", "A link, for example to the specification."),
            ("group", "A heading for the cases in reports."),
        )
    ),
    Key("tags", STRINGS, "Words for `--tag`, which selects cases."),
    Key("any", BOOLEAN, "The output lists several right ones, each as an array of its values."),
    Key(
        "files",
        _FILES,
        "Other files that the cases need, like `files` of the suite.",
        inherited=False,
    ),
)
_COMPARE_KEYS: Final = (
    Key("numbers", _NUMBERS, 'How numbers compare: with "value", 1 equals 1.0.'),
    Key("unordered", _POINTERS, "Arrays whose order does not matter."),
    Key("ignore", _POINTERS, "Values that may differ, or be missing."),
    Key(
        "strings",
        _STRINGS,
        "How strings compare: as text, in a normal form, or as numbers or instants.",
    ),
    Key("allow", _EXTENSIONS, "Extensions of JSON that outputs may use."),
    _AT,
)
SUITE_TOML: Final = TableSchema(
    "",
    SuiteSettings,
    "The settings of a suite, as the JSON value of its TOML. Every part is optional.",
    keys=(
        Key(
            *("name", _NAME, "The name of the suite; if not set, its path."),
            affects_outcome=False,
            inherited=False,
        ),
        Key(
            *("title", STRING, "One line for lists and reports."),
            affects_outcome=False,
            inherited=False,
        ),
        Key(
            "program",
            STRING._replace(expected="the name of a program"),
            "The program to run if the command line names none.",
            affects_outcome=False,
        ),
        Key("input", _FILE_NAME, "JSON Schema of the array of all input values.", move=_move_file),
        Key(
            *("output", _FILE_NAME, "JSON Schema of the array of all expected values."),
            move=_move_file,
        ),
        Key("exit", _EXIT, "The expected exit status."),
        Key(
            "deliveries",
            _DELIVERIES,
            "The deliveries that `--deliver all` runs; all if not set.",
            affects_outcome=False,
        ),
        Key(
            "conversation",
            BOOLEAN,
            "The program answers each value before it reads the next (`value-by-value`).",
        ),
        Key(
            "stateless",
            BOOLEAN,
            "Each answer depends on its own input values only, so that the inputs of several cases"
            ' may follow one another (`session = "stream"` in xtest.toml).',
            affects_outcome=False,
        ),
        Key(
            "files",
            _FILES,
            "Other files in the suite's folder that programs may read, also in a sandbox; the"
            " variable `XTEST_SUITE` names the folder.",
            inherited=False,
        ),
        TableSchema("limits", Limits, "The limits of one run.", LIMIT_KEYS),
        TableSchema(
            *("compare", Comparison, "When two streams of values are equal.", _COMPARE_KEYS),
            field="comparison",
            check=unsound,
        ),
        TableSchema(
            "assertions",
            Assertions,
            "Values of the expected outputs that count as one test each.",
            keys=(
                Key(
                    *("each", _EACH, 'Where they are: `"/0/*"` for the elements of an array.'),
                    required=True,
                ),
            ),
        ),
        TableSchema(
            "render",
            Render,
            "A program that draws a JSON value as SVG, for reports.",
            keys=(
                Key(
                    *("command", _COMMAND, "The command, run in the suite's folder."),
                    required=True,
                    move=_move_command,
                ),
                Key("draws", _SIDES, "The values that it draws."),
            ),
            affects_outcome=False,
        ),
        TableSchema(
            "sandbox",
            SandboxRules,
            "Requirements for every run.",
            keys=(Key("require", _REQUIRED, "Protections without which the suite does not run."),),
            affects_outcome=False,
        ),
        TableSchema(
            "grading",
            Grading,
            "The points of the suite in a course.",
            keys=(
                Key(
                    "points",
                    NON_NEGATIVE_NUMBER,
                    "Points of the whole suite; 1 per case if not set.",
                ),
                Key("visibility", _VISIBILITY, "When students see the cases."),
            ),
            affects_outcome=False,
        ),
        TableSchema(
            "cases",
            CaseRule,
            "Settings of some cases. The last table that sets a key decides it.",
            keys=(
                Key("match", MATCH, "The cases.", required=True),
                Key("exit", _EXIT, "The expected exit status."),
                Key(
                    "input",
                    choice(InputKind),
                    "Valid JSON, JSON that violates the schema, or any bytes.",
                ),
                *LINE_KEYS,
                Key("points", NON_NEGATIVE_NUMBER, "Points of each case.", affects_outcome=False),
                Key("visibility", _VISIBILITY, "When students see them.", affects_outcome=False),
                Key("known", _KNOWN, "Their failures are known, as in `[[known]]`."),
                TableSchema(
                    *("limits", set_entries, "`[limits]` of these cases, which win key by key."),
                    LIMIT_KEYS,
                ),
                TableSchema(
                    "compare",
                    set_entries,
                    "`[compare]` of these cases, which wins key by key; `at` is added at the end.",
                    _COMPARE_KEYS,
                ),
            ),
            form=TableForm.ARRAY,
            field="rules",
        ),
        TableSchema(
            "known",
            KnownRule,
            "Known failures: reported, but not counted. A listed run that passes is a failure.",
            keys=(
                Key("match", MATCH, "The cases, as in `[[cases]]`.", required=True),
                Key(
                    "reason",
                    STRING._replace(expected="the cause of the failure, in one line"),
                    "Why they fail.",
                    required=True,
                ),
                Key("link", STRING, "An issue, for example."),
                Key(
                    "subject",
                    STRING._replace(expected="a glob on the subject's name"),
                    "The name or command of the subject; any if not set.",
                ),
                Key("verdicts", VERDICTS, "The verdicts; any failure if not set."),
                Key("deliveries", _DELIVERIES, "The deliveries; any if not set."),
            ),
            form=TableForm.ARRAY,
        ),
    ),
)
DEFAULTS: Final = SUITE_TOML._replace(
    name="defaults",
    description="Settings of all suites below this file, with the keys of suite.toml.",
    keys=tuple(key for key in SUITE_TOML.keys if isinstance(key, TableSchema) or key.inherited),
)
