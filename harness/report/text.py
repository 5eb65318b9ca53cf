"""Events as lines of text: what stands in a pipe, and what a terminal shows below its progress bar.

Pure: events in, lines out. A style is a function that may colour a text; without a terminal it is
the identity, so that both show the same words.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.corpus import Suite
from harness.events import Bytes, Evidence, Judged, Problem, RunEnded, ShownDifference
from harness.naming import natural
from harness.records import Verdict
from harness.words import count_of, cut, visible

__all__ = [
    "PLAIN",
    "SuiteCount",
    "Style",
    "Tally",
    "closing_lines",
    "failure_lines",
    "listing_lines",
    "passed_line",
    "problem_lines",
]

# Colours a text by its role: "good", "bad", "odd", "dim", "strong".
Style = Callable[[str, str], str]


def PLAIN(text: str, _role: str) -> str:  # pylint: disable=invalid-name  # a constant style
    """The style that leaves every text as it is."""
    return text


_LABEL: Final = 10  # width of the labels' column
_STDERR_LINES: Final = 6


@dataclass(slots=True)
class SuiteCount:
    """How the runs of one suite against one subject have gone so far."""

    subject: str
    passed: int = 0
    failed: int = 0
    broken: int = 0
    wall_s: float = 0.0


@dataclass(slots=True)
class Tally:
    """Counts by suite, in the order in which suites were first heard of."""

    suites: dict[str, SuiteCount] = field(default_factory=dict)

    def add(self, event: Judged) -> None:
        """Count one judged run."""
        counted = self.suites.setdefault(event.suite, SuiteCount(event.subject))
        counted.wall_s += event.wall_s
        if event.verdict is Verdict.PASSED:
            counted.passed += 1
        elif event.verdict in (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT):
            counted.broken += 1
        else:
            counted.failed += 1

    def table(self) -> list[tuple[str, ...]]:
        """The table by suite: a row of headings, then a row a suite in natural order."""
        rows: list[tuple[str, ...]] = [
            ("suite", "subject", "cases", "passed", "failed", "broken"),
        ]
        for name in sorted(self.suites, key=natural):
            counted = self.suites[name]
            total = counted.passed + counted.failed + counted.broken
            numbers = (total, counted.passed, counted.failed, counted.broken)
            rows.append((name, counted.subject, *(f"{number:,}" for number in numbers)))
        return rows


def passed_line(event: Judged, style: Style) -> str:
    """One line for a run that passed."""
    return f"{style('passed', 'good')}  {event.suite}/{event.case}  {event.wall_s * 1000:.0f} ms"


def failure_lines(event: Judged, style: Style, width: int) -> Iterator[str]:
    """All that a person needs about a run that did not pass, in lines of about `width`."""
    role = "odd" if event.verdict is Verdict.INVALID_CASE else "bad"
    head = f"{style(event.verdict.value, role)}  {style(f'{event.suite}/{event.case}', 'strong')}"
    yield ""
    yield f"{head}  {visible(event.message)}"
    if event.evidence is not None:
        yield from _evidence_lines(event, event.evidence, style, width)
    if event.repeat and event.verdict is not Verdict.INVALID_CASE:
        yield _labelled("repeat", shlex.join(event.repeat), style)


def problem_lines(event: Problem, style: Style) -> Iterator[str]:
    """A problem that is nobody's verdict."""
    yield f"{style('problem', 'odd')}  {visible(event.where)}: {visible(event.message)}"


def closing_lines(tally: Tally, ended: RunEnded, style: Style) -> Iterator[str]:
    """The table by suite, and one last sentence."""
    if tally.suites:
        yield ""
        yield from _table_lines(tally.table(), style)
        yield ""
    yield _last_sentence(ended, style)


