"""The page of a game: whole, closed to the outside, and honest about names."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from xml.etree import ElementTree

import pytest

from engines.tsuro import (
    FIRST,
    SECOND,
    THIRD,
    ColorString,
    Game,
    InitialChoice,
    InitialTiles,
    Layout,
    Player,
    endless_deck,
    game_page,
    play_game,
)
from engines.tsuro.strategies import Second

NAMES = ["Ash", "Bo", "Cleo", "Dora", "Ed"]


class _LateThinker(Second):
    """Has nothing to begin with."""

    def initial_placement(
        self, layout: Layout, player: ColorString, given: InitialTiles
    ) -> InitialChoice:
        raise RuntimeError("nothing comes to mind")


def _game(*players: Player) -> Game:
    return play_game(players, endless_deck())


def _words(page: str) -> list[str]:
    """What the list of moves says, without its markup."""
    listed = page.split("<h2>All moves</h2>")[1]
    return [
        unescape(re.sub(r"<[^>]*>", "", item)) for item in re.findall(r"<li>(.*?)</li>", listed)
    ]


def _frames(page: str) -> list[ElementTree.Element]:
    svg = re.findall(r"<svg .*?</svg>", page, re.DOTALL)[0]
    return [part for part in ElementTree.fromstring(svg) if "frame" in part.get("class", "")]


def test_there_is_a_board_before_the_first_move_and_after_each() -> None:
    game = _game(*[SECOND] * 5)
    page = game_page(game, NAMES)
    assert len(_frames(page)) == len(_words(page)) == len(game.moves()) + 1


def test_each_tile_is_drawn_once_and_says_from_which_move_on_it_lies_there() -> None:
    page = game_page(_game(FIRST, FIRST, FIRST), NAMES[:3])
    assert re.findall(r'class="tile" data-from="(\d+)"', page) == [*"12345", "7", "8", "9"]


def test_without_a_script_the_last_board_is_seen() -> None:
    shown = [
        frame.get("class") == "frame"
        for frame in _frames(game_page(_game(*[SECOND] * 3), NAMES[:3]))
    ]
    assert shown == [False] * (len(shown) - 1) + [True]


def test_the_moves_are_told_with_names_colours_and_reasons() -> None:
    words = _words(game_page(_game(FIRST, FIRST, FIRST), NAMES[:3]))
    assert words[0] == "Ash (white), Bo (black), Cleo (red) sit down; the board is empty."
    assert (
        words[1] == "Start: Ash (white) begins with tile 2 at 0° on (1, 0), its avatar on port C."
    )
    assert words[4] == "Round 1: Ash (white) plays tile 9 at 0°."
    assert words[6] == (
        "Round 1: Cleo (red) cheats with tile 13 at 0°, and is out: it leads the player's avatar "
        "off the board, and there is an option that does not."
    )


def test_whoever_leaves_is_told() -> None:
    told = "\n".join(_words(game_page(_game(*[SECOND] * 5), NAMES)))
    assert re.search(r"plays tile \d+ at \d+°; \w+ \(\w+\) leaves the board\.$", told, re.MULTILINE)
    told = "\n".join(_words(game_page(_game(THIRD, FIRST, THIRD), NAMES[:3])))
    assert re.search(r"°; Ash \(white\), Cleo \(red\) leave the board\.$", told, re.MULTILINE)


def test_a_legal_loop_is_told() -> None:
    words = _words(game_page(_game(THIRD, THIRD, SECOND, THIRD), NAMES[:4]))
    assert re.fullmatch(
        r"Round 21: Dora \(green\) plays tile \d+ at 0°\. As with each of its options, somebody "
        r"loops: Dora \(green\), now out\. No tile is placed\.",
        words[-1],
    )


def test_a_player_without_a_choice_is_told() -> None:
    page = game_page(_game(SECOND, _LateThinker(), SECOND), NAMES[:3])
    assert "Start: Bo (black) cheats, and is out: it raised an exception." in _words(page)


def test_the_end_is_told_by_ranks() -> None:
    page = game_page(_game(THIRD, FIRST, THIRD), NAMES[:3])
    result = page.split("<h2>How it ended</h2>")[1].split("</section>")[0]
    ranks = [re.sub(r"<[^>]*>", "", rank) for rank in re.findall(r"<li>(.*?)</li>", result)]
    assert ranks == ["Bo (black)", "Ash (white), Cleo (red)"]
    assert "Nobody cheated." in result


def test_a_game_without_a_winner_says_so() -> None:
    page = game_page(_game(*[_LateThinker()] * 3), NAMES[:3])
    assert "Nobody is left." in page
    assert re.sub(r"<[^>]*>", "", page.split("Cheated:")[1].split("</p>")[0]) == (
        " Ash (white), Bo (black), Cleo (red)"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<b>", "<b>"),
        ("</script><script>alert(1)</script>", "</script><script>alert(1)</script>"),
        ("\"&amp;'", "\"&amp;'"),
        ("a\u202eb", "aU+202Eb"),
        ("a\x00\x1b\nb", "aU+0000U+001BU+000Ab"),
        ("", "no name"),
        (" \t", "no name"),
        ("x" * 61, "x" * 60 + "…"),
        ("😀 é", "😀 é"),
    ],
)
def test_a_name_is_shown_as_text_and_cannot_hide(name: str, shown: str) -> None:
    page = game_page(_game(FIRST, FIRST, FIRST), [name, "b", "c"])
    assert _words(page)[4] == f"Round 1: {shown} (white) plays tile 9 at 0°."
    assert page.count("<script") == 1
    assert "<b>" not in page


def test_the_page_allows_nothing_but_its_own_script_and_style() -> None:
    page = game_page(_game(FIRST, FIRST, FIRST), NAMES[:3])
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    parts = [
        b64encode(sha256(re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0].encode()).digest())
        for tag in ("script", "style")
    ]
    assert policy == [
        f"default-src 'none'; script-src 'sha256-{parts[0].decode()}'; "
        f"style-src 'sha256-{parts[1].decode()}'"
    ]
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert " style=" not in page
    assert not re.findall(r" on\w+=", page)


def test_equal_games_give_equal_pages_and_other_numbers_of_names_are_refused() -> None:
    game = _game(SECOND, SECOND, SECOND)
    assert game_page(game, NAMES[:3]) == game_page(game, NAMES[:3])
    with pytest.raises(ValueError):
        game_page(game, NAMES)
