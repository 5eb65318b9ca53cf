"""The game Isolation: 11 by 9 cells, two pieces that move like a chess knight, cells used once.

Public names are loaded on first use. The rules are described in docs/games/isolation.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.deferred import deferred_names, deferred_pictures

if TYPE_CHECKING:
    from engines.isolation.debug import DebugState
    from engines.isolation.encoding import GRID, Cell, Encoding, NotACell
    from engines.isolation.moves import Action
    from engines.isolation.picture import board_svg, board_text
    from engines.isolation.state import IllegalAction, IllegalActionReason, Isolation, perft

__all__ = [
    "GRID",
    "Action",
    "Cell",
    "DebugState",
    "Encoding",
    "IllegalAction",
    "IllegalActionReason",
    "Isolation",
    "NotACell",
    "board_svg",
    "board_text",
    "perft",
]

__getattr__, __dir__ = deferred_names(
    __name__,
    {
        "debug": "DebugState",
        "encoding": "Cell Encoding GRID NotACell",
        "moves": "Action",
        "picture": "board_svg board_text",
        "state": "IllegalAction IllegalActionReason Isolation perft",
    },
)

deferred_pictures(
    __name__,
    {
        "state.Isolation": "picture.board_svg",
    },
)
