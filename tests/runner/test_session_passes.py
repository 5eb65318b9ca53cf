"""Commands that run cases in their own way take passes from sessions, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.suites import write_files, write_suite
from support.xtest import PYTEST, Xtest

# Every process leaves a line in the file "starts".
COUNTED = """
import sys
open("starts", "a").write(".")
seen = set()
for line in sys.stdin:
    n = int(line)
    seen.add(n)
    print({answer})
"""
RIGHT = COUNTED.format(answer="2 * n")
REMEMBERS = COUNTED.format(answer="2 * n if n != 50 or 30 in seen else 0")
SUBJECT = f"""
[subjects.NAME]
command = ["{sys.executable}", "NAME.py"]
session = "stream"
"""


@pytest.fixture(name="folder", autouse=True)
def _folder(tmp_path: Path) -> Path:
    """A suite of 60 cases and two subjects."""
    numbers = {str(n): (str(n), str(2 * n)) for n in range(1, 61)}
    write_suite(tmp_path / "s", numbers, "stateless = true\n")
    subjects = "".join(SUBJECT.replace("NAME", name) for name in ("right", "remembers"))
    config = f'suites = ["s"]\n{subjects}'
    files = {"right.py": RIGHT, "remembers.py": REMEMBERS, "xtest.toml": config}
    return write_files(tmp_path, files)


def starts(folder: Path) -> int:
    """Return the number of processes since the last call."""
    log = folder / "starts"
    number = len(log.read_text(encoding="ascii"))
    log.unlink()
    return number


def test_compare_takes_passes_from_sessions(xtest: Xtest, folder: Path) -> None:
    command = ("compare", "right", "remembers", "-j1")
    fresh = xtest(*command, "--sessions", "off", "--", "s")
    assert starts(folder) == 120
    assert (fresh.returncode, "59 alike, 1 separates" in fresh.stdout) == (1, True)
    trusted = xtest(*command, "--sessions", "trust", "--", "s")
    assert starts(folder) == 8  # four sessions each, of 8, 16, 32 and 4 cases
    assert (trusted.returncode, "separates" in trusted.stdout) == (0, False)
    verified = xtest(*command, "--session-sample", "all", "--", "s")
    assert "s/50: it passes in a session with 30" in verified.stdout + verified.stderr
    assert "59 alike, 1 separates" in verified.stdout
    assert verified.returncode == 2


def test_selftest_takes_passes_from_sessions(xtest: Xtest, folder: Path) -> None:
    command = ("selftest", "s", "--subject", "right", "-j1")
    fresh = xtest(*command, "--sessions", "off")
    assert starts(folder) == 60
    trusted = xtest(*command, "--sessions", "trust")
    assert starts(folder) == 4
    assert trusted.returncode == fresh.returncode == 0
    summary = "\nsessions  60 passed in 4 sessions, 0 run alone\n"
    assert trusted.stdout == summary + fresh.stdout


def run_pytest(xtest: Xtest, subject: str, *options: str) -> CompletedProcess[str]:
    words = ("--xtest-suite=s", f"--xtest-subject={subject}", "-q", "-p", "no:cacheprovider")
    return subprocess.run(
        [*PYTEST, *words, *options],
        cwd=xtest.folder,
        env=xtest.environment(),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    ("mode", "processes", "outcome"),
    [("off", 60, "1 failed, 59 passed"), ("trust", 4, "60 passed")],
)
def test_the_pytest_plugin_takes_passes_from_sessions(
    xtest: Xtest, folder: Path, mode: str, processes: int, outcome: str
) -> None:
    assert outcome in run_pytest(xtest, "remembers", f"--xtest-sessions={mode}").stdout
    assert starts(folder) == processes


def test_the_pytest_plugin_explains_what_passes_only_in_a_session(
    xtest: Xtest, folder: Path
) -> None:
    program = REMEMBERS.replace("n != 50 or 30 in seen", "n <= 40 or len(seen) > 1")
    (folder / "remembers.py").write_text(program, encoding="ascii")
    output = run_pytest(xtest, "remembers").stdout
    assert "20 failed, 40 passed" in output
    assert "- Captured session call -" in output
    assert "it passes in a session with" in output


def test_the_pytest_plugin_repeats_passes(xtest: Xtest, folder: Path) -> None:
    assert run_pytest(xtest, "right").returncode == 0
    assert 58 <= starts(folder) <= 63  # 57 of 60 passes, and a few sessions
