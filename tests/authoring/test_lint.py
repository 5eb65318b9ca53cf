"""Findings on suites, as `xtest lint` prints them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from support.folders import pair, write_files
from support.golden import Golden
from support.xtest import TOP

from harness.authoring import lint_suite as lint_suite_module
from harness.authoring.lint_cache import lint_digest
from harness.authoring.lint_rules import (
    LintFinding,
    LintRule,
    finding_json,
    finding_line,
    sort_findings,
)
from harness.authoring.lint_settings import lint_entries, lint_numbers
from harness.authoring.lint_suite import SubjectsOf, SuiteFindings, lint_suite
from harness.jsonio.positions import Position
from harness.model.case import InputKind
from harness.model.case_names import CaseName
from harness.model.subject import Subject
from harness.suites.discovery import DiscoveredSuite
from harness.suites.loading import read_suite
from harness.suites.packed import PackedCase, format_line
from harness.suites.schema_checks import fingerprint
from harness.suites.settings import SuiteSettings

INTEGERS = {"type": "array", "items": {"type": "integer"}}
README = {"README.md": "x"}
GRADED = "[grading]\npoints = {}\n[[cases]]\nmatch = '{}'\npoints = {}\n"


def lint(
    folder: Path, known: dict[bytes, None] | None = None, subjects: SubjectsOf | None = None
) -> SuiteFindings:
    """Return the findings on a folder; the bundled schemas are in its parent."""
    return lint_suite(
        DiscoveredSuite("s", folder, "s"), folder.parent, {} if known is None else known, subjects
    )


def lines_of(folder: Path, subjects: SubjectsOf | None = None) -> list[str]:
    """Return the findings on a folder as lines."""
    findings = sort_findings(lint(folder, subjects=subjects).findings)
    return [finding_line(each, "s").replace(str(folder), "HERE") for each in findings]


def known_tables(*subjects: str) -> str:
    """Return a `[[known]]` table for each subject."""
    return "".join(f'[[known]]\nmatch = "1"\nreason = "r"\nsubject = "{one}"\n' for one in subjects)


PACKED = b"".join(
    format_line(PackedCase(label, stdin, b"1"))
    for label, stdin in (("1", b"1"), ("2", b'"a"'), ("3", b"1"), ("4", b"[1,"))
)
# Suites with findings; a file suite.toml given alone gets three valid cases.
SUITES: dict[str, dict[str, Any]] = {
    "valid": pair("1") | pair("2", "2", "3"),
    "broken cases": {
        **{"1-in.json": "1", "3-out.json": "1", "02-in.json": "1", **pair("2")},
        **pair("4", "[1,\n 2,,]"),
        **pair("5", "1", "{'a': 1}"),
    },
    "schema violations": {
        **{"suite.toml": 'input = "in.json"\noutput = "in.json"\n', "in.json": INTEGERS},
        **pair("1", '1\n  "a"\n'),
        **pair("2", "2", "1 [2]"),
        **pair("3", "3"),
    },
    "kinds of input": {
        "suite.toml": 'input = "in.json"\n[[cases]]\nmatch = "1-2"\ninput = "off-schema"\n'
        '[[cases]]\nmatch = "3-4"\ninput = "raw"\n',
        "in.json": INTEGERS,
        **{**pair("1", '"a"'), **pair("2"), **pair("3", "[1,"), **pair("4", "[1]")},
    },
    "no schema": {"suite.toml": 'title = "x"\noutput = "out.json"\n'},
    "bad schema": {
        "suite.toml": 'input = "in.json"\noutput = "out.json"\n',
        **{"in.json": INTEGERS, "out.json": {"type": "no"}, **pair("1", '"unchecked"')},
    },
    "incomplete schema": {
        "suite.toml": 'input = "in.json"\n',
        **{"in.json": {"items": {"$ref": "missing.json"}}, **pair("1")},
    },
    "same inputs": {
        **pair("1", '{"a":1, "b":2}'),
        **pair("2", '{"a":1, "b":2}'),
        **pair("3", '{"b":2, "a":1}'),
        **pair("4", '{"b":2, "a":1}', "2"),
    },
    "no effect": {
        "suite.toml": '[compare]\nignore = ["/0/a", "/0/b"]\nunordered = ["/0/a"]\n'
        '[[cases]]\nmatch = "9"\n[[known]]\nmatch = "bad-*"\nreason = "r"\n',
        **pair("1", "1", '{"a": 1}'),
    },
    "rules": {
        "suite.toml": '[[cases]]\nmatch = "1-2"\nexit = 1\n[[cases]]\nmatch = "*"\nexit = 2\n'
        '[[cases]]\nmatch = "1"\n[[cases]]\nmatch = "3"\ntags = []\n'
    },
    "limits and kinds": {
        "suite.toml": '[limits]\nfirst_byte_s = 20\n[[cases]]\nmatch = "1"\ninput = "off-schema"\n'
    },
    "too many points": {"suite.toml": GRADED.format(1, "1-2", 0.75)},
    "too few points": {"suite.toml": GRADED.format(10, "*", "3.0")},
    "points to share": {"suite.toml": GRADED.format(10, "1", 3)},
    "exact points": {"suite.toml": GRADED.format(0.3, "*", 0.1)},
    "nested": {**pair("1"), "more/1-in.json": "1", "notes/a.txt": "x", ".git/1-in.json": ""},
    "packed": {"cases.jsonl": PACKED + b"nothing\n", "suite.toml": 'input = "i"', "i": INTEGERS},
    "packed and files": {**pair("1"), "cases.jsonl": b""},
    "no TOML": {"suite.toml": b"title = 'x'\nexit = = 1\n"},
    "no quotes": {"suite.toml": b"program = ./x"},
    "unknown key": {"suite.toml": b"title = 'x'\nexitt = 1\n"},
    "wrong value": {"suite.toml": b"[limits]\ncpu_s = 1\nwall_s = 0\n"},
    "missing key": {"suite.toml": b"[[cases]]\nmatch = '1'\n[[cases]]\nexit = 1\n"},
    "not UTF-8": {"suite.toml": b"title = '\xff'\n"},
    "two comparisons": {
        "suite.toml": 'output = "o.json"\n[[compare.at]]\npath = "/*"\norder = "list"\n'
        '[[compare.at]]\npath = ["/0", "/7"]\norder = "multiset"\n',
        "o.json": {"type": "array", "items": {"type": "array", "x-order": "set"}},
        **pair("1", "1", "[2]"),
    },
    "no renderer": {"suite.toml": "title = 'x'\n[render]\ncommand = './none x'\n"},
    "renderer": {"suite.toml": "[render]\ncommand = '/bin/cat'\n"},
    "subjects": {"suite.toml": known_tables("pythn", "node *", "*th*", "*")},
    "names": {
        **dict.fromkeys(("1_in.json", "Suite.TOML", "a-in.json"), "x"),
        **{"suite.toml": 'input = "a-in.json"', "\x1b[2J-1-in.json": "1", **pair("7")},
    },
}
SUBJECTS = [Subject("python", ("python3", "a.py")), Subject("js", ("node", "a.js"))]


def test_the_findings_on_suites(tmp_path: Path, golden: Golden) -> None:
    text = ""
    three = pair("1") | pair("2", "2") | pair("3", "3")
    for name, files in SUITES.items():
        folder = write_files(tmp_path / name, README | (three if len(files) == 1 else {}) | files)
        if name == "broken cases":
            (folder / "6-in.json").mkdir()
            (folder / "6-out.json").symlink_to("nowhere")
        if name == "nested":
            (folder / "loop").symlink_to(folder)
        lines = lines_of(folder, (lambda suite: SUBJECTS) if name == "subjects" else None)
        text += "".join(f"{line}\n" for line in (f"# {name}", *lines))
    os.mkfifo(write_files(tmp_path / "pipe", pair("1")) / "suite.toml")
    for name in ("pipe", "gone"):
        text += "".join(f"{line}\n" for line in (f"# {name}", *lines_of(tmp_path / name)))
    golden("lint.txt", text)
    assert not lint(tmp_path / "subjects", subjects=lambda suite: []).findings
    assert not lint(tmp_path / "subjects").findings


def test_a_finding_without_a_position_has_no_numbers() -> None:
    finding = LintFinding("é", Position(1, 2), LintRule.ORPHAN, "x")
    assert finding_line(finding, "a\n/s/") == "a\\n/s/é:1:2: error: x [orphan]"
    assert finding_line(finding._replace(path="", position=None), "s/") == "s/: error: x [orphan]"
    assert json.loads(finding_json(finding, "s")) == {
        **{"path": "s/é", "line": 1, "column": 2, "severity": "error"},
        **{"rule": "orphan", "message": "x"},
    }
    assert json.loads(finding_json(finding._replace(position=None), "s"))["line"] is None


def test_the_documentation_has_the_rules() -> None:
    text = (TOP / "docs" / "care.md").read_text(encoding="utf-8")
    rows = re.findall("^\\| `([a-z-]+)` \\| (error|warning|note) \\| (.*) \\|$", text, re.MULTILINE)
    assert rows == [(rule.value, rule.severity.value, rule.description) for rule in LintRule]


@pytest.mark.parametrize(
    ("entry", "is_readme"),
    [("README.md", True), ("readme", True), ("ReadMe.txt", True), ("suite.toml", False)],
)
def test_a_readme_may_have_any_case_and_suffix(entry: str, is_readme: bool) -> None:
    rules = [each.rule for each in lint_entries([entry], SuiteSettings())]
    assert rules == ([] if is_readme else [LintRule.README])


def test_gaps_are_listed_by_prefix_and_shortened() -> None:
    cases = [CaseName("", number) for number in (3, 4, 7, 9)]
    cases += [CaseName("bad", 1), CaseName("bad", 3), CaseName("late", 7)]
    assert [finding.message for finding in lint_numbers(cases)] == [
        "no case has the numbers 5-6, 8",
        'no case with the prefix "bad" has the number 2',
    ]
    many = [CaseName("", number) for number in range(0, 40, 2)]
    (found,) = lint_numbers([*many, CaseName("", 10**200)])
    assert found.message.startswith("no case has the numbers 1, 3, 5, 7, 9, 11, 13, 15 and 12 gaps")
    (huge,) = lint_numbers([CaseName("", 1), CaseName("", 10**200)])
    assert len(huge.message) < 250


def test_a_case_known_to_be_valid_is_not_checked(tmp_path: Path) -> None:
    files = README | {"suite.toml": 'input = "in.json"', "in.json": INTEGERS} | pair("1", '"a"')
    folder = write_files(tmp_path / "s", files)
    assert len(lint(folder).findings) == 1
    schemas = fingerprint(read_suite("s", folder), tmp_path)
    digest = lint_digest(schemas, InputKind.JSON, b'"a"', b"1")
    assert lint(folder, {digest: None}) == SuiteFindings([], 1, [digest])


def test_a_pattern_that_takes_exponential_time_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint_suite_module, "SECONDS", 0.2)
    schema = {"items": {"pattern": "^(a+)+$"}}
    files = {"suite.toml": 'input = "in.json"', "in.json": schema, **README}
    folder = write_files(tmp_path / "s", {**files, **pair("1", f'"{"a" * 41}b"', "1")})
    stopped = 'checking its schema stopped after 0.2 s, in the pattern "^(a+)+$"'
    assert lines_of(folder) == [f"s/1-in.json: error: {stopped} [schema]"]


def test_a_changed_case_or_schema_is_checked_again(tmp_path: Path) -> None:
    schema = {"items": {"$ref": "deep.json#/$defs/number"}, "$defs": {"x": {"allOf": [{}]}}}
    deep = {"$defs": {"number": {"type": "integer"}}}
    files = {"suite.toml": 'input = "in.json"', "in.json": schema, "deep.json": deep}
    folder = write_files(tmp_path / "s", README | files | pair("1"))
    first = lint(folder)
    assert (first.findings, len(first.valid)) == ([], 1)
    valid = dict.fromkeys(first.valid)
    assert lint(folder, valid).valid == first.valid
    write_files(folder, pair("1", '"a"'))
    assert len(lint(folder, valid).findings) == 1
    write_files(folder, pair("1") | {"deep.json": {"$defs": {"number": {"const": 2}}}})
    assert len(lint(folder, valid).findings) == 1


class Remover(dict[bytes, None]):
    """Known digests that remove a file when they are asked."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def __contains__(self, _key: object) -> bool:
        self.file.unlink(missing_ok=True)
        return False


@pytest.mark.parametrize("gone", ["1-in.json", "3-in.json"])
def test_a_removed_file_is_not_compared(tmp_path: Path, gone: str) -> None:
    cases = pair("1") | pair("2", "2") | pair("3")
    files = {"suite.toml": 'input = "in.json"', "in.json": "{}"}
    folder = write_files(tmp_path / "s", README | files | cases)
    findings = lint(folder, Remover(folder / gone)).findings
    assert LintRule.SAME_INPUT not in [each.rule for each in findings]
