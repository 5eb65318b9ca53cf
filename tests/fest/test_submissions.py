"""Suites of teams are read without trust: a flaw costs a case its validity, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from hypothesis import given
from support.json_texts import SEEDS, STREAMS, stream_text
from support.suites import write_files, write_suite

from harness.fest.submissions import SubmissionRules, canonical_text, read_submissions
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.suites.settings import SuiteSettings

RULES = SubmissionRules(SuiteSettings(), 3, 40, lambda case, given: "")


def reasons(folder: Path) -> dict[str, str]:
    """Return why each case of a folder cannot be used, or ""."""
    return {each.name: each.reason for each in read_submissions("red", folder, RULES)[0]}


def test_each_flawed_case_has_its_reason(tmp_path: Path) -> None:
    folder = write_suite(tmp_path, {"2": "[1", "3": '"é"', "4": "4", "5": "5"})
    (write_files(folder, {"1-out.json": "1"}) / "1-in.json").symlink_to("/etc/passwd")
    found = reasons(folder)
    assert found.pop("2").startswith("2-out.json is cut short at byte 2")
    assert found == {
        "1": "1-in.json is a symbolic link",
        "3": "",
        "4": "more than 3 cases (max_cases)",
        "5": "more than 3 cases (max_cases)",
    }


def test_a_size_a_name_and_a_kind_of_file_are_checked_before_reading(tmp_path: Path) -> None:
    write_suite(tmp_path, {"1": '"a text of more than twenty bytes"', "2": "2"})
    write_files(tmp_path, {"02-in.json": "2", "3-out.json": "3"})
    os.mkfifo(tmp_path / "3-in.json")
    assert reasons(tmp_path) == {
        "1": "more than 40 bytes (max_bytes)",
        "2": "02-in.json and 2-in.json are for the same case, 2; rename one",
        "3": "3-in.json: not a regular file",
    }


def test_a_schema_holds_for_the_cases_of_all_teams(tmp_path: Path) -> None:
    write_suite(tmp_path, {"1": "1", "2": "2"})
    rules = RULES._replace(check=lambda case, given: "too large" if case.stdin == b"2" else "")
    first, second = read_submissions("red", tmp_path, rules)[0]
    assert first.case is not None and second.case is None
    assert (first.reason, second.reason) == ("", "too large")


def test_a_folder_that_cannot_be_used_is_explained(tmp_path: Path) -> None:
    write_suite(tmp_path / "red", {"1": "1"}, 'exit = "nonzero"')
    (tmp_path / "link").symlink_to("red")
    (tmp_path / "empty").mkdir()
    write_suite(write_files(tmp_path / "packed", {"cases.jsonl": ""}), {"1": "1"})
    for name, message in {
        "red": "suite.toml is not read: the one beside fest.toml applies to all",
        "link": "its folder of cases is a symbolic link",
        "empty": "no cases",
        "packed": "cases both in cases.jsonl and in files; only one is allowed",
        "absent": "its folder of cases cannot be read: no such file or directory",
    }.items():
        assert read_submissions("red", tmp_path / name, RULES)[1] == message


def test_a_packed_suite_is_read_within_the_same_bounds(tmp_path: Path) -> None:
    right = '{"case":"1","in":{"text":"1"},"out":{"text":"1"}}'
    long = right.replace('"1"', '"3"', 1).replace('"1"', f'"[{"1" * 40}]"', 1)
    write_files(tmp_path, {"cases.jsonl": "\n".join([right, "{", long])})
    found = reasons(tmp_path)
    assert (found["1"], found["3"]) == ("", "more than 40 bytes (max_bytes)")
    assert "cases.jsonl, line 2" in "".join(found.values())
    write_files(tmp_path, {"cases.jsonl": "x" * 1_000})
    assert read_submissions("red", tmp_path, RULES)[1] == "cases.jsonl has more than 960 bytes"


@given(STREAMS, SEEDS, SEEDS)
def test_texts_of_equal_values_have_one_canonical_text(
    values: list[Json], one: int, other: int
) -> None:
    texts = [decode(stream_text(values, Random(seed))).values for seed in (one, other)]
    assert canonical_text(texts[0]) == canonical_text(texts[1])
    assert decode(canonical_text(values)).values == values


def test_the_order_of_members_does_not_distinguish_inputs() -> None:
    texts = (b'{"b": [{"d": 1, "c": 2}], "a": 1.0}', b'{"a":1.0,"b":[{"c":2,"d":1}]}', b'{"a":1}')
    first, second, third = (canonical_text(decode(text).values) for text in texts)
    assert first == second == texts[1] + b"\n" != third
