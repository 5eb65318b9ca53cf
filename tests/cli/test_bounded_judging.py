"""Outputs that take too long or too much memory to judge: no command hangs or fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.fest import RIGHT, World
from support.suites import pair, read_events, write_files, write_program, write_suite
from support.xtest import Xtest

# The bounds of one judgement are those of xtest, but for the time.
_SHORT = """
from harness.__main__ import main
from harness.process.killable import Bounds
from harness.runner import judge_process

judge_process.BOUNDS = Bounds(seconds=2)
main()
"""
_LONG = "a" * 41
_NESTED = "[" * 40 + '"x"' + "]" * 40
_BRANCH = '{"type": "array", "items": {"$ref": "#"}}'
_SCHEMAS = {
    "pattern.json": '{"items": {"pattern": "^(a+)+$"}}',
    "branches.json": f'{{"anyOf": [{_BRANCH}, {_BRANCH}]}}',  # both are tried at each level
}
_PATTERN = 'program = "./explode"\n[compare]\nstrings = { matching = "(a+)+" }\n'
_OUTPUT = 'output = "pattern.json"\n'
_STOPPED = "stopped after 2 s, in the pattern (a+)+"
# The input of the only case, the settings, the exit status, and what is printed.
_COMMANDS = {
    "run s -- ./explode": ('"aa"', _PATTERN, 2, f"judging {_STOPPED}"),
    "run s --check": (
        *(_NESTED, 'output = "branches.json"\nprogram = "cat"\n', 2),
        "s/1  judging stopped after 2 s",
    ),
    "accept s --all -- ./explode": (
        *('"aa"', _PATTERN, 1),
        f"refused  s/1  judging {_STOPPED}\n1 case: 1 refused\n",
    ),
    "accept s --case 1 --all -- ./explode": (
        *('"aa"', _OUTPUT, 1),
        "refused  s/1  judging stopped after 2 s, in the pattern",
    ),
    "compare cat ./explode -- s": ('"aa"', _PATTERN, 2, f"s/1: comparing {_STOPPED}"),
    "new s --yes -- ./explode": (
        *('"aa"', _OUTPUT, 1),
        "cannot be checked: checking stopped after 2 s, in the pattern",
    ),
    "new s --yes -- cat": ('"aa"', 'input = "pattern.json"\n', 2, "checking stopped after 2 s"),
    "selftest s -- cat": (f'"{_LONG}"', _PATTERN, 2, f"s: judging mutants {_STOPPED}"),
    "selftest s -- ./explode": (
        *('"aa"', _PATTERN, 2),
        f"not passed  s/1  harness-fault: judging {_STOPPED}",
    ),
}


@pytest.mark.parametrize("words", _COMMANDS)
def test_a_judgement_that_takes_too_long_is_reported_and_writes_nothing(
    xtest: Xtest, tmp_path: Path, words: str
) -> None:
    given, settings, status, message = _COMMANDS[words]
    files = {**pair("1", given, given), **_SCHEMAS, "suite.toml": settings}
    suite = write_files(tmp_path / "s", files)
    write_program(tmp_path / "explode", f"cat >/dev/null; echo '\"{_LONG}b\"'")
    done = xtest.run(sys.executable, "-P", "-c", _SHORT, *words.split(), stdin=f'"{_LONG}b"')
    output = done.stdout + done.stderr
    assert (done.returncode, message in output) == (status, True), output
    assert {path.name: path.read_text("utf-8") for path in suite.iterdir()} == files


_SHORT_CHECK = """
import harness.cli.fest_session
from harness.__main__ import main

harness.cli.fest_session.CASE_LIMIT_S = 0.5
main()
"""


def test_a_submitted_case_that_takes_too_long_to_check_is_no_case_of_its_team(
    xtest: Xtest, tmp_path: Path
) -> None:
    submitted = ("add", 1, 2, f"{_LONG}b")
    World({"one": RIGHT}, {}, {"ann": RIGHT}, {"ann": [submitted]}).write(tmp_path)
    write_files(tmp_path, {"suite.toml": _OUTPUT, **_SCHEMAS})
    words = ("fest", "run", "--results", "r.jsonl", "--sandbox=none")
    done = xtest.run(sys.executable, "-P", "-c", _SHORT_CHECK, *words)
    events = read_events(tmp_path / "r.jsonl")
    reasons = [each["reason"] for each in events if each["event"] == "submitted"]
    stopped = 'stopped after 0.5 s, in the pattern "^(a+)+$"'
    assert reasons == [f"checking its schema {stopped}"], done.stderr


# Room for the input of the third case once, but not for a copy.
_LITTLE_MEMORY = """
import resource
from harness.__main__ import main
import harness.cli.run

with open("/proc/self/statm", encoding="ascii") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20),) * 2)
main()
"""


def test_a_case_that_this_machine_has_no_memory_for_is_not_to_blame(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1", "2": "2", "3": ("3" + " " * (60 << 20), "3")})
    os.truncate(suite / "2-in.json", 1 << 32)
    command = (sys.executable, "-P", "-c", _LITTLE_MEMORY)
    done = xtest.run(*command, "run", "s", "--", "true")
    assert [line for line in done.stdout.splitlines() if line.startswith("harness-fault")] == [
        "harness-fault  s/2  2-in.json: not enough memory on this machine",
        "harness-fault  s/3  a limit of this machine: not enough memory",
    ]
    assert (done.returncode, done.stderr) == (2, "")
    (suite / "3-in.json").write_bytes(b"3")
    for words in ("lint s", "selftest s -- cat", "pack s -o p", "accept s --dry-run -- cat"):
        done = xtest.run(*command, *words.split())
        assert "2-in.json: " in done.stdout + done.stderr and done.returncode in (1, 2)
