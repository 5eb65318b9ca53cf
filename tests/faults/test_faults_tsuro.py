"""Planted faults: what the suites xtiles and xboard are worth.

Each entry of tsuro.toml changes one line of a copy of the packages. The cases alone have to notice.
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

from harness import bundled
from harness.corpus import read_case, read_suite
from harness.records import Case, Comparison

HERE: Final = Path(__file__).parent
# Where the packages are that are tested: a checkout, or an environment they were installed in.
PACKAGES: Final = Path(bundled.__file__).parent.parent
SUITES: Final = ("xtiles", "xboard")


class Fault(NamedTuple):
    """One line of a file, changed, and the rule that is broken by it."""

    breaks: str
    file: str
    old: str
    new: str


FAULTS: Final = tuple(
    Fault(**entry) for entry in tomllib.loads((HERE / "tsuro.toml").read_text())["faults"]
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
def _cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases of both suites, as corpus_runner.py wants them."""
    entries: list[list[object]] = []
    for name in SUITES:
        suite = read_suite(name, bundled.test_cases_folder() / name)
        for case_name in suite.names:
            case = read_case(suite, case_name)
            assert isinstance(case, Case), case
            # This is all that the runner knows of equality.
            assert case.policy.comparison == Comparison(ignore=("/*/error/message",))
            sides = [str(suite.folder / f"{case.name}-{side}.json") for side in ("in", "out")]
            entries.append([name, case.name, *sides, case.policy.exit.least])
    file = tmp_path_factory.mktemp("cases") / "cases.json"
    file.write_text(json.dumps(_spread(entries)))
    return file


def _spread(entries: list[list[object]]) -> list[list[object]]:
    # Cases of one kind stand side by side; with some of each kind early, most faults are soon met.
    return [entry for start in range(19) for entry in entries[start::19]]


def _ran(packages: Path, cases: Path) -> str:
    """What the runner says of these packages."""
    ran = subprocess.run(
        [sys.executable, str(HERE / "corpus_runner.py"), str(cases)],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    return ran.stdout.strip()


@contextmanager
def _planted(fault: Fault, packages: Path) -> Iterator[None]:
    file = packages / fault.file
    source = file.read_text()
    times = source.count(fault.old)
    assert times == 1, (
        f"{fault.file} has {fault.old!r} {times} times, not once: the fault in tsuro.toml that"
        f' breaks "{fault.breaks}" has to be planted anew'
    )
    file.write_text(source.replace(fault.old, fault.new))
    try:
        yield
    finally:
        file.write_text(source)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_caught(fault: Fault, packages: Path, cases: Path) -> None:
    with _planted(fault, packages):
        said = _ran(packages, cases)
    assert said != "all passed", "no case notices"


def test_the_packages_without_a_fault_pass(packages: Path, cases: Path) -> None:
    assert _ran(packages, cases) == "all passed"


def test_there_are_enough_faults_each_of_one_line_and_its_own() -> None:
    assert len(FAULTS) >= 45
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)
    assert len({fault.breaks for fault in FAULTS}) == len(FAULTS)
    assert not [fault for fault in FAULTS if "\n" in fault.old + fault.new]
