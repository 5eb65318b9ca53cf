"""suite.toml: what it says, what is refused and how, and that its schema says the same."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.jsontext import LAXITIES
from harness.judging.comparison import (
    Comparison,
    Matching,
    Numbers,
    Order,
    PlaceRule,
    Schema,
    Strings,
    Tolerance,
)
from harness.judging.comparison_words import (
    NUMBERS_WANTED,
    ORDER_WANTED,
    SCHEMA_WANTED,
    STRINGS_WANTED,
)
from harness.records import ExitRange, InputKind, Limits, Policy, Verdict, Visibility
from harness.suites.bundled import schemas_folder
from harness.suites.naming import CaseName
from harness.suites.policy import (
    DELIVERIES,
    CaseRule,
    Drawn,
    Grading,
    KnownRule,
    Render,
    SuiteSettings,
    SuiteTomlError,
    parse_suite_toml,
)
from harness.words import visible

SEVEN, BAD_SEVEN = CaseName("", 7), CaseName("bad", 7)


def parsed(text: str) -> SuiteSettings:
    """The settings in a text."""
    return parse_suite_toml(text.encode(), "s/suite.toml")


def refusal(text: str | bytes) -> str:
    """What is said of a text that is refused, without the file's name in front."""
    with pytest.raises(SuiteTomlError) as caught:
        parse_suite_toml(text.encode() if isinstance(text, str) else text, "s/suite.toml")
    said = str(caught.value)
    assert said.startswith("s/suite.toml: ")
    return said.removeprefix("s/suite.toml: ")


# What it says.


def test_an_empty_suite_toml_says_what_a_missing_one_says() -> None:
    assert parsed("") == parsed("[limits]\n[compare]\n") == SuiteSettings()
    assert SuiteSettings().policy_for(SEVEN) == (Policy(), InputKind.JSON, ())


def test_everything_that_a_suite_toml_can_say_arrives() -> None:
    text = """
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
    [[known]]
    match = "40-59"
    reason = "no ties yet"
    link = "https://example.org/7"
    subject = "x*"
    verdicts = ["differs", "flaky"]
    deliveries = ["cut"]
    """
    assert parsed(text) == SuiteSettings(
        title="Tsuro: the board",
        program="xboard",
        input="in.json",
        output="out.json",
        exit=ExitRange(1, 125),
        deliveries=("plain", "pretty"),
        conversation=True,
        limits=Limits(5.0, 2.5, 4.0, 256.0, 0.5, 8, 30, 2.0),
        comparison=Comparison(Numbers.VALUE, ("/0/winners", "/**/tags"), ("",)),
        grading=Grading(10.0, Visibility.AFTER_DUE_DATE),
        rules=(
            CaseRule(
                *("bad-*", ExitRange(1, 255), InputKind.RAW, ("errors", "slow")),
                *(0.5, Visibility.HIDDEN),
            ),
        ),
        known=(
            KnownRule(
                *("40-59", "no ties yet", "https://example.org/7", "x*"),
                (Verdict.DIFFERS, Verdict.FLAKY),
                ("cut",),
            ),
        ),
        render=Render(("xdraw", "tsuro"), (Drawn.OUTPUT, Drawn.INPUT)),
    )


def test_what_was_expected_and_what_was_printed_is_drawn_unless_it_is_said_otherwise() -> None:
    (lone,) = Render(("draw it", "")).draws
    assert parsed("[render]\ncommand = ['draw it', '']").render == Render(("draw it", ""), (lone,))
    assert lone is Drawn.OUTPUT
    assert parsed("[render]\ncommand = 'x'\ndraws = 'input'").render == Render(
        ("x",), (Drawn.INPUT,)
    )


