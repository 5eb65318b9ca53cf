"""New files: all of them or none, and never over what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.files import write_new_files


def test_files_are_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_new_files({tmp_path / "a": b"1", tmp_path / "b": b""})
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {"a": b"1", "b": b""}


@pytest.mark.parametrize("taken", ["a", "b"])
def test_where_one_is_there_already_none_is_written(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_new_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {taken: b"old"}


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_new_files({tmp_path / "no" / "a": b"1"})


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    name = "é" * 122 + "-1-in.json"
    assert len(name.encode()) == 254
    write_new_files({tmp_path / name: b"1"})
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
