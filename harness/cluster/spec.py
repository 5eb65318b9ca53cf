"""Parse the values of `--cluster` and `--cluster-tls`."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.text import quote

INSTALL: Final = "pip install 'xtest-harness[cluster]'"
END: Final = "end\n"  # the last line that xtest sends to the process with its cluster
# The classes of dask_jobqueue, by the name before the colon.
QUEUES: Final = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "htcondor": "HTCondorCluster",
}
_LOCAL: Final = re.compile(r"[1-9][0-9]{0,2}")
_ADDRESSES: Final = ("tcp", "tls")
_TLS_FILES: Final = {"ca_file": "ca.pem", "cert": "cert.pem", "key": "key.pem"}


class ClusterSpec(NamedTuple):
    """A cluster: its kind, then a number of workers, an address or a file; TLS as Dask takes it."""

    kind: str
    argument: str
    security: dict[str, str | bool]

    @property
    def is_address(self) -> bool:
        return self.kind in _ADDRESSES

    @property
    def is_queue(self) -> bool:
        return self.kind in QUEUES


def parse_cluster(text: str, tls: str = "") -> ClusterSpec:
    """Return the cluster that a text names. Raises UsageError."""
    kind, _, argument = text.partition(":")
    if kind in _ADDRESSES and argument.startswith("//"):
        if kind == "tls" and not tls:
            raise UsageError(f"--cluster {text} requires --cluster-tls FOLDER")
        if kind == "tcp" and tls:
            raise UsageError("--cluster-tls requires --cluster tls://HOST:PORT, not tcp://")
        argument = text
    elif kind in QUEUES:
        if not os.path.isfile(argument):
            raise UsageError(f"--cluster {kind}: {quote(argument)} is not a file")
    elif kind != "local" or not _LOCAL.fullmatch(argument):
        *queues, last = (f"{each}:FILE.yaml" for each in QUEUES)
        kinds = ", ".join(("local:N", "tcp://HOST:PORT", "tls://HOST:PORT", *queues))
        raise UsageError(f"--cluster {quote(text)}: must be {kinds} or {last}")
    return ClusterSpec(kind, argument, _security(tls) if tls else {})


def _security(folder: str) -> dict[str, str | bool]:
    """Return the keyword arguments of distributed.Security for the files in a folder."""
    paths = {name: os.path.abspath(os.path.join(folder, file)) for name, file in _TLS_FILES.items()}
    for path in paths.values():
        if not os.path.isfile(path):
            raise UsageError(f"--cluster-tls: {quote(path)} is missing")
    security: dict[str, str | bool] = {"tls_ca_file": paths["ca_file"], "require_encryption": True}
    for role in ("client", "scheduler", "worker"):
        security[f"tls_{role}_cert"] = paths["cert"]
        security[f"tls_{role}_key"] = paths["key"]
    return security
