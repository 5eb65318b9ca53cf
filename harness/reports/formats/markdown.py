"""Write a report in Markdown, for a pull request or a chat: tables, and folded failures.

Pure. Output of programs appears only as code, so it cannot act as markup, a link or a mention.
Source: docs/reports.md.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeVar

from harness.analysis.failure_kinds import FailureKind, FailureKinds, run_name
from harness.analysis.matrix import Matrix
from harness.analysis.summary import Group, Summary, summary_of
from harness.model.events import Diagnostic, RunResult
from harness.model.subject import NOT_BUILT, SubjectInfo
from harness.model.tally import RunOutcome, message_of, outcome_of
from harness.reports.source import ResultSorter, Source
from harness.reports.text.dialogue import dialogue_lines
from harness.reports.text.differences import difference_lines, escaped_sides
from harness.reports.text.display import PLAIN, Display
from harness.reports.text.events import (
    INFO_LABELS,
    companion_lines,
    label_line,
    one_line,
    shows_both_sides,
    stderr_lines,
)
from harness.reports.text.facts import facts_of
from harness.reports.text.phrases import (
    headline,
    known_note,
    reason_and_link,
    shorten_groups,
)
from harness.text import (
    escape_nonprintable,
    pluralize,
    shell_line,
    shorten_to_width,
    truncate_to_width,
)

Thing = TypeVar("Thing")

# Bytes of the document: a comment on GitHub may have 65,536 characters.
_MOST: Final = 60_000
_TABLE: Final = 8_000  # bytes of each table, and of the list of problems
_KNOWN: Final = 6_000  # bytes of the list of known failures
_LEAST: Final = 2_000  # bytes of a section
_NOTE: Final = 100  # bytes of the note on what is left out
_COLUMNS: Final = 12
_ROWS: Final = 20  # a longer table has only rows with failures
_NAME: Final = 60  # characters of a name
_MESSAGE: Final = 300  # characters of a message in a list
_HEADING: Final = 120  # characters of a message in a heading
_WHOLE_MESSAGE: Final = 2_000
_LINE: Final = 120
_DISPLAY: Final = Display(width=_LINE, most_lines=40)
_COMMAND: Final = 500
_INDENT: Final = 4  # of labelled lines


def document(source: Source) -> Iterator[str]:
    """Return a Markdown document of at most about 60,000 bytes, in pieces."""
    order, kinds, by_suite = ResultSorter(), FailureKinds(), FailureKinds(by_suite=True)
    summary = summary_of(source(), order.add, kinds.add, by_suite.add)
    head = "".join([*_head(summary), *_kinds(kinds), *_table_of_groups(summary)])
    matrix, facts = "".join(_matrix(summary)), "".join(_run_facts(summary))
    yield head
    known = _KnownFailures()
    failed = by_suite.fold(known.collect(order.runs(source)))
    yield from _groups(summary, failed, _MOST - _KNOWN - _size(head + matrix + facts))
    yield matrix
    yield from known.section()
    yield facts


def code(text: str) -> str:
    shown = escape_nonprintable(text) or " "
    ticks = _backticks(1, shown)
    # Markdown strips one space at each end.
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def table_code(text: str) -> str:
    """Return a text as code in a cell of a table, with vertical bars escaped."""
    shown = escape_nonprintable(text)
    if "|" not in shown and "\\" not in shown:
        return code(text)
    plain = (char if char.isalnum() or char in " /" else f"&#{ord(char)};" for char in shown)
    return f"<code>{''.join(plain)}</code>"


def fenced(language: str, lines: Iterable[str]) -> str:
    """Return lines as a code block that none of them can close."""
    text = "\n".join(lines)
    fence = _backticks(3, text)
    return f"{fence}{language}\n{text}\n{fence}\n"


def _backticks(least: int, text: str) -> str:
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


# The head.


def _head(summary: Summary) -> Iterator[str]:
    reason = (
        f": {_short_code(summary.why_nothing_ran, _MESSAGE)}" if summary.why_nothing_ran else ""
    )
    yield f"## xtest: {headline(summary)}{reason}\n\n"
    for fact in facts_of(summary):
        if fact.name == "points":
            yield f"{fact.label}: {fact.value}\n\n"
    if summary.problems:
        yield f"### {pluralize(len(summary.problems), 'problem')}\n\n"
        yield from _bounded(summary.problems, _problem, _TABLE, "problem")
        yield "\n"
    yield from _bounded(summary.unbuilt.values(), _build_failure, 2 * _TABLE, "failed build")


def _run_facts(summary: Summary) -> Iterator[str]:
    yield "<details><summary>About this run</summary>\n\n"
    for fact in facts_of(summary):
        yield f"- {fact.label}: {_short_code(fact.value, _MESSAGE)}\n"
    yield "\n</details>\n"


def _table_of_groups(summary: Summary) -> Iterator[str]:
    """Return the table of runs by suite and subject; if it is long, only rows with failures."""
    matrix = summary.matrix
    groups, note = shorten_groups(summary.groups, _ROWS)
    if groups:
        always = RunOutcome.PASSED, RunOutcome.FAILED
        shown = [each for each in RunOutcome if each in always or summary.total.count(each)]
        counts = ["runs", *(each.value for each in shown)]

        def row(group: Group) -> list[str]:
            numbers = (f"{getattr(group, name):,}" for name in counts)
            tests = _tests(matrix, group.subject, group.suite)
            return [*map(_name_cell, (group.suite, group.subject)), *numbers, *tests]

        heading = [name.replace("_", " ") for name in counts] + ["tests"] * matrix.has_tests
        yield from _table(("suite", "subject", *heading), map(row, groups), "row")
    if note:
        yield f"{note.capitalize()}.\n\n"


def _matrix(summary: Summary) -> Iterator[str]:
    """Return the table of passed cases and a line of totals, unless there is a single subject."""
    matrix, book = summary.matrix, summary.book
    if len(matrix.subjects) < 2:
        return
    suites = matrix.suites[:_COLUMNS]

    def row(subject: str) -> list[str]:
        scores = (matrix.score(subject, suite) for suite in suites)
        cells = (f"{each.passed:,}/{each.cases:,}" if each.cases else "-" for each in scores)
        points = [str(book.grade(subject) or "-")] if book.has_points else []
        return [_name_cell(subject), *cells, *_tests(matrix, subject, None), *points]

    heading = ["cases passed", *map(_name_cell, suites)]
    heading += ["all tests"] * matrix.has_tests + ["points"] * book.has_points
    yield "### All subjects\n\n"
    yield from _table(heading, map(row, matrix.subjects), "subject")
    yield _more(len(matrix.suites) - len(suites), "suite")
    passed_by = matrix.passed_by()
    cases = pluralize(sum(passed_by), "case")
    passed = f"{passed_by.all:,} are passed by all subjects"
    yield f"Of {cases}, {passed}, {passed_by.some:,} by some, {passed_by.none:,} by none.\n\n"


def _tests(matrix: Matrix, subject: str, suite: str | None) -> list[str]:
    """Return a cell with the tests passed, or nothing if no suite counts them."""
    if not matrix.has_tests:
        return []
    tests = matrix.tests(subject, suite)
    return [f"{tests.passed:,}/{tests.all:,}"]


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]], what: str) -> Iterator[str]:
    names = sum(cell in ("suite", "subject", "cases passed") for cell in heading)
    yield _row(heading)
    yield f"|{'|'.join([':--'] * names + ['--:'] * (len(heading) - names))}|\n"
    yield from _bounded(rows, _row, _TABLE, what)
    yield "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _name_cell(name: str) -> str:
    return table_code(shorten_to_width(name, _NAME))


def _short_code(text: str, width: int) -> str:
    return code(shorten_to_width(text, width))


def _problem(problem: Diagnostic) -> str:
    return f"- {_short_code(problem.where, _NAME)}: {_short_code(problem.message, _MESSAGE)}\n"


def _build_failure(subject: SubjectInfo) -> str:
    heading = f"### {_short_code(subject.name, _NAME)}: its program was not built\n\n"
    lines = [shorten_to_width(line, _LINE) for line in subject.build_output]
    reason = f"{_short_code(subject.build_failure, _MESSAGE)}\n\n"
    return f"{heading}{reason}{fenced('text', lines)}\n" if lines else f"{heading}{reason}"


def _bounded(
    things: Iterable[Thing], write: Callable[[Thing], str], room: int, what: str
) -> Iterator[str]:
    """Yield texts of the things until `room` bytes are used, then the number of other things."""
    left_out = 0
    for thing in things:
        piece = "" if left_out else write(thing)
        room -= _size(piece)
        left_out += room < 0 or bool(left_out)
        yield "" if left_out else piece
    yield _more(left_out, what)


def _more(number: int, what: str) -> str:
    if number <= 0:
        return ""
    return f"\n… and {pluralize(number, f'more {what}')}, left out for size.\n\n"


# Failures.


def _kinds(failures: FailureKinds) -> Iterator[str]:
    """Return a table of the most frequent kinds of failures; nothing for few failures."""
    shown, others = failures.most_frequent()
    if not shown:
        return
    yield f"### {pluralize(failures.total, 'run')} failed\n\n"
    rows = (
        [f"{kind.count:,}", verdict, _message_cell(message), _message_cell(kind.examples())]
        for verdict, message, kind in shown
    )
    yield "| runs | verdict | how | cases |\n|--:|:--|:--|:--|\n"
    yield from _bounded(rows, _row, _TABLE, "row")
    yield f"\n… and {others}\n\n" if others else "\n"


def _message_cell(text: str) -> str:
    return table_code(shorten_to_width(text, _HEADING))


class _KnownFailures:
    """Collects known failures, for a list at the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # empty without room
        self._room = _KNOWN - 2 * _NOTE

    def collect(self, events: Iterable[RunResult]) -> Iterator[RunResult]:
        """Yield the failed and broken runs; collect the known failures."""
        for event in events:
            outcome = outcome_of(event)
            if outcome is RunOutcome.KNOWN and event.known is not None:
                names = f"{code(_name(event))}, {_short_code(event.subject, _NAME)}"
                line = f"- {names}: {_short_code(reason_and_link(event.known), _MESSAGE)}\n"
                self._room -= _size(line)
                self._lines.append(line if self._room >= 0 else "")
            elif outcome.is_failure:
                yield event

    def section(self) -> Iterator[str]:
        if self._lines:
            title = pluralize(len(self._lines), "known failure")
            yield f"<details><summary>{title}</summary>\n\n{''.join(self._lines)}"
            yield f"{_more(self._lines.count(''), 'known failure')}\n</details>\n"


