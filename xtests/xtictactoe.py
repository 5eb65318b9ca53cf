"""xtictactoe: what holds in a position of tic-tac-toe, asked request by request.

Decode, ask the engine, encode; nothing else. The contract is docs/xtictactoe.md.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

from engines import tictactoe
from engines.bits import cells
from engines.tictactoe.board import Cell, Player, State
from xtests import stdio
from xtests.form import array, number, spellings, unexpected, word
from xtests.refusal import Kind, Pointer, Refused, element
from xtests.request import member, members, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.jsontext import Json, Printable
    from xtests.request import Answerer, Reader

__all__ = ["Position", "Request", "answer", "main", "request"]

_REQUEST: Final = 'a request {"ask": [...]}, with or without "state" and "moves",'
_STATE: Final = 'a state {"board": ..., "player": ...}'
_BOARD: Final = 'a board (nine symbols out of "X", "O" and ".")'
_PLAYER: Final = 'a player ("X" or "O")'
_CELL: Final = "a cell (an integer from 0 to 8)"
_PLACE: Final = "a place [row, column]"
_ROW: Final = "a row (an integer from 0 to 2)"
_COLUMN: Final = "a column (an integer from 0 to 2)"
_DEPTH: Final = "a depth (an integer from 0 to 9)"

_EMPTY: Final = "." * 9
_SYMBOLS: Final = {"X", "O", "."}
_PLAYERS: Final = {player.name: player for player in Player}
_CELLS: Final = spellings(map(Cell, range(9)))
_DEPTHS: Final = spellings(range(10))
_ROWS: Final = spellings(range(3))


class Position(NamedTuple):
    """What a query is asked of: a state, and who is to move."""

    state: State
    player: Player


class Request(NamedTuple):
    """A request, as its form has it: whether its board can be, and its moves be made, is open."""

    board: str
    player: Player
    moves: tuple[Cell, ...]
    asked: dict[str, Answerer[Position]]


def answer(value: Json, at: Pointer) -> Printable:
    """What is asked for, by name, of the position after the moves.

    Raises Refused: the form is not that of a request; both players hold a line; a move cannot be
    made.
    """
    asked_for = request(value, at)
    position = _first_position(asked_for, at)
    for k, cell in enumerate(asked_for.moves):
        position = _after(position, cell, element(member(at, "moves"), k))
    return {name: answerer(position) for name, answerer in asked_for.asked.items()}


def request(value: Json, at: Pointer) -> Request:
    """The form of a request. Raises Refused for its first fault in document order."""
    found = Request(_EMPTY, Player.X, (), {})
    for name, part, place in members(value, at, ("ask",), ("state", "moves"), _REQUEST):
        if name == "state":
            board, player = _state(part, place)
            found = found._replace(board=board, player=player)
        elif name == "moves":
            found = found._replace(moves=_moves(part, place))
        else:
            found = found._replace(asked=queries(part, place, _PLAIN, _WITH_ARGUMENT))
    return found


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.answer_each("xtictactoe", answer, requires=None, goes_on=True)


# The form of a request's parts.


def _state(value: Json, at: Pointer) -> tuple[str, Player]:
    board, player = _EMPTY, Player.X
    for name, part, place in members(value, at, ("board", "player"), (), _STATE):
        if name == "board":
            board = _board(part, place)
        else:
            player = word(part, place, _PLAYERS, _PLAYER)
    return board, player


def _board(value: Json, at: Pointer) -> str:
    if not isinstance(value, str) or len(value) != len(_EMPTY) or set(value) - _SYMBOLS:
        raise unexpected(value, at, _BOARD)
    return value


def _moves(value: Json, at: Pointer) -> tuple[Cell, ...]:
    moves = array(value, at, None, "an array of moves")
    return tuple(_cell(move, element(at, k)) for k, move in enumerate(moves))


def _cell(value: Json, at: Pointer) -> Cell:
    return number(value, at, _CELLS, _CELL)


def _cell_at(value: Json, at: Pointer) -> Cell:
    parts = array(value, at, (2,), _PLACE)
    row = number(parts[0], element(at, 0), _ROWS, _ROW)
    column = number(parts[1], element(at, 1), _ROWS, _COLUMN)
    return tictactoe.cell_at(row, column).value()


# The position that is asked about.


def _first_position(asked_for: Request, at: Pointer) -> Position:
    state = tictactoe.parse(asked_for.board)
    if state.is_error():
        # Its form is right, so it is a board on which both players hold a line.
        place = member(member(at, "state"), "board")
        message = f"the board at {place} cannot be: {state.error()}"
        raise Refused(Kind.INVALID_SPEC, place, message)
    return Position(state.value(), asked_for.player)


def _after(position: Position, cell: Cell, at: Pointer) -> Position:
    state, player = position
    after = tictactoe.place(state, player, cell)
    if after.is_error():
        message = f"the move at {at} cannot be made: {after.error()}"
        raise Refused(Kind.ILLEGAL_MOVE, at, message)
    return Position(after.value(), player.other)


# What is printed.


def _printed(state: State, player: Player) -> Printable:
    return {"board": tictactoe.symbols(state), "player": player.name}


def _all_printed(states: Iterable[State], player: Player) -> Printable:
    return [_printed(state, player) for state in states]


def _printed_player(player: Player | None) -> Printable:
    return None if player is None else player.name


def _marks(position: Position) -> Printable:
    return {player.name: _listed(tictactoe.marks(position.state, player)) for player in Player}


def _listed(mask: int) -> Printable:
    return list(cells(mask))


def _move_values(position: Position) -> Printable:
    values = tictactoe.move_values(*position)
    return [{"cell": cell, "value": value} for cell, value in values]


def _symbol(state: State, cell: Cell) -> Printable:
    mark = tictactoe.mark_at(state, cell)
    return " " if mark is None else mark.name


def _tree(position: Position) -> Printable:
    tree = tictactoe.tree(*position)
    return {**tree._asdict(), "games": tree.games}


def _reachable(position: Position) -> Printable:
    states = tictactoe.reachable(*position)
    distinct = {tictactoe.canonical(state) for state in states}
    return {"states": len(states), "up_to_symmetry": len(distinct)}


def _text(position: Position) -> Printable:
    # Imported here: one query of many needs it, and it costs as much as the rest of the engine.
    from engines.tictactoe.notebook import to_board  # pylint: disable=import-outside-toplevel

    return to_board(position.state)


# A name of the engine is loaded, with its module, when it is first asked for.
_PLAIN: Final[dict[str, Answerer[Position]]] = {
    "state": lambda asked: _printed(*asked),
    "player": lambda asked: asked.player.name,
    "bitboard": lambda asked: asked.state,
    "marks": _marks,
    "text": _text,
    "picture": lambda asked: tictactoe.board_text(asked.state),
    "actions": lambda asked: tictactoe.moves(asked.state),
    "next_states": lambda asked: _all_printed(tictactoe.next_states(*asked), asked.player.other),
    "finished": lambda asked: tictactoe.finished(asked.state),
    "utility": lambda asked: tictactoe.utility(asked.state),
    "winner": lambda asked: _printed_player(tictactoe.winner(asked.state)),
    "winning_lines": lambda asked: list(map(_listed, tictactoe.winning_lines(asked.state))),
    "value": lambda asked: tictactoe.value(*asked),
    "best_moves": lambda asked: tictactoe.best_moves(*asked),
    "move_values": _move_values,
    "turned": lambda asked: _printed(tictactoe.turned(asked.state), asked.player),
    "mirrored": lambda asked: _printed(tictactoe.mirrored(asked.state), asked.player),
    "images": lambda asked: _all_printed(tictactoe.images(asked.state), asked.player),
    "canonical": lambda asked: _printed(tictactoe.canonical(asked.state), asked.player),
    "tree": _tree,
    "reachable": _reachable,
}


def _mark_query(value: Json, at: Pointer) -> Answerer[Position]:
    cell = _cell(value, at)
    return lambda asked: _printed_player(tictactoe.mark_at(asked.state, cell))


def _symbol_query(value: Json, at: Pointer) -> Answerer[Position]:
    cell = _cell_at(value, at)
    return lambda asked: _symbol(asked.state, cell)


def _perft_query(value: Json, at: Pointer) -> Answerer[Position]:
    depth = number(value, at, _DEPTHS, _DEPTH)
    return lambda asked: tictactoe.perft(*asked, depth)


_WITH_ARGUMENT: Final[dict[str, Reader[Position]]] = {
    "mark": _mark_query,
    "symbol": _symbol_query,
    "perft": _perft_query,
}


if __name__ == "__main__":
    main()
