"""The files with which xtest is released: the version, the workflow, the container."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml
from support.xtest import TOP

from harness.version import VERSION

WORKFLOWS = [
    str(path.relative_to(TOP)) for path in sorted((TOP / ".github" / "workflows").iterdir())
]
WORKFLOW = yaml.safe_load((TOP / ".github" / "workflows" / "release.yml").read_text("utf-8"))
DOCKERFILE = (TOP / "Dockerfile").read_text("utf-8")


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (TOP / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (.+)", changelog, re.MULTILINE)[:2] == ["Unreleased", VERSION]


def test_only_the_job_that_publishes_gets_an_identity_and_it_runs_no_code_of_the_project() -> None:
    build, publish = WORKFLOW["jobs"]["build"], WORKFLOW["jobs"]["publish"]
    assert WORKFLOW["permissions"] == {}
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == "build"
    assert not any("run" in step for step in publish["steps"])
    assert "secrets." not in str(WORKFLOW)


@pytest.mark.parametrize("path", ["action.yml", *WORKFLOWS])
def test_actions_of_others_are_pinned_to_commits(path: str) -> None:
    used = re.findall(r"uses: *([^.\s]\S*)(.*)", (TOP / path).read_text("utf-8"))
    assert used
    for action, comment in used:
        assert re.search("@[0-9a-f]{40}$", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_what_is_published_was_installed_and_run_from_wheel_and_sdist() -> None:
    commands = "\n".join(step.get("run", "") for step in WORKFLOW["jobs"]["build"]["steps"])
    checked = re.findall(r"python (\S+check\.py) (\S+)", commands)
    assert [folder for _, folder in checked] == ["dist", "from-sdist"]
    assert all((TOP / script).is_file() for script, _ in checked)


def test_programs_in_the_container_are_run_by_an_ordinary_user() -> None:
    assert len(DOCKERFILE.splitlines()) <= 30
    *_, last = DOCKERFILE.split("\nFROM ")
    assert re.search("^USER (?!root)", last, re.MULTILINE)
    assert "slim" in last.splitlines()[0]


@pytest.mark.parametrize("kept", ["/harness", "/schemas", "/test_cases", "/tests", "/.github"])
def test_the_sdist_has_what_the_wheel_and_its_tests_need(kept: str) -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    assert kept in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
