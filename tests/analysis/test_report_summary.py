"""Summaries: exit status, headlines and problems, for one run and for several."""

from __future__ import annotations

import re

from support import events
from support.events import DIFFERS, ENDED, FAULT, INVALID, KNOWN, OUTGROWN, SKIPPED, STARTED, run
from support.golden import Golden

from harness.analysis.summary import summary_of
from harness.model.events import DependsOnOrder, Diagnostic, Event, RunEnded
from harness.model.verdict import Verdict
from harness.reports.text.phrases import headline

NAMED: dict[str, Event] = {
    **{"started": STARTED, "ended": ENDED, "known": KNOWN, "known passed": OUTGROWN},
    **{"passed": run("1"), "another passed": run("2"), "differs": DIFFERS, "skipped": SKIPPED},
    **{"invalid": INVALID, "fault": FAULT, "flaky": run("1", Verdict.FLAKY)},
    "not started": run("1", Verdict.NOT_STARTED),
    "idle": RunEnded({}, 0.0, 0, why_nothing_ran="nothing failed"),
    "stopped": RunEnded({}, 1.0, 1, stopped=True, not_run=3),
    "interrupted": RunEnded({}, 1.0, 130, interrupted=True, not_run=2),
    "problem": Diagnostic("a", "b"),
    "depends on order": DependsOnOrder("s/1", "x", "2", "why", ()),
    **{"passed by y": run("1", subject="y"), "differs by y": DIFFERS._replace(subject="y")},
    "invalid by y": INVALID._replace(subject="y"),
}


def test_exit_status_headlines_and_problems_agree(golden: Golden) -> None:
    def result(names: str) -> str:
        found = [NAMED[name] for name in names.split(", ") if name]
        summary, page = summary_of(found), events.write_document("html", *found)
        problems = (f" / {each.where}: {each.message}" for each in summary.problems)
        idle = f" ({summary.why_nothing_ran})" if summary.why_nothing_ran else ""
        (heading,) = re.findall(r'<header class="(\w+)">.*<h1>(.*)</h1>', page, re.S)
        assert f"<title>xtest: {heading[1]}" in page
        parts = f"{headline(summary)}{idle}", *problems, " / HTML, ", ": ".join(heading)
        return f"{summary.exit}: {''.join(parts)}"

    golden.table("headlines.txt", result)
