"""Connect to a cluster, or start one, and start workers for requests on it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, Final, NamedTuple, TypeVar

from harness.cluster.batches import Batches
from harness.cluster.dask_client import DaskClient, tls_security
from harness.cluster.machine import SharedFolders, shared_folders_of
from harness.cluster.members import RemoteWorkers
from harness.cluster.shipping import Archive
from harness.cluster.spec import ClusterSpec
from harness.cluster.work import CaseWork, CompareWork, FestWork, Work
from harness.cluster.workers import ClusterWorkers
from harness.engine.compare_runs import CompareSetup, InputResult
from harness.engine.ipc import CaseEvent
from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.remaining import Deadline
from harness.engine.request import RunRequest, Targets, Workers
from harness.errors import UsageError
from harness.fest.runs import FestPair, FestPlan, FestResult, StartPairs
from harness.project.builds import BuildStep
from harness.project.targets import Target
from harness.results.last_run import mean_seconds
from harness.results.store import cache_folder

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

    def start_workers(
        self, request: RunRequest, targets: Targets, total: int
    ) -> Workers[CaseEvent]:
        """Start the cases of a request. Raises UsageError if no worker can run them.

        A later request repeats cases of the first, alone.
        """
        known = mean_seconds(targets.values(), cache_folder(os.environ))
        at_once = self._options.jobs or min(self._dask.workers().values(), default=1)
        expected: dict[Hashable, float] = {key: each / at_once for key, each in known.items()}
        batches = Batches[PlannedRun](
            iter(request.runs), total, lambda each: each.target.key, expected
        )
        if self._workers is not None:
            return self._again(batches, is_alone=True)
        folders = self._folders([*targets.values()], self._options.depends)
        work = CaseWork(request, targets, folders)
        return self._start(work, batches, request.board, request.deadline)

    def start_pairs(self, fest: FestPlan) -> StartPairs:
        """Return a function that starts pairs of a fest, which raises UsageError."""
        targets = [each.target for each in fest.entrants]
        shared = dict.fromkeys(path for each in targets for path in each.suite.shared_files)
        work = FestWork(fest, self._folders(targets, tuple(shared), has_suites=False))

        def start(pairs: Sequence[FestPair], is_alone: bool) -> Workers[FestResult]:
            batches = Batches[FestPair](iter(pairs), len(pairs), lambda pair: pair.program)
            if self._workers is not None:
                return self._again(batches, is_alone=is_alone)
            return _SharedWorkers(self._start(work, batches))

        return start

    def start_inputs(
        self, setup: CompareSetup, inputs: Iterable[PlannedRun], board: ProgressBoard
    ) -> Workers[InputResult]:
        """Start the inputs of a comparison. Raises UsageError if no worker can run them."""
        work = CompareWork(setup, self._folders([*chain.from_iterable(setup.targets.values())]))
        total = sum(1 for _ in inputs)
        batches = Batches[PlannedRun](iter(inputs), total, lambda each: each.target.suite.name)
        return _SharedWorkers(self._start(work, batches, board))

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._archive is not None:
            self._archive.file.close()
        self._dask.close()

    def _folders(
        self, targets: Sequence[Target], depends: tuple[str, ...] = (), *, has_suites: bool = True
    ) -> SharedFolders:
        """Return what workers need; the archive is open if files are sent. Raises UsageError."""
        suites = [target.suite for target in targets] if has_suites else []
        subjects = [target.subject for target in targets]
        folders = shared_folders_of(suites, subjects, depends, self._options.written)
        if self._options.ships:
            contexts = (each.context for each in subjects)
            used = [each.folder for each in contexts if each is not None]
            folders, self._archive = folders.ship(used, self._options.builds)
        return folders

    def _start(
        self,
        work: Work[T, R],
        batches: Batches[T],
        board: ProgressBoard | None = None,
        deadline: Deadline | None = None,
    ) -> ClusterWorkers[T, R]:
        members = RemoteWorkers[T](
            *(self._dask, pickle.dumps(work), self._options.report, self._archive),
            waits=self._waits,
        )
        workers = ClusterWorkers[T, R](
            members, work, batches, parallel=self._options.jobs, board=board, deadline=deadline
        )
        self._workers = workers
        return workers

    def _again(self, batches: Batches[Any], *, is_alone: bool) -> _SharedWorkers:
        self._workers.run_again(batches, is_alone=is_alone)
        return _SharedWorkers(self._workers)


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
            host.stdin.close()
