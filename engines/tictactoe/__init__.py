"""Tic-tac-toe on a bitboard: positions, perfect play, the whole tree counted, and pictures.

A name is loaded with its module when it is first used, so that a program pays for what it needs.
The names of the notebook that this follows are in `engines.tictactoe.notebook`, not here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engines.tictactoe.board import (
        DRAW,
        O_WINS,
        START,
        X_WINS,
        Cell,
        Player,
        State,
        cell_at,
        cell_of,
        finished,
        mark_at,
        marks,
        moves,
        next_states,
        parse,
        place,
        player_of,
        state_of,
        symbols,
        utility,
        winner,
        winning_lines,
    )
    from engines.tictactoe.games import Tree, perft, reachable, tree
    from engines.tictactoe.picture import Picture, board_svg, board_text
    from engines.tictactoe.solver import best_moves, move_values, value
    from engines.tictactoe.symmetry import canonical, images, mirrored, turned

__all__ = [
    "DRAW",
    "O_WINS",
    "START",
    "X_WINS",
    "Cell",
    "Picture",
    "Player",
    "State",
    "Tree",
    "best_moves",
    "board_svg",
    "board_text",
    "canonical",
    "cell_at",
    "cell_of",
    "finished",
    "images",
    "mark_at",
    "marks",
    "mirrored",
    "move_values",
    "moves",
    "next_states",
    "parse",
    "perft",
    "place",
    "player_of",
    "reachable",
    "state_of",
    "symbols",
    "tree",
    "turned",
    "utility",
    "value",
    "winner",
    "winning_lines",
]

_NAMES: Final = {
    "board": (
        *("DRAW", "O_WINS", "START", "X_WINS", "Cell", "Player", "State", "cell_at", "cell_of"),
        *("finished", "mark_at", "marks", "moves", "next_states", "parse", "place", "player_of"),
        *("state_of", "symbols", "utility", "winner", "winning_lines"),
    ),
    "games": ("Tree", "perft", "reachable", "tree"),
    "picture": ("Picture", "board_svg", "board_text"),
    "solver": ("best_moves", "move_values", "value"),
    "symmetry": ("canonical", "images", "mirrored", "turned"),
}
_HOME: Final = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    # Once is enough: the next use finds it in the module itself.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
