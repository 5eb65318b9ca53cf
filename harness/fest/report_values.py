"""Compute what several formats of a fest's reports show. Pure.

Texts of teams and programs are not escaped yet unless a function says so; each format escapes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from typing import Final, NamedTuple

from harness.analysis.failure_kinds import FailureKinds
from harness.fest.events import CaseStatus, Role, Submitted, WheatAnswer
from harness.fest.scores import NO_ANSWER, Bug, CaseScore, FestScores, TeamScore, odd_wheats
from harness.model.events import Excerpt, RunResult
from harness.model.tally import message_of
from harness.model.verdict import FactEnum, Verdict
from harness.reports.filter import without_folders
from harness.reports.text.events import failure_lines
from harness.text import escape_nonprintable, percent, pluralize, shorten_to_width, truncate

_SCORES: Final = (
    *("team", "submitted", "valid", "contested", "invalid"),
    *("validity", "thoroughness", "contribution", "program"),
)
_NAME: Final = 40  # characters of a team's name
_REASON: Final = 100
_SHOWN: Final = 400  # characters of an input or an output
_KINDS: Final = 5  # kinds of failures of a program


class Reveal(FactEnum):
    """The content of a team's page; each level adds to the one before."""

    description: str

    SCORES = "scores", "the team's scores, the status of its cases, the verdicts on its program"
    CASES = "cases", "also the names of the cases that its program fails"
    INPUTS = (
        "inputs",
        "also their inputs and expected outputs, what its program printed, also on standard error,"
        " and why its cases are invalid",
    )

    def shows(self, level: Reveal) -> bool:
        """Return whether pages show what this level adds."""
        levels = list(Reveal)
        return levels.index(self) >= levels.index(level)


REVEALED: Final = "; ".join(f"{each.value}: {each.description}" for each in Reveal)


# Scores, and the statuses of cases.


def score_rows(scores: FestScores) -> Iterator[tuple[str, ...]]:
    """Yield the heading of the table of scores, and a row per team."""
    yield _SCORES
    for team in scores.teams:
        counts = (team.submitted, team.valid, team.contested, team.invalid)
        shares = (team.validity, team.thoroughness)
        program = f"{team.program_passed} of {team.program_total}" if team.program_total else "-"
        yield (
            shorten_to_width(team.team, _NAME),
            *map(str, counts),
            *(
                "-" if each is None else percent(each.numerator, each.denominator)
                for each in shares
            ),
            decimal(team.contribution),
            program if scores.has_program(team.team) else "none",
        )


def decimal(value: Fraction) -> str:
    """Return a number with two decimals; the CSV has it exactly."""
    return f"{float(value):.2f}"


def status_counts(scores: FestScores) -> str:
    status = [each.status for each in scores.cases]
    return ", ".join(f"{status.count(each):,} {each.value}" for each in CaseStatus)


def public_reason(scores: FestScores, case: CaseScore) -> str:
    """Return why a case does not count, without the answers of the wheats."""
    results = scores.results
    if case.ruling is not None or case.case.input is None or case.status is CaseStatus.VALID:
        return shorten_to_width(case.reason, _REASON)
    if case.status is CaseStatus.CONTESTED:
        odd, answers = odd_wheats(results.disagreements[case.case.input])
        return (
            "the wheats disagree" if len(answers) > 1 else f"a wheat {', '.join({*odd.values()})}"
        )
    wheats = results.programs[Role.WHEAT]
    verdicts = dict.fromkeys(results.verdict(Role.WHEAT, name, case.case) for name in wheats)
    failures = (each.value for each in verdicts if each and each is not Verdict.PASSED)
    return f"the wheats do not pass it: {', '.join(failures)}"


def pseudonyms(scores: FestScores) -> dict[str, str]:
    """Return an anonymous name for each team, the same until the wheats change.

    It depends on the keys of the wheats, so that teams cannot compute the names of others.
    """
    plan = scores.results.plan
    secret = [each.key for each in plan.programs if each.role is Role.WHEAT]
    return {team: sha256(repr((secret, team)).encode()).hexdigest()[:10] for team in plan.teams}


def caught_chaffs(scores: FestScores) -> Iterator[tuple[str, list[str]]]:
    """Yield each chaff with the suites that catch it."""
    counting = [case.case for case in scores.cases if case.counts]
    for name in scores.results.programs[Role.CHAFF]:
        teams = (case.team for case in counting if scores.fails(Role.CHAFF, name, case))
        yield name, list(dict.fromkeys(teams))


# Why programs fail.


class FailureRow(NamedTuple):
    """A kind of failures of a team's program: an example, their number, some cases."""

    program: str
    number: int
    example: RunResult
    cases: str  # escaped


