"""Suites looked through: real folders in, findings out."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.care.lint import Rule, finding_line, ordered
from harness.care.lintcache import case_digest
from harness.care.survey import Survey, survey
from harness.records import InputKind, Subject
from harness.suites.contract import fingerprint
from harness.suites.corpus import Found, read_suite
from harness.suites.packed import PackedCase, line_of

NUMBERS = {"type": "array", "items": {"type": "integer"}}
README = {"README.md": "x"}


def folder_of(folder: Path, files: Mapping[str, Any]) -> Path:
    """A suite's folder; what is neither text nor bytes is written as JSON."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        if isinstance(content, str):
            content = content.encode()
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        (folder / name).write_bytes(content)
    return folder


def look(folder: Path, known: dict[bytes, None] | None = None) -> Survey:
    """The survey of a folder; the bundled schemas are in its parent."""
    return survey(Found("s", folder, "s"), folder.parent, known or {})


def lines_of(folder: Path) -> list[str]:
    """Its findings as lines."""
    return [finding_line(finding, "s") for finding in ordered(look(folder).findings)]


def pair(number: str, stdin: str, expected: str) -> dict[str, str]:
    """The files of a case."""
    return {f"{number}-in.json": stdin, f"{number}-out.json": expected}


def test_a_suite_without_faults_has_no_findings(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "s", README | pair("1", "1", "2") | pair("2", "2", "3"))
    assert look(folder) == Survey([], 2, look(folder).good)


def test_each_broken_case_is_told_with_its_place(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "s",
        README
        | {"1-in.json": "1", "3-out.json": "1", "02-in.json": "1"}
        | pair("2", "1", "1")
        | pair("4", "[1,\n 2,,]", "1")
        | pair("5", "1", "{'a': 1}"),
    )
    (folder / "6-in.json").mkdir()
    (folder / "6-out.json").symlink_to("nowhere")
    assert lines_of(folder) == [
        "s/1-in.json: error: an orphan: there is no 1-out.json [orphan]",
        "s/2-in.json: error: 02-in.json and 2-in.json both claim to be case 2 [same-name]",
        "s/3-out.json: error: an orphan: there is no 3-in.json [orphan]",
        "s/4-in.json:2:4: error: not JSON: a value expected,"
        " found ','; here: [1,\\n 2,-->,]; if that is meant, declare input = \"raw\" in"
        " suite.toml [not-json]",
        "s/5-out.json:1:2: error: not JSON: a key in"
        " quotes or '}' expected, found ''' (JSON has double quotes only); here: {-->'a': 1}"
        " [not-json]",
        "s/6-in.json: error: not a regular file [unreadable]",
    ]


def test_a_breach_of_a_schema_is_told_with_its_place(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "s",
        README
        | {"suite.toml": 'input = "in.json"\noutput = "in.json"\n', "in.json": NUMBERS}
        | pair("1", '1\n  "a"\n', "1")
        | pair("2", "2", "1 [2]")
        | pair("3", "3", "1"),
    )
    assert lines_of(folder) == [
        "s/1-in.json:2:3: error: the input breaks its schema at /1: 'a' is not of type 'integer'"
        " [schema]",
        "s/2-out.json:1:3: error: the expected output breaks its schema at /1: [2] is not of type"
        " 'integer' [schema]",
    ]
    assert len(look(folder).good) == 1


def test_kinds_of_input_are_held_to_what_they_say(tmp_path: Path) -> None:
    rules = """input = "in.json"
[[cases]]
match = "1-2"
input = "off-schema"
[[cases]]
match = "3-4"
input = "raw"
"""
    folder = folder_of(
        tmp_path / "s",
        README
        | {"suite.toml": rules, "in.json": NUMBERS}
        | pair("1", '"a"', "1")
        | pair("2", "1", "1")
        | pair("3", "[1,", "1")
        | pair("4", "[1]", "1"),
    )
    assert lines_of(folder) == [
        "s/2-in.json:1:1: error: the input is declared off-schema, and keeps the schema [schema]",
        "s/4-in.json: note: the input is declared raw, and is JSON: nobody parses it, and it is fed"
        " plain [raw-json]",
    ]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (None, 'no schema "out.json", neither in the suite\'s folder nor bundled'),
        ({"type": "no"}, '"out.json" is no JSON Schema: at /type: '),
    ],
)
def test_a_schema_that_cannot_be_used_is_told_where_it_is_named(
    tmp_path: Path, schema: Any, said: str
) -> None:
    files: dict[str, Any] = {"suite.toml": 'input = "in.json"\noutput = "out.json"\n'}
    files |= {"in.json": NUMBERS} | ({} if schema is None else {"out.json": schema})
    folder = folder_of(tmp_path / "s", README | files | pair("1", '"never checked"', "1"))
    (line,) = lines_of(folder)
    assert line.startswith(f"s/suite.toml:2:1: error: {said}")
    assert line.endswith(" [schema-file]")


