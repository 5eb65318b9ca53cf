"""A game as one self-contained HTML page that steps through its moves.

Equal games and names give equal bytes. Names are untrusted: they are shown as text, and the content
security policy blocks everything but the page's own script and style (page_assets.py).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Final, NamedTuple
from zlib import compress

from engines.svg import document, element, text
from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout, Spot, end_of
from engines.tsuro.page_assets import CONTROLS, LOADER, SCRIPT, STYLE
from engines.tsuro.picture import (
    BOARD_HEIGHT,
    BOARD_WIDTH,
    DARK,
    Journey,
    board_parts,
    faded_trails,
    port_letters,
    square_frame,
)
from engines.tsuro.ports import PORT_LETTERS
from engines.tsuro.positions import Square
from engines.tsuro.record import Beginning, Game, Move, replay
from engines.tsuro.tiles import TilePattern

__all__ = ["game_html", "game_page", "game_svg"]

_MAX_NAME_LENGTH: Final = 60  # characters
_FRAME_HEIGHT: Final = 720  # pixels of the page in a notebook


class _Frame(NamedTuple):
    """One step of the page: a board, and the markup of its caption."""

    layout: Layout
    caption: str


def game_page(game: Game, names: Sequence[str]) -> str:
    """Return the page of a game, for players with these names, oldest first.

    It shows the board after each move, controls to step through them, a list of all moves and the
    result. Raises ValueError if the numbers of names and players differ.
    """
    players = {
        color: _player_html(color, name) for color, name in zip(game.players, names, strict=True)
    }
    frames = list(_make_frames(game, players))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_content_security_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A game of Tsuro, {len(names)} players</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<header>
<h1>A game of Tsuro, {len(names)} players</h1>
<p id="result">{_result_html(game, players)}</p>
</header>
<figure id="board">{_board_svg([frame.layout for frame in frames])}</figure>
<div id="side">
<p id="caption" aria-live="polite">{frames[-1].caption}</p>
{CONTROLS}
<section id="moves" aria-label="All moves">
<ol>
{_move_list_html(frames)}
</ol>
</section>
</div>
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""


def game_html(game: Game) -> str:
    """Return a frame for notebooks with the page of a game, whose players are named by colour.

    The page is compressed, since a notebook keeps it once for each cell that shows a game.
    """
    page = game_page(game, [color.title() for color in game.players])
    packed = b64encode(compress(page.encode(), level=9)).decode()
    return element(
        "iframe",
        "",
        srcdoc=LOADER.replace("PACKED", packed),
        sandbox="allow-scripts",
        width="100%",
        height=_FRAME_HEIGHT,
        style="border: 0",
        title="A game of Tsuro",
    )


def game_svg(game: Game) -> str:
    """Return the board at the end of a game, with the faded paths of avatars that are out."""
    layouts = [Layout({}, {}), *replay(game)]
    parts = board_parts(layouts[-1])
    return document(
        parts.ground,
        *(parts.tiles[square] for square in sorted(parts.tiles)),
        *_faded_trails(layouts),
        parts.avatars,
        width=BOARD_WIDTH,
        height=BOARD_HEIGHT,
        title=f"The end of a game. {parts.title}",
        dark=DARK,
    )


def _content_security_policy() -> str:
    # Only these two hashes are allowed, so nothing in a name can run or load anything.
    return f"default-src 'none'; script-src '{_csp_hash(SCRIPT)}'; style-src '{_csp_hash(STYLE)}'"


def _csp_hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


# The board's picture: the empty board and each tile once, the avatars once per frame.


def _board_svg(layouts: Sequence[Layout]) -> str:
    parts = [board_parts(layout) for layout in layouts]
    first_frames: dict[Square, int] = {}
    for number, layout in enumerate(layouts):
        for square in layout.tiles:
            first_frames.setdefault(square, number)
    tiles = (
        element("g", parts[-1].tiles[square], class_="tile", data_from=number)
        for square, number in first_frames.items()
    )
    # Without a script, all tiles, the paths of avatars that are out and the last frame are visible.
    svg_frames = (
        element(
            "g",
            part.avatars,
            *(
                square_frame(square)
                for square, first in first_frames.items()
                if first == number > 0
            ),
            class_="frame" if number == len(parts) - 1 else "frame out",
        )
        for number, part in enumerate(parts)
    )
    return document(
        port_letters(),
        parts[0].ground,
        *tiles,
        *_faded_trails(layouts),
        *svg_frames,
        width=BOARD_WIDTH,
        height=BOARD_HEIGHT,
        title="The board",
    )


def _faded_trails(layouts: Sequence[Layout]) -> Iterator[str]:
    """Yield the path of each avatar that is out, up to where it left the board or stayed."""
    starts: dict[ColorString, Spot] = {}
    journeys: dict[ColorString, Journey] = {}
    first_frames: dict[ColorString, int] = {}
    for number, (before, after) in enumerate(pairwise(layouts), 1):
        starts = {**after.avatars, **starts}
        for player, spot in before.avatars.items():
            if player not in after.avatars:
                _, square, port = end_of(after.tiles, spot)
                journeys[player] = Journey(starts[player], (square, port), after)
                first_frames[player] = number
    for player, trail in faded_trails(journeys).items():
        yield element("g", trail, data_from=first_frames[player])


# Captions and lists.


def _player_html(color: ColorString, name: str) -> str:
    return f'<span class="dot {color}"></span><bdi>{text(_display_name(name))}</bdi> ({color})'


def _display_name(name: str) -> str:
    """Return a name in printable characters, truncated, so that it cannot disguise the text around
    it."""
    cut = f"{name[:_MAX_NAME_LENGTH]}…" if len(name) > _MAX_NAME_LENGTH else name
    plain = (each if each.isprintable() else f"U+{ord(each):04X}" for each in cut)
    return "".join(plain) if name.strip() else "no name"


def _make_frames(game: Game, players: Mapping[ColorString, str]) -> Iterator[_Frame]:
    yield _Frame(Layout({}, {}), f"{_join(players.values())} sit down; the board is empty.")
    rounds = [0] * len(game.beginnings)
    rounds += [number for number, turns in enumerate(game.rounds, 1) for _ in turns]
    for number, move, layout in zip(rounds, game.moves(), replay(game), strict=True):
        label = f"Round {number}" if number else "Start"
        yield _Frame(layout, f'<span class="round">{label}:</span> {_describe_move(move, players)}')


def _describe_move(move: Move, players: Mapping[ColorString, str]) -> str:
    who = players[move.player]
    if move.offence is not None:
        wanted = f" with {_describe_choice(move)}" if move.choice is not None else ""
        return f"{who} cheats{wanted}, and is out: {text(move.offence.value)}."
    if isinstance(move, Beginning):
        return f"{who} begins with {_describe_choice(move)}."
    if move.looped:
        return (
            f"{who} plays {_describe_choice(move)}. All of its options put someone in a loop: "
            f"{_join(players[color] for color in move.looped)}, now out. No tile is placed."
        )
    left = _join(players[color] for color in move.left)
    verb = "leaves" if len(move.left) == 1 else "leave"
    return f"{who} plays {_describe_choice(move)}" + (
        f"; {left} {verb} the board." if move.left else "."
    )


def _describe_choice(move: Move) -> str:
    if isinstance(move.choice, TilePattern):
        return _describe_pattern(move.choice)
    assert move.choice is not None
    pattern, position, port = move.choice
    return f"{_describe_pattern(pattern)} on {position}, its avatar on port {PORT_LETTERS[port]}"


def _describe_pattern(pattern: TilePattern) -> str:
    return f"tile {pattern.tile_index} at {pattern.degrees}°"


def _result_html(game: Game, players: Mapping[ColorString, str]) -> str:
    ranks = " · ".join(
        f"<b>{number}.</b> {_join(players[color] for color in rank)}"
        for number, rank in enumerate(game.ranking, 1)
    )
    cheaters = _join(players[color] for color in game.cheaters)
    cheated = f"Cheated: {cheaters}." if cheaters else "Nobody cheated."
    return f"Ranking: {ranks or 'none'}. {cheated}"


def _join(marked_up: Iterable[str]) -> str:
    return ", ".join(marked_up)


def _move_list_html(frames: Sequence[_Frame]) -> str:
    return "\n".join(
        f'<li><a href="#{number}">{frame.caption}</a></li>' for number, frame in enumerate(frames)
    )
