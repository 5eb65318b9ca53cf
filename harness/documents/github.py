"""GitHub's workflow commands: annotations that a pull request shows beside its files.

What a subject printed is data in them, and can be no command of its own. Looks whether the files
are there that annotations are put on, and nothing else of the world. Source: GitHub's pages on
workflow commands, and the parser of its runner.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from harness.about import About
from harness.documents.order import Order
from harness.documents.source import Source
from harness.documents.summary import Outcome, Summary, outcome_of, summary_of
from harness.events import Event, Judged, RunStarted
from harness.records import Verdict
from harness.report.text import one_line
from harness.suites.naming import PACKED_FILE, case_file, input_name
from harness.words import clip, count_of, harmless, shell_line, visible

__all__ = ["document"]

# GitHub shows so many of each kind for a step, and leaves out the others without a word.
_MOST: Final = 10
_TITLE: Final = 160  # characters
_LINE: Final = 300
_WORKSPACE: Final = "GITHUB_WORKSPACE"  # the folder of the repository, which its paths begin in

_ERROR: Final = "error"
_NOTICE: Final = "notice"


class _Annotation(NamedTuple):
    """What is shown at a file (empty: nowhere), under a title."""

    title: str
    lines: tuple[str, ...]
    file: str = ""


def document(source: Source) -> Iterator[str]:
    """The commands, a line each: an error for each problem and each case that fell short or is
    broken, a notice for each known failure; of each kind at most as many as GitHub shows, of which
    the last one says how many there are more."""
    order = Order()
    about: dict[str, About] = {}
    summary = summary_of(_noting(about, order.noting(source())))
    errors, notices = _Few(_ERROR), _Few(_NOTICE)
    for trouble in summary.troubles:
        title = f"problem: {trouble.where}"
        yield from errors.add(_Annotation(title, (trouble.message,)))
    files = _Files(about)
    told = set[tuple[str, str]]()
    for runs in _by_case(order.runs(source)):
        outcomes = {outcome_of(run) for run in runs}
        if outcomes == {Outcome.PASSED} or _is_told(runs[0], told):
            continue
        few = notices if outcomes <= {Outcome.PASSED, Outcome.KNOWN} else errors
        yield from few.add(_annotation(runs, summary, files))
    yield from errors.rest()
    yield from notices.rest()


def _noting(about: dict[str, About], events: Iterator[Event]) -> Iterator[Event]:
    """The events as they are; what suites say of themselves is noted."""
    for event in events:
        if isinstance(event, RunStarted):
            about.update({each.suite: each for each in event.about})
        yield event


def _by_case(runs: Iterator[Judged]) -> Iterator[list[Judged]]:
    for _, group in groupby(runs, key=lambda run: (run.suite, run.subject, run.case)):
        yield list(group)


def _is_told(run: Judged, told: set[tuple[str, str]]) -> bool:
    """Whether the same has been told: what is no case for one subject is none for another, and what
    cannot be started for one case cannot be for the next hundred."""
    if run.verdict is Verdict.INVALID_CASE:
        key = (run.suite, run.case)
    elif run.verdict is Verdict.NOT_STARTED:
        key = (run.subject, run.message)
    else:
        return False
    before = len(told)
    told.add(key)
    return len(told) == before


# What an annotation says.


def _annotation(runs: list[Judged], summary: Summary, files: _Files) -> _Annotation:
    """Of a case, by the first of its runs that did not pass, or should not have."""
    told = [run for run in runs if outcome_of(run) is not Outcome.PASSED]
    # What is not known comes before what is.
    run = min(told, key=lambda each: outcome_of(each) is Outcome.KNOWN)
    several = len({group.subject for group in summary.groups}) > 1
    if run.verdict is Verdict.NOT_STARTED:
        return _Annotation(f"{run.verdict.value}: {run.subject}", (run.message,))
    whose = f", {run.subject}" if several and run.verdict is not Verdict.INVALID_CASE else ""
    title = f"{_verdict(run)}: {run.suite}/{run.case}{whose}"
    return _Annotation(title, tuple(_lines(run, runs, told)), files.of(run))


def _verdict(run: Judged) -> str:
    if run.verdict is Verdict.PASSED:
        return "outgrown"
    return "known" if outcome_of(run) is Outcome.KNOWN else run.verdict.value


def _lines(run: Judged, runs: list[Judged], told: list[Judged]) -> Iterator[str]:
    if run.verdict is Verdict.PASSED:
        yield "it passed, and is listed as a known failure: take it out of [[known]]"
    else:
        yield run.message
    if run.known is not None:
        yield f"known: {run.known.reason}"
    if len(runs) > 1:
        yield f"deliveries: {', '.join(each.delivery for each in told)}; {len(runs)} were tried"
    seen = run.evidence
    if seen is not None:
        yield f"input: {one_line(seen.stdin, _LINE)}"
        yield f"expected: {one_line(seen.expected, _LINE)}"
        yield f"printed: {one_line(seen.stdout, _LINE)}"
    if run.repeat and outcome_of(run) is not Outcome.BROKEN:
        yield f"repeat: {shell_line(run.repeat)}"


# How it is said.


class _Few:
    """The annotations of a kind: one is held back, for the place of the last that GitHub shows is
    that of the note on how many more there are."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._told = 0
        self._last: _Annotation | None = None
        self._more = 0

    def add(self, annotation: _Annotation) -> Iterator[str]:
        """One more: its command, if there is room for it."""
        if self._told < _MOST - 1:
            self._told += 1
            yield _command(self._kind, annotation)
        elif self._last is None:
            self._last = annotation
        else:
            self._more += 1

    def rest(self) -> Iterator[str]:
        """The last one: there are no more."""
        if self._last is not None and self._more:
            said = f"GitHub shows {_MOST} of a kind; the summary of the job and the log have more"
            note = _Annotation(f"and {count_of(self._more + 1, f'more {self._kind}')}", (said,))
            yield _command(self._kind, note)
        elif self._last is not None:
            yield _command(self._kind, self._last)


def _command(kind: str, annotation: _Annotation) -> str:
    lines = (harmless(clip(visible(line), _LINE)) for line in annotation.lines)
    place = f"file={_property(annotation.file)},line=1," if annotation.file else ""
    title = _property(harmless(clip(visible(annotation.title), _TITLE)))
    return f"::{kind} {place}title={title}::{_data(chr(10).join(lines))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# Where it is shown.


class _Files:
    """The files that annotations are put on: where suites lie in the repository, that with the
    expected output of a case. Folders are listed once."""

    def __init__(self, about: dict[str, About]) -> None:
        self._about = about
        self._listed: dict[str, dict[str, str]] = {}

    def of(self, run: Judged) -> str:
        """The file by its path in the repository; empty where none is known."""
        about = self._about.get(run.suite)
        if about is None:
            return ""
        if run.suite not in self._listed:
            self._listed[run.suite] = _expected_files(about.folder)
        files = self._listed[run.suite]
        name = files.get(input_name(run.case).text) or files.get(PACKED_FILE)
        return _in_repository(os.path.join(about.folder, name)) if name else ""


def _expected_files(folder: str) -> dict[str, str]:
    """The expected outputs in a folder, by the names of their cases; a packed file by its own."""
    try:
        entries = os.listdir(folder)
    except OSError:  # the results are from somewhere else
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
