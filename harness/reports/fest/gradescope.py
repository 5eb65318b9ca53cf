"""Write a results.json for the autograder of Gradescope per team.

Pure. Source: Gradescope's autograder specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.analysis.fest import CaseScore, FestScores, TeamScore
from harness.model.fest import CaseStatus
from harness.reports.each import file_stems
from harness.reports.fest.registry import Reveal
from harness.reports.terminal.fest import decimal
from harness.text import escape_nonprintable, pluralize


def documents(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the document of each team by file name."""
    stems = file_stems(scores.results.teams)
    cases: dict[str, list[CaseScore]] = {team: [] for team in stems}
    for case in scores.cases:
        cases[case.case.team].append(case)
    return {
        f"{stems[each.team]}.json": json.dumps(_results(each, cases[each.team], reveal), indent=2)
        + "\n"
        for each in scores.teams
    }


def _results(team: TeamScore, cases: list[CaseScore], reveal: Reveal) -> dict[str, Any]:
    passed = f"{team.program_passed} of {pluralize(team.program_total, 'case')} of others passed"
    shares = (
        ("Validity", team.validity, "\n".join(_statuses(cases, reveal))),
        ("Thoroughness", team.thoroughness, "The share of the chaffs that your valid cases catch."),
        ("Program", team.program, passed),
    )
    return {
        "output": f"contribution: {decimal(team.contribution)} ({team.contribution})",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": [
            {"name": name, "score": round(float(share), 4), "max_score": 1, "output": output}
            for name, share, output in shares
        ],
        "leaderboard": [{"name": "contribution", "value": round(float(team.contribution), 4)}],
    }


def _statuses(cases: list[CaseScore], reveal: Reveal) -> Iterator[str]:
    for case in cases:
        is_shown = reveal.shows(Reveal.INPUTS) or case.case.input is None or case.ruling
        reason = case.reason if is_shown and case.status is not CaseStatus.VALID else ""
        name = escape_nonprintable(case.case.case)
        yield f"{name}: {case.status.value}" + (f" ({escape_nonprintable(reason)})" * bool(reason))
