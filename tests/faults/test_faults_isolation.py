"""Planted faults: what the suite xisolation is worth.

Each entry of isolation.toml changes one line of a copy of the packages. The cases alone have to
notice. As no request remembers an earlier one, those of all cases are sent as one stream.
"""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, Final, NamedTuple

import pytest

from harness import bundled
from harness.corpus import read_case, read_suite
from harness.records import Case, InputKind

# Where the packages are that are tested: a checkout, or an environment they were installed in.
PACKAGES: Final = Path(bundled.__file__).parent.parent
DATA: Final = Path(__file__).with_name("isolation.toml")


class Fault(NamedTuple):
    """One line of a file, changed, and the rule that is broken by it."""

    breaks: str
    file: str
    old: str
    new: str


class Stream(NamedTuple):
    """The requests of all cases, and the answers that are expected, without messages."""

    requests: bytes
    answers: list[Any]


FAULTS: Final = tuple(
    Fault(**entry) for entry in tomllib.loads(DATA.read_text(encoding="utf-8"))["faults"]
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


@pytest.fixture(scope="module", name="stream")
def _stream() -> Stream:
    """All cases but those that are no JSON, which end a stream."""
    suite = read_suite("xisolation", bundled.test_cases_folder() / "xisolation")
    requests, answers = b"", list[Any]()
    for name in suite.names:
        case = read_case(suite, name)
        assert isinstance(case, Case), case
        if case.kind is not InputKind.RAW:
            answers += _comparable(case.expected_text, len(answers))
            requests += case.stdin
    return Stream(requests, answers)


def _comparable(output: bytes, shift: int) -> list[Any]:
    """The answers in an output: errors without messages, the numbers of requests greater by
    `shift`."""
    values = [json.loads(line) for line in output.splitlines()]
    for value in values:
        if isinstance(value.get("error"), dict):
            error = value["error"]
            error.pop("message", None)
            at = str(error["at"])
            error["at"] = re.sub("^/([0-9]+)", lambda found: f"/{int(found[1]) + shift}", at)
    return values


def _passes(packages: Path, stream: Stream) -> bool:
    """Whether these packages answer every request as they should."""
    ran = subprocess.run(
        [sys.executable, "-m", "xtests.xisolation"],
        input=stream.requests,
        env={**os.environ, "PYTHONPATH": str(packages)},
        cwd=packages,
        capture_output=True,
        check=False,
    )
    return ran.returncode == 0 and _comparable(ran.stdout, 0) == stream.answers


@contextmanager
def _planted(fault: Fault, packages: Path) -> Iterator[None]:
    file = packages / fault.file
    source = file.read_text()
    times = source.count(fault.old)
    assert times == 1, (
        f"{fault.file} has {fault.old!r} {times} times, not once: the fault in isolation.toml that"
        f' breaks "{fault.breaks}" has to be planted anew'
    )
    file.write_text(source.replace(fault.old, fault.new))
    try:
        yield
    finally:
        file.write_text(source)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.breaks for fault in FAULTS])
def test_a_fault_is_caught(fault: Fault, packages: Path, stream: Stream) -> None:
    with _planted(fault, packages):
        assert not _passes(packages, stream), "no case notices"


def test_the_packages_without_a_fault_pass(packages: Path, stream: Stream) -> None:
    assert _passes(packages, stream)


def test_there_are_enough_faults_each_of_one_line_and_its_own() -> None:
    assert len(FAULTS) >= 50
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)
    assert len({fault.breaks for fault in FAULTS}) == len(FAULTS)
    assert not [fault for fault in FAULTS if "\n" in fault.old + fault.new]
