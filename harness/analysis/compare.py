"""Count the results of a comparison, which come in any order. Pure. Source: docs/compare.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from operator import itemgetter
from string import ascii_uppercase

from harness.engine.compare_runs import InputOrder, InputResult, SmallestInputs
from harness.model.compared import Groups, SeparatingInput
from harness.model.events import Diagnostic


class ComparisonResults:
    """The results so far, with details of at most `limit` inputs; a reference is subject 0."""

    def __init__(self, subjects: Sequence[str], limit: int, *, has_reference: bool) -> None:
        self.subjects = subjects
        self.has_reference = has_reference
        self.totals = ComparisonTotals(len(subjects))
        self.smallest = SmallestInputs(limit)
        self.interrupted = False
        self.resumed = 0  # inputs whose results come from an earlier run
        self.other_problems: list[Diagnostic] = []  # of suites and workers
        self._separating: list[tuple[InputOrder, SeparatingInput]] = []
        self._problems: list[tuple[InputOrder, Diagnostic]] = []

    @property
    def separating(self) -> list[SeparatingInput]:
        """All inputs that separate the subjects, the smallest first."""
        return [each for _, each in sorted(self._separating, key=itemgetter(0))]

    @property
    def problems(self) -> list[Diagnostic]:
        """All problems; those of inputs come last."""
        of_inputs = sorted(self._problems, key=itemgetter(0))
        return [*self.other_problems, *(problem for _, problem in of_inputs)]

    def add(self, result: InputResult) -> None:
        compared, planned = result.compared, result.planned
        suite, case = planned.target.suite.name, planned.name.text
        order = result.order._replace(size=0)  # problems are in order of the plan
        messages = filter(None, (*compared.findings, compared.problem))
        self._problems += ((order, Diagnostic(f"{suite}/{case}", each)) for each in messages)
        if compared.groups:
            self.totals.add(compared.failures, compared.groups)
        if len(compared.groups) > 1:
            separating = SeparatingInput(suite, case, compared.size, compared.groups)
            self._separating.append((result.order, separating))
            self.smallest.add(result)


def group_label(number: int) -> str:
    return ascii_uppercase[number]


class ComparisonTotals:
    """Counts over all inputs: which subjects agree, in pairs and in groups."""

    def __init__(self, subjects: int) -> None:
        self.subjects = subjects
        self.inputs = 0
        self.alike = 0  # inputs with the same outcome for all subjects
        self.all_failed = 0  # of these, the inputs on which all subjects failed
        self.partitions: Counter[Groups] = Counter()
        self.failures: tuple[Counter[str], ...] = tuple(Counter() for _ in range(subjects))
        self._agreements: Counter[tuple[int, int]] = Counter()

    @property
    def separating(self) -> int:
        """The number of inputs that separate the subjects: not all have the same outcome."""
        return self.inputs - self.alike

    @property
    def shows_nothing(self) -> bool:
        """Return whether all subjects failed on all inputs, so that nothing was compared."""
        return 0 < self.inputs == self.all_failed

    def add(self, failures: Sequence[str], groups: Groups) -> None:
        """Count one input: the failure of each subject or "", and the groups that agree."""
        self.inputs += 1
        self.alike += len(groups) == 1
        self.all_failed += len(groups) == 1 and bool(failures[0])
        self.partitions[groups] += 1
        self._agreements.update(pair for group in groups for pair in combinations(group, 2))
        for counter, failure in zip(self.failures, failures, strict=True):
            if failure:
                counter[failure] += 1

    def agreements(self, one: int, other: int) -> int:
        """Return on how many inputs two subjects agree."""
        return self._agreements[min(one, other), max(one, other)] if one != other else self.inputs

    def percent(self, one: int, other: int) -> float:
        """Return the share of inputs on which two subjects agree, rounded down to a tenth."""
        return self.agreements(one, other) * 1000 // self.inputs / 10 if self.inputs else 100.0

    def ranked(self) -> list[tuple[Groups, int]]:
        """Return each partition into groups and its number of inputs: all alike, then by number."""
        return sorted(self.partitions.items(), key=lambda each: (len(each[0]) > 1, -each[1], each))
