"""The legal moves of a board: all of them, and how many sequences they make.

What makes a move legal is for boards.py (`after_move`); this follows from it. Nothing is searched.
Source: docs/bitboard36.md, "Moves".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.bitboard36.boards import Player
from engines.bitboard36.shape import CELLS, FULL, Position
from engines.bits import cells

if TYPE_CHECKING:
    from engines.bitboard36.boards import Board
    from engines.bitboard36.words import Word

__all__ = ["legal_moves", "perft"]


def legal_moves(board: Board) -> tuple[tuple[Position, Position], ...]:
    """Every (origin, target) that `after_move` takes, in the order of the origins and, for each,
    of the targets: each piece of the player who plays, to each empty cell."""
    origins, _ = _own_and_other(board)
    empty = tuple(cells(FULL & ~board.pieces))
    return tuple(
        (Position(origin), Position(target)) for origin in cells(origins) for target in empty
    )


def perft(board: Board, depth: int) -> int:
    """How many sequences of `depth` legal moves can be played from this board; 1 for depth 0.

    Raises ValueError for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    # A product: no move takes a piece off the board, so that each player always has as many pieces,
    # and there are always as many empty cells.
    playing, waiting = (pieces.bit_count() for pieces in _own_and_other(board))
    empty = CELLS - board.pieces.bit_count()
    sequences = 1
    for _ in range(depth):
        sequences *= playing * empty
        playing, waiting = waiting, playing
    return sequences


def _own_and_other(board: Board) -> tuple[Word, Word]:
    if board.to_play is Player.WHITE:
        return board.white, board.black
    return board.black, board.white
