"""Set up the commands that take what a program prints as right: accept and selftest."""

from __future__ import annotations

import os
from typing import NamedTuple

from harness.authoring.reference import ReferenceRuns
from harness.delivery.registry import Delivery
from harness.engine.plan import Selection
from harness.engine.progress import ProgressBoard
from harness.files import cache_folder
from harness.options.execution import ExecutionOptions
from harness.options.setup import require_programs, set_up
from harness.options.targets import find_reference_targets
from harness.project.targets import Target
from harness.results.selection import SelectedRuns, select_runs


class ReferenceOptions(NamedTuple):
    """The options of the commands by name, and the board on which runs in progress are noted."""

    suites: tuple[str, ...]
    subjects: tuple[str, ...]
    selection: Selection
    execution: ExecutionOptions
    board: ProgressBoard


class Reference(NamedTuple):
    """Suites with the program that runs on each, their selected cases with all problems, and how
    the program runs."""

    targets: list[Target]
    selected: SelectedRuns
    how: ReferenceRuns


def set_up_reference(
    options: ReferenceOptions, command: tuple[str, ...] | None, verb: str
) -> Reference:
    """Make a program ready to run on the selected cases. Raises UsageError.

    For `command` and `verb`, see `find_reference_targets`.
    """
    execution = options.execution
    found = find_reference_targets(options.suites, command, options.subjects, verb)
    setup = set_up(found, execution)
    require_programs(setup)
    folder = cache_folder(os.environ)
    selected = select_runs(setup.targets, options.selection, (Delivery.PLAIN,), folder)
    selected = selected._replace(problems=(*found.problems, *selected.problems))
    how = ReferenceRuns(
        parallel=execution.parallel,
        wall_s=execution.wall,
        sandbox=setup.sandbox,
        sessions=execution.sessions,
        board=options.board,
    )
    return Reference(setup.targets, selected, how)
