"""Rooms: packages that hold everything of one capability can be taken away with their one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.suites import write_suite

HARNESS = Path(__file__).parents[2] / "harness"

pytestmark = pytest.mark.slow


class Copy:
    """A copy of xtest without a room."""

    def __init__(self, folder: Path, room: str, lines: Mapping[str, str | tuple[str, ...]]) -> None:
        self._folder = folder
        shutil.copytree(HARNESS, folder / "harness", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(HARNESS.parent / "schemas", folder / "schemas")
        (folder / "test_cases").mkdir()
        shutil.rmtree(folder / "harness" / room)
        for file, beginning in lines.items():
            self._delete_lines(folder / "harness" / file, beginning)
        write_suite(folder / "s", {"1": ("[1]", "[1]")})

    def run(self, *args: str) -> tuple[int, str]:
        environment = {**os.environ, "PYTHONPATH": str(self._folder)}
        command = [sys.executable, "-P", "-m", "harness", *args]
        done = subprocess.run(
            command,
            cwd=self._folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    @staticmethod
    def _delete_lines(file: Path, beginning: str | tuple[str, ...]) -> None:
        lines = file.read_text("utf-8").splitlines(keepends=True)
        left = [line for line in lines if not line.strip().startswith(beginning)]
        assert len(left) < len(lines)
        file.write_text("".join(left), "utf-8")


def test_without_fests_everything_else_works(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "fest", {"cli/registry.py": '"fest":'})
    status, shown = copy.run("run", "s", "-q", "--", "cat")
    assert status == 0 and "1 of 1 passed" in shown
    status, shown = copy.run("--help")
    assert status == 0 and "fest" not in shown
    status, shown = copy.run("fest", "run")
    assert status == 2 and "No such command 'fest'" in shown.replace('"', "'")


def test_without_fuzzing_everything_else_works(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "fuzz", {"cli/registry.py": ('"fuzz":', '"shrink":')})
    status, shown = copy.run("run", "s", "-q", "--", "cat")
    assert status == 0 and "1 of 1 passed" in shown
    status, shown = copy.run("fuzz", "s", "--", "cat")
    assert status == 2 and "No such command 'fuzz'" in shown.replace('"', "'")


def test_without_clusters_everything_else_works(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "cluster", {"options/setup.py": '"--cluster":'})
    status, shown = copy.run("run", "s", "-q", "--", "cat")
    assert status == 0 and "1 of 1 passed" in shown
    status, shown = copy.run("run", "s", "--cluster", "local:2", "--", "cat")
    assert status == 2
    assert shown == "xtest: --cluster: this xtest comes without clusters; run on this machine\n"
