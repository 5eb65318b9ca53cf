"""Changes in a folder that runs share, where there are no private ones, are noticed."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from support.suites import write_files
from support.xtest import XTEST, clean_environment, without_linux

from harness.process.workspace import FolderWatch, Workspaces


def test_changes_in_a_shared_folder_are_noticed_but_not_those_of_caches(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/old": "1", "__pycache__/m.pyc": ""})
    watch = FolderWatch(str(tmp_path), time.time_ns() + 10**9)
    write_files(tmp_path, {"__pycache__/m.pyc": "x"})
    assert not watch.has_changed()
    write_files(tmp_path, {"a/old": "12"})
    assert watch.has_changed()
    watch = FolderWatch(str(tmp_path), time.time_ns() + 10**9)
    (tmp_path / "a" / "old").unlink()
    assert watch.has_changed()


def test_what_another_run_has_left_in_a_shared_folder_counts_as_a_change(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/old": "1", "b/old": "1"})
    since_ns = time.time_ns() + 10**9
    while time.time_ns() < since_ns:
        time.sleep(0.01)
    assert not FolderWatch(str(tmp_path), since_ns).has_changed()
    write_files(tmp_path, {"a/old": "1"})
    assert FolderWatch(str(tmp_path), since_ns).has_changed()
    assert not FolderWatch(str(tmp_path / "b"), since_ns).has_changed()
    (tmp_path / "b" / "old").unlink()
    assert FolderWatch(str(tmp_path / "b"), since_ns).has_changed()


def test_files_that_xtest_writes_into_a_shared_folder_are_no_change(tmp_path: Path) -> None:
    with (tmp_path / "results.jsonl").open("w", encoding="ascii") as results:
        since_ns = time.time_ns()
        own = Workspaces().open_files
        watch = FolderWatch(str(tmp_path), since_ns, own)
        results.write("x")
        results.flush()
        assert not watch.has_changed()
        assert FolderWatch(str(tmp_path), since_ns).has_changed()
        write_files(tmp_path, {"scratch": ""})
        assert watch.has_changed()
        assert FolderWatch(str(tmp_path), since_ns, own).has_changed()


def test_what_changed_in_a_shared_folder_stays_a_change_for_later_runs(tmp_path: Path) -> None:
    write_files(tmp_path, {"old": ""})
    workspaces = Workspaces(time.time_ns() + 10**9)
    watch = workspaces.watch(str(tmp_path))
    assert not watch.has_changed()
    write_files(tmp_path, {"scratch": ""})
    assert watch.has_changed()
    (tmp_path / "scratch").unlink()
    assert workspaces.watch(str(tmp_path)).has_changed()


def test_changes_in_a_shared_folder_are_noticed_up_to_10_000_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for number in range(4_998):
            (tmp_path / name / str(number)).touch()
    watch = FolderWatch(str(tmp_path), time.time_ns() + 10**9)
    assert not watch.has_changed()
    write_files(tmp_path, {"b/4000": "x"})
    assert watch.has_changed()
    write_files(tmp_path, {"c/1": "", "c/2": ""})
    assert FolderWatch(str(tmp_path), time.time_ns() + 10**9).has_changed()


def test_the_closing_lines_say_why_failures_in_a_shared_folder_are_repeated(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"s/1-in.json": "1", "s/1-out.json": "1"})
    shown = {}
    for command in ("echo 2", "echo 2 > scratch; cat scratch"):
        ended = subprocess.run(
            [*XTEST, "run", "s", "--", "sh", "-c", command],
            capture_output=True,
            check=False,
            text=True,
            cwd=tmp_path,
            env=clean_environment(tmp_path / "cache", **without_linux()),
        )
        shown[command] = " ".join(ended.stdout.split())
    reason = "; failures are repeated alone there if files changed"
    assert [reason in each for each in shown.values()] == [False, True], shown
