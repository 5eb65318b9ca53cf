"""The connection to a Dask scheduler."""

from __future__ import annotations

import subprocess
import sys

_LOG_WITH_ALL = """
import logging
import sys
from harness.cluster.dask_client import silence

if sys.argv[1:]:
    silence()
for name in [*logging.root.manager.loggerDict]:
    logging.getLogger(name).error("from %s", name)
"""


def _log(*words: str) -> str:
    command = [sys.executable, "-c", _LOG_WITH_ALL, *words]
    return subprocess.run(command, capture_output=True, check=True, text=True).stderr


def test_a_process_that_is_silenced_prints_no_messages_of_dask() -> None:
    assert "from distributed.client" in _log()
    assert _log("silence") == ""
