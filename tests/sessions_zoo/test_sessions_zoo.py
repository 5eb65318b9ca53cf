"""Programs that a session pollutes get the verdicts that they get in processes of their own.

polluters.toml declares the programs and those verdicts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

import pytest
from support.debian import need
from support.suites import read_events, read_judged, write_program, write_suite
from support.xtest import Xtest

HERE: Final = Path(__file__).resolve().parent
CASES: Final = [str(n) for n in range(1, 25)]
PASSED: Final = "passed"

# Each of these limits is reached by one of the programs.
SETTINGS: Final = """
stateless = true

[limits]
wall_s = 5
output_mib = 1
memory_mib = 128
open_files = 64
"""
# No site: the programs start often.
PYTHON: Final = f"""#!{sys.executable} -SE
import contextlib, functools, io, itertools, json, os, signal, sys, time
from zoo import *
"""


@dataclass(frozen=True)
class Polluter:
    """A row of polluters.toml."""

    name: str
    does: str
    kinds: tuple[str, ...]
    source: str
    fresh: Mapping[str, str] = field(default_factory=dict)
    interpreter: str | None = None
    needs: str | None = None

    def write(self, folder: Path) -> None:
        """Write the program into a folder."""
        path = folder / self.name
        if self.needs:
            need(self.needs)
        if self.needs == "gcc":
            command = ["gcc", "-O1", "-w", "-x", "c", "-o", str(path), "-"]
            subprocess.run(command, input=self.source, encoding="utf-8", check=True)
        elif self.interpreter:
            write_program(path, f"#!{self.interpreter}\n{self.source}")
        else:
            shutil.copy(HERE / "zoo.py", folder)
            write_program(path, PYTHON + self.source)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each case in a process of its own."""
        others = self.fresh.get("*", PASSED)
        return {case: self.fresh.get(case, others) for case in CASES}


def _read_polluters() -> Iterator[Polluter]:
    table = tomllib.loads((HERE / "polluters.toml").read_text(encoding="utf-8"))
    for name, row in table.items():
        yield Polluter(name, **{**row, "kinds": tuple(row["kinds"])})


POLLUTERS: Final = tuple(_read_polluters())


def _parameter(polluter: Polluter, *kinds: str) -> object:
    marks = [pytest.mark.system] if polluter.needs else []
    return pytest.param(polluter, *kinds, id="-".join([polluter.name, *kinds]), marks=marks)


def _write_project(folder: Path, polluter: Polluter, kind: str) -> None:
    """Write a suite and an xtest.toml with one subject."""
    write_suite(folder / "double", {n: (n + "\n", f"{2 * int(n)}\n") for n in CASES}, SETTINGS)
    polluter.write(folder)
    subject = f'[subjects.polluter]\ncommand = ["./{polluter.name}"]\nsession = "{kind}"\n'
    (folder / "xtest.toml").write_text(f'suites = ["double"]\n\n{subject}', encoding="utf-8")


def _assert_verdicts(done: CompletedProcess[str], results: Path, polluter: Polluter) -> None:
    judged = read_judged(results)
    verdicts = {event["case"]: event["verdict"] for event in judged}
    assert verdicts == polluter.verdicts, done.stdout
    assert len(judged) == len(CASES)


@pytest.mark.parametrize("polluter", [_parameter(polluter) for polluter in POLLUTERS])
def test_the_table_has_the_verdicts_of_processes_of_their_own(
    xtest: Xtest, tmp_path: Path, polluter: Polluter
) -> None:
    _write_project(tmp_path, polluter, polluter.kinds[0])
    done = xtest("run", "--sessions", "off", "--results", "results.jsonl", "-q")
    _assert_verdicts(done, tmp_path / "results.jsonl", polluter)
    assert done.returncode == (set(polluter.verdicts.values()) != {PASSED})


@pytest.mark.parametrize(
    ("polluter", "kind"),
    [_parameter(polluter, kind) for polluter in POLLUTERS for kind in polluter.kinds],
)
def test_sessions_change_no_verdict(
    xtest: Xtest, tmp_path: Path, polluter: Polluter, kind: str
) -> None:
    _write_project(tmp_path, polluter, kind)
    options = ["--sessions", "verify", "--session-sample", "all", "--results", "results.jsonl"]
    # With PYTHONPATH set, no fork would be faithful.
    done = xtest("run", *options, "-q", env={"PYTHONPATH": ""} if kind == "fork" else {})
    _assert_verdicts(done, tmp_path / "results.jsonl", polluter)
    events = read_events(tmp_path / "results.jsonl")
    assert sum(event.get("sessions", 0) for event in events) > 0
