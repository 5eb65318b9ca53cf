"""The tutorial and the how-to pages, each from an empty folder to its end.

Every command prints what is shown below it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from consoles import TOP, consoles_of, play, same
from debian import need

DOCS = TOP / "docs"


def check(page: str, folder: Path) -> None:
    """All commands of a page, from an empty folder to its end."""
    played = play(consoles_of(DOCS / page), folder)
    assert len(played) > 15
    for command, printed, shown in played:
        assert same(printed, shown), f"{command}\n{printed}"


@pytest.mark.system
def test_the_tutorial_goes_as_it_says(tmp_path: Path) -> None:
    need("node")  # its second language
    check("tutorial.md", tmp_path)


@pytest.mark.parametrize("page", ["howto/course.md", "howto/cross-language.md"])
def test_a_way_to_do_it_goes_as_it_says(page: str, tmp_path: Path) -> None:
    check(page, tmp_path)


def test_dots_stand_for_any_lines_and_everything_else_is_held_to() -> None:
    assert same("a\nb\nc\nin 0.31 s\n", "a\n...\nin 7.0 s\n")
    assert same("a\nc\n", "a\n...\nc\n")
    assert not same("a\nb\nc\n", "a\nb\n")
    assert not same("a\nb\n", "a\n...\nc\n")
    assert not same("a (b)\n", "a b\n")
