"""Write a page per team, under a pseudonym, with what `--reveal` lets it see."""

from __future__ import annotations

from collections.abc import Mapping

from harness.analysis.fest import CaseScore, FestScores
from harness.reports.fest.content import excerpt_text, pseudonyms
from harness.reports.fest.environment import render
from harness.reports.fest.registry import Reveal
from harness.reports.terminal.fest import public_reason, score_rows


def documents(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the page of each team by file name."""
    heading, *rows = score_rows(scores)
    names = pseudonyms(scores)
    cases: dict[str, list[CaseScore]] = {team: [] for team in scores.results.teams}
    for case in scores.cases:
        cases[case.case.team].append(case)
    pages = {}
    for team, row in zip(scores.teams, rows, strict=True):
        failed = [case for case, passed in scores.program_cells(team.team) if not passed]
        pages[f"{names[team.team]}.html"] = render(
            "team.html",
            name=names[team.team],
            scores=list(zip(heading[1:], row[1:], strict=True)),
            cases=[(each, _reason(scores, each, reveal)) for each in cases[team.team]],
            failed=[_failed(each, names) for each in failed] if reveal.shows(Reveal.CASES) else [],
            with_inputs=reveal.shows(Reveal.INPUTS),
        )
    return pages


def _reason(scores: FestScores, case: CaseScore, reveal: Reveal) -> str:
    return case.reason if reveal.shows(Reveal.INPUTS) else public_reason(scores, case)


def _failed(case: CaseScore, names: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the name of a case under the pseudonym of its team, its input and expected output."""
    given, expected = case.case.stdin, case.case.stdout
    name = f"{names[case.case.team]}/{case.case.case}"
    return name, excerpt_text(given), excerpt_text(expected)
