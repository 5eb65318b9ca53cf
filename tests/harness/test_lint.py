"""Findings, how they are said, and what names and settings alone show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.care.lint import (
    Finding,
    Rule,
    Severity,
    finding_json,
    finding_line,
    of_conflicts,
    of_folder,
    of_numbers,
    of_refused_settings,
    of_settings,
    of_subjects,
    ordered,
    summary_line,
)
from harness.records import Subject
from harness.suites.naming import CaseName
from harness.suites.policy import SuiteSettings, SuiteTomlError, parse_suite_toml
from harness.suites.positions import Position
from harness.suites.tomlplaces import TomlPlaces

README = "README.md"


def names(*texts: str) -> list[CaseName]:
    """Names of cases."""
    pairs = [text.rpartition("-") for text in texts]
    return [CaseName(prefix, int(number)) for prefix, _, number in pairs]


def said_of(settings: str, *cases: str) -> list[str]:
    """The findings on a suite.toml, as lines."""
    text = settings.encode()
    found = of_settings(parse_suite_toml(text, "s"), TomlPlaces(text), names(*cases))
    return [finding_line(finding, "s") for finding in found]


def test_a_finding_is_said_as_compilers_do() -> None:
    finding = Finding("1-in.json", Position(3, 14), Rule.SCHEMA, "the input is odd")
    assert finding_line(finding, "a/s") == "a/s/1-in.json:3:14: error: the input is odd [schema]"


def test_a_finding_without_a_place_has_no_numbers() -> None:
    assert finding_line(Finding("", None, Rule.README, "x"), "s/") == "s/: note: x [readme]"
    assert finding_line(Finding("a", None, Rule.GAP, "x"), "s/") == "s/a: note: x [gap]"


def test_a_path_cannot_act_on_a_terminal() -> None:
    line = finding_line(Finding("\x1b[2J-1-in.json", None, Rule.ORPHAN, "x"), "s\n")
    assert line == "s\\n/\\x1b[2J-1-in.json: error: x [orphan]"


def test_a_finding_as_json_says_the_same() -> None:
    finding = Finding("é", Position(1, 2), Rule.ORPHAN, "x")
    assert json.loads(finding_json(finding, "s")) == {
        **{"path": "s/é", "line": 1, "column": 2, "severity": "error"},
        **{"rule": "orphan", "message": "x"},
    }
    assert json.loads(finding_json(finding._replace(position=None), "s"))["line"] is None


def test_findings_stand_in_the_order_of_files_and_places() -> None:
    def at(path: str, line: int | None) -> Finding:
        return Finding(path, None if line is None else Position(line, 1), Rule.SCHEMA, "")

    right = [at("", None), at("2-in.json", 3), at("10-in.json", None), at("10-in.json", 2)]
    assert ordered(reversed(right)) == right


def test_the_summary_counts_by_weight() -> None:
    assert summary_line([], 1, 1) == "1 case in 1 suite: nothing found"
    rules = [Rule.GAP, Rule.ORPHAN, Rule.README, Rule.SCHEMA]
    assert summary_line(rules, 2_500, 2) == ("2,500 cases in 2 suites: 2 errors, 2 notes")


def test_what_a_program_cannot_pass_is_an_error() -> None:
    assert Rule.CONTRADICTION.severity is Severity.ERROR
    assert Rule.SAME_INPUT.severity is Severity.WARNING
    assert Rule.SAME_VALUES.severity is Severity.NOTE


def test_every_rule_is_explained_with_its_weight() -> None:
    text = (Path(__file__).parents[2] / "docs" / "care.md").read_text(encoding="utf-8")
    table = re.findall("^\\| `([a-z-]+)` \\| (error|warning|note) \\|", text, re.MULTILINE)
    assert sorted(table) == sorted((rule.value, rule.severity.value) for rule in Rule)


# The folder.


def test_every_file_that_was_meant_to_be_something_is_told_of() -> None:
    entries = ["1_in.json", "1-in.JSON", "Suite.TOML", "cases.jsonl", README, "a-in.json"]
    settings = SuiteSettings(input="a-in.json")
    assert [(each.path, each.rule) for each in of_folder(entries, settings)] == [
        ("1_in.json", Rule.NAME),
        ("1-in.JSON", Rule.NAME),
        ("Suite.TOML", Rule.NAME),
    ]


@pytest.mark.parametrize("readme", ["README.md", "readme", "ReadMe.txt"])
def test_a_readme_may_be_spelled_as_people_do(readme: str) -> None:
    assert not list(of_folder([readme], SuiteSettings()))


def test_a_suite_without_a_readme_is_told_of() -> None:
    assert not list(of_folder(["README-1-in.jsn.bak"], SuiteSettings()))
    (found,) = of_folder(["suite.toml"], SuiteSettings())
    assert finding_line(found, "s") == (
        "s: note: the suite has no README.md to say what its cases are for [readme]"
    )


def test_gaps_are_told_by_prefix() -> None:
    cases = names("3", "4", "7", "9", "bad-1", "bad-3", "fine-1", "fine-2", "late-7")
    assert [finding.message for finding in of_numbers(cases)] == [
        "no case has the numbers 5-6, 8",
        'no case of the prefix "bad" has the number 2',
    ]


def test_gaps_of_any_size_and_number_cost_one_short_line() -> None:
    many = [CaseName("", number) for number in range(0, 40, 2)]
    (found,) = of_numbers([*many, CaseName("", 10**200)])
    assert found.message.startswith("no case has the numbers 1, 3, 5, 7, 9, 11, 13, 15 and 12 gaps")
    (huge,) = of_numbers([CaseName("", 1), CaseName("", 10**200)])
    assert len(huge.message) < 250


# suite.toml.


def refused(text: bytes) -> str:
    """The finding on a suite.toml that cannot be accepted."""
    with pytest.raises(SuiteTomlError) as caught:
        parse_suite_toml(text, "suite.toml")
    return finding_line(of_refused_settings(caught.value, text, "suite.toml"), "s")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            b"title = 'x'\nexit = = 1\n",
            "s/suite.toml:2:8: error: not TOML: Invalid value [settings]",
        ),
        (
            b"program = ./x",
            "s/suite.toml:1:11: error: not TOML: Invalid value; a text stands in quotes [settings]",
        ),
        (
            b"title = 'x'\nexitt = 1\n",
            's/suite.toml:2:1: error: unknown key "exitt"; did you mean "exit"? [settings]',
        ),
        (
            b"[limits]\ncpu_s = 1\nwall_s = 0\n",
            "s/suite.toml:3:1: error: [limits] wall_s is to be a number above 0 and below 1e9,"
            " found 0 [settings]",
        ),
        (
            b"[[cases]]\nmatch = '1'\n\n[[cases]]\nmatch = '9-1'\n",
            's/suite.toml:5:1: error: [[cases]] number 2: match: the range "9-1" runs backwards'
            " [settings]",
        ),
        (
            b"[[cases]]\nmatch = '1'\n[[cases]]\nexit = 1\n",
            "s/suite.toml:3:1: error: [[cases]] number 2: match is missing: a glob on the names of"
            ' cases, or a range such as "40-59" [settings]',
        ),
        (
            b"title = '\xff'\n",
            "s/suite.toml: error: not UTF-8 at byte 9 [settings]",
        ),
    ],
)
def test_a_refused_suite_toml_is_told_with_its_line(text: bytes, line: str) -> None:
    assert refused(text) == line


def test_settings_that_all_mean_something_are_left_alone() -> None:
    text = """
        [limits]
        first_byte_s = 2
        [[cases]]
        match = "*"
        exit = 1
        [[cases]]
        match = "bad-*"
        exit = 2
        tags = ["bad"]
    """
    assert not said_of(text, "1", "bad-1")


def test_a_match_that_means_no_case_is_an_error() -> None:
    text = '[[cases]]\nmatch = "1"\nexit = 1\n[[cases]]\nmatch = "2-9"\nexit = 1\n'
    assert said_of(text, "1") == [
        's/suite.toml:5:1: error: no case is meant by match = "2-9" [idle-match]'
    ]


def test_a_known_failure_of_no_case_is_an_error() -> None:
    text = '[[known]]\nmatch = "1"\nreason = "a"\n[[known]]\nmatch = "bad-*"\nreason = "b"\n'
    assert said_of(text, "1") == [
        's/suite.toml:5:1: error: no case is meant by match = "bad-*" [idle-match]'
    ]


def test_a_known_failure_of_no_subject_is_told_of() -> None:
    text = """[[known]]
