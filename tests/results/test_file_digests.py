"""Digests of files and folders: what changes them, and when files are read."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from support.suites import write_files

from harness.files import TooManyFiles
from harness.results.file_digests import DigestBounds, FileDigests, FolderContent


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A folder with files that changed some time ago, as its file system says."""
    return write_files(tmp_path / "p", {"run": "1", "lib/a.jar": "2", ".env": "3"})


NO_CACHE = Path("/dev/null")
READ_NOTHING = DigestBounds(bytes_read=0)


def digest(
    path: Path,
    cache: Path = NO_CACHE,
    kind: FolderContent = FolderContent.PROGRAM,
    bounds: DigestBounds = DigestBounds(),
) -> str:
    with closing(FileDigests(str(cache), bounds=bounds)) as digests:
        return digests.of(str(path), kind=kind)


def test_equal_files_have_equal_digests_whatever_their_times(folder: Path) -> None:
    before = digest(folder)
    shutil.copytree(folder, folder.parent / "copy")
    shutil.rmtree(folder)
    os.rename(folder.parent / "copy", folder)
    os.utime(folder / "run", (1, 1))
    assert digest(folder) == before
    os.rename(folder, folder.parent / "q")
    assert digest(folder.parent / "q") == before


@pytest.mark.parametrize(
    "files", [{"run": "x"}, {"lib/b.jar": ""}, {".env": ""}, {"node_modules/a/b.js": ""}]
)
def test_a_digest_changes_with_each_file(folder: Path, files: dict[str, str]) -> None:
    before = digest(folder)
    write_files(folder, files)
    assert digest(folder) != before


def test_files_that_are_not_part_of_a_program_are_left_out(folder: Path) -> None:
    before = digest(folder)
    write_files(
        folder,
        {
            **dict.fromkeys((".git/HEAD", "__pycache__/a.pyc", "lib/.mypy_cache/x", "run.log"), ""),
            **dict.fromkeys(("1-in.json", "a-2-out.json", "suite.toml", "cases.jsonl"), ""),
            **{"xtest.toml": "", "r.jsonl": '{"event":"run-started","format":1}\n'},
        },
    )
    assert digest(folder) == before
    suite = digest(folder, kind=FolderContent.SUITE)
    write_files(folder, {"1-in.json": "2"})
    assert digest(folder, kind=FolderContent.SUITE) != suite
    assert digest(folder / "r.jsonl") != digest(folder / "run.log")  # named, they count


def test_left_out_and_written_files_do_not_count(folder: Path) -> None:
    digests = FileDigests("/dev/null", [str(folder / "out.html")])
    inside = digests.of(str(folder), [str(folder / "lib"), str(folder.parent)])
    write_files(folder, {"lib/a.jar": "new", "out.html": ""})
    assert digests.of(str(folder), [str(folder / "lib")]) == inside
    assert digests.of(str(folder)) != inside


def test_data_do_not_count_where_only_programs_do(folder: Path) -> None:
    before = digest(folder, kind=FolderContent.MIXED)
    write_files(folder, {"notes": "", "data/a.json": "", "run": "2"})
    assert digest(folder, kind=FolderContent.MIXED) == before
    found = {before}
    for name in ("lib/a.jar", "src/b.py", "package.json", "node_modules/a/data.json"):
        write_files(folder, {name: "3"})
        found.add(digest(folder, kind=FolderContent.MIXED))
    (folder / "run").chmod(0o755)
    assert len({*found, digest(folder, kind=FolderContent.MIXED)}) == 6


def test_links_are_followed_once(folder: Path) -> None:
    write_files(folder.parent / "shared", {"a.js": "1"})
    (folder / "linked").symlink_to("../shared")
    (folder / "up").symlink_to(".")
    (folder / "loop").symlink_to("loop")
    (folder / "lost").symlink_to("nowhere")
    before = digest(folder)
    write_files(folder.parent / "shared", {"a.js": "2"})
    assert digest(folder) != before


def test_pipes_and_large_files_are_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    before = digest(folder, bounds=READ_NOTHING)
    os.utime(folder / "run", (1, 1))
    assert digest(folder, bounds=READ_NOTHING) != before


def test_a_folder_with_too_many_bytes_is_refused(folder: Path) -> None:
    with pytest.raises(TooManyFiles):
        digest(folder, bounds=DigestBounds(bytes=2))


def reads(path: Path, cache: Path, bounds: DigestBounds) -> bool:
    bounds = bounds._replace(bytes_read=0)  # a content would give another digest
    return digest(path, bounds=bounds) == digest(path, cache, bounds=bounds)


@pytest.mark.parametrize("changed_just_now", [False, True])
def test_only_files_that_have_changed_are_read_again(folder: Path, changed_just_now: bool) -> None:
    cache = folder.parent / "cache"
    bounds = DigestBounds(settled_ns=10**18 if changed_just_now else -(10**18))
    before = digest(folder, cache, bounds=bounds)
    assert reads(folder, cache, bounds) is changed_just_now
    os.utime(folder / "run", (1, 1))
    assert reads(folder, cache, bounds)
    assert digest(folder, folder.parent / "other") == before
