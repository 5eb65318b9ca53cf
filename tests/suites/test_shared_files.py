"""The files of a suite that its subjects may read: which, and that a sandbox shows only them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.suites import write_files, write_suite
from support.xtest import Xtest

from harness.errors import Refused
from harness.model.protection import SandboxKind
from harness.process.inventory import Exposure
from harness.process.sandbox import find_sandbox
from harness.suites.shared_files import shared_files


@pytest.fixture(name="suite")
def _suite(tmp_path: Path) -> Path:
    """A suite with two other files, a settings file and a link to the expected output."""
    folder = write_suite(tmp_path / "p" / "s", {"1": ("0", '"secret"')}, 'files = ["**", "**/*"]\n')
    write_files(folder, {"remotes/deep/a.json": "1", "data.json": "2"})
    (folder / "link.json").symlink_to("1-out.json")
    (folder / "remotes" / "all").symlink_to("..")
    return folder


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        *(("remotes/**", ["remotes"]), ("remotes/*", ["remotes/deep"])),
        *(("**", ["data.json", "remotes"]), ("*.json", ["data.json"])),
        *(("./1-out.json", []), ("suite.toml", []), ("remotes/all", []), (".", [])),
    ],
)
def test_files_match_globs_and_are_not_cases_or_settings(
    suite: Path, pattern: str, names: list[str]
) -> None:
    assert shared_files(suite, [pattern]) == [str(suite / name) for name in names]


@pytest.mark.system
@pytest.mark.parametrize("kind", [each.value for each in SandboxKind])
@pytest.mark.parametrize(
    ("script", "is_possible"),
    [
        ("cat remotes/deep/a.json data.json", True),
        *(("cat 1-out.json", False), ("cat link.json", False)),
        *(("cat remotes/all/1-out.json", False), ("cat suite.toml", False)),
    ],
)
def test_a_sandbox_shows_them_and_nothing_else_of_the_suite(
    xtest: Xtest, suite: Path, kind: str, script: str, is_possible: bool
) -> None:
    found = find_sandbox(SandboxKind(kind), Exposure())
    if isinstance(found, Refused):
        if os.environ.get("XTEST_REQUIRE_SYSTEM"):
            pytest.fail(found.reason)
        pytest.skip(found.reason)
    done = xtest(
        *("run", "s", f"--sandbox={kind}", "--"),
        *("sh", "-c", f'cd "$XTEST_SUITE" && {script} && echo seen >&2'),
        cwd=suite.parent,
    )
    assert ("stderr     seen" in done.stdout) == is_possible, done.stdout + done.stderr
