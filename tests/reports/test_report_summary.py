"""Summaries: exit status, headline and problems, for one run and for several."""

from __future__ import annotations

from support.events import DIFFERS, ENDED, FAULT, INVALID, KNOWN, OUTGROWN, SKIPPED, STARTED, run
from support.golden import Golden
from support.tables import check_table

from harness.model.events import DependsOnOrder, Diagnostic, Event, RunEnded
from harness.model.verdict import Verdict
from harness.reports.summary import headline, summary_of

NAMED: dict[str, Event] = {
    **{"started": STARTED, "ended": ENDED, "known": KNOWN, "known passed": OUTGROWN},
    **{"passed": run("1"), "another passed": run("2"), "differs": DIFFERS, "skipped": SKIPPED},
    **{"invalid": INVALID, "fault": FAULT, "flaky": run("1", Verdict.FLAKY)},
    "not started": run("1", Verdict.NOT_STARTED),
    "idle": RunEnded({}, 0.0, 0, idle="nothing failed"),
    "stopped": RunEnded({}, 1.0, 1, stopped=True, not_run=3),
    "interrupted": RunEnded({}, 1.0, 130, interrupted=True, not_run=2),
    "problem": Diagnostic("a", "b"),
    "depends on order": DependsOnOrder("s/1", "x", "2", "why", ()),
}


def test_exit_status_headline_and_problems_agree(golden: Golden) -> None:
    def result(names: str) -> str:
        summary = summary_of(NAMED[name] for name in names.split(", ") if name)
        problems = (f" / {each.where}: {each.message}" for each in summary.problems)
        idle = f" ({summary.idle})" if summary.idle else ""
        return f"{summary.exit}: {headline(summary)}{idle}{''.join(problems)}"

    check_table(golden, __file__, "headlines.txt", result)