# The first failure of a kind, and its kind.
_Folded = tuple[RunResult, FailureKind]


def _groups(summary: Summary, runs: Iterator[_Folded], room: int) -> Iterator[str]:
    """Return a section for each suite and subject with failed or broken runs."""
    failed = [group for group in summary.groups if group.failed or group.broken]
    shown = failed[: room // _LEAST]
    sections = groupby(runs, key=lambda each: (each[0].suite, each[0].subject))
    for index, (group, (_, events)) in enumerate(zip(shown, sections, strict=False)):
        # Later sections share what earlier ones leave.
        text = _group(group, events, summary, room // (len(shown) - index))
        room -= _size(text)
        yield text
    yield _more(len(failed) - len(shown), "section")
    for _ in runs:
        pass  # collect the remaining known failures


def _group(group: Group, events: Iterable[_Folded], summary: Summary, room: int) -> str:
    names = ", ".join(_short_code(name, _NAME) for name in (group.suite, group.subject))
    numbers = ((group.failed, "failed"), (group.broken, "broken"))
    counts = ", ".join(f"{number:,} {name}" for number, name in numbers if number)
    title = f"### {names}: {counts}\n\n"
    if group.subject in summary.unbuilt:
        events = (each for each in events if each[0].message != NOT_BUILT)
    return title + "".join(_bounded(events, _details, room - _size(title) - _NOTE, "way"))


def _name(event: RunResult) -> str:
    return shorten_to_width(run_name(event), _NAME)


def _details(folded: _Folded) -> str:
    event, kind = folded
    message = _html_code(shorten_to_width(message_of(event), _HEADING))
    heading = f"<b>{event.verdict.value}</b> {_html_code(_name(event))} {message}"
    body = "".join(f"{block}\n" for block in _blocks(event))
    if others := kind.others():
        heading += f" {_html_code(others)}"
        names = kind.others(_WHOLE_MESSAGE)
        body = body if names == others else f"{code(names)}\n\n{body}"
    return f"<details><summary>{heading}</summary>\n\n{body}</details>\n\n"


def _html_code(text: str) -> str:
    """Return a text as code inside an HTML element, where Markdown is not interpreted."""
    return f"<code>{html.escape(text)}</code>"


def _blocks(event: RunResult) -> Iterator[str]:
    message = escape_nonprintable(message_of(event))
    if len(message) > _HEADING:
        yield f"{code(truncate_to_width(message, _WHOLE_MESSAGE))}\n"
    if facts := list(_facts(event)):
        yield fenced("text", facts)
    evidence = event.evidence
    if evidence is not None and evidence.differences:
        yield fenced("diff", list(difference_lines(evidence, _DISPLAY))[1:])
    if event.repeat and outcome_of(event) is not RunOutcome.BROKEN:
        yield fenced("sh", [truncate_to_width(shell_line(event.repeat), _COMMAND)])


def _facts(event: RunResult) -> Iterator[str]:
    known, evidence = event.known, event.evidence
    for label in INFO_LABELS:
        if event.info is not None and (text := getattr(event.info, label)):
            yield _fact(label, shorten_to_width(text, _MESSAGE))
    if known is not None:
        reason = shorten_to_width(reason_and_link(known), _MESSAGE)
        yield _fact("known", f"{reason}{known_note(event)}")
    if evidence is not None and evidence.talk:
        yield from (line[_INDENT:] for line in dialogue_lines(evidence.talk, _DISPLAY))
    elif evidence is not None:
        yield _fact("input", one_line(evidence.stdin, _LINE))
        if not shows_both_sides(evidence, _LINE):
            outputs = evidence.expected, evidence.stdout
            for label, output in zip(escaped_sides(evidence), outputs, strict=True):
                yield _fact(label, one_line(output, _LINE))
    if evidence is not None:
        yield from (line[_INDENT:] for line in stderr_lines(evidence.stderr, PLAIN, _LINE))
        yield from (line[_INDENT:] for line in companion_lines(evidence, PLAIN, _LINE))


def _fact(label: str, text: str) -> str:
    return label_line(label, text, PLAIN)[_INDENT:]
