"""Format the result of a selftest as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from harness.authoring.mutation_score import MutantFinding, MutantOutcome
from harness.text import escape_nonprintable, pluralize, shorten

_WHERE: Final = 60  # characters of a path
_MOST_NAMES: Final = 12  # cases named in one line


def mutation_score_lines(
    findings: Sequence[MutantFinding], names: Sequence[str], *, verbose: bool
) -> Iterator[str]:
    """Return the mutants that survived or are hidden; with `verbose`, all, then the cases."""
    if verbose:
        killed = (each for each in findings if each.outcome is MutantOutcome.KILLED)
        yield from (_killed_line(each, names) for each in killed)
        yield from (_line(each) for each in findings if each.outcome is MutantOutcome.NO_EFFECT)
        yield from _case_lines(findings, names)
    yield from _hidden_lines(findings, verbose=verbose)
    yield from (_line(each) for each in findings if each.outcome is MutantOutcome.SURVIVED)


def score(findings: Sequence[MutantFinding]) -> str:
    """Return the closing line with the mutation score, rounded down: 100 % means all."""
    outcomes = Counter(finding.outcome for finding in findings)
    killed = outcomes[MutantOutcome.KILLED]
    total = killed + outcomes[MutantOutcome.SURVIVED]
    percent = f"{killed * 1000 // total / 10:g} %" if total else "none applies"
    single = sum(len(each.killed_by) == 1 for each in findings)
    parts = [f"{killed:,} of {pluralize(total, 'mutant')} killed ({percent})"]
    each = "" if single == 1 else " each"
    parts += [f"{single:,} of them by only one case{each}"] if single else []
    hidden = outcomes[MutantOutcome.HIDDEN]
    parts += [f"{hidden:,} hidden by the equality rules of the suite"] if hidden else []
    return "; ".join(parts)


def _line(finding: MutantFinding) -> str:
    reason = f": {escape_nonprintable(finding.reason)}" if finding.reason else ""
    if not finding.reason and finding.outcome is MutantOutcome.NO_EFFECT:
        reason = ": changes no output"
    return f"{finding.outcome.value}  {_mutant(finding)}{reason}"


def _killed_line(finding: MutantFinding, names: Sequence[str]) -> str:
    by = f"by {len(finding.killed_by):,} of {pluralize(len(finding.changed), 'case')}"
    single = len(finding.killed_by) == 1
    name = f" ({escape_nonprintable(names[finding.killed_by[0]])})" if single else ""
    return f"{finding.outcome.value}  {_mutant(finding)}: {by}{name}"


def _mutant(finding: MutantFinding) -> str:
    shown = shorten(finding.where, _WHERE) if finding.where else "the output"
    return f"{shown}  {finding.what}"


def _hidden_lines(findings: Sequence[MutantFinding], *, verbose: bool) -> Iterator[str]:
    """Return a line per place and reason; with `verbose`, a line per mutant."""
    hidden = [each for each in findings if each.outcome is MutantOutcome.HIDDEN]
    if verbose:
        yield from map(_line, hidden)
        return
    groups = Counter((each.where, each.reason) for each in hidden)
    for (where, reason), number in groups.items():
        yield f"hidden  {shorten(where, _WHERE)}  {pluralize(number, 'mutant')}: {reason}"


def _case_lines(findings: Sequence[MutantFinding], names: Sequence[str]) -> Iterator[str]:
    """Return the cases that alone kill some mutants, and the other cases."""
    single = Counter(each.killed_by[0] for each in findings if len(each.killed_by) == 1)
    for number in sorted(single):
        mutants = pluralize(single[number], "mutant")
        name = escape_nonprintable(names[number])
        yield f"alone  {name}  kills {mutants} that no other case kills"
    others = [escape_nonprintable(name) for index, name in enumerate(names) if index not in single]
    if others:
        more = f" and {len(others) - _MOST_NAMES:,} more" if len(others) > _MOST_NAMES else ""
        listed = f"{', '.join(others[:_MOST_NAMES])}{more}"
        yield f"together  {listed}: other cases kill every mutant that these kill"
