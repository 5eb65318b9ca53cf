"""Answers gathered into groups of equal ones, and cases put in order: who agrees with whom.

Pure: what was observed goes in, groups and counts come out; nobody expects anything. Which values
are equal is decided in harness/judging/equality.py. Source: docs/compare.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappush, heappushpop
from itertools import combinations
from typing import Final, Generic, NamedTuple, TypeVar

from harness.jsontext import Json
from harness.judging.comparison import Tolerance
from harness.judging.equality import canonical, differences
from harness.judging.judge import judge, output_values
from harness.records import (
    Case,
    Comparison,
    Exited,
    ExitRange,
    Judgement,
    Policy,
    Signalled,
    Transcript,
    Verdict,
)

__all__ = [
    "Agreement",
    "Answer",
    "Groups",
    "Smallest",
    "answer_of",
    "groups_of",
    "has_tolerance",
    "is_repeated",
    "letter",
]

T = TypeVar("T")

# The numbers of subjects, in their order: a tuple for each group, in the order of its first.
Groups = tuple[tuple[int, ...], ...]

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(number: int) -> str:
    """What a subject is called in short, by its number from 0."""
    return _LETTERS[number]


class Answer(NamedTuple):
    """What a subject made of an input.

    `kind` is how it fell short, and the exit status where that is none of those that are accepted;
    `form` stands for the values, the same for all that are equal (where there is a tolerance, also
    for fewer: then `values` are kept). `short`: how it fell short, and a sentence on that.
    """

    kind: tuple[str, int | None]
    form: str = ""
    values: list[Json] | None = None
    short: Judgement | None = None


def answer_of(seen: Transcript, policy: Policy) -> Answer:
    """The answer that was observed. Exit statuses that the policy accepts are all the same."""
    status = None
    if isinstance(seen.ending, Exited) and seen.limit is None:
        accepted = policy.exit.accepts(seen.ending.status)
        status = None if accepted else seen.ending.status
        values, fault = output_values(seen.stdout, policy.comparison)
        if fault is None:
            form = canonical(values, policy.comparison)
            kept = values if has_tolerance(policy.comparison) else None
            return Answer(("values", status), form, kept)
    short = _shortfall(seen, policy)
    how = short.verdict.value
    if short.verdict is Verdict.CRASHED and isinstance(seen.ending, Signalled):
        how += f" by {seen.ending.number}"  # an abort is not a segmentation fault
    return Answer((how, status), short=short)


def is_repeated(one: Transcript, other: Transcript) -> bool:
    """Whether two subjects printed the same bytes and ended by themselves in the same way, so that
    the answer of one is the answer of the other, whatever the policy; most often they did."""
    if one.limit is not None or other.limit is not None or one.stdout != other.stdout:
        return False
    # Two records of different kinds may be equal as tuples.
    ends = one.ending, other.ending
    return all(isinstance(end, Exited) for end in ends) and ends[0] == ends[1]


def has_tolerance(comparison: Comparison) -> bool:
    """Whether "equal" may be "near" somewhere, so that it says nothing of a third value."""
    ways = (comparison.numbers, *(rule.numbers for rule in comparison.rules))
    return any(isinstance(way, Tolerance) for way in ways)


def _shortfall(seen: Transcript, policy: Policy) -> Judgement:
    # The judge says how a program fell short, and how far it came, of a case that expects
    # something else than what was printed: of nothing it could only be said that it is all there.
    plain = Comparison(allow=policy.comparison.allow)
    values, _ = output_values(seen.stdout, plain)
    case = Case("", "", b"", b"", [] if values else [None])
    return judge(seen, case, Policy(plain, ExitRange(0, 255), policy.limits))


def groups_of(answers: Sequence[Answer], comparison: Comparison) -> Groups:
    """The subjects with equal answers, gathered. Where there is a tolerance, an answer belongs to
    the first group whose first member it is near to, with that one as the expected value."""
    groups: list[list[int]] = []
    for number, answer in enumerate(answers):
        mine = (group for group in groups if _equal(answers[group[0]], answer, comparison))
        group = next(mine, None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return tuple(map(tuple, groups))


def _equal(expected: Answer, actual: Answer, comparison: Comparison) -> bool:
    if expected.kind != actual.kind:
        return False
    if expected.form == actual.form:
        return True
    if expected.values is None or actual.values is None:
        return False
    return next(differences(expected.values, actual.values, comparison), None) is None


class Agreement:
    """How subjects have agreed so far: over all inputs, two by two, and in which groups."""

    def __init__(self, subjects: int) -> None:
        self.subjects = subjects
        self.inputs = 0
        self.alike = 0  # inputs that all answered alike
        self.in_vain = 0  # ... in that all fell short, and in the same way
        self.partitions: Counter[Groups] = Counter()
        self.shortfalls: tuple[Counter[str], ...] = tuple(Counter() for _ in range(subjects))
        self._together: Counter[tuple[int, int]] = Counter()

    def add(self, answers: Sequence[Answer], groups: Groups) -> None:
        """Count one input, which all subjects have answered."""
        self.inputs += 1
        self.alike += len(groups) == 1
        self.in_vain += len(groups) == 1 and answers[0].short is not None
        self.partitions[groups] += 1
        self._together.update(pair for group in groups for pair in combinations(group, 2))
        for counted, answer in zip(self.shortfalls, answers, strict=True):
            if answer.short is not None:
                counted[answer.short.verdict.value] += 1

    def together(self, one: int, other: int) -> int:
        """The inputs that two subjects answered alike."""
        return self._together[min(one, other), max(one, other)] if one != other else self.inputs

    def percent(self, one: int, other: int) -> float:
        """The same in percent, to a tenth, rounded down: 100 is all of them."""
        return self.together(one, other) * 1000 // self.inputs / 10 if self.inputs else 100.0

    def ranked(self) -> list[tuple[Groups, int]]:
        """The groups that there were, and on how many inputs: all alike first, then the most."""
        return sorted(self.partitions.items(), key=lambda each: (len(each[0]) > 1, -each[1], each))


class Smallest(Generic[T]):
    """The smallest few of any number of things; no others are kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[tuple[int, int, T]] = []

    def has_room_for(self, size: int, place: int) -> bool:
        """Whether a thing of this size would stay, as it is now; of two of one size the one with
        the lower place does."""
        if len(self._heap) < self._most:
            return True
        return (-size, -place) > self._heap[0][:2]

    def add(self, size: int, place: int, thing: T) -> None:
        """Keep a thing, and drop the largest where there are too many. No two have one place."""
        # The heap has its least in front: sizes stand upside down.
        entry = (-size, -place, thing)
        if len(self._heap) < self._most:
            heappush(self._heap, entry)
        else:
            heappushpop(self._heap, entry)

    def __iter__(self) -> Iterator[T]:
        """What was kept, the smallest first."""
        return (entry[2] for entry in sorted(self._heap, key=lambda each: each[:2], reverse=True))
