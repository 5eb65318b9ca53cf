"""Filter a source by subjects, by suites, and by the cases that an audience may see.

Counts are adapted. Pure: the source is read once beforehand. Source: docs/reports.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import repeat
from typing import Final, NamedTuple

from harness.analysis.grades import Visibilities, format_points, grading_rules
from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    KnownFailure,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.subject import SubjectInfo
from harness.model.suite_info import Audience
from harness.model.tally import RunTally, by_name
from harness.model.verdict import Verdict
from harness.reports.source import Source
from harness.text import did_you_mean, escape_nonprintable, matches_glob, quote, truncate_to_width

_WORD: Final = 60  # characters of a word of the command line in a message
_HINT: Final = 300  # characters of the known names in a message
# For students, in place of messages that may quote hidden cases.
_PROBLEM: Final = "There is a problem with the tests themselves. Please tell the course staff."
# The folders of an absolute path. Their names may contain spaces, but a space or " ." before a
# slash begins another path.
_FOLDERS: Final = re.compile(
    r"(?<![\w.~-])(?<!:/)(?:/[^/:;,'\"\s](?:[^/:;,'\"]*(?<!\s)(?<!\W\.)(?<!\W\.\.))?)+/"
)
_ALL_HIDDEN: Final = "no case may be shown yet"
_SOME_HIDDEN: Final = "other cases are not shown"


class ReportFilter(NamedTuple):
    """Globs of subjects and of suites (an empty tuple matches all), and an audience.

    A suite also matches by the last part of its name. Cases that the audience may not see are left
    out, or with `redacts`, reduced to name and verdict.
    """

    subjects: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    audience: Audience = Audience.STAFF
    redacts: bool = False

    def matches_subject(self, name: str) -> bool:
        return not self.subjects or any(_matches(glob, name) for glob in self.subjects)

    def matches_suite(self, name: str) -> bool:
        return not self.suites or any(_matches_suite(glob, name) for glob in self.suites)

    def matches(self, suite: str, subject: str) -> bool:
        return self.matches_suite(suite) and self.matches_subject(subject)


def without_folders(text: str) -> str:
    """Return a text for students: absolute paths of staff's machine without their folders."""
    return _FOLDERS.sub("", text)


def filter_source(source: Source, selected: ReportFilter) -> Source:
    """Return a source of the selected subjects and suites, without runs in which none took part.

    Raises UsageError if a glob matches nothing, and whatever the source raises.
    """
    if selected == ReportFilter():
        return source
    runs = _read_runs(source)
    shown = _ShownCases(selected, runs)
    for run in runs:
        run.plan(shown)
    _check_globs(runs, selected)
    last = next((run for run in reversed(runs) if run.is_selected), None)
    if last is not None and selected.audience is not Audience.STAFF and not selected.redacts:
        last.withheld_points = _withheld_points(shown, runs)

    def events() -> Iterator[Event]:
        filtered = map(_FilteredRun, runs, repeat(shown))
        run: _FilteredRun | None = None
        for event in source():
            if isinstance(event, RunStarted):
                run = next(filtered, None)
            if run is not None and run.run.is_selected:
                yield from run.events(event)

    return events


def _withheld_points(shown: _ShownCases, runs: Sequence[_SelectedRun]) -> str:
    """Return the declared points of the cases that are not shown, as a decimal, or ""."""
    infos = {each.suite: each for run in runs for each in run.started.suite_infos}
    judged_cases = {(suite, case) for run in runs for suite, _, case in run.cases}
    pairs = {(suite, subject) for run in runs for suite, subject, _ in run.cases}
    suites = {suite for suite, subject in pairs if shown.matches(suite, subject)}
    rules = [grading_rules(infos[suite]) for suite in suites if suite in infos]
    declared = {each.suite_info.suite: each for each in rules if each.declares_points}
    points = sum((each.whole for each in declared.values()), Fraction(0))
    for suite, case in judged_cases:
        if suite in declared and not shown.hides(suite, case):
            points -= declared[suite].points_of(case)
    return format_points(points, declared.values()) if points > 0 else ""


def _matches(glob: str, name: str) -> bool:
    return matches_glob(name, glob)


def _matches_suite(glob: str, name: str) -> bool:
    return _matches(glob, name) or _matches(glob, name.rpartition("/")[2])


class _ShownCases:
    """Decides which cases a filter shows."""

    def __init__(self, selected: ReportFilter, runs: Iterable[_SelectedRun]) -> None:
        self.selected = selected
        visibilities = Visibilities()
        for run in runs:
            visibilities.start_run(run.started.suite_infos)
            for suite, _, case in run.cases:
                visibilities.note(suite, case)
        sees = selected.audience.sees
        self.hides = cache(lambda suite, case: visibilities.of(suite, case) not in sees)
        self.hides_some = cache(lambda suite: not visibilities.is_open_to(selected.audience, suite))

    def matches(self, suite: str, subject: str) -> bool:
        return self.selected.matches(suite, subject)

    def takes(self, suite: str, subject: str, case: str) -> bool:
        matches = self.matches(suite, subject)
        return matches and (self.selected.redacts or not self.hides(suite, case))

    def is_open(self, suite: str, subject: str, case: str) -> bool:
        return self.selected.matches(suite, subject) and not self.hides(suite, case)


