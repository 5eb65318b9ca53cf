"""Format the scores of a fest, or a check for an author. Pure. Source: docs/howto/test-fest.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.analysis.fest import CaseScore, FestScores
from harness.model.fest import CaseStatus, Role
from harness.reports.terminal.matrix import percent
from harness.reports.terminal.tables import align_columns
from harness.text import pluralize, shorten_to_width

_NAME = 40  # characters of a team's name
_REASON = 100
_HEADING = (
    "team",
    "submitted",
    "valid",
    "contested",
    "invalid",
    "validity",
    "thoroughness",
    "contribution",
    "program",
)


def score_lines(scores: FestScores) -> Iterator[str]:
    """Yield a table of the scores, and a line with counts of cases and bugs."""
    yield from align_columns(list(score_rows(scores)), range(1))
    yield ""
    programs = pluralize(len(scores.results.programs(Role.TEAM)), "program")
    bugs = pluralize(len(scores.bugs), "bug")
    cases = pluralize(len(scores.cases), "case")
    yield f"{cases}: {_status_counts(scores)}; {bugs} in {programs}"


def score_rows(scores: FestScores) -> Iterator[tuple[str, ...]]:
    """Yield the heading of the table of scores, and a row per team."""
    yield _HEADING
    for team in scores.teams:
        counts = (team.submitted, team.valid, team.contested, team.invalid)
        shares = (team.validity, team.thoroughness)
        yield (
            shorten_to_width(team.team, _NAME),
            *map(str, counts),
            *(percent(each.numerator, each.denominator) for each in shares),
            decimal(team.contribution),
            f"{team.program_passed} of {team.program_total}",
        )


def decimal(value: Fraction) -> str:
    """Return a number with two decimals; the CSV has it exactly."""
    return f"{float(value):.2f}"


def check_lines(scores: FestScores) -> Iterator[str]:
    """Yield the status of each case for its author, without the answers of the wheats."""
    rows = [("case", "status", "reason")]
    rows += [
        (each.case.case, each.status.value, public_reason(scores, each)) for each in scores.cases
    ]
    yield from (line.rstrip() for line in align_columns(rows, range(3)))
    yield ""
    chaffs = scores.results.programs(Role.CHAFF)
    valid = [each.case for each in scores.cases if each.counts]
    caught = sum(any(scores.fails(Role.CHAFF, name, case) for case in valid) for name in chaffs)
    yield f"{_status_counts(scores)}; chaffs caught: {caught} of {len(chaffs)}"


def _status_counts(scores: FestScores) -> str:
    status = [each.status for each in scores.cases]
    return ", ".join(f"{status.count(each):,} {each.value}" for each in CaseStatus)


def public_reason(scores: FestScores, case: CaseScore) -> str:
    """Return why a case does not count, without the answers of the wheats."""
    results = scores.results
    if case.ruling is not None or case.case.input is None or case.status is CaseStatus.VALID:
        return shorten_to_width(case.reason, _REASON)
    if case.status is CaseStatus.CONTESTED:
        return "the wheats disagree"
    verdicts = (
        results.verdict(Role.WHEAT, name, case.case) for name in results.programs(Role.WHEAT)
    )
    failures = dict.fromkeys(each.value for each in verdicts if each and each.value != "passed")
    return f"the wheats do not pass it: {', '.join(failures)}"
