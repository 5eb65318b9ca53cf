"""What `xtest matrix` does: runs all subjects, or reads results of runs, and prints a matrix.

The progress, what is wrong and how it ended go to standard error; standard output has the matrix
and nothing else; where a report goes there, the matrix goes the other way, too. What is counted is
harness/several/matrix.py's to know.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TextIO

from harness.eventlines import parse_event
from harness.events import Event, Judged, Problem
from harness.lookup import find_config, need_config
from harness.records import Verdict
from harness.report.console import Loudness, Reporter, reporter_for, style_and_width
from harness.report.matrix import View, matrix_lines
from harness.runs.options import RunOptions
from harness.runs.running import run_shown, stream_for
from harness.runs.session import EXIT_FAULT, EXIT_OK, EXIT_SHORT
from harness.several.matrix import Matrix
from harness.several.subjects import read_project
from harness.usage import UsageFault
from harness.words import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.runs.board import Board

__all__ = ["MatrixOptions", "read_matrix", "run_matrix"]

_EVERY: Final = "*"


class MatrixOptions(NamedTuple):
    """How a matrix is shown: in which layout, whether with all cases, and whether with the
    agreement of however many subjects."""

    layout: str = "text"
    cases: bool = False
    agreement: bool = False


def run_matrix(options: RunOptions, shown: MatrixOptions) -> int:
    """Run the subjects that the options mean on the suites, and print who passes what. Returns the
    exit status, as `xtest run` has it; raises UsageFault."""
    project = read_project(need_config("xtest matrix"))
    config = project.config
    if not config.subjects:
        raise UsageFault(
            f"{project.where}: there are no subjects to make a matrix of: add a table"
            " [subjects.NAME]"
        )
    matrix = Matrix([subject.name for subject in config.subjects])
    if not options.subjects:
        options = options._replace(subjects=(_EVERY,))
    reporter = _Counting(matrix, reporter_for(sys.stderr, Loudness.QUIET))
    status = run_shown(options, None, reporter)
    languages = {subject.name: subject.language for subject in config.subjects}
    _print(matrix, languages, shown, stream_for(options))
    return status


def read_matrix(files: Sequence[str], shown: MatrixOptions) -> int:
    """Print the matrix of results that were written before. Returns the exit status: 0 all passed,
    1 some fell short, 2 there were broken cases; raises UsageFault."""
    # The subjects may be those of a project, or not: here, it only gives their order.
    path = find_config()
    subjects = read_project(path).config.subjects if path is not None else ()
    matrix = Matrix([subject.name for subject in subjects])
    status = EXIT_OK
    for event in _events(files):
        if isinstance(event, Judged):
            matrix.add(event)
            status = max(status, _status(event))
    if not matrix.subjects:
        raise UsageFault(f"--from {visible(files[0])}: nothing was judged there")
    _print(matrix, {subject.name: subject.language for subject in subjects}, shown, sys.stdout)
    return status


class _Counting:
    """A reporter that counts, beside another one, which also tells of what could not be started,
    once: in a matrix, that looks like a program that is wrong everywhere."""

    def __init__(self, matrix: Matrix, beside: Reporter) -> None:
        self._matrix = matrix
        self._beside = beside
        self._told: set[tuple[str, str]] = set()

    def show(self, event: Event) -> None:
        """Count one event, and have it shown."""
        if isinstance(event, Judged):
            self._matrix.add(event)
            told = (event.subject, event.message)
            if event.verdict is Verdict.NOT_STARTED and told not in self._told:
                self._told.add(told)
                self._beside.show(Problem(*told))
        self._beside.show(event)

    def board(self, places: int) -> Board | None:
        """What the other one watches."""
        return self._beside.board(places)

    def close(self) -> None:
        """The stream is over, perhaps early."""
        self._beside.close()


def _print(
    matrix: Matrix, languages: Mapping[str, str], shown: MatrixOptions, stream: TextIO
) -> None:
    if not matrix.subjects and shown.layout != "json":
        return  # why nothing was run has been said
    style, width = style_and_width(stream)
    view = View(languages, shown.cases, shown.agreement, style, width)
    for line in matrix_lines(matrix, view, shown.layout):
        print(line, file=stream)


def _status(event: Judged) -> int:
    if event.verdict in (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT):
        return EXIT_FAULT
    return EXIT_SHORT if event.falls_short else EXIT_OK


def _events(files: Sequence[str]) -> Iterator[Event]:
    for file in files:
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                yield from _events_of(file, lines)
        except OSError as problem:
            why = (problem.strerror or "cannot be read").lower()
            raise UsageFault(f"--from {visible(file)}: {why}") from None


def _events_of(file: str, lines: Iterator[str]) -> Iterator[Event]:
    for number, line in enumerate(lines, 1):
        try:
            yield parse_event(line)
        except ValueError as problem:
            if line.endswith("\n"):
                said = f"--from {visible(file)}, line {number:,}: {problem}"
                raise UsageFault(f"{said}; a results file of xtest is expected") from None
            # What was killed while it wrote has written the rest.
            print(f"xtest: note: {visible(file)}: its last line is cut short", file=sys.stderr)
