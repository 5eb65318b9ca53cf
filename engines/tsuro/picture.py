"""Boards and tiles as SVG, for pages and notebooks. Equal boards give equal bytes.

The path that leads to an avatar has the avatar's colour. A state does not record where an avatar
started, so its path goes back as far as there are tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from engines.svg import document, element, text
from engines.tsuro.colors import COLOR_LETTERS, COLORS, ColorString
from engines.tsuro.movement import Layout, Spot
from engines.tsuro.ports import PORT_LETTERS, PORTS, TOUCHING, PortID
from engines.tsuro.positions import BOARD_SIDE, FACED, Square, position_of
from engines.tsuro.state import BoardState, layout_of
from engines.tsuro.tiles import Tile, pattern_of

__all__ = [
    "BOARD_HEIGHT",
    "BOARD_WIDTH",
    "DARK",
    "FILLS",
    "BoardParts",
    "Journey",
    "board_parts",
    "board_svg",
    "faded_trails",
    "layout_svg",
    "port_letters",
    "square_frame",
    "tile_svg",
]

_Point = tuple[float, float]
# One wire on its square, from the port where an avatar enters to the one where it leaves.
_WireStep = tuple[Square, PortID, PortID]

# In user units. Ports divide a side into three, so a cell is a multiple of three.
_CELL: Final = 60
_MARGIN: Final = 40
_FRAME: Final = 8
_FOOT: Final = 64
_LEGEND_WIDTH: Final = 126  # per avatar
_BOARD: Final = BOARD_SIDE * _CELL
BOARD_WIDTH: Final = _BOARD + 2 * _MARGIN
BOARD_HEIGHT: Final = _MARGIN + _BOARD + _FOOT

_LETTERS: Final = "port-letters"
_LETTER_DISTANCE: Final = 9  # of a port's letter from the tile

_TILE_MARGIN: Final = 24
_TILE_FOOT: Final = 30

# Avatars are inset, so that two that face each other are both visible; those that share a port
# queue inwards.
_INSET: Final = 5
_QUEUE: Final = 13
_TOKEN: Final = 8
_RING: Final = 2
_DASH: Final = 9
_FADED: Final = 0.45  # the opacity of paths of avatars that are out

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
_ON_WHITE: Final = "#40342b"
DARK: Final = {
    _PAPER: "#1c1916",
    _WOOD: "#6b4f37",
    _FIELD: "#3d3429",
    _EMPTY: "#2b251e",
    _TILE: "#544838",
    _RIM: "#7a6548",
    _WIRE: "#a58d65",
    _INK: "#ece4d8",
    _QUIET: "#b3a58f",
}
FILLS: Final[dict[ColorString, str]] = {
    "white": _LIGHT,
    "black": "#1f1c1a",
    "red": "#d0342c",
    "green": "#2c9a56",
    "blue": "#2266c4",
}
_FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

# By side, clockwise from the top: the inward direction.
_INWARDS: Final = ((0, 1), (-1, 0), (0, -1), (1, 0))
# By port, in thirds of a cell from its upper left corner.
_THIRDS: Final = ((1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1))


class BoardParts(NamedTuple):
    """The layers of a board's picture as markup: the empty board, the tiles by square, and the
    avatars with their paths and legend. `title` lists the avatars in words."""

    ground: str
    tiles: Mapping[Square, str]
    avatars: str
    title: str


class Journey(NamedTuple):
    """The path of an avatar that is out: its first and last place, and the board at the end."""

    start: Spot
    end: Spot
    layout: Layout


def board_svg(state: BoardState) -> str:
    """Return the board as an SVG document of 680 by 704 user units.

    It shows tiles with wires, avatars on their ports with the paths that lead to them, coordinates
    and a legend.
    """
    return layout_svg(layout_of(state))


def layout_svg(layout: Layout) -> str:
    """Return a layout as SVG, as `board_svg` does."""
    parts = board_parts(layout)
    return document(
        parts.ground,
        *(parts.tiles[square] for square in sorted(parts.tiles)),
        parts.avatars,
        width=BOARD_WIDTH,
        height=BOARD_HEIGHT,
        title=parts.title,
        dark=DARK,
    )


def board_parts(layout: Layout) -> BoardParts:
    """Return the layers of `board_svg`, for drawing many boards of one game."""
    tiles, avatars = layout
    spots = {player: avatars[player] for player in COLORS if player in avatars}
    paths = {player: _path_to(tiles, spot) for player, spot in spots.items()}
    paper = element("rect", width=BOARD_WIDTH, height=BOARD_HEIGHT, rx=14, fill=_PAPER)
    return BoardParts(
        "".join([paper, *_empty_board(), *_coordinate_labels()]),
        {square: _tile_on_square(square, tile) for square, tile in tiles.items()},
        "".join([*_trail_svgs(paths).values(), *_token_svgs(spots), *_legend(spots, tiles)]),
        _title(len(tiles), spots),
    )


def faded_trails(journeys: Mapping[ColorString, Journey]) -> dict[ColorString, str]:
    """Return the paths of avatars that are out, from where they began."""
    paths = {player: _steps_of_journey(journey) for player, journey in journeys.items()}
    return {
        player: element("g", trail, class_="gone", opacity=_FADED)
        for player, trail in _trail_svgs(paths).items()
    }


def port_letters() -> str:
    """Return the definition of the letters around a tile, for `square_frame`."""
    letters = (
        _text_svg(
            PORT_LETTERS[port],
            _beside_port(port, (0, 0), 1, _LETTER_DISTANCE),
            size=11,
            fill=_INK,
            font_weight=600,
            stroke=_TILE,
            stroke_width=3,
            paint_order="stroke",
        )
        for port in PORTS
    )
    return element("defs", element("g", *letters, id=_LETTERS))


def square_frame(square: Square) -> str:
    """Return a frame that highlights a square of the board, with the letters of its ports."""
    x, y = _corner(square)
    side = _CELL - 2
    frame = element(
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
    return frame + element("use", href=f"#{_LETTERS}", x=x, y=y)


def tile_svg(tile: Tile) -> str:
    """Return the tile, as rotated, as an SVG document of 168 by 198 user units.

    It shows the wires, the letters of the ports and the pattern.
    """
    side = 2 * _CELL
    width = side + 2 * _TILE_MARGIN
    height = width + _TILE_FOOT
    index, turn = pattern_of(tile)
    name = f"tile {index}, {turn}°"
    return document(
        element("rect", width=width, height=height, rx=10, fill=_PAPER),
        element(
            "g",
            _tile_svg(tile, (0, 0)),
            transform=f"translate({_TILE_MARGIN} {_TILE_MARGIN}) scale(2)",
        ),
        *map(_port_letter, PORTS),
        _text_svg(name, (width / 2, height - _TILE_FOOT / 2 - 4), size=14, fill=_INK),
        width=width,
        height=height,
        title=f"Tsuro {name}: wires {_wires_by_letter(tile)}",
        dark=DARK,
    )


def _empty_board() -> list[str]:
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


def _coordinate_labels() -> list[str]:
    beside = (_MARGIN - _FRAME) / 2
    middles = [(number, _MARGIN + (number + 0.5) * _CELL) for number in range(BOARD_SIDE)]
    above = [_text_svg(str(x), (middle, beside), size=15, fill=_QUIET) for x, middle in middles]
    left = [_text_svg(str(y), (beside, middle), size=15, fill=_QUIET) for y, middle in middles]
    return above + left


def _tile_on_square(square: Square, tile: Tile) -> str:
    return _tile_svg(tile, _corner(square))


def _tile_svg(tile: Tile, corner: _Point) -> str:
    x, y = corner
    wires = "".join(
        _move_command(first, corner) + _curve_command(first, second, corner)
        for first, second in tile.edges
    )
    side = _CELL - 1
    return element(
        "rect", x=x + 0.5, y=y + 0.5, width=side, height=side, rx=4, fill=_TILE, stroke=_RIM
    ) + element("path", class_="wires", d=wires, fill="none", stroke=_WIRE, stroke_width=3)


def _move_command(port: PortID, corner: _Point) -> str:
    x, y = _port_point(port, corner)
    return f"M{x:g} {y:g}"


def _curve_command(start: PortID, end: PortID, corner: _Point) -> str:
    """Return a path command from one port to another that meets both sides at right angles."""
    (x1, y1), (x2, y2) = _port_point(start, corner), _port_point(end, corner)
    # Short wires bend tightly, long ones gently; found by eye.
    reach = round(_CELL / 6 + abs(complex(x2 - x1, y2 - y1)) / 4)
    (in_x1, in_y1), (in_x2, in_y2) = _INWARDS[start // 2], _INWARDS[end // 2]
    near = f"{x1 + reach * in_x1:g} {y1 + reach * in_y1:g}"
    far = f"{x2 + reach * in_x2:g} {y2 + reach * in_y2:g}"
    return f"C{near} {far} {x2:g} {y2:g}"


def _trail_svgs(paths: Mapping[ColorString, list[_WireStep]]) -> dict[ColorString, str]:
    """Return the trails of the paths that have a wire."""
    svgs: dict[ColorString, str] = {}
    earlier: list[list[_WireStep]] = []
    for player, steps in paths.items():
        if steps:
            wires = {_wire(step) for step in steps}
            shared = sum(any(_wire(step) in wires for step in other) for other in earlier)
            svgs[player] = _trail_svg(player, steps, shared)
        earlier.append(steps)
    return svgs


def _path_to(tiles: Mapping[Square, Tile], spot: Spot) -> list[_WireStep]:
    """Return the wires that lead to this place, first wire first; empty if there is no tile."""
    # Steps are reversible (movement.py), so the first place visited twice is the spot itself.
    steps: list[_WireStep] = []
    square, port = spot
    while square in tiles:
        start = tiles[square].exits[port]
        steps.append((square, start, port))
        behind = FACED[square][start]
        if behind is None or (behind, TOUCHING[start]) == spot:
            break
        square, port = behind, TOUCHING[start]
    return steps[::-1]


def _steps_of_journey(journey: Journey) -> list[_WireStep]:
    steps = _path_to(journey.layout.tiles, journey.end)
    # Behind the first tile there may be another one by now.
    ends = [(square, port) for square, _, port in steps]
    return steps[ends.index(journey.start) :] if journey.start in ends else steps


def _wire(step: _WireStep) -> tuple[Square, PortID]:
    square, start, end = step
    return square, min(start, end)


def _trail_svg(player: ColorString, steps: list[_WireStep], shared: int) -> str:
    first, start, _ = steps[0]
    line = _move_command(start, _corner(first)) + "".join(
        _curve_command(start, end, _corner(square)) for square, start, end in steps
    )
    casing = element("path", d=line, stroke=_outline_colour(player), stroke_width=8)
    if not shared:
        core = element("path", d=line, stroke=FILLS[player], stroke_width=5)
        return _trail_group(player, casing, core)
    # On a path shared by several avatars, draw one dash in so many, so that no colour hides
    # another.
    dashes = f"{_DASH} {_DASH * shared}"
    core = element("path", d=line, stroke=FILLS[player], stroke_width=5, stroke_dasharray=dashes)
    return _trail_group(player, core)


def _trail_group(player: ColorString, *lines: str) -> str:
    return element("g", *lines, class_=f"trail {player}", fill="none", stroke_linejoin="round")


def _token_svgs(spots: Mapping[ColorString, Spot]) -> list[str]:
    taken: list[Spot] = []
    svgs: list[str] = []
    for player, spot in spots.items():
        svgs.append(_token_svg(player, _token_centre(spot, taken.count(spot))))
        taken.append(spot)
    return svgs


def _token_centre(spot: Spot, place_in_queue: int) -> _Point:
    square, port = spot
    x, y = _port_point(port, _corner(square))
    in_x, in_y = _INWARDS[port // 2]
    inwards = _INSET + place_in_queue * _QUEUE
    return x + inwards * in_x, y + inwards * in_y


def _token_svg(player: ColorString, centre: _Point) -> str:
    x, y = centre
    disc = element(
        "circle",
        cx=x,
        cy=y,
        r=_TOKEN,
        fill=FILLS[player],
        stroke=_outline_colour(player),
        stroke_width=_RING,
    )
    letter = _text_svg(
        COLOR_LETTERS[player], centre, size=10, fill=_outline_colour(player), font_weight=700
    )
    return element("g", disc, letter, class_=f"avatar {player}")


def _outline_colour(player: ColorString) -> str:
    return _ON_WHITE if player == "white" else _LIGHT


def _legend(spots: Mapping[ColorString, Spot], tiles: Mapping[Square, Tile]) -> list[str]:
    y = _MARGIN + _BOARD + _FRAME + (_FOOT - _FRAME) / 2
    if not spots:
        words = "no avatar is left" if tiles else "no avatars"
        return [_text_svg(words, (BOARD_WIDTH / 2, y), size=15, fill=_QUIET)]
    left = (BOARD_WIDTH - _LEGEND_WIDTH * len(spots)) / 2
    svgs: list[str] = []
    for number, (player, spot) in enumerate(spots.items()):
        x = left + number * _LEGEND_WIDTH + 16
        svgs.append(_token_svg(player, (x, y)))
        place = (x + 14, y)
        svgs.append(
            _text_svg(_format_spot(player, spot), place, size=14, fill=_INK, text_anchor="start")
        )
    return svgs


def _format_spot(player: ColorString, spot: Spot) -> str:
    square, port = spot
    return f"{player} {position_of(square)} {PORT_LETTERS[port]}"


def _title(tiles: int, spots: Mapping[ColorString, Spot]) -> str:
    placings = ", ".join(_format_spot(player, spot) for player, spot in spots.items())
    return f"Tsuro board, tiles: {tiles}, avatars: {placings or 'none'}"


def _port_letter(port: PortID) -> str:
    centre = _beside_port(port, (_TILE_MARGIN, _TILE_MARGIN), 2, _TILE_MARGIN / 2)
    return _text_svg(PORT_LETTERS[port], centre, size=13, fill=_QUIET)


def _beside_port(port: PortID, corner: _Point, scale: float, out: float) -> _Point:
    x, y = _port_point(port, (0, 0))
    in_x, in_y = _INWARDS[port // 2]
    return corner[0] + scale * x - out * in_x, corner[1] + scale * y - out * in_y


def _wires_by_letter(tile: Tile) -> str:
    return " ".join(PORT_LETTERS[first] + PORT_LETTERS[second] for first, second in tile.edges)


def _corner(square: Square) -> _Point:
    down, across = divmod(square, BOARD_SIDE)
    return _MARGIN + across * _CELL, _MARGIN + down * _CELL


def _port_point(port: PortID, corner: _Point) -> _Point:
    across, down = _THIRDS[port]
    return corner[0] + across * _CELL / 3, corner[1] + down * _CELL / 3


def _text_svg(content: str, centre: _Point, *, size: float, **style: str | float) -> str:
    # Lower the baseline by half a capital's height: not every viewer supports dominant-baseline.
    style = {"text_anchor": "middle", "font_family": _FONT, **style}
    x, y = centre
    return element("text", text(content), x=x, y=y + size * 0.36, font_size=size, **style)
