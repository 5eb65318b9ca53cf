"""Compute the parts of a page: heading, table, slowest runs, and a list of runs that did not pass.

Pure: values for the template, with all texts made printable. Source: docs/reports.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush, heappushpop
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from harness.analysis.failure_kinds import delivery_suffix
from harness.analysis.summary import Group, Summary, summary_of
from harness.delivery.registry import Delivery
from harness.model.events import DeliveriesDiffer, Event, RunResult
from harness.model.exit_codes import ExitCode
from harness.model.tally import RunOutcome, is_unexpected_pass, message_of, outcome_of
from harness.model.verdict import KNOWN_FAILURE, Verdict
from harness.reports.pages.page import KNOWN_ICON, UNEXPECTED_PASS_FACTS, verdict_facts
from harness.reports.source import ResultSorter
from harness.reports.text.facts import build_failures, facts_of, title_of
from harness.reports.text.phrases import headline
from harness.text import escape_nonprintable, percent, pluralize, shorten, truncate

_PROBLEMS: Final = 50
_PROBLEM: Final = 2_000  # characters of a problem
_MESSAGE: Final = 300  # characters of a difference between deliveries, or of a listed run
_NAME: Final = 200
_SLOWEST: Final = 10  # runs
_BAR: Final = 100  # width of the bar
_LEAST_BAR: Final = 0.4  # even one of 100,000 runs is visible

_COUNTED: Final = [each for each in RunOutcome if each is not RunOutcome.SKIPPED]
_KNOWN: Final = "known"  # in place of a verdict
_VERDICTS: Final = sorted(Verdict, key=lambda each: each is not Verdict.PASSED)
_LISTED: Final = 1_000  # runs in the list without JavaScript

_COLOURS: Final = {
    RunOutcome.PASSED: "good",
    RunOutcome.KNOWN: "known",
    RunOutcome.FAILED: "bad",
    RunOutcome.BROKEN: "odd",
    RunOutcome.NOT_RUN: "odd",
    RunOutcome.SKIPPED: "dim",
}


class ReportTotals:
    """The counts and names of one pass through all events."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.order = ResultSorter()
        self.deliveries: dict[str, None] = {Delivery.PLAIN.value: None}
        # Seconds, case and delivery, subject, key of the link.
        self.slowest: list[tuple[float, str, str, str]] = []
        # How the deliveries of a case differ, by SUITE/CASE and subject.
        self.differing: dict[tuple[str, str], str] = {}
        self.summary = summary_of(self._count(events), self.order.add)
        self.matrix = self.summary.matrix
        self.book = self.summary.book
        # The names that the page's data refers to by number.
        self.tables = {
            "suites": [*self.matrix.suites],
            "subjects": [*self.matrix.subjects],
            "deliveries": [*self.deliveries],
            "verdicts": [
                verdict.value for verdict in Verdict if self.summary.total.verdicts[verdict]
            ],
        }

    def title_of(self, suite: str) -> str:
        return title_of(self.summary, suite)

    def _count(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events, and count them on the way."""
        for event in events:
            if isinstance(event, RunResult):
                self.deliveries[event.delivery] = None
                self._add_time(event)
            elif isinstance(event, DeliveriesDiffer):
                self.differing[event.where, event.subject] = truncate(event.message, _MESSAGE)
            yield event

    def _add_time(self, event: RunResult) -> None:
        if len(self.slowest) == _SLOWEST and event.wall_s <= self.slowest[0][0]:
            return
        where = f"{event.suite}/{event.case}"
        key = f"{where}@{event.subject}"
        key += "" if event.delivery == Delivery.PLAIN.value else f"!{event.delivery}"
        name = f"{where}{delivery_suffix(event)}"
        add = heappush if len(self.slowest) < _SLOWEST else heappushpop
        add(self.slowest, (event.wall_s, name, event.subject, escape_nonprintable(key)))


# The head.


def head_of(totals: ReportTotals) -> dict[str, Any]:
    summary, line = totals.summary, headline(totals.summary)
    reason = f": {escape_nonprintable(summary.why_nothing_ran)}" if summary.why_nothing_ran else ""
    result = f"{line[0].upper()}{line[1:]}{reason}"
    suites, subjects = totals.matrix.suites, totals.matrix.subjects
    names = [totals.title_of(suites[0]) or suites[0]] if len(suites) == 1 else []
    names += subjects if len(subjects) == 1 else ()
    topic = ", ".join(shorten(name, _NAME) for name in names)
    passing = _passing(totals)
    has_one_run = len(subjects) <= 1 and len(totals.deliveries) == 1
    facts = {fact.name: (fact.label, fact.value) for fact in facts_of(summary)}
    _, command = facts.pop("command", ("", ""))
    facts.pop("xtest", None)  # in the footer
    return {
        "title": f"xtest: {passing or result}{f' ({topic})' if topic else ''}",
        "topic": topic,
        "headline": passing or result,
        "below": f"Runs: {result[0].lower()}{result[1:]}" if passing else "",
        "colour": _colour_of(summary, is_mixed=bool(passing)),
        "xtest": escape_nonprintable(summary.xtest),
        "runs": summary.runs,
        "things": "Cases" if has_one_run else "Runs",  # a case may have several runs
        "counts": list(_counts(totals)),
        "shares": list(_shares(summary)),
        "facts": list(facts.values()),
        "problems": list(_problems(summary)),
        "unbuilt": list(build_failures(summary)),
        "command": command,
    }


def _passing(totals: ReportTotals) -> str:
    """Return how many of several subjects pass everything, or "" for a single subject.

    Of a campaign of `xtest fuzz`, whose cases are inputs on which some fail, return their number.
    """
    subjects, summary = totals.matrix.subjects, totals.summary
    if len(subjects) < 2:
        return ""
    if summary.starts and all(one.command_line[1:2] == ("fuzz",) for one in summary.starts):
        number = summary.runs // len(subjects)
        verb = "shows" if number == 1 else "show"
        return f"{pluralize(number, 'input')} {verb} where {len(subjects):,} subjects disagree"
    groups = summary.groups
    failing = {group.subject for group in groups if group.failed or group.known}
    passing = len({group.subject for group in groups if group.passed} - failing)
    if passing == len(subjects):
        return f"All {passing:,} subjects pass everything"
    verb = "passes" if passing == 1 else "pass"
    return f"{passing:,} of {len(subjects):,} subjects {verb} everything"


def _colour_of(summary: Summary, *, is_mixed: bool) -> str:
    if summary.exit == ExitCode.FAILED or summary.total.count(RunOutcome.FAILED):
        # With several subjects, some failures are normal.
        return "mixed" if is_mixed else "bad"
    return "good" if summary.exit == 0 and summary.runs else "odd"


def _counts(totals: ReportTotals) -> Iterator[tuple[str, ...]]:
    """Yield name, number of runs, classes, meaning and icon of verdicts.

    Known failures and unexpected passes count apart.
    """
    tally = totals.summary.total
    unexpected = tally.unexpected_pass
    numbers = tally.verdicts - tally.known_failures - Counter({Verdict.PASSED: unexpected})
    counted = [(numbers[each], verdict_facts(each)) for each in _VERDICTS]
    counted.insert(1, (tally.known, [_KNOWN, "known", KNOWN_FAILURE, KNOWN_ICON]))
    counted.insert(1, (unexpected, UNEXPECTED_PASS_FACTS))
    for number, (name, *facts) in counted:
        if number:
            yield name, f"{number:,}", *facts


def _shares(summary: Summary) -> Iterator[tuple[str, float, float]]:
    """Yield the segments of the bar: outcome, position, width."""
    x = 0.0
    for outcome in _COUNTED:
        width = round(_BAR * summary.total.count(outcome) / max(1, summary.runs), 4)
        if width:
            yield outcome.value, round(x, 4), max(width, _LEAST_BAR)
        x += width


def _problems(summary: Summary) -> Iterator[tuple[str, str]]:
    for problem in summary.problems[:_PROBLEMS]:
        yield shorten(problem.where, _NAME), shorten(problem.message, _PROBLEM)
    if len(summary.problems) > _PROBLEMS:
        yield "", f"and {pluralize(len(summary.problems) - _PROBLEMS, 'more problem')}"


# The table: the suites of one subject, or a matrix of several.


class MatrixCell(NamedTuple):
    """A cell; `link` is the filter that shows its runs, `hint` its tooltip."""

    text: str
    colour: str = ""
    link: str = ""
    aside: str = ""
    hint: str = ""


class MatrixTable(NamedTuple):
    """A table; the first `names` columns are text, the others numbers.

    Where there is room, a narrow table stands beside the heading of the page.
    """

    title: str
    heading: list[str]
    rows: list[list[MatrixCell]]
    names: int
    is_narrow: bool = False


def table_of(totals: ReportTotals) -> MatrixTable:
    """Return the scores by suite or by subject, without rows for one subject on one suite."""
    if len(totals.matrix.subjects) > 1:
        return _matrix(totals)
    groups = totals.summary.groups
    if len(groups) < 2:
        return MatrixTable("", [], [], 0)
    titled = any(map(totals.title_of, totals.matrix.suites))
    always = RunOutcome.PASSED, RunOutcome.FAILED
    outcomes = [each for each in RunOutcome if each in always or totals.summary.total.count(each)]
    words = ["", *["title"] * titled]
    names = (outcome.value.replace("_", " ") for outcome in outcomes)
    heading = [*words, *names, *_more_headings(totals), "seconds"]
    rows = [_suite_row(group, totals, outcomes, titled=titled) for group in groups]
    return MatrixTable("Suites", heading, rows, len(words), is_narrow=True)


def _suite_row(
    group: Group, totals: ReportTotals, outcomes: Sequence[RunOutcome], *, titled: bool
) -> list[MatrixCell]:
    link = urlencode({"suite": escape_nonprintable(group.suite)})
    row = [MatrixCell(shorten(group.suite, _NAME), "", link)]
    if titled:
        row.append(MatrixCell(shorten(totals.title_of(group.suite), _NAME)))
    for outcome in outcomes:
        number = group.count(outcome)
        row.append(MatrixCell(f"{number:,}", _COLOURS[outcome] if number else ""))
    row += _more_cells(totals, group.subject, group.suite)
    return [*row, MatrixCell(f"{group.wall_s:,.1f}")]


def _matrix(totals: ReportTotals) -> MatrixTable:
    suites: list[str | None] = [*totals.matrix.suites]
    suites += [None] if len(suites) > 1 else []  # all
    names = ("all" if suite is None else shorten(suite, _NAME) for suite in suites)
    rows = []
    for subject in totals.matrix.subjects:
        link = urlencode({"subject": escape_nonprintable(subject)})
        scores = (_score(totals, subject, suite) for suite in suites)
        name = MatrixCell(shorten(subject, _NAME), "", link)
        rows.append([name, *scores, *_more_cells(totals, subject)])
    return MatrixTable("Subjects and suites", ["", *names, *_more_headings(totals)], rows, 1)


def _more_headings(totals: ReportTotals) -> list[str]:
    return ["tests"] * totals.matrix.has_tests + ["points"] * totals.book.has_points


def _more_cells(
    totals: ReportTotals, subject: str, suite: str | None = None
) -> Iterator[MatrixCell]:
    if totals.matrix.has_tests:
        passed, total = totals.matrix.tests(subject, suite)
        share = MatrixCell(f"{passed:,}/{total:,}", aside=percent(passed, total))
        yield share if total else MatrixCell("-")
    if totals.book.has_points:
        yield MatrixCell(str(totals.book.grade(subject, suite) or ""))


def _score(totals: ReportTotals, subject: str, suite: str | None) -> MatrixCell:
    score = totals.matrix.score(subject, suite)
    if not score.cases:
        return MatrixCell(f"{score.broken:,} broken", "odd") if score.broken else MatrixCell("-")
    link = {"subject": escape_nonprintable(subject)}
    link |= {"suite": escape_nonprintable(suite)} if suite else {}
    colour = "good" if score.passed == score.cases else "bad"
    shown = f"{score.passed:,}/{score.cases:,}"
    verdicts = totals.matrix.verdicts(subject, suite)
    hint = ", ".join(f"{verdicts[each]:,} {each.value}" for each in _VERDICTS if verdicts[each])
    return MatrixCell(shown, colour, urlencode(link), percent(score.passed, score.cases), hint)


def slowest_of(totals: ReportTotals) -> list[tuple[str, str, str, float]]:
    """Return name, link, time and bar (in percent) of the slowest runs, unless there are few."""
    runs = sorted(totals.slowest, reverse=True)
    if len(runs) < _SLOWEST or not runs[0][0]:
        return []
    names_subject = len(totals.matrix.subjects) > 1
    return [
        (
            shorten(f"{name}, {subject}" if names_subject else name, _NAME),
            urlencode({"run": key}),
            f"{time:,.3f} s",
            100 * time / runs[0][0],
        )
        for time, name, subject, key in runs
    ]


class RunList:
    """The runs that did not pass, in the order of the report, for browsers without JavaScript."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, str, str, str]] = []  # badge, colour, name, message
        self.all = 0

    def add(self, event: RunResult) -> None:
        outcome = outcome_of(event)
        if outcome in (RunOutcome.PASSED, RunOutcome.SKIPPED):
            return
        self.all += 1
        if len(self.runs) < _LISTED:
            where = f"{event.suite}/{event.case}, {event.subject}{delivery_suffix(event)}"
            # The badge and the message are those of the script.
            badge, message = event.verdict.value, event.message
            if outcome is RunOutcome.KNOWN and event.known is not None:
                badge, message = _KNOWN, f"{badge}: {event.known.reason}"
            elif is_unexpected_pass(event) and event.known is not None:
                message = f"{message_of(event)} ({event.known.reason})"
            texts = shorten(where, _MESSAGE), shorten(message, _MESSAGE)
            self.runs.append((badge, _COLOURS[outcome], *texts))
