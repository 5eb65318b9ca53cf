"""Write the reports of a fest: text, CSV, Markdown and Gradescope's JSON.

Pure. Sources: RFC 4180; Gradescope's autograder specification; docs/howto/test-fest.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from harness.fest.events import CaseStatus, Role
from harness.fest.html import staff_page, team_pages
from harness.fest.report_values import (
    FailureRow,
    Reveal,
    ShownBug,
    caught_chaffs,
    contested,
    decimal,
    excerpt_text,
    failed_builds,
    failure_rows,
    failure_text,
    program_text,
    pseudonyms,
    public_reason,
    score_rows,
    shown_bugs,
    shown_failures,
    status_counts,
)
from harness.fest.scores import CaseScore, FestScores, TeamScore
from harness.model.tally import message_of
from harness.reports.formats.csv import csv_row
from harness.reports.per_subject import file_stems
from harness.reports.text.display import align_blocks, align_columns, table_width
from harness.text import escape_nonprintable, pluralize, shorten_to_width, wrap

_CASES: Final = ("team", "case", "status", "chaffs_caught", "programs_failed", "reason")
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")
_LINE: Final = 240  # characters of a line of the terminal
_WIDE_LINE: Final = 480  # one that is wrapped
_ESCAPED: Final = r"\\\1"
_MOST_DETAILS: Final = 20  # failures in a document for Gradescope


class FestFormat(NamedTuple):
    """A format: a function that returns texts by file name, and whether PATH is a folder."""

    documents: Callable[[FestScores, Reveal], Mapping[str, str]]
    is_folder: bool = False


# Text.


def score_lines(scores: FestScores, width: int | None = None) -> Iterator[str]:
    """Yield a table of the scores, and a line with counts of cases and bugs."""
    yield from align_blocks(list(score_rows(scores)), width)
    yield ""
    for build in failed_builds(scores):
        yield shorten_to_width(f"{escape_nonprintable(build.program)}: {build.reason}", _LINE)
    for wheat, message in scores.results.wheats_without_answers().items():
        line = shorten_to_width(f"wheat {wheat} answers no case: {message}", _WIDE_LINE)
        yield from wrap(escape_nonprintable(line), width)
    programs = pluralize(len(scores.results.programs[Role.TEAM]), "program")
    bugs = pluralize(len(scores.bugs), "bug")
    cases = pluralize(len(scores.cases), "case")
    yield from wrap(f"{cases}: {status_counts(scores)}; {bugs} in {programs}", width)


def check_lines(scores: FestScores, width: int | None = None) -> Iterator[str]:
    """Yield the status of each case for its author, without the answers of the wheats."""
    rows = [("case", "status", "reason")]
    rows += [
        (each.case.case, each.status.value, public_reason(scores, each)) for each in scores.cases
    ]
    indent = " " * (table_width([row[:2] for row in rows]) + 2)
    for line in align_columns(rows, range(3)):
        yield from wrap(line.rstrip(), width, indent)
    yield ""
    chaffs = list(caught_chaffs(scores))
    caught = sum(bool(suites) for _, suites in chaffs)
    remark = f"; chaffs caught: {caught} of {len(chaffs)}" if chaffs else ""
    yield from wrap(f"{status_counts(scores)}{remark}", width)


# CSV, Markdown and Gradescope.


def _csv_files(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the cases, and the scores as exact fractions."""
    cases = (
        (each.case.team, each.case.case, each.status.value, each.chaffs_caught)
        + (each.programs_failed, each.reason)
        for each in scores.cases
    )
    teams = (["" if value is None else value for value in team] for team in scores.teams)
    return {
        "cases.csv": "".join(map(csv_row, (_CASES, *cases))),
        "scores.csv": "".join(map(csv_row, (TeamScore._fields, *teams))),
    }


