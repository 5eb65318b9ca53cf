"""Judge every mutant of a suite's correct outputs: killed, survived, hidden or without effect.

No program runs for a mutant: its output is judged as if one had printed it. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from harness.authoring.dialogue_mutants import replay
from harness.authoring.json_shape import ShapePath, replace_value
from harness.authoring.mutants import (
    Mutant,
    OutputText,
    ReferenceOutput,
    mutants_of,
    mutated_values,
)
from harness.engine.request import Check
from harness.jsonio.decoder import Json
from harness.judging.judge import passes
from harness.model.case import Case, ExitRange, InputKind, Policy
from harness.model.comparison import Comparison
from harness.model.transcript import Exited, Transcript

_PLAIN_KEYS: Final = ("exit", "extra")
_MOST_EXPLAINED: Final = 20  # cases that are judged again to explain why a mutant is hidden


class MutantOutcome(Enum):
    KILLED = "killed"  # at least one case fails
    SURVIVED = "survived"
    HIDDEN = "hidden"  # the suite's equality rules ignore the change
    NO_EFFECT = "no effect"  # no output changes


class MutantFinding(NamedTuple):
    """The outcome of a mutant; `changed` and `killed_by` are indexes of cases."""

    where: str
    what: str
    outcome: MutantOutcome
    changed: tuple[int, ...] = ()
    killed_by: tuple[int, ...] = ()
    reason: str = ""  # why it was not killed, if known


def score_mutants(
    cases: Sequence[Case], outputs: Sequence[ReferenceOutput], check: Check | None = None
) -> Iterator[MutantFinding]:
    """Yield a finding for every mutant of the correct outputs of these cases."""
    scorer = _MutantScorer(cases, outputs, check)
    return (scorer.score(mutant) for mutant in mutants_of(outputs))


@dataclass(frozen=True, slots=True)
class _MutantScorer:
    cases: Sequence[Case]
    outputs: Sequence[ReferenceOutput]
    check: Check | None

    def score(self, mutant: Mutant) -> MutantFinding:
        finding = MutantFinding(mutant.where, mutant.what, MutantOutcome.KILLED)
        changed = {n: out for n, out in mutant.outputs.items() if out != self.outputs[n].printed}
        failed = {n for n, printed in changed.items() if not self._passes(n, printed)}
        real = tuple(n for n in changed if n in failed or not self._is_right(n, changed[n]))
        if not real:
            outcome, reason = self._score_unchanged(mutant)
            return finding._replace(outcome=outcome, reason=reason)
        if failed:
            return finding._replace(changed=real, killed_by=tuple(sorted(failed)))
        explained = real[:_MOST_EXPLAINED]
        keys = tuple(
            dict.fromkeys(key for n in explained for key in self._hiding_keys(n, changed[n]))
        )
        # Rules that hide a whole output hide too much.
        outcome = MutantOutcome.HIDDEN if mutant.where else MutantOutcome.SURVIVED
        return finding._replace(outcome=outcome, changed=real, reason=_hiding_reason(keys))

    def _passes(
        self, number: int, printed: OutputText, policy: Policy | None = None, *, extra: bool = True
    ) -> bool:
        """Return whether a case passes; without `extra`, no step allows members that it lacks."""
        case, reference = self.cases[number], self.outputs[number].transcript
        transcript = _transcript(printed)
        if case.script is not None and reference is not None:
            script = case.script if extra else case.script.without_extra()
            case = case._replace(script=script)
            transcript = replay(script, reference, printed.text.splitlines(), printed.status)
        return passes(transcript, case, policy or case.policy)

    def _is_right(self, number: int, printed: OutputText) -> bool:
        """Return whether a changed output has the correct values, such as 1 without a line end."""
        case, values = self.cases[number], self.outputs[number].values
        alternatives = (values, *case.alternatives) if case.alternatives else ()
        case = case._replace(expected=values, alternatives=alternatives, exits=(), script=None)
        return passes(_transcript(printed), case, Policy(exit=self._status(number)))

    def _hiding_keys(self, number: int, printed: OutputText) -> Iterator[str]:
        """Yield the keys of suite.toml, or of steps, that let a case pass with this output."""
        keys = list(self._hiding_rules(number, printed))
        yield from keys
        # The reference may need extra, too: then it is the reason only if there is no other.
        right, wrong = (
            self._passes(number, each, extra=False)
            for each in (self.outputs[number].printed, printed)
        )
        if (right and not wrong) or not (right or keys):
            yield "extra"

    def _hiding_rules(self, number: int, printed: OutputText) -> Iterator[str]:
        policy = self.cases[number].policy
        for name, strict in Comparison()._asdict().items():
            stricter = policy._replace(comparison=policy.comparison._replace(**{name: strict}))
            if not self._passes(number, printed, stricter):
                yield name
        if not self._passes(number, printed, policy._replace(exit=self._status(number))):
            yield "exit"

    def _status(self, number: int) -> ExitRange:
        script, status = self.cases[number].script, self.outputs[number].printed.status
        counts = script is None or script.rules.must_end
        return ExitRange(status, status) if counts else ExitRange(0, 255)

    def _score_unchanged(self, mutant: Mutant) -> tuple[MutantOutcome, str]:
        """Return the outcome and reason of a mutant that changes no output."""
        if not mutant.unchanged_reason:
            return MutantOutcome.NO_EFFECT, ""
        if mutant.path is not None and self._is_fixed_by_schema(mutant.path):
            return MutantOutcome.NO_EFFECT, "the schema allows no other value there"
        return MutantOutcome.SURVIVED, mutant.unchanged_reason

    def _is_fixed_by_schema(self, path: ShapePath) -> bool:
        """Return whether the output schema rejects other values at a path."""
        number, values = next(iter(path.values.items()))
        if self._is_invalid(number, self.outputs[number].values):
            return False
        return all(self._rejects(number, path, other) for other in mutated_values(values[0]))

    def _rejects(self, number: int, path: ShapePath, other: Json) -> bool:
        stream = replace_value(self.outputs[number].values, path.steps, lambda _: other)
        return self._is_invalid(number, stream if isinstance(stream, list) else [])

    def _is_invalid(self, number: int, stream: list[Json]) -> bool:
        # As a raw case, its input is not checked.
        case = self.cases[number]._replace(expected=stream, kind=InputKind.RAW)
        return self.check is not None and self.check(case) != ""


def _transcript(printed: OutputText) -> Transcript:
    return Transcript(Exited(printed.status), printed.text)


def _hiding_reason(keys: Sequence[str]) -> str:
    if not keys:
        return "several rules of [compare] together ignore it"
    names = " and ".join(key if key in _PLAIN_KEYS else f"[compare] {key}" for key in keys)
    return f"ignored by {names}"
