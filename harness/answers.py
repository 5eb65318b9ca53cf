"""The answers of one program to some cases, each fed plain: for commands that do not report a run,
but do something with what a program prints. What they do is decided there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

from harness.lookup import find_program
from harness.naming import CaseName
from harness.process.loop import run
from harness.records import Case, Job, Subject, Transcript

__all__ = ["Asked", "ProgramMissing", "answers"]


class ProgramMissing(Exception):
    """There is no such program; the message says where it was looked for."""


class Asked(NamedTuple):
    """A case that is put to the program, and its place among those of the suite."""

    at: int
    name: CaseName
    case: Case


def answers(
    asked: Iterable[Asked], subject: Subject, parallel: int, wall_s: float | None
) -> Iterator[tuple[Asked, Transcript]]:
    """Each case with what was observed, in the order in which the runs end. `wall_s` overrides the
    suite's limit. Raises ProgramMissing."""
    program = find_program(subject.command[0])
    if program is None:
        raise ProgramMissing(
            f"{subject.command[0]}: no such program, neither beside this Python nor on PATH"
        )
    argv = (program, *subject.command[1:])
    runs = run(_jobs(asked, argv, wall_s), parallel, dict(os.environ), sole_parent=True)
    # Closed by name: an exception on the way must not leave subjects running until it is forgotten.
    with closing(runs):
        yield from runs


def _jobs(
    asked: Iterable[Asked], argv: tuple[str, ...], wall_s: float | None
) -> Iterator[tuple[Asked, Job]]:
    for one in asked:
        limits = one.case.policy.limits
        if wall_s is not None:
            limits = limits._replace(wall_s=wall_s)
        yield one, Job(argv, one.case.stdin, limits)
