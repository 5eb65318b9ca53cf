"""Findings on suites; those of each kind are in tests/cli/lint/suites.md."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from support.suites import pair, write_files

from harness.authoring import lint_suite as lint_suite_module
from harness.authoring.lint_rules import (
    LintFinding,
    LintRule,
    finding_json,
    finding_line,
    sort_findings,
)
from harness.authoring.lint_settings import lint_entries, lint_numbers
from harness.authoring.lint_suite import lint_suite
from harness.jsonio.decoder import Json
from harness.jsonio.positions import Position
from harness.model.case import Case
from harness.model.case_names import CaseName
from harness.reports.text.display import PLAIN, coloured
from harness.results.store import Store
from harness.suites.cases import load_case
from harness.suites.discovery import DiscoveredSuite
from harness.suites.loading import Suite
from harness.suites.schema_checks import SchemaValidator, Violation
from harness.suites.strays import Strays

INTEGERS = {"type": "array", "items": {"type": "integer"}}
README = {"README.md": "x"}


def lint(folder: Path, cache: Path | None = None) -> list[LintFinding]:
    """Return the findings on a folder; valid cases are remembered in `cache`."""
    suite = DiscoveredSuite("s", folder, "s")
    if cache is None:
        return lint_suite(suite, None, None)[0]
    with closing(Store(str(cache))) as store:
        return lint_suite(suite, store, None)[0]


def lines_of(folder: Path) -> list[str]:
    return [finding_line(each, "s", PLAIN) for each in sort_findings(lint(folder))]


def test_a_folder_that_is_gone_is_a_finding(tmp_path: Path) -> None:
    message = "no such file or directory [unreadable]"
    assert lines_of(tmp_path / "gone") == [f"s: error: {tmp_path}/gone: {message}"]


def test_a_finding_has_its_place_and_the_path_is_printable_in_a_line() -> None:
    finding = LintFinding("é", Position(1, 2), LintRule.ORPHAN, "x")
    assert finding_line(finding, "a\n/s/", PLAIN) == "a\\n/s/é:1:2: error: x [orphan]"
    line = finding_line(finding._replace(path="", position=None), "s/", coloured)
    assert line == "s/: \x1b[31merror\x1b[0m: x \x1b[2m[orphan]\x1b[0m"
    assert json.loads(finding_json(finding, "s")) == {
        **{"path": "s/é", "line": 1, "column": 2, "severity": "error"},
        **{"rule": "orphan", "message": "x"},
    }


@pytest.mark.parametrize(
    ("entry", "is_readme"),
    [("README.md", True), ("readme", True), ("ReadMe.txt", True), ("suite.toml", False)],
)
def test_a_readme_may_have_any_case_and_suffix(entry: str, is_readme: bool) -> None:
    rules = [each.rule for each in lint_entries(Strays({}, ()), [entry])]
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
    assert found.message.startswith(
        "no case has the numbers 1, 3, 5, 7, 9, 11, 13, 15 and 12 more gaps"
    )
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
    monkeypatch.setattr(lint_suite_module, "CASE_LIMIT_S", 0.2)
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
    folder = write_files(tmp_path / "s", README | files | pair("1", "12", "[2]"))
    for changed in (
        pair("1", "12", "[3]"),
        pair("1", "1", "[3]"),
        {"deep.json": {"$defs": {"number": {"const": 1}}}},
        {"suite.toml": settings + '[[cases]]\nmatch = "1"\nany = true\n'},
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
    assert LintRule.SAME_INPUT not in [each.rule for each in lint(folder)]
