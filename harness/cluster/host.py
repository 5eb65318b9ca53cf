"""The process that has a scheduler and starts its workers: `python -m harness.cluster.host`.

Its standard input is a JSON object, then `END` when the cluster is no longer wanted. It answers
with another object, which has the addresses or an error. It is a separate process because Dask's
scheduler loads pickles, starts processes, and must not see Ctrl-C.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any, Final

import dask
import dask_jobqueue
import distributed
import yaml

from harness.cluster.dask_client import silence, tls_security
from harness.cluster.spec import END, QUEUES
from harness.files import read_regular

_LOOPBACK: Final = "127.0.0.1"
_ANY_PORT: Final = f"{_LOOPBACK}:0"
_KILLED_S: Final = 1.0
_SCALES: Final = ("jobs", "minimum", "maximum")


def main() -> None:
    """Start the cluster, and end it when standard input is closed."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    silence()
    wanted = json.loads(sys.stdin.readline())
    security = tls_security(wanted["security"])
    # Without the variables that Dask adds: subjects see the environment of xtest.
    settings: dict[str, Any] = {
        f"distributed.nanny.{when}-spawn-environ": {} for when in ("pre", "post")
    }
    with dask.config.set(settings):
        try:
            start = _local if wanted["kind"] == "local" else _queue
            cluster = start(wanted["kind"], wanted["argument"], security)
        except Exception as problem:  # pylint: disable=broad-exception-caught  # reported to the user
            print(json.dumps({"error": str(problem) or repr(problem)}), file=answers, flush=True)
            return
        with cluster:
            print(json.dumps({"address": cluster.scheduler_address}), file=answers, flush=True)
            if sys.stdin.readline() != END and wanted["kind"] == "local":  # xtest was killed
                _end_within(_KILLED_S)


def _end_within(seconds: float) -> None:
    """End this process after this time, and with it its workers, for which Dask would wait.

    A signal to the whole group would also end the processes that kill the subjects.
    """

    def end() -> None:
        time.sleep(seconds)
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _local(_kind: str, workers: str, security: distributed.Security | None) -> Any:
    start: Any = distributed.LocalCluster
    return start(
        n_workers=int(workers),
        threads_per_worker=1,
        processes=True,
        host=_LOOPBACK,
        dashboard_address=_ANY_PORT,
        memory_limit=0,  # suites limit the memory of subjects
        **({} if security is None else {"security": security}),
    )


def _queue(kind: str, file: str, security: distributed.Security | None) -> Any:
    options = yaml.safe_load(read_regular(file))
    if not isinstance(options, dict):
        raise ValueError(f"{file}: a mapping is expected, such as cores: 8")
    scale = {name: options.pop(name) for name in _SCALES if name in options}
    for name, jobs in scale.items():
        if not isinstance(jobs, int) or jobs < 1:
            raise ValueError(f"{file}: {name} must be a whole number above 0, not {jobs!r}")
    scheduler = {"dashboard_address": _ANY_PORT, **options.pop("scheduler_options", {})}
    if security is not None:
        options["security"] = security
    cluster = getattr(dask_jobqueue, QUEUES[kind])(scheduler_options=scheduler, **options)
    first = scale.get("jobs", scale.get("minimum", 1))
    cluster.sync(_submit, cluster, first)
    if "maximum" in scale:
        cluster.adapt(minimum_jobs=first, maximum_jobs=scale["maximum"])
    _answer_pending_jobs(cluster)
    return cluster


async def _submit(cluster: Any, jobs: int) -> None:
    """Submit jobs. Raises ValueError with the reason if one of them is refused."""
    cluster.scale(jobs=jobs)
    try:
        # pylint: disable-next=protected-access  # `scale` calls it later, and drops its errors
        await cluster._correct_state()
    except FileNotFoundError as problem:
        where = "start xtest on a machine that can submit jobs"
        raise ValueError(f"{problem.filename} is not on PATH; {where}") from None
    except RuntimeError as problem:
        raise ValueError(str(problem).rpartition("stderr:\n")[2].strip() or problem) from None


def _answer_pending_jobs(cluster: Any) -> None:
    """Let clients ask for the number of jobs that have started no worker yet."""
    started = set[str]()  # of several workers each: Dask does not notice when these jobs end

    def pending_jobs() -> int:
        workers = cluster.observed
        started.update(worker.rpartition("-")[0] for worker in workers)
        submitted = {name for name, job in cluster.workers.items() if job.job_id}
        return len(submitted - workers - started)

    cluster.scheduler.handlers["pending_jobs"] = pending_jobs


if __name__ == "__main__":
    main()