class _SelectedRun:
    """A run of xtest: its suites, subjects and cases, and how many of them are selected."""

    def __init__(self, started: RunStarted) -> None:
        self.started = started
        self.suites = dict.fromkeys(started.suites)
        self.pairs = {(each.suite, each.subject) for each in started.fingerprints}
        self.cases: set[tuple[str, str, str]] = set()  # judged: suite, subject, case
        self.is_complete = False
        # Set by `plan`.
        self.is_selected = False
        self.withheld = False  # some selected cases are hidden
        self.withheld_points = ""  # of hidden cases, in all runs
        self.all_hidden = False  # all selected cases are known, and hidden
        self.judged_runs = 0  # selected runs
        self.planned: dict[str, int] = {}  # by selected suite, the number of planned runs

    def plan(self, shown: _ShownCases) -> None:
        """Count the selected runs; call it after all events were added."""
        selected = shown.selected
        cases = {each.suite: each.selected for each in self.started.suite_infos}
        judged_cases = Counter(case[0] for case in self.cases if shown.takes(*case))
        self.judged_runs = judged_cases.total()
        has_run = any(selected.matches(suite, subject) for suite, subject, _ in self.cases)
        self.all_hidden = self.is_complete and has_run and not self.judged_runs
        self.is_selected = not (selected.subjects or selected.suites)
        for suite in filter(selected.matches_suite, self.suites):
            subjects = [subject for name, subject in self.pairs if name == suite]
            matching = sum(map(selected.matches_subject, subjects))
            self.is_selected |= matching > 0
            is_partial = not selected.redacts and shown.hides_some(suite)
            self.withheld |= is_partial and matching > 0
            if matching and (judged_cases[suite] or not is_partial):
                # An interrupted run does not record which runs are missing: divide evenly.
                planned = cases.get(suite, 0) * matching // len(subjects)
                # The number of hidden cases that were not run must not be revealed.
                if self.is_complete or is_partial:
                    planned = 0
                self.planned[suite] = max(planned, judged_cases[suite])


def _read_runs(source: Source) -> list[_SelectedRun]:
    runs: list[_SelectedRun] = []
    for event in source():
        if isinstance(event, RunStarted):
            runs.append(_SelectedRun(event))
        elif isinstance(event, RunResult):
            run = runs[-1]
            run.suites.setdefault(event.suite)
            run.pairs.add((event.suite, event.subject))
            run.cases.add((event.suite, event.subject, event.case))
        elif isinstance(event, RunEnded):
            has_all = not event.not_run or Verdict.NOT_RUN.value in event.counts
            runs[-1].is_complete = has_all and not event.interrupted
    return runs


def _check_globs(runs: Sequence[_SelectedRun], selected: ReportFilter) -> None:
    """Raise UsageError if a glob matches nothing, or all of them together."""
    subjects = {subject for run in runs for _, subject in run.pairs}
    suites = {suite for run in runs for suite in run.suites}
    for kind, globs, names, matches in (
        ("subject", selected.subjects, subjects, _matches),
        ("suite", selected.suites, suites, _matches_suite),
    ):
        for glob in globs:
            if not any(matches(glob, name) for name in names):
                known = [escape_nonprintable(name) for name in sorted(names, key=natural)]
                hint = truncate_to_width(did_you_mean(glob, known), _HINT)
                problem = f"matches no {kind} of the results{f'; {hint}' if known else ''}"
                raise UsageError(f"--{kind} {quote(glob, _WORD)}: {problem}")
    if selected.subjects and selected.suites and not any(run.is_selected for run in runs):
        raise UsageError(
            f"--subject {quote(selected.subjects[0], _WORD)} --suite"
            f" {quote(selected.suites[0], _WORD)}: no runs of the results match both"
        )


