"""Format failures for pytest: the lines of `xtest run`, in pytest's own colours. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from harness.model.events import Excerpt, RunResult
from harness.model.tally import is_unexpected_pass, message_of
from harness.model.verdict import Verdict
from harness.reports.text.display import PLAIN, Display, coloured
from harness.reports.text.events import brief_line, failure_lines
from harness.text import escape_ci_commands, escape_nonprintable, shell_line

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter  # not public

_PIPE_WIDTH: Final = 160  # columns of output that goes to no terminal


class CaseFailure(Exception):
    """A case failed, or passed unexpectedly."""

    def __init__(self, event: RunResult) -> None:
        super().__init__(escape_nonprintable(message_of(event)))
        self.event = event


class SummaryLine(NamedTuple):
    """The `reprcrash` of a failure: its line in pytest's short summary."""

    message: str

    def __str__(self) -> str:
        return self.message


class CaseText:
    """The `longrepr` of a failure: coloured on a terminal, plain text elsewhere."""

    def __init__(self, event: RunResult, *, full: bool) -> None:
        self._event = event
        self._full = full
        message = escape_nonprintable(message_of(event))
        self.reprcrash = SummaryLine(escape_ci_commands(f"{event.verdict.value}: {message}"))

    def toterminal(self, writer: TerminalWriter) -> None:
        """Write the failure (called by pytest)."""
        display = Display(PLAIN, _PIPE_WIDTH)
        if writer.hasmarkup:
            display = Display(coloured, writer.fullwidth, side_by_side=True)
        for line in self._lines(display):
            writer.line(line)

    def __str__(self) -> str:
        return "\n".join(self._lines(Display(PLAIN, _PIPE_WIDTH)))

    def _lines(self, display: Display) -> list[str]:
        if self._full:
            display = display._replace(most_lines=None)
        # pytest shows standard error and the repeat command in sections of their own.
        evidence = self._event.evidence
        if evidence is not None:
            evidence = evidence._replace(stderr=Excerpt(b"", 0))
        event = self._event._replace(repeat=(), evidence=evidence)
        lines = case_text(event, display)
        return [escape_ci_commands(line) for line in lines]


def case_text(event: RunResult, display: Display) -> list[str]:
    """Return the lines of a failure or an unexpected pass."""
    if is_unexpected_pass(event):
        return [brief_line(event, display)]
    return [line for line in failure_lines(event, display) if line]


def repeat_line(event: RunResult) -> str:
    """Return the shell command that repeats a run; empty for an invalid case, which cannot run."""
    if event.verdict is Verdict.INVALID_CASE:
        return ""
    return shell_line(event.repeat)


def stderr_text(stderr: Excerpt) -> str:
    """Return standard error, or its end, made safe for a terminal and the log of a CI server."""
    text = stderr.data.decode("utf-8", "backslashreplace")
    lines = [escape_ci_commands(escape_nonprintable(line)) for line in text.splitlines()]
    if stderr.is_truncated:
        lines.insert(0, f"(the end of {stderr.total:,} bytes)")
    return "\n".join(lines)