def listing_lines(suites: Sequence[Suite], *, with_cases: bool) -> Iterator[str]:
    """Suites as `xtest list` shows them: name, number of cases, program, title."""
    rows = [
        (suite.name, f"{len(suite.names):,}", suite.settings.program, suite.settings.title)
        for suite in suites
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for suite, (name, number, program, title) in zip(suites, rows, strict=True):
        cells = (name.ljust(widths[0]), number.rjust(widths[1]), program.ljust(widths[2]), title)
        yield "  ".join(cells).rstrip()
        if with_cases:
            yield from (f"    {case.text}" for case in suite.names)


def _last_sentence(ended: RunEnded, style: Style) -> str:
    total = sum(ended.counts.values())
    passed = ended.counts.get(Verdict.PASSED.value, 0)
    took = f"in {ended.wall_s:.1f} s"
    if ended.interrupted:
        return style(
            f"interrupted after {count_of(total, 'run')}, {passed:,} passed, {took}", "odd"
        )
    if total == 0:
        return style("nothing was run: no case was selected", "odd")
    if passed == total:
        return style(f"all {total:,} passed {took}", "good")
    others = [f"{number:,} {name}" for name, number in ended.counts.items() if name != "passed"]
    return style(f"{passed:,} of {total:,} passed {took}: {', '.join(others)}", "bad")


def _evidence_lines(event: Judged, evidence: Evidence, style: Style, width: int) -> Iterator[str]:
    room = max(20, width - _LABEL - 4)
    yield _labelled("input", _one_line(evidence.stdin, room), style)
    if event.verdict is Verdict.NOT_STARTED:
        return
    yield _labelled("expected", _one_line(evidence.expected, room), style)
    yield _labelled("printed", _one_line(evidence.stdout, room), style)
    if evidence.differences:
        yield from _difference_lines(evidence.differences[0], evidence, style, room)
    if evidence.stderr.data:
        yield from _stderr_lines(evidence.stderr, style, room)
    yield _labelled("ended", _ending(event), style)


def _difference_lines(
    first: ShownDifference, evidence: Evidence, style: Style, room: int
) -> Iterator[str]:
    more = evidence.differences_total - 1
    where = first.pointer or '"" (the whole stream)'
    yield _labelled("first at", where + (f"  (and {more:,} more)" if more else ""), style)
    yield _labelled("  expected", style(_value(first.expected, room), "good"), style)
    yield _labelled("  printed", style(_value(first.actual, room), "bad"), style)


def _value(text: str | None, room: int) -> str:
    return "(no value)" if text is None else cut(visible(text), room)


def _stderr_lines(stderr: Bytes, style: Style, room: int) -> Iterator[str]:
    lines = stderr.data.decode("utf-8", "backslashreplace").splitlines()
    hidden = len(lines) - _STDERR_LINES
    # A traceback says what went wrong at its end.
    for index, line in enumerate(lines[-_STDERR_LINES:]):
        yield _labelled("stderr" if index == 0 else "", cut(visible(line), room), style)
    if hidden > 0:
        yield _labelled(
            "", style(f"(its last {_STDERR_LINES} lines of {len(lines):,})", "dim"), style
        )


def _ending(event: Judged) -> str:
    how = "not known" if event.exit is None else f"exit status {event.exit}"
    if event.signal is not None:
        how = f"by {event.signal}"
    return f"{how}, after {event.wall_s:.3f} s"


def _one_line(carried: Bytes, room: int) -> str:
    if carried.total == 0:
        return "(nothing)"
    # Four characters a byte at the most stay within the room.
    text = visible(carried.data[: 4 * room].decode("utf-8", "backslashreplace").rstrip("\n"))
    if len(carried.data) < carried.total or len(carried.data) > 4 * room or len(text) > room:
        note = f" … {count_of(carried.total, 'byte')}"
        return text[: room - len(note)] + note
    return text


def _labelled(label: str, text: str, style: Style) -> str:
    return f"    {style(label.ljust(_LABEL), 'dim')} {text}"


def _table_lines(rows: Sequence[tuple[str, ...]], style: Style) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for index, row in enumerate(rows):
        # Two columns of names, then numbers, which stand right.
        cells = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        cells += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        line = "  ".join(cells)
        if index == 0:
            yield style(line, "dim")
        else:
            yield line if row[3] == row[2] else style(line, "bad")
