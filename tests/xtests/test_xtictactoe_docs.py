"""docs/xtictactoe.md: what it shows is what the program does, and it has every query."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engines.tictactoe import START, Player, perft
from engines.tictactoe.masks import LINES
from harness.jsontext import Json, Number
from xtests import xtictactoe
from xtests.refusal import Pointer, Refused

PAGE = (Path(__file__).parents[2] / "docs" / "xtictactoe.md").read_text(encoding="utf-8")

# The program by its name, in a shell: that of this checkout, installed or not.
PROGRAM = f'xtictactoe() {{ "{sys.executable}" -m xtests.xtictactoe; }}\n'

# A query of the page's grammar, with an argument that it takes.
ARGUMENTS: dict[str, Json] = {
    "mark": Number("0"),
    "symbol": [Number("0"), Number("0")],
    "perft": Number("0"),
}


def _examples() -> list[tuple[str, str]]:
    """Each command of the page, and what the page says that it prints."""
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in parts)]


def _queries_of_the_grammar() -> set[str]:
    (grammar,) = re.findall(r"^    query   = (.*?)^    row ", PAGE, re.M | re.S)
    return set(re.findall(r'"(\w+)"', grammar))


@pytest.mark.parametrize(("command", "printed"), _examples())
def test_an_example_prints_what_the_page_says(command: str, printed: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", PROGRAM + command], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == (printed, "")


def test_the_page_has_examples() -> None:
    assert len(_examples()) == PAGE.count("\n$ ") >= 10


def test_every_query_of_the_page_is_answered_and_the_program_knows_no_other() -> None:
    queries = _queries_of_the_grammar()
    for name in queries:
        query: Json = {name: ARGUMENTS[name]} if name in ARGUMENTS else name
        assert xtictactoe.request({"ask": [query]}, Pointer("/0")).asked.keys() == {name}
    # What a query is, a refusal says.
    with pytest.raises(Refused) as caught:
        xtictactoe.request({"ask": [""]}, Pointer("/0"))
    assert set(re.findall(r'"(\w+)"', caught.value.message)) == queries


def test_every_query_of_the_page_is_explained_in_a_table() -> None:
    rows = re.findall(r'^\| `(?:"(\w+)"|\{"(\w+)": [^`]*)` \|', PAGE, re.M)
    assert sorted(plain or taking for plain, taking in rows) == sorted(_queries_of_the_grammar())


def test_the_known_numbers_are_those_of_the_engine() -> None:
    (row,) = re.findall(r"^\| perft \|(.*)\|$", PAGE, re.M)
    numbers = [int(number.replace(",", "")) for number in row.split("|")]
    assert numbers == [perft(START, Player.X, depth) for depth in range(10)]


def test_the_lines_are_those_of_the_engine_in_its_order() -> None:
    (sentence,) = re.findall(r"There are eight \*\*lines\*\*.*?\. A player", PAGE, re.S)
    lines = [sum(1 << int(n) for n in line.split()) for line in re.findall(r"\d \d \d", sentence)]
    assert tuple(lines) == LINES
