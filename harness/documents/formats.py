"""The formats of reports by name, and how somebody says which of them go where.

Pure. A format's module is imported when it is asked for. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Final, NamedTuple

from harness.documents.source import Source
from harness.usage import UsageFault
from harness.words import clip, did_you_mean, quoted, visible

__all__ = [
    "FORMATS",
    "STDOUT",
    "Document",
    "Format",
    "Wanted",
    "document_of",
    "refuse_several",
    "wanted_reports",
]

STDOUT: Final = "-"
_SHOWN: Final = 60  # characters of what somebody asked for, in a message
_SUBJECTS: Final = 3  # that a message names

# What a format makes of a source: its text, in pieces.
Document = Callable[[Source], Iterator[str]]


class Format(NamedTuple):
    """A format: the module whose `document` makes it, and where it goes when a run was told no
    file; empty: there has to be one. `summary`: the variable of the environment that may name a
    file of a CI server, to which the report in Markdown is added. `single`: why it is of one
    subject alone; empty: it is not."""

    module: str
    bare: str = ""
    summary: str = ""
    single: str = ""


FORMATS: Final[dict[str, Format]] = {
    "junit": Format("harness.documents.junit"),
    "json": Format("harness.documents.json"),
    "markdown": Format("harness.documents.markdown"),
    "html": Format("harness.documents.html"),
    "tap": Format("harness.documents.tap"),
    "gradescope": Format("harness.documents.gradescope", single="Gradescope grades one submission"),
    "github": Format("harness.documents.github", bare=STDOUT, summary="GITHUB_STEP_SUMMARY"),
}


class Wanted(NamedTuple):
    """A report that is asked for: the name of its format, and the file; STDOUT is none."""

    name: str
    file: str


def wanted_reports(words: Sequence[str], option: str, *, bare: str = "") -> tuple[Wanted, ...]:
    """What is asked for in words like "junit=FILE", which stood behind `option`. `bare`: where a
    report goes that has no file, if its format does not say it. Raises UsageFault."""
    return tuple(_wanted(word, option, bare) for word in words)


def document_of(name: str) -> Document:
    """What makes documents of this format."""
    document: Document = import_module(FORMATS[name].module).document
    return document


def refuse_several(wanted: Sequence[Wanted], option: str, subjects: Sequence[str]) -> None:
    """Raises UsageFault where several subjects are going to be run, and a format is of one."""
    if len(subjects) < 2:
        return
    names = ", ".join(clip(visible(name), _SHOWN) for name in subjects[:_SUBJECTS])
    names += ", ..." if subjects[_SUBJECTS:] else ""
    for report in wanted:
        if why := FORMATS[report.name].single:
            raise UsageFault(
                f"{option} {report.name}={visible(report.file)}: there are {len(subjects):,}"
                f" subjects ({names}), and {why}; run one of them, or all with --results, of which"
                f" xtest report FILE --subject NAME --to {report.name} makes one for each"
            )


def _meant(word: str) -> str:
    """What was meant by a word that begins with no format's name."""
    name, colon, file = word.partition(":")
    if colon and file and "=" not in word and name in FORMATS:
        return f"did you mean {name}={clip(visible(file), _SHOWN)}?"
    return did_you_mean(word.partition("=")[0], tuple(FORMATS))


def _wanted(word: str, option: str, bare: str) -> Wanted:
    name, equals, file = word.partition("=")
    said = f"{option} {clip(visible(word), _SHOWN)}"
    if name not in FORMATS:
        called = quoted(name, _SHOWN)
        raise UsageFault(f"{said}: no format of reports is called {called}; {_meant(word)}")
    file = file if equals else FORMATS[name].bare or bare
    if not file:
        raise UsageFault(
            f"{said}: the file is missing; write {option} {name}=FILE ({STDOUT} is standard output)"
        )
    return Wanted(name, STDOUT if file == "/dev/stdout" else file)
