"""Format a matrix as lines: text for a terminal or a pipe, Markdown, JSON.

Pure: counts come from harness/analysis/matrix.py. Source: docs/subjects.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from harness.analysis.matrix import Matrix
from harness.reports.analysis_json import matrix_json
from harness.reports.terminal.display import PLAIN, Style
from harness.text import pluralize, shorten, wrap

__all__ = ["FORMATS", "MatrixDisplay", "percent"]

_NAME: Final = 60  # characters of a name in a cell
_FEW: Final = 8  # subjects whose pairs are shown without being requested
_NOT_RUN: Final = "-"

_Cell = tuple[str, str]  # a text and its role in a style


class MatrixDisplay(NamedTuple):
    """Options for showing a matrix."""

    languages: Mapping[str, str]  # of the subjects, as far as they are known
    with_cases: bool = False
    with_agreement: bool = False  # show same outcomes for any number of subjects
    style: Style = PLAIN
    width: int | None = None  # characters of a line, or None for any number


def percent(part: int, whole: int) -> str:
    """Return a percentage with one decimal, rounded down, but at least 0.1 % if there is a part."""
    if part == whole:
        return "100 %"
    tenths = max(1 if part else 0, 1000 * part // whole)
    return f"{tenths // 10}.{tenths % 10} %" if tenths else "0 %"


class _Table(NamedTuple):
    """Rows of cells, heading first. The first `left` columns are aligned left; the first `front`
    columns are repeated where a row continues below."""

    rows: list[list[_Cell]]
    left: int = 1
    front: int = 1


def _tables(matrix: Matrix, display: MatrixDisplay) -> Iterator[_Table]:
    yield _scores(matrix, display.languages)
    if display.with_agreement or len(matrix.subjects) <= _FEW:
        yield from _same_outcomes(matrix)
    if display.with_cases:
        rows = [_uncoloured(["case", *map(_shorten, matrix.subjects)])]
        for suite, case, verdicts in matrix.rows():
            cells = [(each.value, each.colour) if each else (_NOT_RUN, "dim") for each in verdicts]
            rows.append([*_uncoloured([_shorten(f"{suite}/{case}")]), *cells])
        yield _Table(rows, len(rows[0]))


def _scores(matrix: Matrix, languages: Mapping[str, str]) -> _Table:
    has_languages = any(languages.get(subject) for subject in matrix.subjects)
    suites = matrix.suites
    several = len(suites) > 1
    heading = ["subject", *(["language"] if has_languages else []), *map(_shorten, suites)]
    heading += ["all"] if several else []
    rows = [_uncoloured(heading)]
    for subject in matrix.subjects:
        language = [_shorten(languages.get(subject, ""))] if has_languages else []
        scores = [matrix.score(subject, suite) for suite in (*suites, *([None] if several else []))]
        cells = [_share(score.passed, score.cases) for score in scores]
        rows.append([*_uncoloured([_shorten(subject), *language]), *cells])
    names = 2 if has_languages else 1
    return _Table(rows, names, names)


def _same_outcomes(matrix: Matrix) -> Iterator[_Table]:
    """Yield a table of pairs of subjects, without pairs that have no case in common.

    Subjects that pass nothing are left out: failing alike means little.
    """
    passing = {subject for subject in matrix.subjects if matrix.score(subject).passed}
    cells = {
        (pair.one, pair.other): _share(pair.agree, pair.cases)
        for pair in matrix.same_outcomes()
        if pair.cases and {pair.one, pair.other} <= passing
    }
    across = [subject for subject in matrix.subjects if any(one == subject for one, _ in cells)]
    down = [subject for subject in matrix.subjects if any(other == subject for _, other in cells)]
    if not cells:
        return
    places = {subject: place for place, subject in enumerate(matrix.subjects)}
    rows = [_uncoloured(["same outcome", *map(_shorten, across)])]
    for other in down:
        empty = [("", "") if places[one] >= places[other] else (_NOT_RUN, "dim") for one in across]
        shares = [cells.get((one, other), cell) for one, cell in zip(across, empty, strict=True)]
        rows.append([*_uncoloured([_shorten(other)]), *shares])
    yield _Table(rows)


def _uncoloured(cells: Sequence[str]) -> list[_Cell]:
    return [(cell, "") for cell in cells]


def _shorten(name: str) -> str:
    return shorten(name, _NAME)


def _share(part: int, whole: int) -> _Cell:
    if not whole:
        return _NOT_RUN, "dim"
    return f"{part:,}/{whole:,} {percent(part, whole):>6}", "good" if part == whole else "bad"


def _closing_line(matrix: Matrix) -> str:
    shares = matrix.shares()
    whole = sum(shares)
    passed = f"{shares.all:,} passed by all, {shares.some:,} by some, {shares.none:,} by none"
    broken = matrix.cases - whole
    tail = f"; {pluralize(broken, 'broken case')} left out" if broken else ""
    subjects = pluralize(len(matrix.subjects), "subject")
    return f"{subjects}, {pluralize(whole, 'case')}: {passed}{tail}"


# Text.


def _text(matrix: Matrix, display: MatrixDisplay) -> Iterator[str]:
    for table in _tables(matrix, display):
        yield from _aligned(table, display)
        yield ""
    yield from wrap(_closing_line(matrix), display.width)


def _aligned(table: _Table, display: MatrixDisplay) -> Iterator[str]:
    columns = list(zip(*table.rows, strict=True))
    widths = [max(len(text) for text, _ in column) for column in columns]
    padding = [str.ljust if at < table.left else str.rjust for at in range(len(columns))]
    for number, block in enumerate(_blocks(widths, table.front, display.width)):
        if number:
            yield ""
        for at, row in enumerate(table.rows):
            if at and not any(row[column][0] for column in block[table.front :]):
                continue  # above the diagonal of a triangle
            cells = [padding[column](row[column][0], widths[column]) for column in block]
            roles = [row[column][1] if at else "dim" for column in block]
            yield _line(cells, roles, display.style)


def _line(cells: Sequence[str], roles: Sequence[str], style: Style) -> str:
    last = max((at for at, cell in enumerate(cells) if cell.strip()), default=0)
    kept = zip([*cells[:last], cells[last].rstrip()], roles, strict=False)
    return "  ".join(style(cell, role) if role else cell for cell, role in kept)


def _blocks(widths: Sequence[int], names: int, width: int | None) -> Iterator[list[int]]:
    """Yield groups of columns that fit in a line, each with the `names` in front."""
    front = list(range(names))
    block = list(front)
    for column in range(names, len(widths)):
        wanted = sum(widths[at] + 2 for at in block) + widths[column]
        if width is not None and wanted > width and len(block) > names:
            yield block
            block = list(front)
        block.append(column)
    yield block


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


def _markdown_row(row: Sequence[_Cell]) -> str:
    cells = (re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", " ".join(cell.split())) for cell, _ in row)
    return f"| {' | '.join(cells)} |"


def _json(matrix: Matrix, display: MatrixDisplay) -> Iterator[str]:
    document = matrix_json(matrix, display.languages, with_cases=display.with_cases)
    yield json.dumps(document, separators=(",", ":"))


# Functions that return the lines of a matrix.
FORMATS: Final[Mapping[str, Callable[[Matrix, MatrixDisplay], Iterator[str]]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
