"""Write GitHub workflow commands: annotations that a pull request shows beside its files.

Output of a subject is escaped, and cannot act as a command. Only folders of suites are read, to
find the annotated files. Source: GitHub's documentation of workflow commands, and the parser of its
runner.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from harness.model.case_names import PACKED_FILE, case_file, input_name
from harness.model.events import Event, Judged, RunStarted
from harness.model.suite_info import SuiteInfo
from harness.model.verdict import Verdict
from harness.reports.source import ResultSorter, Source
from harness.reports.summary import (
    UNEXPECTED_PASS,
    RunOutcome,
    Summary,
    is_unexpected_pass,
    outcome_of,
    summary_of,
)
from harness.reports.terminal.event_text import one_line
from harness.text import (
    escape_ci_commands,
    escape_nonprintable,
    pluralize,
    shell_line,
    truncate_to_width,
)

__all__ = ["document"]

# GitHub shows this many annotations of a kind per step, and silently drops the rest.
_MOST: Final = 10
_TITLE: Final = 160  # characters
_LINE: Final = 300
_WORKSPACE: Final = "GITHUB_WORKSPACE"  # names the folder of the repository

_ERROR: Final = "error"
_NOTICE: Final = "notice"


class _Annotation(NamedTuple):
    """An annotation, and its file, or empty if it belongs to none."""

    title: str
    lines: tuple[str, ...]
    file: str = ""


def document(source: Source) -> Iterator[str]:
    """Return the commands: an error per problem and per failed or broken case, and a notice per
    known failure. If GitHub would drop some, the last one of a kind counts the rest."""
    order = ResultSorter()
    about: dict[str, SuiteInfo] = {}
    summary = summary_of(_noting(about, order.noting(source())))
    errors, notices = _BoundedCommands(_ERROR), _BoundedCommands(_NOTICE)
    for problem in summary.problems:
        title = f"problem: {problem.where}"
        yield from errors.add(_Annotation(title, (problem.message,)))
    files = _Files(about)
    reported = set[tuple[str, str]]()
    for runs in _by_case(order.runs(source)):
        outcomes = {outcome_of(run) for run in runs}
        if outcomes == {RunOutcome.PASSED} or _is_repetition(runs[0], reported):
            continue
        is_expected = outcomes <= {RunOutcome.PASSED, RunOutcome.KNOWN}
        yield from (notices if is_expected else errors).add(_annotation(runs, summary, files))
    yield from errors.rest()
    yield from notices.rest()


def _noting(about: dict[str, SuiteInfo], events: Iterator[Event]) -> Iterator[Event]:
    """Yield all events unchanged, and note the information on suites."""
    for event in events:
        if isinstance(event, RunStarted):
            about.update({each.suite: each for each in event.about})
        yield event


def _by_case(runs: Iterator[Judged]) -> Iterator[list[Judged]]:
    for _, group in groupby(runs, key=lambda run: (run.suite, run.subject, run.case)):
        yield list(group)


def _is_repetition(run: Judged, reported: set[tuple[str, str]]) -> bool:
    """Return whether the cause was reported before: an invalid case concerns all subjects, and a
    program that cannot be started all cases."""
    if run.verdict is Verdict.INVALID_CASE:
        key = (run.suite, run.case)
    elif run.verdict is Verdict.NOT_STARTED:
        key = (run.subject, run.message)
    else:
        return False
    before = len(reported)
    reported.add(key)
    return len(reported) == before


# The content of annotations.


def _annotation(runs: list[Judged], summary: Summary, files: _Files) -> _Annotation:
    """Return the annotation of a case: of its first unexpected run, or first known failure."""
    failed = [run for run in runs if outcome_of(run) is not RunOutcome.PASSED]
    run = min(failed, key=lambda each: outcome_of(each) is RunOutcome.KNOWN)
    has_subjects = len({group.subject for group in summary.groups}) > 1
    if run.verdict is Verdict.NOT_STARTED:
        return _Annotation(f"{run.verdict.value}: {run.subject}", (run.message,))
    by = f", {run.subject}" if has_subjects and run.verdict is not Verdict.INVALID_CASE else ""
    title = f"{_verdict(run)}: {run.suite}/{run.case}{by}"
    return _Annotation(title, tuple(_lines(run, runs, failed)), files.of(run))


def _verdict(run: Judged) -> str:
    if is_unexpected_pass(run):
        return "unexpected pass"
    return "known" if outcome_of(run) is RunOutcome.KNOWN else run.verdict.value


def _lines(run: Judged, runs: list[Judged], failed: list[Judged]) -> Iterator[str]:
    yield UNEXPECTED_PASS if is_unexpected_pass(run) else run.message
    if run.known is not None:
        yield f"known: {run.known.reason}"
    if len(runs) > 1:
        yield f"deliveries: {', '.join(each.delivery for each in failed)}, of {len(runs)} tried"
    seen = run.evidence
    if seen is not None:
        yield f"input: {one_line(seen.stdin, _LINE)}"
        yield f"expected: {one_line(seen.expected, _LINE)}"
        yield f"printed: {one_line(seen.stdout, _LINE)}"
    if run.repeat and outcome_of(run) is not RunOutcome.BROKEN:
        yield f"repeat: {shell_line(run.repeat)}"


# The syntax of commands.


class _BoundedCommands:
    """Writes annotations of a kind, and holds back the last one that GitHub shows: a note on how
    many more there are may need its place."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._written = 0
        self._last: _Annotation | None = None
        self._more = 0

    def add(self, annotation: _Annotation) -> Iterator[str]:
        """Return the command of an annotation, if there is room."""
        if self._written < _MOST - 1:
            self._written += 1
            yield _command(self._kind, annotation)
        elif self._last is None:
            self._last = annotation
        else:
            self._more += 1

    def rest(self) -> Iterator[str]:
        """Return the last command: the annotation held back, or the note."""
        if self._last is not None and self._more:
            hint = f"GitHub shows {_MOST} per kind; see the job summary and the log for the rest"
            note = _Annotation(f"and {pluralize(self._more + 1, f'more {self._kind}')}", (hint,))
            yield _command(self._kind, note)
        elif self._last is not None:
            yield _command(self._kind, self._last)


