"""Write JUnit XML for CI servers: a testsuite per suite and subject, a testcase per run.

Pure. Valid for Jenkins, and for the stricter schema of Windy Road for Ant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from harness.analysis.failure_kinds import delivery_suffix
from harness.analysis.summary import Group, Summary, summary_of
from harness.model.events import Diagnostic, RunResult
from harness.model.subject import SubjectInfo
from harness.model.tally import RunOutcome, is_unexpected_pass, message_of, outcome_of
from harness.model.verdict import Verdict
from harness.reports.source import ResultSorter, Source
from harness.reports.text.display import Display
from harness.reports.text.events import failure_lines
from harness.reports.text.facts import facts_of
from harness.reports.text.phrases import reason_and_link
from harness.text import escape_nonprintable, shorten

_DISPLAY: Final = Display(width=160, most_lines=60)
_NAME: Final = 200  # characters of a name
_MESSAGE: Final = 2_000
_NO_TIME: Final = "1970-01-01T00:00:00"  # a schema requires a time
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

# Attributes by name.
_Values = Mapping[str, str | int]


def document(source: Source) -> Iterator[str]:
    """Return a JUnit document in pieces.

    A failed run is a failure, a broken case an error; a known failure, or a case that was not
    claimed or not run, is skipped; a problem is an error in a testsuite "xtest".
    """
    order = ResultSorter()
    summary = summary_of(source(), order.add)
    unbuilt = summary.unbuilt
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    runs = groupby(order.runs(source), key=lambda event: (event.suite, event.subject))
    for number, (group, (_, events)) in enumerate(zip(summary.groups, runs, strict=True)):
        names = {"suite": group.suite, "subject": group.subject}
        built = unbuilt.pop(group.subject, None)
        yield from _suite(number, group, names, map(_case, events), summary, unbuilt=built)
    for name, subject in unbuilt.items():  # none of its cases may be shown
        names = {"suite": "build", "subject": name}
        yield from _suite(
            len(summary.groups), Group("build", name), names, iter(()), summary, unbuilt=subject
        )
    if summary.problems:
        group = Group("xtest", "")
        group.verdicts[Verdict.HARNESS_FAULT] = len(summary.problems)
        yield from _suite(len(summary.groups), group, {}, map(_problem, summary.problems), summary)
    yield "</testsuites>\n"


def _suite(
    number: int,
    group: Group,
    names: dict[str, str],
    cases: Iterator[str],
    summary: Summary,
    *,
    unbuilt: SubjectInfo | None = None,
) -> Iterator[str]:
    """Yield a testsuite; the output of a failed build is standard error of the subject's first."""
    heading: _Values = {
        "name": ", ".join(map(_name, names.values())) or group.suite,
        "package": _name(group.suite),
        "id": number,
        "timestamp": summary.started.removesuffix("Z") or _NO_TIME,
        "hostname": "localhost",
        "tests": group.runs + group.skipped,
        "failures": group.failed,
        "errors": group.broken,
        "skipped": group.known + group.not_run + group.skipped,
        "time": f"{group.wall_s:.3f}",
    }
    yield f"  <testsuite{_attributes(heading)}>\n    <properties>\n"
    facts = {fact.name: shorten(fact.value, _NAME) for fact in facts_of(summary)}
    for name, value in {**facts, **names}.items():
        yield f"      <property{_attributes({'name': name, 'value': value})}/>\n"
    yield "    </properties>\n"
    yield from cases
    yield "    <system-out/>\n"
    if unbuilt is None:
        yield "    <system-err/>\n"
    else:
        lines = (unbuilt.build_failure, *unbuilt.build_output)
        yield f"    <system-err>{_paragraph(lines)}</system-err>\n"
    yield "  </testsuite>\n"


def _case(event: RunResult) -> str:
    heading = {
        "classname": f"{_undotted(event.suite)}.{_undotted(event.subject)}",
        "name": f"{_name(event.case)}{delivery_suffix(event)}",
        "time": f"{event.wall_s:.3f}",
    }
    outcome = outcome_of(event)
    if outcome is RunOutcome.PASSED:
        return f"    <testcase{_attributes(heading)}/>\n"
    return _testcase(heading, _result(event, outcome))


def _testcase(heading: _Values, result: str) -> str:
    return f"    <testcase{_attributes(heading)}>\n      {result}\n    </testcase>\n"


def _result(event: RunResult, outcome: RunOutcome) -> str:
    lines = list(failure_lines(event, _DISPLAY))[1:]
    if outcome is RunOutcome.KNOWN and event.known is not None:
        # Readers that find a message attribute do not show the text, and old schemas have none.
        reason = f"known failure: {reason_and_link(event.known)}"
        return f"<skipped>{_paragraph([reason, *lines])}</skipped>"
    if outcome in (RunOutcome.NOT_RUN, RunOutcome.SKIPPED):
        return f"<skipped>{_paragraph([event.message])}</skipped>"
    kind = "unexpected-pass" if is_unexpected_pass(event) else event.verdict.value
    tag = "failure" if outcome is RunOutcome.FAILED else "error"
    values = {"type": kind, "message": shorten(message_of(event), _MESSAGE)}
    return f"<{tag}{_attributes(values)}>{_paragraph(lines)}</{tag}>"


def _problem(problem: Diagnostic) -> str:
    heading = {"classname": "xtest.problem", "name": _name(problem.where), "time": "0.000"}
    values = {"type": "problem", "message": shorten(problem.message, _MESSAGE)}
    return _testcase(heading, f"<error{_attributes(values)}>{_escaped(problem.message)}</error>")


def _name(text: str) -> str:
    return shorten(text, _NAME) or "(no name)"


def _undotted(text: str) -> str:
    """Return a name without dots, which many readers take for separators of packages."""
    return _name(text).replace(".", "_")


def _attributes(values: _Values) -> str:
    return "".join(f' {name}="{_escaped(str(value))}"' for name, value in values.items())


def _paragraph(lines: Iterable[str]) -> str:
    return "\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    """Return a text for XML 1.0, which does not allow control characters."""
    return escape_nonprintable(text).translate(_MARKUP)
