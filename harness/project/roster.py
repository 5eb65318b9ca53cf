"""Read a roster: who is behind each subject, with columns of a gradebook.

Source: docs/reports.md.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from io import StringIO
from typing import Final, NamedTuple
from unicodedata import normalize

from harness.errors import UsageError, usage_errors
from harness.files import read_regular
from harness.project.folder_subjects import valid_name
from harness.text import escape_nonprintable, quote

SUBJECT: Final = "subject"
PENALTY: Final = "penalty"  # of all suites; of one suite with its name after a colon
_TITLE: Final = "title"
_SEPARATOR_LINE: Final = re.compile(r"sep=.\r?\n", re.IGNORECASE)
_SEPARATORS: Final = ",;\t"  # of columns, as spreadsheets of several languages write them


class Roster(NamedTuple):
    """A roster: the names of its columns, and its rows by these names."""

    where: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]

    @property
    def titles(self) -> dict[str, str]:
        """The titles of subjects, also by their valid names; those of several rows are joined."""
        titles_of: dict[str, list[str]] = {}
        for row in self.rows:
            if title := row.get(_TITLE, "").strip():
                titles_of.setdefault(row[SUBJECT], []).append(title)
        joined = {subject: " & ".join(titles) for subject, titles in titles_of.items()}
        spellings = {
            valid_name(normalize(form, subject)): title
            for subject, title in joined.items()
            for form in ("NFC", "NFD")
        }
        return spellings | joined


def read_roster(path: str) -> Roster:
    """Return the roster in a CSV file. Raises UsageError."""
    where = escape_nonprintable(path)
    with usage_errors(where):
        data = read_regular(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{where}: not UTF-8; save it as CSV in UTF-8") from None
    try:
        table = [*_read_table(text)]
    except csv.Error as fault:  # a quotation mark that nothing closes
        raise UsageError(f"{where}: not CSV: {fault}") from None
    columns, lines = ([*map(_column, table[0])], table[1:]) if table else ([], [])
    if SUBJECT not in columns or len(set(columns)) < len(columns):
        problem = f"its first line has no column {quote(SUBJECT)}"
        if SUBJECT in columns:
            problem = "its first line names a column twice"
        raise UsageError(f"{where}: {problem}")
    for number, line in enumerate(lines, 2):
        if len(line) > len(columns):
            raise UsageError(f"{where}: row {number}: more cells than the first line")
    rows = [dict(zip(columns, [*line, *[""] * len(columns)], strict=False)) for line in lines]
    for row in rows:
        row[SUBJECT] = row[SUBJECT].strip()
    return Roster(where, tuple(columns), tuple(rows))


def _read_table(text: str) -> Iterator[list[str]]:
    """Return the rows of a CSV file that are not empty. Raises csv.Error."""
    if sep := _SEPARATOR_LINE.match(text):  # Excel: the separator of the lines below
        text = text[sep.end() :]
    heading = text.split("\n", 1)[0]
    separator = max(_SEPARATORS, key=heading.count)
    return filter(any, csv.reader(StringIO(text), delimiter=separator, strict=True))


def _column(name: str) -> str:
    """Return the name of a column without blanks; "Subject" and "Penalty" are in lower case."""
    start, colon, suite = name.strip().partition(":")
    is_read = start.strip().lower() in (SUBJECT, PENALTY)
    return f"{start.strip().lower()}{colon}{suite.strip()}" if is_read else name.strip()


def with_penalty(points: Fraction, penalty: str) -> Fraction:
    """Return points without a penalty: a share such as "10%", or a number of points.

    Raises ValueError.
    """
    text = penalty.strip().replace(",", ".")
    if not text:
        return points
    lost = Fraction(text.removesuffix("%").strip())
    if lost < 0:
        raise ValueError
    return max(points * (1 - lost / 100) if text.endswith("%") else points - lost, Fraction(0))
