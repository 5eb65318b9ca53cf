"""A run as the page's script reads it: a short line of JSON, and what is shown when it is opened.

Pure and bounded: a report of many failures is a file that somebody has to load. All texts are made
visible here; the page shows them as text and never as markup. Source: docs/html-report.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from harness.documents.pictures import Hung
from harness.documents.summary import Outcome, outcome_of
from harness.events import Bytes, Evidence, Judged
from harness.records import Verdict
from harness.report.emphasis import Parts, fitted, parts_of
from harness.report.rows import Mark, Row, rows_of
from harness.words import amount, clip, cut, first_bytes, last_bytes, shell_line, visible

__all__ = ["Details", "Tables", "entry", "in_script", "place_of"]

_TEXT: Final = 6_000  # characters of a stream
_ROWS: Final = 200
_CELL: Final = 300  # characters of a value in a row
_SAME: Final = 160  # of one that is equal
_MESSAGE: Final = 2_000
_COMMAND: Final = 4_000
_BUDGET: Final = 32 * 1024 * 1024  # characters of all details of a report

_OUTCOMES: Final = {outcome: number for number, outcome in enumerate(Outcome)}
# xtest itself ended the program.
_KILLED: Final = (
    *(Verdict.SILENT, Verdict.STALLED, Verdict.CPU_LIMIT),
    *(Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT, Verdict.PROCESS_LIMIT),
)


class Tables(NamedTuple):
    """The names that runs are told by, each by its number in the page."""

    suites: Mapping[str, int]
    subjects: Mapping[str, int]
    deliveries: Mapping[str, int]
    verdicts: Mapping[str, int]


class Details:
    """How much room there still is for what runs show when they are opened."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def of(self, event: Judged, hung: Sequence[Hung], deliveries: str) -> dict[str, Any]:
        """What one run shows; where there is no room left, only why it fell short."""
        details = _details(event, hung, deliveries)
        if event.evidence is not None:
            size = len(json.dumps(details))
            if size > self._left:
                return {**_head(event, deliveries), "w": _NO_ROOM}
            self._left -= size
        return details


_NO_ROOM: Final = (
    "The report is full: what this run printed is not in it. The command below shows it."
)


def entry(event: Judged, tables: Tables, details: Mapping[str, Any]) -> str:
    """A run as JSON that can stand inside a script element."""
    known = [
        tables.suites[event.suite],
        tables.subjects[event.subject],
        visible(event.case),
        tables.deliveries[event.delivery],
        tables.verdicts[event.verdict.value],
        round(event.wall_s * 1000),
        _OUTCOMES[outcome_of(event)],
    ]
    return in_script([*known, details] if details else known)


def in_script(value: Any) -> str:
    """JSON in which nothing ends the script element that it stands in, nor begins another one."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


# What a run shows. The members have one letter: there are thousands of runs.


def _details(event: Judged, hung: Sequence[Hung], deliveries: str) -> dict[str, Any]:
    seen = event.evidence
    details = _head(event, deliveries)
    if seen is None or event.verdict is Verdict.NOT_STARTED:
        return details
    details["e"] = _ending(event)
    if hung:
        details["b"] = [[one.side.value, *one[1:]] for one in hung]
    shown = rows_of(seen) if seen.differences else []
    if shown:
        details["r"] = [_row(row) for row in shown[:_ROWS]]
        details["n"] = seen.differences_total
    if len(shown) > _ROWS or seen.differences_total > len(seen.differences):
        details["w"] = "More differs than is shown here."
    details["s"] = _streams(seen)
    return details


def _head(event: Judged, deliveries: str) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if event.verdict is not Verdict.PASSED:
        details["m"] = cut(visible(event.message), _MESSAGE)
    if event.tags:
        details["t"] = [visible(tag) for tag in event.tags]
    if event.known is not None:
        known = event.known
        details["k"] = [visible(known.reason), visible(known.link), known.holds]
    if deliveries:
        details["d"] = visible(deliveries)
    if event.repeat and event.verdict not in (Verdict.PASSED, Verdict.INVALID_CASE):
        line = shell_line(event.repeat)
        # Cut, it would be another command.
        details["x"] = line if len(line) <= _COMMAND else "the command is too long to be shown"
    return details


def _ending(event: Judged) -> list[str]:
    how = "" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        how = "ended by xtest" if event.verdict in _KILLED else f"ended by {event.signal}"
    said = [how, f"after {event.wall_s:.3f} s", f"{event.cpu_s:.3f} s of processor time"]
    if event.peak_mib is not None:
        said.append(f"{amount(round(event.peak_mib, 1))} MiB")
    if event.processes > 1:
        said.append(f"{event.processes} processes")
    return [visible(part) for part in said if part]


def _row(row: Row) -> list[Any]:
    name = row.mark.name.lower()
    if row.mark is Mark.FOLDED:
        return [name, row.depth, row.left, ""]
    if row.mark is Mark.SAME:
        # Equal on both sides, and only there to show where one is.
        return [name, row.depth, *(clip(visible(side), _SAME) for side in (row.left, row.right))]
    ours, theirs = fitted(*parts_of(row.left, row.right), _CELL)
    place = cut(visible(place_of(row)), _CELL)
    return [name, row.depth, _parts(ours), _parts(theirs), place]


def place_of(row: Row) -> str:
    """Where the values of a row stand; both places, where they are not the same."""
    return row.place if row.place == row.beside else f"{row.place} → {row.beside}"


def _parts(parts: Parts) -> list[str] | str:
    """The part that differs, and what is around it; one text, where that is all of it."""
    if not parts.differing:
        return parts.before + parts.after
    return list(parts)


def _streams(seen: Evidence) -> list[list[Any]]:
    streams = [
        _stream("Input", seen.stdin),
        _stream("Expected output", seen.expected),
        _stream("Printed", seen.stdout),
    ]
    if seen.stderr.total:
        streams.append(_stream("Standard error", seen.stderr, at_end=True))
    return streams


def _stream(name: str, carried: Bytes, *, at_end: bool = False) -> list[Any]:
    data = carried.data
    kept = last_bytes(data, _TEXT) if at_end else first_bytes(data, _TEXT)
    text = kept.decode("utf-8", "backslashreplace")
    lines = "\n".join(map(visible, text.removesuffix("\n").split("\n")))
    shown = lines[-_TEXT:] if at_end else lines[:_TEXT]
    note = "its end" if at_end else "its beginning"
    is_whole = shown == lines and len(kept) == carried.total
    return [name, shown, carried.total, "" if is_whole else note]
