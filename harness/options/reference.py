"""Set up the commands that take what a program prints as right, and run it: accept and selftest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from harness.authoring.reference import ReadCase, ReferenceRun, ReferenceWorkload
from harness.delivery.registry import Delivery
from harness.engine.judge_process import Judging
from harness.engine.plan import PlannedRun, Selection
from harness.files import cache_folder
from harness.options.arguments import ExecutionOptions
from harness.options.setup import Setup, require_programs, set_up
from harness.options.targets import find_reference_targets
from harness.options.working import require_all, start_work
from harness.project.targets import Target
from harness.results.selection import SelectedRuns, select_runs

T = TypeVar("T")


class ReferenceOptions(NamedTuple):
    """The options of the commands by name."""

    suites: tuple[str, ...]
    subjects: tuple[str, ...]
    selection: Selection
    execution: ExecutionOptions


class Reference(NamedTuple):
    """Suites with the program that runs on each, and their selected cases with all problems."""

    setup: Setup
    selected: SelectedRuns
    execution: ExecutionOptions

    @property
    def targets(self) -> list[Target]:
        return self.setup.targets

    def planned(self, target: Target) -> list[PlannedRun]:
        """Return the selected cases of a target."""
        return [planned for planned in self.selected.plan if planned.target is target]

    def run(
        self,
        target: Target,
        cases: Sequence[PlannedRun],
        read_case: ReadCase,
        judging: Judging[T],
        step: str = "",
    ) -> list[ReferenceRun[T]]:
        """Run the program on cases of a target, and return what each run has shown, in any order.

        `step` names the runs while they are in progress.
        """
        if not cases:
            return []
        work = ReferenceWorkload(target, self.setup.sandbox, read_case, judging)
        with start_work(work, cases, self.execution, step=step) as running:
            runs = list(running.all_results())
            require_all(running.losses)
        return runs


def set_up_reference(
    options: ReferenceOptions, command: tuple[str, ...] | None, verb: str
) -> Reference:
    """Make a program ready to run on the selected cases. Raises UsageError.

    For `command` and `verb`, see `find_reference_targets`.
    """
    execution = options.execution
    targets = find_reference_targets(options.suites, command, options.subjects, verb)
    setup = set_up(targets, execution)
    require_programs(setup)
    folder = cache_folder(os.environ)
    selected = select_runs(setup.targets, options.selection, (Delivery.PLAIN,), folder)
    selected = selected._replace(problems=(*targets.problems, *selected.problems))
    return Reference(setup, selected, execution)
