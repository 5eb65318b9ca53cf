"""Keep the results of a comparison in a file, so that an interrupted one can be continued.

An earlier result is valid while its input and the fingerprints of all subjects on its suite are
unchanged. Source: docs/compare.md, docs/resuming.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from harness.engine.compare_runs import InputResult
from harness.engine.plan import PlannedRun
from harness.engine.remaining import FinishedCases
from harness.errors import UsageError
from harness.model.compared import ComparedInput
from harness.model.event_lines import LineFormat
from harness.model.events import RunFingerprint
from harness.model.verdict import Verdict
from harness.results.results_file import ContinuedResultsFile, read_lines
from harness.suites.cases import input_digest
from harness.text import escape_nonprintable, pluralize, to_utf8_text


class ComparisonStarted(NamedTuple):
    """The subjects in their order, and the other words of the command that results depend on."""

    subjects: tuple[str, ...]
    args: tuple[str, ...]
    fingerprints: tuple[RunFingerprint, ...]


class InputCompared(NamedTuple):
    suite: str
    case: str
    content: str  # the digest of the input
    compared: ComparedInput


_LINES: Final = LineFormat[ComparisonStarted | InputCompared](
    "results of xtest compare",
    1,
    {"comparison-started": ComparisonStarted, "compared": InputCompared},
)
_InputKey = tuple[str, str]  # the names of suite and case in events


class ComparisonFile:
    """The results of a comparison, on disk as they come; methods raise OSError.

    `kept` has the earlier results that are still valid; iterating yields the other inputs.
    """

    def __init__(self, path: str, started: ComparisonStarted, plan: Iterable[PlannedRun]) -> None:
        """Raises also InvalidResultsFile, and UsageError for results of another comparison."""
        self._plan = plan
        self._finished = FinishedCases()
        self.kept: list[tuple[PlannedRun, ComparedInput]] = []
        self.notes: list[str] = []
        known = _valid_results(path, started) if os.path.exists(path) else {}
        self.file: Final = ContinuedResultsFile(path, _LINES.line)
        self.file.write(started)
        for planned in plan:
            earlier = known.pop(_key_of(planned), None)
            if earlier is not None and earlier.content == _content_of(planned):
                self.file.write(earlier)
                self.kept.append((planned, earlier.compared))
                self._finished.finish(planned.target.key, planned.case_index)
        if known:
            copy = escape_nonprintable(self.file.keep_earlier())
            self.notes.append(
                f"--resume leaves out {pluralize(len(known), 'input')} that this command does not"
                f" select; {copy} is a copy of the whole file"
            )
        self.file.settle()

    def __iter__(self) -> Iterator[PlannedRun]:
        return self._finished.left_of(self._plan)

    def add(self, result: InputResult) -> None:
        planned, compared = result.planned, result.compared
        if all(Verdict(failure).subject_ran for failure in filter(None, compared.failures)):
            if compared.groups and (content := _content_of(planned)):
                self.file.write(InputCompared(*_key_of(planned), content, compared))

    def close(self) -> None:
        self.file.close()


def _valid_results(path: str, started: ComparisonStarted) -> dict[_InputKey, InputCompared]:
    """Return the results of suites and subjects that have not changed, by suite and case."""
    present = _by_suite(started)
    changed: set[str] = set()
    known = {}
    for _, event in read_lines(path, _LINES):
        if isinstance(event, InputCompared):
            if event.suite not in changed:
                known[event.suite, event.case] = event
            continue
        if (event.subjects, event.args) != (started.subjects, started.args):
            raise UsageError(
                f"--resume: {escape_nonprintable(path)} has the results of another command line;"
                " repeat it, or name another file"
            )
        earlier = _by_suite(event)
        changed = {suite for suite, keys in present.items() if earlier.get(suite) != keys}
    return known


def _by_suite(started: ComparisonStarted) -> dict[str, list[str]]:
    """Return the fingerprints of all subjects, in their order, by suite."""
    keys: dict[str, list[str]] = {}
    for each in started.fingerprints:
        keys.setdefault(to_utf8_text(each.suite), []).append(each.key)
    return keys


def _key_of(planned: PlannedRun) -> _InputKey:
    return to_utf8_text(planned.target.suite.name), to_utf8_text(planned.name.text)


def _content_of(planned: PlannedRun) -> str:
    return input_digest(planned.target.suite, planned.name, planned.case_index)
