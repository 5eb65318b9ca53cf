"""Declare the report formats, and parse options that request reports.

Pure. The module of a format is imported when the format is used. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.reports.source import Source
from harness.text import did_you_mean, escape_nonprintable, quote, truncate_to_width

__all__ = [
    "FORMATS",
    "NO_SUITES",
    "STDOUT",
    "Document",
    "Format",
    "ReportRequest",
    "describe_subjects",
    "document_writer",
    "parse_report_options",
    "refuse_several",
]

STDOUT: Final = "-"
NO_SUITES: Final[Mapping[str, Path]] = MappingProxyType({})
_WORD: Final = 60  # characters of a word of the command line in a message
_SUBJECTS: Final = 3  # named in a message

# Makes a document from a source, in pieces.
Document = Callable[[Source], Iterator[str]]


class Format(NamedTuple):
    """A report format.

    Attributes:
        module: the module whose `document` writes it
        bare: the file if the option names none, or empty if the option must
        summary: the environment variable that may name a file of a CI server, to which the Markdown
            report is appended, or empty
        draws: whether it shows the pictures of renderers
        single: why it reports only one subject, or empty
    """

    module: str
    bare: str = ""
    summary: str = ""
    draws: bool = False
    single: str = ""


FORMATS: Final[dict[str, Format]] = {
    "junit": Format("harness.reports.formats.junit"),
    "json": Format("harness.reports.formats.json"),
    "markdown": Format("harness.reports.formats.markdown"),
    "html": Format("harness.reports.formats.html.document", draws=True),
    "tap": Format("harness.reports.formats.tap"),
    "gradescope": Format(
        "harness.reports.formats.gradescope", single="Gradescope grades one submission"
    ),
    "github": Format("harness.reports.formats.github", bare=STDOUT, summary="GITHUB_STEP_SUMMARY"),
}


class ReportRequest(NamedTuple):
    """A requested report: the name of its format, and a file or STDOUT."""

    name: str
    file: str


def parse_report_options(
    words: Sequence[str], option: str, *, bare: str = ""
) -> tuple[ReportRequest, ...]:
    """Return the reports that the values of an option request, such as "junit=FILE".

    `bare` is the file of a value without one, unless its format has a default. Raises UsageError.
    """
    return tuple(_parse(word, option, bare) for word in words)


def document_writer(name: str, drawn: Mapping[str, Path] = NO_SUITES) -> Document:
    """Return the function that writes documents of a format.

    The renderers of the suites `drawn`, by name, draw its pictures if it has any.
    """
    document: Callable[..., Iterator[str]] = import_module(FORMATS[name].module).document
    return partial(document, folders=drawn) if FORMATS[name].draws else document


def refuse_several(requests: Sequence[ReportRequest], option: str, subjects: Sequence[str]) -> None:
    """Raise UsageError if a format reports one subject, and there are several."""
    if len(subjects) < 2:
        return
    for report in requests:
        if reason := FORMATS[report.name].single:
            raise UsageError(
                f"{option} {report.name}={escape_nonprintable(report.file)}:"
                f" {describe_subjects(subjects)}, and {reason}; run one of them, or run all with"
                f" --results FILE and then xtest report FILE --subject NAME --to {report.name}"
            )


def describe_subjects(names: Sequence[str]) -> str:
    """Return the number of subjects, and the first names: `2 subjects (a, b)`."""
    shown = ", ".join(
        truncate_to_width(escape_nonprintable(name), _WORD) for name in names[:_SUBJECTS]
    )
    return f"{len(names):,} subjects ({shown}{', ...' if names[_SUBJECTS:] else ''})"


def _parse(word: str, option: str, bare: str) -> ReportRequest:
    name, equals, file = word.partition("=")
    shown = f"{option} {truncate_to_width(escape_nonprintable(word), _WORD)}"
    if name not in FORMATS:
        raise UsageError(f"{shown}: unknown report format {quote(name, _WORD)}; {_hint(word)}")
    file = file if equals else FORMATS[name].bare or bare
    if not file:
        raise UsageError(
            f"{shown}: the file is missing; write {option} {name}=FILE ({STDOUT} for stdout)"
        )
    return ReportRequest(name, STDOUT if file == "/dev/stdout" else file)


def _hint(word: str) -> str:
    """Suggest a value for one that does not begin with a format."""
    name, colon, file = word.partition(":")
    if colon and file and "=" not in word and name in FORMATS:
        return f"did you mean {name}={truncate_to_width(escape_nonprintable(file), _WORD)}?"
    return did_you_mean(word.partition("=")[0], tuple(FORMATS))
