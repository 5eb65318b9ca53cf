"""suite.toml: everything that it can say, every mistake, and the examples in the documentation."""

from __future__ import annotations

import re

import pytest
from support.golden import Golden, message_of
from support.suites import parse_settings
from support.xtest import TOP

from harness.model.case import ExitRange, InputKind, Policy
from harness.model.case_names import CaseName
from harness.model.comparison import Comparison, Numbers, PlaceRule, Strings
from harness.model.limits import Limits
from harness.suites.settings import DELIVERY_NAMES, Grading, Render, SuiteSettings
from harness.suites.suite_toml import SUITE_TOML
from harness.tomlio.tables import TomlError, outcome_settings

SEVEN, BAD_SEVEN = CaseName("", 7), CaseName("bad", 7)

EVERYTHING = """
title = "Tsuro: the board"
program = "xboard"
input = "in.json"
output = "out.json"
exit = "1-125"
deliveries = ["plain", "pretty"]
conversation = true
[limits]
wall_s = 5
first_byte_s = 2.5
cpu_s = 4
memory_mib = 256
output_mib = 0.5
processes = 8
open_files = 30
file_mib = 2
[compare]
numbers = "value"
unordered = ["/0/winners", "/**/tags"]
ignore = [""]
strings = "NFC"
allow = ["nan", "duplicate-keys"]
bytes = true
[[compare.at]]
path = ["/0/a", "/**/b"]
numbers = "value"
strings = { matching = "[a-z]+" }
order = "set"
key = "id"
[[compare.at]]
path = "/3"
numbers = { relative = 1_0.50e-9 }
[[compare.at]]
path = ""
schema = { type = "number", minimum = 0.5 }
ignore = false
[[compare.at]]
path = "/1"
schema = "time.schema.json#/$defs/hour"
[[compare.at]]
path = "/2"
extra = true
keys = { matching = "[0-9]+" }
when = { "../type" = ["float", 1, true], "../a/b" = "x" }
[render]
command = "xdraw  tsuro"
draws = ["output", "input"]
[grading]
points = 10
visibility = "after_due_date"
[[cases]]
match = "bad-*"
exit = "nonzero"
input = "raw"
tags = ["errors", "slow"]
points = 0.5
visibility = "hidden"
known = { reason = "soon", link = "l" }
any = true
[cases.limits]
wall_s = 9
[cases.compare]
numbers = "value"
[[cases.compare.at]]
path = "/0"
ignore = true
[[known]]
match = ["40-59", "x-*"]
reason = "no ties yet"
link = "https://example.org/7"
subject = "x*"
verdicts = ["differs", "flaky"]
deliveries = ["cut"]
"""


def test_every_key_is_read(golden: Golden) -> None:
    read = parse_settings(EVERYTHING)._asdict()
    text = "".join(f"{key} = {value!r}\n" for key, value in read.items())
    golden("every_key.txt", text.replace(" PlaceRule(", "\n    PlaceRule("))


def test_an_empty_file_has_the_defaults() -> None:
    assert parse_settings("") == parse_settings("[limits]\n[compare]\n") == SuiteSettings()
    assert SuiteSettings().policy_for(SEVEN) == (Policy(), InputKind.JSON)
    assert parse_settings("[render]\ncommand = ['a b', '']").render == Render(("a b", ""))


@pytest.mark.parametrize(
    ("written", "least", "most"),
    [("255", 255, 255), ('"003"', 3, 3), ('"0-255"', 0, 255), ('"1-255"', 1, 255)],
)
def test_an_exit_status_is_a_number_a_range_or_nonzero(written: str, least: int, most: int) -> None:
    assert parse_settings(f"exit = {written}").exit == ExitRange(least, most)


def test_nonzero_includes_no_status_of_a_shell_that_could_not_run_a_program() -> None:
    nonzero = parse_settings('exit = "nonzero"').exit
    refused = [status for status in range(256) if not nonzero.accepts(status)]
    assert (str(nonzero), refused) == ("nonzero", [0, 126, 127])
    assert parse_settings('exit = "1-255"').exit.accepts(127)


def test_the_limits_that_a_case_sets_are_known() -> None:
    settings = parse_settings("""
    limits.wall_s = 3
    cases = [{ match = "7", limits.cpu_s = 2 }, { match = "*", compare.numbers = "value" }]
    """)
    assert settings.policy_for(SEVEN)[0].case_limits == ("cpu_s",)


