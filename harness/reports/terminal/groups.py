"""Format a comparison as lines of text: inputs that separate subjects, then the totals.

Pure. Subjects are called by letters, which the first lines explain. Source: docs/compare.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.analysis.divergence import ComparisonTotals, Separation, SubjectOutput
from harness.analysis.grouping import Groups, OutcomeGroups, group_label
from harness.reports.terminal.differences import DifferenceDisplay, difference_lines
from harness.reports.terminal.event_text import (
    DisplayOptions,
    Style,
    diagnostic_lines,
    label_line,
    one_line,
    shows_all,
    stderr_lines,
)
from harness.text import escape_nonprintable, pluralize, shell_line, truncate

__all__ = ["GroupDisplay", "separation_lines", "subject_lines", "sum_lines"]

_MARGIN: Final = 4
_LABELS: Final = 15  # the margin, and the column of labels
_LEAST_ROOM: Final = 20
_NAME: Final = 30  # characters of a subject's name in the table
_MOST_PARTITIONS: Final = 10  # listed ways in which subjects form groups


class GroupDisplay(NamedTuple):
    """The style, the characters of a line, and how differences are shown."""

    style: Style
    width: int
    look: DisplayOptions


def subject_lines(totals: ComparisonTotals, style: Style) -> Iterator[str]:
    """Return the legend of letters."""
    for number, name in enumerate(totals.subjects):
        note = " (the reference)" if totals.has_reference and number == 0 else ""
        yield f"{style(group_label(number), 'strong')}  {escape_nonprintable(name)}{note}"


def separation_lines(separation: Separation, display: GroupDisplay) -> Iterator[str]:
    """Return the lines of an input that separates subjects.

    The first and the last line have any length; the others keep to the width.
    """
    style, of = display.style, separation.of
    room = max(_LEAST_ROOM, display.width - _LABELS)
    case = escape_nonprintable(f"{of.suite}/{of.case}")
    yield ""
    yield (
        f"{style(_format_groups(of.groups), 'bad')}  {style(case, 'strong')}"
        f"  {pluralize(of.size, 'byte')}"
    )
    yield label_line("input", one_line(separation.stdin, room), style)
    for output in separation.outputs:
        yield from _output_lines(output, style, room)
    for output in separation.outputs:
        yield from _difference_lines(output, separation, display, room)
    yield label_line("repeat", shell_line(separation.repeat), style)


def _output_lines(output: SubjectOutput, style: Style, room: int) -> Iterator[str]:
    name = _letters(output.members)
    if output.failed:
        yield label_line(name, truncate(escape_nonprintable(output.ending), room), style)
        if output.evidence.stdout.total:
            yield label_line("", one_line(output.evidence.stdout, room), style)
        yield from stderr_lines(output.evidence.stderr, style, room)
        return
    note = f"  ({output.ending})" if output.ending else ""
    yield label_line(name, f"{one_line(output.evidence.stdout, room - len(note))}{note}", style)


def _difference_lines(
    output: SubjectOutput, separation: Separation, display: GroupDisplay, room: int
) -> Iterator[str]:
    """Return the differences between a group and the one it is compared with, unless the lines
    above show them."""
    evidence = output.evidence
    if output.beside is None or not evidence.differences_total:
        return
    if evidence.differences_total == 1 and shows_all(evidence, room):
        return
    sides = _letters(separation.outputs[output.beside].members), _letters(output.members)
    width = max(_LEAST_ROOM, display.width - _MARGIN)
    look = display.look
    screen = DifferenceDisplay(width, look.most_lines, look.side_by_side, sides)
    for line in difference_lines(evidence, display.style, screen):
        yield f"{' ' * _MARGIN}{line}".rstrip()


def _letters(members: Sequence[int]) -> str:
    return " ".join(map(group_label, members))


def _format_groups(groups: Groups) -> str:
    return " | ".join(map(_letters, groups))


# The totals.


def sum_lines(totals: ComparisonTotals, limit: int, style: Style) -> Iterator[str]:
    """Return what is left out, the problems, the table of agreement, and a closing line."""
    left = len(totals.separating) - len(totals.shown)
    if left:
        yield ""
        more = f"--limit {min(limit * 10, len(totals.separating))} shows more"
        yield style(f"({pluralize(left, 'input')} more; {more})", "dim")
    for problem in totals.problems:
        yield from diagnostic_lines(problem, style)
    if totals.agreement.inputs:
        yield ""
        yield from _table_lines(totals, style)
        yield ""
        yield from _partition_lines(totals.agreement)
    yield _closing_line(totals, style)


def _table_lines(totals: ComparisonTotals, style: Style) -> Iterator[str]:
    rows = [_row(totals, one) for one in range(len(totals.subjects))]
    letters = map(group_label, range(len(totals.subjects)))
    heading = ("alike, in %", *letters, "failed" if any(row[-1] for row in rows) else "")
    first = max(len(row[0]) for row in (heading, *rows))
    for row in (heading, *rows):
        numbers = "".join(f"{cell:>7}" for cell in row[1:-1])
        line = f"{row[0].ljust(first)}{numbers}   {row[-1]}".rstrip()
        yield style(line, "dim") if row is heading else line


def _row(totals: ComparisonTotals, one: int) -> tuple[str, ...]:
    agreement = totals.agreement
    name = f"{group_label(one)}  {truncate(escape_nonprintable(totals.subjects[one]), _NAME)}"
    cells = (_cell(agreement, one, other) for other in range(len(totals.subjects)))
    return name, *cells, _format_counts(agreement.failures[one])


def _cell(agreement: OutcomeGroups, one: int, other: int) -> str:
    return "-" if one == other else f"{agreement.percent(one, other):.1f}"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))


def _partition_lines(agreement: OutcomeGroups) -> Iterator[str]:
    ranked = agreement.ranked()
    for groups, number in ranked[:_MOST_PARTITIONS]:
        yield f"{number:>9,}  {_format_groups(groups)}"
    if len(ranked) > _MOST_PARTITIONS:
        rest = sum(number for _, number in ranked[_MOST_PARTITIONS:])
        others = pluralize(len(ranked) - _MOST_PARTITIONS, "other way")
        yield f"{rest:>9,}  in {others}"


def _closing_line(totals: ComparisonTotals, style: Style) -> str:
    agreement = totals.agreement
    inputs = pluralize(agreement.inputs, "input")
    inputs = f"interrupted after {inputs}" if totals.interrupted else inputs
    apart = agreement.inputs - agreement.alike
    if not agreement.inputs:
        return style(f"{inputs}: nothing was compared", "odd")
    failed = f"; on {agreement.all_failed:,} of them all failed" if agreement.all_failed else ""
    if not apart:
        role = "odd" if failed else "good"
        return style(f"{inputs}: all subjects answer alike{failed}", role)
    verb = "separates" if apart == 1 else "separate"
    return style(
        f"{inputs}: {agreement.alike:,} alike{failed}, {apart:,} {verb} the subjects", "bad"
    )
