"""Convert the events of a fest to lines of JSON and back. Source: docs/howto/test-fest.md."""

from __future__ import annotations

import json
from typing import Any, Final

from harness.jsonio.members import ObjectReader, count, text
from harness.model.event_lines import record_json, take_record
from harness.model.events import Diagnostic
from harness.model.fest import (
    Answered,
    FestEnded,
    FestEvent,
    FestStarted,
    Submitted,
    WheatsDiffer,
)
from harness.text import quote

__all__ = ["FEST_FORMAT", "fest_line", "parse_fest_event"]

FEST_FORMAT: Final = 1  # increased when a reader of the old format would misread the new one

_EVENTS: Final[dict[str, type[FestEvent]]] = {
    "fest-started": FestStarted,
    "problem": Diagnostic,
    "submitted": Submitted,
    "answered": Answered,
    "wheats-differ": WheatsDiffer,
    "fest-ended": FestEnded,
}
_NAMES: Final = {kind: name for name, kind in _EVENTS.items()}
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))


def fest_line(event: FestEvent) -> str:
    """Return an event as one line of ASCII JSON, with its line end."""
    kind = type(event)
    entries: dict[str, Any] = {"event": _NAMES[kind]}
    if kind is FestStarted:
        entries["format"] = FEST_FORMAT
    entries.update(record_json(event))
    return f"{_ENCODER.encode(entries)}\n"


def parse_fest_event(line: str) -> FestEvent:
    """Return the event in a line. Raises ValueError, as for a last line that was cut short."""
    try:
        members = ObjectReader(json.loads(line), "the line")
    except RecursionError:
        raise ValueError("the line is nested too deep to be an event") from None
    name = members.take("event", text)
    if name not in _EVENTS:
        raise ValueError(f"unknown event {quote(name, 60)} in format {FEST_FORMAT}")
    kind = _EVENTS[name]
    if kind is FestStarted:
        members.take("format", _format)
    event: FestEvent = take_record(kind, members)
    return event


def _format(value: Any) -> None:
    if count(value) != FEST_FORMAT:
        raise ValueError(f"this xtest reads format {FEST_FORMAT}, not {value!r}")
