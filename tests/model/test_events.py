"""Events: made from transcripts, written as lines, and read again."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.golden import Golden
from support.xtest import TOP

from harness.jsonio.decoder import Number
from harness.jsonio.fast import decode
from harness.judging.judge import judge
from harness.model.case import Case, CaseInfo, InvalidCase, content_digest
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
    LimitUse,
    Origin,
    RunEnded,
    RunFingerprint,
    RunStarted,
    SessionsEnded,
    ShownDifference,
    bounded,
    judged,
)
from harness.model.judgement import MISSING, Difference, Judgement
from harness.model.subject import SubjectInfo
from harness.model.suite_info import GradingRule, SuiteInfo, Visibility
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
TUPLES = st.lists(TEXTS, max_size=3).map(tuple)
COUNTS = st.integers(0, 2**40)
SECONDS = st.floats(0, 1e6)
VERDICTS = st.sampled_from(Verdict)
BYTES = st.builds(
    lambda data, more: Excerpt(data, len(data) + more),
    st.one_of(st.binary(max_size=8), TEXTS.map(str.encode)),
    st.integers(0, 9),
)
DIFFERENCES = st.one_of(
    st.builds(ShownDifference, TEXTS, TEXTS, st.none() | TEXTS),
    st.builds(ShownDifference, TEXTS, st.none(), TEXTS),
)
EVIDENCE = st.builds(
    Evidence, BYTES, BYTES, BYTES, BYTES, st.lists(DIFFERENCES, max_size=3).map(tuple), COUNTS
)
TALLIES = st.dictionaries(VERDICTS.map(lambda verdict: verdict.value), COUNTS, max_size=3)
POINTS = st.none() | st.sampled_from([0.0, 0.5, 10.0])
VISIBILITIES = st.sampled_from(Visibility)
WORTH = st.builds(
    GradingRule, TEXTS | st.lists(TEXTS).map(tuple), POINTS, st.none() | VISIBILITIES, COUNTS
)
ABOUT = st.builds(
    *(SuiteInfo, TEXTS, TEXTS, TEXTS, TEXTS, POINTS, VISIBILITIES),
    st.lists(WORTH, max_size=2).map(tuple),
    *(COUNTS, COUNTS, TEXTS, TEXTS, TEXTS),
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        *(TEXTS, TEXTS, TUPLES, COUNTS, COUNTS),
        st.lists(st.builds(RunFingerprint, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple),
        COUNTS,
        st.lists(ABOUT, max_size=2).map(tuple),
        st.lists(st.builds(SubjectInfo, *(TEXTS, TUPLES, TEXTS, TEXTS, TEXTS)), max_size=2).map(
            tuple
        ),
        *(TEXTS, TUPLES),
    ),
    st.builds(
        Judged,
        *(TEXTS, TEXTS, TEXTS, TEXTS, VERDICTS, TEXTS),
        exit=st.none() | st.integers(0, 255),
        signal=st.none() | TEXTS,
        wall_s=SECONDS,
        first_byte_s=st.none() | SECONDS,
        cpu_s=SECONDS,
        peak_mib=st.none() | SECONDS,
        processes=COUNTS,
        stdout_bytes=COUNTS,
        stderr_bytes=COUNTS,
        tags=TUPLES,
        content=st.just("") | st.binary(min_size=8, max_size=8).map(bytes.hex),
        known=st.none() | st.builds(KnownFailure, TEXTS, TEXTS, st.booleans()),
        repeat=TUPLES,
        evidence=st.none() | EVIDENCE,
        cached=st.booleans(),
        retried=st.booleans(),
        near_limits=st.lists(st.builds(LimitUse, TEXTS, SECONDS, SECONDS), max_size=2).map(tuple),
        accounting=TEXTS,
        reached=TEXTS,
        info=st.none() | st.builds(CaseInfo, TEXTS, TEXTS, TEXTS),
        tests=COUNTS,
        tests_passed=COUNTS,
    ),
    st.builds(DeliveriesDiffer, TEXTS, TEXTS, COUNTS, COUNTS, TEXTS),
    st.builds(DependsOnOrder, TEXTS, TEXTS, TEXTS, TEXTS, TUPLES),
    st.builds(
        SessionsEnded,
        *(TEXTS, TEXTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
        stopped=TEXTS,
        noise=TUPLES,
    ),
    st.builds(Diagnostic, TEXTS, TEXTS),
    st.builds(
        RunEnded,
        TALLIES,
        SECONDS,
        st.sampled_from([0, 1, 2, 130]),
        st.booleans(),
        known=TALLIES,
        unexpected_pass=COUNTS,
        stopped=st.booleans(),
        not_run=COUNTS,
        idle=TEXTS,
        resumed=COUNTS,
        cached=COUNTS,
        retried=COUNTS,
    ),
)


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

DIFFERENCE = {"at": "/0", "expected": "1"}
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
INFO = {"suite": "s", "folder": "a/s", "cases": 1, "selected": 1}
FINGERPRINT = {"suite": "s", "subject": "x", "key": "k"}


def with_evidence(**members: Any) -> dict[str, Any]:
    """Return a judged event with other members in its evidence."""
    return JUDGED | {"evidence": JUDGED["evidence"] | members}


REFUSED: list[Any] = [
    3,
    [],
    {},
    {"event": ["judged"]},
    {"event": "jugded"},
    {"event": "problem"},
    PROBLEM | {"x\n": 1},
    PROBLEM | {"where": 3},
    STARTED | {"format": 2},
    STARTED | {"format": True},
    STARTED | {"suites": "s"},
    STARTED | {"suites": [1]},
    STARTED | {"runs": True},
    STARTED | {"runs": -1},
    STARTED | {"basis": "s"},
    STARTED | {"basis": [3]},
    STARTED | {"basis": [{"suite": "s", "subject": "x"}]},
    STARTED | {"basis": [FINGERPRINT | {"more": 1}]},
    STARTED | {"about": {}},
    STARTED | {"about": [{}]},
    STARTED | {"about": [INFO | {"visibility": "secret"}]},
    STARTED | {"about": [INFO | {"points": -1}]},
    STARTED | {"about": [INFO | {"more": 1}]},
    STARTED | {"about": [INFO | {"worth": [{"match": "1", "cases": 1, "more": 1}]}]},
    ENDED | {"interrupted": 0},
    ENDED | {"wall_s": True},
    ENDED | {"wall_s": "1"},
    ENDED | {"counts": []},
    ENDED | {"counts": {"fine": 1}},
    ENDED | {"counts": {"passed": None}},
    ENDED | {"not_run": -1},
    ENDED | {"exit": 3},
    JUDGED | {"cached": 1},
    JUDGED | {"verdict": "fine"},
    JUDGED | {"verdict": []},
    JUDGED | {"content": 7},
    JUDGED | {"content": "0123456789ABCDEF"},
    JUDGED | {"content": "0123456789abcdef\n"},
    JUDGED | {"known": {"reason": "x", "holds": 1}},
    JUDGED | {"known": {"reason": "x", "holds": True, "more": 1}},
    JUDGED | {"exit": None},
    JUDGED | {"exit": 256},
    JUDGED | {"exit": -1},
    JUDGED | {"evidence": None},
    with_evidence(more=1),
    with_evidence(stdin={"bytes": 1}),
    with_evidence(stdin={"text": "", "base64": "", "bytes": 1}),
    with_evidence(differences=[DIFFERENCE | {"no": ""}]),
    with_evidence(differences=[{"at": "/0"}]),
    with_evidence(differences=[DIFFERENCE] * 201),
    with_evidence(stdout={"base64": "é", "bytes": 1}),
    with_evidence(stdout={"base64": "/wA=\n", "bytes": 1}),
]


def test_a_line_that_the_schema_refuses_is_refused_with_a_reason(golden: Golden) -> None:
    reasons = []
    for value in REFUSED:
        assert not VALIDATOR.is_valid(value), value
        with pytest.raises(ValueError) as caught:
            parse_event(json.dumps(value))
        reasons.append(f"{caught.value}\n")
    golden("refused_events.txt", "".join(reasons))
    assert all(map(VALIDATOR.is_valid, (JUDGED, STARTED, ENDED, PROBLEM, with_evidence())))


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
