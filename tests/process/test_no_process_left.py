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
@pytest.mark.parametrize(
    "option",
    ["--full", pytest.param("--sandbox=landlock", marks=pytest.mark.needs("namespaces"))],
)
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


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="mounts a file system")
@pytest.mark.parametrize("option", ["--full", "--sandbox"])
def test_xtest_says_that_it_needs_proc(option: str, tmp_path: Path, xtest: Xtest) -> None:
    write_files(tmp_path, {"s/1-in.json": "1", "s/1-out.json": "1"})
    words = (sys.executable, "-P", "-m", "harness", "run", "s", option, "--", "cat")
    script = 'mount -t tmpfs none /proc && exec "$@"'
    command = ("unshare", "--mount", "sh", "-c", script, "sh", *words)
    done = xtest.run(*command, XTEST_BACKEND="linux")
    assert (done.returncode, done.stdout) == (2, "")
    assert "xtest: /proc is not mounted here; xtest needs it" in done.stderr


# Takes every process that it can get, and keeps them for a while.
_GREEDY: Final = """#!/usr/bin/env python3
import os, time

n = input()
try:
    while n == "1":
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
except OSError:
    time.sleep(3)
print(n)
"""


_MANY_PROCESSES: Final = "[limits]\nprocesses = 1000\nwall_s = 20\n"


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="counts the processes of a user without others")
@pytest.mark.parametrize("session", ["", "fork"])
def test_a_program_that_takes_all_processes_costs_no_other_its_verdict(
    session: str, tmp_folder: Path, xtest: Xtest
) -> None:
    cases = {f"s/{n}-{kind}.json": str(n) for n in range(1, 7) for kind in ("in", "out")}
    write_files(tmp_folder, {**cases, "p.py": _GREEDY, "s/suite.toml": _MANY_PROCESSES})
    config = f'suites = ["s"]\n[subjects.p]\ncommand = ["{sys.executable}", "p.py"]\n'
    config += f'session = "{session}"\n' if session else ""
    write_files(tmp_folder, {"xtest.toml": config})
    subprocess.run(["chmod", "-R", "a+rX", str(tmp_folder)], check=True)
    done = replace(xtest, folder=tmp_folder).run(
        *("prlimit", "--nproc=40", *OTHER_USER),
        *(sys.executable, "-P", "-m", "harness", "run", "-j3", "-v"),
    )
    assert "Traceback" not in done.stderr
    passed = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("passed")}
    assert passed >= {f"s/{number}" for number in range(2, 7)}, done.stdout


# Fills its namespace, but for a number of processes, and becomes the given program.
_FILL: Final = """
import os, signal, sys, time
children = []
try:
    while True:
        children.append(os.fork())
        if children[-1] == 0:
            signal.pause()
except OSError:
    pass
for pid in children[-int(sys.argv[1]) :]:  # numbers below 300 are not used again
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""
_KERNEL: Final = tuple(map(int, os.uname().release.split(".")[:2]))


@pytest.mark.slow
@pytest.mark.skipif(
    os.getuid() != 0 or _KERNEL < (6, 14), reason="pid_max is that of a namespace since Linux 6.14"
)
def test_a_full_namespace_of_processes_blames_no_program(tmp_folder: Path, xtest: Xtest) -> None:
    write_files(tmp_folder, {"s/1-in.json": "1", "s/1-out.json": "1"})
    write_program(tmp_folder / "p.sh", "read n; echo $n")
    seen = set[int]()
    for left in (1, 3, 5, 7, 30):
        done = replace(xtest, folder=tmp_folder).run(
            *("unshare", "--pid", "--kill-child", "--fork", "--mount-proc", "sh", "-c"),
            'echo 400 > /proc/sys/kernel/pid_max && exec "$@"',
            *("sh", sys.executable, "-c", _FILL, str(left)),
            *(sys.executable, "-P", "-m", "harness", "run", "s", "-j2", "--", "./p.sh"),
        )
        assert "Traceback" not in done.stderr
        assert "not-started" not in done.stdout
        assert done.returncode in (0, 2), done
        seen.add(done.returncode)
    assert seen == {0, 2}
