"""The scripts of docs/howto/gradescope.md grade submissions in Gradescope's folders."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.suites import write_suite
from support.xtest import TOP, XTEST, Xtest

PAGE = (TOP / "docs/howto/gradescope.md").read_text(encoding="utf-8")
(SCHEMA_FILE,) = (TOP / "tests").rglob("gradescope.schema.json")
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
SETUP, RUN = re.findall("```sh\n(#!.*?)```", PAGE, re.DOTALL)
(SETTINGS,) = re.findall("```toml\n(.*?)```", PAGE, re.DOTALL)

DOUBLE = """#!/bin/sh
read x
case $x in
3) echo wrong;;
*) echo $((2 * x));;
esac
"""


@pytest.fixture(name="autograder")
def _autograder(tmp_path: Path) -> Path:
    """The folder /autograder, as the image has it: with the zip's files in source."""
    for name in ("submission", "results"):
        (tmp_path / name).mkdir()
    numbers = {"1": 1, "2": 2, "3": 3, "hard-1": 40}
    cases = {name: (f"{number}\n", f"{2 * number}\n") for name, number in numbers.items()}
    write_suite(tmp_path / "source/suites/double", cases, SETTINGS)
    # For this folder and this xtest, and without another user, which takes a superuser.
    script = RUN.replace("/autograder/", f"{tmp_path}/")
    script = script.replace("/opt/xtest/bin/xtest", shlex.join(XTEST))
    script = re.sub("setpriv .*(?= \\./double)", "", script)
    assert "setpriv" not in script
    (tmp_path / "run_autograder").write_text(script, encoding="utf-8")
    return tmp_path


def grade(autograder: Path) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run the autograder as Gradescope does; return its process and the results that it wrote."""
    done = Xtest(autograder, autograder / "cache").run("/bin/sh", "run_autograder")
    results = json.loads((autograder / "results/results.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMA).validate(results)
    return done, results


def test_a_submission_is_graded(autograder: Path) -> None:
    # Uploaded files are not executable.
    (autograder / "submission/double").write_text(DOUBLE, encoding="utf-8")
    done, results = grade(autograder)
    assert done.returncode == 0
    assert "malformed  double/3" in done.stdout
    scores = [(test["name"], test["score"], test["max_score"]) for test in results["tests"]]
    assert scores == [
        ("double/1", 2.67, 2.67),
        ("double/2", 2.67, 2.67),
        ("double/3", 0, 2.67),
        ("double/hard-1", 2, 2),
    ]
    assert results["score"] == 7.33
    assert results["output"] == "2 of 3 cases passed; others are not shown."
    assert [test["visibility"] for test in results["tests"]] == [
        *("visible", "visible", "visible", "after_due_date")
    ]
    assert not (autograder / "source").stat().st_mode & 0o077
    assert not (autograder / "results").stat().st_mode & 0o077


def test_a_submission_without_the_program_scores_nothing(autograder: Path) -> None:
    done, results = grade(autograder)
    assert done.returncode == 0
    assert results["score"] == 0
    assert {test["status"] for test in results["tests"]} == {"failed"}


def test_a_fault_of_the_suite_is_reported_to_the_staff_and_costs_no_points(
    autograder: Path,
) -> None:
    (autograder / "submission/double").write_text(DOUBLE.replace("wrong", "6"), encoding="utf-8")
    (autograder / "source/suites/double/2-out.json").write_text("[4", encoding="utf-8")
    done, results = grade(autograder)
    assert done.stdout.endswith("xtest ended with status 2: see above\n")
    assert results["score"] == 10


def test_setup_is_a_valid_script() -> None:
    assert subprocess.run(["/bin/sh", "-n"], input=SETUP, text=True, check=False).returncode == 0
