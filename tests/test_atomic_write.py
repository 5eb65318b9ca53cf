"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest

from harness.files import atomic_write, temporary_path


def _fill(data: bytes, file: BinaryIO) -> None:
    file.write(data)


def test_a_new_file_and_one_in_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "1-out.json"
    for text in (b"1\n", b"2\n"):
        atomic_write(path, partial(_fill, text))
        assert path.read_bytes() == text
    assert [entry.name for entry in tmp_path.iterdir()] == ["1-out.json"]


def test_who_may_read_the_file_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    atomic_write(path, lambda file: file.write(b"new"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_still_leads_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "f"
    there.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("there/f")
    atomic_write(link, lambda file: file.write(b"new"))
    assert link.is_symlink()
    assert there.read_bytes() == b"new"


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, problem: type[BaseException]
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def interrupted(file: BinaryIO) -> None:
        file.write(b"ne")
        raise problem

    with pytest.raises(problem):
        atomic_write(path, interrupted)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


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
    atomic_write(path, lambda file: file.write(b"new"))
    assert sorted(tmp_path.iterdir()) == sorted([living, path])
