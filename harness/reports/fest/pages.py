"""Write the pages of a fest, without scripts: for staff, and per team under a pseudonym."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from markupsafe import Markup

from harness.analysis.fest import FestScores
from harness.model.fest import CaseStatus, Role
from harness.reports.fest.content import (
    Reveal,
    cases_by_team,
    contested,
    excerpt_text,
    shown_bugs,
)
from harness.reports.terminal.fest import public_reason, score_rows
from harness.reports.web import content_policy, page_template

_MOST_NUMBERED: Final = 60  # teams whose cells have numbers; of more, only colours can be read


def staff_page(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    heading, *rows = score_rows(scores)
    results = scores.results
    statuses = [each.status for each in scores.cases]
    page = _render(
        "fest/staff.html",
        results=results,
        counts={each: statuses.count(each) for each in CaseStatus},
        heading=heading,
        rows=list(zip(scores.teams, rows, strict=True)),
        pseudonyms=_pseudonyms(scores),
        columns=results.programs(Role.TEAM),
        heat=list(_heat_rows(scores)),
        with_numbers=len(results.programs(Role.TEAM)) <= _MOST_NUMBERED,
        contested=list(contested(scores)),
        bugs=list(shown_bugs(scores)),
        chaffs=list(_caught_chaffs(scores)),
        wheats=", ".join(results.programs(Role.WHEAT)),
        invalid=[each for each in scores.cases if each.status is CaseStatus.INVALID],
        ruled=[each for each in scores.cases if each.ruling is not None],
    )
    return {"fest.html": page}


def team_pages(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    heading, *rows = score_rows(scores)
    names, cases = _pseudonyms(scores), cases_by_team(scores)
    shows_inputs = reveal.shows(Reveal.INPUTS)
    pages = {}
    for team, row in zip(scores.teams, rows, strict=True):
        failed = [case.case for case, passed in scores.program_cells(team.team) if not passed]
        shown = failed if reveal.shows(Reveal.CASES) else []
        pages[f"{names[team.team]}.html"] = _render(
            "fest/team.html",
            name=names[team.team],
            scores=list(zip(heading[1:], row[1:], strict=True)),
            cases=[
                (each, each.reason if shows_inputs else public_reason(scores, each))
                for each in cases[team.team]
            ],
            failed=[
                (f"{names[case.team]}/{case.case}", *map(excerpt_text, (case.stdin, case.stdout)))
                for case in shown
            ],
            with_inputs=shows_inputs,
        )
    return pages


def _render(template: str, **values: Any) -> str:
    style = page_template("fest/fest.css").render()
    policy = content_policy(style)
    return page_template(template).render(policy=policy, style=Markup(style), **values)


def _pseudonyms(scores: FestScores) -> dict[str, str]:
    """Return a name for each team that does not tell who it is, while the wheats do not change.

    The keys of wheats, which teams do not know, keep them from computing the names of others.
    """
    plan = scores.results.plan
    secret = [each.key for each in plan.programs if each.role is Role.WHEAT]
    return {team: sha256(repr((secret, team)).encode()).hexdigest()[:10] for team in plan.teams}


def _heat_rows(scores: FestScores) -> Iterator[tuple[str, list[int | None]]]:
    """Yield each suite with cases that count, and what percentage of these each team's program
    passes; None for its own team."""
    results = scores.results
    by_team: dict[str, list[int]] = {}
    for case in scores.cases:
        at = results.place_of(case.case)
        if case.counts and at is not None:
            by_team.setdefault(case.case.team, []).append(at)
    for team, places in by_team.items():
        yield (
            team,
            [
                None
                if name == team
                else 100 * sum(results.passes(Role.TEAM, name, at) for at in places) // len(places)
                for name in results.programs(Role.TEAM)
            ],
        )


def _caught_chaffs(scores: FestScores) -> Iterator[tuple[str, list[str]]]:
    """Yield each chaff with the suites that catch it."""
    counting = [case.case for case in scores.cases if case.counts]
    for name in scores.results.programs(Role.CHAFF):
        teams = (case.team for case in counting if scores.fails(Role.CHAFF, name, case))
        yield name, list(dict.fromkeys(teams))
