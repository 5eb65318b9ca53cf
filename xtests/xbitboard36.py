"""xbitboard36: answer queries about a 36-bit board, for a stream of requests.

docs/games/bitboard36.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from engines.bitboard36.boards import (
    Board,
    after_move,
    base_state,
    legal_moves,
    perft,
    state_of,
    variants,
)
from engines.bitboard36.errors import IllegalMove
from engines.bitboard36.neighbours import neighbour_count, neighbour_counts, neighbour_planes
from engines.bitboard36.shape import column_of, row_of
from engines.bitboard36.terminal import board_text
from engines.bitboard36.words import (
    hexadecimal,
    horizontal_mirror,
    moved,
    toggled,
    value,
    vertical_mirror,
)
from engines.bits import cells
from xtests import stdio
from xtests.bitboard36_wire import (
    EMPTY_BOARD,
    MOVES,
    BoardSpec,
    Move,
    make_board,
    parse_board,
    parse_move,
    parse_place,
    parse_position,
    print_board,
    print_state,
)
from xtests.errors import InputError, Kind, Pointer
from xtests.parsing import integers_by_text, parse_number
from xtests.request import Query, QueryParser, RequestHandler

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines.bitboard36.words import Word
    from harness.jsonio.decoder import Json, Printable

__all__ = ["REQUESTS", "main"]

# The greatest depth at which every count is below 2^53: of 7 moves there are at most 3.1e15
# sequences (10 and 8 pieces, 18 empty cells), of 8 moves 4.7e17 (9 and 9 pieces).
_MAX_DEPTH: Final = 7
_DEPTH: Final = f"an integer from 0 to {_MAX_DEPTH} (a depth)"
_DEPTHS: Final = integers_by_text(range(_MAX_DEPTH + 1))


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_stream("xbitboard36", REQUESTS.answer, requires=None, survives_errors=True)


def _play(board: Board, move: Move, at: Pointer) -> Board:
    try:
        return after_move(board, *move)
    except IllegalMove as problem:
        message = f"the move at {at} cannot be made: position {problem.value}: {problem.reason}"
        raise InputError(Kind.ILLEGAL_MOVE, at, message) from problem


def _for_each_colour(query: Callable[[Word], Printable]) -> Query[Board]:
    return lambda board: {"white": query(board.white), "black": query(board.black)}


def _actions(board: Board) -> Printable:
    return [list(move) for move in legal_moves(board)]


def _variants(board: Board) -> Printable:
    four = variants(state_of(board))
    return {name: print_board(variant) for name, variant in four._asdict().items()}


def _planes(board: Board) -> Printable:
    names = ("ones", "twos", "fours", "eights")
    return dict(zip(names, neighbour_planes(board.pieces), strict=True))


def _value(argument: Json, at: Pointer) -> Query[Board]:
    cell = parse_position(argument, at)
    return _for_each_colour(lambda word: value(word, cell))


def _toggled(argument: Json, at: Pointer) -> Query[Board]:
    cell = parse_position(argument, at)
    return _for_each_colour(lambda word: toggled(word, cell))


def _moved(argument: Json, at: Pointer) -> Query[Board]:
    origin, target = parse_move(argument, at)
    return _for_each_colour(lambda word: moved(word, origin, target))


def _neighbour_count(argument: Json, at: Pointer) -> Query[Board]:
    cell = parse_position(argument, at)
    return lambda board: neighbour_count(board.pieces, cell)


def _row_column(argument: Json, at: Pointer) -> Query[Board]:
    cell = parse_position(argument, at)
    return lambda _: {"row": row_of(cell), "column": column_of(cell)}


def _position_at(argument: Json, at: Pointer) -> Query[Board]:
    cell = parse_place(argument, at)
    return lambda _: cell


def _perft(argument: Json, at: Pointer) -> Query[Board]:
    depth = parse_number(argument, at, _DEPTHS, _DEPTH)
    return lambda board: perft(board, depth)


_PLAIN: Final[dict[str, Query[Board]]] = {
    "state": print_board,
    "player": lambda board: board.to_play.value,
    "to_play": lambda board: board.to_play.value,
    "pieces": lambda board: board.pieces,
    "positions": _for_each_colour(lambda word: list(cells(word))),
    "hexadecimal": _for_each_colour(hexadecimal),
    "text": board_text,
    "actions": _actions,
    "current_next": lambda board: print_state(state_of(board)),
    "base_state": lambda board: print_state(base_state(board)),
    "variants": _variants,
    "horizontal_mirror": _for_each_colour(horizontal_mirror),
    "vertical_mirror": _for_each_colour(vertical_mirror),
    "neighbour_counts": lambda board: neighbour_counts(board.pieces),
    "neighbour_planes": _planes,
}
_WITH_ARGUMENT: Final[dict[str, QueryParser[Board]]] = {
    "value": _value,
    "toggled": _toggled,
    "moved": _moved,
    "neighbour_count": _neighbour_count,
    "row_column": _row_column,
    "position_at": _position_at,
    "perft": _perft,
}
REQUESTS: Final[RequestHandler[BoardSpec, Move, Board]] = RequestHandler(
    EMPTY_BOARD, parse_board, parse_move, MOVES, make_board, _play, _PLAIN, _WITH_ARGUMENT
)


if __name__ == "__main__":
    main()
