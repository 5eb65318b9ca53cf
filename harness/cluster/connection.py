"""Connect to the cluster that --cluster names: how the commands find this room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from harness.cluster.spec import INSTALL, parse_cluster
from harness.engine.workload import RemotePool
from harness.errors import UsageError
from harness.options.arguments import ExecutionOptions
from harness.project.builds import BuildStep


def connect(
    execution: ExecutionOptions,
    depends: tuple[str, ...],
    written: tuple[str, ...],
    builds: Sequence[BuildStep],
    report: Callable[[str], None],
) -> AbstractContextManager[RemotePool]:
    """Return a connection to the cluster. Raises UsageError.

    For `depends`, `written`, `builds` and `report`, see ClusterOptions.
    """
    spec = parse_cluster(execution.cluster, execution.cluster_tls)
    try:
        # An optional dependency, which takes a second to import.
        # pylint: disable-next=import-outside-toplevel
        from harness.cluster.cluster import ClusterOptions, open_cluster
    except ModuleNotFoundError as problem:
        raise UsageError(f"--cluster requires {problem.name}; install it: {INSTALL}") from None
    options = ClusterOptions(
        execution.jobs, depends, written, report, execution.ships, tuple(builds)
    )
    return open_cluster(spec, options)
