"""xbitboard36: what can be asked of a board of 6 x 6 cells, and of what moves make of it.

Decode, ask the engine, encode; nothing else. The contract is docs/xbitboard36.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn, TypeAlias

from engines.bitboard36.boards import Board, after_move, base_state, state_of, variants
from engines.bitboard36.errors import IllegalMove
from engines.bitboard36.moves import legal_moves, perft
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
    BoardSpec,
    Move,
    board,
    board_spec,
    move,
    moves,
    place,
    position,
    printed_board,
    printed_state,
)
from xtests.form import number, spellings
from xtests.refusal import Kind, Pointer, Refused, element
from xtests.request import Answerer, Reader, member, members, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engines.bitboard36.words import Word
    from harness.jsontext import Json, Printable

__all__ = ["Request", "answer", "main", "request"]

Query: TypeAlias = Answerer[Board]

# The deepest at which no board has more than 2^53 sequences: 10 pieces, 8 and 18 empty cells make
# 3.1e15 of 7 moves, and 9, 9 and 18 make 4.7e17 of 8.
_DEEPEST: Final = 7

_REQUEST: Final = 'a request {"ask": [...]}, with or without "state" and "moves",'
_DEPTH: Final = f"an integer from 0 to {_DEEPEST} (a depth)"
_DEPTHS: Final = spellings(range(_DEEPEST + 1))


class Request(NamedTuple):
    """A request whose form is that of one."""

    state: BoardSpec
    moves: tuple[Move, ...]
    asked: dict[str, Query]


def answer(sent: Json, at: Pointer) -> Printable:
    """What is asked for, by name, of the board after the moves.

    Raises Refused: the form is not that of a request; both words of the state have a cell; a move
    is illegal.
    """
    start, played, asked = request(sent, at)
    there = board(start, member(at, "state"))
    for k, each in enumerate(played):
        there = _after(there, each, element(member(at, "moves"), k))
    return {name: query(there) for name, query in asked.items()}


def request(sent: Json, at: Pointer) -> Request:
    """The form of a request. Raises Refused for its first fault in document order."""
    decoded = Request(EMPTY_BOARD, (), {})
    for name, part, there in members(sent, at, ("ask",), ("state", "moves"), _REQUEST):
        if name == "state":
            decoded = decoded._replace(state=board_spec(part, there))
        elif name == "moves":
            decoded = decoded._replace(moves=moves(part, there))
        else:
            decoded = decoded._replace(asked=queries(part, there, _PLAIN, _WITH_ARGUMENT))
    return decoded


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_each("xbitboard36", answer, requires=None, goes_on=True)


def _after(there: Board, played: Move, at: Pointer) -> Board:
    try:
        return after_move(there, *played)
    except IllegalMove as problem:
        message = f"the move at {at} cannot be made: position {problem.value}: {problem.reason}"
        raise Refused(Kind.ILLEGAL_MOVE, at, message) from problem


# What can be asked for. A query with an argument becomes one without, once that is read.


def _of_both(query: Callable[[Word], Printable]) -> Query:
    """What a query about a word answers for a board: of each colour's word, by itself."""
    return lambda there: {"white": query(there.white), "black": query(there.black)}


def _actions(there: Board) -> Printable:
    return [list(each) for each in legal_moves(there)]


def _variants(there: Board) -> Printable:
    four = variants(state_of(there))
    return {name: printed_board(variant) for name, variant in four._asdict().items()}


def _planes(there: Board) -> Printable:
    names = ("ones", "twos", "fours", "eights")
    return dict(zip(names, neighbour_planes(there.pieces), strict=True))


def _value(argument: Json, at: Pointer) -> Query:
    cell = position(argument, at)
    return _of_both(lambda word: value(word, cell))


def _toggled(argument: Json, at: Pointer) -> Query:
    cell = position(argument, at)
    return _of_both(lambda word: toggled(word, cell))


def _moved(argument: Json, at: Pointer) -> Query:
    origin, target = move(argument, at)
    return _of_both(lambda word: moved(word, origin, target))


def _neighbour_count(argument: Json, at: Pointer) -> Query:
    cell = position(argument, at)
    return lambda there: neighbour_count(there.pieces, cell)


def _row_column(argument: Json, at: Pointer) -> Query:
    cell = position(argument, at)
    return lambda _: {"row": row_of(cell), "column": column_of(cell)}


def _position_at(argument: Json, at: Pointer) -> Query:
    cell = place(argument, at)
    return lambda _: cell


def _perft(argument: Json, at: Pointer) -> Query:
    depth = number(argument, at, _DEPTHS, _DEPTH)
    return lambda there: perft(there, depth)


_PLAIN: Final[dict[str, Query]] = {
    "state": printed_board,
    "player": lambda there: there.to_play.value,
    "pieces": lambda there: there.pieces,
    "positions": _of_both(lambda word: list(cells(word))),
    "hexadecimal": _of_both(hexadecimal),
    "text": board_text,
    "actions": _actions,
    "current_next": lambda there: printed_state(state_of(there)),
    "base_state": lambda there: printed_state(base_state(there)),
    "variants": _variants,
    "horizontal_mirror": _of_both(horizontal_mirror),
    "vertical_mirror": _of_both(vertical_mirror),
    "neighbour_counts": lambda there: neighbour_counts(there.pieces),
    "neighbour_planes": _planes,
}
_WITH_ARGUMENT: Final[dict[str, Reader[Board]]] = {
    "value": _value,
    "toggled": _toggled,
    "moved": _moved,
    "neighbour_count": _neighbour_count,
    "row_column": _row_column,
    "position_at": _position_at,
    "perft": _perft,
}


if __name__ == "__main__":
    main()
