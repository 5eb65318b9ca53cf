"""Narrow a source down to some subjects and suites, with counts that fit them.

Pure: the source is read once beforehand, to count. Source: docs/reports.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.events import DeliveriesDiffer, Diagnostic, Event, Judged, RunEnded, RunStarted
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict
from harness.reports.source import Source
from harness.reports.summary import RunOutcome, is_unexpected_pass, outcome_of
from harness.text import did_you_mean, escape_nonprintable, quote, truncate_to_width

__all__ = ["ReportFilter", "filter_source"]

_WORD: Final = 60  # characters of a word of the command line in a message
_HINT: Final = 300  # characters of the known names in a message


class ReportFilter(NamedTuple):
    """Globs of subjects and of suites; without globs, all match. A suite also matches by the last
    part of its name."""

    subjects: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()

    def matches_subject(self, name: str) -> bool:
        return not self.subjects or any(_matches(glob, name) for glob in self.subjects)

    def matches_suite(self, name: str) -> bool:
        return not self.suites or any(_matches_suite(glob, name) for glob in self.suites)

    def matches(self, suite: str, subject: str) -> bool:
        return self.matches_suite(suite) and self.matches_subject(subject)


def filter_source(source: Source, selected: ReportFilter) -> Source:
    """Return a source of the selected subjects and suites, without runs in which none took part.

    Raises UsageError if a glob matches nothing, and whatever the source raises.
    """
    if selected == ReportFilter():
        return source
    runs = _count_runs(source, selected)
    _check_globs(runs, selected)

    def events() -> Iterator[Event]:
        left = runs[::-1]
        filtered: _FilteredRun | None = None
        for event in source():
            if isinstance(event, RunStarted):
                filtered = _FilteredRun(left.pop(), selected)
            if filtered is not None and filtered.run.planned:
                yield from filtered.events(event)

    return events


def _matches(glob: str, name: str) -> bool:
    return glob == name or fnmatchcase(name, glob)


def _matches_suite(glob: str, name: str) -> bool:
    return _matches(glob, name) or _matches(glob, name.rpartition("/")[2])


class _Run:
    """The suites and subjects of one run of xtest, and how much of it is selected."""

    def __init__(self, started: RunStarted) -> None:
        self.started = started
        self.suites = dict.fromkeys(started.suites)
        self.pairs = {(basis.suite, basis.subject) for basis in started.basis}
        self.cases: set[tuple[str, str, str]] = set()  # judged: suite, subject, case
        self.is_complete = False
        self.planned: dict[str, int] = {}  # by selected suite, the number of planned runs

    def plan(self, selected: ReportFilter) -> None:
        """Count the planned runs, when all events are known."""
        judged = Counter(suite for suite, _, _ in self.cases)
        cases = {about.suite: about.selected for about in self.started.about}
        for suite in filter(selected.matches_suite, self.suites):
            subjects = [subject for of, subject in self.pairs if of == suite]
            matching = sum(map(selected.matches_subject, subjects))
            if matching:
                # An interrupted run does not record which runs were left: divide evenly.
                due = 0 if self.is_complete else cases.get(suite, 0) * matching // len(subjects)
                self.planned[suite] = max(due, judged[suite])


def _count_runs(source: Source, selected: ReportFilter) -> list[_Run]:
    runs: list[_Run] = []
    for event in source():
        if isinstance(event, RunStarted):
            runs.append(_Run(event))
        elif isinstance(event, Judged):
            run = runs[-1]
            run.suites.setdefault(event.suite)
            run.pairs.add((event.suite, event.subject))
            if selected.matches(event.suite, event.subject):
                run.cases.add((event.suite, event.subject, event.case))
        elif isinstance(event, RunEnded):
            runs[-1].is_complete = not event.not_run and not event.interrupted
    for run in runs:
        run.plan(selected)
    return runs


def _check_globs(runs: Sequence[_Run], selected: ReportFilter) -> None:
    """Raise UsageError if a glob matches nothing, or all of them together."""
    subjects = {subject for run in runs for _, subject in run.pairs}
    suites = {suite for run in runs for suite in run.suites}
    for glob in selected.subjects:
        if not any(_matches(glob, name) for name in subjects):
            raise _unknown_name("--subject", glob, subjects)
    for glob in selected.suites:
        if not any(_matches_suite(glob, name) for name in suites):
            raise _unknown_name("--suite", glob, suites)
    if not any(run.planned for run in runs):
        raise UsageError(
            f"--subject {quote(selected.subjects[0], _WORD)} --suite"
            f" {quote(selected.suites[0], _WORD)}: the results have no runs of both"
        )


def _unknown_name(option: str, glob: str, names: Collection[str]) -> UsageError:
    known = [escape_nonprintable(name) for name in sorted(names, key=natural)]
    hint = f"; {truncate_to_width(did_you_mean(glob, known), _HINT)}" if known else ""
    kind = option.removeprefix("--")
    return UsageError(f"{option} {quote(glob, _WORD)}: matches no {kind} of the results{hint}")


class _FilteredRun:
    def __init__(self, run: _Run, selected: ReportFilter) -> None:
        self.run = run
        self._selected = selected
        self._verdicts: Counter[Verdict] = Counter()
        self._known: Counter[Verdict] = Counter()
        self._outcomes: Counter[RunOutcome] = Counter()
        self._unexpected_pass = self._cached = self._problems = 0
        self._wall_s = 0.0

    def events(self, event: Event) -> Iterator[Event]:
        """Yield the event with adapted counts, if it is selected."""
        if isinstance(event, Judged):
            if self._selected.matches(event.suite, event.subject):
                self._verdicts[event.verdict] += 1
                self._outcomes[outcome_of(event)] += 1
                self._known[event.verdict] += event.known is not None and not event.failed
                self._unexpected_pass += is_unexpected_pass(event)
                self._cached += event.cached
                self._wall_s += event.wall_s
                yield event
        elif isinstance(event, RunStarted):
            yield self._started(event)
        elif isinstance(event, RunEnded):
            yield self._ended(event)
        elif isinstance(event, DeliveriesDiffer):
            if self._selected.matches(event.where.rpartition("/")[0], event.subject):
                yield event
        elif not self._is_of_others(event):
            self._problems += 1
            yield event

    def _started(self, event: RunStarted) -> RunStarted:
        planned = self.run.planned
        matches = self._selected.matches_subject
        return event._replace(
            suites=tuple(planned),
            runs=sum(planned.values()),
            basis=tuple(
                one for one in event.basis if one.suite in planned and matches(one.subject)
            ),
            resumed=0,  # the results do not record which runs were resumed
            about=tuple(
                one._replace(selected=planned[one.suite])
                for one in event.about
                if one.suite in planned
            ),
        )

    def _ended(self, event: RunEnded) -> RunEnded:
        left = sum(self.run.planned.values()) - len(self.run.cases) if event.not_run else 0
        exit_code = ExitCode.FAILED if self._outcomes[RunOutcome.FAILED] else ExitCode.OK
        if self._problems or self._outcomes[RunOutcome.BROKEN]:
            exit_code = ExitCode.FAULT
        return event._replace(
            counts=_by_name(self._verdicts),
            # The time in sequence: how long they took in parallel is not recorded.
            wall_s=min(round(self._wall_s, 6), event.wall_s),
            exit=ExitCode.INTERRUPTED if event.exit == ExitCode.INTERRUPTED else exit_code,
            known=_by_name(self._known),
            unexpected_pass=self._unexpected_pass,
            stopped=event.stopped and left > 0,
            not_run=left,
            resumed=0,
            cached=self._cached,
        )

    def _is_of_others(self, problem: Diagnostic) -> bool:
        """Return whether a problem concerns only a suite or a subject that is not selected."""
        if problem.where in self.run.suites:
            return not self._selected.matches_suite(problem.where)
        return any(
            f"[subjects.{subject}]" in problem.where
            for _, subject in self.run.pairs
            if not self._selected.matches_subject(subject)
        )


def _by_name(counts: Counter[Verdict]) -> dict[str, int]:
    return {verdict.value: counts[verdict] for verdict in Verdict if counts[verdict]}
