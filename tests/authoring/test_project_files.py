"""The xtest.toml that `xtest init` writes is valid, also with its examples uncommented."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.golden import Golden

from harness.authoring.project_files import render_config, subject_name
from harness.project.config import Config, SubjectConfig
from harness.project.xtest_toml import parse_config

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=3))
@example(["\x7f"], ["\x7f"])
def test_suites_and_command_survive_a_round_trip(suites: list[str], command: list[str]) -> None:
    config = parse_config(render_config(suites, command).encode(), "f")
    assert config.suites == tuple(suites)
    assert [subject.command for subject in config.subjects] == ([tuple(command)] if command else [])


@pytest.mark.parametrize("command", [(), ("./prog", "-x")])
def test_every_example_in_a_comment_is_valid(command: tuple[str, ...]) -> None:
    text = render_config((), command)
    real = re.sub("^#(?=[a-z[])", "", text, flags=re.MULTILINE)
    config = parse_config(real.encode(), "f")
    assert config.suites == ("tests/cases",)
    (subject,) = config.subjects
    assert all(subject._replace(folders="-"))  # every other key has an example
    assert subject.command == (command or ("python3", "prog.py"))


def test_the_suites_get_no_line_one_or_a_line_each() -> None:
    assert parse_config(render_config((), ()).encode(), "f") == Config()
    assert 'suites = ["a", "b", "c"]\n' in render_config("abc", ())
    lines = 'suites = [\n    "a",\n    "b",\n    "c",\n    "d",\n]\n'
    assert lines in render_config("abcd", ())


def test_a_subject_is_named_after_its_program(golden: Golden) -> None:
    def named(program: str) -> str:
        config = parse_config(render_config((), (program,)).encode(), "f")
        assert config.subjects == (SubjectConfig(subject_name(program), (program,)),)
        return subject_name(program)

    golden.table("subject_names.txt", named)
