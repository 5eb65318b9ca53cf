"""Connect to a cluster, or start one, and start workers for requests on it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import closing, contextmanager, suppress
from tempfile import TemporaryFile
from typing import Any, Final, NamedTuple, TypeVar

from harness.cluster.batches import Batches
from harness.cluster.dask_client import DaskClient, tls_security
from harness.cluster.machine import MachineNeeds, SharedFolders, shared_folders_of
from harness.cluster.members import RemoteWorkers
from harness.cluster.shipping import Archive
from harness.cluster.spec import END, ClusterSpec
from harness.cluster.workers import ClusterWorkers
from harness.engine.workload import Workers, Workload, WorkOptions
from harness.errors import UsageError
from harness.files import cache_folder
from harness.project.builds import BuildStep
from harness.results.last_run import mean_seconds

_HOST: Final = (sys.executable, "-P", "-m", "harness.cluster.host")
_SHOWN: Final = 2_000  # bytes of what a cluster that did not start printed


T = TypeVar("T")
R = TypeVar("R")


class ClusterOptions(NamedTuple):
    """The options of the command line for runs on a cluster.

    `jobs` subjects run at once on each worker (None: one per thread of Dask's). The paths
    `depends` are parts of subjects, too; xtest writes the files `written`; `report` is called with
    sentences to show. If it `ships`, xtest sends files to the workers, which run the `builds`.
    """

    jobs: int | None
    depends: tuple[str, ...]
    written: tuple[str, ...]
    report: Callable[[str], None]
    ships: bool = False
    builds: tuple[BuildStep, ...] = ()


class Cluster:
    """A connection to a cluster; with `waits`, the time to wait for workers is not limited."""

    def __init__(self, dask: DaskClient, options: ClusterOptions, *, waits: bool) -> None:
        self._dask = dask
        self._options = options
        self._waits = waits
        self._workers: Any = None  # those of the first request
        self._archive: Archive | None = None

    @property
    def parallel(self) -> int:
        """The number of subjects that run at once on the workers that have come so far."""
        return sum(self._options.jobs or threads for threads in self._dask.workers().values())

    def start(
        self, workload: Workload[T, R], items: Iterable[T], total: int, options: WorkOptions
    ) -> Workers[R]:
        """Start a workload; a later call has the same workers run other items of it.

        Raises UsageError if no worker can run it.
        """
        batches = Batches[T](iter(items), total, workload.kind_of, self._known_s(workload))
        if self._workers is not None:
            self._workers.run_again(batches, options)
        else:
            needs = MachineNeeds(workload.targets, self._folders(workload), workload.sandbox)
            sent, report = pickle.dumps((needs, workload)), self._options.report
            members = RemoteWorkers[T](self._dask, sent, report, self._archive, waits=self._waits)
            self._workers = ClusterWorkers[T, R](
                members, workload, batches, options, parallel=self._options.jobs
            )
        return _SharedWorkers(self._workers)

    def _known_s(self, workload: Workload[T, R]) -> dict[Hashable, float]:
        """Return the seconds that an item of a kind takes, if an earlier run tells."""
        if not workload.has_known_durations:
            return {}
        at_once = self._options.jobs or min(self._dask.workers().values(), default=1)
        known = mean_seconds(workload.targets, cache_folder(os.environ))
        return {key: each / at_once for key, each in known.items()}

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._archive is not None:
            self._archive.file.close()
        self._dask.close()

    def _folders(self, workload: Workload[T, R]) -> SharedFolders:
        """Return what workers need; the archive is open if files are sent. Raises UsageError."""
        suites = [target.suite for target in workload.targets] if workload.has_suites else []
        subjects = [target.subject for target in workload.targets]
        paths = (*workload.paths, *self._options.depends)
        folders = shared_folders_of(suites, subjects, paths, self._options.written)
        if self._options.ships:
            contexts = (each.context for each in subjects)
            used = [each.folder for each in contexts if each is not None]
            folders, self._archive = folders.ship(used, self._options.builds)
        return folders


class _SharedWorkers:
    """Workers that are closed elsewhere."""

    def __init__(self, workers: ClusterWorkers[Any, Any]) -> None:
        self.outcomes = workers.outcomes
        self.stop = workers.stop
        self.losses = workers.losses

    def close(self) -> None:
        pass


@contextmanager
def open_cluster(spec: ClusterSpec, options: ClusterOptions) -> Generator[Cluster, None, None]:
    """Connect to a cluster until the end of the `with` block. Raises UsageError."""
    with _address_of(spec) as address:
        dask = DaskClient(address, tls_security(spec.security))
        if dask.dashboard:
            options.report(f"the dashboard of the cluster is at {dask.dashboard}")
        with closing(Cluster(dask, options, waits=spec.is_queue)) as cluster:
            yield cluster


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
            with suppress(BrokenPipeError):
                host.stdin.write(END.encode())
            with suppress(BrokenPipeError):
                host.stdin.close()
