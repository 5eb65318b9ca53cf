"""A game as one HTML page that steps through it, move by move; it needs no network and no file.

Pure: equal games and names give equal bytes. Names come from anywhere: they are shown as text, and
the page forbids whatever is not its own. Looks and buttons are in page_assets.py.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final, NamedTuple

from engines.svg import document, element, text
from engines.tsuro.colors import ColorString
from engines.tsuro.movement import Layout
from engines.tsuro.page_assets import CONTROLS, SCRIPT, STYLE
from engines.tsuro.picture import BOARD_HEIGHT, BOARD_WIDTH, board_parts, square_frame
from engines.tsuro.ports import PORT_LETTERS
from engines.tsuro.positions import Square
from engines.tsuro.record import Beginning, Game, Move, replay
from engines.tsuro.tiles import TilePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["game_page"]

_LONGEST_NAME: Final = 60  # characters of a name that are shown


class _Step(NamedTuple):
    """What the page shows at once: a board, and in words how it came about (markup)."""

    layout: Layout
    words: str


def game_page(game: Game, names: Sequence[str]) -> str:
    """The page of a game whose players have these names, oldest first: the board after each move,
    buttons, a slider and keys to go through them, all moves in words, and how the game ended.
    Raises ValueError where there are more or fewer names than players."""
    players = {color: _player(color, name) for color, name in zip(game.players, names, strict=True)}
    steps = list(_steps(game, players))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A game of Tsuro, {len(names)} players</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>A game of Tsuro, {len(names)} players</h1>
<figure id="board">{_board([step.layout for step in steps])}</figure>
<div id="side">
<p id="caption" aria-live="polite">{steps[-1].words}</p>
{CONTROLS}
<section id="result">
<h2>How it ended</h2>
{_result(game, players)}
</section>
</div>
<section id="moves">
<h2>All moves</h2>
<ol>
{_listed(steps)}
</ol>
</section>
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""


def _policy() -> str:
    # Nothing from elsewhere, and of scripts and styles only these two: whatever a name holds, it
    # cannot run.
    return f"default-src 'none'; script-src '{_hash(SCRIPT)}'; style-src '{_hash(STYLE)}'"


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


# The board: what never changes once, each tile once, and for each step who stands where.


def _board(layouts: Sequence[Layout]) -> str:
    parts = [board_parts(layout) for layout in layouts]
    since: dict[Square, int] = {}
    for number, layout in enumerate(layouts):
        for square in layout.tiles:
            since.setdefault(square, number)
    tiles = (
        element("g", parts[-1].tiles[square], class_="tile", data_from=number)
        for square, number in since.items()
    )
    # Without a script, all tiles and the last step are what is seen.
    frames = (
        element(
            "g",
            *(square_frame(square) for square, placed in since.items() if placed == number > 0),
            part.avatars,
            class_="frame" if number == len(parts) - 1 else "frame out",
        )
        for number, part in enumerate(parts)
    )
    return document(
        parts[0].ground,
        *tiles,
        *frames,
        width=BOARD_WIDTH,
        height=BOARD_HEIGHT,
        title="The board",
    )


# In words.


def _player(color: ColorString, name: str) -> str:
    return f'<span class="dot {color}"></span><bdi>{text(_shown(name))}</bdi> ({color})'


def _shown(name: str) -> str:
    """A name that cannot hide itself, nor rearrange what stands around it."""
    cut = f"{name[:_LONGEST_NAME]}…" if len(name) > _LONGEST_NAME else name
    plain = (each if each.isprintable() else f"U+{ord(each):04X}" for each in cut)
    return "".join(plain) if name.strip() else "no name"


def _steps(game: Game, players: Mapping[ColorString, str]) -> Iterator[_Step]:
    yield _Step(Layout({}, {}), f"{_list(players.values())} sit down; the board is empty.")
    rounds = [0] * len(game.beginnings)
    rounds += [number for number, turns in enumerate(game.rounds, 1) for _ in turns]
    for number, move, layout in zip(rounds, game.moves(), replay(game), strict=True):
        label = f"Round {number}" if number else "Start"
        yield _Step(layout, f'<span class="round">{label}:</span> {_told(move, players)}')


def _told(move: Move, players: Mapping[ColorString, str]) -> str:
    who = players[move.player]
    if move.offence is not None:
        wanted = f" with {_placing(move)}" if move.choice is not None else ""
        return f"{who} cheats{wanted}, and is out: {text(move.offence.value)}."
    if isinstance(move, Beginning):
        return f"{who} begins with {_placing(move)}."
    if move.looped:
        return (
            f"{who} plays {_placing(move)}. As with each of its options, somebody loops: "
            f"{_list(players[color] for color in move.looped)}, now out. No tile is placed."
        )
    left = _list(players[color] for color in move.left)
    verb = "leaves" if len(move.left) == 1 else "leave"
    return f"{who} plays {_placing(move)}" + (f"; {left} {verb} the board." if move.left else ".")


def _placing(move: Move) -> str:
    if isinstance(move.choice, TilePattern):
        return _tile(move.choice)
    assert move.choice is not None
    pattern, position, port = move.choice
    return f"{_tile(pattern)} on {position}, its avatar on port {PORT_LETTERS[port]}"


def _tile(pattern: TilePattern) -> str:
    return f"tile {pattern.tile_index} at {pattern.degrees}°"


def _result(game: Game, players: Mapping[ColorString, str]) -> str:
    ranks = "".join(f"<li>{_list(players[color] for color in rank)}</li>" for rank in game.ranking)
    listed = f"<ol>{ranks}</ol>" if ranks else "<p>Nobody is left.</p>"
    cheaters = _list(players[color] for color in game.cheaters)
    return listed + (f"<p>Cheated: {cheaters}</p>" if cheaters else "<p>Nobody cheated.</p>")


def _list(marked_up: Iterable[str]) -> str:
    return ", ".join(marked_up)


def _listed(steps: Sequence[_Step]) -> str:
    return "\n".join(
        f'<li><a href="#{number}">{step.words}</a></li>' for number, step in enumerate(steps)
    )
