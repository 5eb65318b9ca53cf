"""The events of a fest survive their lines; their schema and words come from the declarations."""

from __future__ import annotations

import json
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator
from support.golden import compare_with_file
from support.xtest import TOP

from harness.model.events import Diagnostic, Excerpt
from harness.model.fest import (
    FEST_FORMAT,
    Answered,
    CaseStatus,
    CaseVerdict,
    Duplicates,
    FestEnded,
    FestEvent,
    FestProgram,
    FestStarted,
    Role,
    Ruling,
    Submitted,
    WheatAnswer,
    WheatsDiffer,
    fest_line,
    parse_fest_event,
)
from harness.model.verdict import Verdict
from harness.reports.fest import Reveal

PASSED = CaseVerdict("a" * 16, Verdict.PASSED)
FAILED = CaseVerdict("b" * 16, Verdict.DIFFERS, "1 difference")
RULING = Ruling("red", "7", CaseStatus.VALID, "kim", "fine")
PROGRAMS = (FestProgram("one", Role.WHEAT, "k"), FestProgram("red", Role.TEAM, "", "no program"))
STARTED = FestStarted("0.1", "now", ("red", "blue"), 3, Duplicates.FIRST, PROGRAMS, (RULING,))
EVENTS: tuple[FestEvent, ...] = (
    STARTED,
    Diagnostic("red", "no cases"),
    Submitted("red", "1", reason="too large"),
    Submitted("red", "2", "c" * 16, "a" * 16, None, Excerpt(b"1\n", 2), Excerpt(b"\xff", 9)),
    Answered("one", Role.WHEAT, "k", "c" * 16, 2, (PASSED,), 0.5, 0.25, 0),
    Answered("red", Role.TEAM, "", "c" * 16, 0, (PASSED, FAILED), 0.5, 0.0, None, Excerpt(b"", 0)),
    WheatsDiffer("c" * 16, (WheatAnswer(("one",), Excerpt(b"1", 1), 0), WheatAnswer(("two",)))),
    FestEnded(5, 7, 1.5, interrupted=True),
)
SCHEMA = TOP / "schemas" / "fest-results.schema.json"
SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
    float: {"type": "number", "minimum": 0, "exclusiveMaximum": 10**12},
}
EXCERPT = {
    "description": "The beginning of some bytes, as text if they are UTF-8, and their number.",
    "type": "object",
    "properties": {**dict.fromkeys(("text", "base64"), SIMPLE[str]), "bytes": SIMPLE[int]},
    "required": ["bytes"],
    "oneOf": [{"required": ["text"]}, {"required": ["base64"]}],
    "additionalProperties": False,
}


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of values of a type of the records."""
    arguments = get_args(kind)
    if NoneType in arguments:
        return schema_of(arguments[0])
    if arguments:
        return {"type": "array", "items": schema_of(arguments[0])}
    if kind is Excerpt:
        return {"$ref": "#/$defs/excerpt"}
    if kind in SIMPLE:
        return SIMPLE[kind]
    return {"enum": [each.value for each in kind]} if issubclass(kind, Enum) else record(kind, {})


def record(kind: Any, first: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a record, whose `first` members are constants."""
    fields = {name: schema_of(hint) for name, hint in get_type_hints(kind).items()}
    defaults = getattr(kind, "_field_defaults")
    return {
        "description": (kind.__doc__ or "").partition("\n")[0].replace("`", ""),
        "type": "object",
        "properties": {**{name: {"const": value} for name, value in first.items()}, **fields},
        "required": [*first, *(name for name in fields if name not in defaults)],
        "additionalProperties": False,
    }


def test_the_schema_is_generated_from_the_records(request: pytest.FixtureRequest) -> None:
    names = {type(event): json.loads(fest_line(event))["event"] for event in EVENTS}
    formats: dict[Any, dict[str, Any]] = {FestStarted: {"format": FEST_FORMAT}}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:xtest:schema:fest-results",
        "title": "A line of the results of a fest",
        "$defs": {"excerpt": EXCERPT},
        "oneOf": [
            record(kind, {"event": name, **formats.get(kind, {})}) for kind, name in names.items()
        ],
    }
    compare_with_file(request.node, SCHEMA, json.dumps(schema, indent=2) + "\n")


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_survives_its_line_which_the_schema_accepts(event: FestEvent) -> None:
    line = fest_line(event)
    assert parse_fest_event(line) == event
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(json.loads(line))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("wrong", [None, "x", -1, [{}], {}])
def test_a_member_of_another_type_is_refused_as_by_the_schema(event: FestEvent, wrong: Any) -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_bytes()))
    entries = json.loads(fest_line(event))
    for name in entries:
        other = {**entries, name: wrong}
        if other == entries or validator.is_valid(other):
            continue
        with pytest.raises(ValueError):
            parse_fest_event(json.dumps(other))


@pytest.mark.parametrize(
    ("place", "heading", "members"),
    [("statuses", "status of a case", CaseStatus), ("levels", "`--reveal`", Reveal)],
)
def test_the_page_lists_statuses_and_levels(
    place: str,
    heading: str,
    members: type[CaseStatus] | type[Reveal],
    request: pytest.FixtureRequest,
) -> None:
    page = TOP / "docs" / "howto" / "test-fest.md"
    begin, end = f"<!-- {place}: generated -->\n", f"<!-- end of {place} -->\n"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    assert found
    rows = "".join(f"| `{each.value}` | {each.description} |\n" for each in members)
    table = f"| {heading} | |\n|---|---|\n{rows}\n"
    after = rest.partition(end)[2]
    compare_with_file(request.node, page, f"{before}{begin}\n{table}{end}{after}")
