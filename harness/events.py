"""The stream of events: what a run tells the world, one JSON object a line, and nothing beside it.

Pure: records to JSON and back. Everything shown to anyone is made from these. The shapes are in
schemas/results.schema.json; a test holds the two together. Source: docs/results.md.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from harness.jsontext import Json, encode
from harness.records import (
    MISSING,
    Case,
    Difference,
    Exited,
    InvalidCase,
    Judgement,
    Missing,
    NotStarted,
    Signalled,
    Transcript,
    Verdict,
)
from harness.words import signal_name

__all__ = [
    "FORMAT",
    "Bytes",
    "Event",
    "Evidence",
    "Judged",
    "Origin",
    "Problem",
    "RunEnded",
    "RunStarted",
    "ShownDifference",
    "event_line",
    "judged",
    "parse_event",
]

FORMAT: Final = 1  # goes up when a reader of the old format would misread the new one

_CARRIED: Final = 65_536  # bytes of each stream that an event carries
_DIFFERENCES: Final = 200  # differences that an event carries; their number is always whole


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes as an event carries them: the first 64 KiB, and how many there were."""

    data: bytes
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether some are left out."""
        return len(self.data) < self.total


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A difference with its values as JSON texts; None: there is no value."""

    pointer: str
    expected: str | None
    actual: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a person needs in order to see why a run did not pass."""

    stdin: Bytes
    expected: Bytes
    stdout: Bytes
    stderr: Bytes
    differences: tuple[ShownDifference, ...] = ()
    differences_total: int = 0


@dataclass(frozen=True, slots=True)
class Judged:  # pylint: disable=too-many-instance-attributes  # the members of one event
    """One run was judged. `exit` and `signal`: how the program ended, at most one of them.
    `repeat` is a command line that runs just this again."""

    suite: str
    case: str
    subject: str
    delivery: str
    verdict: Verdict
    message: str
    exit: int | None = None
    signal: str | None = None
    wall_s: float = 0.0
    first_byte_s: float | None = None
    cpu_s: float = 0.0
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    tags: tuple[str, ...] = ()
    repeat: tuple[str, ...] = ()
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The first event: what is going to be run. `started` is a time in UTC, as RFC 3339 has it."""

    xtest: str
    started: str
    suites: tuple[str, ...]
    runs: int
    parallel: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is nobody's verdict: a suite that cannot be used, a fault of our own."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The last event: how many runs got which verdict, and the exit status of xtest."""

    counts: Mapping[str, int]
    wall_s: float
    exit: int
    interrupted: bool = False


Event = RunStarted | Judged | Problem | RunEnded

