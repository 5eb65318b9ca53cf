"""Planted faults: what the suites are worth.

Each entry of a data file changes one line of a copy of the packages. The cases alone, of the suites
that belong to that file, have to notice.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Final, NamedTuple

import pytest

from harness.records import Case, Comparison
from harness.suites import bundled
from harness.suites.corpus import read_case, read_suite

HERE: Final = Path(__file__).parent
# Where the packages are that are tested: a checkout, or an environment they were installed in.
PACKAGES: Final = Path(bundled.__file__).parents[2]


class Data(NamedTuple):
    """What the faults of a file are put to: the cases of suites, by a runner of this folder. There
    are at least so many faults."""

    suites: tuple[str, ...]
    runner: str
    least: int


# request_runner.py is quicker where cases are slow, but sees no fault of the stdio.
DATA: Final = {
    "tsuro.toml": Data(("xtiles", "xboard"), "corpus_runner.py", 45),
    "tsuro_rules.toml": Data(("xrules",), "corpus_runner.py", 50),
    "tsuro_games.toml": Data(("xref", "xadmin"), "corpus_runner.py", 80),
    "bitboard36.toml": Data(("xbitboard36",), "corpus_runner.py", 60),
    "isolation.toml": Data(("xisolation",), "corpus_runner.py", 50),
    "tictactoe.toml": Data(("xtictactoe",), "request_runner.py", 70),
}


class Fault(NamedTuple):
    """One line of a file, changed, and the rule that is broken by it."""

    data: str
    breaks: str
    file: str
    old: str
    new: str


FAULTS: Final = tuple(
    Fault(data, **entry)
    for data in DATA
    for entry in tomllib.loads((HERE / data).read_text(encoding="utf-8"))["faults"]
)


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages. One for all faults, as each is taken out again."""
    copy = tmp_path_factory.mktemp("packages")
    for package in ("engines", "harness", "xtests"):
        shutil.copytree(
            PACKAGES / package,
            copy / package,
            ignore=shutil.ignore_patterns("__pycache__", "bundled_data"),
        )
    # Compiled once. By hash, so that a changed line is seen however fast it was changed.
    compileall.compile_dir(copy, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return copy


@pytest.fixture(scope="module", name="cases")
def _cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By data file: the cases of its suites, as the runners want them."""
    folder = tmp_path_factory.mktemp("cases")
    files = {data: folder / f"{data}.json" for data in DATA}
    for data, file in files.items():
        entries = [entry for name in DATA[data].suites for entry in _entries(name)]
        file.write_text(json.dumps(_spread(entries)))
    return files


def _entries(name: str) -> Iterator[list[object]]:
    suite = read_suite(name, bundled.test_cases_folder() / name)
    for case_name in suite.names:
        case = read_case(suite, case_name)
        assert isinstance(case, Case), case
        # This is all that the runner knows of equality.
        assert case.policy.comparison == Comparison(ignore=("/*/error/message",))
        sides = [str(suite.folder / f"{case.name}-{side}.json") for side in ("in", "out")]
        yield [name, case.name, *sides, case.policy.exit.least]


def _spread(entries: list[list[object]]) -> list[list[object]]:
    # Cases of one kind stand side by side; with some of each kind early, most faults are soon met.
    # Those that count take longer than all others together.
    quick = [entry for entry in entries if not str(entry[1]).startswith("count-")]
    slow = [entry for entry in entries if entry not in quick]
    return [entry for start in range(19) for entry in quick[start::19]] + slow


def _ran(data: str, packages: Path, cases: Path) -> str:
    """What the runner of a data file says of these packages."""
    ran = subprocess.run(
        [sys.executable, str(HERE / DATA[data].runner), str(cases)],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == "", ran.stderr
    # A limit ends request_runner.py itself, which then has said nothing.
    assert ran.returncode == 0 or (ran.returncode < 0 and ran.stdout == ""), ran.returncode
    return ran.stdout.strip()


@contextmanager
def _planted(fault: Fault, packages: Path) -> Iterator[None]:
    file = packages / fault.file
    source = file.read_text()
    times = source.count(fault.old)
    assert times == 1, (
        f"{fault.file} has {fault.old!r} {times} times, not once: the fault in {fault.data} that"
        f' breaks "{fault.breaks}" has to be planted anew'
    )
    file.write_text(source.replace(fault.old, fault.new))
    try:
        yield
    finally:
        file.write_text(source)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_caught(fault: Fault, packages: Path, cases: dict[str, Path]) -> None:
    with _planted(fault, packages):
        said = _ran(fault.data, packages, cases[fault.data])
    assert said != "all passed", "no case notices"


@pytest.mark.parametrize("data", DATA)
def test_the_packages_without_a_fault_pass(
    data: str, packages: Path, cases: dict[str, Path]
) -> None:
    assert _ran(data, packages, cases[data]) == "all passed"


@pytest.mark.parametrize("data", DATA)
def test_there_are_enough_faults_each_of_one_line_and_its_own(data: str) -> None:
    faults = [fault for fault in FAULTS if fault.data == data]
    assert len(faults) >= DATA[data].least
    assert len({(fault.file, fault.old, fault.new) for fault in faults}) == len(faults)
    assert len({fault.breaks for fault in faults}) == len(faults)
    assert not [fault for fault in faults if "\n" in fault.old + fault.new]
