"""Declare the results of a comparison, and keep the smallest inputs that separate subjects."""

from __future__ import annotations

from bisect import insort
from operator import attrgetter
from typing import NamedTuple

from harness.model.compared import ComparedInput, Separation
from harness.runner.plan import PlannedRun


class Order(NamedTuple):
    """The smallest input comes first, and of equally large ones, the first of the plan."""

    size: int
    suite: int
    at: int


class InputResult(NamedTuple):
    """The result of an input; the subject of `planned` has no meaning."""

    planned: PlannedRun
    compared: ComparedInput
    order: Order

    @property
    def details(self) -> Separation | None:
        """The details of an input that separates subjects, if they were wanted."""
        return None if self.compared.outputs is None else self.compared.outputs.details


class SmallestInputs:
    """The smallest inputs that separate subjects and have details, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self.results: list[InputResult] = []
        self._limit = limit

    @property
    def details(self) -> list[Separation]:
        return [each.details for each in self.results if each.details is not None]

    def takes(self, order: Order) -> bool:
        """Return whether an input is one of the smallest so far."""
        return len(self.results) < self._limit or order < self.results[-1].order

    def add(self, result: InputResult) -> InputResult | None:
        """Add an input if it has details; return the input that is left out now, if any."""
        if result.details is None:
            return result
        insort(self.results, result, key=attrgetter("order"))
        return self.results.pop() if len(self.results) > self._limit else None
