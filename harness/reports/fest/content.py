"""Collect what documents on a fest show: heat map, contested cases, bugs and pseudonyms.

Pure. Texts are as they are; each format escapes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from harness.analysis.fest import Bug, CaseScore, FestScores, Timing
from harness.model.events import Excerpt
from harness.model.fest import Role, Submitted
from harness.text import escape_nonprintable, truncate

_SHOWN = 400  # characters of an input or an output


class HeatRow(NamedTuple):
    """A suite, and the percentage of its cases that each program passes; None for its own team."""

    suite: str
    cells: tuple[int | None, ...]


class Contested(NamedTuple):
    """An input on which the wheats disagree, their answers, and what teams expect."""

    input: str
    answers: tuple[tuple[str, str], ...]  # the names of wheats, and what they print
    expected: tuple[tuple[str, str, str], ...]  # a case, its status, what it expects


class ShownBug(NamedTuple):
    """A bug, and its smallest case: the name, input, expected output, and what was printed."""

    bug: Bug
    case: str
    input: str
    expected: str
    printed: str


class Program(NamedTuple):
    """A program with its role, its use of time, and why it cannot be run."""

    name: str
    role: Role
    timing: Timing
    fault: str


def excerpt_text(excerpt: Excerpt | None) -> str:
    """Return a text of one line, or a phrase if there is none."""
    if excerpt is None:
        return "(no answer within the limits)"
    text = excerpt.data.decode("utf-8", "backslashreplace").strip()
    return truncate(escape_nonprintable(text), _SHOWN) or "(nothing)"


def heat_rows(scores: FestScores) -> Iterator[HeatRow]:
    """Yield a row for each suite with cases that count; columns are the programs of teams."""
    results = scores.results
    by_team: dict[str, list[int]] = {}
    for case in scores.cases:
        at = results.place_of(case.case)
        if case.counts and at is not None:
            by_team.setdefault(case.case.team, []).append(at)
    for team, places in by_team.items():
        cells = (
            None
            if name == team
            else 100 * sum(results.passes(Role.TEAM, name, at) for at in places) // len(places)
            for name in results.programs(Role.TEAM)
        )
        yield HeatRow(team, tuple(cells))


def contested(scores: FestScores) -> Iterator[Contested]:
    """Yield the inputs on which the wheats disagree."""
    by_input: dict[str, list[CaseScore]] = {}
    for case in scores.cases:
        by_input.setdefault(case.case.input or "", []).append(case)
    for given, difference in scores.results.disagreements.items():
        cases = by_input.get(given, [])
        if cases:
            yield Contested(
                excerpt_text(cases[0].case.stdin),
                tuple(
                    (", ".join(each.wheats), _answer_text(each.stdout, each.exit))
                    for each in difference.answers
                ),
                tuple(
                    (case_name(each.case), each.status.value, excerpt_text(each.case.stdout))
                    for each in cases
                ),
            )


def _answer_text(stdout: Excerpt | None, status: int | None) -> str:
    return f"{excerpt_text(stdout)}{f' (exit status {status})' if status else ''}"


def case_name(case: Submitted) -> str:
    """Return the team and name of a case."""
    return f"{case.team}/{case.case}"


def shown_bugs(scores: FestScores) -> Iterator[ShownBug]:
    """Yield the bugs with their smallest cases."""
    for bug in scores.bugs:
        case = bug.smallest.case
        answer = scores.results.answer(Role.TEAM, bug.programs[0], case)
        verdict = scores.results.verdict(Role.TEAM, bug.programs[0], case)
        printed = "(nothing)" if answer is None else excerpt_text(answer.stdout)
        yield ShownBug(
            *(bug, case_name(case), excerpt_text(case.stdin), excerpt_text(case.stdout)),
            f"{printed} ({verdict.value})" if verdict is not None else printed,
        )


def caught_chaffs(scores: FestScores) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each chaff with the suites that catch it."""
    counting = [case.case for case in scores.cases if case.counts]
    for name in scores.results.programs(Role.CHAFF):
        teams = (case.team for case in counting if scores.fails(Role.CHAFF, name, case))
        yield name, tuple(dict.fromkeys(teams))


def programs(scores: FestScores) -> Iterator[Program]:
    """Yield all programs, with what they used."""
    for each in scores.results.plan.programs:
        timing = scores.results.timing.get((each.role, each.name), Timing())
        yield Program(each.name, each.role, timing, each.fault or "")


def pseudonyms(scores: FestScores) -> dict[str, str]:
    """Return a name for each team that does not tell who it is, while the wheats do not change.

    The keys of wheats, which teams do not know, keep them from computing the names of others.
    """
    plan = scores.results.plan
    secret = [each.key for each in plan.programs if each.role is Role.WHEAT]
    return {team: sha256(repr((secret, team)).encode()).hexdigest()[:10] for team in plan.teams}
