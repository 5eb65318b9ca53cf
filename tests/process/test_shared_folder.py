"""Changes in a folder that runs share, where there are no private ones, are noticed."""

from __future__ import annotations

import time
from pathlib import Path

from support.suites import write_files

from harness.process.workspace import Workspaces, watch_folder


def test_changes_in_a_shared_folder_are_noticed_but_not_those_of_caches(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/old": "1", "__pycache__/m.pyc": ""})
    has_changed = watch_folder(str(tmp_path), time.time_ns() + 10**9)
    write_files(tmp_path, {"__pycache__/m.pyc": "x"})
    assert not has_changed()
    write_files(tmp_path, {"a/old": "12"})
    assert has_changed()
    has_changed = watch_folder(str(tmp_path), time.time_ns() + 10**9)
    (tmp_path / "a" / "old").unlink()
    assert has_changed()


def test_what_another_run_has_left_in_a_shared_folder_counts_as_a_change(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/old": "1", "b/old": "1"})
    since_ns = time.time_ns() + 10**9
    while time.time_ns() < since_ns:
        time.sleep(0.01)
    assert not watch_folder(str(tmp_path), since_ns)()
    write_files(tmp_path, {"a/old": "1"})
    assert watch_folder(str(tmp_path), since_ns)()
    assert not watch_folder(str(tmp_path / "b"), since_ns)()
    (tmp_path / "b" / "old").unlink()
    assert watch_folder(str(tmp_path / "b"), since_ns)()


def test_files_that_xtest_writes_into_a_shared_folder_are_no_change(tmp_path: Path) -> None:
    with (tmp_path / "results.jsonl").open("w", encoding="ascii") as results:
        since_ns = time.time_ns()
        own = Workspaces().open_files
        has_changed = watch_folder(str(tmp_path), since_ns, own)
        results.write("x")
        results.flush()
        assert not has_changed()
        assert watch_folder(str(tmp_path), since_ns)()
        write_files(tmp_path, {"scratch": ""})
        assert has_changed()
        assert watch_folder(str(tmp_path), since_ns, own)()


def test_a_shared_folder_with_many_files_may_have_changed(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{number}": "" for number in range(2_001)})
    assert watch_folder(str(tmp_path), time.time_ns() + 10**9)()
