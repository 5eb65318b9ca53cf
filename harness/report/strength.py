"""What a suite catches, as lines of text.

Pure: findings in, lines out. What counts as noticed is decided in harness/care/strength.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from harness.care.strength import Finding, Outcome
from harness.words import count_of, cut, visible

__all__ = ["score", "strength_lines"]

_WHERE: Final = 60  # characters of a path
_MOST_NAMES: Final = 12  # cases, or faults, that are named in one line


def strength_lines(
    findings: Sequence[Finding], names: Sequence[str], *, verbose: bool
) -> Iterator[str]:
    """What was not noticed, and why; with `verbose` every fault, and what each case is there for.
    `names` are those of the cases, by number."""
    if verbose:
        for finding in findings:
            if finding.outcome is Outcome.NOTICED:
                yield _noticed(finding, names)
        yield from (_line(each) for each in findings if each.outcome is Outcome.IDLE)
        yield from _alone_lines(findings, names)
    yield from _hidden_lines(findings, verbose=verbose)
    yield from (_line(each) for each in findings if each.outcome is Outcome.UNNOTICED)


def score(findings: Sequence[Finding]) -> str:
    """The last line: how many of the faults are noticed."""
    outcomes = Counter(finding.outcome for finding in findings)
    noticed, of = outcomes[Outcome.NOTICED], outcomes[Outcome.NOTICED] + outcomes[Outcome.UNNOTICED]
    # Rounded down: 100 % is all of them.
    percent = f"{noticed * 1000 // of / 10:g} %" if of else "none applies"
    alone = sum(len(each.noticed) == 1 for each in findings)
    parts = [f"{noticed:,} of {count_of(of, 'fault')} noticed ({percent})"]
    parts += [f"{alone:,} of them by one case only"] if alone else []
    hidden = outcomes[Outcome.HIDDEN]
    parts += [f"{hidden:,} make no difference by the suite's policy"] if hidden else []
    return "; ".join(parts)


def _line(finding: Finding) -> str:
    reason = f": {visible(finding.reason)}" if finding.reason else ""
    if not finding.reason and finding.outcome is Outcome.IDLE:
        reason = ": changes no answer"
    return f"{finding.outcome.value}  {_said(finding)}{reason}"


def _noticed(finding: Finding, names: Sequence[str]) -> str:
    by = f"by {len(finding.noticed):,} of {count_of(len(finding.changed), 'case')}"
    alone = f" ({visible(names[finding.noticed[0]])})" if len(finding.noticed) == 1 else ""
    return f"noticed  {_said(finding)}: {by}{alone}"


def _said(finding: Finding) -> str:
    where = cut(visible(finding.fault.where), _WHERE) if finding.fault.where else "the answer"
    return f"{where}  {finding.fault.what}"


def _hidden_lines(findings: Sequence[Finding], *, verbose: bool) -> Iterator[str]:
    """A line for each place and reason; with `verbose` a line for each fault."""
    hidden = [each for each in findings if each.outcome is Outcome.HIDDEN]
    if verbose:
        yield from map(_line, hidden)
        return
    groups: dict[tuple[str, str], int] = {}
    for each in hidden:
        key = (each.fault.where, each.reason)
        groups[key] = groups.get(key, 0) + 1
    for (where, reason), many in groups.items():
        yield f"hidden  {cut(visible(where), _WHERE)}  {count_of(many, 'fault')}: {reason}"


def _alone_lines(findings: Sequence[Finding], names: Sequence[str]) -> Iterator[str]:
    """Which cases are the only ones to notice something, and how many are not."""
    alone = Counter(each.noticed[0] for each in findings if len(each.noticed) == 1)
    for number in sorted(alone):
        many = count_of(alone[number], "fault")
        yield f"alone  {visible(names[number])}  notices {many} that no other case notices"
    others = [visible(name) for number, name in enumerate(names) if number not in alone]
    if others:
        more = f" and {len(others) - _MOST_NAMES:,} more" if len(others) > _MOST_NAMES else ""
        listed = f"{', '.join(others[:_MOST_NAMES])}{more}"
        yield f"together  {listed}: what one of these notices, another case notices, too"
