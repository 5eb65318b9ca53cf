"""Group the failures of runs by kind: what they have in common. Pure and bounded."""

from __future__ import annotations

import re
from bisect import insort
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from harness.model.case_names import natural
from harness.model.events import RunResult
from harness.model.tally import message_of, outcome_of
from harness.model.verdict import Verdict
from harness.text import escape_nonprintable, pluralize

_ENOUGH: Final = 4  # fewer failures have no summary
_KINDS: Final = 500  # further kinds are counted together
_SHOWN: Final = 8
_NAMES: Final = 3
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


class KindKey(NamedTuple):
    """The words that failures of a kind share; the last kind has no verdict."""

    verdict: str
    message: str
    subject: str = ""


_OTHER_KINDS: Final = KindKey("", "in other ways")


@dataclass(slots=True)
class FailureKind:
    """A kind of failures: an example, their number, and the names of some cases."""

    example: RunResult  # the first in the order of names: runs in parallel end in any order
    number: int = 0  # from 0, in the order of the kinds' first failures
    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, event: RunResult) -> None:
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


def run_order(run: RunResult) -> tuple[Any, ...]:
    """Return a sort key for the order of names."""
    return natural(f"{run.suite}/{run.case}"), run.delivery, run.subject


class FailureKinds:
    """Counts failures by kind, or with `by_subject` by kind and subject."""

    def __init__(self, *, by_subject: bool = True) -> None:
        self.total = 0
        self.kinds: Final[dict[KindKey, FailureKind]] = {}  # in the order of their first failures
        self.has_several_differences = False
        self._by_subject = by_subject

    def add(self, event: RunResult) -> FailureKind | None:
        """Count a run and return its kind, or None if it did not fail."""
        if not outcome_of(event).is_failure:
            return None
        self.total += 1
        subject = event.subject if self._by_subject else ""
        key = KindKey(event.verdict.value, summarize_message(event), subject)
        if len(self.kinds) >= _KINDS and key not in self.kinds:
            key = _OTHER_KINDS
        kind = self.kinds.setdefault(key, FailureKind(event, len(self.kinds)))
        kind.add(event)
        evidence = event.evidence
        self.has_several_differences |= evidence is not None and evidence.differences_total > 1
        return kind

    def most_frequent(self) -> tuple[list[tuple[str, str, FailureKind]], str]:
        """Return verdict, message and kind for the most frequent kinds, and a remark on the others.

        With several subjects, the message begins with the subject. Few failures have no kinds.
        """
        if self.total < _ENOUGH:
            return [], ""
        ranked = sorted(
            self.kinds.items(),
            key=lambda each: (-each[1].count, natural(each[1].names[0]), each[0]),
        )
        has_subjects = len({key.subject for key in self.kinds}) > 1
        shown = []
        for (verdict, message, subject), kind in ranked[:_SHOWN]:
            prefix = f"{escape_nonprintable(subject)}: " if has_subjects and subject else ""
            shown.append((verdict, f"{prefix}{message}", kind))
        left = [kind.count for _, kind in ranked[_SHOWN:]]
        others = f"{sum(left):,} in {pluralize(len(left), 'other way')}" if left else ""
        return shown, others


def summarize_message(event: RunResult) -> str:
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
