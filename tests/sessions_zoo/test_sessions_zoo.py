"""Programs that a session pollutes get the verdicts that they get in processes of their own.

polluters.toml declares the programs and those verdicts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from support.debian import need
from support.suites import read_events, read_judged, write_program, write_suite
from support.xtest import Xtest

HERE: Final = Path(__file__).resolve().parent
# The first eight are one batch; each of the others makes some program do something else.
CASES: Final = [str(n) for n in (*range(1, 9), 10, 13, 14, 19, 20)]
PASSED: Final = "passed"

# Each of these limits is reached by one of the programs.
SETTINGS: Final = """
stateless = true

[limits]
wall_s = {wall_s}
output_mib = 1
memory_mib = 128
open_files = 64
"""
# The programs start often: no site, and of these modules only those that they name.
PYTHON: Final = f"#!{sys.executable} -SE\nfrom zoo import *\n"
MODULES: Final = "contextlib functools io itertools json os signal sys time".split()


@dataclass(frozen=True)
class Polluter:
    """A row of polluters.toml."""

    name: str
    does: str
    kinds: Sequence[str]
    source: str
    fresh: Mapping[str, str] = field(default_factory=dict)
    interpreter: str | None = None
    needs: str | None = None

    def write(self, folder: Path) -> None:
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
            imports = [f"import {each}\n" for each in MODULES if f"{each}." in self.source]
            write_program(path, "".join([PYTHON, *imports, self.source]))

    @property
    def wall_s(self) -> int:
        """The time limit; only programs that hang reach it."""
        return 3 if "sleep(60)" in self.source else 15

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each case in a process of its own."""
        others = self.fresh.get("*", PASSED)
        return {case: self.fresh.get(case, others) for case in CASES}


POLLUTERS: Final = tomllib.loads((HERE / "polluters.toml").read_text(encoding="utf-8"))


def _write_project(folder: Path, polluter: Polluter) -> None:
    """Write a suite, and an xtest.toml with a subject for each kind of session."""
    settings = SETTINGS.format(wall_s=polluter.wall_s)
    write_suite(folder / "double", {n: (n + "\n", f"{2 * int(n)}\n") for n in CASES}, settings)
    polluter.write(folder)
    config = 'suites = ["double"]\n'
    for kind in polluter.kinds:
        command = f'command = ["./{polluter.name}"]\nsession = "{kind}"'
        config += f"[subjects.{kind}]\n{command}\n"
    (folder / "xtest.toml").write_text(config, encoding="utf-8")


@pytest.mark.parametrize(
    "polluter",
    [
        pytest.param(
            Polluter(name, **row), id=name, marks=[pytest.mark.system] if "needs" in row else []
        )
        for name, row in POLLUTERS.items()
    ],
)
def test_sessions_change_no_verdict(xtest: Xtest, tmp_path: Path, polluter: Polluter) -> None:
    _write_project(tmp_path, polluter)
    # Where all is repeated, all verdicts come from processes of their own: the table is true.
    options = ["--sessions", "verify", "--session-sample", "all", "--results", "results.jsonl"]
    # With PYTHONPATH set, no fork would be faithful.
    done = xtest("run", *options, "-q", env={"PYTHONPATH": ""})
    judged = read_judged(tmp_path / "results.jsonl")
    verdicts = {(event["subject"], event["case"]): event["verdict"] for event in judged}
    right = polluter.verdicts.items()
    assert verdicts == {(kind, case): each for kind in polluter.kinds for case, each in right}, done
    assert len(judged) == len(verdicts)
    events = read_events(tmp_path / "results.jsonl")
    kinds = [event["kind"] for event in events if event.get("sessions", 0) > 0]
    assert sorted(kinds) == sorted(polluter.kinds)
