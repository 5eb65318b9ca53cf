"""The game Isolation: 11 by 9 cells, pieces that move like a chess knight, cells used only once.

This package only hands on the public names, each loaded when it is first asked for; the rules are
in the modules, and docs/isolation.md tells them.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engines.isolation.debug import DebugState
    from engines.isolation.encoding import GRID, Cell, Encoding, NotACell
    from engines.isolation.moves import Action
    from engines.isolation.picture import board_svg, board_text
    from engines.isolation.state import IllegalAction, Isolation, Refusal, perft

__all__ = [
    "GRID",
    "Action",
    "Cell",
    "DebugState",
    "Encoding",
    "IllegalAction",
    "Isolation",
    "NotACell",
    "Refusal",
    "board_svg",
    "board_text",
    "perft",
]

_HOMES = {
    "GRID": "encoding",
    "Action": "moves",
    "Cell": "encoding",
    "DebugState": "debug",
    "Encoding": "encoding",
    "IllegalAction": "state",
    "Isolation": "state",
    "NotACell": "encoding",
    "Refusal": "state",
    "board_svg": "picture",
    "board_text": "picture",
    "perft": "state",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value  # so that the next look-up does not come here
    return value


def __dir__() -> list[str]:
    return list(__all__)
