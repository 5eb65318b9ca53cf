"""Events: made from transcripts, written as lines, and read again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import EnumType
from itertools import combinations
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.golden import Golden
from support.tables import check_table
from support.xtest import TOP

from harness.jsonio.decoder import Number
from harness.jsonio.fast import decode
from harness.judging.judge import judge
from harness.model.case import Case, InvalidCase, content_digest
from harness.model.event_lines import event_line, parse_event
from harness.model.events import (
    BoundedJudgement,
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    Judged,
    KnownFailure,
    Origin,
    RunEnded,
    RunStarted,
    SessionsEnded,
    ShownDifference,
    bounded,
    judged,
)
from harness.model.judgement import MISSING, Difference, Judgement
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict

SCHEMA = load_schema("results")
VALIDATOR = Draft202012Validator(SCHEMA)
ORIGIN = Origin("xboard", "plain", ("xtest", "run", "s", "--case", "7"))
KIB = 1024


def case_of(expected: bytes, stdin: bytes = b"[1]\n") -> Case:
    """A case with a tag."""
    return Case("s", "7", stdin, expected, decode(expected).values, tags=("errors",))


def evidence_from(transcript: Transcript, case: Case | None = None) -> Evidence:
    """The evidence that a failed run's event carries."""
    judgement = BoundedJudgement(Verdict.STALLED, "was still running")
    evidence = judged(case or case_of(b"1"), transcript, judgement, ORIGIN).evidence
    assert evidence is not None
    return evidence


# Made of transcripts.


def test_a_run_that_passed_carries_its_numbers_and_no_evidence() -> None:
    transcript = Transcript(Exited(0), b"1", b"w", 1, 1, None, 0.1234567, 2.00000049, 1.5)
    event = judged(
        case_of(b"1"), transcript, BoundedJudgement(Verdict.PASSED, "as expected"), ORIGIN
    )
    assert event == Judged(
        suite="s",
        case="7",
        subject="xboard",
        delivery="plain",
        verdict=Verdict.PASSED,
        message="as expected",
        exit=0,
        signal=None,
        wall_s=2.0,
        first_byte_s=0.123457,
        cpu_s=1.5,
        stdout_bytes=1,
        stderr_bytes=1,
        tags=("errors",),
        content=content_digest(b"[1]\n", b"1"),
        repeat=("xtest", "run", "s", "--case", "7"),
        evidence=None,
    )


@pytest.mark.parametrize(
    ("verdict", "known", "failed"),
    [
        (Verdict.PASSED, None, False),
        (Verdict.DIFFERS, None, True),
        (Verdict.INVALID_CASE, None, True),
        (Verdict.DIFFERS, KnownFailure("why"), False),
        (Verdict.DIFFERS, KnownFailure("why", holds=False), True),
        (Verdict.PASSED, KnownFailure("why", holds=False), True),
    ],
)
def test_what_is_known_is_no_failure_as_long_as_it_holds(
    verdict: Verdict, known: KnownFailure | None, failed: bool
) -> None:
    assert Judged("s", "7", "x", "plain", verdict, "", known=known).failed is failed


def test_a_run_that_failed_carries_what_shows_why() -> None:
    case = case_of(b"[1,2]\n")
    transcript = Transcript(Exited(1), b'["1"]', b"oops\n", 5, 5)
    event = judged(case, transcript, bounded(judge(transcript, case, case.policy)), ORIGIN)
    assert (event.verdict, event.exit, event.signal) == (Verdict.DIFFERS, 1, None)
    assert event.evidence == Evidence(
        stdin=Excerpt(b"[1]\n", 4),
        expected=Excerpt(b"[1,2]\n", 6),
        stdout=Excerpt(b'["1"]', 5),
        stderr=Excerpt(b"oops\n", 5),
        differences=(ShownDifference("/0/0", "1", '"1"'), ShownDifference("/0/1", "2", None)),
        differences_total=2,
    )


def test_a_program_that_a_signal_ended_has_no_exit_status() -> None:
    event = judged(
        case_of(b"1"), Transcript(Signalled(11)), BoundedJudgement(Verdict.CRASHED, "ended"), ORIGIN
    )
    assert (event.exit, event.signal, event.first_byte_s) == (None, "SIGSEGV", None)


