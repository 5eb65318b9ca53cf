"""Write a report as one JSON document, by schemas/report.schema.json. Source: docs/reports.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from harness.analysis.summary import Summary, summary_of
from harness.model.event_lines import event_line
from harness.model.tally import RunOutcome, outcome_of
from harness.reports.analysis_json import matrix_json
from harness.reports.source import ResultSorter, Source
from harness.reports.text.facts import facts_of

FORMAT: Final = 1  # incremented when readers of the old format would misread the new one


def document(source: Source) -> Iterator[str]:
    """Return a JSON document in pieces, in ASCII, with a line per run."""
    order = ResultSorter()
    summary = summary_of(source(), order.add)
    heading = json.dumps(_heading(summary), indent=2)
    yield f'{heading.removesuffix("}").rstrip()},\n  "runs": ['
    between = "\n    "
    for event in order.runs(source):
        keys = event_line(event).removeprefix('{"event":"judged",').removesuffix("\n")
        yield f'{between}{{"outcome":"{outcome_of(event).value}",{keys}'
        between = ",\n    "
    yield "\n  ]\n}\n"


def _heading(summary: Summary) -> dict[str, Any]:
    reason = {"idle": summary.why_nothing_ran} if summary.why_nothing_ran else {}
    failures = [
        {"subject": name, "reason": each.build_failure, "output": each.build_output}
        for name, each in summary.unbuilt.items()
    ]
    unbuilt = {"unbuilt": failures} if failures else {}
    book = summary.book if summary.book.has_points else None
    return {
        "format": FORMAT,
        "xtest": summary.xtest,
        "started": summary.started,
        "wall_s": summary.wall_s,
        "facts": {fact.name: fact.value for fact in facts_of(summary)},
        "exit": summary.exit,
        "summary": {
            "runs": summary.runs,
            **{outcome.value: summary.total.count(outcome) for outcome in RunOutcome},
            "not_run": summary.not_run,
        },
        **reason,
        "problems": [problem._asdict() for problem in summary.problems],
        **unbuilt,
        "groups": [
            {
                "suite": group.suite,
                "subject": group.subject,
                "runs": group.runs,
                **{outcome.value: group.count(outcome) for outcome in RunOutcome},
                "wall_s": round(group.wall_s, 6),
            }
            for group in summary.groups
        ],
        "matrix": matrix_json(summary.matrix, {}, book=book),
    }
