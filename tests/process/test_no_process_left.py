"""Limits of the machine on processes: never the subject's fault."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from errno import EAGAIN
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NoReturn

import pytest
from support.cases import case_of
from support.suites import write_files, write_program
from support.xtest import Xtest

from harness.errors import NoProcessLeft
from harness.judging.judge import judge
from harness.model.transcript import NotStarted, Transcript
from harness.model.verdict import MACHINE_LIMIT, Verdict
from harness.process.own_process import fork

# Without other processes; it may read where only root may.
OTHER_USER: Final = (
    *("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--"),
)


def test_a_program_that_this_machine_cannot_start_is_not_blamed() -> None:
    transcript = Transcript(NotStarted("no further process", by_machine=True))
    case = case_of(b"1")
    judgement = judge(transcript, case, case.policy)
    assert judgement.verdict is Verdict.HARNESS_FAULT
    assert judgement.message == f"{MACHINE_LIMIT}: no further process"


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))


def test_a_refused_fork_is_a_limit_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", _refuse)
    with pytest.raises(NoProcessLeft, match="ulimit -u"):
        fork(lambda: 0)


@pytest.fixture(name="tmp_folder")
def _tmp_folder() -> Iterator[Path]:
    """Yield a folder that every user can enter, unlike pytest's."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="counts the processes of a user without others")
@pytest.mark.parametrize("option", ["--full", "--sandbox=landlock"])
def test_xtest_says_that_it_cannot_start_a_worker(
    option: str, tmp_folder: Path, xtest: Xtest
) -> None:
    write_files(tmp_folder, {"s/1-in.json": "1", "s/1-out.json": "1"})
    write_program(tmp_folder / "p.sh", "read n; echo $n")  # starts no process
    subprocess.run(["chmod", "-R", "a+rX", str(tmp_folder)], check=True)
    xtest = replace(xtest, folder=tmp_folder)
    seen = set[tuple[int, bool]]()
    for most in range(1, 9):
        done = xtest.run(
            *("prlimit", f"--nproc={most}", *OTHER_USER),
            *(sys.executable, "-P", "-m", "harness", "run", "s", "-j2", option, "--", "./p.sh"),
        )
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 2)
        assert "not-started" not in done.stdout
        seen.add((done.returncode, "no further process" in done.stdout + done.stderr))
    assert seen >= {(0, False), (2, True)}
