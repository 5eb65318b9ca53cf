"""Format the kinds of failures of a run, and suggest commands to continue with. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.analysis.failure_kinds import FailureKind, FailureKinds
from harness.model.verdict import Verdict
from harness.reports.text.display import Style
from harness.reports.text.events import label_line
from harness.text import cells, pluralize, shell_line, truncate_to_width, wrap

_PROGRAM: Final = 2  # the words `xtest run`
_LABEL: Final = len("rerun failed")
_NAME_LINES: Final = 3
_UNUSED: Final = 6  # cells at the end of a line of names
_MARGIN: Final = " " * 7


def failure_summary_lines(
    kinds: FailureKinds, rerun: tuple[str, ...], style: Style, width: int
) -> Iterator[str]:
    """Return the kinds, most frequent first, and commands; nothing for few failures.

    `rerun` is the command line `xtest run ...` of the run, or empty for no commands.
    """
    if kinds.is_few:
        return
    shown, others = kinds.most_frequent()
    if shown:
        yield ""
        yield style(f"{pluralize(kinds.total, 'run')} failed", "strong")
    for verdict, message, kind in shown:
        yield from _kind_lines(kind, verdict, message, style, width)
    if others:
        yield style(f"    {others}", "dim")
    if rerun:
        yield ""
        first = min(kinds.kinds.values(), key=lambda kind: -kind.count).example
        if first.repeat:
            yield _command_line("rerun one", first.repeat, style)
        failed = *rerun[:_PROGRAM], "--failed"
        suite = rerun[_PROGRAM:]
        yield _command_line("rerun failed", (*failed, *suite), style)
        if kinds.has_several_differences or kinds.has_unlisted:
            yield _command_line("in full", (*failed, "--full", *suite), style)
        yield _command_line("HTML page", (*failed, "--report", "html=xtest.html", *suite), style)


def _command_line(label: str, words: tuple[str, ...], style: Style) -> str:
    return label_line(label.ljust(_LABEL), shell_line(words), style)


def _kind_lines(
    kind: FailureKind, verdict: str, message: str, style: Style, width: int
) -> Iterator[str]:
    names = kind.examples(_NAME_LINES * (width - len(_MARGIN) - _UNUSED))
    line = f"{kind.count:>5,}  {f'{verdict}  ' if verdict else ''}{message}"
    if cells(line) + cells(names) + 2 <= width:
        yield f"{_colour_verdict(line, verdict, style)}  {style(names, 'dim')}"
        return
    yield _colour_verdict(truncate_to_width(line, width), verdict, style)
    for names_line in wrap(f"{_MARGIN}{names}", width, _MARGIN):
        yield style(truncate_to_width(names_line, width), "dim")


def _colour_verdict(line: str, verdict: str, style: Style) -> str:
    if not verdict:
        return line
    role = "bad" if verdict == Verdict.PASSED.value else Verdict(verdict).colour
    return line.replace(verdict, style(verdict, role), 1)
