"""Reports that replace nothing but earlier reports, and write through no link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.suites import write_files, write_program
from support.xtest import Xtest

from harness.reports.registry import FORMATS

_FILES = tuple(name for name, form in FORMATS.items() if not form.is_folder)
_FOLDERS = tuple(name for name, form in FORMATS.items() if form.is_folder)


@pytest.fixture(name="project")
def _project(xtest: Xtest) -> Xtest:
    write_files(
        xtest.folder,
        {"s/1-in.json": "1", "s/1-out.json": "2", "s/suite.toml": "", "victim": "precious"},
    )
    write_program(xtest.folder / "p.sh", "cat")
    return xtest


@pytest.mark.parametrize("name", FORMATS)
def test_an_earlier_report_is_replaced(name: str, project: Xtest) -> None:
    for _ in range(2):
        done = project("run", "s", "--report", f"{name}=report", "--", "./p.sh")
        assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("name", _FILES)
@pytest.mark.parametrize("file", ["p.sh", "s/1-in.json", "s/1-out.json", "victim", "link"])
def test_a_report_replaces_no_other_file(name: str, file: str, project: Xtest) -> None:
    (project.folder / "link").symlink_to("victim")
    before = (project.folder / file).read_bytes()
    done = project("run", "s", "--report", f"{name}={file}", "--", "./p.sh")
    assert done.returncode == 2
    assert "not an earlier output of its kind" in done.stderr
    assert (project.folder / file).read_bytes() == before


def _plant(folder: Path, names: list[str]) -> None:
    """Replace files, and then folders, below a folder by links out of it."""
    (folder.parent / "elsewhere").mkdir(exist_ok=True)
    for name in names:
        path = folder / name
        if path.is_dir():
            path.rename(folder.parent / f"old-{path.name}")
            path.symlink_to("../elsewhere")
        else:
            path.unlink()
            path.symlink_to("../victim")


@pytest.mark.parametrize("name", [*_FOLDERS, "--each"])
def test_a_folder_of_reports_is_not_left_through_a_link(name: str, project: Xtest) -> None:
    folder = project.folder / "out"
    words = ["run", "s", "--report", f"{name}=out", "--", "./p.sh"]
    if name == "--each":
        project("run", "s", "--results", "r.jsonl", "--report", "html=v", "--", "./p.sh")
        words = ["report", "r.jsonl", "--each", "out", "--to", "html", "--to", "json"]
    project(*words)
    if name == "--each":  # an earlier report, but not in the folder
        (project.folder / "v").rename(project.folder / "victim")
    before = (project.folder / "victim").read_bytes()
    for planted in sorted(os.listdir(folder)):
        _plant(folder, [planted])
        done = project(*words)
        assert done.returncode == 2
        assert f"{planted} in it is a link" in done.stderr
        assert (project.folder / "victim").read_bytes() == before
        assert os.listdir(project.folder / "elsewhere") == []
        (folder / planted).unlink()
