"""Write GitHub workflow commands: annotations that a pull request shows beside its files.

Only folders of suites are read, to find the annotated files. Source: GitHub's documentation of
workflow commands, and the parser of its runner.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from harness.analysis.failure_kinds import FailureKind, FailureKinds
from harness.analysis.summary import Summary, summary_of
from harness.model.case_names import PACKED_FILE, case_of_file, input_name
from harness.model.events import RunResult
from harness.model.subject import NOT_BUILT
from harness.model.tally import (
    UNEXPECTED_PASS_NAME,
    RunOutcome,
    is_unexpected_pass,
    message_of,
    outcome_of,
)
from harness.model.verdict import Verdict
from harness.reports.source import ResultSorter, Source
from harness.reports.text.differences import escaped_sides
from harness.reports.text.events import one_line
from harness.suites.packed import PackedFile
from harness.text import (
    escape_ci_commands,
    escape_nonprintable,
    pluralize,
    shell_line,
    shorten_to_width,
)

# GitHub shows this many annotations of a kind per step, and silently drops the rest.
_MOST: Final = 10
_TITLE: Final = 160  # characters
_LINE: Final = 300
_BUILD_LINES: Final = 20  # of what a failed build printed
_WORKSPACE: Final = "GITHUB_WORKSPACE"  # names the folder of the repository

_CONCERNS_ALL_CASES: Final = (Verdict.NOT_STARTED, Verdict.NOT_RUN)

_ERROR: Final = "error"
_NOTICE: Final = "notice"

_Places = Mapping[str, tuple[str, int]]  # a path and the number of a line, by case


class _Annotation(NamedTuple):
    title: str
    lines: tuple[str, ...]
    file: str = ""
    line: int = 1  # of the file


def document(source: Source) -> Iterator[str]:
    """Return the commands: an error per problem and per way in which cases failed, on the first of
    them, and a notice per known failure. If there are more than GitHub shows, the last one of an
    annotation's kind counts the rest."""
    order, kinds = ResultSorter(), FailureKinds()
    summary = summary_of(source(), order.add, kinds.add)
    numbers = Counter[str]()
    last: dict[str, _Annotation] = {}  # the last of each kind that fits, unless a note replaces it
    for kind, annotation in _annotations(summary, order.runs(source), kinds):
        numbers[kind] += 1
        if numbers[kind] < _MOST:
            yield _command(kind, annotation)
        else:
            last.setdefault(kind, annotation)
    for kind, annotation in sorted(last.items()):
        if more := numbers[kind] - _MOST:
            hint = f"GitHub shows {_MOST} per kind; see the job summary and the log for the rest"
            annotation = _Annotation(f"and {pluralize(more + 1, f'more {kind}')}", (hint,))
        yield _command(kind, annotation)


def _annotations(
    summary: Summary, events: Iterator[RunResult], kinds: FailureKinds
) -> Iterator[tuple[str, _Annotation]]:
    for problem in summary.problems:
        yield _ERROR, _Annotation(f"problem: {problem.where}", (problem.message,))
    for subject in summary.unbuilt.values():
        lines = (subject.build_failure, *subject.build_output[-_BUILD_LINES:])
        yield _ERROR, _Annotation(f"not built: {subject.name}", lines)
    yield from _case_annotations(summary, events, kinds)


def _case_annotations(
    summary: Summary, events: Iterator[RunResult], kinds: FailureKinds
) -> Iterator[tuple[str, _Annotation]]:
    """Return an annotation for the first case of each cause."""
    places_of = cache(partial(_expected_places, summary))
    reported = set[Hashable]((name, NOT_BUILT) for name in summary.unbuilt)
    for _, group in groupby(events, key=lambda run: (run.suite, run.subject, run.case)):
        runs = list(group)
        uncounted = RunOutcome.PASSED, RunOutcome.SKIPPED
        if all(outcome_of(run) in uncounted for run in runs):
            continue
        failed = [run for run in runs if outcome_of(run) is not RunOutcome.PASSED]
        # Unexpected runs come first.
        run = min(failed, key=lambda each: outcome_of(each) is RunOutcome.KNOWN)
        kind = kinds.kind_of(run) if outcome_of(run).is_failure else None
        key = _cause(run, kind)
        if key not in reported:
            reported.add(key)
            level = _NOTICE if outcome_of(run) is RunOutcome.KNOWN else _ERROR
            lines = _lines(run, runs, failed, kind)
            yield level, _annotation(run, lines, summary, places_of(run.suite))


