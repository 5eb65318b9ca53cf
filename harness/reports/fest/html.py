"""Write the report of a fest for staff: one file that works offline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.analysis.fest import FestScores
from harness.model.fest import CaseStatus, Role
from harness.reports.fest.content import (
    caught_chaffs,
    contested,
    heat_rows,
    programs,
    pseudonyms,
    shown_bugs,
)
from harness.reports.fest.environment import render
from harness.reports.fest.registry import Reveal
from harness.reports.terminal.fest import score_rows

_MOST_NUMBERED: Final = 60  # teams whose cells have numbers; of more, only colours can be read


def documents(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the page."""
    heading, *rows = score_rows(scores)
    results = scores.results
    statuses = [each.status for each in scores.cases]
    return {
        "fest.html": render(
            "staff.html",
            results=results,
            counts={each: statuses.count(each) for each in CaseStatus},
            heading=heading,
            rows=list(zip(scores.teams, rows, strict=True)),
            pseudonyms=pseudonyms(scores),
            columns=results.programs(Role.TEAM),
            heat=list(heat_rows(scores)),
            with_numbers=len(results.programs(Role.TEAM)) <= _MOST_NUMBERED,
            contested=list(contested(scores)),
            bugs=list(shown_bugs(scores)),
            chaffs=list(caught_chaffs(scores)),
            programs=list(programs(scores)),
            wheats=", ".join(results.programs(Role.WHEAT)),
            invalid=[each for each in scores.cases if each.status is CaseStatus.INVALID],
            ruled=[each for each in scores.cases if each.ruling is not None],
        )
    }
