"""Planted faults of the harness and the programs: the tests named beside each must notice it.

Each entry of these files changes a line or a few of a copy of the packages. `killed_by` names the
tests that fail then; they pass on the packages as they are, which the whole test run shows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from support.faults import Fault, check_distinct, copy_packages, planted, read_faults
from support.xtest import TOP, clean_environment

HERE: Final = Path(__file__).parent
LEAST: Final = 150  # faults of the harness
# The plugins of pytest were imported before the fork, so that their assertions are not rewritten.
_OPTIONS: Final = (
    *("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


FAULTS: Final = [fault for fault in read_faults() if fault.killed_by]


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module", name="run_tests")
def _run_tests(
    packages: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Sequence[str]], tuple[int, str]]]:
    """A function that runs tests against the copy: their exit status and the end of the output."""
    # pytest looks for unused numbers in its usual folder, at the same time as other processes.
    temporary = tmp_path_factory.mktemp("forks") / "t"
    environment = clean_environment(
        tmp_path_factory.mktemp("cache"), PYTHONPATH=str(packages), PYTHONSAFEPATH="1"
    )
    with subprocess.Popen(
        [sys.executable, "-P", str(HERE / "pytest_forks.py")],
        cwd=TOP,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        stdin, stdout = server.stdin, server.stdout
        assert stdin is not None and stdout is not None

        def run_tests(names: Sequence[str]) -> tuple[int, str]:
            print(
                json.dumps([*_OPTIONS, f"--basetemp={temporary}", *names]), file=stdin, flush=True
            )
            status, output = json.loads(stdout.readline())
            return status, output

        yield run_tests
        stdin.close()


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_test_notices_the_fault(
    fault: Fault, packages: Path, run_tests: Callable[[Sequence[str]], tuple[int, str]]
) -> None:
    tests = [fault.killed_by] if isinstance(fault.killed_by, str) else fault.killed_by
    with planted(fault, packages):
        status, output = run_tests(tests)
    # 1: a test failed; 2: a module could not be imported; below 0: a test ran out of time.
    assert status < 0 or status in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED), (
        f"exit status {status}: {output}"
    )


def test_there_are_enough_faults_each_of_one_line_and_its_own() -> None:
    assert sum(fault.file.startswith("harness/") for fault in FAULTS) >= LEAST
    check_distinct(FAULTS)
