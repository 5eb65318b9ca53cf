"""xmoves: make initial placements and moves on an empty Tsuro board, and print the board.

docs/games/tsuro.md specifies the program and the reasons for which a move is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines.tsuro.board import Board, InitialMove, IntermediateMove, MoveRefusal
from engines.tsuro.colors import COLORS
from engines.tsuro.state import layout_of
from xtests import stdio, tsuro_wire
from xtests.errors import ROOT, Pointer, element
from xtests.parsing import parse_array, require_value

if TYPE_CHECKING:
    from engines.tsuro.board import RefusedMove
    from engines.tsuro.movement import Layout
    from engines.tsuro.positions import Square
    from harness.jsonio.decoder import Json, Printable

__all__ = ["MovesInput", "answer", "main", "parse_input"]

_PLACEMENTS: Final = "an array of placements"
_PLACEMENTS_AT: Final = element(ROOT, 0)

# The other reasons of a board cannot occur: the parser refuses what is none of the game, all
# placements come first, and avatars that were placed by the rules face an empty square.
_REASONS: Final = {
    MoveRefusal.ON_BOARD: "on-board",
    MoveRefusal.NO_POSITION: "no-position",
    MoveRefusal.NOT_ON_EDGE: "not-on-edge",
    MoveRefusal.NOT_FREE: "not-free",
    MoveRefusal.FACES_OFF: "faces-off",
    MoveRefusal.NOT_ON_BOARD: "not-on-board",
    MoveRefusal.LOOPS: "loops",
}


class MovesInput(NamedTuple):
    """The two lists of moves to make on an empty board."""

    placements: tuple[InitialMove, ...]
    moves: tuple[IntermediateMove, ...]


def parse_input(values: list[Json]) -> MovesInput:
    """Return the input. Raise InputError for its first malformed part in document order."""
    parts = parse_array(require_value(values, 0, _PLACEMENTS), _PLACEMENTS_AT, None, _PLACEMENTS)
    placements = tuple(
        tsuro_wire.parse_placement(part, element(_PLACEMENTS_AT, k)) for k, part in enumerate(parts)
    )
    moves = tuple(_parse_move(value, element(ROOT, k)) for k, value in enumerate(values[1:], 1))
    return MovesInput(placements, moves)


def answer(values: list[Json]) -> Printable:
    """Return the state of the board after all moves, or the first move that is refused."""
    board = Board()
    refused = board.play(*parse_input(values))
    return _print_board(layout_of(board.get_board_state())) if refused is None else _print(refused)


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_batch("xmoves", answer)


def _parse_move(value: Json, at: Pointer) -> IntermediateMove:
    player, tile = tsuro_wire.parse_action(value, at)
    return IntermediateMove(tile, player)


def _print(refused: RefusedMove) -> Printable:
    kind = "placement" if refused.is_initial else "move"
    return {"refused": {kind: refused.number, "reason": _REASONS[refused.refusal]}}


def _print_board(board: Layout) -> Printable:
    printed: list[Printable] = []
    for square in sorted(board.tiles):
        printed += _print_square(board, square)
    return printed


def _print_square(board: Layout, square: Square) -> list[Printable]:
    """Return the state-pats of a tile: one for each avatar on it, or one without an avatar."""
    here = [
        color for color in COLORS if color in board.avatars and board.avatars[color][0] == square
    ]
    tile = board.tiles[square]
    if not here:
        return [tsuro_wire.print_tile(tile, square)]
    return [tsuro_wire.print_state_pat(tile, color, board.avatars[color]) for color in here]


if __name__ == "__main__":
    main()
