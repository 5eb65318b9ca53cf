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
    from engines.tsuro.page import game_page
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
    from engines.tsuro.record import Beginning, Game, Misconduct, Move, Turn, replay
    from engines.tsuro.referee import GameObserver, endless_deck, play_game
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
    from engines.tsuro.tournament import (
        Ending,
        Match,
        Standing,
        Tournament,
        hold_tournament,
        match_sizes,
        standing_of,
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
    "Beginning",
    "Board",
    "BoardObserver",
    "BoardPosition",
    "BoardState",
    "ColorString",
    "Degrees",
    "End",
    "Ending",
    "Fate",
    "First",
    "Game",
    "GameObserver",
    "InitialChoice",
    "InitialMove",
    "InitialRefusal",
    "InitialTiles",
    "IntermediateMove",
    "Layout",
    "Match",
    "Misconduct",
    "Move",
    "Option",
    "Placement",
    "Player",
    "Port",
    "PortID",
    "Result",
    "Second",
    "Spot",
    "Square",
    "Standing",
    "Third",
    "Tile",
    "TileIndex",
    "TilePattern",
    "Tournament",
    "Turn",
    "TurnRefusal",
    "TurnTiles",
    "Ways",
    "board_svg",
    "board_text",
    "collided",
    "color_string",
    "degrees",
    "end_of",
    "endless_deck",
    "ends",
    "game_page",
    "hold_tournament",
    "initial_refusal",
    "is_at_rest",
    "is_free",
    "layout_after",
    "layout_of",
    "layout_with",
    "match_sizes",
    "options",
    "pattern_of",
    "placement",
    "play_game",
    "port_id",
    "position_of",
    "replay",
    "square_of",
    "standing_of",
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
    _TSURO + "record": "Beginning Game Misconduct Move Turn replay",
    _TSURO + "referee": "GameObserver endless_deck play_game",
    _TSURO
    + "tournament": "Ending Match Standing Tournament hold_tournament match_sizes standing_of",
    _TSURO + "page": "game_page",
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
