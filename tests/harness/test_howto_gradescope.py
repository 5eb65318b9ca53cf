"""The page on Gradescope: its scripts grade in a folder that is laid out as Gradescope does it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = (TOP / "docs/howto/gradescope.md").read_text(encoding="utf-8")
SCHEMA = json.loads(Path(__file__).with_name("gradescope.schema.json").read_text(encoding="utf-8"))
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
    suite = tmp_path / "source/suites/double"
    for name in ("source", "submission", "results", "source/suites", "source/suites/double"):
        (tmp_path / name).mkdir()
    for name, number in (("1", 1), ("2", 2), ("3", 3), ("hard-1", 40)):
        (suite / f"{name}-in.json").write_text(f"{number}\n", encoding="utf-8")
        (suite / f"{name}-out.json").write_text(f"{2 * number}\n", encoding="utf-8")
    (suite / "suite.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "run_autograder").write_text(_here(RUN, tmp_path), encoding="utf-8")
    return tmp_path


def _here(script: str, folder: Path) -> str:
    """A script of the page for this folder and this xtest, and without another user: to become one
    takes a superuser."""
    script = script.replace("/autograder/", f"{folder}/")
    script = script.replace("/opt/xtest/bin/xtest", f"{sys.executable} -m harness")
    script = re.sub("setpriv .*(?= \\./double)", "", script)
    assert "setpriv" not in script
    return script


def grade(autograder: Path) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run the autograder, as Gradescope does it: its process, and the results that it wrote."""
    done = subprocess.run(
        ["/bin/sh", "run_autograder"],
        cwd=autograder,
        env={**os.environ, "PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        check=False,
    )
    results = json.loads((autograder / "results/results.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMA).validate(results)
    return done, results


def test_a_submission_is_graded(autograder: Path) -> None:
    # As it is uploaded: nothing says that it can be started.
    (autograder / "submission/double").write_text(DOUBLE, encoding="utf-8")
    done, results = grade(autograder)
    assert done.returncode == 0
    assert "malformed  double/3" in done.stdout
    told = [(test["name"], test["score"], test["max_score"]) for test in results["tests"]]
    assert told == [
        ("double/1", 2.67, 2.67),
        ("double/2", 2.66, 2.66),
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


def test_a_fault_of_the_suite_is_told_to_the_staff_and_costs_nobody_points(
    autograder: Path,
) -> None:
    (autograder / "submission/double").write_text(DOUBLE.replace("wrong", "6"), encoding="utf-8")
    (autograder / "source/suites/double/2-out.json").write_text("[4", encoding="utf-8")
    done, results = grade(autograder)
    assert done.stdout.endswith("xtest ended with status 2: see above\n")
    assert results["score"] == 10


def test_setup_is_a_script_without_a_slip() -> None:
    assert subprocess.run(["/bin/sh", "-n"], input=SETUP, text=True, check=False).returncode == 0
    assert tomllib.loads(SETTINGS)["grading"] == {"points": 10}


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A suite, and two subjects that leave a trace, one of them with a build that does."""
    suite = tmp_path / "s"
    suite.mkdir()
    for side in ("in", "out"):
        (suite / f"1-{side}.json").write_text("1", encoding="utf-8")
    (tmp_path / "p.sh").write_text("#!/bin/sh\ntouch ran\nexec cat\n", encoding="utf-8")
    (tmp_path / "p.sh").chmod(0o755)
    config = (
        'suites = ["s"]\n[subjects.a]\ncommand = ["./p.sh"]\nbuild = ["touch", "built"]\n'
        '[subjects.b]\ncommand = ["./p.sh", "-u"]\n'
    )
    (tmp_path / "xtest.toml").write_text(config, encoding="utf-8")
    return tmp_path


def xtest(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", ["run", "matrix"])
def test_several_subjects_are_refused_before_anything_runs(project: Path, command: str) -> None:
    words = ("--report", "gradescope=g", "--report", "tap=t", "--results", "r")
    done = xtest(command, "s", *words, folder=project)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "xtest: --report gradescope=g: there are 2 subjects (a, b), and Gradescope grades one"
        " submission; run one of them, or all with --results, of which xtest report FILE"
        " --subject NAME --to gradescope makes one for each\n",
    )
    assert not any((project / name).exists() for name in ("ran", "built", "g", "t", "r"))


def test_of_one_run_each_subject_gets_a_file(project: Path) -> None:
    assert xtest("matrix", "--results", "r", folder=project).returncode == 0
    done = xtest("report", "r", "--to", "gradescope=g", "--to", "tap=t", folder=project)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: --to gradescope=g: there are results of 2 subjects (a, b), and Gradescope grades"
        " one submission; choose one with --subject\n",
    )
    assert (project / "t").exists() and not (project / "g").exists()
    done = xtest("report", "r", "--subject", "b", "--to", "gradescope=g", folder=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    results = json.loads((project / "g").read_text(encoding="utf-8"))
    assert (results["score"], len(results["tests"])) == (1, 1)
    done = xtest("report", "r", "--subject", "c", "--to", "gradescope=g", folder=project)
    assert (done.returncode, done.stderr) == (
        2,
        'xtest: --subject "c": no subject of these results has this name; known: a, b\n',
    )
