"""What documents are made of, narrowed down: a source of some subjects and suites alone.

Pure. Of one run of a whole class, a source for each student: who else took part is in it nowhere.
It is gone through once beforehand, to count what a run has of them. Source: docs/reports.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from harness.documents.source import Source
from harness.documents.summary import Outcome, outcome_of
from harness.events import DeliveriesDiffer, Event, Judged, Problem, RunEnded, RunStarted
from harness.records import Verdict
from harness.suites.naming import natural
from harness.usage import UsageFault
from harness.words import clip, did_you_mean, quoted, visible

__all__ = ["Choice", "chosen_of"]

_SHOWN: Final = 60  # characters of a word of the caller's in a message
_HINT: Final = 300  # ... and of the names that there are
_SHORT: Final = 1
_FAULT: Final = 2
_INTERRUPTED: Final = 130


class Choice(NamedTuple):
    """Globs on the names of subjects and of suites; none: all. A suite is also meant by the last
    part of its name."""

    subjects: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()

    def means_subject(self, name: str) -> bool:
        """Whether a subject is meant."""
        return not self.subjects or any(_means(glob, name) for glob in self.subjects)

    def means_suite(self, name: str) -> bool:
        """Whether a suite is meant."""
        return not self.suites or any(_means_suite(glob, name) for glob in self.suites)


def chosen_of(source: Source, choice: Choice) -> Source:
    """What a source tells of the subjects and suites that are meant, with the counts that fit them;
    runs that had nothing of them are left out. Raises UsageFault where a glob means nothing, and
    what the source raises."""
    if choice == Choice():
        return source
    runs = _runs_of(source, choice)
    _refuse_slips(runs, choice)

    def tell() -> Iterator[Event]:
        left = runs[::-1]
        telling: _Telling | None = None
        for event in source():
            if isinstance(event, RunStarted):
                telling = _Telling(left.pop(), choice)
            if telling is not None and telling.run.has_any:
                yield from telling.told(event)

    return tell


def _means(glob: str, name: str) -> bool:
    return glob == name or fnmatchcase(name, glob)


def _means_suite(glob: str, name: str) -> bool:
    return _means(glob, name) or _means(glob, name.rpartition("/")[2])


class _Run:
    """What a run has of what is meant, and who took part in it."""

    def __init__(self, started: RunStarted) -> None:
        self.started = started
        self.suites = dict.fromkeys(started.suites)
        self.took_part = {(basis.suite, basis.subject) for basis in started.basis}
        self.cases: set[tuple[str, str, str]] = set()  # suite, subject, case: what was judged
        self.is_whole = False
        self.selected: dict[str, int] = {}  # runs of the suites that are meant, to be expected

    @property
    def has_any(self) -> bool:
        """Whether there is anything of what is meant."""
        return bool(self.selected)

    def settle(self, choice: Choice) -> None:
        """All that the run has was seen: count what was to be run of each suite that is meant."""
        judged = Counter(suite for suite, _, _ in self.cases)
        planned = {about.suite: about.selected for about in self.started.about}
        for suite in filter(choice.means_suite, self.suites):
            subjects = [subject for of, subject in self.took_part if of == suite]
            meant = sum(map(choice.means_subject, subjects))
            if meant:
                # Of a run that ended early nobody has written whose runs were still to come.
                due = 0 if self.is_whole else planned.get(suite, 0) * meant // len(subjects)
                self.selected[suite] = max(due, judged[suite])


def _runs_of(source: Source, choice: Choice) -> list[_Run]:
    runs: list[_Run] = []
    for event in source():
        if isinstance(event, RunStarted):
            runs.append(_Run(event))
        elif isinstance(event, Judged):
            run = runs[-1]
            run.suites.setdefault(event.suite)
            run.took_part.add((event.suite, event.subject))
            if _is_meant(choice, event):
                run.cases.add((event.suite, event.subject, event.case))
        elif isinstance(event, RunEnded):
            runs[-1].is_whole = not event.not_run and not event.interrupted
    for run in runs:
        run.settle(choice)
    return runs


def _is_meant(choice: Choice, event: Judged) -> bool:
    return choice.means_suite(event.suite) and choice.means_subject(event.subject)


def _refuse_slips(runs: Sequence[_Run], choice: Choice) -> None:
    """Raises UsageFault where a glob means nothing, or all of them together."""
    subjects = {subject for run in runs for _, subject in run.took_part}
    suites = {suite for run in runs for suite in run.suites}
    for glob in choice.subjects:
        if not any(_means(glob, name) for name in subjects):
            raise UsageFault(f"--subject {_unknown(glob, 'subject', subjects)}")
    for glob in choice.suites:
        if not any(_means_suite(glob, name) for name in suites):
            raise UsageFault(f"--suite {_unknown(glob, 'suite', suites)}")
    if not any(run.has_any for run in runs):
        raise UsageFault(
            f"--subject {quoted(choice.subjects[0], _SHOWN)} --suite"
            f" {quoted(choice.suites[0], _SHOWN)}: in these results, nothing was run of both"
        )


def _unknown(glob: str, what: str, names: Collection[str]) -> str:
    known = [visible(name) for name in sorted(names, key=natural)]
    hint = f"; {clip(did_you_mean(glob, known), _HINT)}" if known else ""
    return f"{quoted(glob, _SHOWN)}: no {what} of these results has this name{hint}"


class _Telling:
    """A run as it is told: its events in, those that are meant out, and at the end their counts."""

    def __init__(self, run: _Run, choice: Choice) -> None:
        self.run = run
        self._choice = choice
        self._tally: Counter[Verdict] = Counter()
        self._known: Counter[Verdict] = Counter()
        self._outcomes: Counter[Outcome] = Counter()
        self._outgrown = self._cached = self._problems = 0
        self._wall_s = 0.0

    def told(self, event: Event) -> Iterator[Event]:
        """The event, if it is meant."""
        if isinstance(event, Judged):
            if _is_meant(self._choice, event):
                self._count(event)
                yield event
        elif isinstance(event, RunStarted):
            yield self._beginning(event)
        elif isinstance(event, RunEnded):
            yield self._end(event)
        elif isinstance(event, DeliveriesDiffer):
            suite = event.where.rpartition("/")[0]
            if self._choice.means_suite(suite) and self._choice.means_subject(event.subject):
                yield event
        elif not self._is_of_others(event):
            self._problems += 1
            yield event

    def _count(self, event: Judged) -> None:
        self._tally[event.verdict] += 1
        self._outcomes[outcome_of(event)] += 1
        self._known[event.verdict] += event.known is not None and not event.falls_short
        self._outgrown += event.verdict is Verdict.PASSED and event.falls_short
        self._cached += event.cached
        self._wall_s += event.wall_s

    def _beginning(self, event: RunStarted) -> RunStarted:
        selected = self.run.selected
        meant = self._choice.means_subject
        return event._replace(
            suites=tuple(selected),
            runs=sum(selected.values()),
            basis=tuple(
                each for each in event.basis if each.suite in selected and meant(each.subject)
            ),
            # Which of them were over before, nobody has written.
            resumed=0,
            about=tuple(
                each._replace(selected=selected[each.suite])
                for each in event.about
                if each.suite in selected
            ),
        )

    def _end(self, event: RunEnded) -> RunEnded:
        left = sum(self.run.selected.values()) - len(self.run.cases) if event.not_run else 0
        return event._replace(
            counts=_by_name(self._tally),
            # One after the other: what they took beside one another is not known.
            wall_s=min(round(self._wall_s, 6), event.wall_s),
            exit=_INTERRUPTED if event.exit == _INTERRUPTED else self._exit(),
            known=_by_name(self._known),
            outgrown=self._outgrown,
            stopped=event.stopped and left > 0,
            not_run=left,
            resumed=0,
            cached=self._cached,
        )

    def _exit(self) -> int:
        if self._problems or self._outcomes[Outcome.BROKEN]:
            return _FAULT
        return _SHORT if self._outcomes[Outcome.FAILED] else 0

    def _is_of_others(self, problem: Problem) -> bool:
        """Whether a problem is that of a suite or a subject that is not meant."""
        if problem.where in self.run.suites:
            return not self._choice.means_suite(problem.where)
        return any(
            f"[subjects.{subject}]" in problem.where
            for _, subject in self.run.took_part
            if not self._choice.means_subject(subject)
        )


def _by_name(tally: Counter[Verdict]) -> dict[str, int]:
    return {verdict.value: tally[verdict] for verdict in Verdict if tally[verdict]}
