"""xtest.toml: everything that it can say, every mistake, and the examples in the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.golden import Golden, message_of
from support.xtest import TOP

from harness.errors import UsageError
from harness.model.case_names import CaseName
from harness.model.subject import SkipRule, StartFolder
from harness.project.config import (
    Config,
    SubjectConfig,
    SuiteCommand,
    SuiteNames,
    early_programs,
    select_subjects,
    unmatched_globs,
)
from harness.project.subjects import need_project
from harness.project.xtest_toml import find_config, parse_config

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

[[subjects.js.skip]]
suite = "x*"
match = ["4-7", "a-*"]
tag = "t"
reason = "r"
link = "l"

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
    skip=(SkipRule("r", "l", "x*", ("4-7", "a-*"), "t"),),
)
ADA = SubjectConfig("ada", programs=(("3-*", "3/xboard"), ("tests/cases/*", "x.py")))
CPP = SubjectConfig("c++", ("./prog",), tags=("ours",))
CONFIG = Config(("tests/cases", "xtiles"), (JS, CPP))
EASY = SuiteNames("mild", "easy", "tests/cases/easy")
XTILES = SuiteNames("xtiles", "xtiles", "/bundled/xtiles")
HARD = SuiteNames("tests/cases/hard", "hard", "tests/cases/hard")


def test_every_key_is_read_and_none_is_required() -> None:
    assert parse_config(WHOLE.encode(), "f") == CONFIG
    assert parse_config(b"[subjects]\n", "f") == parse_config(b"# nothing\n", "f") == Config()


def test_a_subject_serves_the_suites_that_its_globs_match_by_name_or_path() -> None:
    assert JS.serves(EASY)
    assert not JS.serves(HARD)
    assert JS.serves(XTILES)
    assert CPP.serves(HARD)  # without globs, all
    assert JS._replace(suites=("hard",)).serves(HARD)


def test_a_team_has_a_program_for_each_milestone() -> None:
    text = '[subjects.ada]\nprograms = { "3-*" = "3/xboard", "tests/cases/*" = "x.py" }'
    assert parse_config(text.encode(), "f").subjects == (ADA,)
    board = SuiteNames("tests/cases/3-board", "3-board", "tests/cases/3-board")
    assert ADA.command_for(board, "xboard") == SuiteCommand(("./xboard",), "3")
    there = ADA._replace(start_in=StartFolder.FOLDER)
    assert there.command_for(board, "xboard") == SuiteCommand(("3/xboard",))
    assert ADA.command_for(EASY, "") == SuiteCommand(("./x.py",))
    assert ADA._replace(command=("py", "a/{program}")).command_for(EASY, "") == SuiteCommand(
        ("py", "a/x.py"), ""
    )
    assert ADA.serves(EASY) and not ADA.serves(XTILES)
    assert not ADA._replace(suites=("easy",)).serves(board)


def test_programs_for_no_suite_at_all_are_a_mistake_and_some_are_early() -> None:
    config = Config(subjects=(ADA, ADA._replace(name="bob")))
    assert unmatched_globs(config, [EASY]) == []
    assert early_programs(config, [EASY]) == {"3-*": ["ada", "bob"]}
    found = unmatched_globs(Config(subjects=(ADA,)), [XTILES])
    assert [key for key, _ in found] == ["[subjects.ada] programs"] * 2
    assert not early_programs(config, [XTILES])


def test_program_and_suite_are_replaced_in_a_command_but_no_other_braces() -> None:
    assert JS.command_for(EASY, "prog") == SuiteCommand(("node", "prog.js", "", "easy"), "")
    assert JS.command_for(EASY, "") is None
    assert CPP.command_for(EASY, "") == SuiteCommand(("./prog",), "")
    awk = SubjectConfig("awk", ("awk", "{ print } {suites} {suite}"))
    assert awk.command_for(HARD, "{suite}") == SuiteCommand(("awk", "{ print } {suites} hard"), "")


@pytest.mark.parametrize(
    ("tag", "tags", "is_taken"),
    [
        ("", ("a",), True),
        ("a", ("a", "b"), True),
        ("a", ("b",), False),
        ("a", (), False),
        ("!a", ("a", "b"), False),
        ("!a", ("b",), True),
        ("!a", (), True),
    ],
)
def test_a_subject_skips_cases_with_a_tag_or_without_it(
    tag: str, tags: tuple[str, ...], is_taken: bool
) -> None:
    for match, matches in (((), True), (("1",), True), (("2",), False)):
        rule = SkipRule("r", match=match, tag=tag)
        assert rule.takes(CaseName("", 1), tags) is (is_taken and matches)


def test_subjects_are_chosen_by_globs_and_tags_in_the_order_of_the_file(golden: Golden) -> None:
    untagged = Config(subjects=(SubjectConfig("a", ("a",)),))
    configs = {"two": CONFIG, "untagged": untagged, "none": Config()}

    def chosen(example: tuple[str, ...]) -> str:
        name, *words = example
        try:
            return " ".join(subject.name for subject in select_subjects(configs[name], words))
        except UsageError as error:
            return str(error)

    golden.table("select_subjects.txt", chosen)


def test_the_nearest_file_above_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert find_config() is None
    with pytest.raises(UsageError, match="^--subject: no xtest.toml in this folder or above"):
        need_project("--subject")
    (tmp_path / "xtest.toml").touch()
    assert find_config() == str(tmp_path / "xtest.toml")
    (tmp_path / "a" / "xtest.toml").mkdir()  # whatever it is, it is reported, not passed over
    assert find_config() == str(tmp_path / "a" / "xtest.toml")
    inner.rmdir()
    assert find_config() is None


def test_every_mistake_has_a_message(golden: Golden) -> None:
    def mistake(text: str | bytes) -> str:
        data = text if isinstance(text, bytes) else text.encode()
        file, _, message = message_of(UsageError, parse_config, data, "xtest.toml").partition(": ")
        assert file == "xtest.toml"
        return message

    golden.table("xtest_toml_mistakes.txt", mistake)


def test_the_examples_in_the_documentation_are_valid() -> None:
    page = (TOP / "docs" / "subjects.md").read_text(encoding="utf-8")
    for example in re.findall("```toml\n(.*?)```", page, re.DOTALL):
        assert parse_config(example.encode(), "f").subjects
