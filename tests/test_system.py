"""Tests with programs of Debian's: a loud line where one is missing, a failure where CI asks.

What each needs is in .ci/setup. tox runs these in its `system` environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.system


def need(program: str) -> str:
    """The path of a program of Debian's; without it the test is passed over, or fails in CI."""
    found = shutil.which(program)
    if found is None:
        message = f"{program} is not installed (.ci/setup installs it)"
        if os.environ.get("XTEST_REQUIRE_SYSTEM"):
            pytest.fail(message)
        pytest.skip(message)
    return found


def xtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def test_a_program_in_c_is_judged_like_any_other(tmp_path: Path) -> None:
    source = tmp_path / "echo.c"
    source.write_text(
        "#include <stdio.h>\n"
        "int main(void) { int c; while ((c = getchar()) != EOF) putchar(c); return 0; }\n",
        encoding="ascii",
    )
    subprocess.run([need("gcc"), "-o", str(tmp_path / "echo"), str(source)], check=True)
    suite(tmp_path / "s")
    done = xtest("run", "s", "-q", "--", "./echo", folder=tmp_path)
    assert done.stdout.startswith("all 2 passed in ")


def test_a_program_in_javascript_is_judged_like_any_other(tmp_path: Path) -> None:
    node = need("node")
    script = tmp_path / "echo.js"
    script.write_text("process.stdin.pipe(process.stdout);\n", encoding="ascii")
    suite(tmp_path / "s")
    done = xtest("run", "s", "-q", "--", node, "echo.js", folder=tmp_path)
    assert done.stdout.startswith("all 2 passed in ")


def test_the_speed_benchmark_runs_and_both_sides_pass(tmp_path: Path) -> None:
    need("gcc")
    done = subprocess.run(
        [sys.executable, str(TOP / "benchmarks" / "run_speed.py"), "20", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("20 cases of cat, two at once, 1 rounds in turn; medians:\n")


def suite(folder: Path) -> None:
    """A suite that an echo passes."""
    folder.mkdir()
    for name, text in {"1": '["é"]\n', "2": "1 2 3"}.items():
        for side in ("in", "out"):
            (folder / f"{name}-{side}.json").write_text(text, encoding="utf-8")
