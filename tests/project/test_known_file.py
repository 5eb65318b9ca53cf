"""Files of known failures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.suites import write_files

from harness.authoring.known_changes import known_changes, known_text
from harness.errors import UsageError
from harness.model.case_names import input_name, selects
from harness.model.verdict import Verdict
from harness.project.known_file import KnownCases, read_known_file


def test_names_are_exact() -> None:
    rule = KnownCases("s", ("a*-1", "40-59", "7"), "r").rule()
    names = ("a*-1", "ab-1", "40-59", "45", "7")
    listed = [name for name in names if selects(rule.match, input_name(name))]
    assert listed == ["a*-1", "40-59", "7"]


def test_a_written_file_reads_back(tmp_path: Path) -> None:
    tables = (
        KnownCases("s", ("2", "10"), 'a "reason"\x7f', "l", (Verdict.DIFFERS,)),
        KnownCases("t", ("é-1",), "other", deliveries=("plain", "slow")),
    )
    write_files(tmp_path, {"known.toml": known_text("x", tables)})
    assert read_known_file(f"{tmp_path}/known.toml", "known") == tables
    assert known_changes(tables, (), "r", "") == (tables, [])


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "known.toml")
    with pytest.raises(UsageError, match="known.toml: not a regular file"):
        read_known_file(f"{tmp_path}/known.toml", "known")