def test_what_a_schema_refers_to_has_to_be_there(tmp_path: Path) -> None:
    schema = {"items": {"$ref": "missing.json"}}
    files = {"suite.toml": 'input = "in.json"\n', "in.json": schema}
    folder = folder_of(tmp_path / "s", README | files | pair("1", "1", "1"))
    (line,) = lines_of(folder)
    assert line.startswith(
        "s/1-in.json:1:1: error: the input cannot be checked, its schema is incomplete: "
    )


def test_the_same_input_twice_is_told_at_the_later_case(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "s",
        README
        | pair("1", '{"a":1, "b":2}', "1")
        | pair("2", '{"a":1, "b":2}', "1")
        | pair("3", '{"b":2, "a":1}', "1")
        | pair("4", '{"b":2, "a":1}', "2"),
    )
    assert lines_of(folder) == [
        "s/2-in.json: warning: the same input as case 1, byte for byte [same-input]",
        "s/3-in.json: note: the same input as case 1, the same values in other bytes [same-values]",
        "s/4-in.json: error: the same input as case 1, the same values in other bytes, and no"
        " program can pass both: at /0, 1 there and 2 here [contradiction]",
    ]


def test_paths_and_rules_that_mean_nothing_are_told(tmp_path: Path) -> None:
    settings = """[compare]
ignore = ["/0/a", "/0/b"]
unordered = ["/0/a"]
[[cases]]
match = "9"
"""
    files = {"suite.toml": settings}
    folder = folder_of(tmp_path / "s", README | files | pair("1", "1", '{"a": 1}'))
    assert lines_of(folder) == [
        's/suite.toml:2:19: warning: ignore: no expected output has anything at "/0/b" [idle-path]',
        's/suite.toml:3:14: warning: unordered: no expected output has an array at "/0/a"'
        " [idle-path]",
        's/suite.toml:5:1: error: no case is meant by match = "9" [idle-match]',
    ]


def test_cases_below_a_suite_are_told_of(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "s", README | pair("1", "1", "1"))
    folder_of(folder / "more", pair("1", "1", "1"))
    folder_of(folder / "notes", {"a.txt": "x"})
    (folder / "loop").symlink_to(folder)
    assert lines_of(folder) == [
        "s/more: warning: cases that are never run: in a folder with cases, nothing below is looked"
        " at [nested]"
    ]


def test_a_packed_suite_is_looked_through_line_by_line(tmp_path: Path) -> None:
    cases = [
        PackedCase("1", b"1", b"1"),
        PackedCase("2", b'"a"', b"1"),
        PackedCase("3", b"1", b"1"),
        PackedCase("4", b"[1,", b"1"),
    ]
    data = b"".join(map(line_of, cases)) + b"nothing\n"
    files = {"cases.jsonl": data, "suite.toml": 'input = "in.json"', "in.json": NUMBERS}
    lines = lines_of(folder_of(tmp_path / "s", README | files))
    assert [line.partition(" error: ")[0] for line in lines] == [
        "s/cases.jsonl:2:1:",
        "s/cases.jsonl:3:1: warning: case 3: the same input as case 1, byte for byte [same-input]",
        "s/cases.jsonl:4:1:",
        "s/cases.jsonl:5:1:",
    ]
    assert lines[0].endswith(
        "case 2: the input breaks its schema at /0: 'a' is not of type 'integer' [schema]"
    )
    assert "cases.jsonl, line 4: its input is cut short at byte 3" in lines[2]
    assert "cases.jsonl, line 5 is not JSON at byte 1" in lines[3]


def test_a_suite_that_cannot_be_used_is_one_finding(tmp_path: Path) -> None:
    both = folder_of(tmp_path / "a", pair("1", "1", "1") | {"cases.jsonl": b""})
    assert lines_of(both) == [
        "s: error: cases both in cases.jsonl and in files (1-in.json); a suite keeps them one way"
        " [suite]"
    ]
    toml = folder_of(tmp_path / "b", pair("1", "1", "1") | {"suite.toml": "exit = 999"})
    assert lines_of(toml) == [
        's/suite.toml:1:1: error: exit is to be a status from 0 to 255, a range such as "1-125", or'
        ' "nonzero", found 999 [settings]'
    ]
    pipe = folder_of(tmp_path / "c", pair("1", "1", "1"))
    os.mkfifo(pipe / "suite.toml")
    assert lines_of(pipe) == [f"s: error: {pipe}/suite.toml: not a regular file [unreadable]"]
    gone = tmp_path / "gone"
    assert lines_of(gone) == [f"s: error: {gone}: no such file or directory [unreadable]"]


# What is known of a case's schemas.


def test_a_case_that_is_known_to_be_good_is_not_checked(tmp_path: Path) -> None:
    files = {"suite.toml": 'input = "in.json"', "in.json": NUMBERS}
    folder = folder_of(tmp_path / "s", README | files | pair("1", '"a"', "1"))
    assert len(look(folder).findings) == 1
    contract = fingerprint(read_suite("s", folder), tmp_path)
    digest = case_digest(contract, InputKind.JSON, b'"a"', b"1")
    assert look(folder, {digest: None}) == Survey([], 1, [digest])


