"""Build the subjects of targets, all commands alike, and show the builds on standard error."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Final

from harness.files import is_terminal, terminal_size
from harness.model.subject import BuildFailure
from harness.options import messages
from harness.process.sandbox import Sandbox
from harness.project.builds import BuildStep, build_steps, run_builds, with_build_failures
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.results.remembered_builds import RememberedBuilds
from harness.text import escape_ci_commands, escape_nonprintable, shorten_to_width

_SHOWN_LINES: Final = 20  # of the output of a failed build, the last ones
_NAMES_WIDTH: Final = 60  # of the subjects that are not built again
_ERASE: Final = "\r\x1b[K"  # the line that the cursor is in


def build_subjects(
    project: Project,
    targets: Sequence[Target],
    names: Collection[str],
    *,
    parallel: int,
    sandbox: Sandbox | None = None,
    written: Sequence[str] = (),
    rebuild: bool = False,
    sole_parent: bool = True,
) -> list[Target]:
    """Run the builds of the subjects of targets in `names` that have changed since their last one,
    or all of them to `rebuild`. Return the targets; a subject whose build failed, now or then, has
    a fault.

    xtest writes the files `written`. For the other arguments see `run_builds`.
    """
    subjects = {target.subject.name: target.subject for target in targets}
    kind = sandbox.kind.value if sandbox is not None else ""
    remembered = RememberedBuilds(subjects, written, kind)
    steps = build_steps(project, names)
    results = {} if rebuild else remembered.results(steps)
    failures = {
        name: failure
        for step, failure in results.items()
        if failure is not None
        for name in step.subjects
    }
    _note_failures(failures)
    steps = [step for step in steps if step not in results]
    if steps:
        display = TerminalBuilds(details=len(steps) == 1)
        failures |= run_builds(
            steps, display, parallel=parallel, sandbox=sandbox, sole_parent=sole_parent
        )
        remembered.remember({step: failures.get(step.subjects[0]) for step in steps})
    return with_build_failures(targets, failures)


def _note_failures(names: Collection[str]) -> None:
    """Print a note about subjects whose builds failed before, and do not run again."""
    if names:
        shown = shorten_to_width(", ".join(names), _NAMES_WIDTH)
        messages.print_message(
            f"not built again: {shown}: the build failed, and nothing has changed since;"
            " --rebuild repeats it"
        )


class TerminalBuilds:
    """Shows builds: on a terminal, in a line that is erased at the end.

    With `details`, the last lines of a failed build are shown; reports have them otherwise.
    """

    def __init__(self, *, details: bool) -> None:
        self._details = details
        self._running: list[BuildStep] = []
        self._is_drawn = False

    def started(self, step: BuildStep) -> None:
        self._running.append(step)
        if not is_terminal(sys.stderr):
            messages.print_message(step.heading)
        else:
            self._show_running()

    def ended(self, step: BuildStep, failure: BuildFailure | None) -> None:
        self._running.remove(step)
        self._erase()
        if failure is not None and self._details:
            _print_end(step, failure)
        if self._running and is_terminal(sys.stderr):
            self._show_running()

    def close(self) -> None:
        self._erase()

    def _erase(self) -> None:
        if self._is_drawn:
            print(_ERASE, end="", file=sys.stderr, flush=True)
        self._is_drawn = False

    def _show_running(self) -> None:
        steps = self._running
        names = ", ".join(name for step in steps for name in step.subjects)
        heading = f"building {names}" if len(steps) > 1 else steps[0].heading
        width = terminal_size(sys.stderr).columns - 1  # in the last column, some terminals wrap
        line = shorten_to_width(f"xtest: {heading}", width)
        self._erase()
        print(line, end="", file=sys.stderr, flush=True)
        self._is_drawn = True


def _print_end(step: BuildStep, failure: BuildFailure) -> None:
    """Print the last lines of a failed build, after its heading if that was erased."""
    if is_terminal(sys.stderr):
        messages.print_message(step.heading)
    for line in failure.output[-_SHOWN_LINES:]:
        print(escape_ci_commands(f"    {escape_nonprintable(line)}"), file=sys.stderr)
    if failure.lines > _SHOWN_LINES:
        print(f"    (the last {_SHOWN_LINES} of {failure.lines:,} lines)", file=sys.stderr)
