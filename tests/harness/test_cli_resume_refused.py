"""What --resume and --cached refuse: whole messages, and no file is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent


def xtest(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder to its end."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "run", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def write_cases(folder: Path, *numbers: int) -> None:
    """Cases whose expected output is their input."""
    folder.mkdir()
    for number in numbers:
        for side in ("in", "out"):
            (folder / f"{number}-{side}.json").write_text(f"{number}\n", encoding="utf-8")


NOT_OURS = '{"event":"problem","where":"s","message":"m"}\n'


@pytest.fixture(name="finished", scope="module")
def _finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results `r` of a whole run, and files that are none of results."""
    place = tmp_path_factory.mktemp("finished")
    write_cases(place / "s", *range(1, 11))
    write_cases(place / "t", 1)
    done = xtest("s", "-q", "--results", "r", "--", "cat", folder=place)
    assert done.returncode == 0
    lines = (place / "r").read_text(encoding="utf-8").splitlines(keepends=True)
    heading = {name: value for name, value in json.loads(lines[0]).items() if name != "basis"}
    pigeon = lines[1].replace('"delivery":"plain"', '"delivery":"pigeon"')
    (place / "not-ours").write_text(NOT_OURS, encoding="utf-8")
    (place / "no-basis").write_text(f"{json.dumps(heading)}\n{lines[1]}", encoding="utf-8")
    (place / "pigeon").write_text(lines[0] + pigeon + lines[2], encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["s", "--resume"], "--resume goes on with the FILE of --results, and there is none"),
        (
            ["s", "--resume", "--results", "r", "--failed"],
            "--resume goes on with what was selected, and --failed selects something else as cases"
            " are run; leave --failed out: what is done is not run again",
        ),
        (
            ["s", "--resume", "--results", "r", "--case", "1-9"],
            "--resume: r has 1 run that this command line does not select (s/10, for one), and"
            " would lose; select the same cases and deliveries, or use another file",
        ),
        (
            ["s", "--resume", "--results", "r", "--deliver", "crlf"],
            "--resume: r has 10 runs that this command line does not select (s/1 (plain), for one),"
            " and would lose; select the same cases and deliveries, or use another file",
        ),
        (
            ["t", "--resume", "--results", "r"],
            "--resume: r, line 1: a run of cat on s, which is not asked for now; give the same"
            " suites and command, or begin anew without --resume",
        ),
        (
            ["s", "--resume", "--results", "s/1-in.json"],
            "--resume: s/1-in.json, line 1: not a line of a results file: the line is no object",
        ),
        (
            ["s", "--resume", "--results", "not-ours"],
            "--resume: not-ours, line 1: a results file begins with run-started",
        ),
        (
            ["s", "--resume", "--results", "no-basis"],
            "--resume: no-basis, line 2: nothing says what this run rests on; begin anew",
        ),
        (
            ["s", "--resume", "--results", "pigeon"],
            '--resume: pigeon, line 2: no delivery is called "pigeon"',
        ),
        (["s", "--resume", "--results", "t"], "--resume: t: is a directory"),
        (["s", "--resume", "--results", "no/r"], "--results no/r: no such file or directory"),
        (["s", "--depends", "s"], "--depends is for --results and --cached, and neither is there"),
        (["s", "--cached", "--depends", "n"], "--depends n: no such file or folder"),
    ],
)
def test_nonsense_is_refused_and_no_file_is_touched(
    finished: Path, words: list[str], said: str
) -> None:
    before = {file: file.read_bytes() for file in finished.iterdir() if file.is_file()}
    done = xtest(*words, "--", "cat", folder=finished)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"xtest: {said}\n")
    assert {file: file.read_bytes() for file in finished.iterdir() if file.is_file()} == before