def _command(kind: str, annotation: _Annotation) -> str:
    lines = (
        escape_ci_commands(truncate_to_width(escape_nonprintable(line), _LINE))
        for line in annotation.lines
    )
    place = f"file={_property(annotation.file)},line=1," if annotation.file else ""
    title = _property(
        escape_ci_commands(truncate_to_width(escape_nonprintable(annotation.title), _TITLE))
    )
    return f"::{kind} {place}title={title}::{_data(chr(10).join(lines))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# The files of annotations.


class _Files:
    """Finds the files of expected outputs in the repository; lists each folder once."""

    def __init__(self, about: dict[str, SuiteInfo]) -> None:
        self._about = about
        self._listed: dict[str, dict[str, str]] = {}

    def of(self, run: Judged) -> str:
        """Return the path of a case's file in the repository, or empty if it has none."""
        about = self._about.get(run.suite)
        if about is None:
            return ""
        if run.suite not in self._listed:
            self._listed[run.suite] = _expected_files(about.folder)
        files = self._listed[run.suite]
        name = files.get(input_name(run.case).text) or files.get(PACKED_FILE)
        return _in_repository(os.path.join(about.folder, name)) if name else ""


def _expected_files(folder: str) -> dict[str, str]:
    """Return the expected outputs in a folder by case, and the packed file by its own name."""
    try:
        entries = os.listdir(folder)
    except OSError:  # the results are from another machine
        return {}
    sides = {entry: case_file(entry) for entry in entries}
    files = {
        side.name.text: entry
        for entry, side in sides.items()
        if side is not None and not side.is_input
    }
    return files | ({PACKED_FILE: PACKED_FILE} if PACKED_FILE in entries else {})


def _in_repository(path: str) -> str:
    top = os.environ.get(_WORKSPACE) or os.getcwd()
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    is_outside = inside == os.pardir or inside.startswith(os.pardir + os.sep)
    return "" if is_outside else inside