_NAMES: Final[dict[type[Event], str]] = {
    RunStarted: "run-started",
    Judged: "judged",
    Problem: "problem",
    RunEnded: "run-ended",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose run it was, how its input was delivered, and how to repeat it."""

    subject: str
    delivery: str
    repeat: tuple[str, ...]


def judged(
    case: Case | InvalidCase, transcript: Transcript | None, judgement: Judgement, origin: Origin
) -> Judged:
    """The event of one run; without a transcript where nothing was run. Evidence is carried by
    those that did not pass."""
    seen = transcript if transcript is not None else Transcript(NotStarted(""))
    failed = judgement.verdict is not Verdict.PASSED
    return Judged(
        suite=case.suite,
        case=case.name,
        subject=origin.subject,
        delivery=origin.delivery,
        verdict=judgement.verdict,
        message=judgement.message,
        exit=seen.ending.status if isinstance(seen.ending, Exited) else None,
        signal=signal_name(seen.ending.number) if isinstance(seen.ending, Signalled) else None,
        wall_s=round(seen.wall_s, 6),
        first_byte_s=None if seen.first_byte_s is None else round(seen.first_byte_s, 6),
        cpu_s=round(seen.cpu_s, 6),
        stdout_bytes=seen.stdout_bytes,
        stderr_bytes=seen.stderr_bytes,
        tags=case.tags if isinstance(case, Case) else (),
        repeat=origin.repeat,
        evidence=_evidence(case, seen, judgement) if failed and isinstance(case, Case) else None,
    )


def event_line(event: Event) -> str:
    """An event as one line of JSON, with its line end; ASCII only."""
    return json.dumps(_to_json(event), separators=(",", ":")) + "\n"


def parse_event(line: str) -> Event:
    """The event that a line holds. Raises ValueError where it is none of this format."""
    entries = json.loads(line)
    if not isinstance(entries, dict):
        raise ValueError("an event is an object")
    try:
        return _READERS[entries.pop("event")](entries)
    except (KeyError, TypeError) as problem:
        raise ValueError(f"no event of format {FORMAT}: {problem}") from None


def _evidence(case: Case, seen: Transcript, judgement: Judgement) -> Evidence:
    return Evidence(
        stdin=_head(case.stdin, len(case.stdin)),
        expected=_head(case.expected_text, len(case.expected_text)),
        stdout=_head(seen.stdout, seen.stdout_bytes),
        stderr=_head(seen.stderr, seen.stderr_bytes),
        differences=tuple(_shown(entry) for entry in judgement.differences[:_DIFFERENCES]),
        differences_total=len(judgement.differences),
    )


def _head(data: bytes, total: int) -> Bytes:
    return Bytes(data[:_CARRIED], total)


def _shown(difference: Difference) -> ShownDifference:
    return ShownDifference(
        difference.pointer, _value_text(difference.expected), _value_text(difference.actual)
    )


def _value_text(value: Json | Missing) -> str | None:
    return None if value is MISSING else encode(value)


# Records to JSON.


def _to_json(event: Event) -> dict[str, Any]:
    match event:
        case RunStarted():
            entries = {"format": FORMAT, **_fields(event)}
        case Judged():
            entries = _fields(event)
            entries["verdict"] = event.verdict.value
            entries["evidence"] = _evidence_json(event.evidence)
        case Problem() | RunEnded():
            entries = _fields(event)
        case _:
            assert_never(event)
    return {"event": _NAMES[type(event)], **{k: v for k, v in entries.items() if v is not None}}


def _fields(event: Event) -> dict[str, Any]:
    return {entry: getattr(event, entry) for entry in event.__slots__}


def _evidence_json(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {
        "stdin": _bytes_json(evidence.stdin),
        "expected": _bytes_json(evidence.expected),
        "stdout": _bytes_json(evidence.stdout),
        "stderr": _bytes_json(evidence.stderr),
        "differences": [_difference_json(entry) for entry in evidence.differences],
        "differences_total": evidence.differences_total,
    }


def _bytes_json(carried: Bytes) -> dict[str, Any]:
    try:
        entries: dict[str, Any] = {"text": carried.data.decode()}
    except UnicodeDecodeError:
        entries = {"base64": base64.b64encode(carried.data).decode("ascii")}
    return {**entries, "bytes": carried.total}


def _difference_json(difference: ShownDifference) -> dict[str, str]:
    entries = {"at": difference.pointer}
    if difference.expected is not None:
        entries["expected"] = difference.expected
    if difference.actual is not None:
        entries["actual"] = difference.actual
    return entries


# JSON to records.


def _run_started(entries: dict[str, Any]) -> RunStarted:
    version = entries.pop("format")
    if version != FORMAT:
        raise ValueError(f"results of format {version}; this xtest reads format {FORMAT}")
    return RunStarted(**{**entries, "suites": tuple(entries["suites"])})


def _judged(entries: dict[str, Any]) -> Judged:
    evidence = entries.pop("evidence", None)
    return Judged(
        **{
            **entries,
            "verdict": Verdict(entries["verdict"]),
            "tags": tuple(entries["tags"]),
            "repeat": tuple(entries["repeat"]),
            "evidence": None if evidence is None else _evidence_record(evidence),
        }
    )


def _evidence_record(entries: dict[str, Any]) -> Evidence:
    return Evidence(
        stdin=_bytes_record(entries["stdin"]),
        expected=_bytes_record(entries["expected"]),
        stdout=_bytes_record(entries["stdout"]),
        stderr=_bytes_record(entries["stderr"]),
        differences=tuple(
            ShownDifference(entry["at"], entry.get("expected"), entry.get("actual"))
            for entry in entries["differences"]
        ),
        differences_total=entries["differences_total"],
    )


def _bytes_record(entries: dict[str, Any]) -> Bytes:
    if "text" in entries:
        return Bytes(entries["text"].encode(), entries["bytes"])
    return Bytes(base64.b64decode(entries["base64"]), entries["bytes"])


_READERS: Final[dict[str, Callable[[dict[str, Any]], Event]]] = {
    "run-started": _run_started,
    "judged": _judged,
    "problem": lambda entries: Problem(**entries),
    "run-ended": lambda entries: RunEnded(**entries),
}
