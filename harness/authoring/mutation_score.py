"""Judge every mutant of a suite's correct outputs: killed, survived, hidden or without effect.

No program runs for a mutant: its output is judged as if one had printed it. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.authoring.json_shape import ShapePath, replace_value
from harness.authoring.mutants import Mutant, OutputText, ReferenceOutput, mutants_of
from harness.authoring.value_mutators import mutated_values
from harness.jsonio.decoder import Json
from harness.judging.judge import passes
from harness.model.case import Case, ExitRange, InputKind, Policy
from harness.model.comparison import Comparison
from harness.model.transcript import Exited, Transcript

__all__ = ["MutantFinding", "MutantOutcome", "SchemaCheck", "score_mutants"]

# Returns the first schema violation of a case, or "".
SchemaCheck = Callable[[Case], str]

_MOST_EXPLAINED: Final = 20  # cases that are judged again to explain why a mutant is hidden


class MutantOutcome(Enum):
    """The outcomes of a mutant."""

    KILLED = "killed"  # at least one case fails
    SURVIVED = "survived"
    HIDDEN = "hidden"  # the suite's equality rules ignore the change
    NO_EFFECT = "no effect"  # no output changes


class MutantFinding(NamedTuple):
    """A mutant and its outcome; the indexes of the cases that it changes and of those that fail.

    `reason` says why it was not killed, if known.
    """

    fault: Mutant
    outcome: MutantOutcome
    changed: tuple[int, ...] = ()
    noticed: tuple[int, ...] = ()
    reason: str = ""


def score_mutants(
    cases: Sequence[Case], outputs: Sequence[ReferenceOutput], check: SchemaCheck | None = None
) -> Iterator[MutantFinding]:
    """Yield the finding of every mutant.

    `outputs` are correct outputs of the cases, in the same order; `check` validates an expected
    output.
    """
    scorer = _MutantScorer(cases, outputs, check)
    for mutant in mutants_of(outputs):
        yield scorer.score(mutant)


class _MutantScorer:
    """Cases with their correct outputs."""

    def __init__(
        self, cases: Sequence[Case], outputs: Sequence[ReferenceOutput], check: SchemaCheck | None
    ) -> None:
        self._cases = cases
        self._outputs = outputs
        self._check = check

    def score(self, mutant: Mutant) -> MutantFinding:
        """Return the finding of a mutant."""
        mutated = {number: mutant.mutate(number) for number in mutant.outputs}
        changed = {
            n: printed for n, printed in mutated.items() if printed != self._outputs[n].printed
        }
        if not changed:
            return self._score_unchanged(mutant)
        failed = {n for n, printed in changed.items() if not self._passes(n, printed)}
        real = tuple(n for n in changed if n in failed or not self._is_right(n, changed[n]))
        if not real:
            return self._score_unchanged(mutant)
        if failed:
            return MutantFinding(mutant, MutantOutcome.KILLED, real, tuple(sorted(failed)))
        explained = real[:_MOST_EXPLAINED]
        keys = tuple(dict.fromkeys(key for n in explained for key in self._hiding(n, changed[n])))
        # Rules that hide a whole output hide too much.
        outcome = MutantOutcome.HIDDEN if mutant.where else MutantOutcome.SURVIVED
        return MutantFinding(mutant, outcome, real, reason=_hiding_reason(keys))

    def _passes(self, number: int, printed: OutputText, policy: Policy | None = None) -> bool:
        case = self._cases[number]
        transcript = Transcript(Exited(printed.status), printed.text)
        return passes(transcript, case, policy or case.policy)

    def _is_right(self, number: int, printed: OutputText) -> bool:
        """Return whether other bytes are correct too, such as 1 without a line end."""
        right = self._outputs[number]
        case = self._cases[number]._replace(expected=right.values)
        only = ExitRange(right.printed.status, right.printed.status)
        transcript = Transcript(Exited(printed.status), printed.text)
        return passes(transcript, case, Policy(exit=only))

    def _hiding(self, number: int, printed: OutputText) -> Iterator[str]:
        """Yield the keys of suite.toml that let a case pass with this output."""
        policy = self._cases[number].policy
        for name, strict in Comparison()._asdict().items():
            stricter = policy._replace(comparison=policy.comparison._replace(**{name: strict}))
            if not self._passes(number, printed, stricter):
                yield name
        only = self._outputs[number].printed.status
        if not self._passes(number, printed, policy._replace(exit=ExitRange(only, only))):
            yield "exit"

    def _score_unchanged(self, mutant: Mutant) -> MutantFinding:
        """Return the finding of a mutant that changes no output."""
        if mutant.constant and mutant.path is not None and self._is_fixed_by_schema(mutant.path):
            reason = "the schema allows no other value there"
            return MutantFinding(mutant, MutantOutcome.NO_EFFECT, reason=reason)
        outcome = MutantOutcome.SURVIVED if mutant.constant else MutantOutcome.NO_EFFECT
        return MutantFinding(mutant, outcome, reason=mutant.constant)

    def _is_fixed_by_schema(self, path: ShapePath) -> bool:
        """Return whether the output schema rejects other values at a path."""
        if self._check is None:
            return False
        number, values = next(iter(path.values.items()))
        if self._is_invalid(number, self._outputs[number].values):
            return False
        return all(self._rejects(number, path, other) for other in mutated_values(values[0]))

    def _rejects(self, number: int, path: ShapePath, other: Json) -> bool:
        stream = replace_value(self._outputs[number].values, path.steps, lambda _: other)
        return self._is_invalid(number, stream if isinstance(stream, list) else [])

    def _is_invalid(self, number: int, stream: list[Json]) -> bool:
        # As a raw case, its input is not checked.
        case = self._cases[number]._replace(expected=stream, kind=InputKind.RAW)
        return self._check is not None and self._check(case) != ""


def _hiding_reason(keys: Sequence[str]) -> str:
    if not keys:
        return "several rules of [compare] together ignore it"
    names = " and ".join("exit" if key == "exit" else f"[compare] {key}" for key in keys)
    return f"ignored by {names}"
