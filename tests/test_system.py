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


def sandboxed(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """One run of a shell script in the sandbox, on the suite of the folder."""
    need("bwrap")
    return xtest("run", "s", "--sandbox", "--case", "1", "--", "sh", "-c", script, folder=folder)


def test_a_sandboxed_program_answers_like_any_other(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    assert "all 1 passed" in sandboxed(tmp_path, "cat").stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("touch here", "Read-only file system"),
        ("cat /proc/net/route >&2; ls /sys/class/net >&2; exec 3<>/dev/tcp/127.0.0.1/9", "sh: "),
        ("ls -A $OLDHOME /tmp >&2; echo $HOME >&2", "/tmp"),
    ],
    ids=["writes", "network", "home"],
)
def test_a_sandboxed_program_reaches_nothing(tmp_path: Path, script: str, said: str) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, script)
    assert done.returncode == 1
    assert said in done.stdout
    assert not (tmp_path / "here").exists()


def test_a_sandboxed_program_sees_no_process_but_its_own_and_leaves_none(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, "(setsid sleep 987 &) ; sleep 0.1; ls /proc | grep -c '^[0-9]' >&2")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("    stderr")]
    assert int(line.split()[1]) < 10
    assert b"sleep\x00987" not in b"".join(
        file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")
    )


def test_a_crash_in_the_sandbox_keeps_its_name(tmp_path: Path) -> None:
    suite(tmp_path / "s")
    done = sandboxed(tmp_path, "kill -SEGV $$")
    assert "crashed  s/1  ended by SIGSEGV" in done.stdout


def suite(folder: Path) -> None:
    """A suite that an echo passes."""
    folder.mkdir()
    for name, text in {"1": '["é"]\n', "2": "1 2 3"}.items():
        for side in ("in", "out"):
            (folder / f"{name}-{side}.json").write_text(text, encoding="utf-8")
