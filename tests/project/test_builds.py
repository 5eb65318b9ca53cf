"""Builds: at once where they may be, within limits, and in the sandbox of the subjects."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.debian import pass_over

from harness.errors import Refused
from harness.model.limits import Limits
from harness.model.protection import SandboxKind
from harness.model.subject import BuildFailure, ExecutionContext
from harness.process.inventory import Exposure
from harness.process.sandbox import find_sandbox
from harness.project.builds import BuildStep, run_builds


class Recorder:
    """Records which builds start and end."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def started(self, step: BuildStep) -> None:
        self.events.append(f"+{step.subjects[0]}")

    def ended(self, step: BuildStep, failure: BuildFailure | None) -> None:
        self.events.append(f"-{step.subjects[0]}{'!' if failure else ''}")

    def close(self) -> None:
        self.events.append("closed")


def make_step(
    name: str, folder: Path, script: str, limits: Limits = Limits(wall_s=60)
) -> BuildStep:
    folder.mkdir(parents=True, exist_ok=True)
    return BuildStep((name,), ("sh", "-c", script), ExecutionContext(str(folder)), limits)


def test_builds_in_different_folders_run_at_once(tmp_path: Path) -> None:
    # Each ends only when the other has begun.
    steps = [
        make_step(
            name,
            tmp_path / name,
            f"mkfifo pipe; touch ready; until [ -e ../{other}/ready ]; do sleep 0.01; done",
        )
        for name, other in ("ab", "ba")
    ]
    assert not run_builds(steps, Recorder(), parallel=2)


def test_builds_in_folders_that_hold_each_other_run_in_order(tmp_path: Path) -> None:
    names = {"a": "x", "b": "x/y", "c": "x/y/z", "d": "x/w", "e": "x/y"}
    steps = [
        # The first ones take the longest: at once, they would be the last in the log.
        make_step(name, tmp_path / folder, f"sleep 0.{9 - at}; echo {name} >> {tmp_path}/log")
        for at, (name, folder) in enumerate(names.items())
    ]
    run_builds(steps, Recorder(), parallel=4)
    log = (tmp_path / "log").read_text().split()
    assert log.index("a") < log.index("b") < log.index("c")
    assert log.index("a") < log.index("d")
    assert log.index("b") < log.index("e")


def test_a_build_that_takes_too_long_beside_others_is_repeated_alone(tmp_path: Path) -> None:
    short = Limits(wall_s=0.5)
    # The first time, it waits for a build that another processor would have finished.
    first = "[ -e begun ] || { touch begun; sleep 60; }"
    steps = [make_step("a", tmp_path / "a", first, short), make_step("b", tmp_path / "b", "true")]
    display = Recorder()
    assert not run_builds(steps, display, parallel=2)
    assert display.events[-3:] == ["+a", "-a", "closed"]


@pytest.mark.parametrize(
    ("script", "limits", "reason"),
    [
        ("sleep 60", Limits(wall_s=0.2), "it took longer than 0.2 s (build_s)"),
        (
            "sleep 60 & sleep 60 & sleep 60",
            Limits(wall_s=60, processes=2),
            "it ran more processes at once than the limit of 2 (build_processes)",
        ),
        (
            "exec python3 -c 'import time; text = b\"x\" * 100_000_000; time.sleep(60)'",
            Limits(wall_s=60, memory_mib=50),
            "it used more than 50 MiB of memory (build_mib)",
        ),
        ("exec yes", Limits(wall_s=60, output_mib=1), "it printed more than 1 MiB"),
        (  # one file
            "exec cat /dev/zero > large",
            Limits(wall_s=60, file_mib=8),
            "it wrote more than 8 MiB into its folder (build_disk_mib)",
        ),
        (  # many files, in folders
            "while mkdir -p a$((i += 1)); do head -c 1000000 /dev/zero > a$i/b; done",
            Limits(wall_s=60, file_mib=8),
            "it wrote more than 8 MiB into its folder (build_disk_mib)",
        ),
        (  # that have ended when it does
            "touch kept; head -c 9000000 /dev/zero > large; exit 0",
            Limits(wall_s=60, file_mib=8),
            "it wrote more than 8 MiB into its folder (build_disk_mib)",
        ),
    ],
)
@pytest.mark.needs("samples")
def test_a_build_has_limits(tmp_path: Path, script: str, limits: Limits, reason: str) -> None:
    failures = run_builds([make_step("a", tmp_path, script, limits)], Recorder(), parallel=1)
    assert f": {reason}" in failures["a"].reason


def test_files_that_a_build_replaces_or_finds_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "found").write_bytes(bytes(20_000_000))
    script = "for i in 1 2 3 4 5; do head -c 3000000 /dev/zero > again; done"
    limits = Limits(wall_s=60, file_mib=8)
    assert not run_builds([make_step("a", tmp_path, script, limits)], Recorder(), parallel=1)


@pytest.mark.system
@pytest.mark.parametrize("kind", SandboxKind)
def test_a_build_in_a_sandbox_writes_no_more_than_it_may(tmp_path: Path, kind: SandboxKind) -> None:
    sandbox = find_sandbox(kind, Exposure())
    if isinstance(sandbox, Refused):
        pass_over(sandbox.reason)
    step = make_step("a", tmp_path, "cat /dev/zero > large", Limits(wall_s=60, file_mib=8))
    failures = run_builds([step], Recorder(), parallel=1, sandbox=sandbox)
    assert "it wrote more than 8 MiB into its folder" in failures["a"].reason


@pytest.mark.system
@pytest.mark.parametrize("kind", SandboxKind)
@pytest.mark.parametrize("shows_above", [False, True])
def test_a_build_in_a_sandbox_writes_its_folder_and_reads_no_suite(
    tmp_path: Path, kind: SandboxKind, shows_above: bool
) -> None:
    team, suite = tmp_path / "team", tmp_path / "suite"
    suite.mkdir()
    (suite / "1-out.json").write_text("42")
    shown = (str(tmp_path),) if shows_above else ()  # and all that is in it
    sandbox = find_sandbox(kind, Exposure(shown, hidden=(str(suite),)))
    if isinstance(sandbox, Refused):
        pass_over(sandbox.reason)
    script = (
        "cat ../suite/1-out.json > loot; echo x > ../outside; chmod 0 ../suite;"
        "echo built > made; chmod 700 made; touch -d @1 made; chmod 711 ."
    )
    run_builds([make_step("a", team, script)], Recorder(), parallel=1, sandbox=sandbox)
    assert (team / "made").read_text() == "built\n"
    made = (team / "made").stat()
    assert (made.st_mode & 0o777, made.st_mtime, team.stat().st_mode & 0o777) == (0o700, 1, 0o711)
    assert (team / "loot").read_text() == ""
    assert not (tmp_path / "outside").exists()
    assert suite.stat().st_mode & 0o777


@pytest.mark.system
def test_a_build_that_landlock_lets_create_nothing_hears_why(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir(mode=0o755)
    sandbox = find_sandbox(SandboxKind.LANDLOCK, Exposure())
    if isinstance(sandbox, Refused):
        pass_over(sandbox.reason)
    step = make_step("a", tmp_path, "chmod 777 .git 2> /dev/null; echo x > new")
    failure = run_builds([step], Recorder(), parallel=1, sandbox=sandbox)["a"]
    why = (
        "Landlock hides .git there, so it can create no files beside that; remove it, or use bwrap"
    )
    assert failure.reason.endswith(f"Permission denied; {why}")
    assert (tmp_path / ".git").stat().st_mode & 0o777 == 0o755
