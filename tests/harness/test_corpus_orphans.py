"""Inputs that have no expected output yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.records import InputKind
from harness.suites.corpus import read_orphan, read_suite
from harness.suites.naming import CaseName


def orphan(folder: Path, files: dict[str, bytes], name: CaseName = CaseName("", 1)) -> object:
    """What is read of a case of a suite with these files."""
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return read_orphan(read_suite("s", folder), name)


def test_an_input_alone_is_a_case_that_expects_nothing(tmp_path: Path) -> None:
    read = read_orphan(read_suite("s", _with(tmp_path, "01-in.json", b"[1]")), CaseName("", 1))
    assert read is not None
    assert (read.suite, read.name, read.stdin) == ("s", "1", b"[1]")
    assert (read.expected_text, read.expected) == (b"", [])


def _with(folder: Path, file: str, data: bytes) -> Path:
    (folder / file).write_bytes(data)
    return folder


def test_an_input_that_is_declared_raw_may_be_any_bytes(tmp_path: Path) -> None:
    settings = b'[[cases]]\nmatch = "1"\ninput = "raw"\nexit = 1\n'
    _with(tmp_path, "suite.toml", settings)
    read = read_orphan(read_suite("s", _with(tmp_path, "1-in.json", b"\xff")), CaseName("", 1))
    assert read is not None
    assert (read.kind, read.stdin, read.policy.exit.least) == (InputKind.RAW, b"\xff", 1)


@pytest.mark.parametrize(
    "files",
    [
        {"1-in.json": b"1", "1-out.json": b"1"},
        {"1-out.json": b"1"},
        {"1-in.json": b"1", "01-in.json": b"1"},
        {"1-in.json": b"["},
        {"2-in.json": b"1"},
    ],
)
def test_whatever_else_is_there_is_no_such_case(tmp_path: Path, files: dict[str, bytes]) -> None:
    assert orphan(tmp_path, files) is None
