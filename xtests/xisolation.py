"""xisolation: answer queries about states of Isolation, for a stream of requests.

docs/games/isolation.md specifies the program and which states are consistent.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeAlias

from engines.isolation.debug import DebugState
from engines.isolation.encoding import GRID, Encoding
from engines.isolation.moves import Action, open_cells
from engines.isolation.picture import board_text
from engines.isolation.state import IllegalAction, Isolation, perft
from xtests import stdio
from xtests.errors import InputError, Kind, Pointer, element
from xtests.parsing import (
    integers_by_text,
    parse_array,
    parse_members,
    parse_number,
    unexpected,
)
from xtests.request import RequestHandler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.jsonio.decoder import Json, Printable
    from xtests.request import Query, QueryParser

__all__ = ["REQUESTS", "StateSpec", "main"]

Locs: TypeAlias = tuple[int | None, int | None]
# The path of a part of a state: a member, or an element of one.
Part: TypeAlias = tuple[str] | tuple[str, int]

_MAX_DEPTH: Final = 6  # 8.5 million sequences from the start: half a second
_MAX_SIDE: Final = 32  # of the board in a query "encoding"

_STATE: Final = 'a state {"board": ..., "ply_count": ..., "locs": ...}'
_BOARD: Final = "a board (a string, the decimal digits of a number whose ones are open cells)"
_PLY_COUNT: Final = "an integer from 0 to 99 (how many actions have been played)"
_LOCS: Final = "an array of two (a cell each, or null for a piece not yet placed)"
_LOC: Final = "null or a cell (an integer from 0 to 114, without the numbers between the rows)"
_MOVE: Final = "an integer from -27 to 114 (a cell or a step) or the name of a step"
_INDEX: Final = "an integer from -27 to 114 (an index of the board or a step)"
_PLAYER: Final = "0 (player 1) or 1 (player 2)"
_DEPTH: Final = f"an integer from 0 to {_MAX_DEPTH} (a depth)"
_ENCODING: Final = 'a size {"width": ..., "height": ...}'
_SIDE: Final = f"an integer from 1 to {_MAX_SIDE}"

_CELLS: Final = integers_by_text(open_cells(GRID.open_board))
_PLY_COUNTS: Final = integers_by_text(range(len(_CELLS) + 1))
_STEPS: Final = {step.name: step for step in Action}
_INDICES: Final = integers_by_text(range(min(Action), GRID.length))
_PLAYERS: Final = integers_by_text(range(2))
_DEPTHS: Final = integers_by_text(range(_MAX_DEPTH + 1))
_SIDES: Final = integers_by_text(range(1, _MAX_SIDE + 1))

_MOST_DIGITS: Final = len(str(GRID.open_board))
_UTILITIES: Final = {inf: "win", -inf: "loss", 0: "open"}


class StateSpec(NamedTuple):
    """A state as written, perhaps inconsistent; `order` has its members in document order."""

    board: int = GRID.open_board
    ply_count: int = 0
    locs: Locs = (None, None)
    order: tuple[str, ...] = ()


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_stream("xisolation", REQUESTS.answer, requires=None, survives_errors=True)


# Parsers of states and moves.


def _parse_state(value: Json, at: Pointer) -> StateSpec:
    spec = StateSpec()
    for name, part, place in parse_members(value, at, ("board", "ply_count", "locs"), (), _STATE):
        if name == "board":
            spec = spec._replace(board=_parse_board(part, place))
        elif name == "ply_count":
            spec = spec._replace(ply_count=parse_number(part, place, _PLY_COUNTS, _PLY_COUNT))
        else:
            spec = spec._replace(locs=_parse_locs(part, place))
        spec = spec._replace(order=(*spec.order, name))
    return spec


def _parse_board(value: Json, at: Pointer) -> int:
    # The length is checked first: converting a million digits takes minutes.
    if isinstance(value, str) and len(value) <= _MOST_DIGITS and _is_canonical_decimal(value):
        board = int(value)
        if board | GRID.open_board == GRID.open_board:
            return board
    raise unexpected(value, at, _BOARD)


def _is_canonical_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _parse_locs(value: Json, at: Pointer) -> Locs:
    first, second = parse_array(value, at, (2,), _LOCS)
    return _parse_loc(first, element(at, 0)), _parse_loc(second, element(at, 1))


def _parse_loc(value: Json, at: Pointer) -> int | None:
    return None if value is None else parse_number(value, at, _CELLS, _LOC)


def _parse_move(value: Json, at: Pointer) -> int:
    if isinstance(value, str) and value in _STEPS:
        return _STEPS[value]
    return parse_number(value, at, _INDICES, _MOVE)


# The state that the queries are about.


def _make_state(spec: StateSpec, at: Pointer) -> Isolation:
    """Return the state. Raise InputError at the later of two parts that contradict each other; of
    several such parts, at the first."""

    def rank(part: Part) -> tuple[int, ...]:
        return (spec.order.index(part[0]), *part[1:])

    found = [(max(one, other, key=rank), why) for one, other, why in _contradictions(spec)]
    if found:
        part, why = min(found, key=lambda each: rank(each[0]))
        place = Pointer("/".join([at, *map(str, part)]))
        message = f"the state contradicts itself at {place}: {why}"
        raise InputError(Kind.INVALID_SPEC, place, message)
    return Isolation(spec.board, spec.ply_count, spec.locs)


def _contradictions(spec: StateSpec) -> Iterator[tuple[Part, Part, str]]:
    """Yield each pair of parts that contradict each other, and why."""
    board, played, locs, _ = spec
    blocked = len(_CELLS) - board.bit_count()
    if blocked != played:
        why = f"every action blocks one cell, found {blocked} blocked and {played} played"
        yield ("board",), ("ply_count",), why
    for player, loc in enumerate(locs):
        if (played > player) != (loc is not None):
            placed = "not placed" if loc is None else "placed"
            found = f"{played} played and player {player + 1} {placed}"
            why = f"the first two actions place the pieces, found {found}"
            yield ("ply_count",), ("locs", player), why
        if loc is not None and board >> loc & 1:
            why = f"a piece blocks its cell, found cell {loc} of player {player + 1} open"
            yield ("board",), ("locs", player), why
    if locs[0] is not None and locs[0] == locs[1]:
        yield ("locs", 0), ("locs", 1), f"two cells expected for two pieces, found {locs[0]} twice"


def _play(state: Isolation, move: int, at: Pointer) -> Isolation:
    # Only a name is parsed as an Action: the same number may be a cell.
    if isinstance(move, Action) and state.locs[state.player()] is None:
        message = (
            f"the move at {at} cannot be played: player {state.player() + 1} to move, whose piece "
            f"is not placed: expected an open cell, found the step {move.name}"
        )
        raise InputError(Kind.ILLEGAL_MOVE, at, message)
    try:
        return state.result(move)
    except IllegalAction as problem:
        message = f"the move at {at} cannot be played: {problem}"
        raise InputError(Kind.ILLEGAL_MOVE, at, message) from problem


# Queries.


def _print_state(state: Isolation) -> Printable:
    return {"board": str(state.board), "ply_count": state.ply_count, "locs": list(state.locs)}


def _bitboard(state: Isolation) -> Printable:
    return DebugState.from_state(state).bitboard_string


def _action_names(state: Isolation) -> Printable:
    return [action.name if isinstance(action, Action) else action for action in state.actions()]


def _text(state: Isolation) -> Printable:
    return str(DebugState.from_state(state))


def _liberties(value: Json, at: Pointer) -> Query[Isolation]:
    loc = _parse_loc(value, at)
    return lambda state: state.liberties(loc)


def _utility(value: Json, at: Pointer) -> Query[Isolation]:
    player = parse_number(value, at, _PLAYERS, _PLAYER)
    return lambda state: _UTILITIES[state.utility(player)]


def _ind2xy(value: Json, at: Pointer) -> Query[Isolation]:
    index = parse_number(value, at, _INDICES, _INDEX)
    return lambda _: DebugState.ind2xy(index)


def _perft(value: Json, at: Pointer) -> Query[Isolation]:
    depth = parse_number(value, at, _DEPTHS, _DEPTH)
    return lambda state: perft(state, depth)


def _encoding(value: Json, at: Pointer) -> Query[Isolation]:
    sides = {
        name: parse_number(part, place, _SIDES, _SIDE)
        for name, part, place in parse_members(value, at, ("width", "height"), (), _ENCODING)
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


_PLAIN: Final[dict[str, Query[Isolation]]] = {
    "state": _print_state,
    "player": Isolation.player,
    "to_play": Isolation.player,
    "player_number": lambda state: state.player() + 1,
    "actions": Isolation.actions,
    "action_names": _action_names,
    "terminal": Isolation.terminal_test,
    "finished": Isolation.terminal_test,
    "bitboard": _bitboard,
    "bits": _bitboard,
    "text": _text,
    "picture": board_text,
}
_WITH_ARGUMENT: Final[dict[str, QueryParser[Isolation]]] = {
    "liberties": _liberties,
    "utility": _utility,
    "ind2xy": _ind2xy,
    "perft": _perft,
    "encoding": _encoding,
}
REQUESTS: Final[RequestHandler[StateSpec, int, Isolation]] = RequestHandler(
    StateSpec(),
    _parse_state,
    _parse_move,
    "an array of moves",
    _make_state,
    _play,
    _PLAIN,
    _WITH_ARGUMENT,
)


if __name__ == "__main__":
    main()
