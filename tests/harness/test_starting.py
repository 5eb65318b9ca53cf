"""The first xtest.toml of a project: the reader takes it, also with its examples made real."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.several.config import Config, SubjectConfig, parse_config
from harness.several.starting import first_config, subject_name

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=3))
def test_suites_and_command_are_read_as_they_were_given(
    suites: list[str], command: list[str]
) -> None:
    """The reader gives back what the file was made of, whatever characters it has."""
    config = parse_config(first_config(suites, command).encode(), "f")
    assert config.suites == tuple(suites)
    assert [subject.command for subject in config.subjects] == ([tuple(command)] if command else [])


@pytest.mark.parametrize("command", [(), ("./prog", "-x")])
def test_every_example_in_a_comment_is_one_that_the_reader_takes(command: tuple[str, ...]) -> None:
    text = first_config((), command)
    real = re.sub("^#(?=[a-z[])", "", text, flags=re.MULTILINE)
    config = parse_config(real.encode(), "f")
    assert config.suites == ("tests/cases",)
    (subject,) = config.subjects
    assert all(subject)  # every key has an example
    assert subject.command == (command or ("python3", "prog.py"))


def test_many_suites_stand_on_lines_of_their_own() -> None:
    assert 'suites = ["a", "b", "c"]\n' in first_config("abc", ())
    lines = 'suites = [\n    "a",\n    "b",\n    "c",\n    "d",\n]\n'
    assert lines in first_config("abcd", ())


def test_without_suites_and_command_nothing_is_said() -> None:
    assert parse_config(first_config((), ()).encode(), "f") == Config()


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("./prog", "prog"),
        ("/usr/bin/g++", "g++"),
        ("my prog.py", "my-prog.py"),
        ("impl/", "impl"),
        ("-x", "x"),
        ("é", "mine"),
        ("...", "mine"),
        ("a" * 99, "a" * 60),
    ],
)
def test_a_subject_is_named_after_its_program(program: str, name: str) -> None:
    assert subject_name(program) == name
    config = parse_config(first_config((), (program,)).encode(), "f")
    assert config.subjects == (SubjectConfig(name, (program,)),)
