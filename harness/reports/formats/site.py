"""Write the pages of the site. Output of programs is data, which the script sets as text.

Details of cases are in separate files, so that the page of a large suite loads fast. They are
scripts: a page opened from a disk can load nothing else. Texts are cut, and after a budget for all
outputs, further ones are left out. Source: docs/site.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.analysis.history import versions
from harness.analysis.matrix import Matrix, MatrixRow
from harness.analysis.summary import Summary, summary_of
from harness.delivery.registry import Delivery
from harness.model.case import Case, CaseInfo
from harness.model.events import Excerpt, RunResult
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.pages import page as web
from harness.reports.pages.badges import badge_files
from harness.reports.per_subject import file_stems
from harness.reports.source import Source
from harness.reports.text.differences import escaped_sides
from harness.reports.text.facts import build_failures, facts_of
from harness.reports.text.phrases import headline
from harness.suites.cases import read_case
from harness.suites.loading import CorpusError, read_suite
from harness.text import escape_nonprintable, percent, pluralize, shell_line, shorten

_NAME: Final = 200  # characters
_NUMBERS: Final = {verdict: number for number, verdict in enumerate(Verdict)}
_DETAILS: Final = 100  # cases whose details are in one file
_TEXT: Final = 2_000  # characters of an input or output
_MESSAGE: Final = 300
_ROWS: Final = 30  # of differences
_BUDGET: Final = 64 * 1024 * 1024  # characters of all outputs


class _ScoreCell(NamedTuple):
    text: str
    aside: str
    colour: str
    page: str  # the page of the suite, or empty


class _TrendRun(NamedTuple):
    """A run of xtest: its start, the versions of its subjects, and counts of runs."""

    started: str
    version: str
    passed: int
    runs: int


def documents(source: Source) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name and the content of each file of the site."""
    answers = _CaseAnswers()
    summary = summary_of(source(), answers.add)
    stems = file_stems(summary.matrix.suites, taken=["index"])
    suite_infos = {suite: SuiteInfo(suite, "") for suite in stems}
    suite_infos |= summary.suite_infos
    for name, content in badge_files(summary.matrix):
        yield f"badges/{name}", iter([content])
    yield "site.css", iter([web.STYLE, web.page_text("site/site.css")])
    yield "site.js", iter([web.PARTS, web.page_text("site/site.js")])
    yield "index.html", _index(summary, stems, suite_infos)
    rows = groupby(summary.matrix.rows(), key=lambda row: row.suite)
    rows_of = {suite: list(each) for suite, each in rows}
    for suite, stem in stems.items():
        suite_info = suite_infos[suite]
        cases = _case_texts(suite_info, answers.cases.get(suite, {}))
        yield from _suite_files(summary.matrix, suite_info, stem, rows_of.get(suite, []), cases)


def _index(
    summary: Summary, stems: Mapping[str, str], suite_infos: Mapping[str, SuiteInfo]
) -> Iterator[str]:
    matrix, trend = summary.matrix, _trend(summary)
    # The points of a polyline in a box of 100 by 30; a single point draws nothing.
    step = 100 / max(1, len(trend) - 1)
    heights = (30 - 0.3 * (100 * run.passed / run.runs) for run in trend)
    points = (f"{index * step:.2f},{height:.2f}" for index, height in enumerate(heights))
    versions_of = {each.name: each.version for start in summary.starts for each in start.subjects}
    rows = [
        (
            _shown(subject),
            _shown(versions_of.get(subject, "")),
            f"badges/{stem}.svg",
            [_cell(matrix, subject, suite, page) for suite, page in stems.items()],
        )
        for subject, stem in file_stems(matrix.subjects).items()
    ]
    return web.TEMPLATES.page(
        "site/index.html",
        headline=headline(summary),
        started=escape_nonprintable(summary.started),
        facts=facts_of(summary),
        suites=[
            (_shown(each), _shown(suite_infos[each].title), page) for each, page in stems.items()
        ],
        rows=rows,
        trend=trend,
        line=" ".join(points),
        problems=[(_shown(each.where), _shown(each.message)) for each in summary.problems],
        unbuilt=list(build_failures(summary)),
    )


