"""Declare the facts about a suite that reports need.

The first event of a run carries them. Source: docs/results.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple

from harness.jsonio.members import ALWAYS
from harness.model.case_names import Match
from harness.model.verdict import FactEnum


class Visibility(Enum):
    """When a student sees a graded case, in Gradescope's words."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"


class Audience(FactEnum):
    """The readers of a report, and the visibilities of the cases that they see."""

    sees: frozenset[Visibility]

    STAFF = "staff", frozenset(Visibility)
    STUDENT = "student", frozenset({Visibility.VISIBLE})
    STUDENT_AFTER_DUE_DATE = (
        "student-after-due-date",
        frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE}),
    )
    STUDENT_AFTER_PUBLISHED = "student-after-published", frozenset(Visibility) - {Visibility.HIDDEN}


class GradingRule(NamedTuple):
    """The grading part of one `[[cases]]` table; None if it does not set a value."""

    match: Match
    points: float | None = None
    visibility: Visibility | None = None
    cases: Annotated[int, ALWAYS] = 0  # whose points it decides
    all_or_nothing: Annotated[bool, "Its cases score points only if all of them pass."] = False


class SuiteInfo(NamedTuple):
    """A suite of a run, and facts from its suite.toml."""

    suite: str
    folder: str  # relative to the working folder
    title: str = ""
    program: str = ""
    points: float | None = None  # if None, cases without points of their own are worth one point
    visibility: Visibility = Visibility.VISIBLE
    worth: tuple[GradingRule, ...] = ()
    cases: Annotated[int, ALWAYS] = 0
    selected: Annotated[int, ALWAYS] = 0  # its runs: one for each case and subject
    digest: Annotated[str, "A digest of the files in the suite's folder."] = ""
    commit: Annotated[str, "The Git commit of this folder."] = ""
    committed: Annotated[str, "The time of this commit (RFC 3339)."] = ""
