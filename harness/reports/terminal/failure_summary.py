"""Format the kinds of failures of a run, and suggest commands to continue with. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.analysis.failure_kinds import FailureKind, FailureKinds
from harness.model.verdict import Verdict
from harness.reports.text.display import Style
from harness.reports.text.events import label_line
from harness.text import cells, pluralize, shell_line, truncate_to_width

_PROGRAM: Final = 2  # the words `xtest run`


def failure_summary_lines(
    kinds: FailureKinds, rerun: tuple[str, ...], style: Style, width: int
) -> Iterator[str]:
    """Return the kinds, most frequent first, and commands; nothing for few failures.

    `rerun` is the command line `xtest run ...` of the run, or empty.
    """
    shown, others = kinds.most_frequent()
    if not shown:
        return
    yield ""
    yield style(f"{pluralize(kinds.total, 'run')} failed", "strong")
    for verdict, message, kind in shown:
        yield from _kind_lines(kind, verdict, message, style, width)
    if others:
        yield style(f"    {others}", "dim")
    first = shown[0][2].example
    if first.repeat:
        yield ""
        yield label_line("rerun one", shell_line(first.repeat), style)
    if rerun:
        yield _rerun_line("rerun all", rerun, style)
        if kinds.has_several_differences:
            yield _rerun_line("in full", rerun, style, "--full")
        yield _rerun_line("HTML page", rerun, style, "--report", "html=xtest.html")


def _rerun_line(label: str, rerun: tuple[str, ...], style: Style, *options: str) -> str:
    words = *rerun[:_PROGRAM], "--failed", *options, *rerun[_PROGRAM:]
    return label_line(label, shell_line(words), style)


def _kind_lines(
    kind: FailureKind, verdict: str, message: str, style: Style, width: int
) -> Iterator[str]:
    names = kind.examples()
    line = f"{kind.count:>5,}  {f'{verdict}  ' if verdict else ''}{message}"
    if cells(line) + cells(names) + 2 <= width:
        yield f"{_colour_verdict(line, verdict, style)}  {style(names, 'dim')}"
        return
    yield _colour_verdict(truncate_to_width(line, width), verdict, style)
    yield style(truncate_to_width(f"       {names}", width), "dim")


def _colour_verdict(line: str, verdict: str, style: Style) -> str:
    if not verdict:
        return line
    role = "bad" if verdict == Verdict.PASSED.value else Verdict(verdict).colour
    return line.replace(verdict, style(verdict, role), 1)
