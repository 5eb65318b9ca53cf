"""The settings of a suite, as records; their defaults hold for a suite without a suite.toml.

The keys of the file are declared in suite_toml.py. Source: docs/suites.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case import InputKind
from harness.model.case_names import CaseName, selects
from harness.model.comparison import Comparison
from harness.model.limits import Limits
from harness.model.policy import ExitRange, Policy
from harness.model.protection import Protection
from harness.model.suite_info import Visibility
from harness.model.verdict import Verdict

__all__ = [
    "DELIVERIES",
    "CaseRule",
    "Grading",
    "KnownRule",
    "Render",
    "RenderedSide",
    "SandboxRules",
    "SuiteSettings",
]

DELIVERIES: Final = tuple(delivery.value for delivery in Delivery)


class Grading(NamedTuple):
    """The points of a whole suite (None: one per case), and when students see its cases."""

    points: float | None = None
    visibility: Visibility = Visibility.VISIBLE


class CaseRule(NamedTuple):
    """One `[[cases]]` table: a pattern, and its settings for these cases; None where not set."""

    match: str
    exit: ExitRange | None = None
    input: InputKind | None = None
    tags: tuple[str, ...] | None = None
    points: float | None = None
    visibility: Visibility | None = None

    def applies_to(self, name: CaseName) -> bool:
        """Return whether the pattern matches a case, as `--case` would."""
        return selects(self.match, name)


class KnownRule(NamedTuple):
    """One `[[known]]` table: failures that are expected, and why.

    `verdicts` and `deliveries` narrow it down; empty, they do not.
    """

    match: str
    reason: str
    link: str = ""
    subject: str = "*"
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()

    def applies_to(self, name: CaseName) -> bool:
        """Return whether the pattern matches a case, for any subject."""
        return selects(self.match, name)


class RenderedSide(Enum):
    """Values of a case that a renderer draws."""

    INPUT = "input"
    OUTPUT = "output"  # expected and printed values


class Render(NamedTuple):
    """The `[render]` table: the command of a program that draws JSON values, and which it draws."""

    command: tuple[str, ...]
    draws: tuple[RenderedSide, ...] = (RenderedSide.OUTPUT,)


class SandboxRules(NamedTuple):
    """The `[sandbox]` table: what must hold for every run."""

    require: tuple[Protection, ...] = ()


class SuiteSettings(NamedTuple):
    """Everything that a suite.toml can set."""

    title: str = ""
    program: str = ""
    input: str = ""
    output: str = ""
    exit: ExitRange = ExitRange()
    deliveries: tuple[str, ...] = DELIVERIES
    conversation: bool = False
    limits: Limits = Limits()
    comparison: Comparison = Comparison()
    grading: Grading = Grading()
    rules: tuple[CaseRule, ...] = ()
    known: tuple[KnownRule, ...] = ()
    render: Render | None = None
    sandbox: SandboxRules = SandboxRules()

    def policy_for(self, name: CaseName) -> tuple[Policy, InputKind, tuple[str, ...]]:
        """Return the policy, kind of input and tags of a case.

        Each is set by the last rule that applies to the case and sets it.
        """
        tags: tuple[str, ...] = ()
        expected_exit, kind = self.exit, InputKind.JSON
        for rule in self.rules:
            if rule.applies_to(name):
                expected_exit = rule.exit if rule.exit is not None else expected_exit
                kind = rule.input if rule.input is not None else kind
                tags = rule.tags if rule.tags is not None else tags
        return Policy(self.comparison, expected_exit, self.limits), kind, tags

    def tags_for(self, name: CaseName) -> tuple[str, ...]:
        """Return the tags of a case, as `policy_for` does."""
        for rule in reversed(self.rules):
            if rule.tags is not None and rule.applies_to(name):
                return rule.tags
        return ()

    def points_for(self, name: CaseName) -> float | None:
        """Return the points that rules give a case, or None if it shares those of the suite."""
        for rule in reversed(self.rules):
            if rule.points is not None and rule.applies_to(name):
                return rule.points
        return None
