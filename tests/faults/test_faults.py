"""Planted faults: the cases alone notice each of them.

Each entry of a data file changes one line of a copy of the packages. `case`, if it is there, is the
case that noticed the fault when it was recorded; it is run first, to save time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from support.faults import Fault, check_distinct, copy_packages, planted, read_faults

from harness.model.case import Case
from harness.model.comparison import Comparison
from harness.suites import bundled
from harness.suites.cases import read_case
from harness.suites.loading import read_suite

HERE: Final = Path(__file__).parent


class Data(NamedTuple):
    """The suites that must notice the faults of a file, and the least number of faults."""

    suites: tuple[str, ...]
    least: int


DATA: Final = {
    "tsuro.toml": Data(("xtiles", "xboard"), 45),
    "tsuro_rules.toml": Data(("xrules",), 50),
    "tsuro_games.toml": Data(("xref", "xadmin"), 80),
    "bitboard36.toml": Data(("xbitboard36",), 60),
    "isolation.toml": Data(("xisolation",), 50),
    "tictactoe.toml": Data(("xtictactoe",), 70),
}
SUITES: Final = tuple(suite for data in DATA.values() for suite in data.suites)

# Runs suites against packages, some cases first; returns a difference, or None if all pass.
Runner = Callable[[Path, tuple[str, ...], str], str | None]


FAULTS: Final = [fault for fault in read_faults() if fault.data in DATA]


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module", name="runner")
def _runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    cases = tmp_path_factory.mktemp("cases") / "cases.json"
    cases.write_text(json.dumps({name: _spread(list(_entries(name))) for name in SUITES}))
    words = [sys.executable, "-P", str(HERE / "case_runner.py"), str(cases)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        to, answers = process.stdin, process.stdout
        assert to is not None and answers is not None

        def run(packages: Path, suites: tuple[str, ...], first: str) -> str | None:
            request = {"packages": str(packages), "suites": suites, "first": [first]}
            print(json.dumps(request), file=to, flush=True)
            difference: str | None = json.loads(answers.readline())
            return difference

        yield run


def _entries(name: str) -> Iterator[list[object]]:
    suite = read_suite(name, bundled.test_cases_folder() / name)
    for at, case_name in enumerate(suite.names):
        case = read_case(suite, case_name, at)
        assert isinstance(case, Case), case
        # The runner implements this equality and no other.
        assert case.policy.comparison == Comparison(ignore=("/*/error/message",))
        sides = [str(suite.folder / f"{case.name}-{side}.json") for side in ("in", "out")]
        yield [name, case.name, *sides, case.policy.exit.least]


def _spread(entries: list[list[object]]) -> list[list[object]]:
    # Cases of one kind are neighbours; with some of each kind early, most faults are soon noticed.
    # Those that count take longer than all others together.
    quick = [entry for entry in entries if not str(entry[1]).startswith("count-")]
    slow = [entry for entry in entries if entry not in quick]
    return [entry for start in range(19) for entry in quick[start::19]] + slow


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_noticed(fault: Fault, packages: Path, runner: Runner) -> None:
    with planted(fault, packages):
        difference = runner(packages, DATA[fault.data].suites, fault.case)
    assert difference is not None, "no case notices"


@pytest.mark.parametrize("suite", SUITES)
def test_the_packages_without_a_fault_pass(suite: str, packages: Path, runner: Runner) -> None:
    assert runner(packages, (suite,), "") is None


@pytest.mark.parametrize("data", DATA)
def test_there_are_enough_faults_each_of_one_line(data: str) -> None:
    faults = [fault for fault in FAULTS if fault.data == data]
    assert len(faults) >= DATA[data].least
    check_distinct(faults)
