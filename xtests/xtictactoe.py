"""xtictactoe: answer queries about positions of tic-tac-toe, for a stream of requests.

docs/games/tictactoe.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from engines import tictactoe
from engines.bits import cells
from engines.tictactoe.board import Cell, Player, State
from harness.jsonio.decoder import Number
from xtests import stdio
from xtests.errors import InputError, Kind, Pointer, element, member
from xtests.parsing import (
    integers_by_text,
    parse_array,
    parse_members,
    parse_number,
    parse_word,
    unexpected,
)
from xtests.request import RequestHandler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.jsonio.decoder import Json, Printable
    from xtests.request import Query, QueryParser

__all__ = ["REQUESTS", "GamePosition", "GameSpec", "main"]

_STATE: Final = 'a state {"board": ..., "player": ...} or {"bitboard": ..., "player": ...}'
_BITBOARD: Final = "an integer from 0 to 262143 (18 bits)"
_BOARD: Final = 'a board (nine symbols out of "X", "O" and ".")'
_PLAYER: Final = 'a player ("X" or "O")'
_CELL: Final = "a cell (an integer from 0 to 8)"
_PLACE: Final = "a place [row, column]"
_ROW: Final = "a row (an integer from 0 to 2)"
_COLUMN: Final = "a column (an integer from 0 to 2)"
_DEPTH: Final = "a depth (an integer from 0 to 9)"

_MOST_DIGITS: Final = 6  # of a bitboard
_BITBOARDS: Final = range(1 << 18)
_EMPTY: Final = "." * 9
_SYMBOLS: Final = {"X", "O", "."}
_PLAYERS: Final = {player.name: player for player in Player}
_CELLS: Final = integers_by_text(map(Cell, range(9)))
_DEPTHS: Final = integers_by_text(range(10))
_ROWS: Final = integers_by_text(range(3))


class GameSpec(NamedTuple):
    """A position as written, perhaps on a board that is not possible.

    `board` is nine symbols, or an integer of 18 bits if the state has a "bitboard".
    """

    board: str | int = _EMPTY
    player: Player = Player.X


class GamePosition(NamedTuple):
    """A board, and the player to move."""

    state: State
    player: Player


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_stream("xtictactoe", REQUESTS.answer, requires=None, survives_errors=True)


# Parsers of states and moves.


def _parse_state(value: Json, at: Pointer) -> GameSpec:
    spec = GameSpec()
    if not isinstance(value, dict) or ("board" in value) == ("bitboard" in value):
        raise unexpected(value, at, _STATE)
    members = parse_members(value, at, ("player",), ("board", "bitboard"), _STATE)
    for name, part, place in members:
        if name == "board":
            spec = spec._replace(board=_parse_board(part, place))
        elif name == "bitboard":
            spec = spec._replace(board=_parse_bitboard(part, place))
        else:
            spec = spec._replace(player=parse_word(part, place, _PLAYERS, _PLAYER))
    return spec


def _parse_board(value: Json, at: Pointer) -> str:
    if not isinstance(value, str) or len(value) != len(_EMPTY) or set(value) - _SYMBOLS:
        raise unexpected(value, at, _BOARD)
    return value


def _parse_bitboard(value: Json, at: Pointer) -> int:
    # A table of all bitboards would have 2^18 entries. The length is checked first: converting a
    # million digits takes minutes.
    text = value.text if isinstance(value, Number) else ""
    is_short = text.isdigit() and len(text) <= _MOST_DIGITS
    by_text = {text: int(text)} if is_short and int(text) in _BITBOARDS else {}
    return parse_number(value, at, by_text, _BITBOARD)


def _parse_cell(value: Json, at: Pointer) -> Cell:
    return parse_number(value, at, _CELLS, _CELL)


def _parse_place(value: Json, at: Pointer) -> Cell:
    parts = parse_array(value, at, (2,), _PLACE)
    row = parse_number(parts[0], element(at, 0), _ROWS, _ROW)
    column = parse_number(parts[1], element(at, 1), _ROWS, _COLUMN)
    return tictactoe.cell_at(row, column).value()


# The position that the queries are about.


def _make_position(spec: GameSpec, at: Pointer) -> GamePosition:
    if isinstance(spec.board, str):
        state, name = tictactoe.parse(spec.board), "board"
    else:
        state, name = tictactoe.state_of(spec.board), "bitboard"
    if state.is_error():
        # The form is checked: both players hold a line, or a bitboard marks a cell twice.
        place = member(at, name)
        message = f"the board at {place} is impossible: {state.error()}"
        raise InputError(Kind.INVALID_SPEC, place, message)
    return GamePosition(state.value(), spec.player)


def _play(position: GamePosition, cell: Cell, at: Pointer) -> GamePosition:
    state, player = position
    after = tictactoe.place(state, player, cell)
    if after.is_error():
        message = f"the move at {at} cannot be made: {after.error()}"
        raise InputError(Kind.ILLEGAL_MOVE, at, message)
    return GamePosition(after.value(), player.other)


# Answers.


def _print_state(state: State, player: Player) -> Printable:
    return {"board": tictactoe.symbols(state), "player": player.name}


def _print_states(states: Iterable[State], player: Player) -> Printable:
    return [_print_state(state, player) for state in states]


def _print_player(player: Player | None) -> Printable:
    return None if player is None else player.name


def _marks(position: GamePosition) -> Printable:
    return {player.name: _cell_list(tictactoe.marks(position.state, player)) for player in Player}


def _cell_list(mask: int) -> Printable:
    return list(cells(mask))


def _move_values(position: GamePosition) -> Printable:
    values = tictactoe.move_values(*position)
    return [{"cell": cell, "value": value} for cell, value in values]


def _symbol(state: State, cell: Cell) -> Printable:
    mark = tictactoe.mark_at(state, cell)
    return " " if mark is None else mark.name


def _tree(position: GamePosition) -> Printable:
    tree = tictactoe.tree(*position)
    return {**tree._asdict(), "games": tree.games}


def _reachable(position: GamePosition) -> Printable:
    states = tictactoe.reachable(*position)
    distinct = {tictactoe.canonical(state) for state in states}
    return {"states": len(states), "up_to_symmetry": len(distinct)}


def _text(position: GamePosition) -> Printable:
    # Imported here: only this query needs it, and it costs as much as the rest of the engine.
    from engines.tictactoe.notebook import to_board  # pylint: disable=import-outside-toplevel

    return to_board(position.state)


# The engine loads a module when one of its names is first used; hence the lambdas.
_PLAIN: Final[dict[str, Query[GamePosition]]] = {
    "state": lambda position: _print_state(*position),
    "player": lambda position: position.player.name,
    "to_play": lambda position: position.player.name,
    "bitboard": lambda position: position.state,
    "bits": lambda position: f"{position.state:018b}",
    "marks": _marks,
    "text": _text,
    "picture": lambda position: tictactoe.board_text(position.state),
    "actions": lambda position: tictactoe.moves(position.state),
    "next_states": lambda position: _print_states(
        tictactoe.next_states(*position), position.player.other
    ),
    "finished": lambda position: tictactoe.finished(position.state),
    "terminal": lambda position: tictactoe.finished(position.state),
    "utility": lambda position: tictactoe.utility(position.state),
    "winner": lambda position: _print_player(tictactoe.winner(position.state)),
    "winning_lines": lambda position: list(
        map(_cell_list, tictactoe.winning_lines(position.state))
    ),
    "value": lambda position: tictactoe.value(*position),
    "best_moves": lambda position: tictactoe.best_moves(*position),
    "move_values": _move_values,
    "turned": lambda position: _print_state(tictactoe.turned(position.state), position.player),
    "mirrored": lambda position: _print_state(tictactoe.mirrored(position.state), position.player),
    "images": lambda position: _print_states(tictactoe.images(position.state), position.player),
    "canonical": lambda position: _print_state(
        tictactoe.canonical(position.state), position.player
    ),
    "tree": _tree,
    "reachable": _reachable,
}


def _mark_query(value: Json, at: Pointer) -> Query[GamePosition]:
    cell = _parse_cell(value, at)
    return lambda position: _print_player(tictactoe.mark_at(position.state, cell))


def _symbol_query(value: Json, at: Pointer) -> Query[GamePosition]:
    cell = _parse_place(value, at)
    return lambda position: _symbol(position.state, cell)


def _perft_query(value: Json, at: Pointer) -> Query[GamePosition]:
    depth = parse_number(value, at, _DEPTHS, _DEPTH)
    return lambda position: tictactoe.perft(*position, depth)


_WITH_ARGUMENT: Final[dict[str, QueryParser[GamePosition]]] = {
    "mark": _mark_query,
    "symbol": _symbol_query,
    "perft": _perft_query,
}
REQUESTS: Final[RequestHandler[GameSpec, Cell, GamePosition]] = RequestHandler(
    GameSpec(),
    _parse_state,
    _parse_cell,
    "an array of moves",
    _make_position,
    _play,
    _PLAIN,
    _WITH_ARGUMENT,
)


if __name__ == "__main__":
    main()
