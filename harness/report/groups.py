"""Who agrees with whom, as lines of text: inputs that separate subjects, then the sum of it.

Pure: groups, counts and what was said go in. Subjects are called by letters, which the first lines
explain. Source: docs/compare.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from harness.events import Problem
from harness.report.differing import Screen, difference_lines
from harness.report.text import (
    Look,
    Style,
    labelled,
    one_line,
    problem_lines,
    shows_all,
    stderr_lines,
)
from harness.several.contrast import Said, Separating, Separation
from harness.several.grouping import Agreement, Groups, letter
from harness.words import count_of, cut, shell_line, visible

__all__ = ["Compared", "View", "separation_lines", "subject_lines", "sum_lines"]

_MARGIN: Final = 4
_LABELS: Final = 15  # the margin, and the column of labels
_LEAST_ROOM: Final = 20
_NAME: Final = 30  # characters of a subject's name in the table
_MOST_WAYS: Final = 10  # of making groups, that are listed


class View(NamedTuple):
    """How it is shown: the style, the characters of a line, and how differences are."""

    style: Style
    width: int
    look: Look


class Compared(NamedTuple):
    """What came of it all: the subjects by name, whether the first is the reference, how they
    agreed, all inputs that separate them, the smallest first, what is shown of the first of these,
    what is wrong with the corpus, and whether it was interrupted."""

    subjects: tuple[str, ...]
    has_reference: bool
    agreement: Agreement
    separating: Sequence[Separating]
    shown: Sequence[Separation]
    problems: Sequence[Problem] = ()
    interrupted: bool = False


def subject_lines(compared: Compared, style: Style) -> Iterator[str]:
    """What the letters stand for."""
    for number, name in enumerate(compared.subjects):
        note = " (the reference)" if compared.has_reference and number == 0 else ""
        yield f"{style(letter(number), 'strong')}  {visible(name)}{note}"


def separation_lines(shown: Separation, view: View) -> Iterator[str]:
    """All that a person needs about an input that separates subjects. The first line and the last
    are as long as they have to be; the others keep to the width."""
    style, of = view.style, shown.of
    room = max(_LEAST_ROOM, view.width - _LABELS)
    head = f"{style(_ways(of.groups), 'bad')}  {style(visible(f'{of.suite}/{of.case}'), 'strong')}"
    yield ""
    yield f"{head}  {count_of(of.size, 'byte')}"
    yield labelled("input", one_line(shown.stdin, room), style)
    for said in shown.said:
        yield from _said_lines(said, style, room)
    for said in shown.said:
        yield from _beside_lines(said, shown, view, room)
    yield labelled("repeat", shell_line(shown.repeat), style)


def _said_lines(said: Said, style: Style, room: int) -> Iterator[str]:
    name = _letters(said.members)
    if said.fell_short:
        yield labelled(name, cut(visible(said.ending), room), style)
        if said.evidence.stdout.total:
            yield labelled("", one_line(said.evidence.stdout, room), style)
        yield from stderr_lines(said.evidence.stderr, style, room)
        return
    note = f"  ({said.ending})" if said.ending else ""
    yield labelled(name, f"{one_line(said.evidence.stdout, room - len(note))}{note}", style)


def _beside_lines(said: Said, shown: Separation, view: View, room: int) -> Iterator[str]:
    """Where a group differs from the one that it is compared with, unless a glance shows that."""
    evidence = said.evidence
    if said.beside is None or not evidence.differences_total:
        return
    if evidence.differences_total == 1 and shows_all(evidence, room):
        return
    sides = _letters(shown.said[said.beside].members), _letters(said.members)
    width = max(_LEAST_ROOM, view.width - _MARGIN)
    screen = Screen(width, view.look.most_lines, view.look.side_by_side, sides)
    for line in difference_lines(evidence, view.style, screen):
        yield f"{' ' * _MARGIN}{line}".rstrip()


def _letters(members: Sequence[int]) -> str:
    return " ".join(map(letter, members))


def _ways(groups: Groups) -> str:
    return " | ".join(map(_letters, groups))


# The sum of it.


def sum_lines(compared: Compared, limit: int, style: Style) -> Iterator[str]:
    """What is left out, what is wrong, who agrees with whom, and one last sentence."""
    left = len(compared.separating) - len(compared.shown)
    if left:
        yield ""
        more = f"--limit {min(limit * 10, len(compared.separating))} shows more"
        yield style(f"({count_of(left, 'input')} more; {more})", "dim")
    for problem in compared.problems:
        yield from problem_lines(problem, style)
    if compared.agreement.inputs:
        yield ""
        yield from _table_lines(compared, style)
        yield ""
        yield from _ways_lines(compared.agreement)
    yield _last_sentence(compared, style)


def _table_lines(compared: Compared, style: Style) -> Iterator[str]:
    rows = [_row(compared, one) for one in range(len(compared.subjects))]
    letters = map(letter, range(len(compared.subjects)))
    heading = ("alike, in %", *letters, "fell short" if any(row[-1] for row in rows) else "")
    first = max(len(row[0]) for row in (heading, *rows))
    for row in (heading, *rows):
        numbers = "".join(f"{cell:>7}" for cell in row[1:-1])
        line = f"{row[0].ljust(first)}{numbers}   {row[-1]}".rstrip()
        yield style(line, "dim") if row is heading else line


def _row(compared: Compared, one: int) -> tuple[str, ...]:
    agreement = compared.agreement
    name = f"{letter(one)}  {cut(visible(compared.subjects[one]), _NAME)}"
    cells = (_cell(agreement, one, other) for other in range(len(compared.subjects)))
    return name, *cells, _counts(agreement.shortfalls[one])


def _cell(agreement: Agreement, one: int, other: int) -> str:
    return "-" if one == other else f"{agreement.percent(one, other):.1f}"


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in sorted(counted.items()))


def _ways_lines(agreement: Agreement) -> Iterator[str]:
    ranked = agreement.ranked()
    for groups, number in ranked[:_MOST_WAYS]:
        yield f"{number:>9,}  {_ways(groups)}"
    if len(ranked) > _MOST_WAYS:
        rest = sum(number for _, number in ranked[_MOST_WAYS:])
        yield f"{rest:>9,}  in {len(ranked) - _MOST_WAYS:,} other ways"


def _last_sentence(compared: Compared, style: Style) -> str:
    agreement = compared.agreement
    said = count_of(agreement.inputs, "input")
    said = f"interrupted after {said}" if compared.interrupted else said
    apart = agreement.inputs - agreement.alike
    if not agreement.inputs:
        return style(f"{said}: nothing was compared", "odd")
    vain = f"; on {agreement.in_vain:,} of them all fell short" if agreement.in_vain else ""
    if not apart:
        return style(f"{said}: all subjects answer alike{vain}", "odd" if vain else "good")
    verb = "separates" if apart == 1 else "separate"
    return style(f"{said}: {agreement.alike:,} alike{vain}, {apart:,} {verb} the subjects", "bad")
