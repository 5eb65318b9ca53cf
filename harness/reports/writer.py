"""Check that reports can be written, keep the events of a run for them, and write them."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final

from harness.errors import CANNOT_WRITE, UsageError, os_reason, usage_errors
from harness.files import (
    atomic_write,
    check_replaced,
    discard_stdout,
    open_regular,
    open_to_write,
    temporary_path,
    write_in,
)
from harness.model.events import Event
from harness.model.suite_info import Audience
from harness.reports.filter import ReportFilter, filter_source
from harness.reports.registry import (
    FORMATS,
    STDOUT,
    ReportRequest,
    parse_report_option,
    refuse_several_subjects,
)
from harness.reports.source import ReportError, Source, source_of_run
from harness.results.results_file import (
    EventSink,
    FilePosition,
    InvalidResultsFile,
    UnnamedResults,
    read_events,
)
from harness.text import escape_ci_commands, escape_ci_json

_RUN_OPTION: Final = "--report"
_JSON_FORMATS: Final = ("json", "gradescope")
# Beginnings of earlier reports, by format or by the ending of a file in a folder: nothing else may
# be replaced by a new one.
_BEGINNINGS: Final = {
    "junit": rb'<\?xml version="1\.0" encoding="UTF-8"\?>\s*<testsuites',
    "json": rb'\{\s*"(format|schemaVersion|tests|output)": ?',
    "csv": rb"subject,suite,|team,(case|submitted),",
    "markdown": rb"## xtest: |# Test fest\n",
    "html": rb'(?s)<!DOCTYPE html>.*<meta name="referrer" content="no-referrer">\n<link rel="icon"',
    "tap": rb"TAP version 13\n",
    "gradescope": rb'\{\s*"tests": ?\[',
    "github": rb"::",
    "css": rb":root \{\n  --paper",
    "js": rb"// Parts that the scripts|xtest\.",
    "svg": rb'<svg xmlns="http://www\.w3\.org/2000/svg" width="[0-9]+" height="20" role="img"',
}
# Beginnings that only reports have.
_UNMISTAKABLE: Final = (
    *(_BEGINNINGS[name] for name in ("junit", "csv", "markdown", "html", "tap")),
    rb'\{\s*"format": 1,\s*"xtest": ',
    rb'\{\s*"tests": ?\[\s*\{"number": ',
)
_RECOGNIZED_BYTES: Final = 4_096
_NO_SUITES: Final[Mapping[str, Path]] = MappingProxyType({})


def writes_to_stdout(requested: Sequence[str]) -> bool:
    """Return whether a report of a run goes to stdout. Raises UsageError."""
    return any(parse_report_option(word, _RUN_OPTION).file == STDOUT for word in requested)


def check_reports(
    requested: Sequence[str], option: str, *, sources: Sequence[str] = (), default_file: str = ""
) -> tuple[ReportRequest, ...]:
    """Return the requested reports. Raises UsageError if one cannot be written or is a source."""
    requests = tuple(
        parse_report_option(word, option, default_file=default_file) for word in requested
    )
    refuse_overwriting(requests, sources)
    for report in requests:
        if report.file != STDOUT:
            _check_writable(report)
    return requests


def refuse_overwriting(requests: Iterable[ReportRequest], sources: Iterable[str]) -> None:
    """Raise UsageError if a report would replace its source or another report."""
    taken = {os.path.realpath(source): "the report is made from it" for source in sources if source}
    for report in requests:
        target = STDOUT if report.file == STDOUT else os.path.realpath(report.file)
        if target in taken:
            raise UsageError(f"{report}: {taken[target]}; choose another file")
        taken[target] = f"the {report.name} report goes there"


def make_reports(
    requests: Sequence[ReportRequest],
    source: Source,
    drawn: Mapping[str, Path] = _NO_SUITES,
    audience: Audience = Audience.STAFF,
) -> list[str]:
    """Write reports, and return a message for each that cannot be written.

    The renderers of the suites `drawn`, by name, draw pictures. Reports for an `audience` show
    nothing of the cases that it may not see. Raises InvalidResultsFile.
    """
    failures = []
    # The files first: the reader of stdout may go away.
    for report in sorted(requests, key=lambda each: each.file == STDOUT):
        try:
            _write(report, _shown_to(audience, source, report.name), drawn)
            # The Markdown report goes to a CI server's summary, too.
            if summary := os.environ.get(FORMATS[report.name].summary_variable):
                with open_to_write(summary, "ab") as file:
                    shown = _shown_to(audience, source, "markdown")
                    file.writelines(_encode(make_document("markdown", shown)))
        except (OSError, ReportError) as problem:
            reason = str(problem)
            if isinstance(problem, OSError):
                reason = os_reason(problem, CANNOT_WRITE)
            if isinstance(problem, BrokenPipeError):
                if report.file == STDOUT:
                    raise  # the reader of our own stdout has gone
                reason = "the reader closed it"
            failures.append(f"{report}: {reason}")
            if report.file == STDOUT:
                discard_stdout()  # what is left in its buffer would fail again
    return failures


def make_document(
    name: str, source: Source, drawn: Mapping[str, Path] = _NO_SUITES
) -> Iterator[str]:
    """Return a report in pieces; renderers of the suites `drawn` draw its pictures."""
    document: Callable[..., Iterator[str]] = import_module(FORMATS[name].module).document
    return document(source, folders=drawn) if FORMATS[name].draws else document(source)


def _shown_to(audience: Audience, source: Source, name: str) -> Source:
    if audience is Audience.STAFF:
        return source
    return filter_source(source, ReportFilter((), (), audience, redacts=FORMATS[name].hides_cases))


class RunReports:
    """The reports of a run that is about to start, for an audience.

    They are made from the results file `results`, or from a temporary file if it is empty or has
    other runs (`continued`). Raises UsageError if a report cannot be written.
    """

    def __init__(
        self, requested: Sequence[str], results: str, audience: Audience, *, continued: bool
    ) -> None:
        self._requests = check_reports(requested, _RUN_OPTION, sources=(results,))
        self._results = "" if continued else results
        self._audience = audience
        self._temporary: UnnamedResults | None = None
        self._drawn: Mapping[str, Path] = _NO_SUITES

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(report.file for report in self._requests if report.file != STDOUT)

    def set_targets(self, subjects: Sequence[str], suites: Mapping[str, Path]) -> None:
        """Set subjects, and folders of suites by name. Raises UsageError if there are too many
        subjects for a format."""
        refuse_several_subjects(self._requests, subjects)
        self._drawn = suites

    def sinks(self, results: EventSink | None) -> list[EventSink]:
        """Return the sinks of the run's events, of which `results` is one if it is not None.

        It is the only one if it can be read again.
        """
        if results is not None and os.path.isfile(self._results):
            return [results]
        try:
            self._temporary = UnnamedResults()
        except OSError as problem:
            reason = os_reason(problem, "no folder for temporary files")
            raise UsageError(
                f"{_RUN_OPTION} needs a temporary file for the events: {reason}; set TMPDIR"
            ) from None
        return [self._temporary] if results is None else [results, self._temporary]

    def make(self) -> list[str]:
        """Write the reports of a run that ended; return a message for each that failed."""
        try:
            source = source_of_run(self._read)
            return make_reports(self._requests, source, self._drawn, self._audience)
        except InvalidResultsFile as problem:
            return [f"{_RUN_OPTION}: {problem}"]

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.close()

    def _read(self) -> Iterator[tuple[FilePosition, Event]]:
        if self._temporary is not None:
            return self._temporary.read()
        return read_events(self._results)


def earlier_output(kind: str) -> Callable[[bytes], bool]:
    """Return a function that tells from its beginning whether a file is an earlier output.

    `kind` is the name of a format, or of a file in the folder of a report.
    """
    beginning = re.compile(_BEGINNINGS[kind.rpartition(".")[2]])
    return lambda text: beginning.match(text) is not None


def is_earlier_report(path: Path) -> bool:
    """Return whether a file or folder can only be a report."""
    with suppress(OSError):
        if path.is_dir():
            return _is_report_folder([each for each in path.iterdir() if not each.is_dir()])
        text = _beginning(path)
        return any(re.match(beginning, text) for beginning in _UNMISTAKABLE)
    return False


def _is_report_folder(files: Sequence[Path]) -> bool:
    """Return whether all files of a folder are those of a site or of badges."""
    kinds = {path: path.suffix.removeprefix(".") for path in files}
    return not {"html", "svg"}.isdisjoint(kinds.values()) and all(
        kind in _BEGINNINGS and earlier_output(kind)(_beginning(path))
        for path, kind in kinds.items()
    )


def _beginning(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read(_RECOGNIZED_BYTES)


def _check_writable(report: ReportRequest) -> None:
    with usage_errors(str(report), CANNOT_WRITE):
        if FORMATS[report.name].is_folder:
            os.makedirs(report.file, exist_ok=True)
        elif os.path.isdir(report.file):
            raise IsADirectoryError(0, "is a directory")
        elif _is_replaced(report.file):
            check_replaced(report.file, earlier_output(report.name))
            part = temporary_path(Path(os.path.realpath(report.file)))
            part.open("xb").close()
            part.unlink()
        elif not os.access(report.file, os.W_OK):  # opening a pipe would wait for its reader
            raise PermissionError(0, "permission denied")


def _is_replaced(file: str) -> bool:
    """Return whether a file can be replaced, unlike a pipe or a file in a read-only folder."""
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return False
    except FileNotFoundError:
        return True
    return os.access(os.path.dirname(os.path.realpath(file)), os.W_OK | os.X_OK)


def _encode(pieces: Iterable[str]) -> Iterator[bytes]:
    return (piece.encode("utf-8", "backslashreplace") for piece in pieces)


def _escape_ci(name: str, pieces: Iterator[str]) -> Iterator[str]:
    """Yield a document in which no CI server finds a command; stdout may be the log of one."""
    for piece in pieces:
        if name == "github":
            yield piece
        elif name in _JSON_FORMATS:
            yield escape_ci_json(piece)
        else:
            yield "\n".join(map(escape_ci_commands, piece.split("\n")))


def _write(report: ReportRequest, source: Source, drawn: Mapping[str, Path]) -> None:
    if not FORMATS[report.name].is_folder:
        _write_document(report, lambda: make_document(report.name, source, drawn))
        return
    os.makedirs(report.file, exist_ok=True)
    for name, pieces in import_module(FORMATS[report.name].module).documents(source):
        write_in(Path(report.file), name, _encode(pieces), earlier_output(name))


def write_document(report: ReportRequest, pieces: Callable[[], Iterator[str]]) -> None:
    """Write a report that has no source. Raises UsageError."""
    try:
        _write_document(report, pieces)
    except OSError as problem:
        if isinstance(problem, BrokenPipeError) and report.file == STDOUT:
            raise
        raise UsageError(f"{report}: {os_reason(problem, CANNOT_WRITE)}") from None


def _write_document(report: ReportRequest, pieces: Callable[[], Iterator[str]]) -> None:
    if report.file == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(_encode(_escape_ci(report.name, pieces())))
        sys.stdout.buffer.flush()
    elif not report.may_be_link:
        folder, name = os.path.split(report.file)
        write_in(Path(folder), name, _encode(pieces()), earlier_output(report.name))
    elif _is_replaced(report.file):
        atomic_write(Path(report.file), _encode(pieces()), earlier_output(report.name))
    else:
        check_replaced(report.file, earlier_output(report.name))
        with open_to_write(report.file) as file:
            file.writelines(_encode(pieces()))
