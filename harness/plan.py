"""The plan: which runs a selection of suites, cases and deliveries comes to, in what order.

Pure: suites that were listed in, runs out. Nothing is read and nothing is started.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.corpus import Suite
from harness.deliveries import DELIVERIES, Delivery
from harness.naming import CaseName, pattern_of, selects
from harness.records import Subject

__all__ = ["Plan", "PlannedRun", "Selection", "Target", "idle_patterns", "repeat_command"]


class Target(NamedTuple):
    """A suite, how the user named it, and the subject that it is run against."""

    suite: Suite
    argument: str
    subject: Subject
    is_default_subject: bool


class Selection(NamedTuple):
    """Which cases are run: those that one of the patterns means; all where there is none."""

    patterns: tuple[str, ...] = ()

    def takes(self, name: CaseName) -> bool:
        """Whether a case is among them."""
        return not self.patterns or any(selects(pattern, name) for pattern in self.patterns)


class PlannedRun(NamedTuple):
    """A case of a suite (its place among the suite's names is `at`) that is to be run against a
    subject, with these deliveries; which of them make a difference for its input is seen when it is
    read."""

    target: Target
    name: CaseName
    deliveries: tuple[Delivery, ...]
    at: int | None = None


class Plan:
    """The runs, suite by suite, in natural order of the cases. With `wanted` None, each suite's
    cases are fed plain, and in all the ways that it declares must not matter.

    They are made whenever they are gone through, and never kept: there may be very many.
    """

    __slots__ = ("_selection", "_targets", "_wanted")

    def __init__(
        self,
        targets: Sequence[Target],
        selection: Selection,
        wanted: tuple[Delivery, ...] | None,
    ) -> None:
        self._targets = targets
        self._selection = selection
        self._wanted = wanted

    def __iter__(self) -> Iterator[PlannedRun]:
        for target in self._targets:
            deliveries = _declared(target.suite) if self._wanted is None else self._wanted
            for at, name in enumerate(target.suite.names):
                if self._selection.takes(name):
                    yield PlannedRun(target, name, deliveries, at)


def _declared(suite: Suite) -> tuple[Delivery, ...]:
    declared = {Delivery.PLAIN, *(Delivery(name) for name in suite.settings.deliveries)}
    return tuple(delivery for delivery in DELIVERIES if delivery in declared)


def idle_patterns(targets: Sequence[Target], selection: Selection) -> tuple[str, ...]:
    """The patterns of a selection that mean no case at all: slips of the pen, most likely."""
    return tuple(
        pattern
        for pattern in selection.patterns
        if not any(selects(pattern, name) for target in targets for name in target.suite.names)
    )


def repeat_command(run: PlannedRun, delivery: Delivery) -> tuple[str, ...]:
    """The command line that runs just this again."""
    target = run.target
    # A folder's name may look like an option.
    argument = f"./{target.argument}" if target.argument.startswith("-") else target.argument
    words: tuple[str, ...] = ("xtest", "run", argument, "--case", pattern_of(run.name))
    if delivery is not Delivery.PLAIN:
        words += ("--deliver", delivery.value)
    return words if target.is_default_subject else (*words, "--", *target.subject.command)