def test_the_last_rule_that_sets_a_key_decides_it() -> None:
    found = parse_settings("""
    exit = 9
    limits.wall_s = 3
    cases = [
        { match = "*", exit = 1, tags = ["all"], points = 2 },
        { match = "bad-*", exit = 2, input = "raw", points = 0 },
        { match = "5-8", tags = [] },
        { match = "bad-7", input = "json" },
        { match = "none", exit = 200 },
    ]
    """)
    limits = Limits(wall_s=3.0)
    cases = {
        SEVEN: (ExitRange(1, 1), InputKind.JSON, (), 2.0),
        BAD_SEVEN: (ExitRange(2, 2), InputKind.JSON, ("all",), 0.0),
        CaseName("bad", 8): (ExitRange(2, 2), InputKind.RAW, ("all",), 0.0),
        CaseName("", 9): (ExitRange(1, 1), InputKind.JSON, ("all",), 2.0),
    }
    for name, (status, kind, tags, points) in cases.items():
        assert found.policy_for(name) == (Policy(exit=status, limits=limits), kind)
        assert found.tags_for(name) == tags
        assert found.points_for(name) == points
    assert parse_settings("").points_for(SEVEN) is None


def test_comparison_and_limits_of_cases_win_key_by_key() -> None:
    found = parse_settings("""
    limits = { wall_s = 3, cpu_s = 2 }
    compare = { strings = "NFC", ignore = ["/0"], at = [{ path = "/1", ignore = true }] }
    [[cases]]
    match = ["7", "bad-*"]
    limits.wall_s = 5
    compare = { ignore = ["/9"], numbers = "value", at = [{ path = "/1", ignore = false }] }
    [[cases]]
    match = "bad-*"
    limits.wall_s = 6
    compare = { numbers = "exact", at = [{ path = "/2", ignore = true }] }
    """)
    one, two, three = (PlaceRule((f"/{step}",), ignore=step != 3) for step in (1, 3, 2))
    two = two._replace(paths=("/1",))
    plain, seven, bad = (found.policy_for(name)[0] for name in (CaseName("", 8), SEVEN, BAD_SEVEN))
    assert plain == Policy(found.comparison, limits=Limits(wall_s=3.0, cpu_s=2.0))
    assert seven.limits == Limits(wall_s=5.0, cpu_s=2.0)
    assert seven.comparison == Comparison(Numbers.VALUE, (), ("/9",), Strings.NFC, at=(one, two))
    assert bad.limits == Limits(wall_s=6.0, cpu_s=2.0)
    assert bad.comparison == seven.comparison._replace(numbers=Numbers.EXACT, at=(one, two, three))


def test_presentation_and_grading_do_not_affect_outcomes() -> None:
    everything = parse_settings(EVERYTHING)
    assert outcome_settings(SUITE_TOML, everything) == everything._replace(
        title="",
        program="",
        deliveries=DELIVERY_NAMES,
        render=None,
        grading=Grading(),
        rules=(everything.rules[0]._replace(points=None, visibility=None, known=None),),
        known=(),
    )


def test_every_mistake_has_a_message(golden: Golden) -> None:
    def mistake(text: str | bytes) -> str:
        return message_of(TomlError, parse_settings, text)

    golden.table("suite_toml_mistakes.txt", mistake)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("x = " + "[" * 5_000, "not TOML: nested too deeply"),
        ("exit = " + "1" * 5_000, "not TOML: Exceeds the limit (4300 digits)"),
        (f"[compare]\nignore = ['{'x' * 5_000}\\u001b']", "[compare] ignore: a path must begin"),
        (f'"{"k" * 5_000}" = 1', 'unknown key "kkk'),
        (f'[compare]\nignore = ["{"x" * 5_000}\\u001b\\u202e"]', "[compare] ignore: "),
    ],
)
def test_a_message_is_short_and_printable_whatever_the_file_holds(text: str, start: str) -> None:
    message = message_of(TomlError, parse_settings, text)
    assert message.startswith(start)
    assert len(message) < 300
    assert message.isprintable()


@pytest.mark.parametrize("page", ["suites.md", "equality.md"])
def test_the_examples_in_the_documentation_are_valid(page: str) -> None:
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    for example in re.findall("```toml\n(.*?)```", text, re.DOTALL):
        if not example.startswith("# xtest.toml"):
            assert parse_settings(example) != SuiteSettings()
