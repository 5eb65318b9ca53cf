"""Write the cases and the scores of a fest as CSV, with exact fractions.

Pure. Sources: RFC 4180; OWASP's page on CSV injection; docs/howto/test-fest.md.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Final

from harness.analysis.fest import FestScores, TeamScore
from harness.reports.fest.registry import Reveal
from harness.text import escape_nonprintable

_CASES: Final = ("team", "case", "status", "chaffs_caught", "programs_failed", "reason")
_FORMULA: Final = tuple("=+-@")  # what a spreadsheet would compute begins with one of these


def documents(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the content of each file by its name."""
    cases = (
        (each.case.team, each.case.case, each.status.value, each.chaffs_caught)
        + (each.programs_failed, each.reason)
        for each in scores.cases
    )
    return {
        "cases.csv": _document(_CASES, cases),
        "scores.csv": _document(TeamScore._fields, scores.teams),
    }


def _document(heading: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    document = StringIO(newline="")
    writer = csv.writer(document)
    writer.writerow(heading)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return document.getvalue()


def _cell(value: object) -> str:
    text = escape_nonprintable(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
