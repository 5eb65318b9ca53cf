"""Tic-tac-toe on a bitboard: rules, perfect play, counts of the game tree, symmetries and pictures.

Public names are loaded on first use. `engines.tictactoe.notebook` has the names of the course
notebook, which this package does not export. Documentation: docs/games/tictactoe.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.deferred import deferred_names, deferred_pictures

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

__getattr__, __dir__ = deferred_names(
    __name__,
    {
        "board": (
            "Cell DRAW O_WINS Player START State X_WINS cell_at cell_of finished mark_at "
            "marks moves next_states parse place player_of state_of symbols utility winner "
            "winning_lines"
        ),
        "games": "Tree perft reachable tree",
        "picture": "Picture board_svg board_text",
        "solver": "best_moves move_values value",
        "symmetry": "canonical images mirrored turned",
    },
)

deferred_pictures(__name__, {"board.State": "picture.board_svg"})
