"""A report in Markdown, for a pull request or a chat: how it went, tables, failures folded away.

Pure. What programs printed stands in code alone, where nothing of it is markup, a link or a
mention; and the whole is small enough for a comment. Source: docs/reports.md.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeVar

from harness.documents.order import Order
from harness.documents.source import Source
from harness.documents.summary import Group, Outcome, Summary, headline, outcome_of, summary_of
from harness.events import Judged, Known, Problem
from harness.report.differing import Screen, difference_lines
from harness.report.text import PLAIN, labelled, one_line, stderr_lines
from harness.several.matrix import Matrix, matrix_noting
from harness.words import clip, count_of, shell_line, visible

__all__ = ["code", "document", "fenced", "table_code"]

Thing = TypeVar("Thing")

# Bytes of the whole: a comment on GitHub may have 65,536 characters.
_MOST: Final = 60_000
_TABLE: Final = 8_000  # of these, what each of the two tables may take, and the list of problems
_KNOWN: Final = 6_000  # what the list of known failures may take
_LEAST: Final = 2_000  # what a section has to have, or there is none
_NOTE: Final = 100  # and the note on what is left out
_COLUMNS: Final = 12  # of a table
_NAME: Final = 60  # characters of a name
_MESSAGE: Final = 300
_HEADING: Final = 120
_WHOLE_MESSAGE: Final = 2_000
_LINE: Final = 120
_LINES: Final = 40  # of differences
_COMMAND: Final = 500

_INDENT: Final = 4  # what labelled lines are indented by


def document(source: Source) -> Iterator[str]:
    """The pieces of a Markdown document of at most some 60,000 bytes; what is left out is said."""
    order, matrix = Order(), Matrix()
    summary = summary_of(matrix_noting(matrix, order.noting(source())))
    head = "".join(_head(summary, matrix))
    yield head
    known = _Known()
    yield from _groups(summary, known.taken_out(order.runs(source)), _MOST - _KNOWN - _size(head))
    yield from known.told()


def code(text: str) -> str:
    """A text as code within a line: shown as it is, whatever it is."""
    shown = visible(text) or " "
    ticks = "`" * (1 + _longest_run(shown))
    # One space at each end is taken away again, where there is anything else.
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def table_code(text: str) -> str:
    """The same in a cell of a table, which no bar may end."""
    shown = visible(text)
    if "|" not in shown and "\\" not in shown:
        return code(text)
    plain = (char if char.isalnum() or char in " /" else f"&#{ord(char)};" for char in shown)
    return f"<code>{''.join(plain)}</code>"


def fenced(language: str, lines: Iterable[str]) -> str:
    """Lines as a block of code that none of them ends."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}{language}\n{text}\n{fence}\n"


def _longest_run(text: str) -> int:
    """Of backticks."""
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


# The head.


def _head(summary: Summary, matrix: Matrix) -> Iterator[str]:
    why = f": {code(clip(visible(summary.idle), _MESSAGE))}" if summary.idle else ""
    yield f"## xtest: {headline(summary)}{why}\n\n"
    if summary.groups:
        yield from _table(_COUNTS, map(_counts, summary.groups), "row")
    if len(matrix.subjects) > 1:
        yield from _matrix(matrix)
    if summary.troubles:
        yield f"### {count_of(len(summary.troubles), 'problem')}\n\n"
        yield from _bounded(summary.troubles, _trouble, _TABLE, "problem")
        yield "\n"


_COUNTS: Final = ("suite", "subject", "runs", "passed", "known", "failed", "broken")


def _counts(group: Group) -> list[str]:
    numbers = (group.runs, group.passed, group.known, group.failed, group.broken)
    names = (_named(group.suite), _named(group.subject))
    return [*names, *(f"{number:,}" for number in numbers)]


def _matrix(matrix: Matrix) -> Iterator[str]:
    """Who passes how many cases of what."""
    subjects = matrix.subjects[:_COLUMNS]
    rows = ([_named(suite), *_scores(matrix, subjects, suite)] for suite in matrix.suites)
    yield from _table(("cases passed", *map(_named, subjects)), rows, "suite")
    yield _more(len(matrix.subjects) - len(subjects), "subject")
    shares = matrix.shares()
    whole, said = count_of(sum(shares), "case"), f"{shares.all:,} are passed by all subjects"
    yield f"Of {whole}, {said}, {shares.some:,} by some, {shares.none:,} by none.\n\n"


def _scores(matrix: Matrix, subjects: Sequence[str], suite: str) -> Iterator[str]:
    for subject in subjects:
        score = matrix.score(subject, suite)
        yield f"{score.passed:,}/{score.cases:,}" if score.cases else "-"


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]], what: str) -> Iterator[str]:
    names = sum(cell in ("suite", "subject", "cases passed") for cell in heading)
    yield _row(heading)
    yield f"|{'|'.join([':--'] * names + ['--:'] * (len(heading) - names))}|\n"
    yield from _bounded(rows, _row, _TABLE, what)
    yield "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _named(name: str) -> str:
    return table_code(clip(visible(name), _NAME))


def _trouble(trouble: Problem) -> str:
    where = code(clip(visible(trouble.where), _NAME))
    return f"- {where}: {code(clip(visible(trouble.message), _MESSAGE))}\n"


