"""The commands fuzz and shrink run on a cluster, for a time, in sessions, and on one case."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.suites import write_files, write_suite
from support.xtest import Xtest

pytestmark = pytest.mark.slow

PROGRAM = """
import json, sys
side, answered, text = sys.argv[1], 0, sys.stdin.read().strip()
while text:
    value, end = json.JSONDecoder().raw_decode(text)
    answered, text = answered + 1, text[end:].strip()
    found = sum(each for each in value if isinstance(each, int))
    if side == "wrong" and len(value) > 2 and value[0] == value[-1]:
        found += 1
    if side == "forgetful" and len(value) == 2 and answered > 3:
        found += 1
    if side == "crashing" and 7 in value:
        sys.exit(3)
    print(json.dumps(found), flush=True)
"""
SUBJECT = """
[subjects.{side}]
command = ["{python}", "-SE", "p.py", "{side}"]
session = "stream"
"""
SCHEMA = {
    "type": "array",
    "minItems": 1,
    "maxItems": 2,
    "items": {"type": "array", "items": {"type": "integer", "minimum": -9, "maximum": 9}},
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    cases = {"1": ("[1]", "1"), "9": ("[4, 3, 2, 4]", "13"), "crash-1": ("[1, 7]", "8")}
    write_suite(tmp_path / "s", cases, 'input = "in.schema.json"\n')
    subjects = (
        SUBJECT.format(side=side, python=sys.executable)
        for side in ("right", "wrong", "forgetful", "crashing")
    )
    files = {"xtest.toml": f'suites = ["s"]\n{"".join(subjects)}', "p.py": PROGRAM}
    write_files(tmp_path, {**files, "s/in.schema.json": json.dumps(SCHEMA)})
    return tmp_path


SIDES = ("--subject", "right", "--seed", "1")


def fuzz(xtest: Xtest, folder: Path, *words: str) -> tuple[int, list[str]]:
    """Return the exit status, and the lines of standard output without the last one."""
    done = xtest("fuzz", "s", *SIDES, *words, cwd=folder)
    return done.returncode, done.stdout.splitlines()[:-1]


@pytest.mark.system
def test_the_same_is_found_however_inputs_are_run(xtest: Xtest, tmp_path: Path) -> None:
    words = ("--subject", "wrong", "--inputs", "60")
    status, lines = fuzz(xtest, tmp_path, *words, "-j1")
    assert status == 1
    assert any(line.endswith("[0,0,0]") for line in lines), lines
    for more in (("-j2",), ("-j2", "--sessions", "off"), ("--cluster", "local:2")):
        assert fuzz(xtest, tmp_path, *words, *more) == (status, lines), more
    portable = subprocess.run(
        [sys.executable, "-m", "harness", "fuzz", "s", *SIDES, *words, "-j2"],
        cwd=tmp_path,
        env=xtest.environment(XTEST_BACKEND="portable"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert portable.stdout.splitlines()[:-1] == lines, portable.stderr


def test_a_difference_that_only_a_session_shows_is_reported_as_one(
    xtest: Xtest, tmp_path: Path
) -> None:
    status, lines = fuzz(xtest, tmp_path, "--subject", "forgetful", "--inputs", "200", "-j1")
    assert status == 1
    assert any("A | B  at the whole output (number)" in line for line in lines), lines
    assert any("not in fresh processes: it depends on a session" in line for line in lines)
    assert not any("rerun" in line for line in lines), lines


def test_reports_blame_none_of_two_subjects_without_a_reference(
    xtest: Xtest, tmp_path: Path
) -> None:
    words = ("--subject", "wrong", "--inputs", "60", "-j1", "--results", "r.jsonl")
    assert fuzz(xtest, tmp_path, *words)[0] == 1
    done = xtest("report", "r.jsonl", "--to", "junit=r.xml", "--to", "html=r.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "r.xml").read_text()
    assert report.count('message="unlike right: at the whole output (number)"') == 1
    assert report.count('message="unlike wrong: at the whole output (number)"') == 1
    assert "ended" not in report
    assert "1 input shows where 2 subjects disagree" in (tmp_path / "r.html").read_text()


def test_reports_blame_whoever_is_unlike_the_reference(xtest: Xtest, tmp_path: Path) -> None:
    words = ("--subject", "wrong", "--reference", "right", "--inputs", "60", "--results", "r")
    assert fuzz(xtest, tmp_path, *words)[0] == 1
    report = xtest("report", "r", "--to", "junit", cwd=tmp_path).stdout
    assert report.count("<failure") == 1 and 'message="unlike right: ' in report


def test_a_time_ends_a_run(xtest: Xtest, tmp_path: Path) -> None:
    status, lines = fuzz(xtest, tmp_path, "--subject", "wrong", "--seconds", "3")
    assert status == 1
    assert any(line.endswith("[0,0,0]") for line in lines), lines


def test_inputs_that_break_the_schema_are_run_too(xtest: Xtest, tmp_path: Path) -> None:
    words = ("--subject", "wrong", "--inputs", "60", "--invalid", "--to", "found")
    status, lines = fuzz(xtest, tmp_path, *words)
    assert status == 1, lines
    assert list((tmp_path / "found").glob("*-in.json"))


def test_a_case_is_shrunk_under_its_name(xtest: Xtest, tmp_path: Path) -> None:
    words = ("shrink", "s", "--subject", "wrong", "--case", "9")
    done = xtest(*words, "--reference", "right", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "A | B  s/9  8 bytes\n    input      [0,0,0]\n" in done.stdout
    assert f"xtest {' '.join(words[:4])} --reference right --case 9" in done.stdout
    alone = xtest(*words, cwd=tmp_path)
    assert alone.returncode == 2
    assert "s/9: wrong does not fail on its own; name the program that is right" in alone.stderr


def test_a_failure_of_its_own_is_shrunk(xtest: Xtest, tmp_path: Path) -> None:
    done = xtest("shrink", "s", "--subject", "crashing", "--case", "crash-1", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "A  s/crash-1  4 bytes\n    input      [7]\n" in done.stdout


def test_a_program_that_cannot_start_finds_nothing(xtest: Xtest, tmp_path: Path) -> None:
    write_files(tmp_path, {"prog": "echo 1"})
    done = xtest("fuzz", "s", "--inputs", "30", "--", "./prog", cwd=tmp_path)
    assert done.returncode == 2
    assert "./prog: not executable (chmod +x ./prog)" in done.stderr


SLEEPER = """
import json, os, sys, time
text = sys.stdin.read().split()
if "[7]" in text and not os.path.exists(sys.argv[1]):
    open(sys.argv[1], "w").close()
    time.sleep(60)
print(0)
"""


def test_a_timeout_that_does_not_occur_again_is_no_finding(xtest: Xtest, tmp_path: Path) -> None:
    files = {"s/suite.toml": 'input = "in.schema.json"\nlimits.wall_s = 3\n', "p.py": SLEEPER}
    write_files(tmp_path, files)
    command = (sys.executable, "-SE", "p.py", str(tmp_path / "slept"))
    done = xtest("fuzz", "s", "--seed", "1", "--inputs", "60", "--", *command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 timeout did not occur again" in done.stdout
