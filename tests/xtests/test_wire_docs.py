"""The pages about the programs: what they show is what the programs do."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from engines.tsuro.ports import PORT_LETTERS
from engines.tsuro.tiles import TILES

DOCS = Path(__file__).parents[2] / "docs"

# The programs by their names, in a shell: those of this checkout, installed or not.
NAMES = "".join(
    f'{program}() {{ "{sys.executable}" -m xtests.{program} "$@"; }}\n'
    for program in ("xtiles", "xboard", "xrules", "xref", "xadmin", "xisolation")
)


class Example(NamedTuple):
    """A command as a page shows it, and what the page says that it prints."""

    page: str
    command: str
    printed: str


def _examples(page: str) -> list[Example]:
    blocks = re.findall(r"^```console\n(.*?)^```$", (DOCS / page).read_text(), re.M | re.S)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [Example(page, *part.split("\n", 1)) for part in parts]


def _wires_of_the_page() -> dict[int, list[str]]:
    rows = re.findall(r"(\d+)  ((?:[A-H]{2} ?){4})", (DOCS / "xtiles.md").read_text())
    return {int(index): wires.split() for index, wires in rows}


PAGES = (
    "errors.md",
    "xtiles.md",
    "xboard.md",
    "xrules.md",
    "xref.md",
    "xadmin.md",
    "xisolation.md",
)
EXAMPLES = [example for page in PAGES for example in _examples(page)]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_examples(page: str) -> None:
    assert any(example.page == page for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_an_example_prints_what_the_page_says(example: Example) -> None:
    ran = subprocess.run(
        ["sh", "-c", NAMES + example.command], capture_output=True, text=True, check=False
    )
    assert ran.stdout == example.printed
    assert ran.stderr == ""


def test_the_page_has_the_wires_of_every_tile() -> None:
    of_the_engine = {
        index: [PORT_LETTERS[first] + PORT_LETTERS[second] for first, second in tile.edges]
        for index, tile in enumerate(TILES)
    }
    assert _wires_of_the_page() == of_the_engine


def test_the_page_says_which_turns_change_nothing() -> None:
    text = " ".join((DOCS / "xtiles.md").read_text().split())
    sentence = re.search("nothing: (.*?) look the same at every turn, and (.*?) after half", text)
    assert sentence is not None
    at_every_turn, at_half_a_turn = (
        {int(number) for number in re.findall(r"\d+", part)} for part in sentence.groups()
    )
    distinct = [len({turned.edges for turned in tile.all_rotations()}) for tile in TILES]
    assert at_every_turn == {index for index, turns in enumerate(distinct) if turns == 1}
    assert at_half_a_turn == {index for index, turns in enumerate(distinct) if turns == 2}
