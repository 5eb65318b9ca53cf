"""xdraw: draw a value that one of the other programs reads or prints, as SVG.

This module finds the board in the value; the other program checks it, and its engine draws it.
docs/games/index.md specifies the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from xtests import stdio
from xtests.errors import ROOT, InputError, Kind, Pointer, element
from xtests.parsing import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.jsonio.decoder import Json, Printable

    AnswerFunction = Callable[[Json, Pointer], Printable]

__all__ = ["draw", "main"]

_AT: Final = element(ROOT, 0)
_TILE_LENGTHS: Final = (2, 3)  # of a tile-pat, and of a query of xtiles
_TSURO_VALUES: Final = "a state, a state-pat, a tile-pat or a query of xtiles"
_REQUEST_VALUES: Final = "a state, a request, or an answer that has a state"


def draw(game: str, value: Json) -> str:
    """Return the picture of a value. Raise InputError if it has no board or an invalid one."""
    return _GAMES[game](value)


def main() -> NoReturn:
    """Run the program."""
    stdio.serve_picture("xdraw", _GAMES)


# Imported in functions: a run needs the engine of one game.
# pylint: disable=import-outside-toplevel


def _tsuro(value: Json) -> str:
    """Draw a state, a single state-pat, or the tile of a tile-pat or a query of xtiles."""
    from xtests.tsuro_wire import layout, parse_state, parse_tile

    if not isinstance(value, list):
        raise _no_board(value, _TSURO_VALUES)
    if len(value) in _TILE_LENGTHS and not isinstance(value[0], list):
        from engines.tsuro.picture import tile_svg

        return tile_svg(parse_tile(value[0], value[1], _AT))
    from engines.tsuro.picture import board_svg
    from engines.tsuro.state import state_of

    return board_svg(state_of(layout(parse_state(_as_state(value), _AT), _AT)))


def _isolation(value: Json) -> str:
    from engines.isolation.picture import board_svg
    from engines.isolation.state import Isolation
    from xtests.xisolation import REQUESTS

    found = _find_request(value, ("board", "ply_count", "locs"))
    state = _query_state(found, value, REQUESTS.answer)
    return board_svg(Isolation(int(state["board"]), state["ply_count"], tuple(state["locs"])))


def _tictactoe(value: Json) -> str:
    from engines.tictactoe import parse
    from engines.tictactoe.picture import board_svg
    from xtests.xtictactoe import REQUESTS

    state = _query_state(_find_request(value, ("board", "player")), value, REQUESTS.answer)
    return board_svg(parse(state["board"]).value())


def _bitboard36(value: Json) -> str:
    """Draw a board, or a state of the current and the next player, which has no colours."""
    from engines.bitboard36.boards import Board, Player, State
    from engines.bitboard36.pictures import board_svg, state_svg
    from xtests.xbitboard36 import REQUESTS

    found = _find_request(value, ("white", "black", "to_play"))
    if found is not None:
        state = _query_state(found, value, REQUESTS.answer)
        return board_svg(Board(state["white"], state["black"], Player(state["to_play"])))
    found = _find_state(value, ("current", "next"))
    if found is None:
        raise _no_board(value, _REQUEST_VALUES)
    as_board: Json = {"white": found["current"], "black": found["next"], "to_play": "white"}
    state = _query_state({"state": as_board}, value, REQUESTS.answer)
    return state_svg(State(state["white"], state["black"]))


_GAMES: Final[dict[str, Callable[[Json], str]]] = {
    "tsuro": _tsuro,
    "isolation": _isolation,
    "tictactoe": _tictactoe,
    "bitboard36": _bitboard36,
}

# Finding the board in a value.


def _as_state(parts: list[Json]) -> list[Json]:
    """Return a state, or a state-pat as the only part of one.

    Both begin with an array; that of a state-pat is a tile-pat, which begins with a number, and
    that of a state begins with an array.
    """
    first = parts[0] if parts else None
    if isinstance(first, list) and first and not isinstance(first[0], list):
        return [parts]
    return parts


def _find_request(value: Json, names: tuple[str, ...]) -> dict[str, Json] | None:
    """Return the state and moves of a request, or the state in an answer, or None if neither."""
    if isinstance(value, dict) and "ask" in value:
        return {name: part for name, part in value.items() if name != "ask"}
    state = _find_state(value, names)
    return None if state is None else {"state": state}


def _find_state(value: Json, names: tuple[str, ...]) -> dict[str, Json] | None:
    """Return the value itself or its first member with exactly these names, or None."""
    if not isinstance(value, dict):
        return None
    for part in (value, *value.values()):
        if isinstance(part, dict) and part.keys() == set(names):
            return part
    return None


def _query_state(
    found: dict[str, Json] | None, value: Json, answer: AnswerFunction
) -> dict[str, Any]:
    """Return the state after the moves, as the program itself checks and prints it."""
    if found is None:
        raise _no_board(value, _REQUEST_VALUES)
    answers = cast("dict[str, dict[str, Any]]", answer({**found, "ask": ["state"]}, _AT))
    return answers["state"]


def _no_board(value: Json, expected: str) -> InputError:
    message = f"no board in {describe(value)}: expected {expected}"
    return InputError(Kind.INVALID_SPEC, _AT, message)


if __name__ == "__main__":
    main()
