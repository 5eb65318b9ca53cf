"""Events of runs and fests: made from transcripts, written as lines, and read again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum, EnumType
from itertools import combinations
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.cases import case_of
from support.events import DIFFERS, ENDED, STARTED
from support.golden import Golden, compare_with_file, message_of
from support.xtest import TOP

from harness.fest.events import (
    FEST_EVENTS,
    CaseStatus,
    FestEvent,
    FestPlan,
    Submitted,
    WheatsDiffer,
    fest_line,
    parse_fest_event,
)
from harness.fest.report_values import Reveal
from harness.jsonio.decoder import Number
from harness.judging.judge import judge
from harness.model.case import Case, InvalidCase
from harness.model.event_lines import event_line, parse_event
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    KnownFailure,
    LimitUse,
    Origin,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
    run_result,
)
from harness.model.judgement import (
    MISSING,
    Difference,
    Judgement,
    ShownDifference,
    shown_differences,
)
from harness.model.limits import Usage
from harness.model.suite_info import SuiteInfo
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict

SCHEMA = load_schema("results")
VALIDATOR = Draft202012Validator(SCHEMA)
ORIGIN = Origin("xboard", "plain", ("xtest", "run", "s", "--case", "7"))
KIB = 1024
FEST_SCHEMA = TOP / "schemas" / "fest-results.schema.json"
FEST_VALIDATOR = Draft202012Validator(json.loads(FEST_SCHEMA.read_bytes()))


def evidence_from(transcript: Transcript, case: Case | None = None) -> Evidence:
    judgement = Judgement(Verdict.STALLED, "was still running")
    evidence = run_result(case or case_of(b"1"), transcript, judgement, ORIGIN).evidence
    assert evidence is not None
    return evidence


# Made of transcripts.


def test_judged_runs_are_written_as_recorded(golden: Golden) -> None:
    case, invalid = (
        case_of(b"[1,2]\n", b"[1]\n", tags=("errors",)),
        InvalidCase("s", "7", "7-in.json is an orphan"),
    )
    passed = Transcript(Exited(0), b"1", b"w", 1, 1, None, 0.1234567, 2.00000049, Usage(1.5))
    failed = Transcript(Exited(1), b'["1"]', b"oops\n", 5, 5)
    crashed = Transcript(Signalled(11), b"\xff\x00", "é".encode(), 9, 2)
    differences = ShownDifference("", None, "2"), ShownDifference("/1", "1", "2", "/0")
    events = [
        run_result(case, passed, Judgement(Verdict.PASSED, "as expected"), ORIGIN),
        run_result(case, failed, judge(failed, case, case.policy), ORIGIN),
        run_result(case, crashed, Judgement(Verdict.CRASHED, "ended", differences, 3), ORIGIN),
        run_result(invalid, None, Judgement(Verdict.INVALID_CASE, "is an orphan"), ORIGIN),
    ]
    golden("judged.jsonl", "".join(map(event_line, events)))


def test_a_known_failure_is_not_a_failure_while_it_holds() -> None:
    def failed(verdict: Verdict, known: KnownFailure | None = None) -> bool:
        return RunResult("s", "7", "x", "plain", verdict, "", known=known).failed

    known, outgrown = KnownFailure("why"), KnownFailure("why", holds=False)
    assert failed(Verdict.DIFFERS) and failed(Verdict.INVALID_CASE) and not failed(Verdict.PASSED)
    assert failed(Verdict.DIFFERS, outgrown) and not failed(Verdict.DIFFERS, known)
    assert failed(Verdict.PASSED, outgrown)


def test_streams_are_cut_at_64_kib_and_their_length_is_kept() -> None:
    long = b"x" * (64 * KIB) + b"y"
    evidence = evidence_from(
        Transcript(NotStarted(""), long, long, len(long), len(long)), case_of(b"1" + long, long)
    )
    head = Excerpt(long[:-1], 64 * KIB + 1)
    assert (evidence.stdin, evidence.stdout) == (head, head)
    assert evidence.expected == Excerpt(b"1" + long[:-2], 64 * KIB + 2)
    assert head.is_truncated and not Excerpt(b"x", 1).is_truncated


def test_the_end_of_standard_error_is_kept() -> None:
    log = b"line\n" * 20_000 + b"ValueError: the cause\n"
    carried = evidence_from(Transcript(Exited(1), stderr=log, stderr_bytes=len(log))).stderr
    assert carried == Excerpt(log[-64 * KIB :], len(log))


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_a_truncated_text_stays_valid_utf_8(ahead: int) -> None:
    text = ("x" * ahead + "🎲" * 20_000).encode()
    evidence = evidence_from(Transcript(Exited(0), text, text, len(text), len(text)))
    for carried in (evidence.stdout, evidence.stderr):
        assert 64 * KIB - 3 <= len(carried.data) <= 64 * KIB
        assert carried.data.decode().strip("x🎲") == ""


def test_a_text_stays_valid_utf_8_if_xtest_truncated_it_and_not_the_program() -> None:
    kept = "aé棋".encode()[:-1]
    cut, broken_off = (Transcript(Exited(0), kept, stdout_bytes=size) for size in (9, len(kept)))
    assert evidence_from(cut).stdout == Excerpt("aé".encode(), 9)
    assert evidence_from(broken_off).stdout == Excerpt(kept, len(kept))


def test_up_to_200_differences_are_kept_with_texts_of_up_to_4096_characters() -> None:
    long = Difference("/" + "k" * 5_000, "x" * 5_000, MISSING)
    short = Difference("/1", MISSING, [Number("1.0"), None])
    moved = Difference("/2", "a", "b", "/" + "k" * 5_000)
    found = (long, short, moved, *(short,) * 299)
    judgement = Judgement(Verdict.DIFFERS, "", shown_differences(found), len(found))
    evidence = run_result(case_of(b"1"), Transcript(Exited(0)), judgement, ORIGIN).evidence
    assert evidence is not None
    assert (len(evidence.differences), evidence.differences_total) == (200, 302)
    first = evidence.differences[0]
    assert first.expected is not None and first.actual is None
    assert (len(first.pointer), len(first.expected)) == (4_096, 4_096)
    assert first.expected.endswith("x … 5,002 characters")
    assert evidence.differences[1] == ShownDifference("/1", None, "[1.0,null]")
    third = evidence.differences[2]
    assert third == ShownDifference("/2", '"a"', '"b"', "/" + "k" * 4_076 + " … 5,001 characters")


# Written as lines.


def test_names_that_are_not_utf_8_are_escaped() -> None:
    event = RunResult("s\udcff", "🎲", "x", "plain", Verdict.PASSED, "m", repeat=("./\udce9",))
    again = parse_event(event_line(event))
    assert isinstance(again, RunResult)
    assert (again.suite, again.case, again.repeat) == ("s\\udcff", "🎲", ("./\\udce9",))


# The schema, and back.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DRAWN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(0, 2**40),
    float: st.floats(0, 1e6),
    Excerpt: st.builds(
        lambda data, more: Excerpt(data, len(data) + more),
        st.binary(max_size=8) | TEXTS.map(str.encode),
        st.integers(0, 9),
    ),
    ShownDifference: st.builds(ShownDifference, TEXTS, TEXTS, st.none() | TEXTS)
    | st.builds(ShownDifference, TEXTS, st.none(), TEXTS),
    Mapping[str, int]: st.dictionaries(
        st.sampled_from([verdict.value for verdict in Verdict]), st.integers(0, 2**40), max_size=3
    ),
}
DRAWN_MEMBERS: dict[tuple[Any, str], st.SearchStrategy[Any]] = {
    (SuiteInfo, "folder"): TEXTS.filter(lambda text: "\0" not in text),
    (RunResult, "suite"): TEXTS.filter(bool),
    (RunResult, "case"): TEXTS.filter(bool),
    (RunResult, "exit"): st.none() | st.integers(0, 255),
    (LimitUse, "allowed"): st.floats(0, 1e6, exclude_min=True),
    (RunResult, "content"): st.just("") | st.binary(min_size=8, max_size=8).map(bytes.hex),
    (RunStarted, "withheld"): st.just(False),  # not written
    (RunEnded, "exit"): st.sampled_from([0, 1, 2, 130]),
}


def drawn(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a type; all members of records are drawn."""
    arguments = get_args(kind)
    if kind in DRAWN or kind in (bool, NoneType) or isinstance(kind, EnumType):
        return DRAWN.get(kind, st.from_type(kind))
    if get_origin(kind) is tuple:
        return st.lists(drawn(arguments[0]), max_size=2).map(tuple)
    if arguments:
        return st.one_of(*map(drawn, arguments))
    hints = get_type_hints(kind).items()
    members = {name: DRAWN_MEMBERS.get((kind, name), drawn(hint)) for name, hint in hints}
    return st.builds(kind, **members)