class _FilteredRun:
    def __init__(self, run: _SelectedRun, shown: _ShownCases) -> None:
        self.run = run
        self._shown = shown
        self._selected = shown.selected
        self._is_for_students = self._selected.audience is not Audience.STAFF
        self._score = RunTally()
        self._is_order_dependent = False  # a case passes only in a session
        self._problems = 0
        self._wall_s = 0.0

    def events(self, event: Event) -> Iterator[Event]:
        """Yield the event with adapted counts, if it is selected."""
        if isinstance(event, RunResult):
            if self._shown.takes(event.suite, event.subject, event.case):
                event = self._for_audience(event)
                self._score.add(event)
                self._wall_s += event.wall_s
                yield event
        elif isinstance(event, RunStarted):
            yield self._started(event)
        elif isinstance(event, RunEnded):
            yield self._ended(event)
        elif isinstance(event, SessionsEnded):
            if self._selected.matches_subject(event.subject):
                # What a program printed may quote a hidden case.
                is_open = not self._is_for_students
                yield event if is_open else event._replace(noise=(), stderr=())
        elif isinstance(event, DeliveriesDiffer | DependsOnOrder):
            suite, case = self._names(event)
            if self._shown.is_open(suite, event.subject, case):
                self._is_order_dependent |= isinstance(event, DependsOnOrder)
                yield self._without_hidden_polluter(event, suite)
        elif not self._is_of_others(event):
            yield from self._problem(event)

    def _problem(self, event: Event) -> Iterator[Event]:
        """Yield a problem; for students, the first one only, without its details."""
        self._problems += 1
        if not self._is_for_students:
            yield event
        elif self._problems == 1:
            yield Diagnostic("xtest", _PROBLEM)

    def _for_audience(self, event: RunResult) -> RunResult:
        """Return a run, hidden with names and outcome only, for students without staff's paths."""
        if self._shown.hides(event.suite, event.case):
            known = KnownFailure("") if event.known is not None and event.known.holds else None
            names = event.suite, event.case, event.subject, event.delivery
            return RunResult(*names, event.verdict, "details are not shown", known=known)
        if not self._is_for_students:
            return event
        if event.verdict is Verdict.NOT_STARTED:
            event = event._replace(message=without_folders(event.message))
        return event._replace(repeat=())

    def _names(self, event: DeliveriesDiffer | DependsOnOrder) -> tuple[str, str]:
        # Names of suites and of cases may have slashes.
        for suite in self.run.suites:
            case = event.where.removeprefix(f"{suite}/")
            if (suite, event.subject, case) in self.run.cases:
                return suite, case
        return "", ""

    def _without_hidden_polluter(self, event: Event, suite: str) -> Event:
        if not isinstance(event, DependsOnOrder):
            return event
        if self._is_for_students:
            event = event._replace(repeat=())
        if not event.polluter or self._shown.is_open(suite, event.subject, event.polluter):
            return event
        named = rf" with (case )?{re.escape(event.polluter)},"  # without "case" in older results
        message = re.sub(named, " with another case,", event.message)
        return event._replace(polluter="", message=message, repeat=())

    def _started(self, event: RunStarted) -> RunStarted:
        planned = self.run.planned
        matches = self._selected.matches_subject
        is_open = not self._is_for_students and not self._selected.subjects
        return event._replace(
            suites=tuple(planned),
            runs=sum(planned.values()),
            fingerprints=tuple(
                x for x in event.fingerprints if x.suite in planned and matches(x.subject)
            ),
            resumed=0,  # the results do not record which runs were resumed
            suite_infos=tuple(
                x._replace(selected=planned[x.suite])
                for x in event.suite_infos
                if x.suite in planned
            ),
            subjects=tuple(
                map(self._subject, filter(lambda one: matches(one.name), event.subjects))
            ),
            withheld=event.withheld or self.run.withheld,
            withheld_points=self.run.withheld_points,
            # A command line may name other subjects.
            host=event.host if is_open else "",
            command_line=event.command_line if is_open else (),
        )

    def _subject(self, subject: SubjectInfo) -> SubjectInfo:
        """Return a subject, for students without staff's paths in what its build printed."""
        if not self._is_for_students:
            return subject
        return subject._replace(
            programs=(),
            build_failure=without_folders(subject.build_failure),
            build_output=tuple(map(without_folders, subject.build_output)),
        )

    def _ended(self, event: RunEnded) -> RunEnded:
        left = sum(self.run.planned.values()) - self.run.judged_runs if event.not_run else 0
        exit_code = self._score.exit_code(
            faulty=self._problems > 0, failing=self._is_order_dependent
        )
        hidden = _ALL_HIDDEN if self.run.all_hidden else _SOME_HIDDEN
        return event._replace(
            counts=by_name(self._score.verdicts),
            why_nothing_ran=hidden
            if self.run.withheld and not self._score.verdicts
            else event.why_nothing_ran,
            # The time in sequence: how long they took in parallel is not recorded.
            wall_s=min(round(self._wall_s, 6), event.wall_s),
            exit=ExitCode.INTERRUPTED if event.exit == ExitCode.INTERRUPTED else exit_code,
            known=by_name(self._score.known_failures),
            unexpected_pass=self._score.unexpected_pass,
            stopped=event.stopped and (left > 0 or self.run.withheld),
            not_run=left,
            resumed=0,
            cached=self._score.cached,
            retried=self._score.retried,
        )

    def _is_of_others(self, problem: Diagnostic) -> bool:
        """Return whether a problem concerns only a suite or a subject that is not selected."""
        if problem.where in self.run.suites:
            return not self._selected.matches_suite(problem.where)
        ids = {each.name: each.id for each in self.run.started.subjects}
        return any(
            f"[subjects.{ids.get(subject) or subject}]" in problem.where
            for _, subject in self.run.pairs
            if not self._selected.matches_subject(subject)
        )
