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
        end_of,
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
    from engines.tsuro.rules import (
        InitialChoice,
        InitialRefusal,
        InitialTiles,
        Option,
        TurnRefusal,
        TurnTiles,
        initial_refusal,
        is_free,
        layout_with,
        options,
        turn_outcome,
    )
    from engines.tsuro.state import BoardState, layout_of, state_of
    from engines.tsuro.strategies import (
        FIRST,
        SECOND,
        STRATEGIES,
        THIRD,
        First,
        Player,
        Second,
        Third,
    )
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
    from engines.tsuro.ways import Ways

__all__ = [
    "COLORS",
    "COLOR_LETTERS",
    "DEGREES",
    "FIRST",
    "MAX_BOARD_COORDINATE",
    "MIN_BOARD_COORDINATE",
    "PORTS",
    "PORT_LETTERS",
    "SECOND",
    "STRATEGIES",
    "THIRD",
    "TILES",
    "Board",
    "BoardObserver",
    "BoardPosition",
    "BoardState",
    "ColorString",
    "Degrees",
    "End",
    "Fate",
    "First",
    "InitialChoice",
    "InitialMove",
    "InitialRefusal",
    "InitialTiles",
    "IntermediateMove",
    "Layout",
    "Option",
    "Placement",
    "Player",
    "Port",
    "PortID",
    "Result",
    "Second",
    "Spot",
    "Square",
    "Third",
    "Tile",
    "TileIndex",
    "TilePattern",
    "TurnRefusal",
    "TurnTiles",
    "Ways",
    "board_svg",
    "board_text",
    "collided",
    "color_string",
    "degrees",
    "end_of",
    "ends",
    "initial_refusal",
    "is_at_rest",
    "is_free",
    "layout_after",
    "layout_of",
    "layout_with",
    "options",
    "pattern_of",
    "placement",
    "port_id",
    "position_of",
    "square_of",
    "state_of",
    "tile_index",
    "tile_pattern",
    "tile_svg",
    "turn_outcome",
    "with_fate",
]

_TSURO = "engines.tsuro."
_NAMES_BY_MODULE = {
    "engines.result": "Result",
    _TSURO + "board": "Board",
    _TSURO + "colors": "COLORS COLOR_LETTERS ColorString color_string",
    _TSURO + "movement": "End Fate Layout Placement Spot collided end_of ends is_at_rest"
    " layout_after placement with_fate",
    _TSURO + "moves": "BoardObserver InitialMove IntermediateMove",
    _TSURO + "picture": "board_svg tile_svg",
    _TSURO + "ports": "PORTS PORT_LETTERS Port PortID port_id",
    _TSURO + "positions": "MAX_BOARD_COORDINATE MIN_BOARD_COORDINATE BoardPosition Square"
    " position_of square_of",
    _TSURO + "rules": "InitialChoice InitialRefusal InitialTiles Option TurnRefusal TurnTiles"
    " initial_refusal is_free layout_with options turn_outcome",
    _TSURO + "state": "BoardState layout_of state_of",
    _TSURO + "strategies": "FIRST SECOND STRATEGIES THIRD First Player Second Third",
    _TSURO + "terminal": "board_text",
    _TSURO + "tile": "Tile",
    _TSURO + "tiles": "DEGREES TILES Degrees TileIndex TilePattern degrees pattern_of tile_index"
    " tile_pattern",
    _TSURO + "ways": "Ways",
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
