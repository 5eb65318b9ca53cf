"""TAP, the Test Anything Protocol: a test a run, with what went wrong as YAML below it.

Pure. The protocol is version 14; the first line claims 13, of which nothing here differs, because
readers that are still everywhere (prove of Perl 5.36) refuse the number 14. Source: the TAP 14
specification of testanything.org; docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.documents.order import Order
from harness.documents.source import Source
from harness.documents.summary import Outcome, Summary, outcome_of, summary_of
from harness.events import Evidence, Judged, Problem, ShownDifference
from harness.words import cut, shell_line, visible

__all__ = ["document"]

_NAME = 200  # characters of a name
_TEXT = 2_000  # of a text in the YAML
_DIFFERENCES = 20


def document(source: Source) -> Iterator[str]:
    """The pieces of a TAP document: the plan comes first, known failures are TODO, and what is
    nobody's verdict is a test that failed."""
    order = Order()
    summary = summary_of(order.noting(source()))
    yield "TAP version 13\n"
    yield _plan(summary)
    number = 0
    for event in order.runs(source):
        number += 1
        yield from _test(number, event)
    for trouble in summary.troubles:
        number += 1
        yield from _trouble(number, trouble)


def _plan(summary: Summary) -> str:
    tests = summary.runs + len(summary.troubles)
    idle = f" # SKIP {_description(summary.idle)}" if summary.idle and not tests else ""
    return f"1..{tests}{idle}\n"


def _test(number: int, event: Judged) -> Iterator[str]:
    outcome = outcome_of(event)
    ok = "ok" if outcome is Outcome.PASSED else "not ok"
    known = event.known
    todo = f" # TODO {_description(known.reason)}" if known is not None and known.holds else ""
    todo = todo if outcome is Outcome.KNOWN else ""
    yield f"{ok} {number} - {_description(_name(event))}{todo}\n"
    if outcome is not Outcome.PASSED:
        yield from _yaml(event, outcome)


def _trouble(number: int, trouble: Problem) -> Iterator[str]:
    yield f"not ok {number} - problem: {_description(trouble.where)}\n"
    yield from _framed([f"message: {_scalar(trouble.message)}", 'outcome: "problem"'])


def _name(event: Judged) -> str:
    way = f" ({event.delivery})" if event.delivery != "plain" else ""
    return f"{event.suite}/{event.case}{way}, {event.subject}"


def _description(text: str) -> str:
    """A text in which nothing is a directive."""
    return cut(visible(text), _NAME).replace("\\", "\\\\").replace("#", "\\#")


def _yaml(event: Judged, outcome: Outcome) -> Iterator[str]:
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
    if event.repeat and outcome is not Outcome.BROKEN:
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
    """A text in double quotes, as YAML and all its simpler readers have it."""
    plain = cut(visible(text), _TEXT).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