EVENTS: st.SearchStrategy[Event] = drawn(Event)
ADDED_BY_FESTS: st.SearchStrategy[FestEvent] = drawn(FestPlan | Submitted | WheatsDiffer)


def check_round_trip(event: Any, line: str, parse: Callable[[str], Any], validator: Any) -> None:
    assert parse(line) == event
    assert line.isascii() and line.index("\n") == len(line) - 1
    validator.validate(json.loads(line))
    with pytest.raises(ValueError):
        parse(line[: len(line) // 2])


@given(EVENTS, ADDED_BY_FESTS)
def test_an_event_survives_a_round_trip_and_its_line_conforms_to_the_schema(
    event: Event, fest_event: FestEvent
) -> None:
    check_round_trip(event, event_line(event), parse_event, VALIDATOR)
    check_round_trip(fest_event, fest_line(fest_event), parse_fest_event, FEST_VALIDATOR)


def test_the_example_in_the_documentation_is_a_run_of_every_event() -> None:
    page = (TOP / "docs" / "results.md").read_text(encoding="utf-8")
    (example,) = re.findall("```json\n(.*?)```", page, re.DOTALL)
    events = [parse_event(line) for line in example.splitlines()]
    assert "".join(map(event_line, events)) == example
    middle = [Diagnostic, RunResult, RunResult, DeliveriesDiffer, DependsOnOrder, SessionsEnded]
    kinds = [RunStarted, *middle, RunEnded]
    assert [type(event) for event in events] == kinds
    names = [json.loads(line)["event"] for line in example.splitlines()]
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == list(dict.fromkeys(names))


# What the reader refuses, the schema refuses.

VALID: dict[str, dict[str, Any]] = {
    "problem": json.loads(event_line(Diagnostic("s", "m"))),
    "started": json.loads(event_line(STARTED)),
    "ended": json.loads(event_line(ENDED)),
    "judged": json.loads(event_line(DIFFERS)),
}


def with_evidence(**members: Any) -> dict[str, Any]:
    """Return a judged event with other members in its evidence."""
    return VALID["judged"] | {"evidence": VALID["judged"]["evidence"] | members}


def test_a_line_that_the_schema_refuses_is_refused_with_a_reason(golden: Golden) -> None:
    def reason(example: Any) -> str:
        """Refuse a value, or an event with other members."""
        value = example
        if isinstance(example, tuple):
            name, members = example
            value = with_evidence(**members) if name == "evidence" else VALID[name] | members
        assert not VALIDATOR.is_valid(value)
        return message_of(ValueError, parse_event, json.dumps(value))

    golden.table("refused_events.txt", reason)
    assert reason(("evidence", {"differences": [{"at": "/0", "expected": "1"}] * 201})) == (
        "the line, evidence: the value, differences: at most 200 differences are allowed"
    )
    assert all(map(VALIDATOR.is_valid, (*VALID.values(), with_evidence())))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\ufeff{}",
        "[" * 100_000,
        '{"event":"problem","where":"\\ud800","message":""}',
        json.dumps(VALID["started"] | {"runs": 1.0}),
        json.dumps(VALID["ended"] | {"wall_s": float("nan")}),
        json.dumps(VALID["ended"] | {"wall_s": float("inf")}),
        json.dumps(with_evidence(stdout={"base64": "/w", "bytes": 1})),
        json.dumps(with_evidence(stdout={"base64": "/w=", "bytes": 1})),
    ],
)
def test_a_line_that_no_schema_can_describe_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        parse_event(line)