match = "1"
reason = "a"
subject = "pythn"
[[known]]
match = "1"
reason = "b"
subject = "node *"
[[known]]
match = "1"
reason = "c"
subject = "*th*"
[[known]]
match = "1"
reason = "d"
"""
    settings = parse_suite_toml(text.encode(), "suite.toml")
    subjects = [Subject("python", ("python3", "a.py")), Subject("js", ("node", "a.js"))]
    found = of_subjects(settings, TomlPlaces(text.encode()), subjects)
    assert [finding_line(finding, "s") for finding in found] == [
        's/suite.toml:4:1: warning: subject = "pythn" fits no subject of xtest.toml that serves'
        ' this suite; did you mean "python"? [idle-subject]'
    ]


def test_a_rule_whose_words_others_have_the_last_of_is_told_of() -> None:
    text = """[[cases]]
match = "1-2"
exit = 1
[[cases]]
match = "*"
exit = 2
[[cases]]
match = "1"
"""
    assert said_of(text, "1", "2", "3") == [
        's/suite.toml:2:1: warning: match = "1-2" decides nothing: of all its cases, later'
        " [[cases]] say the same things [idle-rule]",
        's/suite.toml:8:1: warning: the cases of match = "1" are given nothing: say exit, input,'
        " tags, points or visibility [idle-rule]",
    ]


def graded(points: str, *cases: tuple[str, str]) -> str:
    """A suite.toml that gives points to the suite, and to cases."""
    rules = (f'[[cases]]\nmatch = "{match}"\npoints = {each}\n' for match, each in cases)
    return f"[grading]\npoints = {points}\n{''.join(rules)}"


def test_points_of_cases_that_cannot_come_to_those_of_the_suite_are_told_of() -> None:
    assert said_of(graded("1", ("1", "0.75"), ("2", "0.5")), "1", "2", "3") == [
        "s/suite.toml:2:1: warning: the cases' own points come to 1.25, and the suite has 1"
        " [points]"
    ]
    assert said_of(graded("10", ("*", "3.0")), "1", "2", "3") == [
        "s/suite.toml:2:1: warning: all the cases' own points come to 9, and the suite has 10"
        " [points]"
    ]


def test_points_that_others_share_or_that_come_to_the_whole_are_right() -> None:
    assert not said_of(graded("0.3", ("*", "0.1")), "1", "2", "3")
    assert not said_of(graded("10", ("1", "3")), "1", "2", "3")
    assert not said_of(graded("10"), "1")
    assert not said_of('[[cases]]\nmatch = "*"\npoints = 3\n', "1")
    assert "[points]" not in "".join(said_of(graded("10", ("*", "3"))))


def test_off_schema_without_a_schema_says_nothing() -> None:
    text = '[[cases]]\nmatch = "1"\ninput = "off-schema"\n'
    assert said_of(text, "1") == [
        "s/suite.toml:3:1: warning: off-schema has no effect: the suite names no schema for its"
        " inputs [idle-kind]"
    ]
    assert not said_of('input = "x"\n' + text, "1")


def test_what_the_schema_says_otherwise_is_told_where_suite_toml_says_it() -> None:
    places = TomlPlaces(b'[compare]\nignore = ["/a"]\n[[compare.at]]\npath = "/b"\n')
    found = of_conflicts([("/b", "both speak"), ("/c", "here too")], places)
    assert [finding_line(finding, "s") for finding in found] == [
        "s/suite.toml:4:8: warning: both speak [spoken-twice]",
        "s/suite.toml:1:1: warning: here too [spoken-twice]",
    ]


def test_a_limit_that_another_falls_before_is_told_of() -> None:
    assert said_of("[limits]\nfirst_byte_s = 20\n", "1") == [
        "s/suite.toml:2:1: warning: first_byte_s has no effect: wall_s (10) falls before it"
        " [idle-limit]"
    ]