def _cause(run: RunResult, kind: FailureKind | None) -> Hashable:
    """Return a key that runs with one cause share.

    An invalid case concerns all subjects; a program that cannot be started, or a deadline, concerns
    all cases.
    """
    if run.verdict is Verdict.INVALID_CASE:
        return run.suite, run.case
    if run.verdict in _CONCERNS_ALL_CASES:
        return run.subject, run.message
    return (run.suite, run.case, run.subject) if kind is None else kind.number


# The content of annotations.


def _annotation(
    run: RunResult, lines: Iterable[str], summary: Summary, places: _Places
) -> _Annotation:
    """Return the annotation of a case that this run fails."""
    has_subjects = len({group.subject for group in summary.groups}) > 1
    if run.verdict in _CONCERNS_ALL_CASES:
        return _Annotation(f"{run.verdict.value}: {run.subject}", (run.message,))
    by = f", {run.subject}" if has_subjects and run.verdict is not Verdict.INVALID_CASE else ""
    verdict = "known" if outcome_of(run) is RunOutcome.KNOWN else run.verdict.value
    verdict = UNEXPECTED_PASS_NAME if is_unexpected_pass(run) else verdict
    title = f"{verdict}: {run.suite}/{run.case}{by}"
    path, line = places.get(input_name(run.case).text, ("", 1))
    file = _in_repository(path) if path else ""
    return _Annotation(title, tuple(lines), file, line)


def _lines(
    run: RunResult, runs: list[RunResult], failed: list[RunResult], kind: FailureKind | None
) -> Iterator[str]:
    yield message_of(run)
    if kind is not None and (others := kind.others(_LINE // 2)):
        yield others
    if run.known is not None:
        yield f"known: {run.known.reason}"
    if len(runs) > 1:
        names = ", ".join(each.delivery for each in failed)
        yield f"failed deliveries: {names} ({len(failed)} of {len(runs)})"
    evidence = run.evidence
    if evidence is not None:
        labels = "input", *escaped_sides(evidence)
        streams = evidence.stdin, evidence.expected, evidence.stdout
        for label, stream in zip(labels, streams, strict=True):
            yield f"{label}: {one_line(stream, _LINE - len(label) - 2)}"
    if run.repeat and outcome_of(run) is not RunOutcome.BROKEN:
        yield f"rerun: {shell_line(run.repeat)}"


# The syntax of commands.


def _command(kind: str, annotation: _Annotation) -> str:
    lines = (escape_ci_commands(shorten_to_width(line, _LINE)) for line in annotation.lines)
    place = f"file={_property(annotation.file)},line={annotation.line}," if annotation.file else ""
    title = _property(escape_ci_commands(shorten_to_width(annotation.title, _TITLE)))
    return f"::{kind} {place}title={title}::{_data(chr(10).join(lines))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# The files of annotations.


def _expected_places(summary: Summary, suite: str) -> _Places:
    """Return the paths of expected outputs, each with the number of its line, by case."""
    if suite not in summary.suite_infos:
        return {}
    folder = summary.suite_infos[suite].folder
    packed = os.path.join(folder, PACKED_FILE)
    try:
        entries = os.listdir(folder)
        lines = enumerate(PackedFile(Path(packed)), 1) if PACKED_FILE in entries else ()
    except OSError:  # the results are from another machine
        return {}
    files = {
        case.text: (os.path.join(folder, entry), 1)
        for entry in entries
        if entry.endswith("-out.json") and (case := case_of_file(entry)) is not None
    }
    return files | {name.text: (packed, line) for line, name in lines}


def _in_repository(path: str) -> str:
    top = os.environ.get(_WORKSPACE) or os.getcwd()
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    is_outside = inside == os.pardir or inside.startswith(os.pardir + os.sep)
    # The file property cannot be escaped, and the log may be read on a terminal.
    return "" if is_outside or escape_nonprintable(inside) != inside else inside
