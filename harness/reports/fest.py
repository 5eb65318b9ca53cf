"""Write the reports of a fest: HTML pages without scripts, CSV, Markdown, and Gradescope's JSON.

Pure. Sources: RFC 4180; Gradescope's autograder specification; docs/howto/test-fest.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from harness.analysis.fest import Bug, CaseScore, FestScores, TeamScore
from harness.model.events import Excerpt
from harness.model.fest import CaseStatus, Role, Submitted, WheatAnswer
from harness.model.verdict import FactEnum
from harness.reports.formats.csv import csv_row
from harness.reports.per_subject import file_stems
from harness.reports.terminal.fest import decimal, public_reason, score_rows
from harness.reports.web import content_policy, page_template
from harness.text import escape_nonprintable, pluralize, truncate

_CASES: Final = ("team", "case", "status", "chaffs_caught", "programs_failed", "reason")
_MOST_NUMBERED: Final = 60  # teams whose cells have numbers; of more, only colours can be read
_SHOWN: Final = 400  # characters of an input or an output
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


class Reveal(FactEnum):
    """The content of a team's page; each level adds to the one before."""

    description: str

    SCORES = "scores", "the team's scores, and the status of its cases"
    CASES = "cases", "also the names of the cases that its program fails"
    INPUTS = "inputs", "also their inputs and expected outputs, and why its cases are invalid"

    def shows(self, level: Reveal) -> bool:
        """Return whether pages show what this level adds."""
        levels = list(Reveal)
        return levels.index(self) >= levels.index(level)


REVEALED: Final = "; ".join(f"{each.value}: {each.description}" for each in Reveal)


class FestFormat(NamedTuple):
    """A format: a function that returns texts by file name, and whether PATH is a folder."""

    documents: Callable[[FestScores, Reveal], Mapping[str, str]]
    is_folder: bool = False


# Pages for staff, and for each team under a pseudonym.


def _staff_page(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
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
        contested=list(_contested(scores)),
        bugs=list(_shown_bugs(scores)),
        chaffs=list(_caught_chaffs(scores)),
        wheats=", ".join(results.programs(Role.WHEAT)),
        invalid=[each for each in scores.cases if each.status is CaseStatus.INVALID],
        ruled=[each for each in scores.cases if each.ruling is not None],
    )
    return {"fest.html": page}


