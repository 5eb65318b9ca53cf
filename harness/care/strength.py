"""How much a suite catches: every fault judged in every case that it touches, and the sum of it.

Pure: the cases and the right answers in, findings out; no program is run for a fault. What the
judge says of a made-up transcript is what it says of a program. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.care.mutation import Answer, Fault, Printed, faults
from harness.care.outline import Spot, replaced
from harness.care.slips import others
from harness.jsontext import Json
from harness.judging.judge import passes
from harness.records import (
    Case,
    Comparison,
    Exited,
    ExitRange,
    InputKind,
    Policy,
    Transcript,
)

__all__ = ["Finding", "Outcome", "Refusal", "findings"]

# Says what is wrong with a case beyond its text (the empty text: nothing); here its output counts.
Refusal = Callable[[Case], str]

_MOST_ASKED: Final = 20  # cases of which it is found out why a fault is not noticed


class Outcome(Enum):
    """What comes of a fault."""

    NOTICED = "noticed"  # at least one case does not pass with it
    UNNOTICED = "unnoticed"
    HIDDEN = "hidden"  # the suite's policy says that it makes no difference
    IDLE = "idle"  # it changes nothing in any answer


class Finding(NamedTuple):
    """A fault, what comes of it, by which cases (their numbers) it is noticed of those that it
    changes, and where it is not noticed the reason, as far as it is known."""

    fault: Fault
    outcome: Outcome
    changed: tuple[int, ...] = ()
    noticed: tuple[int, ...] = ()
    reason: str = ""


def findings(
    cases: Sequence[Case], answers: Sequence[Answer], refusal: Refusal | None = None
) -> Iterator[Finding]:
    """What comes of every fault, one after the other. The answers are those of the cases, in the
    same order, and pass. `refusal` knows the suite's schemas."""
    suite = _Suite(cases, answers, refusal)
    for fault in faults(answers):
        yield suite.finding(fault)


class _Suite:
    """The cases, with their right answers."""

    def __init__(
        self, cases: Sequence[Case], answers: Sequence[Answer], refusal: Refusal | None
    ) -> None:
        self._cases = cases
        self._answers = answers
        self._refusal = refusal

    def finding(self, fault: Fault) -> Finding:
        """What comes of one fault."""
        put = {number: fault.put(number) for number in fault.answers}
        changed = {n: printed for n, printed in put.items() if printed != self._answers[n].printed}
        if not changed:
            return self._unseen(fault)
        noticed = {n for n, printed in changed.items() if not self._passes(n, printed)}
        real = tuple(n for n in changed if n in noticed or not self._is_right(n, changed[n]))
        if not real:
            return self._unseen(fault)
        if noticed:
            return Finding(fault, Outcome.NOTICED, real, tuple(sorted(noticed)))
        some = real[:_MOST_ASKED]
        hiding = tuple(dict.fromkeys(name for n in some for name in self._hiding(n, changed[n])))
        # A policy that hides a whole answer hides too much.
        outcome = Outcome.HIDDEN if fault.where else Outcome.UNNOTICED
        return Finding(fault, outcome, real, reason=_of_policy(hiding))

    def _passes(self, number: int, printed: Printed, policy: Policy | None = None) -> bool:
        case = self._cases[number]
        transcript = Transcript(Exited(printed.status), printed.text)
        return passes(transcript, case, policy or case.policy)

    def _is_right(self, number: int, printed: Printed) -> bool:
        """Whether other bytes are the right answer all the same: 1 without a line end is 1."""
        right = self._answers[number]
        case = self._cases[number]._replace(expected=right.values)
        only = ExitRange(right.printed.status, right.printed.status)
        transcript = Transcript(Exited(printed.status), printed.text)
        return passes(transcript, case, Policy(exit=only))

    def _hiding(self, number: int, printed: Printed) -> Iterator[str]:
        """What in a case's policy makes no difference of this, by its name in suite.toml."""
        policy = self._cases[number].policy
        for name, strict in Comparison()._asdict().items():
            stricter = policy._replace(comparison=policy.comparison._replace(**{name: strict}))
            if not self._passes(number, printed, stricter):
                yield name
        only = self._answers[number].printed.status
        if not self._passes(number, printed, policy._replace(exit=ExitRange(only, only))):
            yield "exit"

    def _unseen(self, fault: Fault) -> Finding:
        """A fault that changes no answer."""
        if fault.alike and fault.spot is not None and self._is_by_contract(fault.spot):
            return Finding(fault, Outcome.IDLE, reason="the schema has no other value there")
        outcome = Outcome.UNNOTICED if fault.alike else Outcome.IDLE
        return Finding(fault, outcome, reason=fault.alike)

    def _is_by_contract(self, spot: Spot) -> bool:
        """Whether the suite's schema refuses whatever else might stand at a spot."""
        if self._refusal is None:
            return False
        number, values = next(iter(spot.values.items()))
        if self._breaks(number, self._answers[number].values):
            return False
        return all(self._refuses(number, spot, other) for other in others(values[0]))

    def _refuses(self, number: int, spot: Spot, other: Json) -> bool:
        stream = replaced(self._answers[number].values, spot.steps, lambda _: other)
        return self._breaks(number, stream if isinstance(stream, list) else [])

    def _breaks(self, number: int, stream: list[Json]) -> bool:
        # Declared raw: what is wrong with its input is no matter here.
        case = self._cases[number]._replace(expected=stream, kind=InputKind.RAW)
        return self._refusal is not None and self._refusal(case) != ""


def _of_policy(names: Sequence[str]) -> str:
    if not names:
        return "several parts of [compare] together make no difference of it"
    told = " and ".join("exit" if name == "exit" else f"[compare] {name}" for name in names)
    return f"no difference by {told}"
