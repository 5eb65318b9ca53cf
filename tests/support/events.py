"""Streams of events: one of each kind for golden files, and hostile ones from Hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hypothesis import strategies as st

from harness.analysis.history import History
from harness.jsonio.fast import decode
from harness.judging.array_diff import aligned_differences
from harness.judging.examples import with_rules
from harness.model.comparison import Comparison
from harness.model.events import (
    CompanionEvidence,
    DeliveriesDiffer,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    KnownFailure,
    RunEnded,
    RunResult,
    RunStarted,
)
from harness.model.judgement import ShownDifference, ShownMessage, shown_differences
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.source import Source
from harness.reports.writer import make_document

STARTED = RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s",), 9, 1)
ENDED = RunEnded({}, 1.5, 1)


def source_of_events(*events: Event) -> Source:
    return lambda: iter(events)


def write_document(name: str, *events: Event) -> str:
    return "".join(make_document(name, source_of_events(*events)))


def bytes_of(text: str) -> Excerpt:
    """Return a complete stream."""
    return Excerpt(text.encode(), len(text.encode()))


def evidence(*differences: ShownDifference, stdout: str = "6\n", stderr: str = "") -> Evidence:
    """Return evidence of a run with the input 3 and the expected output [6]."""
    return evidence_with(("3\n", "[6]\n", stdout, stderr), *differences)


def evidence_with(texts: Sequence[str], *found: ShownDifference) -> Evidence:
    """Return evidence with these texts as input, expected output, stdout and stderr."""
    stdin, expected, stdout, stderr = map(bytes_of, texts)
    return Evidence(stdin, expected, stdout, stderr, found, len(found))


def evidence_of(
    expected: str, actual: str, listed: int = 200, comparison: Comparison = Comparison()
) -> Evidence:
    """Return evidence of two outputs, with their differences computed and `listed` of them kept."""
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    found = with_rules(left, right, comparison, [*aligned_differences(left, right, comparison)])
    seen = evidence_with(("", expected, actual, ""), *shown_differences(found)[:listed])
    return seen._replace(differences_total=len(found))


def run(case: str, verdict: Verdict = Verdict.PASSED, **more: object) -> RunResult:
    """Return a run of `s` against `x`."""
    repeat = ("xtest", "run", "s", "--case", case)
    event = RunResult("s", case, "x", "plain", verdict, f"why {case}", wall_s=0.25, repeat=repeat)
    return event._replace(**more)  # type: ignore[arg-type]  # fields by name


DIFFERS = run(
    "3",
    Verdict.DIFFERS,
    exit=0,
    evidence=evidence(ShownDifference("/0", "[6]", "6"), stderr="oops"),
)
CRASHED = run("4", Verdict.CRASHED, signal="SIGSEGV", evidence=evidence(stdout=""))
KNOWN = run("5", Verdict.DIFFERS, known=KnownFailure("issue #5", "https://example.org/5"))
OUTGROWN = run("6", known=KnownFailure("issue #6", holds=False))
INVALID = run("7", Verdict.INVALID_CASE)
SKIPPED = run("13", Verdict.SKIPPED, repeat=())
FAULT = run("8", Verdict.HARNESS_FAULT)

_WIDE = evidence_of(
    '{"a": [0, 1, 2, 3, 5, 6, 7, 8], "name": "Ada  Lovelace", "note": "same"}',
    '{"a": [0, 1, 2, 4, 5, 7, 8, "new"], "name": "Ada Lovelace", "note": "same"}',
)
_HOSTILE = "</script>\x1b[31m]]>|`::error::\u202e"
# The stream of the golden files: two subjects on two suites, every outcome, and hostile texts.
STREAM: tuple[Event, ...] = (
    STARTED._replace(
        suites=("s", "t"),
        subjects=(SubjectInfo("x", ("x",)), SubjectInfo("y", ("y", "-v"))),
        suite_infos=(
            SuiteInfo("s", "nowhere", title="Sums", points=10.0, cases=9, selected=9),
            SuiteInfo("t", "nowhere", cases=1, selected=1),
        ),
    ),
    # One run of each kind, out of order.
    *(run("10"), DIFFERS, CRASHED, KNOWN, run("2"), OUTGROWN, INVALID, FAULT),
    run("2", delivery="slow"),
    run("3", Verdict.DIFFERS, delivery="cut", evidence=_WIDE, exit=0, tags=("hard",)),
    run("9", Verdict.STALLED, signal="SIGKILL", evidence=evidence(stdout="[6"), message="stalled"),
    run(
        *("11", Verdict.TOO_FEW),
        exit=1,
        known=KnownFailure("crashes", holds=False),
        evidence=evidence(stdout="", stderr="\n".join(f"line {n}" for n in range(30))),
    ),
    *(run(n, Verdict.NOT_STARTED, suite="t", subject="y", message="no such file") for n in "21"),
    run("1", suite="t", cached=True),
    run("3", suite="s", subject="y", cpu_s=0.125, peak_mib=9.5, processes=2),
    run(
        *("12", Verdict.MALFORMED),
        subject="y",
        message=_HOSTILE,
        evidence=evidence(ShownDifference(f"/{_HOSTILE}", "1", "2"), stdout=_HOSTILE),
    ),
    SKIPPED,
    DeliveriesDiffer("s/3", "x", 0, 2, "plain and cut differ"),
    Diagnostic("u", "suite.toml: no such file"),
    RunEnded({"passed": 5, "differs": 3}, 1.5, 2, known={"differs": 1}, unexpected_pass=1),
)
# The same for formats that report one subject.
SINGLE: tuple[Event, ...] = tuple(
    event for event in STREAM if not isinstance(event, RunResult) or event.subject == "x"
)

# Texts that have broken a reader.
_NASTY = st.sampled_from(
    [
        *("]]>", "<script>alert(1)</script>", "</details>", "<!--", "&lt;", "&#0;", '"', "'"),
        *("`", "```", "````diff", "|", "\\|", "\\", "@everyone", "#1", "http://x.org", "www.x.org"),
        *("# TODO", "not ok 1", "1..0", "Bail out!", "...", "---", "\n", "\r\n", "\t", "\0"),
        *("\x1b[", "\u202e", "\u2028", "\ufeff", "\ufffe", "\u0085", "\U0001f600", "\U000e0001"),
        *("{{", "*_~", "![x](http://y)", "[x](javascript:y)", "- ", "> ", "    ", "<b", "%s"),
        *("{0}", ": ", "a.b"),
    ]
)
TEXTS = st.lists(_NASTY | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=4)
NAMES = TEXTS.map("".join)
_BYTES = st.one_of(NAMES.map(str.encode), st.binary(max_size=6)).map(
    lambda data: Excerpt(data, len(data))
)
_DIFFERENCES = st.one_of(
    st.builds(ShownDifference, NAMES, NAMES, st.none() | NAMES),
    st.builds(ShownDifference, NAMES, st.none(), NAMES),
)
_COMPANIONS = st.builds(CompanionEvidence, NAMES, NAMES, _BYTES, st.booleans())
_MESSAGES = st.builds(ShownMessage, at_s=st.floats(0, 1e4), step=NAMES, text=NAMES, note=NAMES)
_EVIDENCE = st.builds(
    Evidence,
    *(_BYTES, _BYTES, _BYTES, _BYTES),
    st.lists(_DIFFERENCES, max_size=3).map(tuple),
    st.integers(3, 9),
    talk=st.lists(_MESSAGES, max_size=3).map(tuple),
    companions=st.lists(_COMPANIONS, max_size=2).map(tuple),
)
_FEW = st.sampled_from(["s", "a/b", "x.y", "|`"])
RUNS: st.SearchStrategy[RunResult] = st.builds(
    # Not the class itself: Hypothesis would generate the fields with defaults, too.
    lambda **members: RunResult(**members),  # pylint: disable=unnecessary-lambda
    suite=_FEW | NAMES.filter(bool),
    case=st.sampled_from(["1", "2", "10", "bad-7"]) | NAMES.filter(bool),
    subject=_FEW | NAMES,
    delivery=st.sampled_from(["plain", "slow"]),
    verdict=st.sampled_from(Verdict),
    message=NAMES,
    exit=st.none() | st.integers(0, 255),
    wall_s=st.floats(0, 1e4),
    tags=st.just(()),
    known=st.none() | st.builds(KnownFailure, NAMES, NAMES, st.booleans()),
    repeat=st.lists(NAMES, max_size=3).map(tuple),
    evidence=st.none() | _EVIDENCE,
)
STREAMS: st.SearchStrategy[tuple[Event, ...]] = st.builds(
    lambda events, ended: (STARTED, *events, *([ended] if ended else [])),
    st.lists(
        st.one_of(
            RUNS,
            RUNS,
            st.builds(Diagnostic, NAMES, NAMES),
            st.builds(DeliveriesDiffer, NAMES, NAMES, st.just(1), st.just(2), NAMES),
        ),
        max_size=6,
    ),
    st.none()
    | st.builds(
        lambda **members: RunEnded({}, **members),
        wall_s=st.floats(0, 1e4),
        exit=st.sampled_from([0, 1, 2]),
        interrupted=st.booleans(),
        not_run=st.integers(0, 3),
        why_nothing_ran=st.just("") | NAMES,
    ),
)


# Letters of outcomes: k is a known failure.
_LETTERS = {"p": Verdict.PASSED, "d": Verdict.DIFFERS, "c": Verdict.CRASHED, "f": Verdict.FLAKY}


def runs_of_letters(letters: Mapping[str, str]) -> list[list[RunResult]]:
    """Return the runs of each day by the letters of each case; - is not run."""
    runs: list[list[RunResult]] = [[] for _ in next(iter(letters.values()))]
    for case, row in letters.items():
        for day, letter in enumerate(row):
            known = KnownFailure("why") if letter == "k" else None
            verdict = _LETTERS.get(letter, Verdict.DIFFERS)
            if letter != "-":
                runs[day].append(run(case, verdict, known=known, wall_s=(day + 1) / 8))
    return runs


def history_of(runs: Iterable[Iterable[Event]]) -> History:
    """Return the history of runs, a day apart."""
    found = History()
    for number, events in enumerate(runs, start=1):
        found.begin(RunStarted("0", f"2026-01-{number:02}", ("s",), 1, 1), f"r{number}")
        for event in events:
            found.add(event)
    return found


def judged_runs(events: tuple[Event, ...]) -> Iterator[RunResult]:
    return (event for event in events if isinstance(event, RunResult))
