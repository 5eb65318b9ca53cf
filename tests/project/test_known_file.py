"""Files of known failures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.suites import write_files

from harness.authoring.known_changes import AbsentCases, known_changes, known_text
from harness.errors import UsageError
from harness.model.case_names import input_name, selects
from harness.model.events import RunResult
from harness.model.verdict import Verdict
from harness.project.known_file import KnownCases, read_known_file


def test_names_are_exact() -> None:
    rule = KnownCases("s", ("a*-1", "40-59", "7"), "r").rule("known.toml")
    names = ("a*-1", "ab-1", "40-59", "45", "7")
    listed = [name for name in names if selects(rule.match, input_name(name))]
    assert listed == ["a*-1", "40-59", "7"]


def test_a_written_file_reads_back(tmp_path: Path) -> None:
    tables = (
        KnownCases("s", ("2", "10"), 'a "reason"\x7f', "l", (Verdict.DIFFERS,)),
        KnownCases("t", ('"', "a.b"), "named", contents={"a.b": "0" * 16, '"': "f" * 16}),
        KnownCases("t", ("é-1",), "other", deliveries=("plain", "slow"), tests=("/0/3",)),
    )
    write_files(tmp_path, {"known.toml": known_text("x", tables)})
    assert read_known_file(f"{tmp_path}/known.toml", "known") == tables
    assert known_changes(tables, (), "r", "") == (tables, [])


def test_a_renamed_case_keeps_its_entry_and_a_case_with_its_name_gets_none() -> None:
    listed = KnownCases("s", ("1",), "no ties", contents={"1": "a" * 16})
    runs = [
        RunResult("s", "1", "x", "plain", Verdict.DIFFERS, "new", content="b" * 16),
        RunResult("s", "2", "x", "plain", Verdict.DIFFERS, "old", content="a" * 16),
    ]
    tables, changes = known_changes([listed], runs, "unknown", "")
    assert [(each.kind, each.case) for each in changes] == [("new", "1"), ("renamed", "2")]
    assert {table.cases: table.reason for table in tables} == {("1",): "unknown", ("2",): "no ties"}
    again = known_changes(tables, runs, "r", "")
    assert again == (tables, [])


def test_a_case_that_its_suite_lost_is_removed() -> None:
    tables = (KnownCases("s", ("1", "2"), "r"), KnownCases("t", ("1",), "r"))
    left, changes = known_changes(tables, (), "r", "", AbsentCases([("s", "1")], ()))
    assert left == (KnownCases("s", ("2",), "r"), KnownCases("t", ("1",), "r"))
    assert [(each.kind, each.suite, each.case) for each in changes] == [("gone", "s", "1")]


def test_an_intermittent_case_may_pass_and_gets_other_verdicts() -> None:
    listed = KnownCases("s", ("1",), "a race", verdicts=(Verdict.DIFFERS, Verdict.PASSED))
    run = RunResult("s", "1", "x", "plain", Verdict.PASSED, "")
    assert known_changes([listed], [run], "r", "") == ((listed,), [])
    crashed = run._replace(verdict=Verdict.CRASHED)
    ((table,), _) = known_changes([listed], [crashed], "r", "")
    assert set(table.verdicts) == {Verdict.CRASHED, Verdict.DIFFERS, Verdict.PASSED}


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "known.toml")
    with pytest.raises(UsageError, match="known.toml: not a regular file"):
        read_known_file(f"{tmp_path}/known.toml", "known")
