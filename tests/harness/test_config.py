"""xtest.toml: what it says, what is refused and how, and that its schema says the same."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.records import Limits
from harness.several.config import (
    Config,
    ConfigError,
    SubjectConfig,
    SuiteNames,
    chosen_subjects,
    idle_globs,
    parse_config,
)
from harness.suites.bundled import schemas_folder

TOP = Path(__file__).resolve().parents[2]
WHOLE = """
suites = ["tests/cases", "xtiles"]

[subjects.js]
command = ["node", "{program}.js", "", "{suite}"]
folder = "impl/js"
environment = { LANG = "C", EMPTY = "" }
language = "JavaScript"
build = ["npm", "ci"]
build_s = 60
limits = { wall_s = 20, processes = 9 }
tags = ["fast", "ours"]
suites = ["x*", "tests/cases/easy"]

[subjects."c++"]
command = ["./prog"]
tags = ["ours"]
"""
JS = SubjectConfig(
    name="js",
    command=("node", "{program}.js", "", "{suite}"),
    folder="impl/js",
    environment=(("LANG", "C"), ("EMPTY", "")),
    language="JavaScript",
    build=("npm", "ci"),
    build_s=60.0,
    limits=(("wall_s", 20.0), ("processes", 9)),
    tags=("fast", "ours"),
    suites=("x*", "tests/cases/easy"),
)
CPP = SubjectConfig("c++", ("./prog",), tags=("ours",))
CONFIG = Config(("tests/cases", "xtiles"), (JS, CPP))
EASY, HARD = SuiteNames("easy", "tests/cases/easy"), SuiteNames("hard", "tests/cases/hard")


def refusal(text: str | bytes) -> str:
    """What is said of a file that is refused, without its name."""
    with pytest.raises(ConfigError) as caught:
        parse_config(text.encode() if isinstance(text, str) else text, "xtest.toml")
    said = str(caught.value)
    assert said.startswith("xtest.toml: ")
    return said.removeprefix("xtest.toml: ")


def test_all_that_a_file_may_say_is_read() -> None:
    assert parse_config(WHOLE.encode(), "f") == CONFIG


def test_a_file_that_says_nothing_has_no_suites_and_no_subjects() -> None:
    assert parse_config(b"# nothing\n", "f") == Config()
    assert parse_config(b"[subjects]\n", "f") == Config()


def test_the_example_of_the_page_is_taken_and_has_every_key() -> None:
    page = (TOP / "docs" / "subjects.md").read_text(encoding="utf-8")
    (example,) = re.findall("```toml\n(.*?)```", page, re.DOTALL)
    first = parse_config(example.encode(), "f").subjects[0]
    assert all(value for value in first)
    said = tomllib.loads(example)["subjects"]
    assert set(said[first.name]) == set(SubjectConfig._fields) - {"name"}


def test_a_subject_serves_the_suites_that_a_glob_means_by_name_or_by_path() -> None:
    assert JS.serves(EASY)
    assert not JS.serves(HARD)
    assert JS.serves(SuiteNames("xtiles", "xtiles"))
    assert CPP.serves(HARD)  # without globs, all of them
    assert JS._replace(suites=("hard",)).serves(HARD)


def test_program_and_suite_are_put_into_the_command_and_all_other_braces_stay() -> None:
    assert JS.command_for(EASY, "prog") == ("node", "prog.js", "", "easy")
    assert JS.command_for(EASY, "") is None
    assert CPP.command_for(EASY, "") == ("./prog",)
    awk = SubjectConfig("awk", ("awk", "{ print } {suites} {suite}"))
    assert awk.command_for(HARD, "{suite}") == ("awk", "{ print } {suites} hard")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["js", "c++"]),
        (("*",), ["js", "c++"]),
        (("c++",), ["c++"]),
        (("c++", "js"), ["js", "c++"]),
        (("j?", "j*"), ["js"]),
        (("@fast",), ["js"]),
        (("@ours",), ["js", "c++"]),
    ],
)
def test_subjects_are_chosen_by_globs_and_tags_in_the_order_of_the_file(
    words: tuple[str, ...], names: list[str]
) -> None:
    assert [subject.name for subject in chosen_subjects(CONFIG, words)] == names


@pytest.mark.parametrize(
    ("config", "word", "said"),
    [
        (CONFIG, "jss", '--subject "jss": no subject has this name; did you mean "js"?'),
        (CONFIG, "perl", '--subject "perl": no subject has this name; known: js, c++'),
        (CONFIG, "", '--subject "": no subject has this name; known: js, c++'),
        (CONFIG, "@fats", '--subject "@fats": no subject has this tag; did you mean "@fast"?'),
        (CONFIG, "@", '--subject "@": no subject has this tag; known: @fast, @ours'),
        (
            Config(subjects=(SubjectConfig("a", ("a",)),)),
            "@b",
            '--subject "@b": no subject has this tag; none has any',
        ),
        (Config(), "a", '--subject "a": xtest.toml has no subjects'),
        (CONFIG, "\x1b[2J", '--subject "\\x1b[2J": no subject has this name; known: js, c++'),
    ],
)
def test_a_word_that_means_no_subject_is_refused(config: Config, word: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        chosen_subjects(config, (word,))
    assert str(caught.value) == said


def test_globs_that_mean_no_suite_are_told_with_the_nearest_path() -> None:
    assert idle_globs(CONFIG, [EASY, SuiteNames("xtiles", "xtiles")]) == []
    assert idle_globs(CONFIG, [HARD]) == [
        ("[subjects.js] suites", '"x*" means no suite; known: tests/cases/hard'),
        (
            "[subjects.js] suites",
            '"tests/cases/easy" means no suite; did you mean "tests/cases/hard"?',
        ),
    ]


# What is refused.

COMMAND = 'a list of words such as ["node", "prog.js"], the program first'
BUILD = 'a list of words such as ["make", "all"], the program first'
NAME = "up to 60 characters of A-Z a-z 0-9 _ . + -, the first of them a letter, a digit or _"
ONE = "[subjects.a]\ncommand = ['a']\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "not UTF-8 at byte 0"),
        ('suits = ["a"]', 'unknown key "suits"; did you mean "suites"?'),
        ("timeout = 1", 'unknown key "timeout"; known: suites, subjects'),
        ("command = ['a']", 'unknown key "command"; it belongs in [subjects.NAME]'),
        ("wall_s = 1", 'unknown key "wall_s"; it belongs in [subjects.NAME.limits]'),
        ("suites = []", "suites is to be a list of folders or names of suites, found []"),
        ('suites = "a"', 'suites is to be a list of folders or names of suites, found "a"'),
        ("subjects = 'a'", 'subjects is to be written as [subjects.NAME] tables, found "a"'),
        (
            "[[subjects]]\ncommand = ['a']",
            "subjects is to be written as [subjects.NAME] tables, found [a table]",
        ),
        (
            "[subjects]\ncommand = ['a']",
            "subjects is to be written as [subjects.NAME] tables, found a table",
        ),
        ('[subjects."@a"]', f"[subjects.@a]: a name is to be {NAME}"),
        ('[subjects."-a"]', f"[subjects.-a]: a name is to be {NAME}"),
        ('[subjects.""]', f"[subjects.]: a name is to be {NAME}"),
        ('[subjects."a\\u001b"]', f"[subjects.a\\x1b]: a name is to be {NAME}"),
        (f"[subjects.{'a' * 61}]", f"[subjects.{'a' * 59}…]: a name is to be {NAME}"),
        (
            "[subjects.jane.doe]\ncommand = ['a']",
            '[subjects.jane.doe]: a name with a dot stands in quotes: [subjects."jane.doe"]',
        ),
        (
            f"{ONE}[subjects.a.limit]\nwall_s = 1",
            '[subjects.a] unknown key "limit"; did you mean "limits"?',
        ),
        (
            "[subjects.M\u00fcller]\ncommand = ['a']",
            "not TOML: Expected ']' at the end of a table declaration (at line 1, column 12); what"
            ' has other characters than A-Z a-z 0-9 _ - stands in quotes: [subjects."a.b"]',
        ),
        ("[subjects.a]", f"[subjects.a] command is missing: {COMMAND}"),
        (
            "[subjects.a]\ncomand = ['a']",
            '[subjects.a] unknown key "comand"; did you mean "command"?',
        ),
        (
            "[subjects.a]\ncommand = 'node a.js'",
            f'[subjects.a] command is to be {COMMAND}, found "node a.js"',
        ),
        ("[subjects.a]\ncommand = []", f"[subjects.a] command is to be {COMMAND}, found []"),
        ("[subjects.a]\ncommand = ['']", f'[subjects.a] command is to be {COMMAND}, found [""]'),
        (
            "[subjects.a]\ncommand = ['a', 1]",
            f'[subjects.a] command is to be {COMMAND}, found ["a", 1]',
        ),
        (
            '[subjects.a]\ncommand = ["a\\u0000"]',
            "[subjects.a] command: no path and no word of a command can hold the character U+0000",
        ),
        (f"{ONE}folder = ''", '[subjects.a] folder is to be the path of a folder, found ""'),
        (f"{ONE}build = 'make'", f'[subjects.a] build is to be {BUILD}, found "make"'),
        (
            f"{ONE}build_s = 0",
            "[subjects.a] build_s is to be a number above 0 and below 1e9, found 0",
        ),
        (
            f"{ONE}environment = ['A=1']",
            '[subjects.a] environment is to be a table of texts such as { LANG = "C" },'
            ' found ["A=1"]',
        ),
        (
            f"{ONE}environment = {{ A = 1 }}",
            '[subjects.a] environment is to be a table of texts such as { LANG = "C" },'
            " found a table",
        ),
        (
            f"{ONE}environment = {{ 'A=B' = '1' }}",
            '[subjects.a] environment: no variable can be called or hold "A=B=1"',
        ),
        (
            f"{ONE}limits = {{ wall = 1 }}",
            '[subjects.a] limits: unknown key "wall"; did you mean "wall_s"?',
        ),
        (
            f"{ONE}limits = {{ processes = 1.5 }}",
            "[subjects.a] limits: processes is to be an integer above 0 and below 1e9, found 1.5",
        ),
        (f"{ONE}limits = 3", "[subjects.a] limits is to be a table, found 3"),
        (
            f"{ONE}tags = ['']",
            '[subjects.a] tags is to be a list of texts that are not empty, found [""]',
        ),
        (
            f"{ONE}suites = []",
            "[subjects.a] suites is to be a list of globs on the names of suites, such as"
            ' ["easy-*"], found []',
        ),
        (
            f"{ONE}language = true",
            "[subjects.a] language is to be a text that is not empty, found true",
        ),
    ],
)
def test_nonsense_is_refused_with_what_was_expected_and_what_came(
    text: str | bytes, said: str
) -> None:
    assert refusal(text) == said


# The schema and the reader are one.

SCHEMA = json.loads(Path(schemas_folder(), "xtest.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
SUBJECT = SCHEMA["$defs"]["subject"]["properties"]


def test_the_schema_of_xtest_toml_is_closed_described_and_has_the_keys_of_the_reader() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(Config._fields)
    assert set(SUBJECT) == set(SubjectConfig._fields) - {"name"}
    assert set(SUBJECT["limits"]["properties"]) == set(Limits._fields)
    for part in (SCHEMA, SCHEMA["$defs"]["subject"], SUBJECT["limits"]):
        assert part["additionalProperties"] is False
        assert all(inner["description"] for inner in part["properties"].values())
    assert all(part["description"] for part in SCHEMA["$defs"].values())


WORDS = st.sampled_from(["a", "", "a b", "a\0", "é", "{suite}"])
LISTS = st.one_of(st.lists(WORDS, max_size=2), st.lists(st.integers(), max_size=1), WORDS)
AMOUNTS = st.sampled_from([1, 0.5, 0, -1, 1e9, True, "1", 3.5])
NAMES = st.sampled_from(["a", "c++", "@a", "-a", "", "a b", "é", "a" * 60, "a" * 61])
ENVIRONMENTS = st.dictionaries(st.sampled_from(["A", "", "A=B", "\0"]), WORDS | AMOUNTS, max_size=2)
LIMITS = st.dictionaries(
    st.sampled_from(["wall_s", "processes", "open_files", "wall"]), AMOUNTS, max_size=2
)
SUBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "command": st.just(["a"]) | LISTS,
        "folder": WORDS | AMOUNTS,
        "environment": ENVIRONMENTS | LISTS,
        "language": WORDS | AMOUNTS,
        "build": LISTS,
        "build_s": AMOUNTS,
        "limits": LIMITS | LISTS,
        "tags": LISTS,
        "suites": LISTS,
        "name": WORDS,
    },
)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "suites": LISTS,
        "subjects": st.dictionaries(NAMES, SUBJECTS | WORDS, max_size=2) | LISTS,
        "more": WORDS,
    },
)


def toml(value: Any) -> str:
    """A value as TOML writes it; tables are inline."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml(key)} = {toml(part)}' for key, part in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return repr(value) if isinstance(value, float) else json.dumps(value)


@settings(deadline=None, max_examples=300)
@given(FILES)
def test_the_reader_takes_a_file_exactly_if_the_schema_does(file: dict[str, Any]) -> None:
    text = "".join(f"{toml(key)} = {toml(value)}\n" for key, value in file.items())
    assert tomllib.loads(text) == file
    try:
        parse_config(text.encode(), "f")
        taken = True
    except ConfigError:
        taken = False
    assert taken == VALIDATOR.is_valid(file)
