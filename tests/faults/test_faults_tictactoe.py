"""Planted faults: what the suite xtictactoe is worth.

Each entry of tictactoe.toml changes one line of a copy of the packages. The cases alone have to
notice.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
import tomllib
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
SUITE: Final = "xtictactoe"


class Fault(NamedTuple):
    """One line of a file, changed, and the rule that is broken by it."""

    breaks: str
    file: str
    old: str
    new: str


FAULTS: Final = tuple(
    Fault(**entry) for entry in tomllib.loads((HERE / "tictactoe.toml").read_text())["faults"]
)


@pytest.fixture(scope="module", name="sound")
def _sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages as they are."""
    copy = tmp_path_factory.mktemp("sound")
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
    """The cases of the suite, as request_runner.py wants them."""
    suite = read_suite(SUITE, bundled.test_cases_folder() / SUITE)
    entries: list[list[object]] = []
    for name in suite.names:
        case = read_case(suite, name)
        assert isinstance(case, Case), case
        # This is all that the runner knows of equality.
        assert case.policy.comparison == Comparison(ignore=("/*/error/message",))
        entries.append([case.name, str(suite.folder / f"{case.name}-in.json"), _plain(case)])
    file = tmp_path_factory.mktemp("cases") / "cases.json"
    file.write_text(json.dumps(_spread(entries)))
    return file


def _spread(entries: list[list[object]]) -> list[list[object]]:
    # Cases of one kind stand side by side; with some of each kind early, most faults are soon met.
    # Those that count take longer than all others together.
    quick = [entry for entry in entries if not str(entry[0]).startswith("count-")]
    slow = [entry for entry in entries if entry not in quick]
    return [entry for start in range(9) for entry in quick[start::9]] + slow


def _plain(case: Case) -> list[str]:
    values = [json.loads(line) for line in case.expected_text.splitlines()]
    for value in values:
        if "error" in value:
            del value["error"]["message"]
    return [json.dumps(value, sort_keys=True) for value in values]


def _ran(packages: Path, cases: Path) -> str:
    """What the runner says of these packages; nothing, where a limit ended it."""
    ran = subprocess.run(
        [sys.executable, str(HERE / "request_runner.py"), SUITE, str(cases)],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == "", ran.stderr
    return ran.stdout.strip()


def test_the_packages_without_a_fault_pass(sound: Path, cases: Path) -> None:
    assert _ran(sound, cases) == "all passed"


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_caught(fault: Fault, sound: Path, cases: Path, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    # Links, as only one file becomes another.
    shutil.copytree(sound, packages, copy_function=os.link)
    _plant(fault, packages / fault.file)
    assert _ran(packages, cases) != "all passed", "no case notices"


def _plant(fault: Fault, file: Path) -> None:
    source = file.read_text()
    times = source.count(fault.old)
    assert times == 1, (
        f"{fault.file} has {fault.old!r} {times} times, not once: the fault in tictactoe.toml that"
        f' breaks "{fault.breaks}" has to be planted anew'
    )
    file.unlink()
    file.write_text(source.replace(fault.old, fault.new))


def test_there_are_enough_faults_each_of_one_line_and_its_own() -> None:
    assert len(FAULTS) >= 70
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)
    assert len({fault.breaks for fault in FAULTS}) == len(FAULTS)
    assert not [fault for fault in FAULTS if "\n" in fault.old + fault.new]
