"""Run jobs in a sandbox, and find one that works on this machine."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Generator, Mapping
from contextlib import closing
from math import inf
from typing import Any, Final, Generic, TypeVar

from harness.errors import Refused, os_reason
from harness.files import find_executable
from harness.model.protection import SandboxKind
from harness.model.transcript import CompanionRun, Exited, Job, NotStarted, Transcript
from harness.process import bubblewrap, landlock
from harness.process.bubblewrap import Bubblewrap, BubblewrapRun
from harness.process.inventory import Exposure, inventory_of, kept_variables
from harness.process.killable import KillableQueue
from harness.process.landlock import Landlock, LandlockRun
from harness.process.loop import NextJob, in_order, run
from harness.process.mounts import enter_own_network
from harness.process.run_state import EndedRun
from harness.process.spawn import shebang
from harness.process.system import SYSTEM
from harness.text import escape_nonprintable

K = TypeVar("K")
R_co = TypeVar("R_co", covariant=True)

_TRIAL: Final = "/bin/true"
_NO_NETWORK: Final = (
    "the sandbox of Landlock has no network that xtest could reach; use --sandbox bwrap, or none"
)
Sandbox = Bubblewrap | Landlock
_SandboxedRun = BubblewrapRun | LandlockRun


def run_in(
    sandbox: Sandbox | None,
    next_job: NextJob[K],
    parallel: int,
    environment: Mapping[str, str],
    *,
    sole_parent: bool = False,
    background: KillableQueue[Any, R_co] | None = None,
    deadline: float = inf,
    gather_s: float = 0.0,
) -> Generator[EndedRun[K] | R_co, None, None]:
    """Run jobs as `harness.process.loop.run` does, in a sandbox if there is one."""
    jobs = None if sandbox is None else _SandboxedJobs(sandbox, next_job)
    runs = run(
        next_job if jobs is None else jobs.next,
        parallel,
        environment if sandbox is None else kept_variables(environment),
        sole_parent=sole_parent,
        background=background,
        deadline=deadline,
        gather_s=gather_s,
    )
    try:
        with closing(runs):
            for ended in runs:
                if jobs is not None and isinstance(ended, EndedRun):
                    ended = EndedRun(ended.key, jobs.end(ended))
                yield ended
    finally:
        if jobs is not None:
            jobs.close()


class _SandboxedJobs(Generic[K]):
    """Jobs that start in a sandbox."""

    def __init__(self, sandbox: Sandbox, next_job: NextJob[K]) -> None:
        self._sandbox = sandbox
        self._next_job = next_job
        # By id(key): a key lives as long as its run. Companions may have no run.
        self._started: dict[int, tuple[_SandboxedRun, Job, list[_SandboxedRun | None]]] = {}
        self._has_network = False

    def next(self) -> tuple[K, Job | Transcript] | None:
        drawn = self._next_job()
        if drawn is None:
            return None
        key, job = drawn
        if isinstance(job, Transcript):
            return drawn
        if job.uses_network and (problem := self._enter_network()):
            return key, Transcript(NotStarted(problem))
        companions = [  # which port is decided later
            self._sandbox.start(each.job._replace(port=0)) if isinstance(each.job, Job) else None
            for each in job.companions
        ]
        begun = self._sandbox.start(job)
        self._started[id(key)] = begun, job, companions
        inside = tuple(
            each if run is None else each._replace(job=run.job)
            for each, run in zip(job.companions, companions, strict=True)
        )
        return key, begun.job._replace(companions=inside)

    def _enter_network(self) -> str:
        """Give this process and its programs a network of their own, in which they reach each
        other; return why that is impossible."""
        if isinstance(self._sandbox, Landlock):
            return _NO_NETWORK
        if not self._has_network:
            try:
                enter_own_network()
            except OSError as problem:
                return f"the sandbox has no network that xtest could reach: {os_reason(problem)}"
            self._has_network = True
        return ""

    def end(self, ended: EndedRun[K]) -> Transcript:
        """Return the transcript of a run as if it had had no sandbox."""
        if id(ended.key) not in self._started:
            return ended.transcript
        begun, job, companions = self._started.pop(id(ended.key))
        observed = ended.transcript.companions or (None,) * len(companions)
        runs = [_end_companion(run, one) for run, one in zip(observed, companions, strict=True)]
        transcript = _end(ended.transcript, begun, job, self._sandbox.exposure)
        return transcript._replace(companions=tuple(filter(None, runs)))

    def close(self) -> None:
        for begun, _, companions in self._started.values():
            begun.close()
            for companion in companions:
                if companion is not None:
                    companion.close()
        self._sandbox.close()


def run_one_in(
    sandbox: Sandbox | None, job: Job, environment: Mapping[str, str], *, sole_parent: bool = False
) -> Transcript:
    """Run a job in a sandbox, if there is one, and return its transcript."""
    jobs = in_order([(None, job)])
    with closing(run_in(sandbox, jobs, 1, environment, sole_parent=sole_parent)) as runs:
        ((_, transcript),) = runs
    return transcript


def _end_companion(
    observed: CompanionRun | None, begun: _SandboxedRun | None
) -> CompanionRun | None:
    """Return what was observed of a companion as if it had had no sandbox."""
    if begun is None:
        return observed
    if observed is None or observed.ending is None:
        begun.close()
        return observed
    return observed._replace(ending=begun.end(Transcript(observed.ending)).ending)


def _end(transcript: Transcript, begun: _SandboxedRun, job: Job, exposure: Exposure) -> Transcript:
    """Return the transcript of a job; name the file that it could not start without, if the sandbox
    hides it."""
    transcript = begun.end(transcript)
    if not isinstance(transcript.ending, NotStarted):
        return transcript
    program = os.path.join(job.folder, job.argv[0])
    words = os.fsdecode(shebang(program)).split()
    needed = os.path.join(job.folder, words[0]) if words else program
    if os.path.islink(program):
        needed = program
    real = os.path.realpath(needed)
    if not os.path.exists(real) or inventory_of(
        job.argv, job.folder, exposure, job.own_folder
    ).is_visible(real):
        return transcript
    paths = [escape_nonprintable(os.path.normpath(path)) for path in (program, real)]
    reason = f"{paths[0]} leads to {paths[1]}, which the sandbox does not show; add it with --show"
    return transcript._replace(ending=NotStarted(reason))


def find_sandbox(kind: SandboxKind, exposure: Exposure) -> Sandbox | Refused:
    """Return a sandbox of this kind, or the reason why it does not work here."""
    if not SYSTEM.has_namespaces:
        return Refused(f"{kind.value} needs Linux; this is the {SYSTEM.name} back end")
    sandbox = _bubblewrap(exposure) if kind is SandboxKind.BWRAP else _landlock(exposure)
    if isinstance(sandbox, Refused):
        return sandbox
    transcript = run_one_in(sandbox, Job((_TRIAL,), b""), os.environ)
    match transcript.ending:
        case Exited(0):
            return sandbox
        case NotStarted(reason):
            message = reason.removeprefix("--sandbox: ")
        case _:
            message = transcript.stderr.decode("utf-8", "replace").strip() or "a trial failed"
    return Refused(f"{kind.value} does not work here: {escape_nonprintable(message)}")


def _bubblewrap(exposure: Exposure) -> Sandbox | Refused:
    program = find_executable("bwrap")
    if program is None:
        return Refused("bwrap is not installed (Debian: bubblewrap)")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    version = tuple(map(int, re.findall("[0-9]+", done.stdout)[:2]))
    if version < bubblewrap.OLDEST:
        oldest = ".".join(map(str, bubblewrap.OLDEST))
        return Refused(f"{escape_nonprintable(program)} is older than bwrap {oldest}")
    shell = bubblewrap.find_shell()
    if shell is None:
        return Refused(
            "bwrap needs dash: the /bin/sh of this machine does not report how programs end"
        )
    return Bubblewrap(program, shell, exposure)


def _landlock(exposure: Exposure) -> Sandbox | Refused:
    version = landlock.landlock_version()
    if version == 0:
        return Refused("this kernel has no Landlock, or it is not enabled (lsm=landlock,...)")
    if version < landlock.OLDEST:
        return Refused(
            f"this kernel has Landlock {version}; {landlock.OLDEST} (Linux 6.2) is needed"
        )
    return Landlock(version, exposure)
