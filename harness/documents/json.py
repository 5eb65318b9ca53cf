"""A report as one JSON document: the whole, each suite and subject, the matrix, and all runs.

Pure. Its shape is schemas/report.schema.json, which has of a run what a results file has of it; a
test holds the two together. Source: docs/reports.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from harness.documents.order import Order
from harness.documents.source import Source
from harness.documents.summary import Group, Outcome, Summary, outcome_of, summary_of
from harness.eventlines import event_line
from harness.events import Judged
from harness.report.matrix import View, matrix_lines
from harness.several.matrix import Matrix, matrix_noting

__all__ = ["FORMAT", "document"]

FORMAT: Final = 1  # goes up when a reader of the old format would misread the new one

_BEGINNING: Final = '{"event":"judged",'


def document(source: Source) -> Iterator[str]:
    """The pieces of a JSON document, in ASCII: a run stands on a line of its own."""
    order, matrix = Order(), Matrix()
    summary = summary_of(matrix_noting(matrix, order.noting(source())))
    heading = json.dumps(_heading(summary, matrix), indent=2)
    yield f'{heading.removesuffix("}").rstrip()},\n  "runs": ['
    between = "\n    "
    for event in order.runs(source):
        yield f"{between}{_run(event)}"
        between = ",\n    "
    yield "\n  ]\n}\n"


def _heading(summary: Summary, matrix: Matrix) -> dict[str, Any]:
    (counted,) = matrix_lines(matrix, View({}), "json")
    idle = {"idle": summary.idle} if summary.idle else {}
    return {
        "format": FORMAT,
        "xtest": summary.xtest,
        "started": summary.started,
        "wall_s": summary.wall_s,
        "exit": summary.exit,
        "summary": {
            "runs": summary.runs,
            **{outcome.value: summary.count(outcome) for outcome in Outcome},
            "not_run": summary.not_run,
        },
        **idle,
        "problems": [trouble._asdict() for trouble in summary.troubles],
        "groups": [_group(group) for group in summary.groups],
        "matrix": json.loads(counted),
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "suite": group.suite,
        "subject": group.subject,
        "runs": group.runs,
        "passed": group.passed,
        "known": group.known,
        "failed": group.failed,
        "broken": group.broken,
        "wall_s": group.wall_s,
    }


def _run(event: Judged) -> str:
    line = event_line(event)
    return f'{{"outcome":"{outcome_of(event).value}",{line[len(_BEGINNING) : -1]}'
