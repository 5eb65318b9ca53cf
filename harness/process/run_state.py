"""Hold the observations of a run in progress, and turn them into a transcript at its end."""

from __future__ import annotations

import time
from dataclasses import InitVar, dataclass, field

from harness.model.limits import Limit, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Job, Transcript
from harness.process.cgroups import ControlGroup
from harness.process.input_writer import NOTHING_LEFT, InputWriter
from harness.process.reaper import RunProcesses
from harness.process.sampling import UsageSampler
from harness.process.spawn import CLOSED, Child
from harness.process.termination import ExitInfo, to_ending


@dataclass(slots=True, eq=False)
class RunState:  # pylint: disable=too-many-instance-attributes  # one for each thing observed
    """A run in progress. Times are on the monotonic clock."""

    number: int
    job: Job
    child: Child
    started_at: float
    group: ControlGroup | None
    is_alone: InitVar[bool]
    input: InputWriter = field(init=False)
    out: bytearray = field(default_factory=bytearray)  # parts would take a multiple of the memory
    err: bytearray = field(default_factory=bytearray)
    out_bytes: int = 0
    err_bytes: int = 0
    first_byte_at: float | None = None
    limit: Limit | None = None  # the first that was exceeded
    ended_at: float | None = None  # the exit of the program itself
    drain_cpu_s: float | None = None  # used when the drain after the exit began
    open: set[int] = field(init=False)
    is_watched: bool = False  # whether its output wakes the loop, or only its exit
    processes: RunProcesses = field(init=False)
    sampler: UsageSampler = field(init=False)

    def __post_init__(self, is_alone: bool) -> None:
        child = self.child
        self.input = NOTHING_LEFT if child.stdin == CLOSED else InputWriter(self.job, child.written)
        self.open = {child.stdout, child.stderr}
        self.processes = RunProcesses(child.pid, child.mark, is_alone=is_alone)
        self.sampler = UsageSampler(self.started_at)


def next_check_at(running: RunState) -> float:
    """Return when the clocks, the usage or the input of a living run need attention next."""
    limits = running.job.limits
    due = min(running.sampler.next_at, running.started_at + limits.wall_s)
    if running.first_byte_at is None and limits.first_byte_s is not None:
        due = min(due, running.started_at + limits.first_byte_s)
    not_before = running.input.not_before
    return due if not_before is None else min(due, not_before)


def transcript_of(running: RunState, exit_info: ExitInfo) -> Transcript:
    ended_at = running.ended_at if running.ended_at is not None else time.monotonic()
    wall_s = ended_at - running.started_at
    peak = running.sampler.peak
    accounting = Accounting.PROC if running.group is None else running.group.accounting
    # The output of a run that the loop never watched is read after its end.
    seen_at = running.first_byte_at
    # By position: keywords take twice the time.
    return Transcript(
        to_ending(exit_info.status),
        bytes(running.out),
        bytes(running.err),
        running.out_bytes,
        running.err_bytes,
        running.limit or _exceeded_at_exit(running.job.limits, exit_info, wall_s),
        None if seen_at is None else min(seen_at, ended_at) - running.started_at,
        wall_s,
        # The kernel counts only reaped children.
        peak._replace(cpu_s=exit_info.cpu_s) if exit_info.cpu_s > peak.cpu_s else peak,
        running.input.awaited,
        accounting.value if running.job.limits.restrict_usage else "",
    )


def _exceeded_at_exit(limits: Limits, exit_info: ExitInfo, wall_s: float) -> Limit | None:
    """Return the limit that was exceeded between the last check and the end, or None."""
    if limits.cpu_s is not None and exit_info.cpu_s > limits.cpu_s:
        return Limit.CPU
    return Limit.WALL if wall_s > limits.wall_s else None