def test_an_invalid_case_has_neither_numbers_nor_tags_nor_evidence() -> None:
    judgement = BoundedJudgement(Verdict.INVALID_CASE, "7-in.json is an orphan")
    event = judged(InvalidCase("s", "7", "7-in.json is an orphan"), None, judgement, ORIGIN)
    assert event == Judged(
        *("s", "7", "xboard", "plain", Verdict.INVALID_CASE, "7-in.json is an orphan"),
        repeat=ORIGIN.repeat,
    )


def test_streams_are_cut_at_64_kib_and_their_length_is_kept() -> None:
    long = b"x" * (64 * KIB) + b"y"
    evidence = evidence_from(
        Transcript(NotStarted(""), long, long, len(long), len(long)), case_of(b"1" + long, long)
    )
    head = Excerpt(long[:-1], 64 * KIB + 1)
    assert (evidence.stdin, evidence.stdout) == (head, head)
    assert evidence.expected == Excerpt(b"1" + long[:-2], 64 * KIB + 2)
    assert head.is_truncated and not Excerpt(b"x", 1).is_truncated


def test_of_standard_error_the_end_is_carried() -> None:
    log = b"line\n" * 20_000 + b"ValueError: the cause\n"
    carried = evidence_from(Transcript(Exited(1), stderr=log, stderr_bytes=len(log))).stderr
    assert carried == Excerpt(log[-64 * KIB :], len(log))


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_a_cut_text_stays_a_text(ahead: int) -> None:
    text = ("x" * ahead + "🎲" * 20_000).encode()
    evidence = evidence_from(Transcript(Exited(0), text, text, len(text), len(text)))
    for carried in (evidence.stdout, evidence.stderr):
        assert 64 * KIB - 3 <= len(carried.data) <= 64 * KIB
        assert carried.data.decode().strip("x🎲") == ""


def test_a_text_that_was_cut_when_it_was_read_stays_a_text() -> None:
    kept = "aé棋".encode()[:-1]
    assert evidence_from(Transcript(Exited(0), kept, stdout_bytes=9)).stdout == Excerpt(
        "aé".encode(), 9
    )


def test_a_text_that_the_program_itself_broke_off_is_no_text() -> None:
    kept = "aé棋".encode()[:-1]
    evidence = evidence_from(Transcript(Exited(0), kept, stdout_bytes=len(kept)))
    assert evidence.stdout == Excerpt(kept, len(kept))


def test_differences_are_carried_up_to_200_and_their_texts_up_to_4096() -> None:
    long = Difference("/" + "k" * 5_000, "x" * 5_000, MISSING)
    short = Difference("/1", MISSING, [Number("1.0"), None])
    moved = Difference("/2", "a", "b", "/" + "k" * 5_000)
    judgement = bounded(Judgement(Verdict.DIFFERS, "", (long, short, moved, *(short,) * 299)))
    evidence = judged(case_of(b"1"), Transcript(Exited(0)), judgement, ORIGIN).evidence
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


def test_evidence_is_text_where_it_is_utf_8_and_base64_where_it_is_not() -> None:
    evidence = Evidence(
        stdin=Excerpt("é".encode(), 2),
        expected=Excerpt(b"", 0),
        stdout=Excerpt(b"\xff\x00", 9),
        stderr=Excerpt(b"", 0),
        differences=(
            ShownDifference("/0", "1", None),
            ShownDifference("", None, "2"),
            ShownDifference("/1", "1", "2", "/0"),
        ),
        differences_total=3,
    )
    line = event_line(Judged("s", "7", "x", "plain", Verdict.DIFFERS, "m", evidence=evidence))
    assert json.loads(line)["evidence"] == {
        "stdin": {"text": "é", "bytes": 2},
        "expected": {"text": "", "bytes": 0},
        "stdout": {"base64": "/wA=", "bytes": 9},
        "stderr": {"text": "", "bytes": 0},
        "differences": [
            {"at": "/0", "expected": "1"},
            {"at": "", "actual": "2"},
            {"at": "/1", "expected": "1", "actual": "2", "actual_at": "/0"},
        ],
        "differences_total": 3,
    }


