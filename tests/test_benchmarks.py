"""The speed benchmark runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.debian import need
from support.xtest import TOP


@pytest.mark.system
def test_the_speed_benchmark_runs_and_both_sides_pass(tmp_path: Path) -> None:
    need("gcc")
    script = str(TOP / "benchmarks" / "run_speed.py")
    command = [sys.executable, script, "20", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("20 cases of cat, two at once, 1 rounds in turn; medians:\n")
