"""What a run's first event says of its suites, drawn from their settings.

Pure. Imported only where results are written: a plain run is spared it. The records are those of
harness/about.py; what suite.toml may say of grading is in docs/suites.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from harness.about import About, Worth
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName
from harness.suites.policy import CaseRule

__all__ = ["about_suites"]


def about_suites(suites: Iterable[Suite]) -> tuple[About, ...]:
    """What there is to say of each suite, once. How many runs of it are to come is the session's to
    add."""
    return tuple(_about(suite) for suite in {suite.name: suite for suite in suites}.values())


def _about(suite: Suite) -> About:
    settings = suite.settings
    return About(
        suite=suite.name,
        folder=str(suite.folder),
        title=settings.title,
        program=settings.program,
        points=settings.grading.points,
        visibility=settings.grading.visibility,
        worth=_worth(settings.rules, suite),
        cases=len(suite.names),
    )


def _worth(rules: tuple[CaseRule, ...], suite: Suite) -> tuple[Worth, ...]:
    graded = [rule for rule in rules if (rule.points, rule.visibility) != (None, None)]
    counts: Counter[int | None] = Counter()
    if any(rule.points is not None for rule in graded):
        counts.update(_decider(graded, name) for name in suite.names)
    return tuple(
        Worth(rule.match, rule.points, rule.visibility, counts[index])
        for index, rule in enumerate(graded)
    )


def _decider(rules: list[CaseRule], name: CaseName) -> int | None:
    """Which of the rules decides the points of a case."""
    for index in range(len(rules) - 1, -1, -1):
        if rules[index].points is not None and rules[index].applies_to(name):
            return index
    return None
