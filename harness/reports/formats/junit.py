"""Write JUnit XML for CI servers: a testsuite per suite and subject, a testcase per run.

Pure. Valid against the schema of Jenkins, and against the stricter one of Windy Road for Ant.
Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from harness.model.events import Diagnostic, Judged
from harness.reports.source import ResultSorter, Source
from harness.reports.summary import (
    UNEXPECTED_PASS,
    Group,
    RunOutcome,
    Summary,
    delivery_suffix,
    is_unexpected_pass,
    outcome_of,
    reason_and_link,
    summary_of,
)
from harness.reports.terminal.event_text import PLAIN, DisplayOptions, failure_lines
from harness.text import escape_nonprintable, truncate

__all__ = ["document"]

_WIDTH: Final = 160
_LINES: Final = 60  # lines of differences
_NAME: Final = 200  # characters of a name
_MESSAGE: Final = 2_000
_NO_TIME: Final = "1970-01-01T00:00:00"  # a schema requires a time
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

# Attributes by name.
_Values = Mapping[str, str | int]


def document(source: Source) -> Iterator[str]:
    """Return a JUnit document in pieces.

    A failed run is a failure; a broken case is an error; a known failure is skipped; a problem is
    an error in a testsuite "xtest".
    """
    order = ResultSorter()
    summary = summary_of(order.noting(source()))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    runs = groupby(order.runs(source), key=lambda event: (event.suite, event.subject))
    for number, (group, (_, events)) in enumerate(zip(summary.groups, runs, strict=True)):
        yield from _suite(number, group, events, summary)
    if summary.problems:
        yield from _problems(len(summary.groups), summary)
    yield "</testsuites>\n"


def _suite(number: int, group: Group, events: Iterable[Judged], summary: Summary) -> Iterator[str]:
    name = f"{_name(group.suite)}, {_name(group.subject)}"
    counts: _Values = {
        "tests": group.runs,
        "failures": group.failed,
        "errors": group.broken,
        "skipped": group.known,
        "time": f"{group.wall_s:.3f}",
    }
    yield _opening(number, name, group.suite, counts, summary)
    yield _properties({"suite": group.suite, "subject": group.subject, "xtest": summary.xtest})
    for event in events:
        yield from _case(event)
    yield _CLOSING


_CLOSING: Final = "    <system-out/>\n    <system-err/>\n  </testsuite>\n"


def _opening(number: int, name: str, package: str, counts: _Values, summary: Summary) -> str:
    started = summary.started.removesuffix("Z") or _NO_TIME
    heading: _Values = {
        "name": name,
        "package": _name(package),
        "id": number,
        "timestamp": started,
        "hostname": "localhost",
    }
    return f"  <testsuite{_attributes({**heading, **counts})}>\n"


def _properties(values: Mapping[str, str]) -> str:
    lines = (
        f"      <property{_attributes({'name': key, 'value': value})}/>\n"
        for key, value in values.items()
    )
    return f"    <properties>\n{''.join(lines)}    </properties>\n"


def _case(event: Judged) -> Iterator[str]:
    heading = {
        "classname": f"{_undotted(event.suite)}.{_undotted(event.subject)}",
        "name": f"{_name(event.case)}{delivery_suffix(event)}",
        "time": f"{event.wall_s:.3f}",
    }
    outcome = outcome_of(event)
    if outcome is RunOutcome.PASSED:
        yield f"    <testcase{_attributes(heading)}/>\n"
        return
    yield f"    <testcase{_attributes(heading)}>\n"
    yield f"      {_result(event, outcome)}\n"
    yield "    </testcase>\n"


def _result(event: Judged, outcome: RunOutcome) -> str:
    lines = list(failure_lines(event, PLAIN, _WIDTH, DisplayOptions(_LINES)))[1:]
    if outcome is RunOutcome.KNOWN and event.known is not None:
        # Readers that find a message attribute do not show the text, and old schemas have none.
        reason = f"known failure: {reason_and_link(event.known)}"
        return f"<skipped>{_paragraph([reason, *lines])}</skipped>"
    kind, message = event.verdict.value, event.message
    if is_unexpected_pass(event):
        kind, message = "unexpected-pass", UNEXPECTED_PASS
    tag = "failure" if outcome is RunOutcome.FAILED else "error"
    values = {"type": kind, "message": truncate(escape_nonprintable(message), _MESSAGE)}
    return f"<{tag}{_attributes(values)}>{_paragraph(lines)}</{tag}>"


def _problems(number: int, summary: Summary) -> Iterator[str]:
    problems = len(summary.problems)
    counts: _Values = {"tests": problems, "failures": 0, "errors": problems, "skipped": 0}
    yield _opening(number, "xtest", "xtest", {**counts, "time": "0.000"}, summary)
    yield _properties({"xtest": summary.xtest})
    for problem in summary.problems:
        yield from _problem(problem)
    yield _CLOSING


def _problem(problem: Diagnostic) -> Iterator[str]:
    heading = {"classname": "xtest.problem", "name": _name(problem.where), "time": "0.000"}
    message = truncate(escape_nonprintable(problem.message), _MESSAGE)
    yield f"    <testcase{_attributes(heading)}>\n"
    yield f"      <error{_attributes({'type': 'problem', 'message': message})}>"
    yield f"{_escaped(problem.message)}</error>\n    </testcase>\n"


def _name(text: str) -> str:
    return truncate(escape_nonprintable(text), _NAME) or "(no name)"


def _undotted(text: str) -> str:
    """Return a name without dots, which many readers take for separators of packages."""
    return _name(text).replace(".", "_")


# XML 1.0. Characters that it cannot carry, such as control characters, are escaped as text.


def _attributes(values: _Values) -> str:
    return "".join(f' {name}="{_escaped(str(value))}"' for name, value in values.items())


def _paragraph(lines: Iterable[str]) -> str:
    return "\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    return escape_nonprintable(text).translate(_MARKUP)
