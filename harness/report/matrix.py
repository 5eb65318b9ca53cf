"""A matrix as lines: text for a terminal or a pipe, Markdown, JSON.

Pure: a matrix in, lines out. Nothing is counted here. Source: docs/subjects.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from harness.records import Verdict
from harness.report.text import PLAIN, Style
from harness.several.matrix import Matrix, Score
from harness.words import count_of, cut, visible, wrapped

__all__ = ["FORMATS", "View", "matrix_lines", "percent"]

_NAME: Final = 60  # characters of a name in a cell
_FEW: Final = 8  # subjects whose agreement is seen at one look
_NOTHING: Final = "-"  # in the cell of what was not run


class View(NamedTuple):
    """What is shown of a matrix, and where: the subjects' languages, as far as they are known;
    whether the cases are, too, and the agreement of however many; the style, and the width of lines
    (None: as wide as they get)."""

    languages: Mapping[str, str]
    with_cases: bool = False
    with_agreement: bool = False
    style: Style = PLAIN
    width: int | None = None


def matrix_lines(matrix: Matrix, view: View, layout: str) -> Iterator[str]:
    """The lines of a matrix in one of the FORMATS."""
    return FORMATS[layout](matrix, view)


def percent(part: int, whole: int) -> str:
    """How much of a whole a part is, with one digit behind the point. Rounded down, so that 100 %
    means all of it; but what is not nothing is never 0 %."""
    if part == whole:
        return "100 %"
    tenths = max(1 if part else 0, 1000 * part // whole)
    return f"{tenths // 10}.{tenths % 10} %" if tenths else "0 %"


class _Table(NamedTuple):
    """Cells with their roles in a style; the first row is the heading. `left` columns at the left
    stand left. Where the others do not fit in a line, the `front` ones are repeated."""

    rows: list[list[tuple[str, str]]]
    left: int = 1
    front: int = 1


def _tables(matrix: Matrix, view: View) -> Iterator[_Table]:
    yield _scores(matrix, view.languages)
    if view.with_agreement or len(matrix.subjects) <= _FEW:
        yield from _agreement(matrix)
    if view.with_cases:
        yield _cases(matrix)


def _scores(matrix: Matrix, languages: Mapping[str, str]) -> _Table:
    has_languages = any(languages.get(subject) for subject in matrix.subjects)
    suites = matrix.suites
    several = len(suites) > 1
    heading = ["subject", *(["language"] if has_languages else []), *map(_shown, suites)]
    rows = [_plain([*heading, *(["all"] if several else [])])]
    for subject in matrix.subjects:
        language = [_shown(languages.get(subject, ""))] if has_languages else []
        cells = [_score(matrix.score(subject, suite)) for suite in suites]
        cells += [_score(matrix.score(subject))] if several else []
        rows.append([*_plain([_shown(subject), *language]), *cells])
    names = 2 if has_languages else 1
    return _Table(rows, names, names)


def _agreement(matrix: Matrix) -> Iterator[_Table]:
    """A row for each subject but the first, a column for each but the last; nothing of those that
    ran no case that another ran. Two that pass nothing would agree, and it would say nothing."""
    passing = {subject for subject in matrix.subjects if matrix.score(subject).passed}
    cells = {
        (pair.one, pair.other): _share(pair.agree, pair.cases)
        for pair in matrix.agreements()
        if pair.cases and {pair.one, pair.other} <= passing
    }
    across = [subject for subject in matrix.subjects if any(one == subject for one, _ in cells)]
    down = [subject for subject in matrix.subjects if any(other == subject for _, other in cells)]
    if not cells:
        return
    places = {subject: place for place, subject in enumerate(matrix.subjects)}
    rows = [_plain(["agreement", *map(_shown, across)])]
    for other in down:
        nothing = [
            ("", "") if places[one] >= places[other] else (_NOTHING, "dim") for one in across
        ]
        shares = [cells.get((one, other), cell) for one, cell in zip(across, nothing, strict=True)]
        rows.append([*_plain([_shown(other)]), *shares])
    yield _Table(rows)


def _cases(matrix: Matrix) -> _Table:
    rows = [_plain(["case", *map(_shown, matrix.subjects)])]
    for suite, case, verdicts in matrix.rows():
        rows.append([*_plain([_shown(f"{suite}/{case}")]), *map(_verdict, verdicts)])
    return _Table(rows, len(rows[0]))


def _plain(cells: Sequence[str]) -> list[tuple[str, str]]:
    return [(cell, "") for cell in cells]


def _shown(name: str) -> str:
    return cut(visible(name), _NAME)


def _score(score: Score) -> tuple[str, str]:
    return _share(score.passed, score.cases)


def _share(part: int, whole: int) -> tuple[str, str]:
    if not whole:
        return _NOTHING, "dim"
    return f"{part:,}/{whole:,} {percent(part, whole):>6}", "good" if part == whole else "bad"


def _verdict(verdict: Verdict | None) -> tuple[str, str]:
    if verdict is None:
        return _NOTHING, "dim"
    return verdict.value, "good" if verdict is Verdict.PASSED else "bad"


def _summary(matrix: Matrix) -> str:
    shares = matrix.shares()
    whole = sum(shares)
    said = f"{shares.all:,} passed by all, {shares.some:,} by some, {shares.none:,} by none"
    broken = matrix.cases - whole
    tail = f"; {count_of(broken, 'broken case')} left out" if broken else ""
    subjects = count_of(len(matrix.subjects), "subject")
    return f"{subjects}, {count_of(whole, 'case')}: {said}{tail}"


# Text.


def _text(matrix: Matrix, view: View) -> Iterator[str]:
    for table in _tables(matrix, view):
        yield from _aligned(table, view)
        yield ""
    yield from wrapped(_summary(matrix), view.width)


def _aligned(table: _Table, view: View) -> Iterator[str]:
    columns = range(len(table.rows[0]))
    widths = [max(len(row[column][0]) for row in table.rows) for column in columns]
    for block in _blocks(widths, table.front, view.width):
        if block[0]:
            yield ""
        for at, row in enumerate(table.rows):
            if at and not any(row[column][0] for column in block[1][table.front :]):
                continue  # of a triangle, only what is below
            cells = [
                row[column][0].ljust(widths[column])
                if column < table.left
                else row[column][0].rjust(widths[column])
                for column in block[1]
            ]
            roles = [row[column][1] if at else "dim" for column in block[1]]
            yield _line(cells, roles, view.style)


def _line(cells: Sequence[str], roles: Sequence[str], style: Style) -> str:
    last = max((at for at, cell in enumerate(cells) if cell.strip()), default=0)
    kept = [*cells[:last], cells[last].rstrip()]
    return "  ".join(
        style(cell, role) if role else cell for cell, role in zip(kept, roles, strict=False)
    )


def _blocks(
    widths: Sequence[int], names: int, width: int | None
) -> Iterator[tuple[bool, list[int]]]:
    """The columns in groups that fit in a line, each with the names in front; whether it is not the
    first one."""
    front = list(range(names))
    block = list(front)
    goes_on = False
    for column in range(names, len(widths)):
        wanted = sum(widths[at] + 2 for at in block) + widths[column]
        if width is not None and wanted > width and len(block) > names:
            yield goes_on, block
            goes_on, block = True, list(front)
        block.append(column)
    yield goes_on, block


# Markdown.


def _markdown(matrix: Matrix, view: View) -> Iterator[str]:
    for table in _tables(matrix, view):
        heading, *rows = table.rows
        yield _markdown_row(heading)
        rules = (":--" if column < table.left else "--:" for column in range(len(heading)))
        yield f"|{'|'.join(rules)}|"
        yield from map(_markdown_row, rows)
        yield ""
    yield _summary(matrix)


def _markdown_row(row: Sequence[tuple[str, str]]) -> str:
    return f"| {' | '.join(_escaped(' '.join(cell.split())) for cell, _ in row)} |"


def _escaped(text: str) -> str:
    """A text in which nothing is markup."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|~&" else char for char in text)


