"""The pages about the game programs: their tables match the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.tictactoe import START, Player, perft
from engines.tictactoe.masks import LINES
from engines.tsuro.ports import PORT_LETTERS
from engines.tsuro.tiles import TILES

DOCS = Path(__file__).parents[2] / "docs"


def _text(page: str) -> str:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["xisolation", "xtictactoe", "xbitboard36"])
def test_the_table_of_answers_has_every_query(page: str) -> None:
    answers = _text(page).split("\n## Answers\n\n")[1].split("\n\n")
    table = next(part for part in answers if part.startswith("| query | answer |"))
    cells = re.findall(r"^\| (`[^|]*`) \|", table, re.M)
    shown = [query for cell in cells for query in re.findall(r"`([^`]*)`", cell)]
    # The message about an unknown query lists the known ones.
    words = [sys.executable, "-m", f"xtests.{page}"]
    refused = subprocess.run(words, input=b'{"ask":[""]}', capture_output=True, check=True).stdout
    listed = json.loads(refused)["error"]["message"].partition("expected")[0]
    known = re.findall(r'\{?"\w+"(?:: \.\.\.\})?', listed)
    assert sorted(re.sub(r": .*", ": ...}", query) for query in shown) == sorted(known)


def test_xtiles_has_the_wires_of_every_tile() -> None:
    rows = re.findall(r"(\d+)  ((?:[A-H]{2} ?){4})", _text("xtiles"))
    assert {int(index): wires.split() for index, wires in rows} == {
        index: [PORT_LETTERS[first] + PORT_LETTERS[second] for first, second in tile.edges]
        for index, tile in enumerate(TILES)
    }


def test_xtiles_names_the_tiles_that_some_turn_leaves_unchanged() -> None:
    text = " ".join(_text("xtiles").split())
    sentence = re.search("nothing: (.*?) look the same at every turn, and (.*?) after half", text)
    assert sentence is not None
    always, half_turn = (set(map(int, re.findall(r"\d+", part))) for part in sentence.groups())
    distinct = [len({turned.edges for turned in tile.all_rotations()}) for tile in TILES]
    assert always == {index for index, turns in enumerate(distinct) if turns == 1}
    assert half_turn == {index for index, turns in enumerate(distinct) if turns == 2}


def test_xtictactoe_has_the_perft_numbers_of_the_engine() -> None:
    (row,) = re.findall(r"^\| perft \|(.*)\|$", _text("xtictactoe"), re.M)
    numbers = [int(number.replace(",", "")) for number in row.split("|")]
    assert numbers == [perft(START, Player.X, depth) for depth in range(10)]


def test_xtictactoe_lists_the_lines_in_the_order_of_the_engine() -> None:
    (sentence,) = re.findall(
        r"There are eight \*\*lines\*\*.*?\. A player", _text("xtictactoe"), re.S
    )
    lines = [sum(1 << int(n) for n in line.split()) for line in re.findall(r"\d \d \d", sentence)]
    assert tuple(lines) == LINES
