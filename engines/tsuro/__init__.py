"""The board game Tsuro: board, rules, players, referee, tournament and pictures.

Public names are loaded on first use. Source: docs/games/tsuro.md, tsuro-rules.md, tsuro-game.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.deferred import deferred_names, deferred_pictures

if TYPE_CHECKING:
    from engines.result import Result
    from engines.tsuro.board import (
        Board,
        BoardObserver,
        InitialMove,
        IntermediateMove,
        MoveRefusal,
        RefusedMove,
    )
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
    from engines.tsuro.probe import SquareProbe
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
        place_refusal,
        turn_outcome,
    )
    from engines.tsuro.state import BoardState, layout_of, state_of
    from engines.tsuro.strategies import (
        FIRST,
        SECOND,
        STRATEGIES,
        THIRD,
        FirstStrategy,
        SecondStrategy,
        Strategy,
        ThirdStrategy,
    )
    from engines.tsuro.terminal import board_text
    from engines.tsuro.tiles import (
        DEGREES,
        TILES,
        Degrees,
        Tile,
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
    "FirstStrategy",
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
    "MoveRefusal",
    "Option",
    "Placement",
    "Port",
    "PortID",
    "RefusedMove",
    "Result",
    "SecondStrategy",
    "Spot",
    "Square",
    "SquareProbe",
    "Standing",
    "Strategy",
    "ThirdStrategy",
    "Tile",
    "TileIndex",
    "TilePattern",
    "Tournament",
    "Turn",
    "TurnRefusal",
    "TurnTiles",
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
    "place_refusal",
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

__getattr__, __dir__ = deferred_names(
    __name__,
    {
        "board": "Board BoardObserver InitialMove IntermediateMove MoveRefusal RefusedMove Result",
        "colors": "COLORS COLOR_LETTERS ColorString color_string",
        "movement": (
            "End Fate Layout Placement Spot collided end_of ends is_at_rest layout_after "
            "placement with_fate"
        ),
        "page": "game_page",
        "picture": "board_svg tile_svg",
        "ports": "PORTS PORT_LETTERS Port PortID port_id",
        "positions": (
            "BoardPosition MAX_BOARD_COORDINATE MIN_BOARD_COORDINATE Square position_of square_of"
        ),
        "probe": "SquareProbe",
        "record": "Beginning Game Misconduct Move Turn replay",
        "referee": "GameObserver endless_deck play_game",
        "rules": (
            "InitialChoice InitialRefusal InitialTiles Option TurnRefusal TurnTiles "
            "initial_refusal is_free layout_with options place_refusal turn_outcome"
        ),
        "state": "BoardState layout_of state_of",
        "strategies": (
            "FIRST FirstStrategy SECOND STRATEGIES SecondStrategy Strategy THIRD ThirdStrategy"
        ),
        "terminal": "board_text",
        "tiles": (
            "DEGREES Degrees TILES Tile TileIndex TilePattern degrees pattern_of tile_index "
            "tile_pattern"
        ),
        "tournament": "Ending Match Standing Tournament hold_tournament match_sizes standing_of",
    },
)

deferred_pictures(
    __name__,
    {
        "movement.Layout": "picture.layout_svg",
        "record.Game": "page.game_svg",
        "state.BoardState": "picture.board_svg",
        "tiles.Tile": "picture.tile_svg",
    },
)

deferred_pictures(__name__, {"record.Game": "page.game_html"}, kind="html")