def _trend(summary: Summary) -> list[_TrendRun]:
    """Return the runs of the results files, in the order of their starts."""
    return sorted(
        _TrendRun(
            started.started,
            escape_nonprintable(versions(started)),
            ended.passed,
            ended.total,
        )
        for started, ended in zip(summary.starts, summary.ends, strict=True)
        if ended.total
    )


def _cell(matrix: Matrix, subject: str, suite: str, page: str) -> _ScoreCell:
    score = matrix.score(subject, suite)
    if not score.cases:
        return _ScoreCell("not claimed" if score.skipped else "-", "", "quiet", page)
    aside = percent(score.passed, score.cases)
    if matrix.has_tests:
        tests = matrix.tests(subject, suite)
        aside += f", {tests.passed:,} of {pluralize(tests.all, 'test')}"
    aside += f", {score.skipped:,} not claimed" if score.skipped else ""
    colour = "good" if score.passed == score.cases else "bad"
    return _ScoreCell(f"{score.passed:,}/{score.cases:,}", aside, colour, page)


def _suite_files(
    matrix: Matrix,
    suite_info: SuiteInfo,
    stem: str,
    rows: list[MatrixRow],
    cases: Mapping[str, _CaseEntry],
) -> Iterator[tuple[str, Iterator[str]]]:
    subjects = [name for name in matrix.subjects if matrix.verdicts(name, suite_info.suite)]
    places = [matrix.subjects.index(name) for name in subjects]
    suite, title = _shown(suite_info.suite), _shown(suite_info.title)
    # The groups in the order of their first cases, after the cases without one.
    groups = [*dict.fromkeys(["", *(cases[row.case].info.group for row in rows)])]
    order = {group: place for place, group in enumerate(groups)}
    rows = sorted(rows, key=lambda row: order[cases[row.case].info.group])
    data = {
        "suite": suite,
        "subjects": [*map(_shown, subjects)],
        "verdicts": [*map(web.verdict_facts, Verdict)],
        "per": _DETAILS,
        "cases": [_row(row, cases[row.case], places) for row in rows],
    }
    page = web.TEMPLATES.page("site/suite.html", suite=suite, title=title, stem=stem)
    yield f"{stem}.html", page
    yield f"{stem}/cases.js", _script("suite", data)
    for number in range(0, len(rows), _DETAILS):
        part = [_entry_of(cases[row.case], subjects) for row in rows[number : number + _DETAILS]]
        yield f"{stem}/{number // _DETAILS}.js", _script("details", [number // _DETAILS, part])


def _row(row: MatrixRow, case: _CaseEntry, places: Iterable[int]) -> list[Any]:
    """Return a row of the table: name, title, tags, number of each verdict, and group."""
    verdicts = (row.verdicts[index] for index in places)
    numbers = [-1 if verdict is None else _NUMBERS[verdict] for verdict in verdicts]
    tags = " ".join(map(escape_nonprintable, case.tags))
    name, title, group = map(escape_nonprintable, (row.case, case.info.title, case.info.group))
    return [name, title, tags, numbers, group]


def _script(name: str, value: Any) -> Iterator[str]:
    yield f"xtest.{name}({web.script_json(value)});\n"


def _shown(text: str) -> str:
    return shorten(text, _NAME)


# The details of a case: the answers of all subjects, side by side.


class _CaseEntry(NamedTuple):
    """A case: its settings in suite.toml, its texts, and the answers of subjects that failed it.

    An answer has the keys `m` (message), `o` (output), `c` (conversation), `r` (rows of
    differences), `k` (known failure) and `x` (command).
    """

    info: CaseInfo
    tags: tuple[str, ...]
    texts: list[tuple[str, str]]  # headings, and the texts of the files as far as they are known
    answers: dict[str, dict[str, Any]]


class _CaseAnswers:
    """The cases of all suites, from one pass through the events."""

    def __init__(self) -> None:
        self.cases: dict[str, dict[str, _CaseEntry]] = {}  # by suite and case
        self._left = _BUDGET

    def add(self, event: RunResult) -> None:
        cases = self.cases.setdefault(event.suite, {})
        case = cases.get(event.case) or _CaseEntry(CaseInfo(), (), [], {})
        case = case._replace(info=event.info or case.info, tags=event.tags or case.tags)
        evidence = event.evidence
        if evidence is not None and not case.texts:
            expected = Excerpt(b"", 0) if evidence.expected_by else evidence.expected
            texts = _texts(evidence.stdin, expected, is_script=bool(evidence.talk))
            case = case._replace(texts=texts)
        if event.verdict is not Verdict.PASSED and event.subject not in case.answers:
            case.answers[event.subject] = self._answer(event)
        cases[event.case] = case

    def _answer(self, event: RunResult) -> dict[str, Any]:
        answer: dict[str, Any] = {"m": shorten(event.message, _MESSAGE)}
        if event.delivery != Delivery.PLAIN.value:
            answer["m"] = f"({event.delivery}) {answer['m']}"
        if event.known is not None:
            answer["k"] = escape_nonprintable(event.known.reason)
        if event.repeat:
            answer["x"] = shell_line(event.repeat)
        evidence = event.evidence
        if evidence is not None and event.verdict is not Verdict.NOT_STARTED and self._left > 0:
            if evidence.talk:
                answer["c"] = [web.conversation_row(each) for each in evidence.talk]
            if evidence.stdout.data or not evidence.talk:
                answer["o"] = _text(evidence.stdout)
            rows, _ = web.difference_rows(evidence, _ROWS)
            if rows:
                answer["r"] = rows
                answer["h"], _ = escaped_sides(evidence)
            self._left -= len(str(answer))
        return answer


def _case_texts(suite_info: SuiteInfo, cases: Mapping[str, _CaseEntry]) -> dict[str, _CaseEntry]:
    """Return the cases with the texts of their files, if this machine has the suite."""
    texts: dict[str, list[tuple[str, str]]] = {}
    with suppress(CorpusError, OSError):
        suite = read_suite(suite_info.suite, Path(suite_info.folder or os.devnull))
        for index, name in enumerate(suite.names):
            if name.text in cases and not cases[name.text].texts:
                case = read_case(suite, name, index)
                if isinstance(case, Case):
                    sides = (case.stdin, case.expected_text)
                    stdin, expected = (Excerpt(side, len(side)) for side in sides)
                    texts[name.text] = _texts(stdin, expected, is_script=case.script is not None)
    return {name: case._replace(texts=texts.get(name, case.texts)) for name, case in cases.items()}


def _texts(stdin: Excerpt, expected: Excerpt, *, is_script: bool) -> list[tuple[str, str]]:
    """Return the texts that a case has, with their headings; all of a dialogue is in its script."""
    sides = [("Script", stdin)] if is_script else [("Input", stdin), ("Expected output", expected)]
    return [(heading, _text(side)) for heading, side in sides if side.data]


def _text(excerpt: Excerpt) -> str:
    shown, is_whole = web.excerpt_text(excerpt, _TEXT)
    return shown if is_whole else f"{shown} ... ({excerpt.total:,} bytes)"


def _entry_of(case: _CaseEntry, subjects: Iterable[str]) -> list[Any]:
    """Return the details of a case for the script, with the answers by number of the subject."""
    numbers = {subject: number for number, subject in enumerate(subjects)}
    answers = {numbers[name]: answer for name, answer in case.answers.items() if name in numbers}
    texts = case.info.title, case.info.description, case.info.link, case.info.group
    info = [*map(escape_nonprintable, texts)]
    return [info, [*map(escape_nonprintable, case.tags)], case.texts, answers]
