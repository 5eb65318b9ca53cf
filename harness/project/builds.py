"""Run the build commands of subjects. Source: docs/subjects.md."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final, NamedTuple, Protocol

from harness.files import is_in
from harness.model.limits import Limit, Limits
from harness.model.protection import SandboxKind
from harness.model.subject import BuildFailure, ExecutionContext
from harness.model.transcript import Exited, Job, NotStarted, Transcript
from harness.process.inventory import inventory_of
from harness.process.loop import in_order
from harness.process.run_state import EndedRun
from harness.process.sandbox import Sandbox, run_in, run_one_in
from harness.process.workspace import watch_growth
from harness.project.program_lookup import find_program, no_program_text
from harness.project.subjects import Project, execution_context
from harness.project.targets import Target
from harness.text import (
    escape_nonprintable,
    format_number,
    shell_line,
    shorten_to_width,
    signal_name,
    truncate,
)

_OUTPUT_MIB: Final = 64.0
_KEPT_LINES: Final = 50  # of the output of a failed build, the last ones
_KEPT_WIDTH: Final = 300  # characters of each
_SHOWN_WIDTH: Final = 160  # of the line that a message quotes
_ERROR: Final = re.compile(r"\berror\b", re.IGNORECASE)
_KEYS: Final = {
    Limit.WALL: "build_s",
    Limit.MEMORY: "build_mib",
    Limit.PROCESSES: "build_processes",
    Limit.FILE_SIZE: "build_disk_mib",
}

# Of limits whose excess is not the same for a run.
_EXCESS: Final = {
    **dict.fromkeys((Limit.WALL, Limit.FIRST_BYTE), "took longer than {} s"),
    Limit.FILE_SIZE: "wrote more than {} MiB into its folder",
}


class BuildStep(NamedTuple):
    """The build command of one or more subjects, where it runs, and its limits."""

    subjects: tuple[str, ...]
    command: tuple[str, ...]
    context: ExecutionContext
    limits: Limits

    @property
    def heading(self) -> str:
        return f"building {', '.join(self.subjects)}: {shell_line(self.command)}"


class BuildDisplay(Protocol):
    """Shows builds to the user, of which several may run at once."""

    def started(self, step: BuildStep) -> None: ...

    def ended(self, step: BuildStep, failure: BuildFailure | None) -> None: ...

    def close(self) -> None:
        """Stop showing builds that run."""


def build_steps(project: Project, names: Collection[str]) -> list[BuildStep]:
    """Return the builds of the subjects with these names, equal ones once."""
    steps: dict[BuildStep, list[str]] = {}
    for one in project.config.subjects:
        if one.name in names and one.build:
            limits = Limits(
                wall_s=one.build_s,
                memory_mib=one.build_mib,
                processes=one.build_processes,
                output_mib=_OUTPUT_MIB,
                file_mib=one.build_disk_mib,
            )
            context = execution_context(project, one)
            # The programs of builds are those of the machine, whatever lies in the folder.
            context = context._replace(keeps_files=True, is_own=False)
            step = BuildStep((), one.build, context, limits)
            steps.setdefault(step, []).append(one.name)
    return [step._replace(subjects=tuple(each)) for step, each in steps.items()]


def with_build_failures(
    targets: Sequence[Target], failures: Mapping[str, BuildFailure]
) -> list[Target]:
    """Return the targets with a fault for each subject of xtest.toml in `failures`, by name."""
    return [
        target._replace(
            subject=target.subject._replace(fault=failure.reason, build_failure=failure)
        )
        if target.subject.context is not None
        and (failure := failures.get(target.subject.name)) is not None
        else target
        for target in targets
    ]


def run_builds(
    steps: Sequence[BuildStep],
    display: BuildDisplay,
    *,
    parallel: int,
    sandbox: Sandbox | None = None,
    sole_parent: bool = True,
) -> dict[str, BuildFailure]:
    """Run builds, up to `parallel` at once; return why some failed, by subject.

    Builds in the same folder run one after another. A build that reaches its time limit beside
    others is repeated alone. `sole_parent` is passed to `harness.process.loop.run`.
    """
    failures: dict[str, BuildFailure] = {}

    def run(batch: Sequence[BuildStep], at_once: int) -> Iterator[BuildStep]:
        """Run a batch; yield the builds to repeat alone."""
        runs = run_in(
            sandbox, in_order(_jobs(batch, display)), at_once, os.environ, sole_parent=sole_parent
        )
        with closing(runs):
            for ended in runs:
                assert isinstance(ended, EndedRun)
                step, transcript = ended.key, ended.transcript
                if transcript.limit is Limit.WALL and at_once > 1 and len(batch) > 1:
                    display.ended(step, None)
                    yield step
                    continue
                failure = _failure(step, transcript, sandbox)
                display.ended(step, failure)
                if failure is not None:
                    failures.update(dict.fromkeys(step.subjects, failure))

    with closing(display):
        for batch in _batches(steps):
            for step in list(run(batch, parallel)):
                list(run([step], 1))
    return failures


def _batches(steps: Sequence[BuildStep]) -> list[list[BuildStep]]:
    """Split builds into batches: those in the same folder, or one in the other, run in order."""
    batches: list[list[tuple[str, BuildStep]]] = []
    for step in steps:
        folder = os.path.realpath(step.context.folder)
        after = (
            number
            for number, batch in enumerate(batches, 1)
            if any(is_in(folder, other) or is_in(other, folder) for other, _ in batch)
        )
        number = max(after, default=0)
        if number == len(batches):
            batches.append([])
        batches[number].append((folder, step))
    return [[step for _, step in batch] for batch in batches]


def _jobs(
    steps: Sequence[BuildStep], display: BuildDisplay
) -> Iterator[tuple[BuildStep, Job | Transcript]]:
    for step in steps:
        display.started(step)
        job = _job(step.command, step.context, step.limits)
        if isinstance(job, Job):
            job = job._replace(builds=True, written_mib=watch_growth(step.context.folder))
        yield step, job


def _job(command: tuple[str, ...], context: ExecutionContext, limits: Limits) -> Job | Transcript:
    """Return the job of a command of xtest.toml, or the transcript of one without its program."""
    name, *rest = command
    program = find_program(name, context)
    if program is None:
        return Transcript(NotStarted(no_program_text(name, context)))
    return Job((program, *rest), b"", limits, None, context)


def _failure(
    step: BuildStep, transcript: Transcript, sandbox: Sandbox | None
) -> BuildFailure | None:
    reason = failure_reason(transcript, step.limits, _KEYS)
    if not reason:
        return None
    output = (transcript.stdout + transcript.stderr).decode("utf-8", "backslashreplace")
    lines = output.splitlines()
    command, folder = shell_line(step.command), escape_nonprintable(step.context.folder)
    where = f"in {folder}{', in the sandbox' if sandbox is not None else ''}"
    detail = _error_in(lines) + _hidden_in(step, sandbox)
    return BuildFailure(
        f"its build failed: {command}, {where}: {reason}{detail}",
        tuple(truncate(line, _KEPT_WIDTH) for line in lines[-_KEPT_LINES:]),
        len(lines),
        is_lasting=not (isinstance(transcript.ending, NotStarted) and transcript.ending.by_machine),
    )


def _error_in(lines: Sequence[str]) -> str:
    """Return the first line of a build's output with the word "error", else the last; or ""."""
    printed = [line.strip() for line in lines if line.strip()]
    error = next((line for line in printed if _ERROR.search(line)), "".join(printed[-1:]))
    return f"; it printed: {shorten_to_width(error, _SHOWN_WIDTH)}" if error else ""


