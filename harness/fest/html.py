"""Write the HTML pages of a fest, without scripts: for staff, and for each team. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from harness.fest.events import CaseStatus, Role, Submitted
from harness.fest.report_values import (
    Reveal,
    caught_chaffs,
    contested,
    failed_builds,
    failure_rows,
    failure_text,
    program_text,
    pseudonyms,
    public_reason,
    score_rows,
    shown_bugs,
    shown_failures,
)
from harness.fest.scores import FestResults, FestScores
from harness.model.verdict import Verdict
from harness.reports.pages.page import STYLE, Templates

_TEMPLATES: Final = Templates(Path(__file__).parent / "pages")
_MOST_NUMBERED: Final = 60  # teams whose cells have numbers; of more, only colours can be read
_TERMS: Final = {
    **{
        each.value: f"{each.description[0].upper()}{each.description[1:]}."
        for each in (Role.WHEAT, Role.CHAFF)
    },
    **{f"{each.value} case": each.description for each in CaseStatus},
    "validity": "The share of a team's submitted cases that are valid.",
    "thoroughness": "The share of the chaffs caught by any valid case that a team's own valid cases"
    " catch.",
    "contribution": "A point for each bug in the programs of teams, divided among the suites that"
    " catch it.",
    "program": "The valid cases of other teams that a team's program passes.",
    "pseudonym": "The name of a team on the pages of other teams.",
}
_MOST_DETAILS: Final = 50  # failures of a team's program that are shown in full


def staff_page(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the page for staff, by file name."""
    heading, *rows = score_rows(scores)
    results = scores.results
    statuses = [each.status for each in scores.cases]
    columns = results.programs[Role.TEAM]
    page = _render(
        "staff.html",
        results=results,
        counts={each: statuses.count(each) for each in CaseStatus},
        heading=heading,
        rows=list(zip(scores.teams, rows, strict=True)),
        pseudonyms=pseudonyms(scores),
        columns=columns,
        heat=list(_heat_rows(scores)),
        with_numbers=len(columns) <= _MOST_NUMBERED,
        contested=list(contested(scores)),
        builds=list(failed_builds(scores)),
        failures=[(each, failure_text(each.example)) for each in failure_rows(scores)],
        bugs=list(shown_bugs(scores)),
        chaffs=list(caught_chaffs(scores)),
        wheats=", ".join(results.programs[Role.WHEAT]),
        invalid=[each for each in scores.cases if each.status is CaseStatus.INVALID],
        ruled=[each for each in scores.cases if each.ruling is not None],
    )
    return {"fest.html": page}


def team_pages(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the page of each team by file name, a pseudonym."""
    heading, *rows = score_rows(scores)
    names = pseudonyms(scores)
    shows_inputs = reveal.shows(Reveal.INPUTS)
    pages = {}
    for team, row in zip(scores.teams, rows, strict=True):
        failed = shown_failures(scores, team.team) if reveal.shows(Reveal.CASES) else []
        failed = [each._replace(suite=names[each.suite]) for each in failed]
        details = [failure_text(each) for each in failed[:_MOST_DETAILS]] if shows_inputs else []
        pages[f"{names[team.team]}.html"] = _render(
            "team.html",
            name=names[team.team],
            scores=list(zip(heading[1:], row[1:], strict=True)),
            program=program_text(scores, team),
            builds=list(failed_builds(scores, team.team)),
            cases=[
                (each, each.reason if shows_inputs else public_reason(scores, each))
                for each in scores.cases_of[team.team]
            ],
            failed=failed[len(details) :],
            details=details,
        )
    return pages


def _render(template: str, **values: Any) -> str:
    style = STYLE + _TEMPLATES.rendered("fest.css")
    return "".join(_TEMPLATES.page(template, style=style, terms=_TERMS, **values))


def _heat_rows(scores: FestScores) -> Iterator[tuple[str, list[int | None]]]:
    """Yield each suite with cases that count, and the percentage of them that each team's program
    passes, or None for the suite's own team."""
    results = scores.results
    for team, cases in scores.cases_of.items():
        if counting := [case.case for case in cases if case.counts]:
            shares = [
                None if name == team else _passed_percent(results, name, counting)
                for name in results.programs[Role.TEAM]
            ]
            yield team, shares


def _passed_percent(results: FestResults, program: str, cases: list[Submitted]) -> int:
    passed = (results.verdict(Role.TEAM, program, case) is Verdict.PASSED for case in cases)
    return 100 * sum(passed) // len(cases)
