"""Boards as ASCII text: tiles by pattern, avatars on their ports.

Only picture.py draws the paths that lead to avatars.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engines.tsuro.colors import COLOR_LETTERS, COLORS, ColorString
from engines.tsuro.movement import Spot
from engines.tsuro.ports import PORT_LETTERS
from engines.tsuro.positions import BOARD_SIDE, Square, position_of
from engines.tsuro.state import BoardState, layout_of
from engines.tsuro.tiles import Tile, pattern_of

__all__ = ["board_text"]

# In characters: the distance between squares, which share their borders, and the left margin.
_ACROSS: Final = 6
_DOWN: Final = 3
_MARGIN: Final = 3

# By port, in characters from the upper left corner of a square.
_PORT_OFFSETS: Final = ((2, 0), (4, 0), (6, 1), (6, 2), (4, 3), (2, 3), (0, 2), (0, 1))

_SHARED: Final = "*"


def board_text(state: BoardState) -> str:
    """Return the board as lines of ASCII, at most 64 characters wide.

    Coordinates are above and at the left. A dot is an empty square, a box a tile with its index and
    degrees, a letter an avatar on its port, `*` several avatars. One line per avatar follows, in
    the order of COLORS. There are no trailing spaces and no final newline.
    """
    tiles, avatars = layout_of(state)
    canvas = [[" "] * (BOARD_SIDE * _ACROSS + 1) for _ in range(BOARD_SIDE * _DOWN + 1)]
    for number in range(BOARD_SIDE * BOARD_SIDE):
        _write_square(canvas, Square(number), tiles.get(Square(number)))
    for spot in avatars.values():
        _write(canvas, _port_cell(spot), _avatar_letter(avatars, spot))
    header = " " * _MARGIN + "".join(f"{x:>4}  " for x in range(BOARD_SIDE))
    rows = [f"{_row_label(line):<{_MARGIN}}" + "".join(signs) for line, signs in enumerate(canvas)]
    players = [_format_avatar(player, avatars[player]) for player in COLORS if player in avatars]
    return "\n".join(line.rstrip() for line in [header, *rows, *players])


def _write_square(canvas: list[list[str]], square: Square, tile: Tile | None) -> None:
    x, y = _corner(square)
    if tile is None:
        _write(canvas, (x + 3, y + 1), ".")
        return
    index, turn = pattern_of(tile)
    for line, written in enumerate(("+-----+", f"| {index:>3} |", f"| {turn:>3} |", "+-----+")):
        _write(canvas, (x, y + line), written)


def _write(canvas: list[list[str]], place: tuple[int, int], written: str) -> None:
    x, y = place
    canvas[y][x : x + len(written)] = written


def _avatar_letter(avatars: Mapping[ColorString, Spot], spot: Spot) -> str:
    # Avatars on both sides of a border share one character.
    there = [player for player, other in avatars.items() if _port_cell(other) == _port_cell(spot)]
    return COLOR_LETTERS[there[0]] if len(there) == 1 else _SHARED


def _port_cell(spot: Spot) -> tuple[int, int]:
    square, port = spot
    (x, y), (right, down) = _corner(square), _PORT_OFFSETS[port]
    return x + right, y + down


def _corner(square: Square) -> tuple[int, int]:
    down, across = divmod(square, BOARD_SIDE)
    return across * _ACROSS, down * _DOWN


def _row_label(line: int) -> str:
    return str(line // _DOWN) if line % _DOWN == 1 else ""


def _format_avatar(player: ColorString, spot: Spot) -> str:
    square, port = spot
    return f"{COLOR_LETTERS[player]}  {player} at {position_of(square)}, port {PORT_LETTERS[port]}"
