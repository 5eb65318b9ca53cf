"""Planted faults: the cases alone notice each of them.

Each entry of a data file changes one line of a copy of the packages. `case` is the case that
noticed the fault when it was recorded; it is run first, to save time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from support.faults import Fault, check_distinct, copy_packages, planted, read_faults
from support.xtest import Xtest

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

# Returns whether one of the cases fails: of these suites, with these options.
HasFailure = Callable[..., bool]


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module", name="has_failure")
def _has_failure(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> HasFailure:
    """A function that runs cases against the copy; xtest itself is that without the fault."""
    folder = tmp_path_factory.mktemp("project")
    xtest = Xtest(folder, tmp_path_factory.mktemp("cache"))
    # A fault may make a program run for ever. Processor time, so that a busy machine changes
    # nothing: a case takes some hundredths of a second.
    script = f"ulimit -t 2; PYTHONPATH={packages} exec {sys.executable} -PS -m xtests.{{program}}"
    config = f"[subjects.copy]\ncommand = {json.dumps(['sh', '-c', script])}\n"
    (folder / "xtest.toml").write_text(config, encoding="utf-8")

    def has_failure(*words: str) -> bool:
        done = xtest("run", *words, "--fail-fast", "--wall", "600", timeout=3600)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode == 1

    return has_failure


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_noticed(fault: Fault, packages: Path, has_failure: HasFailure) -> None:
    suites = SUITES[fault.data]
    with planted(fault, packages):
        assert has_failure(*suites, "--case", fault.case) or has_failure(*suites), "no case notices"


@pytest.mark.parametrize("data", SUITES)
def test_the_packages_without_a_fault_pass(data: str, has_failure: HasFailure) -> None:
    assert not has_failure(*SUITES[data])


@pytest.mark.parametrize("data", SUITES)
def test_there_are_faults_each_of_one_line(data: str) -> None:
    faults = [fault for fault in FAULTS if fault.data == data]
    assert faults
    check_distinct(faults)
