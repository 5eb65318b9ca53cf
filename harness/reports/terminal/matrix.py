"""Format a matrix as lines of text, of Markdown or of JSON. Pure. Source: docs/subjects.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import commonprefix
from types import MappingProxyType
from typing import Final, NamedTuple

from harness.analysis.grades import Grade, Gradebook
from harness.analysis.matrix import Matrix
from harness.model.verdict import Verdict
from harness.reports.analysis_json import matrix_json
from harness.reports.text.display import PLAIN, Style, column_blocks
from harness.reports.text.phrases import partial_note
from harness.text import cells, pad, percent, pluralize, shorten, truncate_to_width, wrap

_NAME: Final = 60  # characters of a name in a cell
_FEW: Final = 8  # subjects whose pairs are shown without being requested
_LEAST: Final = 8  # characters of a cell, however narrow the terminal
_NOT_RUN: Final = "-"

_StyledText = tuple[str, str]  # a text and its role in a style


class MatrixDisplay(NamedTuple):
    """Options for showing a matrix."""

    languages: Mapping[str, str]  # of the subjects, as far as they are known
    with_cases: bool = False
    with_agreement: bool = False  # show same outcomes for any number of subjects
    style: Style = PLAIN
    width: int | None = None  # characters of a line, or None for any number
    book: Gradebook | None = None  # if points are shown
    files: Mapping[tuple[str, str], str] = MappingProxyType({})  # inputs, by suite and case


class _Table(NamedTuple):
    """Rows of cells, heading first. The first `left` columns are aligned left; the first `front`
    columns are repeated where a row continues below."""

    rows: list[list[_StyledText]]
    left: int = 1
    front: int = 1


def _tables(matrix: Matrix, display: MatrixDisplay) -> Iterator[_Table]:
    scores = _scores(matrix, display)
    widths = _widths(scores.rows)
    if len([*column_blocks(widths, scores.front, display.width)]) > 1:
        scores = _scores(matrix, display, is_brief=True)
    yield scores
    if display.with_agreement or len(matrix.subjects) <= _FEW:
        yield from _same_outcomes(matrix)
    if display.with_cases:
        rows = [_uncoloured(["case", *map(_shorten, matrix.subjects)])]
        for suite, case, verdicts in matrix.rows():
            texts = ((each.value, each.colour) if each else (_NOT_RUN, "dim") for each in verdicts)
            rows.append([(_shorten(f"{suite}/{case}"), ""), *texts])
        yield _Table(rows, len(rows[0]))


def _scores(matrix: Matrix, display: MatrixDisplay, *, is_brief: bool = False) -> _Table:
    """Return the scores; if `is_brief`, with few percentages, and suites without shared folders."""
    subjects = matrix.subjects
    columns = [_uncoloured(["subject", *map(_shorten, subjects)])]
    languages = [_shorten(display.languages.get(subject, "")) for subject in subjects]
    if any(languages):
        columns.append(_uncoloured(["language", *languages]))
    front = len(columns)
    suites: tuple[str | None, ...] = matrix.suites
    names = _without_shared_folders(matrix.suites) if is_brief else matrix.suites
    if len(suites) > 1:
        suites, names = (*suites, None), (*names, "all")
    for suite, name in zip(suites, names, strict=True):
        is_long = not is_brief or suite is None
        scores = (matrix.score(subject, suite) for subject in subjects)
        shares = (_share(each.passed, each.cases, has_percentage=is_long) for each in scores)
        columns.append([(_shorten(name), ""), *shares])
    columns += _totals(matrix, display)
    rows = [list(row) for row in zip(*columns, strict=True)]
    return _Table(rows, front, front)


def _totals(matrix: Matrix, display: MatrixDisplay) -> Iterator[list[_StyledText]]:
    """Yield the columns after those of the suites, with their headings."""
    skipped = [matrix.score(subject).skipped for subject in matrix.subjects]
    if any(skipped):
        yield [("not claimed", ""), *((f"{number:,}", "dim") for number in skipped)]
    if matrix.has_tests:
        tests = map(matrix.tests, matrix.subjects)
        yield [("tests", ""), *(_share(each.passed, each.all) for each in tests)]
    if display.book is not None:
        grades = (display.book.grade(subject) for subject in matrix.subjects)
        yield [("points", ""), *map(_points, grades)]


def _without_shared_folders(suites: Sequence[str]) -> tuple[str, ...]:
    steps = [suite.split("/") for suite in suites]
    shared = len(commonprefix([each[:-1] for each in steps]))
    return tuple("/".join(each[shared:]) for each in steps)


def _same_outcomes(matrix: Matrix) -> Iterator[_Table]:
    """Yield a table of pairs of subjects, if there are any."""
    shares = {
        (pair.one, pair.other): _share(pair.agree, pair.cases) for pair in matrix.same_outcomes()
    }
    if not shares:
        return
    subjects = {subject: place for place, subject in enumerate(matrix.subjects)}
    across = [subject for subject in subjects if any(one == subject for one, _ in shares)]
    down = [subject for subject in subjects if any(other == subject for _, other in shares)]
    rows = [_uncoloured(["same outcome", *map(_shorten, across)])]
    for other in down:
        row = [(_shorten(other), "")]
        for one in across:
            empty = ("", "") if subjects[one] >= subjects[other] else (_NOT_RUN, "dim")
            row.append(shares.get((one, other), empty))
        rows.append(row)
    yield _Table(rows)


def _uncoloured(texts: Sequence[str]) -> list[_StyledText]:
    return [(text, "") for text in texts]


def _shorten(name: str) -> str:
    return shorten(name, _NAME)


def _share(part: int, whole: int, *, has_percentage: bool = True) -> _StyledText:
    if not whole:
        return _NOT_RUN, "dim"
    percentage = f" {percent(part, whole):>6}" if has_percentage else ""
    return f"{part:,}/{whole:,}{percentage}", "good" if part == whole else "bad"


def _points(grade: Grade | None) -> _StyledText:
    if grade is None:
        return _NOT_RUN, "dim"
    return str(grade), "good" if grade.points == grade.maximum else "bad"


def _closing_line(matrix: Matrix) -> str:
    by = matrix.passed_by()
    whole = sum(by)
    passed = f"{by.all:,} passed by all, {by.some:,} by some, {by.none:,} by none"
    left = matrix.cases - whole
    present = {verdict for subject in matrix.subjects for verdict in matrix.verdicts(subject)}
    others = {Verdict.NOT_RUN: "not run", Verdict.SKIPPED: "not claimed"}
    reasons = ["broken", *(text for verdict, text in others.items() if verdict in present)]
    kind, why = ("case", f" ({' or '.join(reasons)})") if len(reasons) > 1 else ("broken case", "")
    tail = f"; {pluralize(left, kind)} left out{why}" if left else ""
    subjects = pluralize(len(matrix.subjects), "subject")
    return f"{subjects}, {pluralize(whole, 'case')}: {passed}{tail}{partial_note(matrix)}"


# Text.


def _text(matrix: Matrix, display: MatrixDisplay) -> Iterator[str]:
    for table in _tables(matrix, display):
        yield from _aligned(table, display)
        yield ""
    yield from wrap(_closing_line(matrix), display.width)


def _aligned(table: _Table, display: MatrixDisplay) -> Iterator[str]:
    rows = _fitted(table, display.width)
    widths = _widths(rows)
    for number, block in enumerate(column_blocks(widths, table.front, display.width)):
        if number:
            yield ""
        for index, row in enumerate(rows):
            if index and not any(row[column][0] for column in block[table.front :]):
                continue  # above the diagonal of a triangle
            padded = [
                pad(row[column][0], widths[column], at_end=column < table.left) for column in block
            ]
            roles = [row[column][1] if index else "dim" for column in block]
            last = max((index for index, cell in enumerate(padded) if cell.strip()), default=0)
            kept = zip([*padded[:last], padded[last].rstrip()], roles, strict=False)
            yield "  ".join(display.style(cell, role) if role else cell for cell, role in kept)


def _widths(rows: list[list[_StyledText]]) -> list[int]:
    return [max(cells(text) for text, _ in column) for column in zip(*rows, strict=True)]


def _fitted(table: _Table, width: int | None) -> list[list[_StyledText]]:
    """Return the rows, with cells cut if the front columns and the widest other do not fit."""
    widths = _widths(table.rows)
    front, others = widths[: table.front], widths[table.front :]
    if width is None or sum(front) + 2 * len(front) + max(others, default=0) <= width:
        return table.rows
    most = max(_LEAST, (width - 2 * len(front)) // (len(front) + 1))
    return [[(truncate_to_width(text, most), role) for text, role in row] for row in table.rows]


# Markdown.


def _markdown(matrix: Matrix, display: MatrixDisplay) -> Iterator[str]:
    for table in _tables(matrix, display):
        heading, *rows = table.rows
        yield _markdown_row(heading)
        rules = (":--" if column < table.left else "--:" for column in range(len(heading)))
        yield f"|{'|'.join(rules)}|"
        yield from map(_markdown_row, rows)
        yield ""
    yield _closing_line(matrix)


def _markdown_row(row: Sequence[_StyledText]) -> str:
    words = (" ".join(text.split()) for text, _ in row)
    escaped = (re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", text) for text in words)
    return f"| {' | '.join(escaped)} |"


def _json(matrix: Matrix, display: MatrixDisplay) -> Iterator[str]:
    files = display.files if display.with_cases else None
    document = matrix_json(matrix, display.languages, files=files, book=display.book)
    yield json.dumps(document, separators=(",", ":"))


# Functions that return the lines of a matrix.
FORMATS: Final[Mapping[str, Callable[[Matrix, MatrixDisplay], Iterator[str]]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
