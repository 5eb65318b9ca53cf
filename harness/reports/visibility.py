"""Obey what suites say now of who sees their cases, if that has changed since the run.

Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from harness.errors import UsageError
from harness.model.events import Event, RunResult, RunStarted
from harness.model.suite_info import SuiteInfo
from harness.results.results_file import read_events, read_run_starts
from harness.suites.loading import CorpusError, Suite, collect_suite_info, read_suite
from harness.text import escape_nonprintable, quote


def present_visibility(files: Sequence[str]) -> Callable[[Event], Event]:
    """Return a function that puts the present visibility into the first event of a run.

    Suites that are no longer in their folders keep that of the run. Raises UsageError if one has
    changed it since its last run and lacks a case of the results, and InvalidResultsFile.
    """
    changed: dict[str, SuiteInfo] = {}
    suites: dict[str, Suite] = {}
    starts = [start for file in files for start in read_run_starts(file)]
    starts.sort(key=lambda start: (start.started, start.continued))
    latest = {info.suite: info for start in starts for info in start.suite_infos}
    for name, info in latest.items():
        suite = _present_suite(info)
        if suite is not None and _rules(present := _info(suite)) != _rules(info):
            changed[name], suites[name] = present, suite
    cases = {name: set(suite.name_texts) for name, suite in suites.items()}
    for event in (event for file in files for _, event in read_events(file) if changed):
        if isinstance(event, RunResult) and event.case not in cases.get(event.suite, {event.case}):
            raise UsageError(
                f"{escape_nonprintable(event.suite)}: visibility has changed since the run, and"
                f" case {quote(event.case)} is gone: who sees it is unknown; run the suite again"
            )

    def revise(event: Event) -> Event:
        if not isinstance(event, RunStarted) or not changed:
            return event
        infos = (_with_visibility(info, changed.get(info.suite)) for info in event.suite_infos)
        return event._replace(suite_infos=tuple(infos))

    return revise


def _present_suite(info: SuiteInfo) -> Suite | None:
    try:
        return read_suite(info.suite, Path(info.folder)) if info.folder else None
    except CorpusError:
        return None


def _info(suite: Suite) -> SuiteInfo:
    (info,) = collect_suite_info([suite])
    return info


def _rules(info: SuiteInfo) -> tuple[object, ...]:
    rules = ((rule.match, rule.visibility) for rule in info.worth if rule.visibility is not None)
    return info.visibility, *rules


def _with_visibility(info: SuiteInfo, present: SuiteInfo | None) -> SuiteInfo:
    """Return the info of a run with its points, and with the present visibility."""
    if present is None:
        return info
    worth = (
        *(rule._replace(visibility=None) for rule in info.worth),
        *(rule._replace(points=None, cases=0, all_or_nothing=False) for rule in present.worth),
    )
    return info._replace(visibility=present.visibility, worth=worth)
