"""Write TAP, the Test Anything Protocol: a test per run, with YAML details of failures.

Pure. The output is valid TAP 14, but declares version 13, as common readers (prove of Perl 5.36)
refuse 14. Source: the TAP 14 specification of testanything.org; docs/reports.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

from harness.analysis.failure_kinds import run_name
from harness.analysis.summary import summary_of
from harness.model.events import Diagnostic, Evidence, RunResult
from harness.model.tally import RunOutcome, message_of, outcome_of
from harness.reports.source import ResultSorter, Source
from harness.text import shell_line, shorten

_NAME = 200  # characters of a name
_TEXT = 2_000  # characters of a text in the YAML
_DIFFERENCES = 20


def document(source: Source) -> Iterator[str]:
    """Return a TAP document in pieces: known failures are TODO tests, problems are failed tests."""
    order = ResultSorter()
    summary = summary_of(source(), order.add)
    tests = summary.runs + summary.total.skipped + len(summary.problems)
    reason = (
        f" # SKIP {_description(summary.why_nothing_ran)}"
        if summary.why_nothing_ran and not tests
        else ""
    )
    yield f"TAP version 13\n1..{tests}{reason}\n"
    for subject in summary.unbuilt.values():
        for line in (f"{subject.name}: {subject.build_failure}", *subject.build_output):
            yield f"# {shorten(line, _TEXT)}\n"
    shown = chain(map(_test, order.runs(source)), map(_problem, summary.problems))
    for number, (result, description, details) in enumerate(shown, start=1):
        yield f"{result} {number} - {description}\n"
        if details:
            yield "".join(f"  {line}\n" for line in ("---", *details, "..."))


# A test: "ok" or "not ok", its description, and lines of YAML.
_Test = tuple[str, str, list[str]]


def _test(event: RunResult) -> _Test:
    outcome, known = outcome_of(event), event.known
    name = f"{run_name(event)}, {event.subject}"
    if outcome is RunOutcome.PASSED:
        return "ok", _description(name), []
    if outcome is RunOutcome.SKIPPED:
        return "ok", f"{_description(name)} # SKIP {_description(event.message)}", []
    todo = f" # TODO {_description(known.reason)}" if known is not None and known.holds else ""
    todo = todo if outcome is RunOutcome.KNOWN else ""
    return "not ok", f"{_description(name)}{todo}", _details(event, outcome)


def _problem(problem: Diagnostic) -> _Test:
    details = [f"message: {_scalar(problem.message)}", 'outcome: "problem"']
    return "not ok", f"problem: {_description(problem.where)}", details


def _description(text: str) -> str:
    """Return a text for a description, in which "#" begins no directive."""
    return shorten(text, _NAME).replace("\\", "\\\\").replace("#", "\\#")


def _details(event: RunResult, outcome: RunOutcome) -> list[str]:
    lines = [
        f"message: {_scalar(message_of(event))}",
        f"outcome: {_scalar(outcome.value)}",
        f"verdict: {_scalar(event.verdict.value)}",
        f"duration_ms: {event.wall_s * 1000:.3f}",
    ]
    if event.known is not None:
        lines += [f"known: {_scalar(event.known.reason)}"]
    if event.evidence is not None:
        lines += _differences(event.evidence)
    if event.repeat and outcome is not RunOutcome.BROKEN:
        lines += [f"rerun: {_scalar(shell_line(event.repeat))}"]
    return lines


def _differences(evidence: Evidence) -> Iterator[str]:
    if not evidence.differences:
        return
    yield f"differences_total: {evidence.differences_total}"
    yield "differences:"
    expected = _scalar(evidence.expected_by) if evidence.expected_by else "expected"
    for difference in evidence.differences[:_DIFFERENCES]:
        yield f"  - at: {_scalar(difference.pointer)}"
        if difference.asked is not None:
            yield f"    asked: {_scalar(difference.asked)}"
        elif difference.expected is not None:
            yield f"    {expected}: {_scalar(difference.expected)}"
        if difference.actual is not None:
            yield f"    actual: {_scalar(difference.actual)}"


def _scalar(text: str) -> str:
    """Return a double-quoted scalar, which simple YAML readers understand, too."""
    return json.dumps(shorten(text, _TEXT), ensure_ascii=False)
