"""Planted faults: the cases alone notice those of the games, the tests named beside each the rest.

Each entry of a data file changes one place in a copy of the packages, which pass without a fault.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from support.faults import Fault, TestForks, copy_packages, faulty_source, read_faults, replaced
from support.xtest import Xtest

# The suites that must notice the faults of a file.
SUITES: Final = {
    "tsuro.toml": ("xtiles", "xboard"),
    "tsuro_moves.toml": ("xmoves", "xref"),
    "tsuro_rules.toml": ("xrules",),
    "tsuro_games.toml": ("xref", "xadmin"),
    "bitboard36.toml": ("xbitboard36",),
    "isolation.toml": ("xisolation",),
    "tictactoe.toml": ("xtictactoe",),
}
FAULTS: Final = read_faults()
BY_CASES: Final = [fault for fault in FAULTS if fault.data in SUITES]
BY_TESTS: Final = [fault for fault in FAULTS if fault.data not in SUITES]

# Returns whether one of the cases fails: of these suites, with these options.
HasFailure = Callable[..., bool]


@pytest.fixture(scope="module", name="packages")
def _packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module", name="forks")
def _forks(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestForks]:
    forks = TestForks(packages, tmp_path_factory.mktemp("forks"))
    yield forks
    forks.close()


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


@pytest.mark.parametrize("fault", BY_CASES, ids=[fault.breaks for fault in BY_CASES])
def test_a_case_notices_the_fault(fault: Fault, packages: Path, has_failure: HasFailure) -> None:
    suites = SUITES[fault.data]
    with replaced(*faulty_source(fault, packages)):
        assert has_failure(*suites, "--case", fault.case) or has_failure(*suites), "no case notices"


@pytest.mark.parametrize("data", SUITES)
def test_the_packages_without_a_fault_pass(data: str, has_failure: HasFailure) -> None:
    assert any(fault.data == data for fault in FAULTS)
    assert not has_failure(*SUITES[data])


@pytest.mark.parametrize("fault", BY_TESTS, ids=[fault.breaks for fault in BY_TESTS])
def test_a_test_notices_the_fault(fault: Fault, packages: Path, forks: TestForks) -> None:
    with replaced(*faulty_source(fault, packages)):
        status, output = forks.run(fault.killed_by)
    # Not USAGE_ERROR, which a test that does not exist leads to.
    assert status < 0 or status in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED), (
        f"exit status {status}: {output}"
    )


@pytest.mark.parametrize("data", sorted({fault.data for fault in FAULTS}))
def test_no_two_faults_of_a_file_are_equal(data: str) -> None:
    places = [(fault.where, fault.old, fault.new) for fault in FAULTS if fault.data == data]
    assert len(set(places)) == len(places)
