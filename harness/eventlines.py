"""Events as lines of JSON, one object each, and back: what a results file is made of.

Pure. The shapes are in schemas/results.schema.json; a test holds the two together. Source:
docs/results.md.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from harness.events import (
    Basis,
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
from harness.members import Members, count, elements, seconds, text, texts, truth
from harness.records import Verdict
from harness.words import as_written, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.about import About

__all__ = ["FORMAT", "event_line", "evidence_json", "parse_event"]

FORMAT: Final = 1  # goes up when a reader of the old format would misread the new one

# One for all lines: json.dumps would make a new one for each.
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))

# Members of later birth, which are left out where they have nothing to say.
_SILENT: Final = (
    *("content", "known", "outgrown", "stopped", "not_run", "idle"),
    *("basis", "resumed", "cached", "about", "subjects"),
)

_NAMES: Final[dict[type[Event], str]] = {
    RunStarted: "run-started",
    Judged: "judged",
    DeliveriesDiffer: "deliveries-differ",
    Problem: "problem",
    RunEnded: "run-ended",
}


def event_line(event: Event) -> str:
    """An event as one line of JSON, with its line end; ASCII only."""
    if isinstance(event, Judged) and event.evidence is None and event.known is None:
        return _unremarkable_line(event)
    return _ENCODER.encode(_to_json(event)) + "\n"


def parse_event(line: str) -> Event:
    """The event that a line holds. Raises ValueError where it is none of this format, such as the
    last line of a file that was cut short."""
    try:
        members = Members(json.loads(line), "the line")
        name = members.take("event", text)
        if name not in _READERS:
            raise ValueError(f"no event of format {FORMAT} is called {quoted(name, 60)}")
        event = _READERS[name](members)
        members.end()
    except RecursionError:
        raise ValueError("the line is nested too deep to be an event") from None
    return event


# Records to JSON.


def _unremarkable_line(event: Judged) -> str:
    """What the general way makes of a run without evidence, in a third of the time: of a large
    suite most events are such. A test holds the two together."""
    ended = "" if event.exit is None else f'"exit":{event.exit},'
    ended += "" if event.signal is None else f'"signal":{_json_word(event.signal)},'
    first = "" if event.first_byte_s is None else f'"first_byte_s":{event.first_byte_s!r},'
    peak = "" if event.peak_mib is None else f'"peak_mib":{event.peak_mib!r},'
    content = f'"content":{_json_text(event.content)},' if event.content else ""
    cached = ',"cached":true' if event.cached else ""
    return (
        f'{{"event":"judged","suite":{_json_word(event.suite)},"case":{_json_text(event.case)},'
        f'"subject":{_json_word(event.subject)},"delivery":{_json_word(event.delivery)},'
        f'"verdict":{_json_word(event.verdict.value)},"message":{_json_word(event.message)},{ended}'
        f'"wall_s":{event.wall_s!r},{first}"cpu_s":{event.cpu_s!r},{peak}'
        f'"processes":{event.processes},"stdout_bytes":{event.stdout_bytes},'
        f'"stderr_bytes":{event.stderr_bytes},"tags":[{",".join(map(_json_word, event.tags))}],'
        f'{content}"repeat":[{",".join(map(_json_word, event.repeat))}]{cached}}}\n'
    )


def _json_text(value: str) -> str:
    return encode_basestring_ascii(as_written(value))


# For what is the same in most lines.
_json_word: Final = lru_cache(256)(_json_text)


def _to_json(event: Event) -> dict[str, Any]:
    entries: dict[str, Any] = {"event": _NAMES[type(event)]}
    if not isinstance(event, RunStarted):
        return _filled(entries, event)
    entries["format"] = FORMAT
    _filled(entries, event._replace(about=()))
    if event.about:
        # Imported where there is one: a plain run is spared it.
        from harness.about import about_json  # pylint: disable=import-outside-toplevel

        entries["about"] = about_json(event.about)
    return entries


def _filled(entries: dict[str, Any], event: Event) -> dict[str, Any]:
    for name in event._fields:
        value = _plain(getattr(event, name))
        if value is not None and (value or name not in _SILENT):
            entries[name] = value
    return entries


def _plain(value: Any) -> Any:
    # By how often each comes: this is done for every member of every run.
    if isinstance(value, str):
        return as_written(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, Verdict):
        return value.value
    if isinstance(value, Evidence):
        return evidence_json(value)
    if isinstance(value, (Known, Basis)):
        return _known_json(value) if isinstance(value, Known) else _basis_json(value)
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else dict(value)


def _known_json(known: Known) -> dict[str, Any]:
    link = {"link": known.link} if known.link else {}
    return {"reason": known.reason, **link, "holds": known.holds}


def _basis_json(basis: Basis) -> dict[str, str]:
    return {name: as_written(said) for name, said in basis._asdict().items()}


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """Evidence as a member of an event has it."""
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
        entries = {"base64": b2a_base64(carried.data, newline=False).decode("ascii")}
    return {**entries, "bytes": carried.total}


def _difference_json(difference: ShownDifference) -> dict[str, str]:
    # A key may hold half a surrogate pair, where the suite allows it.
    entries = {"at": _plain(difference.pointer)}
    if difference.expected is not None:
        entries["expected"] = difference.expected
    if difference.actual is not None:
        entries["actual"] = difference.actual
    if difference.actual_pointer is not None:
        entries["actual_at"] = difference.actual_pointer
    return entries


# JSON to records.


def _run_started(members: Members) -> RunStarted:
    members.take("format", _format)
    return RunStarted(
        xtest=members.take("xtest", text),
        started=members.take("started", text),
        suites=members.take("suites", texts),
        runs=members.take("runs", count),
        parallel=members.take("parallel", count),
        basis=members.take_or_none("basis", _basis_records) or (),
        resumed=members.take_or_none("resumed", count) or 0,
        about=members.take_or_none("about", _about_records) or (),
        subjects=members.take_or_none("subjects", texts) or (),
    )


def _about_records(value: Any) -> tuple[About, ...]:
    from harness.about import about_records  # pylint: disable=import-outside-toplevel

    return about_records(value)


def _judged(members: Members) -> Judged:
    return Judged(
        suite=members.take("suite", text),
        case=members.take("case", text),
        subject=members.take("subject", text),
        delivery=members.take("delivery", text),
        verdict=members.take("verdict", Verdict),
        message=members.take("message", text),
        exit=members.take_or_none("exit", count),
        signal=members.take_or_none("signal", text),
        wall_s=members.take("wall_s", seconds),
        first_byte_s=members.take_or_none("first_byte_s", seconds),
        cpu_s=members.take("cpu_s", seconds),
        peak_mib=members.take_or_none("peak_mib", seconds),
        processes=members.take("processes", count),
        stdout_bytes=members.take("stdout_bytes", count),
        stderr_bytes=members.take("stderr_bytes", count),
        tags=members.take("tags", texts),
        content=members.take_or_none("content", text) or "",
        known=members.take_or_none("known", _known_record),
        repeat=members.take("repeat", texts),
        evidence=members.take_or_none("evidence", _evidence_record),
        cached=members.take_or_none("cached", truth) or False,
    )


def _problem(members: Members) -> Problem:
    return Problem(members.take("where", text), members.take("message", text))


def _deliveries_differ(members: Members) -> DeliveriesDiffer:
    return DeliveriesDiffer(
        where=members.take("where", text),
        subject=members.take("subject", text),
        passed=members.take("passed", count),
        of=members.take("of", count),
        message=members.take("message", text),
    )


def _run_ended(members: Members) -> RunEnded:
    return RunEnded(
        counts=members.take("counts", _counts),
        wall_s=members.take("wall_s", seconds),
        exit=members.take("exit", count),
        interrupted=members.take("interrupted", truth),
        known=members.take_or_none("known", _counts) or {},
        outgrown=members.take_or_none("outgrown", count) or 0,
        stopped=members.take_or_none("stopped", truth) or False,
        not_run=members.take_or_none("not_run", count) or 0,
        idle=members.take_or_none("idle", text) or "",
        resumed=members.take_or_none("resumed", count) or 0,
        cached=members.take_or_none("cached", count) or 0,
    )


_READERS: Final[dict[str, Callable[[Members], Event]]] = {
    "run-started": _run_started,
    "judged": _judged,
    "deliveries-differ": _deliveries_differ,
    "problem": _problem,
    "run-ended": _run_ended,
}


def _basis_records(value: Any) -> tuple[Basis, ...]:
    return tuple(_basis_record(entry) for entry in elements(value))


def _basis_record(value: Any) -> Basis:
    members = Members(value, "one")
    basis = Basis(*(members.take(name, text) for name in Basis._fields))
    members.end()
    return basis


def _known_record(value: Any) -> Known:
    members = Members(value, "it")
    known = Known(
        reason=members.take("reason", text),
        link=members.take_or_none("link", text) or "",
        holds=members.take("holds", truth),
    )
    members.end()
    return known


def _evidence_record(value: Any) -> Evidence:
    members = Members(value, "it")
    evidence = Evidence(
        stdin=members.take("stdin", _bytes_record),
        expected=members.take("expected", _bytes_record),
        stdout=members.take("stdout", _bytes_record),
        stderr=members.take("stderr", _bytes_record),
        differences=members.take("differences", _differences_record),
        differences_total=members.take("differences_total", count),
    )
    members.end()
    return evidence


def _bytes_record(value: Any) -> Bytes:
    members = Members(value, "it")
    data = members.take_or_none("text", lambda value: text(value).encode())
    if data is None:
        data = members.take("base64", lambda value: a2b_base64(text(value), strict_mode=True))
    total = members.take("bytes", count)
    members.end()
    return Bytes(data, total)


def _differences_record(value: Any) -> tuple[ShownDifference, ...]:
    return tuple(_difference_record(entry) for entry in elements(value))


def _difference_record(value: Any) -> ShownDifference:
    members = Members(value, "one")
    difference = ShownDifference(
        pointer=members.take("at", text),
        expected=members.take_or_none("expected", text),
        actual=members.take_or_none("actual", text),
        actual_pointer=members.take_or_none("actual_at", text),
    )
    members.end()
    return difference


def _format(value: Any) -> None:
    if value != FORMAT:
        raise ValueError(f"this xtest reads format {FORMAT}, not {value!r}")


def _counts(value: Any) -> dict[str, int]:
    members = Members(value, "it")
    return {Verdict(name).value: members.take(name, count) for name in value}
