"""Format a comparison as lines of text; letters stand for subjects. Source: docs/compare.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.analysis.compare import ComparisonResults, ComparisonTotals, group_label
from harness.model.compared import GroupOutput, Groups, Separation
from harness.reports.text.display import Display, Style, column_blocks
from harness.reports.text.events import (
    diagnostic_lines,
    difference_block,
    label_line,
    needs_block,
    one_line,
    room_for_text,
    stderr_lines,
)
from harness.text import cells, escape_nonprintable, pad, pluralize, shell_line, shorten, wrap

_ENDING: Final = 400  # characters of the reason why a subject failed
_NAME: Final = 30  # characters of a subject's name in the table
_PERCENT: Final = 5  # characters: 100.0
_MOST_PARTITIONS: Final = 10  # listed ways in which subjects form groups


def subject_lines(results: ComparisonResults, style: Style) -> Iterator[str]:
    for number, name in enumerate(results.subjects):
        note = " (the reference)" if results.has_reference and number == 0 else ""
        yield f"{style(group_label(number), 'strong')}  {escape_nonprintable(name)}{note}"


def separation_lines(separation: Separation, display: Display) -> Iterator[str]:
    """Return the lines of an input; only the first and the last one may be too wide."""
    style, separating, room = display.style, separation.of, room_for_text(display)
    case = style(escape_nonprintable(f"{separating.suite}/{separating.case}"), "strong")
    groups = style(_format_groups(separating.groups), "bad")
    yield ""
    yield f"{groups}  {case}  {pluralize(separating.size, 'byte')}"
    yield label_line("input", one_line(separation.outputs[0].evidence.stdin, room), style)
    for output in separation.outputs:
        yield from _output_lines(output, style, room)
    for output in separation.outputs:
        if output.compared_with is not None and needs_block(output.evidence, room):
            beside = separation.outputs[output.compared_with]
            sides = _letters(beside.members), _letters(output.members)
            yield from difference_block(output.evidence, display, sides)
    yield label_line("rerun", shell_line(separation.repeat), style)


def _output_lines(output: GroupOutput, style: Style, room: int) -> Iterator[str]:
    name = _letters(output.members)
    if output.failed:
        first, *more = wrap(shorten(output.ending, _ENDING), room)
        yield label_line(name, first, style)
        yield from (label_line("", line, style) for line in more)
        if output.evidence.stdout.total:
            yield label_line("", one_line(output.evidence.stdout, room), style)
        yield from stderr_lines(output.evidence.stderr, style, room)
        return
    note = f"  ({output.ending})" if output.ending else ""
    yield label_line(name, f"{one_line(output.evidence.stdout, room - len(note))}{note}", style)


def _letters(members: Sequence[int]) -> str:
    return " ".join(map(group_label, members))


def _format_groups(groups: Groups) -> str:
    return " | ".join(map(_letters, groups))


# The totals.


def total_lines(
    results: ComparisonResults, limit: int, style: Style, width: int | None = None
) -> Iterator[str]:
    """Return what is left out, the problems, the table of agreement, and a closing line."""
    left = results.totals.separating - len(results.smallest.details)
    if left:
        yield ""
        more = f"--limit {min(limit * 10, results.totals.separating)} shows more"
        yield style(f"({pluralize(left, 'more input')}; {more})", "dim")
    for problem in results.problems:
        yield from diagnostic_lines(problem, style)
    if results.totals.inputs:
        yield ""
        yield from _table_lines(results, style, width)
        yield ""
        yield from _partition_lines(results.totals)
    yield from wrap(_closing_line(results, style), width)


def _table_lines(results: ComparisonResults, style: Style, width: int | None) -> Iterator[str]:
    """Return the lines of the table; columns that are too wide continue below."""
    everyone = range(len(results.subjects))
    rows = [_row(results, one) for one in everyone]
    letters = map(group_label, everyone)
    heading = ("alike, in %", *letters, "failed" if any(row[-1] for row in rows) else "")
    table = (heading, *rows)
    first, last = max(cells(row[0]) for row in table), max(len(row[-1]) + 1 for row in table)
    widths = (first, *[_PERCENT] * len(rows), last)
    for number, block in enumerate(column_blocks(widths, 1, width)):
        if number:
            yield ""
        for row in table:
            for line in _row_lines([pad(row[0], first), *row[1:]], block, width):
                yield style(line, "dim") if row is heading else line


def _row_lines(row: Sequence[str], block: Sequence[int], width: int | None) -> Iterator[str]:
    """Yield some columns of a row; failures, which come last, may take several lines."""
    last = len(row) - 1
    numbers = (f"{row[column]:>{_PERCENT + 2}}" for column in block[1:] if column != last)
    left = f"{row[0]}{''.join(numbers)}"
    failures = f"   {row[last]}" if last in block and row[last] else ""
    yield from wrap(f"{left}{failures}".rstrip(), width, " " * (cells(left) + 3))


def _row(results: ComparisonResults, one: int) -> tuple[str, ...]:
    totals = results.totals
    name = f"{group_label(one)}  {shorten(results.subjects[one], _NAME)}"
    percentages = (
        "-" if one == other else f"{totals.percent(one, other):.1f}"
        for other in range(len(results.subjects))
    )
    failures = (f"{number:,} {name}" for name, number in sorted(totals.failures[one].items()))
    return name, *percentages, ", ".join(failures)


def _partition_lines(totals: ComparisonTotals) -> Iterator[str]:
    ranked = totals.ranked()
    for groups, number in ranked[:_MOST_PARTITIONS]:
        yield f"{number:>9,}  {_format_groups(groups)}"
    if len(ranked) > _MOST_PARTITIONS:
        rest = sum(number for _, number in ranked[_MOST_PARTITIONS:])
        others = pluralize(len(ranked) - _MOST_PARTITIONS, "other way")
        yield f"{rest:>9,}  in {others}"


def _closing_line(results: ComparisonResults, style: Style) -> str:
    line, role = _conclusion(results)
    return style(f"{line}; {results.resumed:,} resumed" if results.resumed else line, role)


def _conclusion(results: ComparisonResults) -> tuple[str, str]:
    """Return the closing line and its style."""
    totals = results.totals
    inputs = pluralize(totals.inputs, "input")
    inputs = f"interrupted after {inputs}" if results.interrupted else inputs
    if not totals.inputs:
        return f"{inputs}: nothing was compared", "odd"
    if totals.shows_nothing:
        return f"{inputs}: all subjects failed on all of them, which is no agreement", "bad"
    failed = f"; all failed on {totals.all_failed:,} of them" if totals.all_failed else ""
    if not totals.separating:
        role = "odd" if failed else "good"
        return f"{inputs}: all subjects answer alike{failed}", role
    verb = "separates" if totals.separating == 1 else "separate"
    separating = f"{totals.separating:,} {verb} the subjects"
    return f"{inputs}: {totals.alike:,} alike{failed}, {separating}", "bad"
