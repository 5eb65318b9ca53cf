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
    """The grading part of one `[[cases]]` table; None if it does not set a value."""

    match: str
    points: float | None = None
    visibility: Visibility | None = None
    cases: int = 0  # whose points it decides


class SuiteInfo(NamedTuple):
    """A suite of a run, and facts from its suite.toml."""

    suite: str
    folder: str  # relative to the working folder
    title: str = ""
    program: str = ""
    points: float | None = None  # if None, cases without points of their own are worth one point
    visibility: Visibility = Visibility.VISIBLE
    worth: tuple[GradingRule, ...] = ()
    cases: int = 0
    selected: int = 0  # its runs: one for each case and subject
