"""Connect to a cluster, or start one, and start workers for requests on it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import Final

from harness.errors import UsageError
from harness.project.targets import Target
from harness.runner.cluster.batches import Batches
from harness.runner.cluster.dask_client import DaskClient, tls_security
from harness.runner.cluster.shared_folders import shared_folders_of
from harness.runner.cluster.spec import ClusterSpec
from harness.runner.cluster.work import CaseWork, kind_of
from harness.runner.cluster.workers import ClusterWorkers, Pace
from harness.runner.ipc import CaseEvent
from harness.runner.plan import PlannedRun
from harness.runner.request import RunRequest, Workers

__all__ = ["Cluster", "open_cluster"]

_HOST: Final = (sys.executable, "-P", "-m", "harness.runner.cluster.host")
_SHOWN: Final = 2_000  # bytes of what a cluster that did not start printed


_Workers = ClusterWorkers[PlannedRun, CaseEvent]


class Cluster:
    """A connection to a cluster. `jobs` subjects run at once on each worker (None: one per thread
    of Dask's); `report` shows a sentence."""

    def __init__(
        self,
        dask: DaskClient,
        jobs: int | None,
        depends: tuple[str, ...],
        report: Callable[[str], None],
        *,
        waits: bool,
    ) -> None:
        self._dask = dask
        self._jobs = jobs
        self._depends = depends
        self._report = report
        self._waits = waits
        self._workers: _Workers | None = None

    @property
    def parallel(self) -> int:
        """The number of subjects that run at once on the workers that have come so far."""
        return sum(self._jobs or threads for threads in self._dask.workers().values())

    def start_workers(
        self, request: RunRequest, targets: Mapping[tuple[str, str], Target], total: int
    ) -> Workers:
        """Start the cases of a request. Raises UsageError if no worker can run them.

        A later request repeats cases of the first, alone.
        """
        batches = Batches[PlannedRun](iter(request.runs), total, kind_of)
        if self._workers is not None:
            self._workers.run_alone(batches)
            return _Borrowed(self._workers)
        work = CaseWork(request, targets, shared_folders_of(targets.values(), self._depends))
        pace = Pace(self._jobs, self._waits, self._report, request.board)
        if request.deadline is not None:
            pace.deadline_at = request.deadline.at
        self._workers = _Workers(self._dask, work, pickle.dumps(work), batches, pace)
        return self._workers


class _Borrowed:
    """Workers that are closed elsewhere."""

    def __init__(self, workers: _Workers) -> None:
        self.outcomes = workers.outcomes
        self.stop = workers.stop

    def losses(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


@contextmanager
def open_cluster(
    spec: ClusterSpec,
    jobs: int | None,
    depends: tuple[str, ...],
    report: Callable[[str], None],
) -> Generator[Cluster, None, None]:
    """Connect to a cluster until the end of the `with` block. Raises UsageError."""
    with _address_of(spec) as address:
        dask = DaskClient(address, tls_security(spec.security))
        try:
            if dask.dashboard:
                report(f"the dashboard of the cluster is at {dask.dashboard}")
            yield Cluster(dask, jobs, depends, report, waits=spec.is_queue)
        finally:
            dask.close()


@contextmanager
def _address_of(spec: ClusterSpec) -> Generator[str, None, None]:
    """Return the address of the scheduler; one that is started here ends with the `with` block."""
    if spec.is_address:
        yield spec.argument
        return
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            _HOST,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C is for xtest, which ends it
        ) as host,
    ):
        assert host.stdin is not None and host.stdout is not None
        wanted = {"kind": spec.kind, "argument": spec.argument, "security": spec.security}
        with suppress(BrokenPipeError):
            host.stdin.write(json.dumps(wanted).encode() + b"\n")
            host.stdin.flush()
        answer = json.loads(host.stdout.readline() or b"{}")
        if "address" not in answer:
            errors.seek(0)
            printed = errors.read(_SHOWN).decode("utf-8", "replace").strip()
            reason = answer.get("error") or printed or "the scheduler did not start"
            raise UsageError(f"--cluster {spec.kind}: {reason}")
        try:
            yield answer["address"]
        finally:
            host.stdin.close()
