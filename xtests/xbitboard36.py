"""xbitboard36: what can be asked of a board of 6 x 6 cells, and of what moves make of it.

Decode, ask the engine, encode; nothing else. The contract is docs/xbitboard36.md.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

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
from xtests.request import asked, check_once, member, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engines.bitboard36.words import Word
    from harness.jsontext import Json, Printable

__all__ = ["Request", "answer", "main", "request"]

Query: TypeAlias = "Callable[[Board], Printable]"

# The deepest at which no board has more than 2^53 sequences: 10 pieces, 8 and 18 empty cells make
# 3.1e15 of 7 moves, and 9, 9 and 18 make 4.7e17 of 8.
_DEEPEST: Final = 7

_REQUEST: Final = 'a request {"state": ..., "moves": [...], "ask": [...]}, "ask" at least,'
_DEPTH: Final = f"an integer from 0 to {_DEEPEST} (a depth)"
_DEPTHS: Final = spellings(range(_DEEPEST + 1))

_EMPTY: Final = Board(0, 0)


class Request(NamedTuple):
    """One thing to do: from where, what is played, and what is asked then, by name."""

    board: Board
    moves: tuple[Move, ...]
    ask: list[tuple[str, Query]]


def answer(each: Json, at: Pointer) -> Printable:
    """One member for each query.

    Raises Refused: the form is not that of a request; its state contradicts itself, or a query
    comes twice; a move is illegal.
    """
    start, played, ask = request(each, at)
    there = _after(start, played, member(at, "moves"))
    return {name: query(there) for name, query in ask}


def request(each: Json, at: Pointer) -> Request:
    """A request that is in order by itself; whether its moves are legal, the board tells. Raises
    Refused."""
    parts = members(each, at, _PARTS_OF_A_REQUEST, _REQUEST, required=("ask",))
    start = _EMPTY
    # Form is done; contradictions come in the order in which the members do.
    for name, part in parts.items():
        if name == "state":
            start = board(part, member(at, name))
        elif name == "ask":
            check_once([query for query, _ in part], member(at, name))
    return Request(start, parts.get("moves", ()), parts["ask"])


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_each("xbitboard36", answer, requires=None, goes_on=True)


def _after(start: Board, played: Iterable[Move], at: Pointer) -> Board:
    there = start
    for k, (origin, target) in enumerate(played):
        try:
            there = after_move(there, origin, target)
        except IllegalMove as problem:
            here = element(at, k)
            message = (
                f"the move at {here} cannot be made: position {problem.value}: {problem.reason}"
            )
            raise Refused(Kind.ILLEGAL_MOVE, here, message) from problem
    return there


def _ask(queries: Json, at: Pointer) -> list[tuple[str, Query]]:
    return asked(queries, at, _PLAIN_QUERIES, _QUERIES_TAKING)


_PARTS_OF_A_REQUEST: Final[dict[str, Callable[[Json, Pointer], Any]]] = {
    "state": board_spec,
    "moves": moves,
    "ask": _ask,
}


# What can be asked for. A query with a parameter becomes one without, once that is read.


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


def _value(parameter: Json, at: Pointer) -> Query:
    cell = position(parameter, at)
    return _of_both(lambda word: value(word, cell))


def _toggled(parameter: Json, at: Pointer) -> Query:
    cell = position(parameter, at)
    return _of_both(lambda word: toggled(word, cell))


def _moved(parameter: Json, at: Pointer) -> Query:
    origin, target = move(parameter, at)
    return _of_both(lambda word: moved(word, origin, target))


def _neighbour_count(parameter: Json, at: Pointer) -> Query:
    cell = position(parameter, at)
    return lambda there: neighbour_count(there.pieces, cell)


def _row_column(parameter: Json, at: Pointer) -> Query:
    cell = position(parameter, at)
    return lambda _: {"row": row_of(cell), "column": column_of(cell)}


def _position_at(parameter: Json, at: Pointer) -> Query:
    cell = place(parameter, at)
    return lambda _: cell


def _perft(parameter: Json, at: Pointer) -> Query:
    depth = number(parameter, at, _DEPTHS, _DEPTH)
    return lambda there: perft(there, depth)


_PLAIN_QUERIES: Final[dict[str, Query]] = {
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
_QUERIES_TAKING: Final[dict[str, Callable[[Json, Pointer], Query]]] = {
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
