"""Boards as text for a terminal: the pieces, and beside them the neighbour counts.

A pure function from a value to text, in ASCII alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engines.bitboard36.neighbours import neighbour_counts
from engines.bitboard36.shape import POSITIONS, SIDE
from engines.bitboard36.words import hexadecimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.bitboard36.boards import Board
    from engines.bitboard36.shape import Position

__all__ = ["board_text"]

_COLUMNS: Final = " ".join(map(str, range(SIDE)))


def board_text(board: Board) -> str:
    """Who plays, the pieces (W and B) beside the neighbour counts, and both words.

    Row 0 is the lowest. No line ends in a space, and the last one not in a newline.
    """
    pieces = _rows([_piece(board, at) for at in POSITIONS])
    counts = _rows([str(count) for count in neighbour_counts(board.pieces)])
    both = [f"{row}  {pieces[row]}    {counts[row]}" for row in reversed(range(SIDE))]
    heading = f"{board.to_play.value.capitalize()} to play"
    return "\n".join(
        [
            f"{heading:<18}neighbours",
            *both,
            f"   {_COLUMNS}    {_COLUMNS}",
            f"white {hexadecimal(board.white)}  black {hexadecimal(board.black)}",
        ]
    )


def _piece(board: Board, at: Position) -> str:
    if board.white >> at & 1:
        return "W"
    return "B" if board.black >> at & 1 else "."


def _rows(signs: Sequence[str]) -> list[str]:
    # By row, from row 0, as the positions are.
    return [" ".join(signs[first : first + SIDE]) for first in range(0, len(signs), SIDE)]
