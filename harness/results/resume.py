"""Continue an earlier run: find the runs of a plan that need not be repeated, and replay them.

Finished runs come from the results file (--resume) and from the cache of passed runs (--cached).
Source: docs/resuming.md.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery, deliveries_differ_event
from harness.engine.jobs import usable_deliveries, with_present_facts, with_present_names
from harness.engine.plan import PlannedRun
from harness.engine.remaining import DeliveryVerdicts, FinishedCases, TargetKey
from harness.engine.request import Check, EarlierRuns, RunRequest
from harness.errors import UsageError, usage_errors
from harness.model.case import InvalidCase
from harness.model.events import (
    DeliveriesDiffer,
    Diagnostic,
    Event,
    RunFingerprint,
    RunResult,
    RunStarted,
)
from harness.project.targets import Target
from harness.results.other_runs import rerun_texts, with_other_runs
from harness.results.passed_cache import PassedCache
from harness.results.results_file import ContinuedResultsFile, InvalidResultsFile, read_events
from harness.suites.cases import case_digest, read_case
from harness.text import escape_nonprintable, pluralize, quote, shorten_to_width, to_utf8_text

_SHOWN: Final = 60  # characters of a name in a message
_NAMED: Final = 2  # subjects and suites in a message
_DELIVERIES: Final = frozenset(delivery.value for delivery in Delivery)


def resume_run(
    request: RunRequest,
    targets: Sequence[Target],
    results: str | None,
    cache_folder: str | None,
    resources: ExitStack,
    *,
    others: Collection[str] = (),
) -> tuple[RunRequest, ContinuedResultsFile | None]:
    """Continue the results file `results`, and use the cache in `cache_folder`, if not None.

    The file keeps the results of `others`, subjects that need not be selected. Returns a request
    for the remaining runs, and the results file if one is continued. Opened files are closed by
    `resources`. Raises UsageError.
    """
    read_state = _state_reader(request.policy.check)
    sources: list[_Source] = []
    left, sink, earlier = request.runs, None, EarlierRuns((), {})
    on_judged = request.on_judged
    if results is not None:
        sink = resources.enter_context(closing(_open_continued(results)))
        left, earlier = _kept_from_file(request, targets, results, sink, others)
        sources.append(
            (left, _unchanged_runs(results, request.origin.fingerprints) if left.runs else ())
        )
    if cache_folder is not None:
        cache = resources.enter_context(
            closing(PassedCache(cache_folder, request.origin.fingerprints))
        )
        left = SplitPlan(left, FinishedRuns(cache.events()), read_state)
        on_judged = (*on_judged, lambda _target, _index, event: cache.add(event))
        sources.append((left, cache.events()))
    cases: Counter[str] = Counter()
    for kept, _ in sources:
        cases.update(kept.cases)
    earlier = earlier._replace(events=_replay(sources, request, sink), cases=cases)
    request = request._replace(runs=left, earlier=earlier, on_judged=on_judged)
    return with_other_runs(request, results or "", others), sink


# Which runs of a plan need not be repeated.


def is_finished(event: RunResult) -> bool:
    """Return whether a run, passed or failed, need not be repeated while nothing changes."""
    return bool(event.content) and event.verdict.subject_ran


class CaseState(NamedTuple):
    """The present digest of a case, and the deliveries that make a difference for it."""

    content: str
    deliveries: tuple[Delivery, ...]


# Returns the present state of a case, or None if it is invalid; a run then reports that.
ReadState = Callable[[PlannedRun], CaseState | None]


class FinishedRuns:
    """The finished runs by case and content. Of two equal runs the first counts."""

    def __init__(self, events: Iterable[RunResult] = ()) -> None:
        # By the names of suite, subject and case.
        self._cases: dict[tuple[str, str, str], dict[str, DeliveryVerdicts]] = {}
        for event in events:
            self.add(event)

    def add(self, event: RunResult) -> None:
        names = event.suite, event.subject, event.case
        outcomes_by_content = self._cases.setdefault(names, {})
        outcomes = outcomes_by_content.get(event.content, ())
        delivery = Delivery(event.delivery)
        if delivery not in dict(outcomes):
            outcomes_by_content[event.content] = (*outcomes, (delivery, event.verdict))

    def take(self, run: PlannedRun) -> dict[str, DeliveryVerdicts] | None:
        """Remove a planned case, and return its outcomes by content, or None if it has none."""
        return self._cases.pop(_event_names(run), None)

    def remaining(self) -> list[tuple[str, str, str]]:
        """Return suite, subject and case of the runs that were not taken."""
        return list(self._cases)


class _KeptCase(NamedTuple):
    """A case some of whose runs are replayed: `awaited` deliveries are still to be replayed, and
    `outcomes` are those of all its deliveries, or None if some must be run."""

    run: PlannedRun
    content: str
    awaited: set[str]
    outcomes: DeliveryVerdicts | None


class SplitPlan:
    """Splits a plan into runs whose earlier result is still valid, and runs that are left.

    A result is valid if its case is unchanged, and the plan includes it in that delivery. Iterating
    yields the runs that are left. `cases` counts the finished cases of each suite, `runs`
    the runs to be replayed. `unplanned` names runs that are valid, in deliveries outside the plan.
    """

    def __init__(
        self, plan: Iterable[PlannedRun], finished: FinishedRuns, read_state: ReadState
    ) -> None:
        self._plan = plan
        self._finished_cases = FinishedCases()
        self.cases: dict[str, int] = {}
        self.runs = 0
        self.unplanned: list[str] = []
        self._kept: dict[tuple[str, str, str], _KeptCase] = {}
        for run in plan:
            self.cases.setdefault(run.target.suite.name, 0)
            outcomes_by_content = finished.take(run)
            state = read_state(run) if outcomes_by_content is not None else None
            if outcomes_by_content is not None and state is not None:
                self._keep(run, outcomes_by_content.get(state.content, ()), state)

    def __iter__(self) -> Iterator[PlannedRun]:
        return self._finished_cases.left_of(self._plan)

    def replay(self, event: RunResult) -> tuple[PlannedRun, DeliveriesDiffer | None] | None:
        """Return the planned run of an event to be replayed, or None if it is not valid any more.

        For the last delivery of a finished case, also return the event that its deliveries differ,
        if they do.
        """
        key = event.suite, event.subject, event.case
        kept = self._kept.get(key)
        if kept is None or kept.content != event.content or event.delivery not in kept.awaited:
            return None
        kept.awaited.remove(event.delivery)
        if kept.awaited:
            return kept.run, None
        del self._kept[key]
        if kept.outcomes is None or len(kept.outcomes) == 1:
            return kept.run, None
        return kept.run, deliveries_differ_event(event, dict(kept.outcomes))

    def _keep(self, run: PlannedRun, known: DeliveryVerdicts, state: CaseState) -> None:
        suite = run.target.suite.name
        self.unplanned += (
            f"{suite}/{run.name.text} ({delivery.value})"
            for delivery, _ in known
            if delivery not in run.deliveries
        )
        earlier = dict(run.earlier)
        fresh = tuple(
            (delivery, verdict)
            for delivery, verdict in known
            if delivery in state.deliveries and delivery not in earlier
        )
        if not fresh:
            return
        outcomes = (*run.earlier, *fresh)
        is_complete = len(outcomes) == len(state.deliveries)
        if is_complete:
            self._finished_cases.finish(run.target.key, run.case_index)
            self.cases[suite] += 1
        else:
            self._finished_cases.begin(run.target.key, run.case_index, fresh)
        self.runs += len(fresh)
        awaited = {delivery.value for delivery, _ in fresh}
        self._kept[_event_names(run)] = _KeptCase(
            run, state.content, awaited, outcomes if is_complete else None
        )


def _event_names(run: PlannedRun) -> tuple[str, str, str]:
    """Return suite, subject and case as they are written in events."""
    suite, subject = run.target.key
    return to_utf8_text(suite), to_utf8_text(subject), to_utf8_text(run.name.text)


def _state_reader(check: Check | None) -> ReadState:
    def read_state(run: PlannedRun) -> CaseState | None:
        suite = run.target.suite
        if run.deliveries == (Delivery.PLAIN,) and check is None:
            content = case_digest(suite, run.name, run.case_index)
            return CaseState(content, run.deliveries) if content else None
        case = read_case(suite, run.name, run.case_index)
        if isinstance(case, InvalidCase) or (check is not None and check(case)):
            return None
        return CaseState(case.content, usable_deliveries(run, case))

    return read_state


# Replaying them.


_Source = tuple[SplitPlan, Iterable[RunStarted | RunResult]]


def _replay(
    sources: Iterable[_Source], request: RunRequest, sink: ContinuedResultsFile | None
) -> Iterator[Event]:
    """Yield the events that were kept; then the sink, which has written them, takes effect."""
    for kept, events in sources:
        for event in events:
            if not isinstance(event, RunResult) or (replayed := kept.replay(event)) is None:
                continue
            run, difference = replayed
            event = with_present_names(run, event, request.policy.repeat_args)
            event = with_present_facts(run, event)
            for on_judged in request.on_judged:
                on_judged(run.target, run.case_index, event)
            yield event
            if difference is not None:
                yield difference
    if sink is not None:
        sink.settle()


# The results file.


def _open_continued(results: str) -> ContinuedResultsFile:
    with usage_errors(f"--results {escape_nonprintable(results)}"):
        try:
            return ContinuedResultsFile(results)
        except InvalidResultsFile as problem:
            raise UsageError(f"--resume: {problem}") from None


def _kept_from_file(
    request: RunRequest,
    targets: Sequence[Target],
    results: str,
    sink: ContinuedResultsFile,
    others: Collection[str],
) -> tuple[SplitPlan, EarlierRuns]:
    """Return which runs of the file are still valid, and facts about it.

    If it has results of targets that are not selected now, and not of the subjects `others`, `sink`
    will keep a copy of it.
    """
    finished, started, recorded = FinishedRuns(), "", dict[TargetKey, RunFingerprint]()
    try:
        for event in _unchanged_runs(results, request.origin.fingerprints):
            if isinstance(event, RunResult):
                finished.add(event)
            else:
                started = started or event.started
                recorded |= {(each.suite, each.subject): each for each in event.fingerprints}
    except InvalidResultsFile as problem:
        raise UsageError(f"--resume: {problem}") from None
    kept = SplitPlan(request.runs, finished, _state_reader(request.policy.check))
    _refuse_unplanned(results, [*kept.unplanned, *_unselected(finished, targets)])
    present = _keys(request.origin.fingerprints)
    left_out = [
        names[:2]
        for names in finished.remaining()
        if names[:2] not in present and names[1] not in others
    ]
    is_foreign = bool(recorded) and not any(
        target in present or target[1] in others for target in recorded
    )
    if is_foreign or (left_out and request.problems):
        raise _unselected_target(results, min(left_out or recorded), request.problems)
    notes = [_left_out_text(left_out, sink.keep_earlier())] if left_out else []
    notes += rerun_texts(kept, request.origin.fingerprints, recorded) if recorded else ()
    return kept, EarlierRuns((), {}, kept.runs, started if kept.runs else "", tuple(notes))


def _unselected_target(
    results: str, target: TargetKey, problems: Sequence[Diagnostic]
) -> UsageError:
    advice = "give the same suites and command, or start over: --replace instead of --resume"
    if problems:  # a suite with a mistake is not selected
        advice = escape_nonprintable(f"first fix {problems[0].where}: {problems[0].message}")
    return UsageError(
        f"--resume: {escape_nonprintable(results)} has a run of {_target_text(target)}, which this"
        f" command does not select; {advice}"
    )


def _left_out_text(runs: Sequence[TargetKey], copy: str) -> str:
    """Return a note about these runs, which are only in a copy of the results file."""
    targets = [_target_text(target) for target in sorted(set(runs))]
    which = ", ".join(targets) if len(targets) <= _NAMED else f"{targets[0]} and others"
    return (
        f"--resume leaves out {pluralize(len(runs), 'result')} that this command does not select"
        f" ({which}); {escape_nonprintable(copy)} is a copy of the whole file"
    )


def _target_text(target: TargetKey) -> str:
    suite, subject = (shorten_to_width(name, _SHOWN) for name in target)
    return f"{subject} on {suite}"


def _keys(fingerprints: Iterable[RunFingerprint]) -> dict[TargetKey, str]:
    """Return the present fingerprints, by suite and subject as they are written in events."""
    return {
        (to_utf8_text(each.suite), to_utf8_text(each.subject)): each.key for each in fingerprints
    }


def _unchanged_runs(
    results: str, fingerprints: Iterable[RunFingerprint]
) -> Iterator[RunStarted | RunResult]:
    """Yield the first event of every run in a file, if it exists, and its finished runs, except
    those whose target has another fingerprint now. Raises InvalidResultsFile."""
    if not os.path.exists(results):
        return
    present = _keys(fingerprints)
    recorded: dict[TargetKey, str] = {}
    for position, event in read_events(results):
        if isinstance(event, RunStarted):
            recorded = {(each.suite, each.subject): each.key for each in event.fingerprints}
            yield event
        elif isinstance(event, RunResult) and is_finished(event):
            target = event.suite, event.subject
            if not recorded.get(target):
                reason = "the fingerprint of this run is missing; start over without --resume"
                raise InvalidResultsFile(results, reason, position.line)
            if event.delivery not in _DELIVERIES:
                reason = f"unknown delivery {quote(event.delivery, _SHOWN)}"
                raise InvalidResultsFile(results, reason, position.line)
            if present.get(target, recorded[target]) == recorded[target]:
                yield event


def _unselected(finished: FinishedRuns, targets: Sequence[Target]) -> list[str]:
    """Return the finished cases that still exist, and are not in the plan."""
    remaining = finished.remaining()
    if not remaining:
        return []
    existing = {
        tuple(map(to_utf8_text, (*target.key, text)))
        for target in targets
        for text in target.suite.name_texts
    }
    return [f"{names[0]}/{names[2]}" for names in remaining if names in existing]


def _refuse_unplanned(results: str, runs: list[str]) -> None:
    if runs:
        prefix = "such as " if len(runs) > 1 else ""
        example = prefix + shorten_to_width(runs[0], _SHOWN)
        raise UsageError(
            f"--resume would lose {pluralize(len(runs), 'run')} of {escape_nonprintable(results)}"
            f" that this command does not select ({example});"
            " select the same cases and deliveries, or use another file"
        )
