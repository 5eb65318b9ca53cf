"""Write a fest as CSV, as Markdown, and as a results.json of Gradescope per team.

Pure. Sources: RFC 4180; Gradescope's autograder specification; docs/howto/test-fest.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from harness.analysis.fest import CaseScore, FestScores, TeamScore
from harness.model.fest import CaseStatus
from harness.reports.each import file_stems
from harness.reports.fest.content import Reveal, cases_by_team, contested, shown_bugs
from harness.reports.formats.csv import csv_row
from harness.reports.terminal.fest import decimal, score_rows
from harness.text import escape_nonprintable, pluralize

_CASES: Final = ("team", "case", "status", "chaffs_caught", "programs_failed", "reason")
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def csv_files(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the cases, and the scores as exact fractions."""
    cases = (
        (each.case.team, each.case.case, each.status.value, each.chaffs_caught)
        + (each.programs_failed, each.reason)
        for each in scores.cases
    )
    return {
        "cases.csv": "".join(map(csv_row, (_CASES, *cases))),
        "scores.csv": "".join(map(csv_row, (TeamScore._fields, *scores.teams))),
    }


def markdown(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the scores, bugs and contested cases."""
    return {"fest.md": "\n".join(_markdown_lines(scores)) + "\n"}


def _markdown_lines(scores: FestScores) -> Iterator[str]:
    heading, *rows = score_rows(scores)
    yield from ("# Test fest", "", *_table(heading, rows))
    if bugs := list(shown_bugs(scores)):
        yield from ("", f"## {pluralize(len(bugs), 'bug')}", "")
        names = ("programs", "caught by", "smallest case", "input", "expected", "printed")
        yield from _table(
            names,
            (
                (", ".join(each.bug.programs), pluralize(len(each.bug.suites), "suite"), *each[1:])
                for each in bugs
            ),
        )
    disputes = [
        (
            each.input,
            "; ".join(f"{wheats}: {answer}" for wheats, answer in each.answers),
            ", ".join(name for name, _, _ in each.expected),
        )
        for each in contested(scores)
    ]
    if disputes:
        yield from ("", "## Contested inputs", "")
        yield from _table(("input", "wheats", "cases"), disputes)


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield f"|{'---|' * len(heading)}"
    for row in rows:
        cells = (_SPECIAL.sub(r"\\\1", escape_nonprintable(cell)) for cell in row)
        yield f"| {' | '.join(cells)} |"


def gradescope(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the document of each team by file name."""
    stems, cases = file_stems(scores.results.teams), cases_by_team(scores)
    results = {each.team: _results(each, cases[each.team], reveal) for each in scores.teams}
    return {
        f"{stems[team]}.json": json.dumps(document, indent=2) + "\n"
        for team, document in results.items()
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