def _markdown(scores: FestScores, _reveal: Reveal) -> Mapping[str, str]:
    """Return the scores, bugs and contested cases."""
    heading, *rows = score_rows(scores)
    lines = ["# Test fest", "", *_table(heading, rows)]
    if bugs := list(shown_bugs(scores)):
        lines += ["", f"## {pluralize(len(bugs), 'bug')}", ""]
        names = ("programs", "caught by", "smallest case", "input", "expected", "printed")
        shown = (
            (", ".join(each.bug.programs), pluralize(len(each.bug.suites), "suite"))
            + (each.case, each.input, each.expected, "; ".join(_printed_texts(each)))
            for each in bugs
        )
        lines += _table(names, shown)
    for build in failed_builds(scores):
        lines += ["", f"## The build of {_SPECIAL.sub(_ESCAPED, build.program)} failed", ""]
        lines += [_SPECIAL.sub(_ESCAPED, build.reason), "", *_code_block(build.output)]
    if failures := list(failure_rows(scores)):
        lines += ["", "## Why programs fail", ""]
        names = ("program", "failures", "verdict", "reason", "cases", "standard error")
        lines += _table(names, map(_failure_cells, failures))
    if disputed := list(contested(scores)):
        lines += ["", "## Contested inputs", ""]
        disputes = (
            (
                input_text,
                "; ".join(map(": ".join, answers)),
                ", ".join(name for name, *_ in expected),
            )
            for input_text, answers, expected in disputed
        )
        lines += _table(("input", "wheats", "cases"), disputes)
    return {"fest.md": "\n".join([*lines, ""])}


def _printed_texts(bug: ShownBug) -> Iterator[str]:
    for programs, text in bug.printed:
        yield f"{programs}: {text}" if len(bug.printed) > 1 else text


def _failure_cells(row: FailureRow) -> tuple[str, ...]:
    event = row.example
    stderr = excerpt_text(event.evidence.stderr if event.evidence is not None else None)
    return (
        *(row.program, str(row.number), event.verdict.value, message_of(event), row.cases),
        stderr,
    )


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield f"|{'---|' * len(heading)}"
    for row in rows:
        cells = (_SPECIAL.sub(_ESCAPED, escape_nonprintable(cell)) for cell in row)
        yield f"| {' | '.join(cells)} |"


def _code_block(text: str) -> Iterator[str]:
    """Yield the lines of an indented block, in which nothing is Markdown."""
    yield from (f"    {line}" for line in text.split("\n"))


def _gradescope(scores: FestScores, reveal: Reveal) -> Mapping[str, str]:
    """Return the document of each team by file name."""
    stems = file_stems(scores.results.plan.teams)
    return {
        f"{stems[team.team]}.json": json.dumps(_results(scores, team, reveal), indent=2) + "\n"
        for team in scores.teams
    }


def _results(scores: FestScores, team: TeamScore, reveal: Reveal) -> dict[str, Any]:
    statuses = _statuses(scores.cases_of[team.team], reveal)
    catches = ""
    if team.thoroughness is not None:
        catches = "The share of the chaffs that your valid cases catch."
    shares = (
        ("Validity", team.validity, "\n".join(statuses)),
        ("Thoroughness", team.thoroughness, catches),
        ("Program", team.program, "\n".join(_program_lines(scores, team, reveal))),
    )
    return {
        "output": f"contribution: {decimal(team.contribution)} ({team.contribution})",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": [
            {"name": name}
            | ({} if share is None else {"score": round(float(share), 4), "max_score": 1})
            | {"output": output}
            for name, share, output in shares
            if share is not None or output
        ],
        "leaderboard": [{"name": "contribution", "value": round(float(team.contribution), 4)}],
    }


def _program_lines(scores: FestScores, team: TeamScore, reveal: Reveal) -> Iterator[str]:
    """Yield how the program did, and its failures as far as they are revealed."""
    yield program_text(scores, team)
    for build in failed_builds(scores, team.team):
        yield f"\n{build.reason}\n{build.output}\n"
    if not reveal.shows(Reveal.CASES):
        return
    names = pseudonyms(scores)
    for number, event in enumerate(shown_failures(scores, team.team)):
        shown = event._replace(suite=names[event.suite])
        if reveal.shows(Reveal.INPUTS) and number < _MOST_DETAILS:
            yield f"\n{failure_text(shown)}"
        else:
            yield escape_nonprintable(f"{shown.suite}/{shown.case}: {shown.verdict.value}")


def _statuses(cases: list[CaseScore], reveal: Reveal) -> Iterator[str]:
    for case in cases:
        is_shown = reveal.shows(Reveal.INPUTS) or case.case.input is None or case.ruling
        reason = case.reason if is_shown and case.status is not CaseStatus.VALID else ""
        name = escape_nonprintable(case.case.case)
        yield f"{name}: {case.status.value}" + (f" ({escape_nonprintable(reason)})" * bool(reason))


FEST_FORMATS: Final = {
    "html": FestFormat(staff_page),
    "pages": FestFormat(team_pages, is_folder=True),
    "csv": FestFormat(_csv_files, is_folder=True),
    "gradescope": FestFormat(_gradescope, is_folder=True),
    "markdown": FestFormat(_markdown),
}
