"""Runs of a subject that notes what it is started for: what a run was spared can be seen.

For the tests of --resume and --cached, which start whole processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent.parent
XTEST = [sys.executable, "-m", "harness", "run"]

# Notes which part of the run has it start for which case; some cases it does not pass.
SUBJECT = """#!/bin/sh
read case
echo "$PART $case" >> log
sleep 0.005
case $case in
*7) echo 0;;
*8) kill -9 $$;;
*9) echo "[";;
*) echo "$case";;
esac
"""


def environment(part: int = 0) -> dict[str, str]:
    """What xtest and its subjects find in the environment."""
    return {**os.environ, "PYTHONPATH": str(TOP), "PART": str(part)}


def xtest(*words: str, folder: Path, part: int = 0) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder to its end."""
    return subprocess.run(
        [*XTEST, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment(part),
    )


def write_cases(folder: Path, *numbers: int) -> None:
    """Cases whose expected output is their input."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        for side in ("in", "out"):
            (folder / f"{number}-{side}.json").write_text(f"{number}\n", encoding="utf-8")


def made_place(folder: Path) -> Path:
    """A folder with the suite `s` of ten cases, and a subject that passes seven of them."""
    write_cases(folder / "s", *range(1, 11))
    (folder / "prog").write_text(SUBJECT, encoding="utf-8")
    (folder / "prog").chmod(0o755)
    return folder


def events(place: Path) -> list[dict[str, Any]]:
    """The whole lines of the results file, if there is one."""
    file = place / "r"
    data = file.read_bytes() if file.exists() else b""
    return [json.loads(line) for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def judged(place: Path) -> list[str]:
    """The cases in the results file that were judged."""
    return [event["case"] for event in events(place) if "verdict" in event]


def started(place: Path, part: int) -> list[str]:
    """The cases that the subject was started for in one part of the run."""
    log = place / "log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [case for number, case in map(str.split, lines) if number == str(part)]


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The last sentence, without the time that it took."""
    head, _, tail = done.stdout.splitlines()[-1].partition(" in ")
    return head + tail.partition(" s")[2]
