"""Files that are written whole or not at all, and new ones: all of them or none."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import pytest
from support.suites import write_files

from harness.files import (
    TooManyFiles,
    atomic_write,
    matching_paths,
    temporary_path,
    write_in,
    write_new_files,
)

_GLOBS = [
    "**",
    "**/*.py",
    "*/**/*",
    "a/**",
    "a/**/**/x.py",
    "**/b/**/x.py",
    "**/b/**",
    "[ab]**",
    "a**/**/x.py",
    "**/c**/**",
]


@pytest.mark.parametrize("pattern", _GLOBS)
@pytest.mark.parametrize("prefix", ["", "{}/"])
def test_a_glob_matches_the_paths_that_python_finds(
    pattern: str, prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "x.py", ".h/x.py", "a/x.py", "a/b/x.py", "a/b/c/x.py", "a/b/c/b/y", "[ab]/x.py"
    write_files(tmp_path, dict.fromkeys(names, ""))
    monkeypatch.chdir(tmp_path)
    found = list(matching_paths(pattern := prefix.format(tmp_path) + pattern))
    assert len(found) == len(set(found))
    assert {*found} - {""} == {*glob(pattern, recursive=True, include_hidden=True)}


def test_a_glob_enters_a_folder_once_whatever_links_lead_to_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/x.py": "", "b/x.c": ""})
    for link in ("a/self", "a/other"):
        (tmp_path / link).symlink_to(tmp_path)
    assert list(matching_paths(f"{tmp_path}/**/*.c")) == [f"{tmp_path}/b/x.c"]
    with pytest.raises(TooManyFiles):
        list(matching_paths(f"{tmp_path}/**/*.c", most_files=2))


def test_a_file_is_created_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "1-out.json"
    atomic_write(path, [b"1\n"])
    assert path.read_bytes() == b"1\n"
    atomic_write(path, [b"2\n"])
    assert contents(tmp_path) == {"1-out.json": b"2\n"}


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.mkdir()
    (there / "f").write_bytes(b"old")
    (there / "f").chmod(0o640)
    link.symlink_to("there/f")
    atomic_write(link, [b"new"])
    assert link.is_symlink()
    assert contents(there) == {"f": b"new"}
    assert stat.S_IMODE((there / "f").stat().st_mode) == 0o640


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, problem: type[BaseException]
) -> None:
    (tmp_path / "f").write_bytes(b"old")

    def interrupted() -> Iterator[bytes]:
        yield b"ne"
        raise problem

    with pytest.raises(problem):
        atomic_write(tmp_path / "f", interrupted())
    assert contents(tmp_path) == {"f": b"old"}


def test_the_part_of_a_dead_writer_is_removed_and_that_of_a_living_one_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "f"
    own = temporary_path(path)
    assert own.name.endswith(f"-{os.getpid()}.part")
    with subprocess.Popen(["true"]) as ended:
        pass
    dead, living = (
        own.with_name(own.name.replace(str(os.getpid()), str(pid)))
        for pid in (ended.pid, os.getppid())
    )
    for part in (own, dead, living):
        part.write_bytes(b"another's")
    atomic_write(path, [b"new"])
    assert sorted(tmp_path.iterdir()) == sorted([living, path])


@pytest.fixture(name="links", params=["links", "no links"])
def _links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system with hard links, and one that refuses them, as vfat does."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    if request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("links")
def test_new_files_are_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    longest = "é" * 122 + "-1-in.json"
    assert len(longest.encode()) == 254
    write_new_files({tmp_path / "a": b"1", tmp_path / longest: b""})
    assert contents(tmp_path) == {"a": b"1", longest: b""}


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("taken", ["a", "b"])
def test_nothing_is_written_if_one_of_the_files_exists(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_new_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert contents(tmp_path) == {taken: b"old"}


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_new_files({tmp_path / "no" / "a": b"1"})


def test_nothing_is_written_through_a_link_below_a_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"out/x": "", "victim": "precious", "elsewhere/x": "old"})
    (tmp_path / "out/link").symlink_to("../victim")
    (tmp_path / "out/dangling").symlink_to("../new")
    (tmp_path / "out/folder").symlink_to("../elsewhere")
    for name in ("link", "dangling", "folder/x", "folder/y", "x/y"):
        with pytest.raises(OSError):
            write_in(tmp_path / "out", name, [b"page"])
    write_in(tmp_path / "out", "a/b", [b"page"])
    assert (tmp_path / "out/a/b").read_text("utf-8") == "page"
    assert (tmp_path / "victim").read_text("utf-8") == "precious"
    assert os.listdir(tmp_path / "elsewhere") == ["x"]
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "out", "victim"]
    assert sorted(os.listdir(tmp_path / "out")) == ["a", "dangling", "folder", "link", "x"]


def test_only_an_earlier_output_is_replaced(tmp_path: Path) -> None:
    write_files(tmp_path, {"mine": "page 1", "empty": "\n", "other": "print(1)"})
    (tmp_path / "link").symlink_to("other")
    for name in ("mine", "empty", "new"):
        atomic_write(tmp_path / name, [b"page 2"], lambda text: text.startswith(b"page"))
        assert (tmp_path / name).read_bytes() == b"page 2"
    for name in ("other", "link"):
        with pytest.raises(OSError, match="not an earlier output"):
            atomic_write(tmp_path / name, [b"page 2"], lambda text: text.startswith(b"page"))
    assert (tmp_path / "other").read_bytes() == b"print(1)"
