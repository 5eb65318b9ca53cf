"""All legal moves of a board, and the number of move sequences.

Legality is defined by `after_move` in boards.py. Source: docs/bitboard36.md, "Moves".
"""

from __future__ import annotations

from engines.bitboard36.boards import Board, Player
from engines.bitboard36.shape import CELLS, FULL, Position
from engines.bitboard36.words import Word
from engines.bits import cells

__all__ = ["legal_moves", "perft"]


def legal_moves(board: Board) -> tuple[tuple[Position, Position], ...]:
    """Return every (origin, target) that `after_move` accepts, in ascending order."""
    origins, _ = _own_and_other(board)
    empty = tuple(cells(FULL & ~board.pieces))
    return tuple(
        (Position(origin), Position(target)) for origin in cells(origins) for target in empty
    )


def perft(board: Board, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves from this board; 1 for depth 0.

    Raises ValueError for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    # A product, as no move changes the number of pieces of either player or of empty cells.
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
