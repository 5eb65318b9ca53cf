"""The action, the template and the jobs of docs/howto/ci.md do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from support.runner_log import commands_in
from support.suites import write_program, write_suite
from support.xtest import TOP, Xtest, write_launchers

PAGE = (TOP / "docs/howto/ci.md").read_text(encoding="utf-8")
ACTIONS, SHARDS, GITLAB = re.findall("```yaml\n(.*?)```", PAGE, re.DOTALL)
(PLAIN,) = re.findall("```sh\n(.*?)```", PAGE, re.DOTALL)
ACTION = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
TEMPLATE = yaml.safe_load((TOP / "xtest.gitlab-ci.yml").read_text(encoding="utf-8"))

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
    write_program(tmp_path / ".venv" / "bin" / "pip", 'echo "$@" >> installed')
    return tmp_path


def run(
    script: str, repository: Path, *shell: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in the repository, by `sh -e` or another shell."""
    xtest = Xtest(repository, repository / "cache")
    path = f"{repository}/.venv/bin:{xtest.environment()['PATH']}"
    return xtest.run(*(shell or ("/bin/sh", "-e")), "-c", script, PATH=path, **variables)


def run_steps(steps: list[dict[str, Any]], repository: Path) -> str:
    """Run the steps of a job as GitHub's runner does, until one fails; return the log."""
    log = ""
    for script, inputs in scripts(steps):
        variables = {
            "GITHUB_ACTION_PATH": str(TOP),
            "GITHUB_WORKSPACE": str(repository),
            "GITHUB_STEP_SUMMARY": str(repository / "summary.md"),
        }
        shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")
        done = run(script, repository, *shell, **variables, **inputs)
        log += done.stdout + done.stderr
        if done.returncode:
            return f"{log}\nfailed with status {done.returncode}"
    return log


def scripts(steps: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the scripts of steps, and of the action where a step uses it, with their variables."""
    for step in steps:
        if "run" in step:
            yield step["run"], {}
        elif step["uses"] == "OWNER/xtest@main":
            given = step["with"]
            assert given.keys() <= ACTION["inputs"].keys()
            inputs = {name: each["default"] for name, each in ACTION["inputs"].items()} | given
            for part in ACTION["runs"]["steps"]:
                if "run" in part and (inputs["command"] != "install" or "if" not in part):
                    yield part["run"], variables_of(part.get("env", {}), inputs)


def variables_of(env: dict[str, str], inputs: dict[str, str]) -> dict[str, str]:
    """Return the environment of an action's step, whose values are inputs."""
    found = {name: re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", value) for name, value in env.items()}
    return {name: inputs[match[1]] for name, match in found.items() if match}


def failures(repository: Path) -> list[str | None]:
    """Return the cases that failed, by the JUnit report."""
    tree = ElementTree.parse(repository / "xtest.xml")
    return [case.get("name") for case in tree.iter("testcase") if case.find("failure") is not None]


def test_the_action_fails_annotates_the_case_and_writes_the_summary(repository: Path) -> None:
    log = run_steps(yaml.safe_load(ACTIONS)["jobs"]["xtest"]["steps"], repository)
    assert log.endswith("failed with status 1")
    (command,) = commands_in(log)
    assert command.properties == {
        **{"file": "suites/double/3-out.json", "line": "1"},
        **{"title": "too-few: double/3"},
    }
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")
    assert failures(repository) == ["3"]
    assert (repository / "xtest.jsonl").stat().st_size > 0
    assert str(TOP) in (repository / "installed").read_text(encoding="utf-8")


def test_quotes_keep_the_words_of_an_input_together_and_no_shell_reads_them(
    repository: Path,
) -> None:
    arguments = "suites --case 4\n-- sh -c 'read x; echo $((2 * x))' $(touch made)"
    steps = [{"uses": "OWNER/xtest@main", "with": {"arguments": arguments}}]
    assert "1 of 1 passed" in run_steps(steps, repository)
    assert not (repository / "made").exists()
    unclosed = [{"uses": "OWNER/xtest@main", "with": {"arguments": "suites -- 'sh"}}]
    assert "unmatched single quote" in run_steps(unclosed, repository)


def test_jobs_on_several_machines_make_one_report(repository: Path) -> None:
    jobs = yaml.safe_load(SHARDS)["jobs"]
    for part in "1234":
        text = yaml.safe_dump(jobs["part"]).replace("${{ matrix.part }}", part)
        run_steps(yaml.safe_load(text)["steps"], repository)
    (repository / "summary.md").unlink()
    log = run_steps(jobs["whole"]["steps"], repository)
    assert [command.name for command in commands_in(log)] == ["error"]
    assert failures(repository) == ["3"]
    assert "4 of 5" in (repository / "summary.md").read_text(encoding="utf-8")


def test_a_job_of_gitlab_leaves_a_junit_report(repository: Path) -> None:
    (name, job) = yaml.safe_load(GITLAB).popitem()
    whole = TEMPLATE[job["extends"]] | job
    variables = TEMPLATE[job["extends"]]["variables"] | job["variables"]
    script = "\n".join((*whole["before_script"], *whole["script"]))
    assert (name, run(script, repository, **variables).returncode) == ("conformance", 1)
    assert failures(repository) == ["3"]
    artifacts = (*whole["artifacts"]["paths"], whole["artifacts"]["reports"]["junit"])
    assert [each for each in artifacts if not (repository / each).stat().st_size] == []


def test_a_script_for_any_server_leaves_its_reports(repository: Path) -> None:
    # Its environment exists already.
    script = PLAIN.replace("python3 -m venv .venv\n", "")
    assert run(script, repository).returncode == 1
    assert failures(repository) == ["3"]
    assert (repository / "xtest.md").read_text(encoding="utf-8").startswith("## xtest: 4 of 5")


def test_the_jobs_of_the_page_satisfy_the_schemas(tmp_path: Path) -> None:
    (tmp_path / "one.yml").write_text(ACTIONS, encoding="utf-8")
    (tmp_path / "two.yml").write_text(SHARDS, encoding="utf-8")
    (tmp_path / "gitlab.yml").write_text(GITLAB, encoding="utf-8")
    for schema, *files in (
        ("vendor.github-workflows", "one.yml", "two.yml"),
        ("vendor.gitlab-ci", "gitlab.yml"),
    ):
        check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
        subprocess.run(check, cwd=tmp_path, check=True)