@pytest.mark.parametrize("value", [0, "a"])
def test_endings_of_different_kinds_are_not_equal(value: Any) -> None:
    endings = [Exited(value), Signalled(value), NotStarted(value), value, (value,)]
    for left, right in combinations(endings, 2):
        assert left != right


@given(EVENTS, EVENTS)
def test_events_of_different_kinds_are_not_equal(left: Event, right: Event) -> None:
    assert type(left) is type(right) or left != right


# The schema of a fest's results follows from its records.

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


def test_the_schema_of_a_fest_is_generated_from_the_records(request: pytest.FixtureRequest) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:xtest:schema:fest-results",
        "title": "A line that a fest adds to its results file",
        "$defs": {"excerpt": EXCERPT},
        "oneOf": [record(kind, {"event": name}) for name, kind in FEST_EVENTS.items()],
    }
    compare_with_file(request.node, FEST_SCHEMA, json.dumps(schema, indent=2) + "\n")


@given(ADDED_BY_FESTS, st.sampled_from([None, "x", -1, [{}], {}]))
def test_a_missing_or_wrong_member_is_refused_as_by_the_schema(
    event: FestEvent, wrong: Any
) -> None:
    entries = json.loads(fest_line(event))
    for name in entries:
        without = {member: value for member, value in entries.items() if member != name}
        for other in (without, {**without, name: wrong}):
            if not FEST_VALIDATOR.is_valid(other):
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
