"""Convert the events of a fest to lines of JSON and back. Source: docs/howto/test-fest.md."""

from __future__ import annotations

from typing import Final

from harness.model.event_lines import LineFormat
from harness.model.events import Diagnostic
from harness.model.fest import Answered, FestEnded, FestEvent, FestStarted, Submitted, WheatsDiffer

FEST_FORMAT: Final = 1  # increased when a reader of the old format would misread the new one

_EVENTS: Final = LineFormat[FestEvent](
    FEST_FORMAT,
    {
        "fest-started": FestStarted,
        "problem": Diagnostic,
        "submitted": Submitted,
        "answered": Answered,
        "wheats-differ": WheatsDiffer,
        "fest-ended": FestEnded,
    },
)
fest_line = _EVENTS.line
parse_fest_event = _EVENTS.parse
