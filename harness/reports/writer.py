"""Write report files: check beforehand that they can be written, and keep the events of a run.

A file is replaced as a whole. The content of a report is up to its format.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import BinaryIO

from harness.errors import UsageError
from harness.files import atomic_write, discard_stdout, temporary_path
from harness.model.events import Event
from harness.model.exit_codes import ExitCode
from harness.reports.registry import (
    FORMATS,
    NO_SUITES,
    STDOUT,
    ReportRequest,
    document_writer,
    parse_report_options,
    refuse_several,
)
from harness.reports.source import ReportError, Source, source_of_run
from harness.runner.results_file import EventSink, InvalidResultsFile, ResultsFile
from harness.text import escape_nonprintable

__all__ = ["RunReports", "check_reports", "make_reports", "writes_to_stdout"]

_RUN_OPTION = "--report"


def writes_to_stdout(words: Sequence[str]) -> bool:
    """Return whether a report of a run goes to stdout, which then carries nothing else.

    Raises UsageError.
    """
    return any(report.file == STDOUT for report in parse_report_options(words, _RUN_OPTION))


def check_reports(
    words: Sequence[str], option: str, *, sources: Sequence[str] = (), bare: str = ""
) -> tuple[ReportRequest, ...]:
    """Return the requested reports, after checking that their files can be written.

    No report may replace one of the files `sources`. Raises UsageError.
    """
    requests = parse_report_options(words, option, bare=bare)
    taken = {os.path.realpath(source): "the report is made from it" for source in sources if source}
    for report in requests:
        target = STDOUT if report.file == STDOUT else os.path.realpath(report.file)
        shown = f"{option} {report.name}={escape_nonprintable(report.file)}"
        if target in taken:
            raise UsageError(f"{shown}: {taken[target]}; choose another file")
        taken[target] = f"the {report.name} report goes there"
        if target != STDOUT:
            _check_writable(shown, report.file)
    return requests


def make_reports(
    requests: Sequence[ReportRequest],
    option: str,
    source: Source,
    drawn: Mapping[str, Path] = NO_SUITES,
) -> int:
    """Write reports with pictures of the suites `drawn`, and return the exit status.

    A report that cannot be written is a message on stderr and status 2; the others are written all
    the same. Raises InvalidResultsFile.
    """
    status = ExitCode.OK
    for report in requests:
        try:
            _write(report, source, drawn)
            _append_summary(FORMATS[report.name].summary, source)
        except (OSError, ReportError) as problem:
            if isinstance(problem, BrokenPipeError) and report.file == STDOUT:
                raise  # the reader of our own stdout has gone
            shown = f"{option} {report.name}={escape_nonprintable(report.file)}"
            print(f"xtest: {shown}: {_reason(problem)}", file=sys.stderr)
            if report.file == STDOUT:
                discard_stdout()  # what is left in its buffer would fail again
            status = ExitCode.FAULT
    return status


def _reason(problem: OSError | ReportError) -> str:
    if isinstance(problem, ReportError):
        return str(problem)
    if isinstance(problem, BrokenPipeError):
        return "the reader closed it"
    return (problem.strerror or "cannot be written").lower()


class RunReports:
    """The reports of a run that is about to start.

    The results go to the file `results`, or nowhere if empty; the results of a `continued` run are
    kept in a temporary file. Raises UsageError if a report cannot be written.
    """

    def __init__(self, words: Sequence[str], results: str, *, continued: bool) -> None:
        self._requests = check_reports(words, _RUN_OPTION, sources=(results,))
        self._results = "" if continued else results
        self._temporary = ""
        self._drawn: Mapping[str, Path] = NO_SUITES

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the reports."""
        return tuple(report.file for report in self._requests if report.file != STDOUT)

    def check(self, subjects: Sequence[str], suites: Mapping[str, Path]) -> None:
        """Take the suites of the run. Raise UsageError if a report cannot have all subjects."""
        refuse_several(self._requests, _RUN_OPTION, subjects)
        self._drawn = suites

    def sink(self, results: EventSink | None, open_things: ExitStack) -> EventSink:
        """Return the sink of the run's events: the results file if it can be read again, otherwise
        a temporary file, beside it or instead of it."""
        if results is not None and os.path.isfile(self._results):
            return results
        try:
            descriptor, self._temporary = tempfile.mkstemp(prefix="xtest-", suffix=".jsonl")
        except OSError as problem:
            reason = (problem.strerror or "no folder for temporary files").lower()
            raise UsageError(
                f"{_RUN_OPTION} needs a temporary file for the events: {reason}; set TMPDIR"
            ) from None
        os.close(descriptor)
        temporary = open_things.enter_context(closing(ResultsFile(self._temporary)))
        return temporary if results is None else _DoubleSink(results, temporary)

    def make(self, status: int) -> int:
        """Write the reports of a run that ended with `status`; return the exit status of both."""
        try:
            made = make_reports(
                self._requests,
                _RUN_OPTION,
                source_of_run(self._temporary or self._results),
                self._drawn,
            )
        except InvalidResultsFile as problem:
            print(f"xtest: {_RUN_OPTION}: {problem}", file=sys.stderr)
            made = ExitCode.FAULT
        return max(status, made)

    def close(self) -> None:
        """Delete the temporary file."""
        if self._temporary:
            with suppress(OSError):
                os.unlink(self._temporary)


class _DoubleSink:
    """A sink that writes to two others."""

    def __init__(self, one: EventSink, other: EventSink) -> None:
        self._sinks = (one, other)

    def write(self, event: Event) -> None:
        """Write an event to both sinks."""
        for sink in self._sinks:
            sink.write(event)

    def close(self) -> None:
        """Close both sinks."""
        for sink in self._sinks:
            sink.close()


def _check_writable(shown: str, file: str) -> None:
    """Raise UsageError if a file cannot be written."""
    try:
        if os.path.isdir(file):
            raise IsADirectoryError(0, "is a directory")
        if _is_replaced(file):
            part = temporary_path(Path(os.path.realpath(file)))
            part.open("xb").close()
            part.unlink()
        elif not os.access(file, os.W_OK):  # opening a pipe would wait for its reader
            raise PermissionError(0, "permission denied")
    except OSError as problem:
        reason = (problem.strerror or "cannot be written").lower()
        raise UsageError(f"{shown}: {reason}") from None


def _is_replaced(file: str) -> bool:
    """Return whether a file is replaced as a whole.

    What is not a regular file (a pipe, /dev/null) is written to, and so is a file in a folder
    without write permission.
    """
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return False
    except FileNotFoundError:
        return True
    return os.access(os.path.dirname(os.path.realpath(file)), os.W_OK | os.X_OK)


def _append_summary(variable: str, source: Source) -> None:
    """Append the Markdown report to the job summary that an environment variable names."""
    file = os.environ.get(variable) if variable else None
    if not file:
        return
    with open(file, "ab") as summary:
        for piece in document_writer("markdown")(source):
            summary.write(piece.encode("utf-8", "backslashreplace"))


def _write(report: ReportRequest, source: Source, drawn: Mapping[str, Path]) -> None:
    def fill(file: BinaryIO) -> None:
        for piece in document_writer(report.name, drawn)(source):
            file.write(piece.encode("utf-8", "backslashreplace"))

    if report.file == STDOUT:
        sys.stdout.flush()
        fill(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    elif _is_replaced(report.file):
        atomic_write(Path(report.file), fill)
    else:
        with open(report.file, "wb") as file:
            fill(file)
