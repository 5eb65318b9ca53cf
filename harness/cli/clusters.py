"""Connect to the cluster of `--cluster`. Source: docs/howto/cluster.md."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from harness.cli import common
from harness.errors import UsageError
from harness.runner.cluster.spec import INSTALL, parse_cluster

if TYPE_CHECKING:
    from harness.runner.cluster.cluster import Cluster

__all__ = ["connect"]


def connect(
    text: str, tls: str, jobs: int | None, depends: tuple[str, ...] = ()
) -> AbstractContextManager[Cluster]:
    """Return a connection to the cluster that a text names, with `jobs` runs at once on a worker.

    Raises UsageError.
    """
    if not text:
        raise UsageError("--cluster-tls requires --cluster tls://HOST:PORT")
    spec = parse_cluster(text, tls)
    try:
        # An optional dependency, which takes a second to import.
        # pylint: disable-next=import-outside-toplevel
        from harness.runner.cluster.cluster import open_cluster
    except ModuleNotFoundError as problem:
        raise UsageError(f"--cluster requires {problem.name}; install it: {INSTALL}") from None
    return open_cluster(spec, jobs, depends, common.print_note)