# JSON.


def _json(matrix: Matrix, view: View) -> Iterator[str]:
    whole: dict[str, Any] = {
        "format": 1,
        "subjects": [_json_subject(matrix, name, view.languages) for name in matrix.subjects],
        "agreement": [
            {"subjects": [pair.one, pair.other], "agree": pair.agree, "cases": pair.cases}
            for pair in matrix.agreements()
        ],
        "passed_by": matrix.shares()._asdict(),
    }
    if view.with_cases:
        whole["cases"] = [
            {
                "suite": row.suite,
                "case": row.case,
                "verdicts": {
                    subject: verdict.value
                    for subject, verdict in zip(matrix.subjects, row.verdicts, strict=True)
                    if verdict is not None
                },
            }
            for row in matrix.rows()
        ]
    yield json.dumps(whole, separators=(",", ":"))


def _json_subject(matrix: Matrix, name: str, languages: Mapping[str, str]) -> dict[str, Any]:
    language = languages.get(name, "")
    return {
        "name": name,
        **({"language": language} if language else {}),
        **matrix.score(name)._asdict(),
        "suites": {
            suite: {
                **matrix.score(name, suite)._asdict(),
                "verdicts": {
                    verdict.value: count for verdict, count in matrix.verdicts(name, suite).items()
                },
            }
            for suite in matrix.suites
            if matrix.verdicts(name, suite)
        },
    }


FORMATS: Final[Mapping[str, Callable[[Matrix, View], Iterator[str]]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
