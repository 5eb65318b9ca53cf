"""Events: made of transcripts, written as lines that their schema describes, and read again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.about import About, Worth, about_json
from harness.eventlines import FORMAT, event_line, parse_event
from harness.events import (
    Basis,
    Bytes,
    DeliveriesDiffer,
    Event,
    Evidence,
    Judged,
    Known,
    Origin,
    Problem,
    RunEnded,
    RunStarted,
    ShownDifference,
    judged,
)
from harness.jsonfast import decode
from harness.jsontext import Number
from harness.judging.judge import judge
from harness.records import (
    MISSING,
    Case,
    Difference,
    Exited,
    InvalidCase,
    Judgement,
    NotStarted,
    Signalled,
    Transcript,
    Verdict,
    Visibility,
)
from harness.suites.bundled import schemas_folder
from harness.suites.content import content_of

SCHEMA = json.loads(Path(schemas_folder(), "results.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
ORIGIN = Origin("xboard", "plain", ("xtest", "run", "s", "--case", "7"))
KIB = 1024


def case_of(expected: bytes, stdin: bytes = b"[1]\n") -> Case:
    """A case with a tag."""
    return Case("s", "7", stdin, expected, decode(expected).values, tags=("errors",))


def evidence_of(transcript: Transcript, case: Case | None = None) -> Evidence:
    """The evidence that a failed run's event carries."""
    judgement = Judgement(Verdict.STALLED, "was still running")
    evidence = judged(case or case_of(b"1"), transcript, judgement, ORIGIN).evidence
    assert evidence is not None
    return evidence


# Made of transcripts.


def test_a_run_that_passed_carries_its_numbers_and_no_evidence() -> None:
    transcript = Transcript(Exited(0), b"1", b"w", 1, 1, None, 0.1234567, 2.00000049, 1.5)
    event = judged(case_of(b"1"), transcript, Judgement(Verdict.PASSED, "as expected"), ORIGIN)
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
        content=content_of(b"[1]\n", b"1"),
        repeat=("xtest", "run", "s", "--case", "7"),
        evidence=None,
    )


@pytest.mark.parametrize(
    ("verdict", "known", "falls_short"),
    [
        (Verdict.PASSED, None, False),
        (Verdict.DIFFERS, None, True),
        (Verdict.INVALID_CASE, None, True),
        (Verdict.DIFFERS, Known("why"), False),
        (Verdict.DIFFERS, Known("why", holds=False), True),
        (Verdict.PASSED, Known("why", holds=False), True),
    ],
)
def test_what_is_known_is_no_failure_as_long_as_it_holds(
    verdict: Verdict, known: Known | None, falls_short: bool
) -> None:
    assert Judged("s", "7", "x", "plain", verdict, "", known=known).falls_short is falls_short


def test_a_run_that_failed_carries_what_shows_why() -> None:
    case = case_of(b"[1,2]\n")
    transcript = Transcript(Exited(1), b'["1"]', b"oops\n", 5, 5)
    event = judged(case, transcript, judge(transcript, case, case.policy), ORIGIN)
    assert (event.verdict, event.exit, event.signal) == (Verdict.DIFFERS, 1, None)
    assert event.evidence == Evidence(
        stdin=Bytes(b"[1]\n", 4),
        expected=Bytes(b"[1,2]\n", 6),
        stdout=Bytes(b'["1"]', 5),
        stderr=Bytes(b"oops\n", 5),
        differences=(ShownDifference("/0/0", "1", '"1"'), ShownDifference("/0/1", "2", None)),
        differences_total=2,
    )


def test_a_program_that_a_signal_ended_has_no_exit_status() -> None:
    event = judged(
        case_of(b"1"), Transcript(Signalled(11)), Judgement(Verdict.CRASHED, "ended"), ORIGIN
    )
    assert (event.exit, event.signal, event.first_byte_s) == (None, "SIGSEGV", None)


def test_an_invalid_case_has_neither_numbers_nor_tags_nor_evidence() -> None:
    judgement = Judgement(Verdict.INVALID_CASE, "7-in.json is an orphan")
    event = judged(InvalidCase("s", "7", "7-in.json is an orphan"), None, judgement, ORIGIN)
    assert event == Judged(
        *("s", "7", "xboard", "plain", Verdict.INVALID_CASE, "7-in.json is an orphan"),
        repeat=ORIGIN.repeat,
    )


