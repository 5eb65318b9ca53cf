"""JUnit XML, as CI servers read it: a testsuite a suite and subject, a testcase a run.

Pure. Valid against the schemas of Jenkins and against the stricter one that Windy Road wrote for
Ant: only what all of them have. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from harness.documents.order import Order
from harness.documents.source import Source
from harness.documents.summary import Group, Outcome, Summary, outcome_of, summary_of
from harness.documents.xml import attributes, escaped, paragraph
from harness.events import Judged, Problem
from harness.records import Verdict
from harness.report.text import PLAIN, Look, failure_lines
from harness.words import cut, visible

__all__ = ["document"]

_WIDTH: Final = 160
_LINES: Final = 60  # of differences
_NAME: Final = 200  # characters of a name
_MESSAGE: Final = 2_000
_NO_TIME: Final = "1970-01-01T00:00:00"  # a schema wants one, also where there is none
# Attributes by name.
_Values = dict[str, str | int]
_OUTGROWN: Final = "it passed, and is listed as a known failure: take it out of [[known]]"


def document(source: Source) -> Iterator[str]:
    """The pieces of a JUnit document. What the subject did is a failure; a broken case or a fault
    of xtest is an error; a known failure is skipped; a problem is an error of a suite "xtest"."""
    order = Order()
    summary = summary_of(order.noting(source()))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    runs = groupby(order.runs(source), key=lambda event: (event.suite, event.subject))
    for number, (group, (_, events)) in enumerate(zip(summary.groups, runs, strict=True)):
        yield from _suite(number, group, events, summary)
    if summary.troubles:
        yield from _troubles(len(summary.groups), summary)
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
    said = {"suite": group.suite, "subject": group.subject, "xtest": summary.xtest}
    yield _properties(said)
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
    return f"  <testsuite{attributes({**heading, **counts})}>\n"


def _properties(said: dict[str, str]) -> str:
    lines = (
        f"      <property{attributes({'name': key, 'value': value})}/>\n"
        for key, value in said.items()
    )
    return f"    <properties>\n{''.join(lines)}    </properties>\n"


def _case(event: Judged) -> Iterator[str]:
    way = f" ({event.delivery})" if event.delivery != "plain" else ""
    heading = {
        "classname": f"{_undotted(event.suite)}.{_undotted(event.subject)}",
        "name": f"{_name(event.case)}{way}",
        "time": f"{event.wall_s:.3f}",
    }
    outcome = outcome_of(event)
    if outcome is Outcome.PASSED:
        yield f"    <testcase{attributes(heading)}/>\n"
        return
    yield f"    <testcase{attributes(heading)}>\n"
    yield f"      {_what_happened(event, outcome)}\n"
    yield "    </testcase>\n"


def _what_happened(event: Judged, outcome: Outcome) -> str:
    lines = list(failure_lines(event, PLAIN, _WIDTH, Look(_LINES)))[1:]
    known = event.known
    if outcome is Outcome.KNOWN:
        # Older schemas know no attribute of it, and who has a message shows the text.
        assert known is not None
        why = f"{known.reason}, {known.link}" if known.link else known.reason
        return f"<skipped>{paragraph([f'known failure: {why}', *lines])}</skipped>"
    kind, message = event.verdict.value, event.message
    if known is not None and event.verdict is Verdict.PASSED:
        kind, message = "outgrown", _OUTGROWN
    tag = "failure" if outcome is Outcome.FAILED else "error"
    told = attributes({"type": kind, "message": cut(visible(message), _MESSAGE)})
    return f"<{tag}{told}>{paragraph(lines)}</{tag}>"


def _troubles(number: int, summary: Summary) -> Iterator[str]:
    troubles = summary.troubles
    counts: _Values = {"tests": len(troubles), "failures": 0, "errors": len(troubles), "skipped": 0}
    yield _opening(number, "xtest", "xtest", {**counts, "time": "0.000"}, summary)
    yield _properties({"xtest": summary.xtest})
    for trouble in troubles:
        yield from _trouble(trouble)
    yield _CLOSING


def _trouble(trouble: Problem) -> Iterator[str]:
    heading = {"classname": "xtest.problem", "name": _name(trouble.where), "time": "0.000"}
    message = cut(visible(trouble.message), _MESSAGE)
    yield f"    <testcase{attributes(heading)}>\n"
    yield f"      <error{attributes({'type': 'problem', 'message': message})}>"
    yield f"{escaped(trouble.message)}</error>\n    </testcase>\n"


def _name(text: str) -> str:
    return cut(visible(text), _NAME) or "(no name)"


def _undotted(text: str) -> str:
    """A name that readers do not take apart: to many, a dot in a class stands between packages."""
    return _name(text).replace(".", "_")
