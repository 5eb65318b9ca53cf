"""Group the failures of runs by kind: what they have in common. Pure and bounded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.jsonio.pointers import describe_place
from harness.model.case_names import natural
from harness.model.events import RunResult
from harness.model.tally import message_of, outcome_of
from harness.model.verdict import Verdict
from harness.text import cells, escape_nonprintable, pluralize

_ENOUGH: Final = 4  # fewer failures have no summary
_KINDS: Final = 500  # further kinds are counted together
_SHOWN: Final = 8
_LEAST_LEFT: Final = 4  # kinds that a remark replaces
_NAMES: Final = 3  # named, if there is no room for more
_MOST_NAMES: Final = 200
_MOST_KEPT: Final = 1_000  # of a kind, before all but the first are dropped
LISTED: Final = 10  # failures of a kind that a run lists; the others are only counted
# The parts of a message that differ within a kind: places, amounts and values.
_PARTICULARS: Final = re.compile(
    r";.*| \([^()]*\)| at byte [\d,]+|, having printed .*|, after [\d,]+ whole values?"
)
_LINE: Final = re.compile(r"(?<=, line )[\d,]+")
# The exception type of a traceback distinguishes kinds of wrong exit statuses.
_RAISED: Final = re.compile(
    r"(?:^|; )(the exit status is \d+, not [^;(, ]+).*(; its standard error (?:ends|says): )"
    r"([\w.$]*(?:Error|Exception|\.error))\b"
)
# A note without numbers; one with the place where long texts differ would make kinds of one run.
_NOTE: Final = re.compile(r" printed( \([^()\d]*\))(?:\Z|; )")
_INDEX: Final = re.compile(r"/[0-9]+(?=/|\Z)")
# Of a message about a dialogue: its step, its ids, and what it adds to a difference.
_STEP: Final = re.compile(r"step \d+(?: of \w+)?: ")
_IDS: Final = re.compile(r"(?<=answered request ).*?(?= (?:again )?while )|(?<= while ).*(?= was)")
_ANSWERED: Final = re.compile(r"; (answered with (?:the error|a result))")


class KindKey(NamedTuple):
    """The words that failures of a kind share; the last kind has no verdict."""

    verdict: str
    message: str
    subject: str = ""
    suite: str = ""


_OTHER_KINDS: Final = KindKey("", "in other ways")


@dataclass(slots=True)
class FailureKind:
    """A kind of failures: an example, their number, and the first of their names in order."""

    first: RunResult
    example: RunResult  # the first in the order of names: runs in parallel end in any order
    number: int = 0  # from 0, in the order of the kinds' first failures
    count: int = 0
    names: set[str] = field(default_factory=set)
    left_out: int = 0  # names, of a kind with very many

    def add(self, event: RunResult) -> None:
        self.count += 1
        self.example = min(self.example, event, key=_run_order)
        self.names.add(run_name(event))
        if len(self.names) > _MOST_KEPT:
            first = nsmallest(_MOST_NAMES, self.names, key=natural)
            self.left_out += len(self.names) - len(first)
            self.names = set(first)

    @property
    def is_listed(self) -> bool:
        """Return whether the failure added last is among those that are listed."""
        return self.count <= LISTED

    def examples(self, room: int = 0) -> str:
        """Return the first names, with an ellipsis if there are more.

        At least three are named, and if failures are not listed, as many as `room` cells hold.
        """
        return join_names(self.names, 0 if self.is_listed else room, self.left_out)

    def others(self, room: int = 0) -> str:
        """Return the number and names of the runs besides the example, or ""."""
        names = self.names - {run_name(self.example)}
        if not names:
            return ""
        total = len(names) + self.left_out
        return f"and {total:,} more like it: {join_names(names, room, self.left_out)}"


def join_names(names: Collection[str], room: int, left_out: int = 0) -> str:
    """Return the first of some names, at least three and as many as `room` cells hold, and whether
    there are more."""
    first = nsmallest(_MOST_NAMES, names, key=natural)
    shown = 0
    for name in map(escape_nonprintable, first):
        room -= cells(name) + 2
        if shown >= _NAMES and room < 0:
            break
        shown += 1
    more = ", ..." if len(names) + left_out > shown else ""
    return f"{', '.join(map(escape_nonprintable, first[:shown]))}{more}"


def run_name(event: RunResult) -> str:
    return f"{event.suite}/{event.case}{delivery_suffix(event)}"


def delivery_suffix(event: RunResult) -> str:
    """Return the delivery in parentheses, after a space, or "" for the plain one."""
    return "" if event.delivery == Delivery.PLAIN.value else f" ({event.delivery})"


def _run_order(run: RunResult) -> tuple[Any, ...]:
    """Return a sort key for the order of names."""
    return natural(f"{run.suite}/{run.case}"), run.delivery, run.subject


class FailureKinds:
    """Counts failures by kind, and with `by_subject` and `by_suite` separately for each."""

    def __init__(self, *, by_subject: bool = True, by_suite: bool = False) -> None:
        self.total = 0
        self.kinds: Final[dict[KindKey, FailureKind]] = {}  # in the order of their first failures
        self.has_several_differences = False
        self._by_subject = by_subject
        self._by_suite = by_suite

    def add(self, event: RunResult) -> FailureKind | None:
        """Count a run and return its kind, or None if it did not fail."""
        if not outcome_of(event).is_failure:
            return None
        self.total += 1
        key = self._key(event)
        if len(self.kinds) >= _KINDS and key not in self.kinds:
            key = _OTHER_KINDS
        kind = self.kinds.setdefault(key, FailureKind(event, event, len(self.kinds)))
        kind.add(event)
        evidence = event.evidence
        self.has_several_differences |= evidence is not None and evidence.differences_total > 1
        return kind

    def fold(self, runs: Iterable[RunResult]) -> Iterator[tuple[RunResult, FailureKind]]:
        """Yield, of failures that were all added before, the first of each kind with its kind."""
        seen = set[int]()
        for event in runs:
            kind = self.kind_of(event)
            if kind.number not in seen:
                seen.add(kind.number)
                yield event, kind

    def kind_of(self, event: RunResult) -> FailureKind:
        """Return the kind of a failure that was added before."""
        return self.kinds.get(self._key(event)) or self.kinds[_OTHER_KINDS]

    def _key(self, event: RunResult) -> KindKey:
        is_of_subject = self._by_subject and event.verdict is not Verdict.INVALID_CASE
        subject = event.subject if is_of_subject else ""
        suite = event.suite if self._by_suite else ""
        return KindKey(event.verdict.value, summarize_message(event), subject, suite)

    @property
    def has_unlisted(self) -> bool:
        """Return whether a run lists some failures in brief, or only counts them."""
        return self.total > len(self.kinds)

    @property
    def is_few(self) -> bool:
        """Return whether the failures are so few that nothing sums them up."""
        return self.total < _ENOUGH

    def most_frequent(self) -> tuple[list[tuple[str, str, FailureKind]], str]:
        """Return verdict, message and kind for the most frequent kinds, and a remark on the others.

        With several subjects, the message begins with the subject. Few failures have no kinds, and
        nor do failures that all differ: a summary would be as long as their list.
        """
        if self.is_few or self.total == len(self.kinds):
            return [], ""
        ranked = sorted(
            self.kinds.items(),
            key=lambda each: (-each[1].count, _run_order(each[1].example), each[0]),
        )
        has_subjects = len({key.subject for key in self.kinds} - {""}) > 1
        most = len(ranked) if len(ranked) < _SHOWN + _LEAST_LEFT else _SHOWN
        while most < len(ranked) and not ranked[most][1].is_listed:
            most += 1  # the names of these are nowhere else
        shown = []
        for (verdict, message, subject, _), kind in ranked[:most]:
            prefix = f"{escape_nonprintable(subject)}: " if has_subjects and subject else ""
            shown.append((verdict, f"{prefix}{message}", kind))
        left = [kind.count for _, kind in ranked[most:]]
        others = f"{sum(left):,} in {pluralize(len(left), 'other way')}" if left else ""
        return shown, others


def summarize_message(event: RunResult) -> str:
    """Return a failure's message without the particulars that differ within its kind."""
    evidence = event.evidence
    if event.verdict in (Verdict.NOT_STARTED, Verdict.PASSED):
        return escape_nonprintable(message_of(event))
    if event.verdict is Verdict.DIFFERS and evidence is not None and evidence.differences:
        note = _NOTE.search(event.message)
        place = describe_place(evidence.differences[0].pointer, alone=True)
        where = f"at {_INDEX.sub('/*', place)}" if place else "the whole value"
        remark = _dialogue_remark(event.message, place) if evidence.talk else ""
        return escape_nonprintable(f"{where}{note[1] if note else ''}{remark}")
    if raised := _RAISED.search(event.message):
        return escape_nonprintable("".join(raised.groups()))
    message = _without_case(event) if event.verdict is Verdict.INVALID_CASE else event.message
    return escape_nonprintable(_PARTICULARS.sub("", message))


def _without_case(event: RunResult) -> str:
    """Return a message about files or lines of a case, which are named after it, with *."""
    stem = event.case.rpartition("/")[2]
    message = event.message
    for ending in ("-in.", "-out.", "-talk."):
        message = message.replace(f"{stem}{ending}", f"*{ending}")
    return _LINE.sub("*", message)


def _dialogue_remark(message: str, place: str) -> str:
    """Return what a message about a dialogue says beside the place, without its particulars."""
    if " expected, " in message:  # the values that differ, and perhaps more
        answered = _ANSWERED.search(message)
        return f": {answered[1]}" if answered else ""
    explanation = _PARTICULARS.sub("", _STEP.sub("", message, count=1))
    return f": {_IDS.sub('…', explanation).removesuffix(f': {place}')}"
