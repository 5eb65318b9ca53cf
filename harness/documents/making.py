"""Makes reports: looks beforehand whether they can be written, keeps the events of a run, writes.

Files are written whole, in the place of what was there. What a report says is its format's affair.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import BinaryIO

from harness.care.wholefile import beside, write_whole
from harness.documents.formats import (
    FORMATS,
    STDOUT,
    Wanted,
    document_of,
    refuse_several,
    wanted_reports,
)
from harness.documents.source import NoReport, Source, source_of_run
from harness.events import Event
from harness.runs.resultsfile import BadResults, ResultsFile, Sink
from harness.usage import UsageFault
from harness.words import visible

__all__ = ["RunReports", "checked_reports", "make_reports", "takes_stdout"]

_EXIT_FAULT = 2
_RUN_OPTION = "--report"


def takes_stdout(words: Sequence[str]) -> bool:
    """Whether one of the reports that a run is asked for goes to standard output, which then has
    nothing else. Raises UsageFault."""
    return any(report.file == STDOUT for report in wanted_reports(words, _RUN_OPTION))


def checked_reports(
    words: Sequence[str], option: str, *, sources: Sequence[str] = (), bare: str = ""
) -> tuple[Wanted, ...]:
    """The reports that are asked for, which can all be written, as far as one can know beforehand.
    `sources` are files that none of them may replace. Raises UsageFault."""
    wanted = wanted_reports(words, option, bare=bare)
    taken = {os.path.realpath(source): "what it is made from" for source in sources if source}
    for report in wanted:
        where = STDOUT if report.file == STDOUT else os.path.realpath(report.file)
        said = f"{option} {report.name}={visible(report.file)}"
        if where in taken:
            raise UsageFault(f"{said}: that is {taken[where]}; name another file")
        taken[where] = f"where {report.name} goes"
        if where != STDOUT:
            _try(said, report.file)
    return wanted


def make_reports(wanted: Sequence[Wanted], option: str, source: Source) -> int:
    """Write reports. Returns the exit status: 0, or 2 where one could not be written, which is told
    on standard error; the others are written all the same. Raises BadResults."""
    status = 0
    for report in wanted:
        try:
            _write(report, source)
            _add_summary(FORMATS[report.name].summary, source)
        except (OSError, NoReport) as problem:
            if isinstance(problem, BrokenPipeError) and report.file == STDOUT:
                raise  # whoever asked for it here has gone
            said = f"{option} {report.name}={visible(report.file)}: {_why(problem)}"
            print(f"xtest: {said}", file=sys.stderr)
            status = _EXIT_FAULT
    return status


def _why(problem: OSError | NoReport) -> str:
    if isinstance(problem, NoReport):
        return str(problem)
    if isinstance(problem, BrokenPipeError):
        return "whoever read it has gone"
    return (problem.strerror or "cannot be written").lower()


class RunReports:
    """The reports of a run that is to come, whose results go to a file (empty: to none). What is
    `continued` is read from a file of our own. Raises UsageFault where they cannot be written."""

    def __init__(self, words: Sequence[str], results: str, *, continued: bool) -> None:
        self._wanted = checked_reports(words, _RUN_OPTION, sources=(results,))
        self._results = "" if continued else results
        self._own = ""

    def check_subjects(self, names: Sequence[str]) -> None:
        """Raises UsageFault where no report can be made of a run of all these subjects."""
        refuse_several(self._wanted, _RUN_OPTION, names)

    def sink(self, results: Sink | None, open_things: ExitStack) -> Sink:
        """What the events are to be written to: the results file, where it can be read again, and
        otherwise a file of our own, beside it or in its stead."""
        if results is not None and os.path.isfile(self._results):
            return results
        try:
            descriptor, self._own = tempfile.mkstemp(prefix="xtest-", suffix=".jsonl")
        except OSError as problem:
            why = (problem.strerror or "no folder for temporary files").lower()
            raise UsageFault(
                f"{_RUN_OPTION} keeps the events of the run in a temporary file: {why}; set TMPDIR"
            ) from None
        os.close(descriptor)
        own = open_things.enter_context(closing(ResultsFile(self._own)))
        return own if results is None else _Both(results, own)

    def make(self, status: int) -> int:
        """Make the reports of a run that ended with this exit status, and whose events are all
        written. Returns the exit status of both."""
        try:
            made = make_reports(
                self._wanted, _RUN_OPTION, source_of_run(self._own or self._results)
            )
        except BadResults as problem:
            print(f"xtest: {_RUN_OPTION}: {problem}", file=sys.stderr)
            made = _EXIT_FAULT
        return max(status, made)

    def close(self) -> None:
        """Nothing of the run is kept any more."""
        if self._own:
            with suppress(OSError):
                os.unlink(self._own)


class _Both:
    """A sink that is two."""

    def __init__(self, one: Sink, other: Sink) -> None:
        self._sinks = (one, other)

    def write(self, event: Event) -> None:
        """Write an event to both."""
        for sink in self._sinks:
            sink.write(event)

    def close(self) -> None:
        """Close both."""
        for sink in self._sinks:
            sink.close()


def _try(said: str, file: str) -> None:
    """Raises UsageFault where a file cannot be written."""
    try:
        if os.path.isdir(file):
            raise IsADirectoryError(0, "is a directory")
        if _is_replaced(file):
            part = beside(Path(os.path.realpath(file)))
            part.open("xb").close()
            part.unlink()
        else:
            # Only asked, as to open a pipe may take until somebody reads it.
            if not os.access(file, os.W_OK):
                raise PermissionError(0, "permission denied")
    except OSError as problem:
        why = (problem.strerror or "cannot be written").lower()
        raise UsageFault(f"{said}: {why}") from None


def _is_replaced(file: str) -> bool:
    """Whether a file is written whole, and takes the place of the old one. What is no regular file,
    such as a pipe or /dev/null, is written to; so is one in a folder that is closed to us."""
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return False
    except FileNotFoundError:
        return True
    return os.access(os.path.dirname(os.path.realpath(file)), os.W_OK | os.X_OK)


def _add_summary(variable: str, source: Source) -> None:
    """Add the report in Markdown to what a step of a job has said of itself so far, in the file
    that a variable names."""
    file = os.environ.get(variable) if variable else None
    if not file:
        return
    with open(file, "ab") as summary:
        for piece in document_of("markdown")(source):
            summary.write(piece.encode("utf-8", "backslashreplace"))


def _write(report: Wanted, source: Source) -> None:
    def fill(file: BinaryIO) -> None:
        for piece in document_of(report.name)(source):
            file.write(piece.encode("utf-8", "backslashreplace"))

    if report.file == STDOUT:
        sys.stdout.flush()
        fill(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    elif _is_replaced(report.file):
        write_whole(Path(report.file), fill)
    else:
        with open(report.file, "wb") as file:
            fill(file)
