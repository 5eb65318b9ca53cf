"""What pytest shows of a case that fell short: the lines of `xtest run`, in pytest's own colours.

Events in, texts out. Source: docs/pytest.md.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, Protocol

from harness.events import Bytes, Judged
from harness.records import Verdict
from harness.report.console import coloured
from harness.report.text import PLAIN, Look, Style, failure_lines, outgrown_line
from harness.words import harmless, shell_line, visible

__all__ = ["CaseText", "Crash", "Shortfall", "case_text", "in_python", "repeat_line", "stderr_text"]

_PIPE_WIDTH = 160  # characters of a line where nobody says how wide it may be


# What is said to those who type command lines, and what to those who write tests.
_IN_PYTHON: Final = (
    (
        r"a program with arguments stands behind --, or in xtest\.toml, in words of their own",
        "a program and its arguments are words of their own: subject=[PROGRAM, ...]",
    ),
    (
        r"; a program under test stands behind --(?:: xtest run SUITE -- .*)?$",
        "; a program under test is said by subject=",
    ),
    (r"(?=--xtest-subject COMMAND$)", "subject=, or "),
)


class Writer(Protocol):
    """What pytest writes reports with."""

    hasmarkup: bool
    fullwidth: int

    def line(self, text: str = "") -> None:
        """Write a line."""


class Shortfall(Exception):
    """A case did not come out as it should."""

    def __init__(self, event: Judged) -> None:
        super().__init__(visible(event.message))
        self.event = event


class Crash(NamedTuple):
    """What stands on one line of a summary."""

    message: str

    def __str__(self) -> str:
        return self.message


class CaseText:
    """The report on a case, as pytest takes it: how it is printed where there are colours, and as
    a text where there are none."""

    def __init__(self, event: Judged, *, full: bool) -> None:
        self._event = event
        self._full = full
        said = "passed, but is listed as a known failure" if _is_outgrown(event) else event.message
        self.reprcrash = Crash(harmless(f"{event.verdict.value}: {visible(said)}"))

    def toterminal(self, writer: Writer) -> None:
        """Print it."""
        style = coloured if writer.hasmarkup else PLAIN
        width = writer.fullwidth if writer.hasmarkup else _PIPE_WIDTH
        for line in self._lines(style, width, side_by_side=writer.hasmarkup):
            writer.line(line)

    def __str__(self) -> str:
        return "\n".join(self._lines(PLAIN, _PIPE_WIDTH, side_by_side=False))

    def _lines(self, style: Style, width: int, *, side_by_side: bool) -> list[str]:
        look = Look(None, side_by_side) if self._full else Look(side_by_side=side_by_side)
        return list(map(harmless, case_text(_without_sections(self._event), style, width, look)))


def case_text(event: Judged, style: Style, width: int, look: Look) -> list[str]:
    """The lines on a run that fell short."""
    if event.known is not None and _is_outgrown(event):
        return [outgrown_line(event, event.known, style)]
    return [line for line in failure_lines(event, style, width, look) if line]


def in_python(message: str) -> str:
    """A message as it is for a test that calls the fixture."""
    for said, here in _IN_PYTHON:
        message = re.sub(said, here, message)
    return message


def repeat_line(event: Judged) -> str:
    """The command that runs this again, for a shell; empty where it would not help."""
    if event.verdict is Verdict.INVALID_CASE:
        return ""
    return shell_line(event.repeat)


def stderr_text(stderr: Bytes) -> str:
    """Standard error, or its end, line by line, safe on a terminal."""
    text = stderr.data.decode("utf-8", "backslashreplace")
    # What pytest prints may well stand in the log of a CI server.
    lines = [harmless(visible(line)) for line in text.splitlines()]
    if stderr.is_cut:
        lines.insert(0, f"(the end of {stderr.total:,} bytes)")
    return "\n".join(lines)


def _is_outgrown(event: Judged) -> bool:
    return event.verdict is Verdict.PASSED and event.known is not None


def _without_sections(event: Judged) -> Judged:
    evidence = event.evidence
    if evidence is not None:
        evidence = evidence._replace(stderr=Bytes(b"", 0))
    return event._replace(repeat=(), evidence=evidence)
