"""The jobs of docs/howto/ci.md do what the page says, in a repository as it describes it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.runner_log import commands_in
from support.suites import write_program, write_suite
from support.xtest import TOP, Xtest, write_launchers

PAGE = (TOP / "docs/howto/ci.md").read_text(encoding="utf-8")
ACTIONS, SHARDS, GITLAB = re.findall("```yaml\n(.*?)```", PAGE, re.DOTALL)
(PLAIN,) = re.findall("```sh\n(.*?)```", PAGE, re.DOTALL)

MAKE = r"""
printf '#!/bin/sh\nread x\n[ $x = 3 ] && echo ::error::no >&2 || echo $((2 * x))\n' > double
chmod +x double
"""


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """A repository with a suite of five cases, of which its program fails one."""
    cases = {str(number): (f"{number}\n", f"{2 * number}\n") for number in range(1, 6)}
    write_suite(tmp_path / "suites" / "double", cases)
    # Whatever the job installs, the xtest on its PATH is this one.
    write_launchers(tmp_path / ".venv" / "bin")
    write_program(tmp_path / ".venv" / "bin" / "make", MAKE)
    write_program(tmp_path / ".venv" / "bin" / "pip", "")
    return tmp_path


def run(command: str, repository: Path) -> subprocess.CompletedProcess[str]:
    """Run a step in the repository, as GitHub's runner does."""
    environment = Xtest(repository, repository / "cache").environment(
        GITHUB_WORKSPACE=str(repository), GITHUB_STEP_SUMMARY=str(repository / "summary.md")
    )
    return subprocess.run(
        ["/bin/sh", "-e", "-c", command],
        cwd=repository,
        env={**environment, "PATH": f"{repository}/.venv/bin:{environment['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def steps(job: str, part: str = "") -> list[str]:
    """Return the commands of a job."""
    return re.findall(r"- run: (.*)", job.replace("${{ matrix.part }}", part))


def failures(repository: Path) -> list[str | None]:
    """Return the cases that failed, by the JUnit report."""
    tree = ElementTree.parse(repository / "xtest.xml")
    return [case.get("name") for case in tree.iter("testcase") if case.find("failure") is not None]


def test_a_job_of_github_fails_and_annotates_the_case(repository: Path) -> None:
    *before, last = [run(step, repository) for step in steps(ACTIONS)]
    assert [done.returncode for done in before] == [0, 0]
    assert last.returncode == 1
    (command,) = commands_in(last.stdout + last.stderr)
    assert command.properties == {
        **{"file": "suites/double/3-out.json", "line": "1"},
        **{"title": "too-few: double/3"},
    }
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")
    assert failures(repository) == ["3"]
    assert (repository / "xtest.jsonl").stat().st_size > 0


def test_jobs_on_several_machines_make_one_report(repository: Path) -> None:
    parts, whole = SHARDS.split("  whole:\n")
    for part in "1234":
        ended = [run(step, repository).returncode for step in steps(parts, part)]
        assert ended[:2] == [0, 0] and ended[2] in (0, 1)
    done = [run(step, repository) for step in steps(whole)][-1]
    assert (done.returncode, done.stderr) == (0, "")
    assert [command.name for command in commands_in(done.stdout)] == ["error"]
    assert failures(repository) == ["3"]
    assert "4 of 5" in (repository / "summary.md").read_text(encoding="utf-8")


def test_a_job_of_gitlab_leaves_a_junit_report(repository: Path) -> None:
    script, _ = GITLAB.split("  artifacts:\n")
    lines = re.findall(r"    - (.*)", script)
    assert [run(line, repository).returncode for line in lines] == [0, 0, 1]
    assert failures(repository) == ["3"]


def test_a_script_for_any_server_leaves_its_reports(repository: Path) -> None:
    # Its environment exists already.
    script = PLAIN.replace("python3 -m venv .venv\n", "")
    assert run(script, repository).returncode == 1
    assert failures(repository) == ["3"]
    assert (repository / "xtest.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")