def test_a_change_of_case_or_schema_makes_it_be_checked_again(tmp_path: Path) -> None:
    schema = {"items": {"$ref": "deep.json#/$defs/number"}, "$defs": {"x": {"allOf": [{}]}}}
    deep = {"$defs": {"number": {"type": "integer"}}}
    files = {"suite.toml": 'input = "in.json"', "in.json": schema, "deep.json": deep}
    folder = folder_of(tmp_path / "s", README | files | pair("1", "1", "1"))
    first = look(folder)
    assert (first.findings, len(first.good)) == ([], 1)
    known = dict.fromkeys(first.good)
    assert look(folder, known).good == first.good
    folder_of(folder, pair("1", '"a"', "1"))
    assert len(look(folder, known).findings) == 1
    folder_of(folder, pair("1", "1", "1") | {"deep.json": {"$defs": {"number": {"const": 2}}}})
    assert len(look(folder, known).findings) == 1


class Vandal(dict[bytes, None]):
    """What is known; whoever asks finds a file gone afterwards."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def __contains__(self, _key: object) -> bool:
        self.file.unlink(missing_ok=True)
        return False


@pytest.mark.parametrize("gone", ["1-in.json", "3-in.json"])
def test_a_file_that_goes_away_meanwhile_is_compared_no_more(tmp_path: Path, gone: str) -> None:
    cases = pair("1", "1", "1") | pair("2", "2", "1") | pair("3", "1", "1")
    files = {"suite.toml": 'input = "in.json"', "in.json": {}}
    folder = folder_of(tmp_path / "s", README | files | cases)
    found = Found("s", folder, "s")
    rules = [each.rule.value for each in survey(found, tmp_path, Vandal(folder / gone)).findings]
    assert "same-input" not in rules


def test_what_the_schema_says_of_comparing_is_held_against_suite_toml(tmp_path: Path) -> None:
    schema = {"type": "array", "items": {"type": "array", "x-order": "set"}}
    settings = (
        'output = "out.json"\n[[compare.at]]\npath = "/*"\norder = "list"\n'
        '[[compare.at]]\npath = ["/0", "/7"]\norder = "multiset"\n'
        '[[known]]\nmatch = "9"\nreason = "later"\n'
    )
    files = {"suite.toml": settings, "out.json": schema} | pair("1", "1", "[2]")
    twice = "suite.toml holds [spoken-twice]"
    assert lines_of(folder_of(tmp_path / "s", README | files)) == [
        's/suite.toml:3:8: warning: suite.toml says order = "list" for "/*", the output schema'
        f' x-order "set" for "/*"; {twice}',
        's/suite.toml:6:9: warning: suite.toml says order = "multiset" for "/0", the output schema'
        f' x-order "set" for "/*"; {twice}',
        's/suite.toml:6:15: warning: path with order: no expected output has an array at "/7"'
        " [idle-path]",
        's/suite.toml:6:15: warning: suite.toml says order = "multiset" for "/7", the output schema'
        f' x-order "set" for "/*"; {twice}',
        's/suite.toml:9:1: error: no case is meant by match = "9" [idle-match]',
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-renderer x", "no-such-renderer: no such program, neither beside this Python"),
        ("./no-such-renderer", "{folder}/./no-such-renderer: no such program"),
        ("./README.md", "{folder}/./README.md: not executable"),
        ("/bin/cat", ""),
        ("sh", ""),
    ],
)
def test_a_renderer_that_cannot_be_run_is_told(tmp_path: Path, command: str, said: str) -> None:
    settings = f"title = 'x'\n[render]\ncommand = '{command}'\n"
    folder = folder_of(tmp_path / "s", README | {"suite.toml": settings} | pair("1", "1", "2"))
    if not said:
        assert not lines_of(folder)
        return
    (line,) = lines_of(folder)
    assert line.startswith(
        f"s/suite.toml:3:1: warning: nothing will be drawn: {said.format(folder=folder)}"
    )
    assert line.endswith(" [renderer]")


def test_a_known_failure_of_no_subject_is_told_where_the_subjects_are_known(tmp_path: Path) -> None:
    known = '[[known]]\nmatch = "1"\nreason = "x"\nsubject = "eco"\n'
    folder = folder_of(tmp_path / "s", README | {"suite.toml": known} | pair("1", "1", "1"))
    found = Found("s", folder, "s")
    seen = survey(found, tmp_path, {}, lambda suite: [Subject("echo", ("cat",))])
    assert [finding.rule for finding in seen.findings] == [Rule.IDLE_SUBJECT]
    assert not survey(found, tmp_path, {}, lambda suite: []).findings
    assert not survey(found, tmp_path, {}).findings
