"""Choose how lines are shown on a stream: style, width and number; and align columns that fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from textwrap import wrap
from typing import Final, NamedTuple, TextIO

from harness.files import is_terminal, terminal_size
from harness.text import cells, escape_nonprintable, pad, truncate_to_width

_GAP: Final = 2  # spaces between columns
_LEAST_CELL: Final = 8  # characters of a cell that is cut
_OTHER_LINES: Final = 10  # lines of a typical failure, without its differences
_LEAST_LINES: Final = 10
_CODES: Final = {
    **{"good": "32", "bad": "31", "odd": "33", "dim": "2", "strong": "1"},
    **{"one": "36", "other": "35"},  # of two sides, of which neither is right
    # Reversed: seen on dark and light screens.
    **{"good mark": "7;32", "bad mark": "7;31", "one mark": "7;36", "other mark": "7;35"},
}

# Colours a text by its role: "good", "bad", "odd", "dim", "strong", "one", "other", and the marks
# in differences, such as "good mark".
Style = Callable[[str, str], str]
_NEUTRAL: Final = {
    **{"good": "one", "bad": "other"},
    **{"good mark": "one mark", "bad mark": "other mark"},
}


def PLAIN(text: str, _role: str) -> str:  # pylint: disable=invalid-name  # a constant style
    return text


def neutral(style: Style) -> Style:
    """Return the style for two sides of which neither is known to be right."""
    return lambda text, role: style(text, _NEUTRAL.get(role, role))


class Display(NamedTuple):
    """Settings for showing lines; the defaults are those of a pipe."""

    style: Style = PLAIN
    width: int = 160  # characters of a line
    most_lines: int | None = 30  # of differences, or None for all
    side_by_side: bool = False  # allow two columns of differences
    names_subject: bool = False


def coloured(text: str, role: str) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


def display_for(stream: TextIO, *, full: bool = False) -> Display:
    """Return the display for a stream; with `full`, it shows all differences of a failure."""
    style = coloured if _has_colours(stream) else PLAIN
    if not is_terminal(stream):
        return Display(style, most_lines=None) if full else Display(style)
    width, height = terminal_size(stream)
    most_lines = None if full else max(_LEAST_LINES, height - _OTHER_LINES)
    return Display(style, width, most_lines, side_by_side=True)


def style_and_width(stream: TextIO) -> tuple[Style, int | None]:
    """Return the style and the width of a table on a stream, None for any width if no terminal."""
    display = display_for(stream)
    return display.style, display.width if is_terminal(stream) else None


def _has_colours(stream: TextIO) -> bool:
    """Return whether to use colours (no-color.org, force-color.org, bixense.com/clicolors)."""
    variable = os.environ.get
    if variable("NO_COLOR"):
        return False
    if variable("FORCE_COLOR") or variable("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and variable("CLICOLOR") != "0"


# Tables.


def align_columns(
    rows: Sequence[tuple[str, ...]], left: Collection[int], width: int | None = None
) -> Iterator[str]:
    """Return rows, made printable, as lines; the columns `left` are aligned left, others right.

    Cells of the columns `left` are cut, the widest first, until lines have at most `width`
    cells, unless it is None.
    """
    shown = [tuple(map(escape_nonprintable, row)) for row in rows]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    widths = _fit_widths(widths, left, width)
    for row in shown:
        cut = map(truncate_to_width, row, widths)
        yield (" " * _GAP).join(
            pad(cell, room, at_end=column in left)
            for column, (cell, room) in enumerate(zip(cut, widths, strict=True))
        )


def align_blocks(rows: Sequence[tuple[str, ...]], width: int | None) -> Iterator[str]:
    """Return printable rows as lines, the first column aligned left.

    Columns that do not fit in `width` cells continue below, after an empty line.
    """
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for number, block in enumerate(column_blocks(widths, 1, width)):
        if number:
            yield ""
        yield from align_columns([tuple(row[index] for index in block) for row in rows], range(1))


def column_blocks(widths: Sequence[int], front: int, width: int | None) -> Iterator[list[int]]:
    """Yield groups of columns that fit in a line, each with the first `front` columns."""
    block = list(range(front))
    for column in range(front, len(widths)):
        wanted = sum(widths[index] + _GAP for index in block) + widths[column]
        if width is not None and wanted > width and len(block) > front:
            yield block
            block = list(range(front))
        block.append(column)
    yield block


def table_width(rows: Sequence[tuple[str, ...]]) -> int:
    """Return the cells of the lines of a table that is not cut."""
    widths = (max(map(cells, column)) + _GAP for column in zip(*rows, strict=True))
    return sum(widths) - _GAP


def break_heading(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the first row as several, with cells that are wider than their column broken."""
    heading, *others = rows
    widest = [max((len(row[at]) for row in others), default=0) for at in range(len(heading))]
    broken = [
        wrap(cell, max(room, (len(cell) + 1) // 2), break_long_words=False)
        for cell, room in zip(heading, widest, strict=True)
    ]
    height = max(map(len, broken))
    return [*zip(*([""] * (height - len(cell)) + cell for cell in broken), strict=True)]


def _fit_widths(widths: list[int], left: Collection[int], width: int | None) -> list[int]:
    excess = 0 if width is None else sum(widths) + _GAP * (len(widths) - 1) - width
    fitted = [*widths]
    for _ in range(excess):
        widest = max(left, key=fitted.__getitem__)
        if fitted[widest] <= _LEAST_CELL:
            break
        fitted[widest] -= 1
    return fitted
