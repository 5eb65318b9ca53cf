"""Planted faults: the cases alone notice each of them.

Each entry of a data file changes one line of a copy of the packages. `case`, if it is there, is the
case that noticed the fault when it was recorded; it is run first, to save time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from support.faults import Fault, check_distinct, copy_packages, planted, read_faults

from harness.model.case import Case
from harness.model.comparison import Comparison
from harness.suites import bundled
from harness.suites.cases import read_case
from harness.suites.loading import read_suite

RUNNER: Final = Path(__file__).with_name("case_runner.py")

# The suites that must notice the faults of a file.
SUITES: Final = {
    "tsuro.toml": ("xtiles", "xboard"),
    "tsuro_rules.toml": ("xrules",),
    "tsuro_games.toml": ("xref", "xadmin"),
    "bitboard36.toml": ("xbitboard36",),
    "isolation.toml": ("xisolation",),
    "tictactoe.toml": ("xtictactoe",),
}
FAULTS: Final = [fault for fault in read_faults() if fault.data in SUITES]

# Returns the first output of suites that is not as expected, or an empty text.
FindDifference = Callable[..., str]


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module", name="find_difference")
def _find_difference(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> FindDifference:
    folder = tmp_path_factory.mktemp("cases")
    for suites in SUITES.values():
        for suite in suites:
            (folder / suite).write_text(json.dumps(list(_entries(suite))), encoding="utf-8")

    def find_difference(suites: tuple[str, ...], first: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-PS", str(RUNNER), first, *(str(folder / each) for each in suites)],
            env={**os.environ, "PYTHONPATH": str(packages)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode <= 0, f"the runner itself failed: {done.stderr}"
        return done.stdout if done.returncode == 0 else f"ended by signal {-done.returncode}"

    return find_difference


def _entries(name: str) -> Iterator[list[object]]:
    suite = read_suite(name, bundled.test_cases_folder() / name)
    for at, case_name in enumerate(suite.names):
        case = read_case(suite, case_name, at)
        assert isinstance(case, Case), case
        # The runner implements this equality and no other.
        assert case.policy.comparison == Comparison(ignore=("/*/error/message",))
        sides = [str(suite.folder / f"{case.name}-{side}.json") for side in ("in", "out")]
        yield [name, case.name, *sides, case.policy.exit.least]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_noticed(fault: Fault, packages: Path, find_difference: FindDifference) -> None:
    with planted(fault, packages):
        assert find_difference(SUITES[fault.data], fault.case), "no case notices"


@pytest.mark.parametrize("data", SUITES)
def test_the_packages_without_a_fault_pass(data: str, find_difference: FindDifference) -> None:
    assert find_difference(SUITES[data]) == ""


@pytest.mark.parametrize("data", SUITES)
def test_there_are_faults_each_of_one_line(data: str) -> None:
    faults = [fault for fault in FAULTS if fault.data == data]
    assert faults
    check_distinct(faults)
