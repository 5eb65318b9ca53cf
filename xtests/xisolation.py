"""xisolation: what can be asked of a state of Isolation, and of what moves make of it.

Decode, ask the engine, encode; which states go together is decided here. The contract is
docs/xisolation.md.
"""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple, NoReturn, TypeAlias

from engines.isolation.debug import DebugState
from engines.isolation.encoding import GRID, Encoding
from engines.isolation.moves import Action, open_cells
from engines.isolation.picture import board_text
from engines.isolation.state import IllegalAction, Isolation, perft
from xtests import stdio
from xtests.form import array, number, spellings, unexpected
from xtests.refusal import Kind, Pointer, Refused, element
from xtests.request import member, members, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.jsontext import Json, Printable
    from xtests.request import Answerer, Reader

__all__ = ["Request", "StateSpec", "answer", "main", "request"]

Locs: TypeAlias = tuple[int | None, int | None]
# A member of a state, or an element of that member.
Part: TypeAlias = tuple[str] | tuple[str, int]

_DEEPEST: Final = 6  # from the start, 8.5 million sequences: half a second
_LARGEST: Final = 32  # side of a board whose encoding is asked for

_REQUEST: Final = 'a request {"ask": [...]}, with or without "state" and "moves",'
_STATE: Final = 'a state {"board": ..., "ply_count": ..., "locs": ...}'
_BOARD: Final = "a board (a string, the decimal digits of a number whose ones are open cells)"
_PLY_COUNT: Final = "an integer from 0 to 99 (how many actions have been played)"
_LOCS: Final = "an array of two (a cell each, or null for a piece not yet placed)"
_LOC: Final = "null or a cell (an integer from 0 to 114, without the numbers between the rows)"
_MOVE: Final = "an integer from -27 to 114 (a cell or a step)"
_INDEX: Final = "an integer from -27 to 114 (an index of the board or a step)"
_PLAYER: Final = "0 (player 1) or 1 (player 2)"
_DEPTH: Final = f"an integer from 0 to {_DEEPEST} (a depth)"
_ENCODING: Final = 'a size {"width": ..., "height": ...}'
_SIDE: Final = f"an integer from 1 to {_LARGEST}"

_CELLS: Final = spellings(open_cells(GRID.open_board))
_PLY_COUNTS: Final = spellings(range(len(_CELLS) + 1))
_INDICES: Final = spellings(range(min(Action), GRID.length))
_PLAYERS: Final = spellings(range(2))
_DEPTHS: Final = spellings(range(_DEEPEST + 1))
_SIDES: Final = spellings(range(1, _LARGEST + 1))

_MOST_DIGITS: Final = len(str(GRID.open_board))
_UTILITIES: Final = {inf: "win", -inf: "loss", 0: "open"}


class StateSpec(NamedTuple):
    """A state as it is written, each part by itself one that a state can have; `order` has the
    names of the parts as they came."""

    board: int = GRID.open_board
    ply_count: int = 0
    locs: Locs = (None, None)
    order: tuple[str, ...] = ()


class Request(NamedTuple):
    """A request whose form is that of one."""

    state: StateSpec
    moves: tuple[int, ...]
    asked: dict[str, Answerer[Isolation]]


def answer(value: Json, at: Pointer) -> Printable:
    """What is asked for, by name, of the state after the moves.

    Raises Refused: the form is not that of a request; the state contradicts itself; a move cannot
    be played.
    """
    asked_for = request(value, at)
    state = _consistent(asked_for.state, member(at, "state"))
    for k, move in enumerate(asked_for.moves):
        state = _played(state, move, element(member(at, "moves"), k))
    return {name: answered(state) for name, answered in asked_for.asked.items()}


def request(value: Json, at: Pointer) -> Request:
    """The form of a request. Raises Refused for its first fault in document order."""
    decoded = Request(StateSpec(), (), {})
    for name, part, place in members(value, at, ("ask",), ("state", "moves"), _REQUEST):
        if name == "state":
            decoded = decoded._replace(state=_state(part, place))
        elif name == "moves":
            decoded = decoded._replace(moves=_moves(part, place))
        else:
            decoded = decoded._replace(asked=queries(part, place, _PLAIN, _WITH_ARGUMENT))
    return decoded


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_each("xisolation", answer, requires=None, goes_on=True)


# The form of a state and of moves, value by value.


def _state(value: Json, at: Pointer) -> StateSpec:
    spec = StateSpec()
    for name, part, place in members(value, at, ("board", "ply_count", "locs"), (), _STATE):
        if name == "board":
            spec = spec._replace(board=_board(part, place))
        elif name == "ply_count":
            spec = spec._replace(ply_count=number(part, place, _PLY_COUNTS, _PLY_COUNT))
        else:
            spec = spec._replace(locs=_locs(part, place))
        spec = spec._replace(order=(*spec.order, name))
    return spec