def _hidden_in(step: BuildStep, sandbox: Sandbox | None) -> str:
    """Return what keeps a build under Landlock from creating files in its folder, if anything."""
    if sandbox is None or sandbox.kind is not SandboxKind.LANDLOCK:
        return ""
    folder = os.path.realpath(step.context.folder)
    paths = inventory_of(step.command, folder, sandbox.exposure).paths
    hidden = next((path for path, visible in paths if not visible and is_in(path, folder)), "")
    if not hidden:
        return ""
    name = escape_nonprintable(os.path.relpath(hidden, folder))
    return (
        f"; Landlock hides {name} there, so it can create no files beside that;"
        " remove it, or use bwrap"
    )


def run_project_command(
    command: tuple[str, ...],
    context: ExecutionContext,
    limits: Limits,
    *,
    sole_parent: bool,
    sandbox: Sandbox | None = None,
) -> Transcript:
    """Run a command of xtest.toml in a subject's folder and environment, in a sandbox if given."""
    job = _job(command, context, limits)
    if isinstance(job, Transcript):
        return job
    return run_one_in(sandbox, job, os.environ, sole_parent=sole_parent)


def failure_reason(
    transcript: Transcript, limits: Limits, keys: Mapping[Limit, str] | None = None
) -> str:
    """Return why a command of xtest.toml failed, or ""; `keys` are those of its limits."""
    if isinstance(transcript.ending, NotStarted):
        return transcript.ending.reason
    if (limit := transcript.limit) is not None:
        allowed = limits.value_of(limit)
        template = _EXCESS.get(limit) or (limit.excess or ("", ""))[1]
        key = (keys or {}).get(limit)
        reason = template.format(format_number(allowed)) if allowed is not None else limit.value
        return f"it {reason}{f' ({key})' if key else ''}"
    if isinstance(transcript.ending, Exited):
        return f"exit status {transcript.ending.status}" if transcript.ending.status else ""
    return f"ended by {signal_name(transcript.ending.number)}"
