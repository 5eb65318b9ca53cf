"""Declare the facts about a suite that reports need.

The first event of a run carries them. Source: docs/results.md.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["GradingRule", "SuiteInfo", "Visibility"]


class Visibility(Enum):
    """When a student sees a graded case, in Gradescope's words."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"


class GradingRule(NamedTuple):
    """The grading part of one `[[cases]]` table; None if it does not set a value.

    `match` is its pattern; `cases` is the number of cases whose points it decides.
    """

    match: str
    points: float | None = None
    visibility: Visibility | None = None
    cases: int = 0


class SuiteInfo(NamedTuple):
    """A suite of a run: its folder relative to the working folder, and facts from suite.toml.

    If `points` is None, each case without points of its own is worth one point. `cases` is the size
    of the suite, `selected` the number of its runs: one for each case and subject.
    """

    suite: str
    folder: str
    title: str = ""
    program: str = ""
    points: float | None = None
    visibility: Visibility = Visibility.VISIBLE
    worth: tuple[GradingRule, ...] = ()
    cases: int = 0
    selected: int = 0
