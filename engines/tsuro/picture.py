"""A board or a tile as SVG, for a page or a notebook. Pure: equal boards give equal bytes.

Every wire is drawn; the line of wires that leads to an avatar has the avatar's colour. A state does
not say where an avatar was set down, so its line goes back as far as there are tiles.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engines.svg import document, element, text
from engines.tsuro.colors import COLOR_LETTERS, COLORS, ColorString
from engines.tsuro.movement import Layout, Spot
from engines.tsuro.ports import PORT_LETTERS, PORTS, TOUCHING, PortID
from engines.tsuro.positions import BOARD_SIDE, FACED, Square, position_of
from engines.tsuro.state import BoardState, layout_of
from engines.tsuro.tile import Tile
from engines.tsuro.tiles import pattern_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BOARD_HEIGHT",
    "BOARD_WIDTH",
    "FILLS",
    "BoardParts",
    "board_parts",
    "board_svg",
    "square_frame",
    "tile_svg",
]

_Point = tuple[float, float]
# One wire on its square, from the port that an avatar came in by to the one it went out by.
_Step = tuple[Square, PortID, PortID]

# User units. Ports cut a side in three, so that a cell is best a multiple of three.
_CELL: Final = 60
_MARGIN: Final = 40
_FRAME: Final = 8
_FOOT: Final = 64
_SHARE: Final = 126  # of the legend, for each avatar
_BOARD: Final = BOARD_SIDE * _CELL
BOARD_WIDTH: Final = _BOARD + 2 * _MARGIN
BOARD_HEIGHT: Final = _MARGIN + _BOARD + _FOOT

_TILE_MARGIN: Final = 24
_TILE_FOOT: Final = 30

# An avatar stands this far inside its tile, so that two which face each other are both seen; those
# that share a port stand in a row, inwards.
_INSET: Final = 5
_QUEUE: Final = 13
_TOKEN: Final = 8
_RING: Final = 2
_DASH: Final = 9

_PAPER: Final = "#fdf9f1"
_WOOD: Final = "#a9805a"
_FIELD: Final = "#d0b78f"
_EMPTY: Final = "#dcc6a2"
_TILE: Final = "#fbeed6"
_RIM: Final = "#c8a878"
_WIRE: Final = "#c39f6d"
_INK: Final = "#40342a"
_QUIET: Final = "#75624e"
_LIGHT: Final = "#ffffff"
FILLS: Final[dict[ColorString, str]] = {
    "white": _LIGHT,
    "black": "#1f1c1a",
    "red": "#d0342c",
    "green": "#2c9a56",
    "blue": "#2266c4",
}
_FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

# By side, clockwise from the top: the way inwards.
_INWARDS: Final = ((0, 1), (-1, 0), (0, -1), (1, 0))
# By port, in thirds of a cell from its left upper corner.
_THIRDS: Final = ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))


class BoardParts(NamedTuple):
    """A board's picture in layers, each as markup: what is there before any tile, the tiles by
    their squares, and what stands on them, with the lines that lead there and the legend. `title`
    says in words who stands where."""

    ground: str
    tiles: Mapping[Square, str]
    avatars: str
    title: str


def board_svg(state: BoardState) -> str:
    """The board as one SVG document, 680 by 704 user units: tiles and their wires, avatars on their
    ports with the lines that lead to them, x above, y at the left, and a legend."""
    parts = board_parts(layout_of(state))
    return document(
        parts.ground,
        *(parts.tiles[square] for square in sorted(parts.tiles)),
        parts.avatars,
        width=BOARD_WIDTH,
        height=BOARD_HEIGHT,
        title=parts.title,
    )


def board_parts(layout: Layout) -> BoardParts:
    """The layers that `board_svg` lays upon each other, for whoever draws many boards of a game."""
    tiles, avatars = layout
    spots = {player: avatars[player] for player in COLORS if player in avatars}
    paper = element("rect", width=BOARD_WIDTH, height=BOARD_HEIGHT, rx=14, fill=_PAPER)
    return BoardParts(
        "".join([paper, *_field(), *_coordinates()]),
        {square: _placed(square, tile) for square, tile in tiles.items()},
        "".join([*_trails(tiles, spots), *_tokens(spots), *_legend(spots)]),
        _title(len(tiles), spots),
    )


def square_frame(square: Square) -> str:
    """A frame round a square of the board, to point it out."""
    x, y = _corner(square)
    side = _CELL - 2
    return element(
        "rect",
        x=x + 1,
        y=y + 1,
        width=side,
        height=side,
        rx=4,
        fill="none",
        stroke=_INK,
        stroke_width=2,
    )


def tile_svg(tile: Tile) -> str:
    """The tile, as it is turned, as one SVG document, 168 by 198 user units: its wires, the letters
    of its ports around it, and its pattern below."""
    side = 2 * _CELL
    width = side + 2 * _TILE_MARGIN
    height = width + _TILE_FOOT
    index, turn = pattern_of(tile)
    name = f"tile {index}, {turn}°"
    return document(
        element("rect", width=width, height=height, rx=10, fill=_PAPER),
        element(
            "g",
            _drawn(tile, (0, 0)),
            transform=f"translate({_TILE_MARGIN} {_TILE_MARGIN}) scale(2)",
        ),
        *map(_port_letter, PORTS),
        _label(name, (width / 2, height - _TILE_FOOT / 2 - 4), size=14, fill=_INK),
        width=width,
        height=height,
        title=f"Tsuro {name}: wires {_wires_by_letter(tile)}",
    )


def _field() -> list[str]:
    around = _MARGIN - _FRAME
    side = _BOARD + 2 * _FRAME
    squares = "".join(
        f"M{x + 1} {y + 1}h{_CELL - 2}v{_CELL - 2}h{2 - _CELL}z"
        for x, y in (_corner(Square(square)) for square in range(BOARD_SIDE * BOARD_SIDE))
    )
    return [
        element("rect", x=around, y=around, width=side, height=side, rx=8, fill=_WOOD),
        element("rect", x=_MARGIN, y=_MARGIN, width=_BOARD, height=_BOARD, fill=_FIELD),
        element("path", d=squares, fill=_EMPTY),
    ]


def _coordinates() -> list[str]:
    beside = (_MARGIN - _FRAME) / 2
    middles = [(number, _MARGIN + (number + 0.5) * _CELL) for number in range(BOARD_SIDE)]
    above = [_label(str(x), (middle, beside), size=15, fill=_QUIET) for x, middle in middles]
    left = [_label(str(y), (beside, middle), size=15, fill=_QUIET) for y, middle in middles]
    return above + left


def _placed(square: Square, tile: Tile) -> str:
    return _drawn(tile, _corner(square))


def _drawn(tile: Tile, corner: _Point) -> str:
    x, y = corner
    wires = "".join(
        _moved_to(first, corner) + _curve(first, second, corner) for first, second in tile.edges
    )
    side = _CELL - 1
    return element(
        "rect", x=x + 0.5, y=y + 0.5, width=side, height=side, rx=4, fill=_TILE, stroke=_RIM
    ) + element("path", class_="wires", d=wires, fill="none", stroke=_WIRE, stroke_width=3)


def _moved_to(port: PortID, corner: _Point) -> str:
    x, y = _port(port, corner)
    return f"M{x:g} {y:g}"


def _curve(start: PortID, end: PortID, corner: _Point) -> str:
    """From one port, where the pen is, to the other: it meets both sides at right angles."""
    (x1, y1), (x2, y2) = _port(start, corner), _port(end, corner)
    # Short ways bend tightly, long ones gently: found by eye.
    reach = round(_CELL / 6 + abs(complex(x2 - x1, y2 - y1)) / 4)
    (in_x1, in_y1), (in_x2, in_y2) = _INWARDS[start // 2], _INWARDS[end // 2]
    near = f"{x1 + reach * in_x1:g} {y1 + reach * in_y1:g}"
    far = f"{x2 + reach * in_x2:g} {y2 + reach * in_y2:g}"
    return f"C{near} {far} {x2:g} {y2:g}"


def _trails(tiles: Mapping[Square, Tile], spots: Mapping[ColorString, Spot]) -> list[str]:
    drawn: list[str] = []
    earlier: list[list[_Step]] = []
    for player, spot in spots.items():
        steps = _steps_to(tiles, spot)
        if steps:
            wires = {_wire(step) for step in steps}
            shared = sum(any(_wire(step) in wires for step in other) for other in earlier)
            drawn.append(_trail(player, steps, shared))
        earlier.append(steps)
    return drawn


def _steps_to(tiles: Mapping[Square, Tile], spot: Spot) -> list[_Step]:
    """The wires that lead to this spot, the first one first: none where no tile lies there."""
    # Movement can be undone (see movement.py): the first place to come twice is the spot itself.
    steps: list[_Step] = []
    square, port = spot
    while square in tiles:
        start = tiles[square].exits[port]
        steps.append((square, start, port))
        behind = FACED[square][start]
        if behind is None or (behind, TOUCHING[start]) == spot:
            break
        square, port = behind, TOUCHING[start]
    return steps[::-1]


def _wire(step: _Step) -> tuple[Square, PortID]:
    square, start, end = step
    return square, min(start, end)


def _trail(player: ColorString, steps: list[_Step], shared: int) -> str:
    first, start, _ = steps[0]
    line = _moved_to(start, _corner(first)) + "".join(
        _curve(start, end, _corner(square)) for square, start, end in steps
    )
    casing = element("path", d=line, stroke=_ring(player), stroke_width=8)
    if not shared:
        core = element("path", d=line, stroke=FILLS[player], stroke_width=5)
        return _stroked(player, casing, core)
    # On a line that others have too, one dash in so many: no colour hides another.
    dashes = f"{_DASH} {_DASH * shared}"
    core = element("path", d=line, stroke=FILLS[player], stroke_width=5, stroke_dasharray=dashes)
    return _stroked(player, core)


def _stroked(player: ColorString, *lines: str) -> str:
    return element("g", *lines, class_=f"trail {player}", fill="none", stroke_linejoin="round")


def _tokens(spots: Mapping[ColorString, Spot]) -> list[str]:
    taken: list[Spot] = []
    drawn: list[str] = []
    for player, spot in spots.items():
        drawn.append(_token(player, _stand(spot, taken.count(spot))))
        taken.append(spot)
    return drawn


def _stand(spot: Spot, before: int) -> _Point:
    square, port = spot
    x, y = _port(port, _corner(square))
    in_x, in_y = _INWARDS[port // 2]
    inwards = _INSET + before * _QUEUE
    return x + inwards * in_x, y + inwards * in_y


def _token(player: ColorString, centre: _Point) -> str:
    x, y = centre
    disc = element(
        "circle",
        cx=x,
        cy=y,
        r=_TOKEN,
        fill=FILLS[player],
        stroke=_ring(player),
        stroke_width=_RING,
    )
    letter = _label(COLOR_LETTERS[player], centre, size=10, fill=_ring(player), font_weight=700)
    return element("g", disc, letter, class_=f"avatar {player}")


def _ring(player: ColorString) -> str:
    return _INK if player == "white" else _LIGHT


def _legend(spots: Mapping[ColorString, Spot]) -> list[str]:
    y = _MARGIN + _BOARD + _FRAME + (_FOOT - _FRAME) / 2
    if not spots:
        return [_label("no avatars", (BOARD_WIDTH / 2, y), size=15, fill=_QUIET)]
    left = (BOARD_WIDTH - _SHARE * len(spots)) / 2
    drawn: list[str] = []
    for number, (player, spot) in enumerate(spots.items()):
        x = left + number * _SHARE + 16
        drawn.append(_token(player, (x, y)))
        place = (x + 14, y)
        drawn.append(_label(_placing(player, spot), place, size=14, fill=_INK, text_anchor="start"))
    return drawn


def _placing(player: ColorString, spot: Spot) -> str:
    square, port = spot
    return f"{player} {position_of(square)} {PORT_LETTERS[port]}"


def _title(tiles: int, spots: Mapping[ColorString, Spot]) -> str:
    placings = ", ".join(_placing(player, spot) for player, spot in spots.items())
    return f"Tsuro board, tiles: {tiles}, avatars: {placings or 'none'}"


def _port_letter(port: PortID) -> str:
    x, y = _port(port, (0, 0))
    in_x, in_y = _INWARDS[port // 2]
    out = _TILE_MARGIN / 2
    centre = (_TILE_MARGIN + 2 * x - out * in_x, _TILE_MARGIN + 2 * y - out * in_y)
    return _label(PORT_LETTERS[port], centre, size=13, fill=_QUIET)


def _wires_by_letter(tile: Tile) -> str:
    return " ".join(PORT_LETTERS[first] + PORT_LETTERS[second] for first, second in tile.edges)


def _corner(square: Square) -> _Point:
    down, across = divmod(square, BOARD_SIDE)
    return _MARGIN + across * _CELL, _MARGIN + down * _CELL


def _port(port: PortID, corner: _Point) -> _Point:
    across, down = _THIRDS[port]
    return corner[0] + across * _CELL / 3, corner[1] + down * _CELL / 3


def _label(content: str, centre: _Point, *, size: float, **style: str | float) -> str:
    # Not every viewer knows baselines: half of a capital's height lowers it to the middle.
    style = {"text_anchor": "middle", "font_family": _FONT, **style}
    x, y = centre
    return element("text", text(content), x=x, y=y + size * 0.36, font_size=size, **style)