def test_the_example_in_the_documentation_is_taken_and_says_everything() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "suites.md"
    (example,) = re.findall("```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert parsed(example).rules[1] == CaseRule("bad-3", input=InputKind.RAW)
    table = tomllib.loads(example)
    assert list(table) == list(PARTS)
    assert list(table["limits"]) == list(PARTS["limits"]["properties"])
    assert list(table["compare"]) == list(PARTS["compare"]["properties"])
    assert list(table["grading"]) == list(PARTS["grading"]["properties"])
    said = {key for rule in table["cases"] for key in rule}
    assert said == set(PARTS["cases"]["items"]["properties"])
    assert list(table["known"][0]) == list(PARTS["known"]["items"]["properties"])


def test_everything_that_can_be_said_of_places_arrives() -> None:
    text = """
    [compare]
    numbers = { relative = 1_0.50e-9 }
    strings = "NFC"
    allow = ["nan", "duplicate-keys"]
    [[compare.at]]
    path = ["/0/a", "/**/b"]
    numbers = { absolute = 3, relative = 0.1 }
    strings = { matching = "[a-z]+" }
    order = "set"
    key = "id"
    [[compare.at]]
    path = ""
    schema = { type = "number", minimum = 0.5 }
    ignore = false
    [[compare.at]]
    path = "/1"
    schema = "time.schema.json#/$defs/hour"
    """
    assert parsed(text).comparison == Comparison(
        Tolerance(relative="10.50e-9"),
        strings=Strings.NFC,
        allow=("nan", "duplicate-keys"),
        at=(
            PlaceRule(
                ("/0/a", "/**/b"), Tolerance("3", "0.1"), Matching("[a-z]+"), Order.SET, "id"
            ),
            PlaceRule(("",), schema=Schema('{"type": "number", "minimum": 0.5}'), ignore=False),
            PlaceRule(("/1",), schema=Schema(file="time.schema.json#/$defs/hour")),
        ),
    )


def test_the_example_on_the_page_of_equality_is_taken_and_says_everything() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "equality.md"
    (example,) = re.findall("```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    rules = parsed(example).comparison.at
    said = {name for rule in tomllib.loads(example)["compare"]["at"] for name in rule}
    assert len(rules) == 4
    assert said == set(PARTS["compare"]["properties"]["at"]["items"]["properties"]) - {"ignore"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0", ExitRange(0, 0)),
        ("255", ExitRange(255, 255)),
        ('"3"', ExitRange(3, 3)),
        ('"003"', ExitRange(3, 3)),
        ('"1-125"', ExitRange(1, 125)),
        ('"0-255"', ExitRange(0, 255)),
        ('"nonzero"', ExitRange(1, 255)),
    ],
)
def test_an_exit_status_is_a_number_a_range_or_nonzero(written: str, meant: ExitRange) -> None:
    assert parsed(f"exit = {written}").exit == meant


def test_of_the_rules_for_a_case_the_last_one_that_speaks_of_a_thing_decides_it() -> None:
    text = """
    exit = 9
    [[cases]]
    match = "*"
    exit = 1
    tags = ["all"]
    [[cases]]
    match = "bad-*"
    input = "raw"
    exit = 2
    [[cases]]
    match = "5-8"
    tags = []
    [[cases]]
    match = "bad-7"
    input = "json"
    [[cases]]
    match = "nobody"
    exit = 200
    """
    rules = parsed(text)
    assert rules.policy_for(SEVEN) == (Policy(exit=ExitRange(1, 1)), InputKind.JSON, ())
    assert rules.policy_for(BAD_SEVEN) == (
        Policy(exit=ExitRange(2, 2)),
        InputKind.JSON,
        ("all",),
    )
    assert rules.policy_for(CaseName("bad", 8))[1] is InputKind.RAW
    assert rules.policy_for(CaseName("", 9))[2] == ("all",)
    for name in (SEVEN, BAD_SEVEN, CaseName("", 9)):
        assert rules.tags_for(name) == rules.policy_for(name)[2]
    assert parsed("").tags_for(SEVEN) == ()


def test_limits_and_comparison_hold_for_every_case() -> None:
    settings_ = parsed('[limits]\nwall_s = 3\n[compare]\nignore = ["/0"]')
    policy = settings_.policy_for(BAD_SEVEN)[0]
    assert policy == Policy(Comparison(ignore=("/0",)), ExitRange(), Limits(wall_s=3.0))


def test_the_last_table_that_speaks_of_points_decides_them() -> None:
    found = parsed("""
    [[cases]]
    match = "*"
    points = 2
    [[cases]]
    match = "bad-*"
    points = 0
    [[cases]]
    match = "bad-7"
    tags = ["x"]
    """)
    assert [found.points_for(name) for name in (SEVEN, BAD_SEVEN)] == [2.0, 0.0]
    assert SuiteSettings().points_for(SEVEN) is None


# What is refused.

KNOWN = (
    "title, program, input, output, exit, deliveries, conversation, limits, compare, render,"
    " grading, cases, known"
)
VISIBILITY = 'visibility is to be "visible", "hidden", "after_due_date" or "after_published", found'
EXIT = 'is to be a status from 0 to 255, a range such as "1-125", or "nonzero", found'
AMOUNT = "is to be a number above 0 and below 1e9, found"
PATH = 'a JSON Pointer (with * and **), such as "/*/score", or a list of them'
ALLOW = "a list of these: duplicate-keys, nan, lone-surrogates"
AT = "[[compare.at]]\npath = '/0'\n"
AT_SAID = "[[compare.at]] number 1: "
POINTERS = 'is to be a list of JSON Pointers (with * and **), such as ["/0/winners"], found'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # The file.
        (b'title = "\xff"', "not UTF-8 at byte 9"),
        (b"\xef\xbb\xbftitle = 'x'", "begins with a byte order mark; save it as UTF-8 without one"),
        ("x = " + "[" * 5_000, "not TOML that anybody means: nested too deep"),
        # Keys.
        ('titel = "x"', 'unknown key "titel"; did you mean "title"?'),
        ("timeout = 3", f'unknown key "timeout"; known: {KNOWN}'),
        ("wall_s = 3", 'unknown key "wall_s"; it belongs in [limits]'),
        ("ignore = []", 'unknown key "ignore"; it belongs in [compare]'),
        (
            "[limits]\nwall_s = 3\nexit = 1",
            '[limits] unknown key "exit"; it belongs above the first [table]',
        ),
        ("[limits]\nwall = 3", '[limits] unknown key "wall"; did you mean "wall_s"?'),
        (
            "[compare]\nsorted = true",
            '[compare] unknown key "sorted"; known: numbers, unordered, ignore, strings, allow, at',
        ),
        (
            "[[cases]]\nmatch = '1'\n[[cases]]\nmatch = '2'\nexits = 1",
            '[[cases]] number 2: unknown key "exits"; did you mean "exit"?',
        ),
        ('"a\\nb" = 1', f'unknown key "a\\nb"; known: {KNOWN}'),
        # Types.
        ("title = 3", "title is to be a text that is not empty, found 3"),
        ('title = ""', 'title is to be a text that is not empty, found ""'),
        ("program = ['x']", 'program is to be the name of a program, found ["x"]'),
        ("input = {}", "input is to be the file name of a schema, found a table"),
        ("output = 2026-01-31", "output is to be the file name of a schema, found 2026-01-31"),
        ("conversation = 1", "conversation is to be true or false, found 1"),
        ('conversation = "yes"', 'conversation is to be true or false, found "yes"'),
        ("limits = 10", "limits is to be a table, found 10"),
        ("[[limits]]", "limits is to be a table, found [a table]"),
        (
            "[render]",
            '[render] command is missing: a command such as "xdraw tsuro", or a list of its words',
        ),
        ("render = 'x'", 'render is to be a table, found "x"'),
        (
            "[render]\ncommand = ' '",
            '[render] command is to be a command such as "xdraw tsuro", or a list of its words,'
            ' found " "',
        ),
        (
            "[render]\ncommand = ['a', 1]",
            '[render] command is to be a command such as "xdraw tsuro", or a list of its words,'
            ' found ["a", 1]',
        ),
        (
            "[render]\ncommand = 'x'\ndraws = 'both'",
            '[render] draws is to be "output", "input", or a list of both, found "both"',
        ),
        (
            "[render]\ncommand = 'x'\ndraws = ['input', 'input']",
            '[render] draws is to be "output", "input", or a list of both, found'
            ' ["input", "input"]',
        ),
        ("cases = 3", "cases is to be written as [[cases]] tables, found 3"),
        ("[cases]\nmatch = '1'", "cases is to be written as [[cases]] tables, found a table"),
        ("cases = [1]", "cases is to be written as [[cases]] tables, found [1]"),
        (
            f'title = ["{"x" * 99}"]',
            f'title is to be a text that is not empty, found ["{"x" * 57}…',
        ),
        (
            "title = [[1], [true]]",
            "title is to be a text that is not empty, found [[...], [...]]",
        ),
        # Values.
        ("exit = -1", f"exit {EXIT} -1"),
        ("exit = 256", f"exit {EXIT} 256"),
        ("exit = true", f"exit {EXIT} true"),
        ("exit = 0.0", f"exit {EXIT} 0.0"),
        ('exit = "9-3"', f'exit {EXIT} "9-3"'),
        ('exit = "non-zero"', f'exit {EXIT} "non-zero"'),
        ('exit = "00000003"', f'exit {EXIT} "00000003"'),
        ("[limits]\nwall_s = 0", f"[limits] wall_s {AMOUNT} 0"),
        ("[limits]\nwall_s = -2.5", f"[limits] wall_s {AMOUNT} -2.5"),
        ("[limits]\nwall_s = true", f"[limits] wall_s {AMOUNT} true"),
        ('[limits]\nwall_s = "10"', f'[limits] wall_s {AMOUNT} "10"'),
        ("[limits]\ncpu_s = inf", f"[limits] cpu_s {AMOUNT} inf"),
        ("[limits]\nmemory_mib = nan", f"[limits] memory_mib {AMOUNT} nan"),
        ("[limits]\noutput_mib = 1e9", f"[limits] output_mib {AMOUNT} 1000000000.0"),
        (
            "[limits]\nprocesses = 1.0",
            "[limits] processes is to be an integer above 0 and below 1e9, found 1.0",
        ),
        (
            "[limits]\nprocesses = false",
            "[limits] processes is to be an integer above 0 and below 1e9, found false",
        ),
        ("points = 3", 'unknown key "points"; it belongs in [grading]'),
        (
            "[grading]\npoints = -1",
            "[grading] points is to be a number from 0 on and below 1e9, found -1",
        ),
        (
            "[[cases]]\nmatch = '1'\npoints = false",
            "[[cases]] number 1: points is to be a number from 0 on and below 1e9, found false",
        ),
        ('[grading]\nvisibility = "secret"', f'[grading] {VISIBILITY} "secret"'),
        ("[grading]\nvisibility = 1", f"[grading] {VISIBILITY} 1"),
        (
            '[compare]\nnumbers = "fuzzy"',
            f'[compare] numbers is to be {NUMBERS_WANTED}, found "fuzzy"',
        ),
        ("[compare]\nnumbers = []", f"[compare] numbers is to be {NUMBERS_WANTED}, found []"),
        ('[compare]\nignore = "/0"', f'[compare] ignore {POINTERS} "/0"'),
        ("[compare]\nignore = [0]", f"[compare] ignore {POINTERS} [0]"),
        (
            '[compare]\nignore = ["/0", "winners"]',
            '[compare] ignore: a path begins with "/" (or is "", the whole stream),'
            " not 'winners'",
        ),
        # What is said of places.
        ("[compare]\norder = 'set'", '[compare] unknown key "order"; it belongs in [[compare.at]]'),
        ("match = '1'", 'unknown key "match"; it belongs in [[cases]]'),
        (
            "[compare]\nat = 1",
            "[compare] at is to be written as [[compare.at]] tables, found 1",
        ),
        (
            "[[compare.at]]\npth = '/0'",
            '[[compare.at]] number 1: unknown key "pth"; did you mean "path"?',
        ),
        ("[[compare.at]]\norder = 'set'", f"{AT_SAID}path is missing: {PATH}"),
        ("[[compare.at]]\npath = []", f"{AT_SAID}path is to be {PATH}, found []"),
        ("[[compare.at]]\npath = 0", f"{AT_SAID}path is to be {PATH}, found 0"),
        (
            AT,
            f"{AT_SAID}says nothing of its path; known: numbers, strings, order, key, schema,"
            " ignore",
        ),
        (
            f"{AT}order = 'list'\nkey = 'id'",
            f'{AT_SAID}a key pairs the elements of a set or multiset, and the order is "list"',
        ),
        (f"{AT}order = 'bag'", f'{AT_SAID}order is to be {ORDER_WANTED}, found "bag"'),
        (f"{AT}key = 1", AT_SAID + "key is to be the name of a member, found 1"),
        (f"{AT}ignore = 1", f"{AT_SAID}ignore is to be true or false, found 1"),
        (f"{AT}numbers = 0.1", f"{AT_SAID}numbers is to be {NUMBERS_WANTED}, found 0.1"),
        (
            f"{AT}numbers = {{}}",
            f"{AT_SAID}numbers: absolute is missing, or relative, or both",
        ),
        (
            f"{AT}numbers = {{ absolut = 1 }}",
            f'{AT_SAID}numbers: unknown key "absolut"; did you mean "absolute"?',
        ),
        *(
            (
                f"{AT}numbers = {{ relative = {wrong} }}",
                f"{AT_SAID}numbers: relative is to be a number, 0 or above",
            )
            for wrong in ("-1", "-0.5", "inf", "nan", "true", "'1'")
        ),
        (f"{AT}strings = 'NFX'", f'{AT_SAID}strings is to be {STRINGS_WANTED}, found "NFX"'),
        (
            f"{AT}strings = {{ matching = 1 }}",
            f"{AT_SAID}strings: matching is to be a regular expression, as a text",
        ),
        (
            f"{AT}strings = {{ matches = 'a' }}",
            f'{AT_SAID}strings: unknown key "matches"; did you mean "matching"?',
        ),
        (
            f"{AT}strings = {{ matching = 'a(b' }}",
            f'{AT_SAID}strings: "a(b" is no regular expression: missing ), unterminated subpattern'
            " at position 1",
        ),
        (f"{AT}schema = 1", f"{AT_SAID}schema is to be {SCHEMA_WANTED}, found 1"),
        (f"{AT}schema = ''", f'{AT_SAID}schema is to be {SCHEMA_WANTED}, found ""'),
        (
            f"{AT}schema = {{ const = 2026-01-31 }}",
            f"{AT_SAID}schema: no JSON Schema: dates, nan and inf are no JSON",
        ),
        (
            f"{AT}schema = {{ type = 'text' }}",
            f"{AT_SAID}schema: no JSON Schema: at /type: 'text' is not valid under any of the"
            " given schemas",
        ),
        (
            f"{AT}schema = {{ '$ref' = 'a.json' }}",
            f'{AT_SAID}schema: refers to "a.json", which is not in it',
        ),
        ("[compare]\nallow = 'nan'", f'[compare] allow is to be {ALLOW}, found "nan"'),
        (
            "[compare]\nallow = ['nans']",
            '[compare] allow: "nans" is not known; did you mean "nan"?',
        ),
        (
            "[compare]\nunordered = ['/0']\nnumbers = { absolute = 1 }",
            '[compare] numbers at "/**" have a tolerance, and may stand inside "/0", an array'
            " whose order does not count: which of its elements belong together? Give that array"
            ' a key, or say for path = "/0/**", in a [[compare.at]] of its own at the end,'
            ' numbers = "value"',
        ),
        ("deliveries = []", "deliveries is to be a list of names, found []"),
        ('deliveries = "plain"', 'deliveries is to be a list of names, found "plain"'),
        (
            'deliveries = ["plain", "prety"]',
            'deliveries: no delivery is called "prety"; did you mean "pretty"?',
        ),
        (
            'deliveries = ["x"]',
            f'deliveries: no delivery is called "x"; known: {", ".join(DELIVERIES)}',
        ),
        ('deliveries = ["slow", "slow"]', 'deliveries: "slow" stands there twice'),
        (
            "[[cases]]\nexit = 1",
            "[[cases]] number 1: match is missing:"
            ' a glob on the names of cases, or a range such as "40-59"',
        ),
        (
            "[[known]]\nmatch = '7'",
            "[[known]] number 1: reason is missing: why the subject falls short, in one line",
        ),
        (
            "[[known]]\nmatch = '7'\nreason = ''",
            "[[known]] number 1: reason is to be why the subject falls short, in one line,"
            ' found ""',
        ),
        (
            "[[known]]\nmatch = '9-3'\nreason = 'x'",
            '[[known]] number 1: match: the range "9-3" runs backwards',
        ),
        (
            "[[known]]\nmatch = '7'\nreason = 'x'\nverdicts = ['difers']",
            '[[known]] number 1: verdicts: no failure is called "difers"; did you mean "differs"?',
        ),
        (
            "[[known]]\nmatch = '7'\nreason = 'x'\nverdicts = ['bad']",
            "[[known]] number 1: verdicts: no failure is called"
            ' "bad"; known: silent, stalled, cpu-limit, memory-limit, output-limit,'
            " process-limit, crashed, malformed, too-few, too-many, differs, exit-status, flaky",
        ),
        (
            "[[known]]\nmatch = '7'\nreason = 'x'\nverdicts = []",
            "[[known]] number 1: verdicts is to be a list of verdicts of a subject, found []",
        ),
        (
            "[[known]]\nmatch = '7'\nreason = 'x'\ndeliveries = ['cut', 'cut']",
            '[[known]] number 1: deliveries: "cut" stands there twice',
        ),
        (
            "[[known]]\nmatch = '7'\nreson = 'x'",
            '[[known]] number 1: unknown key "reson"; did you mean "reason"?',
        ),
        ("known = 'all'", 'known is to be written as [[known]] tables, found "all"'),
        (
            "[[cases]]\nmatch = 7",
            "[[cases]] number 1: match is to be"
            ' a glob on the names of cases, or a range such as "40-59", found 7',
        ),
        (
            "[[cases]]\nmatch = '59-40'",
            '[[cases]] number 1: match: the range "59-40" runs backwards',
        ),
        (
            "[[cases]]\nmatch = '7'\ninput = 'bytes'",
            '[[cases]] number 1: input is to be "json", "off-schema" or "raw", found "bytes"',
        ),
        (
            "[[cases]]\nmatch = '7'\ntags = ['']",
            '[[cases]] number 1: tags is to be a list of texts that are not empty, found [""]',
        ),
    ],
)
def test_nonsense_is_refused_with_what_was_expected_and_what_came(
    text: str | bytes, said: str
) -> None:
    assert refusal(text) == said


