"""Keep the results of subjects that a resumed run does not select, and say what runs again and why.

Source: docs/resuming.md.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple

from harness.engine.plan import PlannedRun
from harness.engine.remaining import TargetKey
from harness.engine.request import RunOrigin, RunRequest
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Event,
    RunFingerprint,
    RunResult,
    RunStarted,
)
from harness.results.results_file import read_events
from harness.text import pluralize, shorten_to_width, to_utf8_text

_SHOWN: Final = 60  # characters of a name in a message
_RERUN: Final = 20  # subjects that run again and are named


def with_other_runs(request: RunRequest, results: str, others: Collection[str]) -> RunRequest:
    """Return a request whose events include the results in a file of the subjects `others` that
    are not selected now."""
    other_runs = _other_runs(results, request.origin.fingerprints, others)
    if not other_runs.targets:
        return request
    earlier = request.earlier
    cases = Counter(earlier.cases)
    cases.update(suite for suite, _, _ in other_runs.cases)
    earlier = earlier._replace(
        events=chain(other_runs.events(results), earlier.events),
        cases=cases,
        resumed=earlier.resumed + other_runs.runs,
        started=earlier.started or other_runs.started[0].started,
    )
    return request._replace(origin=other_runs.added_to(request.origin), earlier=earlier)


class _OtherRuns(NamedTuple):
    """The results of subjects that are not selected now, which a file keeps."""

    targets: frozenset[TargetKey] = frozenset()
    cases: frozenset[tuple[str, str, str]] = frozenset()  # suite, subject and case
    runs: int = 0
    started: tuple[RunStarted, ...] = ()  # of all runs in the file

    def events(self, results: str) -> Iterator[Event]:
        for _, event in read_events(results) if self.targets else ():
            if isinstance(event, RunResult) and (event.suite, event.subject) in self.targets:
                yield event
            elif isinstance(event, DeliveriesDiffer | DependsOnOrder):
                if any(
                    (event.where, event.subject) == (f"{suite}/{case}", subject)
                    for suite, subject, case in self.cases
                ):
                    yield event

    def added_to(self, origin: RunOrigin) -> RunOrigin:
        """Return the origin of a run with what the file says of the other subjects and suites."""
        fingerprints = {
            (each.suite, each.subject): each
            for run in self.started
            for each in run.fingerprints
            if (each.suite, each.subject) in self.targets
        }
        own = {each.name for each in origin.subjects}
        names = {subject for _, subject in self.targets} - own
        subjects = {each.name: each for run in self.started for each in run.subjects}
        present = {each.suite for each in origin.suite_infos}
        suites = {suite for suite, _ in self.targets} - present
        infos = {each.suite: each for run in self.started for each in run.suite_infos}
        return origin._replace(
            fingerprints=(*origin.fingerprints, *fingerprints.values()),
            subjects=(
                *origin.subjects,
                *(each for name, each in subjects.items() if name in names),
            ),
            suite_infos=(
                *origin.suite_infos,
                *(each for name, each in infos.items() if name in suites),
            ),
        )


def _other_runs(
    results: str, fingerprints: Iterable[RunFingerprint], others: Collection[str]
) -> _OtherRuns:
    """Return the results in a file of the subjects `others` that are not selected now."""
    if not others or not os.path.exists(results):
        return _OtherRuns()
    present, names = set(map(_utf8_key, fingerprints)), set(map(to_utf8_text, others))
    cases: set[tuple[str, str, str]] = set()
    started: list[RunStarted] = []
    runs = 0
    for _, event in read_events(results):
        if isinstance(event, RunStarted):
            started.append(event)
        elif isinstance(event, RunResult):
            target = event.suite, event.subject
            if event.subject in names and target not in present:
                cases.add((*target, event.case))
                runs += 1
    targets = frozenset((suite, subject) for suite, subject, _ in cases)
    return _OtherRuns(targets, frozenset(cases), runs, tuple(started))


def rerun_texts(
    left: Iterable[PlannedRun],
    fingerprints: Iterable[RunFingerprint],
    recorded: Mapping[TargetKey, RunFingerprint],
) -> Iterator[str]:
    """Yield which subjects run again, how often, and why."""
    present = {(each.suite, each.subject): each for each in fingerprints}
    runs: Counter[tuple[str, str]] = Counter()  # by subject and reason
    for run in left:
        now = present[run.target.key]
        before = recorded.get(_utf8_key(now))
        runs[run.target.subject.name, _rerun_reason(now, before)] += 1
    shown = list(runs.items())[:_RERUN]
    for (subject, reason), number in shown:
        yield f"{shorten_to_width(subject, _SHOWN)}: {pluralize(number, 'run')}, {reason}"
    if more := len(runs) - len(shown):
        yield f"and {pluralize(more, 'more subject')} to run again"


def _rerun_reason(now: RunFingerprint, before: RunFingerprint | None) -> str:
    if before is None:
        return "not in the file"
    if before.key == now.key:
        return "new, changed or without a verdict"
    if before.files != now.files:
        return "its files changed"
    if before.settings != now.settings:
        return "the settings of the suite changed"
    return "its command, version, options or environment changed"


def _utf8_key(fingerprint: RunFingerprint) -> TargetKey:
    """Return the names of suite and subject as they are written in events."""
    return to_utf8_text(fingerprint.suite), to_utf8_text(fingerprint.subject)
