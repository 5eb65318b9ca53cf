"""Write a gradebook as CSV: a row per subject and suite, and a row of totals per subject.

Pure. Sources: RFC 4180; OWASP's page on CSV injection; docs/reports.md.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final

from harness.analysis.summary import summary_of
from harness.model.case_names import natural
from harness.model.verdict import Verdict
from harness.reports.source import Source
from harness.text import escape_nonprintable

_ALL: Final = "(all)"  # in place of a suite
_FAILURES: Final = [verdict for verdict in Verdict if verdict is not Verdict.PASSED]
_HEADING: Final = ("subject", "suite", "points", "maximum", "passed", "cases")
_TESTS: Final = ("tests_passed", "tests")  # if a suite counts them
_FORMULA: Final = tuple("=+-@")  # the first characters of a formula in a spreadsheet


def document(source: Source) -> Iterator[str]:
    """Return the rows in natural order of subjects and suites."""
    summary = summary_of(source())
    matrix, book = summary.matrix, summary.book
    suites: dict[str, list[str]] = {}  # by subject
    for name, subject in sorted(book.pairs, key=lambda pair: tuple(map(natural, pair))):
        suites.setdefault(subject, []).append(name)
    tests = _TESTS if matrix.has_tests else ()
    yield csv_row([*_HEADING, *(verdict.value for verdict in _FAILURES), *tests])
    for subject in sorted(suites, key=natural):
        for suite in (*suites[subject], None):  # None is all of them
            grade = book.grade(subject, suite) or ()
            counts = matrix.verdicts(subject, suite)
            names = subject, _ALL if suite is None else suite
            cases = counts.total() - counts[Verdict.SKIPPED]
            numbers = (counts[verdict] for verdict in _FAILURES)
            totals = matrix.tests(subject, suite) if matrix.has_tests else ()
            yield csv_row([*names, *grade, counts[Verdict.PASSED], cases, *numbers, *totals])


def csv_row(cells: Iterable[object]) -> str:
    """Return a line; control characters are escaped, and formulas become texts."""
    texts = [escape_nonprintable(str(cell)) for cell in cells]
    line = StringIO(newline="")
    csv.writer(line).writerow(f"'{text}" if text.startswith(_FORMULA) else text for text in texts)
    return line.getvalue()