@pytest.mark.parametrize("text", ["title", "a = 1\na = 2", "title = 'a\x1bb'", "[limits"])
def test_what_is_not_toml_is_told_in_the_words_of_the_toml_reader(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert refusal(text) == f"not TOML: {visible(str(caught.value))}"


def test_an_integer_of_too_many_digits_is_refused() -> None:
    assert refusal("exit = " + "1" * 5_000).startswith("not TOML: Exceeds the limit (4300 digits)")


def test_a_refusal_is_short_and_visible_whatever_stands_in_the_file() -> None:
    path = "x" * 5_000 + "\\u001b\\u202e"
    said = refusal(f'[compare]\nignore = ["{path}"]')
    assert len(said) < 300
    assert said.isprintable()
    assert len(refusal(f'"{"k" * 5_000}" = 1')) < 300


# The schema and the parser are one.

SCHEMA = json.loads(Path(schemas_folder(), "suite.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_of_suite_toml_is_a_closed_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    tables = ("limits", "compare", "render", "grading")
    objects = [SCHEMA, *(SCHEMA["properties"][name] for name in tables)]
    objects += (SCHEMA["properties"][name]["items"] for name in ("cases", "known"))
    objects.append(SCHEMA["properties"]["compare"]["properties"]["at"]["items"])
    assert [part["additionalProperties"] for part in objects] == [False] * 8


def test_the_schema_knows_the_deliveries_and_limits_of_the_harness() -> None:
    properties = SCHEMA["properties"]
    assert properties["deliveries"]["items"]["enum"] == list(DELIVERIES)
    assert list(properties["limits"]["properties"]) == list(Limits._fields)
    # What the output schema says is in no suite.toml.
    assert list(properties["compare"]["properties"]) == list(Comparison._fields)[:-1]
    rule = properties["compare"]["properties"]["at"]["items"]["properties"]
    assert list(rule) == ["path", *PlaceRule._fields[1:-1]]
    words = SCHEMA["$defs"]
    for name, enum in (("numbers", Numbers), ("strings", Strings)):
        assert words[name]["anyOf"][0]["enum"] == [word.value for word in enum]
    assert rule["order"]["enum"] == [word.value for word in Order]
    assert properties["compare"]["properties"]["allow"]["items"]["enum"] == list(LAXITIES)
    assert list(properties["render"]["properties"]) == list(Render._fields)
    assert set(words["drawn"]["enum"]) == {drawn.value for drawn in Drawn}
    assert list(properties) == list(KNOWN.split(", "))
    assert words["visibility"]["enum"] == [each.value for each in Visibility]


def toml(value: Any) -> str:
    """A value as TOML writes it inline; its strings are such that JSON's escapes are TOML's."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return (
                "{" + ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items()) + "}"
            )
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case str():
            return json.dumps(value)
        case _:
            return str(value)


def is_parsed(table: dict[str, Any]) -> bool:
    """Whether the parser takes a table."""
    try:
        parsed("\n".join(f"{toml(key)} = {toml(value)}" for key, value in table.items()))
    except SuiteTomlError:
        return False
    return True


TEXTS = st.sampled_from(
    ["", "a", "plain", "slow", "raw", "json", "exact", "value", "nonzero", "bad-*", "/", "/0/~0"]
    + ["1", "40-59", "59-40", "0-255", "255-256", "007", "0000007", "00000007", "1-", "7\n", "\n"]
    + ["/~", "~1", "/a\n", "/*/**", "/~2", "off-schema", "pretty", "nonzero\n", "300", "1-1"]
)
SCALARS = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([255, 256, 10**9 - 1, 10**9, 10**12]),
    st.sampled_from([0.0, -0.5, 0.5, 2.5, 1e8, 1e9, 1e300, math.inf]),
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.just({}), st.just([{}])
)


def near(right: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Tables with some of these keys and right values; often with one that may well be wrong."""
    tables = st.fixed_dictionaries({}, optional=right)
    spoilt = st.builds(
        lambda table, key, value: table | {key: value},
        tables,
        st.sampled_from([*right, "other"]),
        VALUES,
    )
    return st.one_of(tables, spoilt)


PARTS = SCHEMA["properties"]
AMOUNT_VALUES: st.SearchStrategy[Any] = st.sampled_from([1, 0.5, 10**9 - 1])
PATH_LISTS = st.lists(st.sampled_from(["", "/", "/0/*", "/**", "/~0~1"]), max_size=2)
EXITS: st.SearchStrategy[Any] = st.sampled_from([0, 255, "7", "1-125", "nonzero", "59-40"])
RULES = {
    "exit": EXITS,
    "input": st.sampled_from(["json", "off-schema", "raw"]),
    "tags": st.lists(st.just("a"), max_size=2),
    "points": st.sampled_from([0, 0.5, 10**9 - 1]),
    "visibility": st.sampled_from([each.value for each in Visibility]),
}
KNOWN_RULES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("match", "reason", "link", "subject"), st.just("a")),
    "verdicts": st.lists(
        st.sampled_from(["differs", "flaky", "passed"]), min_size=1, max_size=3, unique=True
    ),
    "deliveries": st.lists(st.sampled_from(DELIVERIES), min_size=1, max_size=3, unique=True),
}
SIZES: st.SearchStrategy[Any] = st.sampled_from([0, 1, 0.5, 1e-9, 1e300])
NUMBERS_WAYS = st.one_of(
    st.sampled_from(["exact", "value"]), near({"absolute": SIZES, "relative": SIZES})
)
STRINGS_WAYS = st.one_of(
    st.sampled_from([way.value for way in Strings]), near({"matching": st.just("[a-z]+")})
)
PLACE_RULES = {
    "path": st.one_of(st.just("/0"), PATH_LISTS),
    "numbers": NUMBERS_WAYS,
    "strings": STRINGS_WAYS,
    "order": st.sampled_from([order.value for order in Order]),
    "key": st.sampled_from(["", "name"]),
    "schema": st.one_of(st.just({"type": "string"}), st.just({"type": "no such"}), st.just("a")),
    "ignore": st.booleans(),
}
DRAWN = st.sampled_from(["input", "output", "other"])
SUITES = near(
    {
        **dict.fromkeys(("title", "program", "input", "output"), st.just("a")),
        "exit": EXITS,
        "deliveries": st.lists(st.sampled_from(DELIVERIES), min_size=1, max_size=3, unique=True),
        "conversation": st.booleans(),
        "limits": near(
            {
                **dict.fromkeys(PARTS["limits"]["properties"], AMOUNT_VALUES),
                "processes": st.just(2),
                "open_files": st.just(2),
            }
        ),
        "compare": near(
            {
                "numbers": NUMBERS_WAYS,
                "unordered": PATH_LISTS,
                "ignore": PATH_LISTS,
                "strings": STRINGS_WAYS,
                "allow": st.lists(st.sampled_from(LAXITIES), max_size=2),
                "at": st.lists(near(PLACE_RULES).map(lambda rule: {"path": "/0"} | rule)),
            }
        ),
        "render": near(
            {
                "command": st.sampled_from(
                    ["a b", " ", "", "a\0", ["a", ""], ["", "a"], ["a\0"], ["a", "\0"], []]
                ),
                "draws": st.one_of(DRAWN, st.lists(DRAWN, max_size=2)),
            }
        ),
        "grading": near({name: RULES[name] for name in ("points", "visibility")}),
        "known": st.lists(
            near(KNOWN_RULES).map(lambda rule: {"match": "7", "reason": "a"} | rule)
            | near(KNOWN_RULES),
            max_size=2,
        ),
        "cases": st.lists(
            near(RULES).map(lambda rule: {"match": "bad-*"} | rule) | near(RULES), max_size=2
        ),
    }
)


def is_beyond_the_schema(table: dict[str, Any]) -> bool:
    """The closed list of what the schema takes and the parser does not, each with its reason."""
    limits, cases = table.get("limits"), table.get("cases")
    known = table.get("known")
    rules = [rule for part in (cases, known) if isinstance(part, list) for rule in part]
    exits = [table.get("exit"), *(rule.get("exit") for rule in rules if isinstance(rule, dict))]
    matches = [rule.get("match") for rule in rules if isinstance(rule, dict)]
    # A schema cannot compare two numbers in one text.
    backwards = {"59-40"} & {text for text in (*exits, *matches) if isinstance(text, str)}
    # JSON has one kind of number: 1.0 is an integer to a schema, and is none in TOML.
    whole = [*exits, limits.get("processes") if isinstance(limits, dict) else None]
    if bool(backwards) or any(isinstance(number, float) for number in whole):
        return True
    compare = json.dumps(table.get("compare"))
    # What is inside an array whose order does not count has no tolerance; no schema can say that.
    has_tolerance = '"absolute"' in compare or '"relative"' in compare
    is_loose = any(word in compare for word in ('"unordered"', '"multiset"', '"set"'))
    # JSON has no infinity; no schema without `format` knows regular expressions.
    return (has_tolerance and is_loose) or "Infinity" in compare or '"matching": "/*/**"' in compare


@given(SUITES)
@settings(deadline=None, max_examples=400)
def test_the_schema_and_the_parser_take_the_same_files(table: dict[str, Any]) -> None:
    """What the schema refuses the parser refuses; what it takes the parser takes, except for a
    closed list."""
    if VALIDATOR.is_valid(table):
        assert is_parsed(table) or is_beyond_the_schema(table)
    else:
        assert not is_parsed(table)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("exit", value) for value in (0, 255, "7", "007", "1-125", "nonzero", "0-255", "255")),
        *(("deliveries", [name]) for name in DELIVERIES),
        *(("limits", {name: 1}) for name in PARTS["limits"]["properties"]),
        *(("compare", {"ignore": [path]}) for path in ("", "/", "/a/~0~1/*/**", "/\n", "//")),
        *(("cases", [{"match": match}]) for match in ("*", "7", "40-59", "[", "\n")),
        *(
            ("known", [{"match": "7", "reason": "a", "verdicts": [name]}])
            for name in PARTS["known"]["items"]["properties"]["verdicts"]["items"]["enum"]
        ),
    ],
)
def test_both_take_what_is_right(key: str, value: Any) -> None:
    assert VALIDATOR.is_valid({key: value})
    assert is_parsed({key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("exit", value) for value in (-1, 256, "", "256", "1-256", "7\n", "-1", "1-2-3", "a")),
        ("exit", True),
        ("exit", []),
        *(("exit", value) for value in ("00000003", "nonzero ", "NONZERO")),
        *(("deliveries", value) for value in ([], ["x"], ["slow", "slow"])),
        ("deliveries", "slow"),
        ("deliveries", [1]),
        *(("limits", {"wall_s": value}) for value in (0, -1, True, "1", 1e9, math.inf)),
        *(("limits", {"processes": value}) for value in (0, 0.5, True, 10**9)),
        *(("compare", {"ignore": [path]}) for path in ("a", "\n", "/~", "/~2", "/a~")),
        *(("cases", [{"match": match}]) for match in ("", 7, True)),
        ("cases", {}),
        ("cases", "x"),
        ("cases", [1]),
        ("cases", [{}]),
        ("cases", [{"exit": 1}]),
    ],
)
def test_both_refuse_what_is_wrong(key: str, value: Any) -> None:
    assert not VALIDATOR.is_valid({key: value})
    assert not is_parsed({key: value})
