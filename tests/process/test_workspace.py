"""Private working folders: what runs see, what they leave, and what is kept."""

from __future__ import annotations

import os
import py_compile
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.suites import write_files

from harness.model.limits import MIB
from harness.model.transcript import Written
from harness.process.workspace import Workspace, Workspaces


@pytest.fixture(name="workspaces")
def _workspaces(tmp_path: Path) -> Iterator[Workspaces]:
    workspaces = Workspaces()
    probe = tmp_path / "probe"
    probe.mkdir()
    with closing(workspaces):
        if workspaces.take(str(probe)) is None:
            pytest.skip("this machine allows no mount namespaces")
        yield workspaces


def run_in(workspace: Workspace, script: str) -> tuple[str, Written]:
    """Run a shell script in a private folder; return what it printed, and what it wrote."""
    with workspace.entered(workspace.folder):
        done = subprocess.run(script, shell=True, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, workspace.end_run()


def take(
    workspaces: Workspaces, folder: Path, memory_mib: float | None = None, command: str = "p"
) -> Workspace:
    workspace = workspaces.take(str(folder), memory_mib, (command,))
    assert workspace is not None
    return workspace


def test_what_a_run_writes_is_gone_after_it(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "a, b: c", {"old": "1\n", "sub/kept": ""})
    workspace = take(workspaces, folder)
    script = "cat old; echo 2 > old; rm -r sub; mkdir -p d/e; echo x > d/e/new; cat old"
    output, written = run_in(workspace, script)
    assert output == "1\n2\n"
    assert written.total == len(written.names)
    assert {"old", "sub", "d/e/new"} <= set(written.names)
    assert sorted(os.listdir(folder)) == ["old", "sub"]
    assert take(workspaces, folder) is workspace
    assert run_in(workspace, "cat old; ls sub") == ("1\nkept\n", Written())


def test_runs_at_once_do_not_see_each_other(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"old": ""})
    first, second = take(workspaces, folder), take(workspaces, folder)
    with first.entered(first.folder):
        (folder / "mine").write_text("")
    with second.entered(second.folder):
        assert os.listdir(".") == ["old"]
    assert os.listdir(folder) == ["old"]
    assert first.end_run().names == ("mine",)


def test_this_process_stays_where_it_was(workspaces: Workspaces, tmp_path: Path) -> None:
    before = os.getcwd()
    workspace = take(workspaces, tmp_path)
    with pytest.raises(ZeroDivisionError), workspace.entered(workspace.folder):
        raise ZeroDivisionError
    assert os.getcwd() == before


def test_written_data_is_bounded(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"old": ""})
    workspace = take(workspaces, folder, memory_mib=1.0)
    output, _ = run_in(workspace, "head -c 3000000 /dev/zero > big 2> error; stat -c %s big")
    assert int(output) <= MIB


def test_byte_code_of_unchanged_modules_is_kept(workspaces: Workspaces, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "f", {"sub/m.py": "x = 1\n", "other.py": ""})
    compiled = py_compile.compile(str(folder / "sub/m.py"), str(tmp_path / "m.pyc"))
    assert compiled is not None
    workspace = take(workspaces, folder)
    name = "m.cpython-311.pyc"
    copy = f"mkdir sub/__pycache__ __pycache__; cp {compiled} sub/__pycache__/{name}"
    # Neither a file of another module, nor one that is no byte code.
    copy += f"; cp {compiled} __pycache__/other.cpython-311.pyc; echo > __pycache__/x"
    _, written = run_in(workspace, copy)
    assert written.names == ("__pycache__/other.cpython-311.pyc", "__pycache__/x")
    output, _ = run_in(take(workspaces, folder), "find . -name '*.pyc'")
    assert output == f"./sub/__pycache__/{name}\n"
    assert not (folder / "sub/__pycache__").exists()
    # A program cannot leave byte code to others: it may be of another module than it says.
    assert run_in(take(workspaces, folder, command="q"), "find . -name '*.pyc'")[0] == ""


def test_hidden_paths_cannot_be_seen(workspaces: Workspaces, tmp_path: Path) -> None:
    files = {"suite/1-out.json": "1", "suite/data/x": "x", "suite/y": "y", "results": "2", "p": "3"}
    folder = write_files(tmp_path / "f", files)
    workspace = take(workspaces, folder)
    paths = {"results": False, "suite": False, "suite/data": True, "suite/y": True}
    workspace.hide(tuple((str(folder / path), seen) for path, seen in paths.items()))
    script = "find suite -type f | sort | xargs; cat results p suite/data/x; echo > new"
    assert run_in(workspace, script)[0] == "suite/data/x suite/y\n3x"
    assert (
        run_in(take(workspaces, folder), "ls; ls suite; cat results")[0]
        == "p\nresults\nsuite\ndata\ny\n"
    )


def test_a_folder_with_mounts_below_it_is_shared(workspaces: Workspaces) -> None:
    assert workspaces.take("/") is None


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    write_files(tmp_path / "f", {"old": ""})
    workspaces = Workspaces()
    with closing(workspaces):
        workspace = workspaces.take(str(tmp_path / "f"))
        if workspace is not None:
            run_in(workspace, "echo > x")
    assert not os.listdir(tmp_path / "t")