def _bounded(
    things: Iterable[Thing], told: Callable[[Thing], str], room: int, what: str
) -> Iterator[str]:
    """What is told of as many things as there is room for, and how many there are more."""
    left_out = 0
    for thing in things:
        piece = "" if left_out else told(thing)
        room -= _size(piece)
        left_out += room < 0 or bool(left_out)
        yield "" if left_out else piece
    yield _more(left_out, what)


def _more(number: int, what: str) -> str:
    if number <= 0:
        return ""
    return f"\n… and {count_of(number, f'more {what}')}, left out for size.\n\n"


# What did not pass.


class _Known:
    """Known failures, which are listed at the end: as many lines as there is room for."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._room = _KNOWN - 2 * _NOTE
        self._number = 0

    def taken_out(self, events: Iterable[Judged]) -> Iterator[Judged]:
        """The runs that are neither known failures nor passed."""
        for event in events:
            outcome = outcome_of(event)
            if outcome is Outcome.KNOWN:
                self._add(event)
            elif outcome is not Outcome.PASSED:
                yield event

    def told(self) -> Iterator[str]:
        """The list."""
        if self._number:
            title = count_of(self._number, "known failure")
            yield f"<details><summary>{title}</summary>\n\n{''.join(self._lines)}"
            yield f"{_more(self._number - len(self._lines), 'known failure')}\n</details>\n"

    def _add(self, event: Judged) -> None:
        self._number += 1
        assert event.known is not None
        line = f"- {code(_name(event))}, {code(clip(visible(event.subject), _NAME))}:"
        line += f" {code(clip(visible(_reason(event.known)), _MESSAGE))}\n"
        self._room -= _size(line)
        if self._room >= 0:
            self._lines.append(line)


def _reason(known: Known) -> str:
    return f"{known.reason}, {known.link}" if known.link else known.reason


def _groups(summary: Summary, runs: Iterator[Judged], room: int) -> Iterator[str]:
    """A section for each suite and subject with runs that fell short, or are broken."""
    short = [group for group in summary.groups if group.failed or group.broken]
    told = short[: room // _LEAST]
    sections = groupby(runs, key=lambda event: (event.suite, event.subject))
    for at, (group, (_, events)) in enumerate(zip(told, sections, strict=False)):
        # What one leaves over, the next ones may have.
        text = _group(group, events, room // (len(told) - at))
        room -= _size(text)
        yield text
    yield _more(len(short) - len(told), "section")
    for _ in runs:
        pass  # known failures are still to be counted


def _group(group: Group, events: Iterable[Judged], room: int) -> str:
    """The runs of a subject on a suite, as many as there is room for."""
    names = (
        f"{code(clip(visible(group.suite), _NAME))}, {code(clip(visible(group.subject), _NAME))}"
    )
    numbers = {"failed": group.failed, "broken": group.broken}
    said = ", ".join(f"{number:,} {what}" for what, number in numbers.items() if number)
    title = f"### {names}: {said}\n\n"
    return title + "".join(_bounded(events, _told, room - _size(title) - _NOTE, "run"))


def _name(event: Judged) -> str:
    way = f" ({event.delivery})" if event.delivery != "plain" else ""
    return clip(visible(f"{event.suite}/{event.case}{way}"), _NAME)


def _told(event: Judged) -> str:
    message = _inside(clip(visible(event.message), _HEADING))
    heading = f"<b>{event.verdict.value}</b> {_inside(_name(event))} {message}"
    body = "".join(f"{block}\n" for block in _blocks(event))
    return f"<details><summary>{heading}</summary>\n\n{body}</details>\n\n"


def _inside(text: str) -> str:
    """Code where only HTML counts."""
    return f"<code>{html.escape(text)}</code>"


def _blocks(event: Judged) -> Iterator[str]:
    message = visible(event.message)
    if len(message) > _HEADING:
        yield f"{code(clip(message, _WHOLE_MESSAGE))}\n"
    facts = list(_facts(event))
    if facts:
        yield fenced("text", facts)
    seen = event.evidence
    if seen is not None and seen.differences:
        lines = list(difference_lines(seen, PLAIN, Screen(_LINE, _LINES, beside=False)))
        yield fenced("diff", lines[1:])
    if event.repeat and outcome_of(event) is not Outcome.BROKEN:
        yield fenced("sh", [clip(shell_line(event.repeat), _COMMAND)])


def _facts(event: Judged) -> Iterator[str]:
    known, seen = event.known, event.evidence
    if known is not None:
        otherwise = "" if known.holds else "otherwise: "
        yield _fact("known", f"{otherwise}{clip(visible(_reason(known)), _MESSAGE)}")
    if seen is not None:
        yield _fact("input", one_line(seen.stdin, _LINE))
        yield _fact("expected", one_line(seen.expected, _LINE))
        yield _fact("printed", one_line(seen.stdout, _LINE))
        yield from (line[_INDENT:] for line in stderr_lines(seen.stderr, PLAIN, _LINE))


def _fact(label: str, text: str) -> str:
    return labelled(label, text, PLAIN)[_INDENT:]
