"""Options that there are not: what is said of them, by whole command lines."""

from __future__ import annotations

import click
import pytest

from harness.cli import run_command_line
from harness.commands.hints import hinted


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("run s --timeout 3", "'--timeout'. Did you mean '--wall'?"),
        ("matrix --lf", "'--lf'. Did you mean '--failed'?"),
        ("run s --junit r.xml", "'--junit'. Did you mean --report junit=r.xml?"),
        ("run s --junit=r.xml", "'--junit'. Did you mean --report junit=r.xml?"),
        ("run s --html", "'--html'. Did you mean --report html=FILE?"),
        ("run s --html= -v", "'--html'. Did you mean --report html=FILE?"),
        ("run s --html -v", "'--html'. Did you mean --report html=FILE?"),
        ("run s --html a'b", "'--html'. Did you mean --report 'html=a'\"'\"'b'?"),
        ("--verison", "'--verison'. Did you mean 'xtest --version'?"),
        ("run s --quite", "'--quite'. Did you mean '--quiet'?"),
        ("lint --timeout 3", "'--timeout'."),
        ("lint --junit r.xml", "'--junit'."),
    ],
)
def test_the_option_that_was_meant_is_named(
    words: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(words.split(), None) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"Error: No such option {hint}"


def test_a_problem_of_no_command_is_told_as_it_is() -> None:
    problem = click.NoSuchOption("--timeout")
    assert hinted(problem, ["--timeout"]) is problem


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("help", "Usage: xtest [OPTIONS] COMMAND"),
        ("help run", "Usage: xtest run"),
        ("help run more", "Usage: xtest run"),
    ],
)
def test_help_is_given_to_who_asks_in_a_word(
    words: str, begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(words.split(), None) == 0
    assert capsys.readouterr().out.startswith(begins)
