"""Outputs that take too long or too much memory to judge: no command hangs or fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.suites import write_program, write_suite
from support.xtest import Xtest

# The bounds of one judgement are those of xtest, but for the time.
_SHORT = """
from harness.__main__ import main
from harness.process.killable import Bounds
from harness.runner import judge_process

judge_process.BOUNDS = Bounds(seconds=2)
main()
"""
_PATTERN = 'program = "./explode"\n[compare]\nstrings = { matching = "(a+)+" }\n'
_STOPPED = "stopped after 2 s, in the pattern (a+)+"
_LONG = "a" * 41
# Both branches are tried at each level.
_BRANCH = '{"type": "array", "items": {"$ref": "#"}}'
_BRANCHES = f'{{"anyOf": [{_BRANCH}, {_BRANCH}]}}'
_NESTED = "[" * 40 + '"x"' + "]" * 40
_SCHEMA = '{"items": {"pattern": "^(a+)+$"}}'


@pytest.fixture(name="explode")
def _explode(tmp_path: Path) -> str:
    return str(write_program(tmp_path / "explode", f"cat >/dev/null; echo '\"{_LONG}b\"'"))


def run(xtest: Xtest, *words: str, stdin: str = "") -> CompletedProcess[str]:
    """Run xtest with little time for each judgement."""
    return subprocess.run(
        [sys.executable, "-P", "-c", _SHORT, *words],
        input=stdin,
        cwd=xtest.folder,
        env=xtest.environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_run_reports_a_fault(xtest: Xtest, tmp_path: Path, explode: str) -> None:
    write_suite(tmp_path / "s", {"1": '"aa"'}, _PATTERN)
    done = run(xtest, "run", "s", "--", explode)
    assert (done.returncode, f"judging {_STOPPED}" in done.stdout) == (2, True)


def test_run_reports_a_schema_that_takes_exponential_time(xtest: Xtest, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", {"1": _NESTED}, 'output = "o.json"\nprogram = "cat"\n')
    (suite / "o.json").write_text(_BRANCHES, "utf-8")
    done = run(xtest, "run", "s", "--check")
    assert (done.returncode, "s/1  judging stopped after 2 s" in done.stdout) == (2, True)


def test_accept_refuses_the_output(xtest: Xtest, tmp_path: Path, explode: str) -> None:
    write_suite(tmp_path / "s", {"1": '"aa"'}, _PATTERN)
    done = run(xtest, "accept", "s", "--all", "--", explode)
    assert done.stdout == f"refused  s/1  judging {_STOPPED}\n1 case: 1 refused\n"
    assert done.returncode == 1
    assert (tmp_path / "s" / "1-out.json").read_text("utf-8") == '"aa"'


def test_accept_refuses_an_output_that_its_schema_takes_too_long_to_check(
    xtest: Xtest, tmp_path: Path, explode: str
) -> None:
    write_suite(tmp_path / "s", {"1": '"aa"'}, 'output = "o.json"\n')
    (tmp_path / "s" / "o.json").write_text(_SCHEMA, "utf-8")
    done = run(xtest, "accept", "s", "--all", "--", explode)
    assert done.stdout.startswith("refused  s/1  judging stopped after 2 s, in the pattern")


def test_compare_reports_a_fault(xtest: Xtest, tmp_path: Path, explode: str) -> None:
    write_suite(tmp_path / "s", {"1": '"aa"'}, _PATTERN)
    done = run(xtest, "compare", "cat", explode, "--", "s")
    assert (done.returncode, f"s/1: comparing {_STOPPED}" in done.stdout) == (2, True)


def test_new_writes_nothing(xtest: Xtest, tmp_path: Path, explode: str) -> None:
    suite = write_suite(tmp_path / "s", {"1": '"aa"'}, 'output = "o.json"\n')
    (suite / "o.json").write_text(_SCHEMA, "utf-8")
    done = run(xtest, "new", "s", "--yes", "--", explode, stdin="[]")
    assert done.returncode == 1
    assert "cannot be checked: checking stopped after 2 s, in the pattern" in done.stderr
    assert not (suite / "2-in.json").exists()


def test_new_refuses_an_input_that_its_schema_takes_too_long_to_check(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": '"aa"'}, 'input = "i.json"\n')
    (suite / "i.json").write_text(_SCHEMA, "utf-8")
    done = run(xtest, "new", "s", "--yes", "--", "cat", stdin=f'"{_LONG}b"')
    assert (done.returncode, "checking stopped after 2 s" in done.stderr) == (2, True)


def test_selftest_stops_at_a_mutant(xtest: Xtest, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": f'"{_LONG}"'}, _PATTERN)
    done = run(xtest, "selftest", "s", "--", "cat")
    assert (done.returncode, f"s: judging mutants {_STOPPED}" in done.stderr) == (2, True)


def test_selftest_does_not_use_an_output_that_cannot_be_judged(
    xtest: Xtest, tmp_path: Path, explode: str
) -> None:
    write_suite(tmp_path / "s", {"1": '"aa"'}, _PATTERN)
    done = run(xtest, "selftest", "s", "--", explode)
    assert done.returncode == 2
    assert f"not passed  s/1  harness-fault: judging {_STOPPED}" in done.stdout


# Room for the input of the third case once, but not for a copy.
_LITTLE_MEMORY = """
import resource
from harness.__main__ import main
import harness.cli.run

with open("/proc/self/statm", encoding="ascii") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20),) * 2)
main()
"""


def test_a_case_that_this_machine_has_no_memory_for_is_not_to_blame(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1", "2": "2", "3": ("3" + " " * (60 << 20), "3")})
    os.truncate(suite / "2-in.json", 1 << 32)
    command = [sys.executable, "-P", "-c", _LITTLE_MEMORY, "run", "s", "--", "true"]
    done = subprocess.run(
        command, cwd=tmp_path, env=xtest.environment(), capture_output=True, check=False
    )
    lines = done.stdout.decode().splitlines()
    fault = "a limit of this machine: not enough memory"
    assert [line for line in lines if line.endswith(fault)] == [
        f"harness-fault  s/2  {fault}",
        f"harness-fault  s/3  {fault}",
    ]
    assert (done.returncode, done.stderr) == (2, b"")
