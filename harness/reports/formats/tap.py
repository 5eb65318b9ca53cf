"""Write TAP, the Test Anything Protocol: a test per run, with YAML details of failures.

Pure. The output is valid TAP 14, but declares version 13, as common readers (prove of Perl 5.36)
refuse 14. Source: the TAP 14 specification of testanything.org; docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.model.events import Diagnostic, Evidence, Judged, ShownDifference
from harness.reports.source import ResultSorter, Source
from harness.reports.summary import RunOutcome, Summary, delivery_suffix, outcome_of, summary_of
from harness.text import escape_nonprintable, shell_line, truncate

__all__ = ["document"]

_NAME = 200  # characters of a name
_TEXT = 2_000  # characters of a text in the YAML
_DIFFERENCES = 20


def document(source: Source) -> Iterator[str]:
    """Return a TAP document in pieces: known failures are TODO tests, problems are failed tests."""
    order = ResultSorter()
    summary = summary_of(order.noting(source()))
    yield "TAP version 13\n"
    yield _plan(summary)
    number = 0
    for event in order.runs(source):
        number += 1
        yield from _test(number, event)
    for problem in summary.problems:
        number += 1
        yield from _problem(number, problem)


def _plan(summary: Summary) -> str:
    tests = summary.runs + len(summary.problems)
    idle = f" # SKIP {_description(summary.idle)}" if summary.idle and not tests else ""
    return f"1..{tests}{idle}\n"


def _test(number: int, event: Judged) -> Iterator[str]:
    outcome = outcome_of(event)
    ok = "ok" if outcome is RunOutcome.PASSED else "not ok"
    known = event.known
    todo = f" # TODO {_description(known.reason)}" if known is not None and known.holds else ""
    todo = todo if outcome is RunOutcome.KNOWN else ""
    yield f"{ok} {number} - {_description(_name(event))}{todo}\n"
    if outcome is not RunOutcome.PASSED:
        yield from _yaml(event, outcome)


def _problem(number: int, problem: Diagnostic) -> Iterator[str]:
    yield f"not ok {number} - problem: {_description(problem.where)}\n"
    yield from _framed([f"message: {_scalar(problem.message)}", 'outcome: "problem"'])


def _name(event: Judged) -> str:
    return f"{event.suite}/{event.case}{delivery_suffix(event)}, {event.subject}"


def _description(text: str) -> str:
    """Return a text that contains no directive."""
    return truncate(escape_nonprintable(text), _NAME).replace("\\", "\\\\").replace("#", "\\#")


def _yaml(event: Judged, outcome: RunOutcome) -> Iterator[str]:
    lines = [
        f"message: {_scalar(event.message)}",
        f"outcome: {_scalar(outcome.value)}",
        f"verdict: {_scalar(event.verdict.value)}",
        f"duration_ms: {event.wall_s * 1000:.3f}",
    ]
    if event.known is not None:
        lines += [f"known: {_scalar(event.known.reason)}"]
    if event.evidence is not None:
        lines += _differences(event.evidence)
    if event.repeat and outcome is not RunOutcome.BROKEN:
        lines += [f"repeat: {_scalar(shell_line(event.repeat))}"]
    yield from _framed(lines)


def _differences(evidence: Evidence) -> Iterator[str]:
    if not evidence.differences:
        return
    yield f"differences_total: {evidence.differences_total}"
    yield "differences:"
    for difference in evidence.differences[:_DIFFERENCES]:
        yield from _difference(difference)


def _difference(difference: ShownDifference) -> Iterator[str]:
    yield f"  - at: {_scalar(difference.pointer)}"
    if difference.expected is not None:
        yield f"    expected: {_scalar(difference.expected)}"
    if difference.actual is not None:
        yield f"    actual: {_scalar(difference.actual)}"


def _framed(lines: list[str]) -> Iterator[str]:
    yield "  ---\n"
    for line in lines:
        yield f"  {line}\n"
    yield "  ...\n"


def _scalar(text: str) -> str:
    """Return a double-quoted scalar, which simple YAML readers understand, too."""
    plain = truncate(escape_nonprintable(text), _TEXT).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
