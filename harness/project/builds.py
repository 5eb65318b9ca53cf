"""Run the build commands of subjects. Source: docs/subjects.md."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

from harness.model.limits import Limit, Limits
from harness.model.subject import ExecutionContext
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.sandbox import Sandbox, run_one_in
from harness.project.program_lookup import find_program, no_program_text, search_path
from harness.project.subjects import Project, execution_context
from harness.project.targets import Target
from harness.text import (
    escape_nonprintable,
    format_number,
    shell_line,
    shorten_to_width,
    signal_name,
)

_OUTPUT_MIB: Final = 64.0
_SHOWN_WIDTH: Final = 160  # of the line that a message quotes
_ERROR: Final = re.compile(r"\berror\b", re.IGNORECASE)


class BuildStep(NamedTuple):
    """The build command of a subject, where it runs, and the seconds that it may take."""

    subject: str
    command: tuple[str, ...]
    context: ExecutionContext
    wall_s: float

    @property
    def heading(self) -> str:
        return f"building {self.subject}: {shell_line(self.command)}"


class BuildDisplay(Protocol):
    """Shows builds to the user."""

    def building(self, heading: str) -> AbstractContextManager[None]:
        """Show that a build runs, until the end of the `with` block."""

    def failed(self, heading: str, output: Sequence[str]) -> None:
        """Show the lines that a failed build printed."""


def build_targets(
    project: Project,
    targets: Sequence[Target],
    display: BuildDisplay,
    names: Collection[str] | None = None,
) -> list[Target]:
    """Build each subject of the targets once, or only those in `names` unless it is None.

    Return the targets; a subject whose build failed has a fault.
    """
    configured = {target.subject.name for target in targets if target.subject.context is not None}
    built = configured if names is None else configured.intersection(names)
    return with_build_failures(targets, build(project, built, display))


def with_build_failures(targets: Sequence[Target], failures: Mapping[str, str]) -> list[Target]:
    """Return the targets with a fault for each subject of xtest.toml in `failures`, by name."""
    return [
        target._replace(subject=target.subject._replace(fault=failure))
        if (failure := failures.get(target.subject.name)) and target.subject.context is not None
        else target
        for target in targets
    ]


def build(
    project: Project, names: Collection[str], display: BuildDisplay, *, sole_parent: bool = True
) -> dict[str, str]:
    """Run the build commands of the subjects in `names`; return why some failed, by name.

    `sole_parent` is passed to `harness.process.loop.run`.
    """
    steps = build_steps(project, names)
    failures = {step.subject: run_build(step, display, sole_parent=sole_parent) for step in steps}
    return {name: failure for name, failure in failures.items() if failure}


def build_steps(project: Project, names: Collection[str]) -> list[BuildStep]:
    """Return the build commands of the subjects that have one."""
    return [
        BuildStep(one.name, one.build, execution_context(project, one), one.build_s)
        for one in project.config.subjects
        if one.name in names and one.build
    ]


def run_build(step: BuildStep, display: BuildDisplay, *, sole_parent: bool = True) -> str:
    """Run a build; return why it failed, in one line, or ""."""
    limits = Limits(wall_s=step.wall_s, output_mib=_OUTPUT_MIB)
    with display.building(step.heading):
        transcript = run_project_command(
            step.command, step.context, limits, sole_parent=sole_parent
        )
    reason = failure_reason(transcript, limits, "build_s")
    if not reason:
        return ""
    output = (transcript.stdout + transcript.stderr).decode("utf-8", "backslashreplace")
    lines = output.splitlines()
    display.failed(step.heading, lines)
    command, folder = shell_line(step.command), escape_nonprintable(step.context.folder)
    return f"its build failed: {command}, in {folder}: {reason}{_error_in(lines)}"


def _error_in(lines: Sequence[str]) -> str:
    """Return the first line of a build's output with the word "error", else the last; or ""."""
    printed = [line.strip() for line in lines if line.strip()]
    found = next((line for line in printed if _ERROR.search(line)), "".join(printed[-1:]))
    return f"; it printed: {shorten_to_width(found, _SHOWN_WIDTH)}" if found else ""


def run_project_command(
    command: tuple[str, ...],
    context: ExecutionContext,
    limits: Limits,
    *,
    sole_parent: bool,
    sandbox: Sandbox | None = None,
) -> Transcript:
    """Run a command of xtest.toml in a subject's folder and environment, in a sandbox if given."""
    name, *rest = command
    program = find_program(name, search_path(context))
    if program is None:
        return Transcript(NotStarted(no_program_text(name)))
    job = Job((program, *rest), b"", limits, None, context)
    return run_one_in(sandbox, job, os.environ, sole_parent=sole_parent)


def failure_reason(transcript: Transcript, limits: Limits, key: str = "") -> str:
    """Return why a command of xtest.toml failed, or ""; `key` is that of its time limit."""
    if isinstance(transcript.ending, NotStarted):
        return transcript.ending.reason
    if transcript.limit is Limit.OUTPUT:
        return f"it printed more than {format_number(limits.output_mib)} MiB"
    if transcript.limit is not None:
        hint = f" ({key})" if key else ""
        return f"it took longer than {format_number(limits.wall_s)} s{hint}"
    if isinstance(transcript.ending, Exited):
        return f"exit status {transcript.ending.status}" if transcript.ending.status else ""
    return f"ended by {signal_name(transcript.ending.number)}"
