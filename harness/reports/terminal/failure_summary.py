"""Group the failures of a run by kind, and suggest commands to continue with. Pure and bounded."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from harness.model.case_names import natural
from harness.model.events import Judged
from harness.model.verdict import Verdict
from harness.reports.summary import message_of
from harness.reports.terminal.display import Style
from harness.reports.terminal.event_text import label_line
from harness.text import cells, escape_nonprintable, pluralize, shell_line, truncate_to_width

_ENOUGH: Final = 4  # fewer failures have no summary
_KINDS: Final = 500  # further kinds are counted together
_SHOWN: Final = 8
_NAMES: Final = 3
_OTHER_KINDS: Final = "in other ways"
# The parts of a message that differ within a kind: places, amounts and values.
_PARTICULARS: Final = re.compile(
    r";.*| \([^()]*\)| at byte [\d,]+|, having printed .*|, after [\d,]+ whole values?"
)
# The exception type of a traceback distinguishes kinds of wrong exit statuses.
_RAISED: Final = re.compile(
    r"(?:^|; )(the exit status is \d+, not [^;(, ]+).*(; its standard error (?:ends|says): )"
    r"([\w.$]*(?:Error|Exception|\.error))\b"
)
# A note without numbers; one with the place where long texts differ would make kinds of one run.
_NOTE: Final = re.compile(r" printed( \([^()\d]*\))(?:\Z|; )")
_INDEX: Final = re.compile(r"/[0-9]+(?=/|\Z)")
_PROGRAM: Final = 2  # the words `xtest run`


@dataclass(slots=True)
class FailureKind:
    """A kind of failures: an example, their number, and the names of some cases."""

    example: Judged  # the first in the order of names: runs in parallel end in any order
    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, event: Judged) -> None:
        self.count += 1
        self.example = min(self.example, event, key=run_order)
        name = f"{event.suite}/{event.case}"
        if name not in self.names:
            insort(self.names, name, key=natural)
            del self.names[_NAMES + 1 :]

    def examples(self) -> str:
        """Return the first names, with an ellipsis if there are more."""
        names = ", ".join(map(escape_nonprintable, self.names[:_NAMES]))
        return names + (", ..." if len(self.names) > _NAMES else "")


def run_order(run: Judged) -> tuple[Any, ...]:
    """Return a sort key for the order of names."""
    return natural(f"{run.suite}/{run.case}"), run.delivery, run.subject


class FailureSummary:
    """Counts failures by kind; `rerun` is the command line `xtest run ...` of the run, or empty."""

    def __init__(self, rerun: tuple[str, ...] = ()) -> None:
        self.total = 0
        self._kinds: dict[tuple[str, str, str], FailureKind] = {}
        self._rerun = rerun
        self._has_several_differences = False

    def add(self, event: Judged) -> None:
        """Count a run if it failed, or passed unexpectedly."""
        if not event.failed or event.verdict is Verdict.NOT_RUN:
            return
        self.total += 1
        key = (event.verdict.value, summarize_message(event), event.subject)
        if len(self._kinds) >= _KINDS and key not in self._kinds:
            key = ("", _OTHER_KINDS, "")
        self._kinds.setdefault(key, FailureKind(event)).add(event)
        seen = event.evidence
        self._has_several_differences |= seen is not None and seen.differences_total > 1

    def lines(self, style: Style, width: int) -> Iterator[str]:
        """Return the kinds, most frequent first, and commands; nothing for few failures."""
        shown, others = self.kinds()
        if not shown:
            return
        yield ""
        yield style(f"{pluralize(self.total, 'run')} failed", "strong")
        for verdict, message, kind in shown:
            yield from _kind_lines(kind, verdict, message, style, width)
        if others:
            yield style(f"    {others}", "dim")
        yield from self._command_lines(shown[0][2].example, style)

    def kinds(self) -> tuple[list[tuple[str, str, FailureKind]], str]:
        """Return verdict, message and kind for the most frequent kinds, and a remark on the others.

        With several subjects, the message begins with the subject. Few failures have no kinds.
        """
        if self.total < _ENOUGH:
            return [], ""
        found = sorted(
            self._kinds.items(),
            key=lambda each: (-each[1].count, natural(each[1].names[0]), each[0]),
        )
        has_subjects = len({subject for _, _, subject in self._kinds}) > 1
        shown = []
        for (verdict, message, subject), kind in found[:_SHOWN]:
            prefix = f"{escape_nonprintable(subject)}: " if has_subjects and subject else ""
            shown.append((verdict, f"{prefix}{message}", kind))
        left = [kind.count for _, kind in found[_SHOWN:]]
        others = f"{sum(left):,} in {pluralize(len(left), 'other way')}" if left else ""
        return shown, others

    def _command_lines(self, first: Judged, style: Style) -> Iterator[str]:
        if first.repeat:
            yield ""
            yield label_line("rerun one", shell_line(first.repeat), style)
        if not self._rerun:
            return
        yield self._rerun_line("rerun all", style)
        if self._has_several_differences:
            yield self._rerun_line("in full", style, "--full")
        yield self._rerun_line("HTML page", style, "--report", "html=xtest.html")

    def _rerun_line(self, label: str, style: Style, *options: str) -> str:
        words = *self._rerun[:_PROGRAM], "--failed", *options, *self._rerun[_PROGRAM:]
        return label_line(label, shell_line(words), style)


def summarize_message(event: Judged) -> str:
    """Return a failure's message without the particulars that differ within its kind."""
    evidence = event.evidence
    if event.verdict in (Verdict.NOT_STARTED, Verdict.PASSED):
        return escape_nonprintable(message_of(event))
    if event.verdict is Verdict.DIFFERS and evidence is not None and evidence.differences:
        note = _NOTE.search(event.message)
        place = _INDEX.sub("/*", evidence.differences[0].pointer) or "the whole"
        return escape_nonprintable(f"at {place}{note[1] if note else ''}")
    if raised := _RAISED.search(event.message):
        return escape_nonprintable("".join(raised.groups()))
    return escape_nonprintable(_PARTICULARS.sub("", event.message))


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
