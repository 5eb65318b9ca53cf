"""The page of a game: its content, its policy, and names as untrusted text."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape

import pytest
from support.golden import Golden
from support.svg import split_elements

from engines import tsuro
from engines.tsuro import FIRST, SECOND, THIRD, game_page

NAMES = ["Ash", "Bo", "Cleo", "Dora", "Ed"]


class _Raising(tsuro.SecondStrategy):
    """Has no initial placement."""

    def initial_placement(
        self, layout: tsuro.Layout, player: tsuro.ColorString, given: tsuro.InitialTiles
    ) -> tsuro.InitialChoice:
        raise RuntimeError("no idea")


def _game(*players: tsuro.Strategy) -> tsuro.Game:
    return tsuro.play_game(players, tsuro.endless_deck())


GAMES = {
    "suicides": _game(FIRST, FIRST, FIRST),
    "leaving": _game(SECOND, SECOND, SECOND, SECOND, SECOND),
    "leaving-together": _game(THIRD, FIRST, THIRD),
    "loop": _game(THIRD, THIRD, SECOND, THIRD),
    "raising": _game(SECOND, _Raising(), SECOND),
    "all-raising": _game(_Raising(), _Raising(), _Raising()),
}


def _words(page: str) -> str:
    """Return the text of the page, one element a line."""
    body = re.sub(r"<(svg|script|style).*?</\1>", "", page, flags=re.DOTALL)
    lines = unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(li|p|h.)>", "\n", body))).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip()) + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_words(name: str, golden: Golden) -> None:
    game = GAMES[name]
    golden(f"page-{name}.txt", _words(game_page(game, NAMES[: len(game.players)])))


def test_markup(golden: Golden) -> None:
    page = game_page(GAMES["all-raising"], NAMES[:3])
    golden("page.html", page.replace("><", ">\n<"))


def test_the_board_has_each_tile_once_and_a_frame_for_each_move(golden: Golden) -> None:
    # Without a script, all tiles and the last frame are visible.
    svg = re.findall(r"<svg .*?</svg>", game_page(GAMES["suicides"], NAMES[:3]), re.DOTALL)[0]
    golden("page-board.svg", split_elements(svg))


def test_paths_of_avatars_that_are_out_begin_where_they_began() -> None:
    # Red and green met, so each of their paths leads on to the start of the other one.
    game = _game(SECOND, SECOND, THIRD, SECOND, SECOND)
    page = game_page(game, NAMES)
    trails = re.findall(r'class="gone".*?class="trail (\w+)".*?d="M(\S+) (\S+)C', page)
    starts = {color: (int(x), int(y)) for color, x, y in trails}
    # On the sides of the first tiles, which lie at (100, 40), (40, 100), (340, 40) and (460, 40).
    assert starts == {"white": (100, 60), "red": (100, 140), "green": (380, 40), "blue": (480, 40)}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
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
def test_a_name_is_shown_as_printable_text(name: str, shown: str) -> None:
    page = game_page(GAMES["suicides"], [name, "b", "c"])
    assert f"Round 1: {shown} (white) plays tile 9 at 0°." in _words(page).splitlines()
    assert page.count("<script") == 1


def test_the_policy_allows_only_the_script_and_style_of_the_page() -> None:
    page = game_page(GAMES["suicides"], NAMES[:3])
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    script, style = (
        b64encode(sha256(re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0].encode()).digest())
        for tag in ("script", "style")
    )
    assert policy == [
        f"default-src 'none'; script-src 'sha256-{script.decode()}'; "
        f"style-src 'sha256-{style.decode()}'"
    ]
    assert not re.findall(r'(?:src|href)="(?!#)| style=| on\w+=', page)


def test_there_must_be_a_name_for_each_player() -> None:
    with pytest.raises(ValueError):
        game_page(GAMES["suicides"], NAMES)
