"""Each command on a suite of dialogues, or why it takes none."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import pytest
from support.suites import write_files
from support.xtest import XTEST, run_command

SERVER: Final = """#!/usr/bin/env python3
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    result = sys.argv[1:] or request["n"]
    print(json.dumps({"id": request["id"], "result": result}), flush=True)
"""
SETTINGS: Final = """[talk]
framing = "lines"
start = [{ send = { id = 0, n = 5 } }, { expect = { id = 0 }, extra = true, as = { five = "/result" } }]
"""
STEPS: Final = """{"send": {"id": 1, "n": ["${five}"]}}
{"expect": {"id": 1, "result": ["${five}"]}}
"""
SUBJECTS: Final = """subjects.right.command = ["./server"]
subjects.right.session = "stream"
subjects.wrong.command = ["./server", "6"]
"""
NO_INPUT: Final = "a dialogue has no input to compare; use xtest run"

# Each with a part of what it prints.
COMMANDS: Final = {
    "run s -j2": "1 of 2 passed",
    "run s --subject right --deliver all": "all 7 passed",
    "run s --subject right --repeat 2": "1 of 1 passed",
    "run s --subject right --sessions verify": "1 of 1 passed",
    "run s --cluster local:1": "1 of 2 passed",
    "matrix s": "1 case: 0 passed by all, 1 by some",
    "list s": "suite cases program title s 1",
    "lint s": "1 case in 1 suite",
    "pack s -o packed.jsonl": "s: 1 case packed",
    "accept s --dry-run --subject wrong": '+ {"expect": {"id": 1, "result": ["6"]}}',
    "selftest s --subject right": "59 of 61 mutants killed",
    "compare right wrong -- s": f"s/1: {NO_INPUT}",
    "fuzz s --subject right": NO_INPUT,
    "shrink s --case 1": NO_INPUT,
    "pytest --xtest-suite s": "1 failed, 1 passed",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs_dialogues_or_says_why_not(command: str, tmp_path: Path) -> None:
    files = {"server": SERVER, "xtest.toml": SUBJECTS, "s/suite.toml": SETTINGS}
    write_files(tmp_path, {**files, "s/1-talk.jsonl": STEPS})
    (tmp_path / "server").chmod(0o755)
    first, *rest = command.split()
    words = [*XTEST, first, *rest]
    if first == "pytest":
        words = [sys.executable, "-m", "pytest", "-q", *rest]
    done = run_command(tmp_path, words)
    shown = done.stdout + done.stderr
    assert COMMANDS[command] in re.sub(r"\s+", " ", shown), shown