def test_names_that_are_not_utf_8_are_escaped() -> None:
    event = Judged("s\udcff", "7", "x", "plain", Verdict.PASSED, "m", repeat=("./\udce9",))
    again = parse_event(event_line(event))
    assert isinstance(again, Judged)
    assert (again.suite, again.repeat) == ("s\\udcff", ("./\\udce9",))


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
    (Judged, "exit"): st.none() | st.integers(0, 255),
    (Judged, "content"): st.just("") | st.binary(min_size=8, max_size=8).map(bytes.hex),
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


@given(EVENTS)
@settings(deadline=None)
def test_an_event_survives_a_round_trip_and_its_line_conforms_to_the_schema(event: Event) -> None:
    line = event_line(event)
    assert parse_event(line) == event
    assert line.isascii() and line.index("\n") == len(line) - 1
    VALIDATOR.validate(json.loads(line))
    with pytest.raises(ValueError):
        parse_event(line[: len(line) // 2])


def test_the_example_in_the_documentation_is_a_run_of_every_event() -> None:
    page = (TOP / "docs" / "results.md").read_text(encoding="utf-8")
    (example,) = re.findall("```json\n(.*?)```", page, re.DOTALL)
    events = [parse_event(line) for line in example.splitlines()]
    assert "".join(map(event_line, events)) == example
    middle = [Diagnostic, Judged, Judged, DeliveriesDiffer, DependsOnOrder, SessionsEnded]
    kinds = [RunStarted, *middle, RunEnded]
    assert [type(event) for event in events] == kinds


# What the reader refuses, the schema refuses.

JUDGED: dict[str, Any] = json.loads(
    event_line(
        Judged(
            *("s", "7", "x", "plain", Verdict.DIFFERS, "m"),
            exit=1,
            evidence=Evidence(
                *(Excerpt(b"a", 1), Excerpt(b"", 0), Excerpt(b"\xff", 1), Excerpt(b"", 0)),
                differences=(ShownDifference("/0", "1", None),),
                differences_total=1,
            ),
        )
    )
)
STARTED: dict[str, Any] = json.loads(event_line(RunStarted("0", "now", (), 0, 1)))
ENDED: dict[str, Any] = json.loads(event_line(RunEnded({"passed": 1}, 0.0, 0)))
PROBLEM = {"event": "problem", "where": "s", "message": "m"}


def with_evidence(**members: Any) -> dict[str, Any]:
    """Return a judged event with other members in its evidence."""
    return JUDGED | {"evidence": JUDGED["evidence"] | members}


VALID = {"problem": PROBLEM, "started": STARTED, "ended": ENDED, "judged": JUDGED}


def test_a_line_that_the_schema_refuses_is_refused_with_a_reason(golden: Golden) -> None:
    def reason(example: Any) -> str:
        """Refuse a value, or an event with other members."""
        value = example
        if isinstance(example, tuple):
            name, members = example
            value = with_evidence(**members) if name == "evidence" else VALID[name] | members
        assert not VALIDATOR.is_valid(value)
        with pytest.raises(ValueError) as caught:
            parse_event(json.dumps(value))
        return str(caught.value)

    check_table(golden, __file__, "refused_events.txt", reason)
    assert reason(("evidence", {"differences": [{"at": "/0", "expected": "1"}] * 201})) == (
        "the line, evidence: it, differences: at most 200 differences are allowed"
    )
    assert all(map(VALIDATOR.is_valid, (*VALID.values(), with_evidence())))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\ufeff{}",
        "[" * 100_000,
        '{"event":"problem","where":"\\ud800","message":""}',
        json.dumps(STARTED | {"runs": 1.0}),
        json.dumps(ENDED | {"wall_s": float("nan")}),
        json.dumps(ENDED | {"wall_s": float("inf")}),
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
@settings(deadline=None)
def test_events_of_different_kinds_are_not_equal(left: Event, right: Event) -> None:
    assert type(left) is type(right) or left != right