def test_streams_are_cut_at_64_kib_and_their_length_is_kept() -> None:
    long = b"x" * (64 * KIB) + b"y"
    evidence = evidence_of(
        Transcript(NotStarted(""), long, long, len(long), len(long)), case_of(b"1" + long, long)
    )
    head = Bytes(long[:-1], 64 * KIB + 1)
    assert (evidence.stdin, evidence.stdout) == (head, head)
    assert evidence.expected == Bytes(b"1" + long[:-2], 64 * KIB + 2)
    assert head.is_cut and not Bytes(b"x", 1).is_cut


def test_of_standard_error_the_end_is_carried() -> None:
    log = b"line\n" * 20_000 + b"ValueError: the cause\n"
    carried = evidence_of(Transcript(Exited(1), stderr=log, stderr_bytes=len(log))).stderr
    assert carried == Bytes(log[-64 * KIB :], len(log))


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_a_cut_text_stays_a_text(ahead: int) -> None:
    text = ("x" * ahead + "🎲" * 20_000).encode()
    evidence = evidence_of(Transcript(Exited(0), text, text, len(text), len(text)))
    for carried in (evidence.stdout, evidence.stderr):
        assert 64 * KIB - 3 <= len(carried.data) <= 64 * KIB
        assert carried.data.decode().strip("x🎲") == ""


def test_a_text_that_was_cut_when_it_was_read_stays_a_text() -> None:
    kept = "aé棋".encode()[:-1]
    assert evidence_of(Transcript(Exited(0), kept, stdout_bytes=9)).stdout == Bytes(
        "aé".encode(), 9
    )


def test_a_text_that_the_program_itself_broke_off_is_no_text() -> None:
    kept = "aé棋".encode()[:-1]
    evidence = evidence_of(Transcript(Exited(0), kept, stdout_bytes=len(kept)))
    assert evidence.stdout == Bytes(kept, len(kept))


def test_differences_are_carried_up_to_200_and_their_texts_up_to_4096() -> None:
    long = Difference("/" + "k" * 5_000, "x" * 5_000, MISSING)
    short = Difference("/1", MISSING, [Number("1.0"), None])
    moved = Difference("/2", "a", "b", "/" + "k" * 5_000)
    judgement = Judgement(Verdict.DIFFERS, "", (long, short, moved, *(short,) * 299))
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


def test_an_event_is_one_line_of_ascii_without_white_space_and_without_what_is_not_known() -> None:
    assert event_line(Problem("s", "né\n")) == (
        '{"event":"problem","where":"s","message":"n\\u00e9\\n"}\n'
    )
    started = RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s", "t"), 3, 2)
    assert event_line(started) == (
        f'{{"event":"run-started","format":{FORMAT},"xtest":"0.1.0",'
        '"started":"2026-01-31T12:00:00Z","suites":["s","t"],"runs":3,"parallel":2}\n'
    )
    ended = RunEnded({"passed": 2, "crashed": 1}, 1.5, 1)
    assert event_line(ended) == (
        '{"event":"run-ended","counts":{"passed":2,"crashed":1},"wall_s":1.5,"exit":1,'
        '"interrupted":false}\n'
    )
    judged_ = Judged("s", "7", "xboard", "plain", Verdict.NOT_STARTED, "no such file")
    assert event_line(judged_) == (
        '{"event":"judged","suite":"s","case":"7","subject":"xboard","delivery":"plain",'
        '"verdict":"not-started","message":"no such file","wall_s":0.0,"cpu_s":0.0,'
        '"processes":1,"stdout_bytes":0,"stderr_bytes":0,"tags":[],"repeat":[]}\n'
    )