def _board(value: Json, at: Pointer) -> int:
    # The length first: to convert a million digits would take minutes.
    if isinstance(value, str) and len(value) <= _MOST_DIGITS and _is_decimal(value):
        board = int(value)
        if board | GRID.open_board == GRID.open_board:
            return board
    raise unexpected(value, at, _BOARD)


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _locs(value: Json, at: Pointer) -> Locs:
    first, second = array(value, at, (2,), _LOCS)
    return _loc(first, element(at, 0)), _loc(second, element(at, 1))


def _loc(value: Json, at: Pointer) -> int | None:
    return None if value is None else number(value, at, _CELLS, _LOC)


def _moves(value: Json, at: Pointer) -> tuple[int, ...]:
    moves = array(value, at, None, "an array of moves")
    return tuple(number(move, element(at, k), _INDICES, _MOVE) for k, move in enumerate(moves))


# What the parts of a state have to do with each other.


def _consistent(spec: StateSpec, at: Pointer) -> Isolation:
    """Refuse a state of which two parts contradict each other: at the later one; of several, at the
    first that is the later part of two."""

    def rank(part: Part) -> tuple[int, ...]:
        return (spec.order.index(part[0]), *part[1:])

    found = [(max(one, other, key=rank), why) for one, other, why in _contradictions(spec)]
    if found:
        part, why = min(found, key=lambda each: rank(each[0]))
        place = Pointer("/".join([at, *map(str, part)]))
        message = f"the state contradicts itself at {place}: {why}"
        raise Refused(Kind.INVALID_SPEC, place, message)
    return Isolation(spec.board, spec.ply_count, spec.locs)


def _contradictions(spec: StateSpec) -> Iterator[tuple[Part, Part, str]]:
    """The two parts, and what of them does not go together."""
    board, played, locs, _ = spec
    blocked = len(_CELLS) - board.bit_count()
    if blocked != played:
        why = f"every action blocks one cell, found {blocked} blocked and {played} played"
        yield ("board",), ("ply_count",), why
    for player, loc in enumerate(locs):
        if (played > player) != (loc is not None):
            why = f"the first two actions place the pieces, found {played} played and player "
            is_placed = "not placed" if loc is None else "placed"
            yield ("ply_count",), ("locs", player), f"{why}{player + 1} {is_placed}"
        if loc is not None and board >> loc & 1:
            why = f"a piece blocks its cell, found cell {loc} of player {player + 1} open"
            yield ("board",), ("locs", player), why
    if locs[0] is not None and locs[0] == locs[1]:
        yield ("locs", 0), ("locs", 1), f"two cells expected for two pieces, found {locs[0]} twice"


def _played(state: Isolation, move: int, at: Pointer) -> Isolation:
    try:
        return state.result(move)
    except IllegalAction as problem:
        message = f"the move at {at} cannot be played: {problem}"
        raise Refused(Kind.ILLEGAL_MOVE, at, message) from problem


# What can be asked for: by the name of a query, what answers it, or what reads its argument first.


def _state_of(state: Isolation) -> Printable:
    return {"board": str(state.board), "ply_count": state.ply_count, "locs": list(state.locs)}


def _bitboard_of(state: Isolation) -> Printable:
    return DebugState.from_state(state).bitboard_string


def _text_of(state: Isolation) -> Printable:
    return str(DebugState.from_state(state))


def _liberties(value: Json, at: Pointer) -> Answerer[Isolation]:
    loc = _loc(value, at)
    return lambda state: state.liberties(loc)


def _utility(value: Json, at: Pointer) -> Answerer[Isolation]:
    player = number(value, at, _PLAYERS, _PLAYER)
    return lambda state: _UTILITIES[state.utility(player)]


def _ind2xy(value: Json, at: Pointer) -> Answerer[Isolation]:
    index = number(value, at, _INDICES, _INDEX)
    return lambda _: DebugState.ind2xy(index)


def _perft(value: Json, at: Pointer) -> Answerer[Isolation]:
    depth = number(value, at, _DEPTHS, _DEPTH)
    return lambda state: perft(state, depth)


def _encoding(value: Json, at: Pointer) -> Answerer[Isolation]:
    sides = {
        name: number(part, place, _SIDES, _SIDE)
        for name, part, place in members(value, at, ("width", "height"), (), _ENCODING)
    }
    encoding = Encoding(**sides)
    return lambda _: {
        "length": encoding.length,
        "north": encoding.north,
        "east": encoding.east,
        "south": encoding.south,
        "west": encoding.west,
        "open_board": str(encoding.open_board),
    }


_PLAIN: Final[dict[str, Answerer[Isolation]]] = {
    "state": _state_of,
    "player": Isolation.player,
    "actions": Isolation.actions,
    "terminal": Isolation.terminal_test,
    "bitboard": _bitboard_of,
    "text": _text_of,
    "picture": board_text,
}
_WITH_ARGUMENT: Final[dict[str, Reader[Isolation]]] = {
    "liberties": _liberties,
    "utility": _utility,
    "ind2xy": _ind2xy,
    "perft": _perft,
    "encoding": _encoding,
}


if __name__ == "__main__":
    main()
