"""The game of Tsuro: its board, and how avatars move on it (docs/tsuro-board.md).

Names are fetched from their modules when they are first asked for: a program pays for what it uses.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engines.result import Result
    from engines.tsuro.board import Board
    from engines.tsuro.colors import COLOR_LETTERS, COLORS, ColorString, color_string
    from engines.tsuro.movement import (
        End,
        Fate,
        Layout,
        Placement,
        Spot,
        collided,
        ends,
        is_at_rest,
        layout_after,
        placement,
        with_fate,
    )
    from engines.tsuro.moves import BoardObserver, InitialMove, IntermediateMove
    from engines.tsuro.picture import board_svg, tile_svg
    from engines.tsuro.ports import PORT_LETTERS, PORTS, Port, PortID, port_id
    from engines.tsuro.positions import (
        MAX_BOARD_COORDINATE,
        MIN_BOARD_COORDINATE,
        BoardPosition,
        Square,
        position_of,
        square_of,
    )
    from engines.tsuro.state import BoardState, layout_of, state_of
    from engines.tsuro.terminal import board_text
    from engines.tsuro.tile import Tile
    from engines.tsuro.tiles import (
        DEGREES,
        TILES,
        Degrees,
        TileIndex,
        TilePattern,
        degrees,
        pattern_of,
        tile_index,
        tile_pattern,
    )

__all__ = [
    "COLORS",
    "COLOR_LETTERS",
    "DEGREES",
    "MAX_BOARD_COORDINATE",
    "MIN_BOARD_COORDINATE",
    "PORTS",
    "PORT_LETTERS",
    "TILES",
    "Board",
    "BoardObserver",
    "BoardPosition",
    "BoardState",
    "ColorString",
    "Degrees",
    "End",
    "Fate",
    "InitialMove",
    "IntermediateMove",
    "Layout",
    "Placement",
    "Port",
    "PortID",
    "Result",
    "Spot",
    "Square",
    "Tile",
    "TileIndex",
    "TilePattern",
    "board_svg",
    "board_text",
    "collided",
    "color_string",
    "degrees",
    "ends",
    "is_at_rest",
    "layout_after",
    "layout_of",
    "pattern_of",
    "placement",
    "port_id",
    "position_of",
    "square_of",
    "state_of",
    "tile_index",
    "tile_pattern",
    "tile_svg",
    "with_fate",
]

_TSURO = "engines.tsuro."
_NAMES_BY_MODULE = {
    "engines.result": "Result",
    _TSURO + "board": "Board",
    _TSURO + "colors": "COLORS COLOR_LETTERS ColorString color_string",
    _TSURO + "movement": "End Fate Layout Placement Spot collided ends is_at_rest layout_after"
    " placement with_fate",
    _TSURO + "moves": "BoardObserver InitialMove IntermediateMove",
    _TSURO + "picture": "board_svg tile_svg",
    _TSURO + "ports": "PORTS PORT_LETTERS Port PortID port_id",
    _TSURO + "positions": "MAX_BOARD_COORDINATE MIN_BOARD_COORDINATE BoardPosition Square"
    " position_of square_of",
    _TSURO + "state": "BoardState layout_of state_of",
    _TSURO + "terminal": "board_text",
    _TSURO + "tile": "Tile",
    _TSURO + "tiles": "DEGREES TILES Degrees TileIndex TilePattern degrees pattern_of tile_index"
    " tile_pattern",
}
_HOMES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