def test_evidence_is_text_where_it_is_utf_8_and_base64_where_it_is_not() -> None:
    evidence = Evidence(
        stdin=Bytes("é".encode(), 2),
        expected=Bytes(b"", 0),
        stdout=Bytes(b"\xff\x00", 9),
        stderr=Bytes(b"", 0),
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


def test_names_that_are_not_utf_8_are_written_so_that_every_reader_can_read_them() -> None:
    event = Judged("s\udcff", "7", "x", "plain", Verdict.PASSED, "m", repeat=("./\udce9",))
    again = parse_event(event_line(event))
    assert isinstance(again, Judged)
    assert (again.suite, again.repeat) == ("s\\udcff", ("./\\udce9",))
    assert decode(event_line(event).encode()).fault is None


# The schema, and back.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TUPLES = st.lists(TEXTS, max_size=3).map(tuple)
COUNTS = st.integers(0, 2**40)
SECONDS = st.floats(0, 1e6)
VERDICTS = st.sampled_from(Verdict)
BYTES = st.builds(
    lambda data, more: Bytes(data, len(data) + more),
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
WORTH = st.builds(Worth, TEXTS, POINTS, st.none() | VISIBILITIES, COUNTS)
ABOUT = st.builds(
    *(About, TEXTS, TEXTS, TEXTS, TEXTS, POINTS, VISIBILITIES),
    st.lists(WORTH, max_size=2).map(tuple),
    *(COUNTS, COUNTS),
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        *(TEXTS, TEXTS, TUPLES, COUNTS, COUNTS),
        st.lists(st.builds(Basis, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple),
        COUNTS,
        st.lists(ABOUT, max_size=2).map(tuple),
        TUPLES,
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
        known=st.none() | st.builds(Known, TEXTS, TEXTS, st.booleans()),
        repeat=TUPLES,
        evidence=st.none() | EVIDENCE,
        cached=st.booleans(),
    ),
    st.builds(DeliveriesDiffer, TEXTS, TEXTS, COUNTS, COUNTS, TEXTS),
    st.builds(Problem, TEXTS, TEXTS),
    st.builds(
        RunEnded,
        TALLIES,
        SECONDS,
        st.sampled_from([0, 1, 2, 130]),
        st.booleans(),
        known=TALLIES,
        outgrown=COUNTS,
        stopped=st.booleans(),
        not_run=COUNTS,
        idle=TEXTS,
        resumed=COUNTS,
        cached=COUNTS,
    ),
)


@given(EVENTS)
@settings(deadline=None)
def test_every_event_comes_back_from_its_line_as_it_was(event: Event) -> None:
    """Reading after writing is the identity."""
    assert parse_event(event_line(event)) == event


@given(EVENTS)
@settings(deadline=None)
def test_every_line_keeps_the_schema_of_results(event: Event) -> None:
    """The schema takes every event that can be made."""
    VALIDATOR.validate(json.loads(event_line(event)))


@given(EVENTS)
@settings(deadline=None)
def test_events_that_judge_and_no_others_have_a_verdict(event: Event) -> None:
    """Whoever looks for that name, however deep, finds judgements only, each with its run."""
    members = json.loads(event_line(event))
    if isinstance(event, Judged):
        assert {"suite", "case", "subject", "delivery", "verdict"} <= members.keys()
    assert list(all_names(members)).count("verdict") == isinstance(event, Judged)


def all_names(value: Any) -> Iterator[str]:
    """The names of all members in a value, however deep."""
    if isinstance(value, dict):
        yield from value
        for member in value.values():
            yield from all_names(member)
    if isinstance(value, list):
        for element in value:
            yield from all_names(element)


@given(EVENTS, st.data())
@settings(deadline=None)
def test_a_line_that_was_cut_short_is_refused(event: Event, data: st.DataObject) -> None:
    """No beginning of a line is an event."""
    line = event_line(event).rstrip("\n")
    cut = data.draw(st.integers(0, len(line) - 1))
    with pytest.raises(ValueError):
        parse_event(line[:cut])


def test_the_example_in_the_documentation_is_a_run_of_every_event() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "results.md"
    (example,) = re.findall("```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    events = [parse_event(line) for line in example.splitlines()]
    assert "".join(map(event_line, events)) == example
    kinds = [RunStarted, Problem, Judged, Judged, DeliveriesDiffer, RunEnded]
    assert [type(event) for event in events] == kinds


def test_the_schema_of_results_is_a_schema_and_closed() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    kinds = SCHEMA["$defs"]
    for name in (
        "run-started",
        "judged",
        "deliveries-differ",
        "problem",
        "run-ended",
        "known",
        "evidence",
        "bytes",
        "difference",
        "about",
        "worth",
    ):
        assert kinds[name]["additionalProperties"] is False
    assert kinds["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert kinds["visibility"]["enum"] == [each.value for each in Visibility]
    assert kinds["run-started"]["properties"]["format"]["const"] == FORMAT


JUDGED: dict[str, Any] = json.loads(
    event_line(
        Judged(
            *("s", "7", "x", "plain", Verdict.DIFFERS, "m"),
            exit=1,
            evidence=Evidence(
                *(Bytes(b"a", 1), Bytes(b"", 0), Bytes(b"\xff", 1), Bytes(b"", 0)),
                differences=(ShownDifference("/0", "1", None),),
                differences_total=1,
            ),
        )
    )
)
STARTED: dict[str, Any] = json.loads(event_line(RunStarted("0", "now", (), 0, 1)))


def test_what_suites_say_of_their_grading_comes_back() -> None:
    worth = (Worth("1-3", 2.5, Visibility.HIDDEN, 3), Worth("bad-*", None, None, 1))
    about = About("s", "a/s", "Sums", "sums", 10.0, Visibility.AFTER_DUE_DATE, worth, 5, 4)
    started = RunStarted("0.1.0", "2026-01-01T00:00:00Z", ("s",), 5, 2, about=(about,))
    assert parse_event(event_line(started)) == started


def test_a_known_failure_comes_back() -> None:
    known = Known("not done yet", "https://example.org/5", holds=False)
    event = Judged("s", "5", "x", "plain", Verdict.DIFFERS, "why", known=known)
    assert parse_event(event_line(event)) == event


ABOUT_JSON: dict[str, Any] = about_json((About("s", "a/s"),))[0]
ENDED: dict[str, Any] = json.loads(event_line(RunEnded({"passed": 1}, 0.0, 0)))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", None),
        ('{"event":"problem","where":"s","message', None),
        ("\ufeff{}", None),
        ("[" * 100_000, "the line is nested too deep to be an event"),
        ("3", "the line is no object"),
        ("[]", "the line is no object"),
        ("{}", 'the line has no member "event"'),
        ({"event": ["judged"]}, "the line, event: a text is expected"),
        ({"event": "jugded"}, 'no event of format 1 is called "jugded"'),
        ({"event": "problem"}, 'the line has no member "where"'),
        (
            {"event": "problem", "where": "s", "message": "m", "x\n": 1},
            'the line has an unknown member "x\\n"',
        ),
        ({"event": "problem", "where": 3, "message": "m"}, "the line, where: a text is expected"),
        (STARTED | {"format": 2}, "the line, format: this xtest reads format 1, not 2"),
        (STARTED | {"suites": "s"}, "the line, suites: a list is expected"),
        (STARTED | {"suites": [1]}, "the line, suites: a text is expected"),
        (STARTED | {"runs": True}, "the line, runs: a whole number from 0 on is expected"),
        (STARTED | {"runs": -1}, "the line, runs: a whole number from 0 on is expected"),
        (STARTED | {"runs": 1.0}, "the line, runs: a whole number from 0 on is expected"),
        (STARTED | {"basis": "s"}, "the line, basis: a list is expected"),
        (STARTED | {"basis": [3]}, "the line, basis: one is no object"),
        (
            STARTED | {"basis": [{"suite": "s", "subject": "x"}]},
            'the line, basis: one has no member "key"',
        ),
        (
            STARTED | {"basis": [{"suite": "s", "subject": "x", "key": "k", "more": 1}]},
            'the line, basis: one has an unknown member "more"',
        ),
        (STARTED | {"about": {}}, "the line, about: a list is expected"),
        (STARTED | {"about": [{}]}, 'the line, about: one has no member "suite"'),
        (
            STARTED | {"about": [ABOUT_JSON | {"visibility": "secret"}]},
            "the line, about: one, visibility: 'secret' is not a valid Visibility",
        ),
        (
            STARTED | {"about": [ABOUT_JSON | {"points": -1}]},
            "the line, about: one, points: a number from 0 on is expected",
        ),
        (
            STARTED | {"about": [ABOUT_JSON | {"more": 1}]},
            'the line, about: one has an unknown member "more"',
        ),
        (
            STARTED | {"about": [ABOUT_JSON | {"worth": [{"match": "1", "cases": 1, "more": 1}]}]},
            'the line, about: one, worth: one has an unknown member "more"',
        ),
        (JUDGED | {"cached": 1}, "the line, cached: true or false is expected"),
        (ENDED | {"interrupted": 0}, "the line, interrupted: true or false is expected"),
        (ENDED | {"wall_s": True}, "the line, wall_s: a number from 0 on is expected"),
        (ENDED | {"wall_s": float("nan")}, "the line, wall_s: a number from 0 on is expected"),
        (ENDED | {"wall_s": float("inf")}, "the line, wall_s: a number from 0 on is expected"),
        (ENDED | {"wall_s": "1"}, "the line, wall_s: a number from 0 on is expected"),
        (ENDED | {"counts": []}, "the line, counts: it is no object"),
        (ENDED | {"counts": {"fine": 1}}, "the line, counts: 'fine' is not a valid Verdict"),
        (
            ENDED | {"counts": {"passed": None}},
            "the line, counts: it, passed: a whole number from 0 on is expected",
        ),
        (JUDGED | {"verdict": "fine"}, "the line, verdict: 'fine' is not a valid Verdict"),
        (JUDGED | {"verdict": []}, "the line, verdict: [] is not a valid Verdict"),
        (JUDGED | {"content": 7}, "the line, content: a text is expected"),
        (
            JUDGED | {"known": {"reason": "x", "holds": 1}},
            "the line, known: it, holds: true or false is expected",
        ),
        (
            JUDGED | {"known": {"reason": "x", "holds": True, "more": 1}},
            'the line, known: it has an unknown member "more"',
        ),
        (ENDED | {"not_run": -1}, "the line, not_run: a whole number from 0 on is expected"),
        (JUDGED | {"exit": None}, "the line, exit: a whole number from 0 on is expected"),
        (JUDGED | {"evidence": None}, "the line, evidence: it is no object"),
        (
            JUDGED | {"evidence": JUDGED["evidence"] | {"more": 1}},
            'the line, evidence: it has an unknown member "more"',
        ),
        (
            JUDGED | {"evidence": JUDGED["evidence"] | {"stdin": {"bytes": 1}}},
            'the line, evidence: it, stdin: it has no member "base64"',
        ),
        (
            JUDGED | {"evidence": JUDGED["evidence"] | {"differences": [{"at": "", "no": ""}]}},
            'the line, evidence: it, differences: one has an unknown member "no"',
        ),
    ],
)
def test_a_line_that_is_no_event_is_refused(line: str | dict[str, Any], said: str | None) -> None:
    with pytest.raises(ValueError) as caught:
        parse_event(line if isinstance(line, str) else json.dumps(line))
    assert said is None or str(caught.value) == said


@pytest.mark.parametrize("text", ["/w", "/w=", "é", "/wA=\n"])
def test_base64_that_is_none_is_refused(text: str) -> None:
    evidence = JUDGED["evidence"] | {"stdout": {"base64": text, "bytes": 1}}
    with pytest.raises(ValueError):
        parse_event(json.dumps(JUDGED | {"evidence": evidence}))


def test_a_lone_surrogate_in_a_line_is_refused() -> None:
    with pytest.raises(ValueError):
        parse_event('{"event":"problem","where":"\\ud800","message":""}')


EVERY_MEMBER = Judged(
    *("s", "1", "cat", "plain", Verdict.CRASHED, "m", 1, "SIGKILL", 1.0, 0.5, 0.1, 9.0, 2, 3, 4),
    *(("t",), "0123456789abcdef"),
    repeat=("xtest", "run"),
    cached=True,
)

# Names as a system may give them: what is not UTF-8 in them comes as lone surrogates.
NAMES = st.text(max_size=8) | st.binary(max_size=8).map(os.fsdecode)


@settings(deadline=None)
@given(
    st.builds(
        Judged,
        suite=NAMES,
        case=NAMES,
        subject=NAMES,
        delivery=NAMES,
        verdict=st.sampled_from(Verdict),
        message=NAMES,
        exit=st.none() | st.integers(0, 255),
        signal=st.none() | NAMES,
        wall_s=st.floats(0, 1e6),
        first_byte_s=st.none() | st.floats(0, 1e6),
        cpu_s=st.floats(0, 1e6),
        peak_mib=st.none() | st.floats(0, 1e9),
        processes=st.integers(0, 99),
        stdout_bytes=st.integers(0, 10**9),
        stderr_bytes=st.integers(0, 10**9),
        tags=st.lists(NAMES, max_size=3).map(tuple),
        content=NAMES,
        known=st.none(),
        repeat=st.lists(NAMES, max_size=3).map(tuple),
        evidence=st.none(),
        cached=st.booleans(),
    )
)
def test_the_quick_way_to_a_line_writes_what_the_general_way_does(event: Judged) -> None:
    assert set(Judged._fields) == {
        *json.loads(event_line(EVERY_MEMBER)),
        *("evidence", "known"),
    } - {"event"}
    nothing = Bytes(b"", 0)
    evidence = Evidence(nothing, nothing, nothing, nothing)
    general = json.loads(event_line(event._replace(evidence=evidence)))
    del general["evidence"]
    assert event_line(event) == json.dumps(general, separators=(",", ":")) + "\n"
