"""Declare the report formats, and parse options that request reports.

Pure. The module of a format is imported when the format is used. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.text import did_you_mean, escape_nonprintable, quote, shorten_to_width

STDOUT: Final = "-"
_WORD: Final = 60  # characters of a word of the command line in a message
_SUBJECTS: Final = 3  # named in a message


class Format(NamedTuple):
    """A report format; empty fields do not apply."""

    module: str  # its `document` writes the report
    suffix: str  # of files that --each writes
    default_file: str = ""  # if the option names none
    summary_variable: str = ""  # names a file, to which the Markdown report is appended
    draws: bool = False  # it shows pictures of renderers
    single_subject: str = ""  # why it can report only one subject
    hides_cases: bool = False  # its reader hides cases from students: they are kept, redacted
    has_only_counts: bool = False  # and does not name failed cases
    shows_facts: bool = False  # of the run: when and where it ran, and so on
    is_folder: bool = False  # its `documents` writes several files into a folder


FORMATS: Final[dict[str, Format]] = {
    "junit": Format("harness.reports.formats.junit", "xml", shows_facts=True),
    "json": Format("harness.reports.formats.json", "json", shows_facts=True),
    "csv": Format("harness.reports.formats.csv", "csv", has_only_counts=True),
    "markdown": Format("harness.reports.formats.markdown", "md", shows_facts=True),
    "html": Format("harness.reports.formats.html.document", "html", draws=True, shows_facts=True),
    "tap": Format("harness.reports.formats.tap", "tap"),
    "gradescope": Format(
        "harness.reports.formats.gradescope",
        "gradescope.json",
        single_subject="Gradescope grades one submission",
        hides_cases=True,
    ),
    "github": Format(
        "harness.reports.formats.github",
        "github.txt",
        default_file=STDOUT,
        summary_variable="GITHUB_STEP_SUMMARY",
    ),
    "site": Format("harness.reports.formats.site", "site", is_folder=True, shows_facts=True),
    "badges": Format(
        "harness.reports.formats.badges", "badges", is_folder=True, has_only_counts=True
    ),
}


_BY_EXTENSION: Final = {
    "html": "html",
    "json": "json",
    "md": "markdown",
    "csv": "csv",
    "xml": "junit",
}
# Formats by the names of what reads them.
_SYNONYMS: Final = {
    **dict.fromkeys(("canvas", "excel", "gradebook", "grades", "moodle"), "csv"),
    **dict.fromkeys(("azure", "gitlab", "jenkins", "xunit"), "junit"),
}


class ReportRequest(NamedTuple):
    """A report that an option requests: the name of its format, and a file or STDOUT.

    A person who names a file may name a link to it.
    """

    option: str
    name: str
    file: str
    may_be_link: bool = True

    def __str__(self) -> str:
        return f"{self.option} {self.name}={escape_nonprintable(self.file)}"


def parse_report_option(word: str, option: str, *, default_file: str = "") -> ReportRequest:
    """Return the report that a value of an option requests, such as "junit=FILE".

    `default_file` is for a value without a file whose format has no default. Raises UsageError.
    """
    name, equals, file = word.partition("=")
    shown = f"{option} {shorten_to_width(word, _WORD)}"
    if name not in FORMATS:
        synonym = _BY_EXTENSION.get(name) or _SYNONYMS.get(name)
        hint = f"did you mean {quote(synonym)}?" if synonym else did_you_mean(name, tuple(FORMATS))
        near, _, rest = name.partition(":")
        if rest and not equals and near in FORMATS:
            hint = f"did you mean {near}={shorten_to_width(rest, _WORD)}?"
        extension = name.rpartition(".")[2]
        if not equals and "." in name and extension in _BY_EXTENSION:
            hint = f"write {option} {_BY_EXTENSION[extension]}={shorten_to_width(name, _WORD)}"
        raise UsageError(f"{shown}: unknown report format {quote(name, _WORD)}; {hint}")
    file = STDOUT if file == "/dev/stdout" else file
    if FORMATS[name].is_folder and file in ("", STDOUT):
        raise UsageError(f"{shown}: the folder is missing; write {option} {name}=FOLDER")
    file = file if equals else FORMATS[name].default_file or default_file
    if not file:
        raise UsageError(
            f"{shown}: the file is missing; write {option} {name}=FILE ({STDOUT} for stdout)"
        )
    return ReportRequest(option, name, file)


def refuse_several_subjects(requests: Sequence[ReportRequest], subjects: Sequence[str]) -> None:
    """Raise UsageError if a format reports one subject, and there are several."""
    if len(subjects) < 2:
        return
    for report in requests:
        if reason := FORMATS[report.name].single_subject:
            raise UsageError(
                f"{report}: {describe_subjects(subjects)}, and {reason}; run one of them, or run"
                " all with --results FILE and then xtest report FILE --subject NAME"
                f" --to {report.name}"
            )


def describe_subjects(names: Sequence[str]) -> str:
    """Return the number of subjects, and the first names: `2 subjects (a, b)`."""
    shown = ", ".join(shorten_to_width(name, _WORD) for name in names[:_SUBJECTS])
    return f"{len(names):,} subjects ({shown}{', ...' if names[_SUBJECTS:] else ''})"