def _team_pages(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    heading, *rows = score_rows(scores)
    names, cases = _pseudonyms(scores), _cases_by_team(scores)
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
                (f"{names[case.team]}/{case.case}", *map(_excerpt_text, (case.stdin, case.stdout)))
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
    """Return an anonymous name for each team, the same until the wheats change.

    It depends on the keys of the wheats, so that teams cannot compute the names of others.
    """
    plan = scores.results.plan
    secret = [each.key for each in plan.programs if each.role is Role.WHEAT]
    return {team: sha256(repr((secret, team)).encode()).hexdigest()[:10] for team in plan.teams}


def _heat_rows(scores: FestScores) -> Iterator[tuple[str, list[int | None]]]:
    """Yield each suite with cases that count, and the percentage of them that each team's program
    passes, or None for the suite's own team."""
    results = scores.results
    by_team: dict[str, list[int]] = {}
    for case in scores.cases:
        at = results.expectation_of(case.case)
        if case.counts and at is not None:
            by_team.setdefault(case.case.team, []).append(at)
    for team, expectations in by_team.items():
        yield (
            team,
            [
                None
                if name == team
                else 100
                * sum(results.passes(Role.TEAM, name, at) for at in expectations)
                // len(expectations)
                for name in results.programs(Role.TEAM)
            ],
        )


def _caught_chaffs(scores: FestScores) -> Iterator[tuple[str, list[str]]]:
    """Yield each chaff with the suites that catch it."""
    counting = [case.case for case in scores.cases if case.counts]
    for name in scores.results.programs(Role.CHAFF):
        teams = (case.team for case in counting if scores.fails(Role.CHAFF, name, case))
        yield name, list(dict.fromkeys(teams))


# CSV, Markdown and Gradescope.


def _csv_files(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
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


def _markdown(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the scores, bugs and contested cases."""
    return {"fest.md": "\n".join(_markdown_lines(scores)) + "\n"}


def _markdown_lines(scores: FestScores) -> Iterator[str]:
    heading, *rows = score_rows(scores)
    yield from ("# Test fest", "", *_table(heading, rows))
    if bugs := list(_shown_bugs(scores)):
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
        for each in _contested(scores)
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


def _gradescope(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the document of each team by file name."""
    stems, cases = file_stems(scores.results.teams), _cases_by_team(scores)
    results = {each.team: _results(each, cases[each.team], reveal) for each in scores.teams}
    return {
        f"{stems[team]}.json": json.dumps(document, indent=2) + "\n"
        for team, document in results.items()
    }


def _results(team: TeamScore, cases: list[CaseScore], reveal: Reveal) -> dict[str, Any]:
    passed = (
        f"{team.program_passed} of {pluralize(team.program_total, 'case')} of other teams passed"
    )
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


# Values of several formats. Texts are not escaped yet; each format escapes them.


class _Contested(NamedTuple):
    """An input on which the wheats disagree, their answers, and what teams expect."""

    input: str
    answers: list[tuple[str, str]]  # the names of wheats, and what they print
    expected: list[tuple[str, str, str]]  # a case, its status, what it expects


class _ShownBug(NamedTuple):
    """A bug, and its smallest case: the name, input, expected output, and what was printed."""

    bug: Bug
    case: str
    input: str
    expected: str
    printed: str


def _excerpt_text(excerpt: Excerpt | None) -> str:
    """Return a text of one line, or a phrase if there is none."""
    if excerpt is None:
        return "(no answer within the limits)"
    text = excerpt.data.decode("utf-8", "backslashreplace").strip()
    return truncate(escape_nonprintable(text), _SHOWN) or "(nothing)"


def _cases_by_team(scores: FestScores) -> dict[str, list[CaseScore]]:
    cases: dict[str, list[CaseScore]] = {team: [] for team in scores.results.teams}
    for case in scores.cases:
        cases[case.case.team].append(case)
    return cases


def _contested(scores: FestScores) -> Iterator[_Contested]:
    by_input: dict[str | None, list[CaseScore]] = {}
    for case in scores.cases:
        by_input.setdefault(case.case.input, []).append(case)
    for given, difference in scores.results.disagreements.items():
        if cases := by_input.get(given):
            yield _Contested(
                _excerpt_text(cases[0].case.stdin),
                [(", ".join(answer.wheats), _answer_text(answer)) for answer in difference.answers],
                [
                    (_case_name(each.case), each.status.value, _excerpt_text(each.case.stdout))
                    for each in cases
                ],
            )


def _answer_text(answer: WheatAnswer) -> str:
    text = _excerpt_text(answer.stdout)
    return f"{text} (exit status {answer.exit})" if answer.exit else text


def _case_name(case: Submitted) -> str:
    return f"{case.team}/{case.case}"


def _shown_bugs(scores: FestScores) -> Iterator[_ShownBug]:
    for bug in scores.bugs:
        case = bug.smallest.case
        answer = scores.results.answer(Role.TEAM, bug.programs[0], case)
        verdict = scores.results.verdict(Role.TEAM, bug.programs[0], case)
        printed = "(nothing)" if answer is None else _excerpt_text(answer.stdout)
        yield _ShownBug(
            bug,
            _case_name(case),
            _excerpt_text(case.stdin),
            _excerpt_text(case.stdout),
            f"{printed} ({verdict.value})" if verdict is not None else printed,
        )


FEST_FORMATS: Final = {
    "html": FestFormat(_staff_page),
    "pages": FestFormat(_team_pages, is_folder=True),
    "csv": FestFormat(_csv_files, is_folder=True),
    "gradescope": FestFormat(_gradescope, is_folder=True),
    "markdown": FestFormat(_markdown),
}
