"""Findings on suites, as `xtest lint` prints them."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.golden import Golden
from support.suites import pair, write_files
from support.xtest import TOP

from harness.authoring import lint_suite as lint_suite_module
from harness.authoring.lint_rules import (
    LintFinding,
    LintRule,
    finding_json,
    finding_line,
    sort_findings,
)
from harness.authoring.lint_settings import lint_entries, lint_numbers
from harness.authoring.lint_suite import SubjectsOf, SuiteFindings, lint_suite
from harness.jsonio.decoder import Json
from harness.jsonio.positions import Position
from harness.model.case import Case
from harness.model.case_names import CaseName
from harness.model.subject import Subject
from harness.runner.store import Store
from harness.suites.cases import load_case
from harness.suites.discovery import DiscoveredSuite
from harness.suites.loading import Suite
from harness.suites.packed import PackedCase, format_line
from harness.suites.schema_checks import SchemaValidator, Violation
from harness.suites.settings import SuiteSettings

INTEGERS = {"type": "array", "items": {"type": "integer"}}
README = {"README.md": "x"}
GRADED = "[grading]\npoints = {}\n[[cases]]\nmatch = '{}'\npoints = {}\n"


def lint(
    folder: Path, cache: Path | None = None, subjects: SubjectsOf | None = None
) -> SuiteFindings:
    """Return the findings on a folder; valid cases are remembered in `cache`."""
    suite = DiscoveredSuite("s", folder, "s")
    if cache is None:
        return lint_suite(suite, None, subjects)
    with closing(Store(str(cache))) as store:
        return lint_suite(suite, store, subjects)


def lines_of(folder: Path, subjects: SubjectsOf | None = None) -> list[str]:
    findings = sort_findings(lint(folder, subjects=subjects).findings)
    return [finding_line(each, "s").replace(str(folder), "HERE") for each in findings]


def known_tables(*subjects: str) -> str:
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
    "paths of cases": {
        "suite.toml": '[[cases]]\nmatch = "1-2"\ncompare.ignore = ["/0", "/1"]\n'
        '[[cases]]\nmatch = ["3", "2"]\n[cases.compare]\nunordered = ["/0"]\n'
        '[[cases.compare.at]]\npath = "/0"\nignore = true\n'
        '[[cases]]\nmatch = "9"\ncompare.ignore = ["/3"]\n'
    },
    "rules": {
        "suite.toml": '[[cases]]\nmatch = "1-2"\nexit = 1\n[[cases]]\nmatch = "*"\nexit = 2\n'
        '[[cases]]\nmatch = "1"\n[[cases]]\nmatch = "3"\ntags = []\n'
    },
    "rules by key": {
        "suite.toml": '[[cases]]\nmatch = ["1", "4-5"]\nlimits = { wall_s = 1, cpu_s = 1 }\n'
        '[[cases]]\nmatch = ["1-3", "4"]\nlimits.wall_s = 2\ncompare.numbers = "value"\n'
        '[[cases]]\nmatch = "*"\ncompare.numbers = "exact"\nlimits.wall_s = 3\n'
        '[[cases]]\nmatch = "*"\n[[cases.compare.at]]\npath = "/0"\nignore = false\n'
        '[[known]]\nmatch = ["1", "9"]\nreason = "r"\n'
    },
    "a rule that is not decidable": {
        "suite.toml": '[compare]\nunordered = ["/0"]\n[[cases]]\nmatch = "9"\n[[cases]]\n'
        'match = "2"\n[cases.compare]\nnumbers = { absolute = 1 }\n'
    },
    "a rule with a schema": {
        "suite.toml": '[[cases]]\nmatch = "2"\n\n[[cases.compare.at]]\npath = "/0"\nschema = "x"'
    },
    "a mistake in a rule": {"suite.toml": '[[cases]]\nmatch = "2"\nlimits.wall = 1\n'},
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
    assert rows == [(rule.label, rule.severity.value, rule.description) for rule in LintRule]


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


BRANCH = {"type": "array", "items": {"$ref": "#"}}


# Where Python ignores exceptions, such as in a finalizer, the first alarm is lost.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("schema", "given", "pattern"),
    [
        ({"anyOf": [BRANCH, BRANCH]}, "[" * 40 + '"x"' + "]" * 40, ""),
        ({"items": {"pattern": "^(a+)+$"}}, f'"{"a" * 41}b"', ', in the pattern "^(a+)+$"'),
    ],
    ids=["branches", "pattern"],
)
def test_a_pattern_that_takes_exponential_time_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: Json, given: str, pattern: str
) -> None:
    monkeypatch.setattr(lint_suite_module, "SECONDS", 0.2)
    files = {"suite.toml": 'input = "in.json"', "in.json": schema, **README}
    folder = write_files(tmp_path / "s", {**files, **pair("1", given)})
    stopped = f"checking its schema stopped after 0.2 s{pattern}"
    assert lines_of(folder) == [f"s/1-in.json: error: {stopped} [schema]"]


@pytest.fixture(name="checked")
def _checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the cases that are checked against schemas."""
    names: list[str] = []
    check = SchemaValidator.first_violation

    def note(validator: SchemaValidator, case: Case, given: list[Json]) -> Violation | None:
        names.append(case.name)
        return check(validator, case, given)

    monkeypatch.setattr(SchemaValidator, "first_violation", note)
    return names


def test_a_valid_case_is_checked_again_if_it_or_a_schema_or_xtest_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checked: list[str]
) -> None:
    schema = {"items": {"$ref": "deep.json#/$defs/number"}, "$defs": {"x": {"allOf": [{}]}}}
    deep = {"$defs": {"number": {"type": "integer"}}}
    settings = 'input = "in.json"\n'
    files = {"suite.toml": settings, "in.json": schema, "deep.json": deep}
    folder = write_files(tmp_path / "s", README | files | pair("1", "12", "2"))
    for changed in (
        pair("1", "12", "3"),
        pair("1", "1", "23"),
        {"deep.json": {"$defs": {"number": {"const": 1}}}},
        {"suite.toml": settings + '[[cases]]\nmatch = "1"\ninput = "off-schema"\n'},
    ):
        lint(folder, tmp_path)
        checked.clear()
        lint(folder, tmp_path)
        assert not checked
        with monkeypatch.context() as patch:
            patch.setattr(lint_suite_module, "VERSION", "another")
            lint(folder, tmp_path)
        lint(write_files(folder, changed), tmp_path)
        assert checked == ["1", "1"], changed


def test_valid_cases_are_remembered_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checked: list[str]
) -> None:
    monkeypatch.setattr(lint_suite_module, "MOST_KEPT", 2)
    files = {"suite.toml": 'input = "in.json"', "in.json": INTEGERS}
    folder = write_files(tmp_path / "s", files | pair("1") | pair("2", "2") | pair("3", "3"))
    for _ in range(3):
        lint(folder, tmp_path)
    assert checked == ["1", "2", "3", "3", "3"]


@pytest.mark.parametrize("gone", ["1-in.json", "3-in.json"])
def test_a_removed_file_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    folder = write_files(tmp_path / "s", README | pair("1") | pair("2", "2") | pair("3"))

    def load_and_remove(suite: Suite, name: CaseName, at: int) -> tuple[Case, list[Json]]:
        loaded = load_case(suite, name, at)
        if at == 2:
            (folder / gone).unlink(missing_ok=True)
        return loaded

    monkeypatch.setattr(lint_suite_module, "load_case", load_and_remove)
    findings = lint(folder).findings
    assert LintRule.SAME_INPUT not in [each.rule for each in findings]
