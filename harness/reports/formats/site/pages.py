"""Write the pages of the site. Output of programs is data, which the script sets as text.

Details of cases are in files of their own, so that the page of a large suite loads at once; they
are scripts, as a page that is opened as a file may load nothing else. Source: docs/site.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from harness.analysis.history import versions
from harness.analysis.matrix import Matrix, MatrixRow, Score
from harness.model.events import Event, RunEnded, RunStarted
from harness.model.verdict import Verdict
from harness.reports.badges import badge_files
from harness.reports.each import file_stems
from harness.reports.formats.site.cases import CaseAnswers, SiteCase, case_texts, entry_of
from harness.reports.source import Source
from harness.reports.summary import Summary, headline, summary_of
from harness.reports.terminal.matrix import percent
from harness.reports.web import PARTS, STYLE, in_script, page_template, page_text, verdict_facts
from harness.text import escape_nonprintable, pluralize, shorten

_NAME: Final = 200  # characters
_NUMBERS: Final = {verdict: number for number, verdict in enumerate(Verdict)}
_DETAILS: Final = 100  # cases whose details are in one file


class _Cell(NamedTuple):
    text: str
    aside: str
    colour: str
    page: str  # the page of the suite, or empty


class _TrendRun(NamedTuple):
    """A run of xtest: when, of which versions, and the cases that it passed."""

    started: str
    version: str
    passed: int
    judged: int

    @property
    def share(self) -> float:
        return 100 * self.passed / self.judged


class _Trend:
    """The runs of the results files, in the order of their starts."""

    def __init__(self) -> None:
        self._open: RunStarted | None = None
        self._runs: list[_TrendRun] = []

    def noting(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, RunStarted):
                self._open = event
            elif isinstance(event, RunEnded) and self._open is not None and event.judged:
                passed = event.counts.get(Verdict.PASSED.value, 0)
                names = self._open.started, escape_nonprintable(versions(self._open))
                self._runs.append(_TrendRun(*names, passed, event.judged))
            yield event

    @property
    def runs(self) -> list[_TrendRun]:
        return sorted(self._runs)


def documents(source: Source) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name and the content of each file of the site."""
    answers, trend = CaseAnswers(), _Trend()
    summary = summary_of(trend.noting(answers.noting(source())))
    stems = file_stems(summary.matrix.suites)
    for name, content in badge_files(summary.matrix):
        yield f"badges/{name}", iter([content])
    yield "site.css", iter([STYLE, page_text("site/site.css")])
    yield "site.js", iter([PARTS, page_text("site/site.js")])
    yield "index.html", _index(summary, stems, trend.runs)
    rows: dict[str, list[MatrixRow]] = {suite: [] for suite in stems}
    for row in summary.matrix.rows():
        rows[row.suite].append(row)
    for suite, stem in stems.items():
        yield from _suite_files(summary, suite, stem, rows[suite], answers.of(suite))


def _index(summary: Summary, stems: Mapping[str, str], trend: list[_TrendRun]) -> Iterator[str]:
    matrix = summary.matrix
    versions_of = {each.name: each.version for start in summary.starts for each in start.subjects}
    subjects = file_stems(matrix.subjects)
    rows = [
        (
            _shown(subject),
            _shown(versions_of.get(subject, "")),
            f"badges/{stem}.svg",
            [
                _cell(matrix.score(subject, suite), page, _tests(matrix, subject, suite))
                for suite, page in stems.items()
            ],
        )
        for subject, stem in subjects.items()
    ]
    titles = _titles(summary)
    suites = [(_shown(suite), _shown(titles.get(suite, "")), page) for suite, page in stems.items()]
    return page_template("site/index.html").generate(
        headline=headline(summary),
        started=escape_nonprintable(summary.started),
        xtest=escape_nonprintable(summary.xtest),
        suites=suites,
        rows=rows,
        trend=trend,
        line=_trend_line(trend),
        problems=[(_shown(each.where), _shown(each.message)) for each in summary.problems],
    )


def _titles(summary: Summary) -> dict[str, str]:
    return {about.suite: about.title for start in summary.starts for about in start.about}


def _tests(matrix: Matrix, subject: str, suite: str) -> str:
    """Return the tests passed, or an empty text if no suite counts them."""
    if not matrix.has_tests:
        return ""
    tests = matrix.tests(subject, suite)
    return f"{tests.passed:,} of {pluralize(tests.all, 'test')}"


def _cell(score: Score, page: str, tests: str) -> _Cell:
    if not score.cases:
        return _Cell("not claimed" if score.skipped else "-", "", "quiet", page)
    colour = "good" if score.passed == score.cases else "bad"
    aside = percent(score.passed, score.cases) + (f", {tests}" if tests else "")
    aside += f", {score.skipped:,} not claimed" if score.skipped else ""
    return _Cell(f"{score.passed:,}/{score.cases:,}", aside, colour, page)


def _trend_line(trend: list[_TrendRun]) -> str:
    """Return the points of a polyline in a box of 100 by 30, or "" for a single run."""
    if len(trend) < 2:
        return ""
    step = 100 / (len(trend) - 1)
    return " ".join(f"{at * step:.2f},{30 - 0.3 * run.share:.2f}" for at, run in enumerate(trend))


def _suite_files(
    summary: Summary, suite: str, stem: str, rows: list[MatrixRow], cases: Mapping[str, SiteCase]
) -> Iterator[tuple[str, Iterator[str]]]:
    subjects = [name for name in summary.matrix.subjects if summary.matrix.verdicts(name, suite)]
    places = [summary.matrix.subjects.index(name) for name in subjects]
    about = {about.suite: about for start in summary.starts for about in start.about}.get(suite)
    cases = case_texts(about, cases)
    # The groups in the order of their first cases, after the cases without one.
    groups = [*dict.fromkeys(["", *(cases[row.case].info.group for row in rows)])]
    order = {group: place for place, group in enumerate(groups)}
    rows = sorted(rows, key=lambda row: order[cases[row.case].info.group])
    data = {
        "suite": _shown(suite),
        "subjects": [*map(_shown, subjects)],
        "verdicts": [*map(verdict_facts, Verdict)],
        "per": _DETAILS,
        "cases": [_row(row, cases[row.case], places) for row in rows],
    }
    title = _shown(about.title if about is not None else "")
    page = page_template("site/suite.html")
    yield f"{stem}.html", page.generate(suite=_shown(suite), title=title, stem=stem)
    yield f"{stem}/cases.js", _script("suite", data)
    for number in range(0, len(rows), _DETAILS):
        part = [entry_of(cases[row.case], subjects) for row in rows[number : number + _DETAILS]]
        yield f"{stem}/{number // _DETAILS}.js", _script("details", [number // _DETAILS, part])


def _row(row: MatrixRow, case: SiteCase, places: Iterable[int]) -> list[Any]:
    """Return a row of the table: name, title, tags, number of each verdict, and group."""
    found = (row.verdicts[at] for at in places)
    numbers = [-1 if verdict is None else _NUMBERS[verdict] for verdict in found]
    tags = " ".join(map(escape_nonprintable, case.tags))
    name, title, group = map(escape_nonprintable, (row.case, case.info.title, case.info.group))
    return [name, title, tags, numbers, group]


def _script(name: str, value: Any) -> Iterator[str]:
    yield f"xtest.{name}({in_script(value)});\n"


def _shown(text: str) -> str:
    return shorten(text, _NAME)
