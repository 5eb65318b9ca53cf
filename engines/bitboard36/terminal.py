"""Boards as ASCII text: the pieces beside the neighbour counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engines.bitboard36.boards import Board
from engines.bitboard36.neighbours import neighbour_counts
from engines.bitboard36.shape import POSITIONS, SIDE, Position
from engines.bitboard36.words import hexadecimal

__all__ = ["board_text"]

_COLUMNS: Final = " ".join(map(str, range(SIDE)))


def board_text(board: Board) -> str:
    """Return the player to move, the pieces (W and B) beside the neighbour counts, and both words.

    Row 0 is the lowest. There are no trailing spaces and no final newline.
    """
    pieces = _join_by_row([_piece_letter(board, at) for at in POSITIONS])
    counts = _join_by_row([str(count) for count in neighbour_counts(board.pieces)])
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


def _piece_letter(board: Board, at: Position) -> str:
    if board.white >> at & 1:
        return "W"
    return "B" if board.black >> at & 1 else "."


def _join_by_row(signs: Sequence[str]) -> list[str]:
    """Return one line per row, row 0 first, from one letter per position."""
    return [" ".join(signs[first : first + SIDE]) for first in range(0, len(signs), SIDE)]
