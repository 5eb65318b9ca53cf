"""Streams of events for the tests of reports: made by hand, and nasty ones made by hypothesis."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from harness.documents.formats import document_of
from harness.documents.source import Source
from harness.events import (
    Bytes,
    DeliveriesDiffer,
    Event,
    Evidence,
    Judged,
    Known,
    Problem,
    RunEnded,
    RunStarted,
    ShownDifference,
)
from harness.records import Verdict

STARTED = RunStarted("0.1.0", "2026-01-31T12:00:00Z", ("s",), 9, 1)
ENDED = RunEnded({}, 1.5, 1)


def source_of_events(*events: Event) -> Source:
    """A source that tells these."""
    return lambda: iter(events)


def made(name: str, *events: Event) -> str:
    """The document that a format makes of events."""
    return "".join(document_of(name)(source_of_events(*events)))


def bytes_of(text: str) -> Bytes:
    """All of a text."""
    return Bytes(text.encode(), len(text.encode()))


def evidence(*differences: ShownDifference, stdout: str = "6\n", stderr: str = "") -> Evidence:
    """What a run that was given 3 and should have printed [6] left behind."""
    streams = (bytes_of("3\n"), bytes_of("[6]\n"), bytes_of(stdout), bytes_of(stderr))
    return Evidence(*streams, differences, len(differences))


def run(case: str, verdict: Verdict = Verdict.PASSED, **more: object) -> Judged:
    """One run of `s` against `x`."""
    event = Judged("s", case, "x", "plain", verdict, f"why {case}", wall_s=0.25)
    return event._replace(repeat=("xtest", "run", "s", "--case", case), **more)  # type: ignore[arg-type]  # fields by name


DIFFERS = run(
    "3",
    Verdict.DIFFERS,
    exit=0,
    evidence=evidence(ShownDifference("/0", "[6]", "6"), stderr="oops"),
)
CRASHED = run("4", Verdict.CRASHED, signal="SIGSEGV", evidence=evidence(stdout=""))
KNOWN = run("5", Verdict.DIFFERS, known=Known("issue #5", "https://example.org/5"))
OUTGROWN = run("6", known=Known("issue #6", holds=False))
INVALID = run("7", Verdict.INVALID_CASE)
FAULT = run("8", Verdict.HARNESS_FAULT)
# One of each, out of order.
ALL: tuple[Event, ...] = (
    *(STARTED, run("10"), DIFFERS, CRASHED, KNOWN, run("2"), OUTGROWN, INVALID, FAULT),
    *(run("2", delivery="slow"), ENDED),
)

# What has broken some reader, somewhere.
_NASTY = st.sampled_from(
    [
        *("]]>", "<script>alert(1)</script>", "</details>", "<!--", "&lt;", "&#0;", '"', "'"),
        *("`", "```", "````diff", "|", "\\|", "\\", "@everyone", "#1", "http://x.org", "www.x.org"),
        *(
            "# TODO",
            "not ok 1",
            "1..0",
            "Bail out!",
            "...",
            "---",
            "\n",
            "\r\n",
            "\t",
            "\0",
            "\x1b[",
        ),
        *(
            "\u202e",
            "\u2028",
            "\ufeff",
            "\ufffe",
            "\u0085",
            "\U0001f600",
            "\U000e0001",
            "{{",
            "*_~",
        ),
        *(
            "![x](http://y)",
            "[x](javascript:y)",
            "- ",
            "> ",
            "    ",
            "<b",
            "%s",
            "{0}",
            ": ",
            "a.b",
        ),
    ]
)
TEXTS = st.lists(_NASTY | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=4)
NAMES = TEXTS.map("".join)
_BYTES = st.one_of(NAMES.map(str.encode), st.binary(max_size=6)).map(
    lambda data: Bytes(data, len(data))
)
_DIFFERENCES = st.one_of(
    st.builds(ShownDifference, NAMES, NAMES, st.none() | NAMES),
    st.builds(ShownDifference, NAMES, st.none(), NAMES),
)
_EVIDENCE = st.builds(
    Evidence,
    *(_BYTES, _BYTES, _BYTES, _BYTES),
    st.lists(_DIFFERENCES, max_size=3).map(tuple),
    st.integers(3, 9),
)
_FEW = st.sampled_from(["s", "a/b", "x.y", "|`"])
RUNS: st.SearchStrategy[Judged] = st.builds(
    # Not the class itself: hypothesis would invent what is not named.
    lambda **members: Judged(**members),  # pylint: disable=unnecessary-lambda
    suite=_FEW | NAMES,
    case=st.sampled_from(["1", "2", "10", "bad-7"]) | NAMES,
    subject=_FEW | NAMES,
    delivery=st.sampled_from(["plain", "slow"]),
    verdict=st.sampled_from(Verdict),
    message=NAMES,
    exit=st.none() | st.integers(0, 255),
    wall_s=st.floats(0, 1e4),
    tags=st.just(()),
    known=st.none() | st.builds(Known, NAMES, NAMES, st.booleans()),
    repeat=st.lists(NAMES, max_size=3).map(tuple),
    evidence=st.none() | _EVIDENCE,
)


def _stream(events: list[Event], ended: RunEnded | None, *, begun: bool) -> tuple[Event, ...]:
    return (*([STARTED] if begun else []), *events, *([ended] if ended else []))


STREAMS: st.SearchStrategy[tuple[Event, ...]] = st.builds(
    lambda events, ended: _stream(events, ended, begun=True),
    st.lists(
        st.one_of(
            RUNS,
            RUNS,
            st.builds(Problem, NAMES, NAMES),
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
        idle=st.just("") | NAMES,
    ),
)


def counted(events: tuple[Event, ...]) -> Iterator[Judged]:
    """Those that judge."""
    return (event for event in events if isinstance(event, Judged))
