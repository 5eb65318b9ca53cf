"""Connect to the cluster of `--cluster`. Source: docs/howto/cluster.md."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from harness.cli import common
from harness.errors import UsageError
from harness.project.builds import BuildStep
from harness.runner.cluster.spec import INSTALL, parse_cluster

if TYPE_CHECKING:
    from harness.runner.cluster.cluster import Cluster


def connection(
    text: str,
    tls: str,
    jobs: int | None,
    depends: tuple[str, ...] = (),
    written: tuple[str, ...] = (),
    *,
    ships: bool = False,
    builds: Sequence[BuildStep] = (),
) -> AbstractContextManager[Cluster | None]:
    """Return a connection to the cluster that a text names, None if it is empty.

    The other arguments are explained in ClusterOptions. Raises UsageError.
    """
    if not text:
        if tls:
            raise UsageError("--cluster-tls requires --cluster tls://HOST:PORT")
        if ships:
            raise UsageError("--ship requires --cluster")
        return nullcontext()
    spec = parse_cluster(text, tls)
    try:
        # An optional dependency, which takes a second to import.
        # pylint: disable-next=import-outside-toplevel
        from harness.runner.cluster.cluster import ClusterOptions, open_cluster
    except ModuleNotFoundError as problem:
        raise UsageError(f"--cluster requires {problem.name}; install it: {INSTALL}") from None
    options = ClusterOptions(jobs, depends, written, common.print_note, ships, tuple(builds))
    return open_cluster(spec, options)
