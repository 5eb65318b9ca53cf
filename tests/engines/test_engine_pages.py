"""The pages about engines and their programs: examples run, and tables match the code."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines import tsuro
from engines.tictactoe.masks import LINES

DOCS = Path(__file__).parents[2] / "docs" / "games"


def _text(page: str) -> str:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


def _fences(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", _text(page), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["isolation", "tictactoe", "bitboard36"])
def test_the_examples_of_a_page_print_what_it_shows(page: str) -> None:
    fences = _fences(page, "pycon")
    session = "\n".join(re.sub(r"^$", "<BLANKLINE>", fence.strip(), flags=re.M) for fence in fences)
    examples = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    report: list[str] = []
    failed, attempted = doctest.DocTestRunner().run(examples, out=report.append)
    assert not failed, "".join(report)
    assert attempted == _text(page).count("\n>>> ") > 10


@pytest.mark.parametrize("page", ["tsuro", "tsuro-games"])
def test_the_examples_of_a_page_assert_what_holds(page: str) -> None:
    examples = _fences(page, "python")
    assert len(examples) >= 2
    for example in examples:
        exec(example, {"__name__": page})  # pylint: disable=exec-used  # the project's own page


def test_the_player_of_the_page_about_rules_plays() -> None:
    names: dict[str, Any] = {}
    exec(_fences("tsuro", "python")[-1], names)  # pylint: disable=exec-used  # as above
    game = tsuro.play_game([names["Careful"](), tsuro.SECOND, tsuro.THIRD], tsuro.endless_deck())
    assert "white" not in game.cheaters


def test_the_page_about_rules_names_every_strategy() -> None:
    assert re.findall(r'"(\w+-s)"', _text("tsuro")) == list(tsuro.STRATEGIES)


# The programs.


@pytest.mark.parametrize("page", ["isolation", "tictactoe", "bitboard36"])
def test_the_table_of_answers_has_every_query(page: str) -> None:
    answers = _text(page).split("\n### Answers\n\n")[1].split("\n\n")
    table = next(part for part in answers if part.startswith("| query | answer |"))
    cells = re.findall(r"^\| (`[^|]*`) \|", table, re.M)
    shown = [query for cell in cells for query in re.findall(r"`([^`]*)`", cell)]
    # The message about an unknown query lists the known ones.
    words = [sys.executable, "-m", f"xtests.x{page}"]
    refused = subprocess.run(words, input=b'{"ask":[""]}', capture_output=True, check=True).stdout
    listed = json.loads(refused)["error"]["message"].partition("expected")[0]
    known = re.findall(r'\{?"\w+"(?:: \.\.\.\})?', listed)
    assert sorted(re.sub(r": .*", ": ...}", query) for query in shown) == sorted(known)


def test_xtiles_has_the_wires_of_every_tile() -> None:
    rows = re.findall(r"(\d+)  ((?:[A-H]{2} ?){4})", _text("tsuro"))
    assert {int(index): wires.split() for index, wires in rows} == {
        index: [
            tsuro.PORT_LETTERS[first] + tsuro.PORT_LETTERS[second] for first, second in tile.edges
        ]
        for index, tile in enumerate(tsuro.TILES)
    }


def test_xtiles_names_the_tiles_that_some_turn_leaves_unchanged() -> None:
    text = " ".join(_text("tsuro").split())
    sentence = re.search("nothing: (.*?) look the same at every turn, and (.*?) after half", text)
    assert sentence is not None
    always, half_turn = (set(map(int, re.findall(r"\d+", part))) for part in sentence.groups())
    distinct = [len({turned.edges for turned in tile.all_rotations()}) for tile in tsuro.TILES]
    assert always == {index for index, turns in enumerate(distinct) if turns == 1}
    assert half_turn == {index for index, turns in enumerate(distinct) if turns == 2}


def test_xtictactoe_lists_the_lines_in_the_order_of_the_engine() -> None:
    (sentence,) = re.findall(
        r"There are eight \*\*lines\*\*.*?\. A player", _text("tictactoe"), re.S
    )
    lines = [sum(1 << int(n) for n in line.split()) for line in re.findall(r"\d \d \d", sentence)]
    assert tuple(lines) == LINES
