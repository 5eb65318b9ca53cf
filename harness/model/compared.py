"""Declare the result of running several subjects on one input. Subjects are numbers from 0.

The amount of data in a result is bounded. Source: docs/compare.md.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.model.events import Evidence

# A tuple of ascending subject numbers per group, ordered by the first member.
Groups = tuple[tuple[int, ...], ...]


class GroupOutput(NamedTuple):
    """The output of one group of subjects, as its first member printed it.

    `evidence` has the differences from the group at the index `compared_with`, if any, whose
    output counts as the expected one.
    """

    members: tuple[int, ...]  # the numbers of the subjects
    ending: str  # how the run failed or ended, where that matters, or empty
    evidence: Evidence
    failed: bool = False
    compared_with: int | None = None


class SeparatingInput(NamedTuple):
    """An input that separates subjects, its size in bytes, and the groups."""

    suite: str
    case: str
    size: int
    groups: Groups


class Separation(NamedTuple):
    """A separating input with all outputs, and a command that compares this input again."""

    of: SeparatingInput
    outputs: tuple[GroupOutput, ...]
    repeat: tuple[str, ...]


class ComparedInput(NamedTuple):
    """The groups of the outputs for an input of `size` bytes, or the problem that prevented them.

    `failures` has a verdict for each subject that failed, and "" for the others. `findings` are
    messages on subjects whose output depends on a session. `is_unsettled`: other runs may have
    disturbed one, or with `is_delayed` taken its processor time. `shares_folder`: the machine
    allowed a run no private working folder.
    """

    size: int = 0
    failures: tuple[str, ...] = ()
    groups: Groups = ()  # empty if there is a problem
    details: Separation | None = None  # only if they are wanted
    problem: str = ""
    findings: tuple[str, ...] = ()
    is_unsettled: bool = False
    is_delayed: bool = False
    shares_folder: bool = False
