"""The tasks that a Dask worker runs, without Dask."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support.suites import write_program

from harness.cluster import tasks
from harness.version import VERSION


def test_a_child_that_is_killed_by_a_real_time_signal_has_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The child dies once the work has arrived.
    program = write_program(tmp_path / "python", "head -c 8 > /dev/null; kill -35 $$")
    monkeypatch.setattr(sys, "executable", str(program))
    versions = [VERSION, sys.version.split()[0]]
    request = {"versions": versions, "archive": "", "silence_s": 5.0}
    answer = json.loads(tasks.prepare("run", b"work", json.dumps(request).encode()))
    tasks.stop("run")
    assert answer["failure"] == "killed by signal 35"