def failure_rows(scores: FestScores) -> Iterator[FailureRow]:
    """Yield the most frequent kinds of failures of each program."""
    for program in scores.results.programs[Role.TEAM]:
        kinds = FailureKinds()
        for event in shown_failures(scores, program):
            kinds.add(event)
        ranked = sorted(kinds.kinds.values(), key=lambda kind: (-kind.count, kind.number))
        for kind in ranked[:_KINDS]:
            yield FailureRow(program, kind.count, kind.example, kind.examples())


def program_text(scores: FestScores, team: TeamScore) -> str:
    """Return how the program of a team did, with the verdicts of its failures."""
    if not scores.has_program(team.team):
        return "no program was submitted"
    if not team.program_total:
        return "no case of another team counts"
    total = pluralize(team.program_total, "case")
    verdicts = Counter(each.verdict.value for each in scores.program_failures(team.team))
    failures = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.most_common())
    passed = f"{team.program_passed} of {total} of other teams passed"
    return f"{passed}; failures: {failures}" if failures else passed


class FailedBuild(NamedTuple):
    """A program of a team whose build failed: why, and the last lines of its output, printable."""

    program: str
    reason: str
    output: str


def failed_builds(scores: FestScores, team: str | None = None) -> Iterator[FailedBuild]:
    """Yield the failed builds of teams, or what a team may read of its own."""
    for each in scores.results.plan.programs:
        if each.role is not Role.TEAM or each.build_output is None:
            continue
        if team in (None, each.name):
            lines = [each.fault or "", *each.build_output]
            if team is not None:
                lines = [*map(without_folders, lines)]
            reason, *output = map(escape_nonprintable, lines)
            yield FailedBuild(each.name, reason, "\n".join(output))


def shown_failures(scores: FestScores, team: str) -> list[RunResult]:
    """Return the failures of a team's program, but not those for want of a build, which is shown
    instead."""
    return [] if any(failed_builds(scores, team)) else scores.program_failures(team)


def failure_text(event: RunResult) -> str:
    """Return the details of a failure, made printable, in the words of `xtest run`."""
    return "\n".join(failure_lines(event)).strip("\n")


class ShownBug(NamedTuple):
    """A bug, and its smallest case: the name, the input, the expected output, and how programs
    failed it: their names and what they printed."""

    bug: Bug
    case: str
    input: str
    expected: str
    printed: list[tuple[str, str]]


def shown_bugs(scores: FestScores) -> Iterator[ShownBug]:
    for bug in scores.bugs:
        case = bug.smallest.case
        texts: dict[str, list[str]] = {}
        for name in bug.programs:
            run = scores.results.failed_run(Role.TEAM, name, case)
            texts.setdefault("(not run)" if run is None else _printed_text(run), []).append(name)
        yield ShownBug(
            bug,
            case_name(case),
            excerpt_text(case.stdin),
            excerpt_text(case.stdout),
            [(", ".join(names), text) for text, names in texts.items()],
        )


def _printed_text(run: RunResult) -> str:
    evidence = run.evidence
    printed = excerpt_text(None if evidence is None else evidence.stdout)
    return f"{printed} ({run.verdict.value}: {escape_nonprintable(message_of(run))})"


# Disagreements of the wheats.


class Contested(NamedTuple):
    """An input without an answer of all wheats, their answers, and what teams expect."""

    input: str
    answers: list[tuple[str, str]]  # the names of wheats, and what they print
    expected: list[tuple[str, str, str]]  # a case, its status, what it expects


def contested(scores: FestScores) -> Iterator[Contested]:
    by_input: dict[str | None, list[CaseScore]] = {}
    for case in scores.cases:
        by_input.setdefault(case.case.input, []).append(case)
    for input_digest, difference in scores.results.disagreements.items():
        if cases := by_input.get(input_digest):
            odd, _ = odd_wheats(difference)
            yield Contested(
                excerpt_text(cases[0].case.stdin),
                [
                    (
                        ", ".join(
                            f"{name} (several answers)"
                            if odd.get(name, NO_ANSWER) != NO_ANSWER
                            else name
                            for name in answer.wheats
                        ),
                        _answer_text(answer),
                    )
                    for answer in difference.answers
                ],
                [
                    (case_name(each.case), each.status.value, excerpt_text(each.case.stdout))
                    for each in cases
                ],
            )


def _answer_text(answer: WheatAnswer) -> str:
    if answer.stdout is None:
        return "(no answer within the limits)"
    text = excerpt_text(answer.stdout)
    return f"{text} (exit status {answer.exit})" if answer.exit else text


def case_name(case: Submitted) -> str:
    return f"{case.team}/{case.case}"


def excerpt_text(excerpt: Excerpt | None) -> str:
    """Return a text as one printable line."""
    text = "" if excerpt is None else excerpt.data.decode("utf-8", "backslashreplace").strip()
    return truncate(escape_nonprintable(text), _SHOWN) or "(nothing)"
