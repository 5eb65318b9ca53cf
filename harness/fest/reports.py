"""Write the reports of a fest: text, HTML pages without scripts, CSV, Markdown, Gradescope's JSON.

Pure. Sources: RFC 4180; Gradescope's autograder specification; docs/howto/test-fest.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.fest.events import CaseStatus, Role, Submitted, WheatAnswer
from harness.fest.scores import Bug, CaseScore, FestResults, FestScores, TeamScore
from harness.model.events import Excerpt
from harness.model.verdict import FactEnum, Verdict
from harness.reports.formats.csv import csv_row
from harness.reports.pages.page import STYLE, Templates
from harness.reports.per_subject import file_stems
from harness.reports.text.display import align_columns
from harness.text import escape_nonprintable, percent, pluralize, shorten_to_width, truncate

_TEMPLATES: Final = Templates(Path(__file__).parent / "pages")
_SCORES: Final = (
    *("team", "submitted", "valid", "contested", "invalid"),
    *("validity", "thoroughness", "contribution", "program"),
)
_CASES: Final = ("team", "case", "status", "chaffs_caught", "programs_failed", "reason")
_NAME: Final = 40  # characters of a team's name
_REASON: Final = 100
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


# Text.


def score_lines(scores: FestScores) -> Iterator[str]:
    """Yield a table of the scores, and a line with counts of cases and bugs."""
    yield from align_columns(list(_score_rows(scores)), range(1))
    yield ""
    programs = pluralize(len(scores.results.programs[Role.TEAM]), "program")
    bugs = pluralize(len(scores.bugs), "bug")
    cases = pluralize(len(scores.cases), "case")
    yield f"{cases}: {_status_counts(scores)}; {bugs} in {programs}"


def check_lines(scores: FestScores) -> Iterator[str]:
    """Yield the status of each case for its author, without the answers of the wheats."""
    rows = [("case", "status", "reason")]
    rows += [
        (each.case.case, each.status.value, _public_reason(scores, each)) for each in scores.cases
    ]
    yield from (line.rstrip() for line in align_columns(rows, range(3)))
    yield ""
    chaffs = list(_caught_chaffs(scores))
    caught = sum(bool(suites) for _, suites in chaffs)
    yield f"{_status_counts(scores)}; chaffs caught: {caught} of {len(chaffs)}"


def _status_counts(scores: FestScores) -> str:
    status = [each.status for each in scores.cases]
    return ", ".join(f"{status.count(each):,} {each.value}" for each in CaseStatus)


def _score_rows(scores: FestScores) -> Iterator[tuple[str, ...]]:
    """Yield the heading of the table of scores, and a row per team."""
    yield _SCORES
    for team in scores.teams:
        counts = (team.submitted, team.valid, team.contested, team.invalid)
        shares = (team.validity, team.thoroughness)
        yield (
            shorten_to_width(team.team, _NAME),
            *map(str, counts),
            *(percent(each.numerator, each.denominator) for each in shares),
            _decimal(team.contribution),
            f"{team.program_passed} of {team.program_total}",
        )


def _decimal(value: Fraction) -> str:
    """Return a number with two decimals; the CSV has it exactly."""
    return f"{float(value):.2f}"


def _public_reason(scores: FestScores, case: CaseScore) -> str:
    """Return why a case does not count, without the answers of the wheats."""
    results = scores.results
    if case.ruling is not None or case.case.input is None or case.status is CaseStatus.VALID:
        return shorten_to_width(case.reason, _REASON)
    if case.status is CaseStatus.CONTESTED:
        return "the wheats disagree"
    wheats = results.programs[Role.WHEAT]
    verdicts = dict.fromkeys(results.verdict(Role.WHEAT, name, case.case) for name in wheats)
    failures = (each.value for each in verdicts if each and each is not Verdict.PASSED)
    return f"the wheats do not pass it: {', '.join(failures)}"


# Pages for staff, and for each team under a pseudonym.


def _staff_page(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    heading, *rows = _score_rows(scores)
    results = scores.results
    statuses = [each.status for each in scores.cases]
    columns = results.programs[Role.TEAM]
    page = _render(
        "staff.html",
        results=results,
        counts={each: statuses.count(each) for each in CaseStatus},
        heading=heading,
        rows=list(zip(scores.teams, rows, strict=True)),
        pseudonyms=_pseudonyms(scores),
        columns=columns,
        heat=list(_heat_rows(scores)),
        with_numbers=len(columns) <= _MOST_NUMBERED,
        contested=list(_contested(scores)),
        bugs=list(_shown_bugs(scores)),
        chaffs=list(_caught_chaffs(scores)),
        wheats=", ".join(results.programs[Role.WHEAT]),
        invalid=[each for each in scores.cases if each.status is CaseStatus.INVALID],
        ruled=[each for each in scores.cases if each.ruling is not None],
    )
    return {"fest.html": page}


def _team_pages(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    heading, *rows = _score_rows(scores)
    names = _pseudonyms(scores)
    shows_inputs = reveal.shows(Reveal.INPUTS)
    pages = {}
    for team, row in zip(scores.teams, rows, strict=True):
        failed = [case for case, passed in scores.program_results(team.team) if not passed]
        shown = failed if reveal.shows(Reveal.CASES) else []
        pages[f"{names[team.team]}.html"] = _render(
            "team.html",
            name=names[team.team],
            scores=list(zip(heading[1:], row[1:], strict=True)),
            cases=[
                (each, each.reason if shows_inputs else _public_reason(scores, each))
                for each in scores.cases_of[team.team]
            ],
            failed=[
                (f"{names[case.team]}/{case.case}", *map(_excerpt_text, (case.stdin, case.stdout)))
                for case in shown
            ],
            with_inputs=shows_inputs,
        )
    return pages


def _render(template: str, **values: Any) -> str:
    style = STYLE + _TEMPLATES.rendered("fest.css")
    return "".join(_TEMPLATES.page(template, style=style, **values))


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


def _caught_chaffs(scores: FestScores) -> Iterator[tuple[str, list[str]]]:
    """Yield each chaff with the suites that catch it."""
    counting = [case.case for case in scores.cases if case.counts]
    for name in scores.results.programs[Role.CHAFF]:
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
    heading, *rows = _score_rows(scores)
    lines = ["# Test fest", "", *_table(heading, rows)]
    if bugs := list(_shown_bugs(scores)):
        lines += ["", f"## {pluralize(len(bugs), 'bug')}", ""]
        names = ("programs", "caught by", "smallest case", "input", "expected", "printed")
        shown = (
            (", ".join(bug.programs), pluralize(len(bug.suites), "suite"), *texts)
            for bug, *texts in bugs
        )
        lines += _table(names, shown)
    if contested := list(_contested(scores)):
        lines += ["", "## Contested inputs", ""]
        disputes = (
            (given, "; ".join(map(": ".join, answers)), ", ".join(name for name, *_ in expected))
            for given, answers, expected in contested
        )
        lines += _table(("input", "wheats", "cases"), disputes)
    return {"fest.md": "\n".join([*lines, ""])}


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield f"|{'---|' * len(heading)}"
    for row in rows:
        cells = (_SPECIAL.sub(r"\\\1", escape_nonprintable(cell)) for cell in row)
        yield f"| {' | '.join(cells)} |"


def _gradescope(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the document of each team by file name."""
    stems = file_stems(scores.results.plan.teams)
    results = (_results(team, scores.cases_of[team.team], reveal) for team in scores.teams)
    return {
        f"{stems[team.team]}.json": json.dumps(document, indent=2) + "\n"
        for team, document in zip(scores.teams, results, strict=True)
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
        "output": f"contribution: {_decimal(team.contribution)} ({team.contribution})",
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
