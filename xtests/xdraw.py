"""xdraw: a picture of a value that one of our programs reads or prints, as SVG.

Finds the board in the value, has the program's own decoder check it and the engine draw it; nothing
is drawn here. The contract is docs/xdraw.md.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, cast

from xtests import stdio
from xtests.form import shown
from xtests.refusal import EVERYTHING, Kind, Pointer, Refused, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.jsontext import Json, Printable

    Answer = Callable[[Json, Pointer], Printable]

__all__ = ["drawn", "main"]

_AT: Final = element(EVERYTHING, 0)
_OF_A_TILE: Final = (2, 3)  # elements of a tile-pat, and of a query of xtiles
_OF_TSURO: Final = "a state, a state-pat, a tile-pat and a query of xtiles"
_OF_REQUESTS: Final = "a request, and an answer that has a state in it,"


def drawn(game: str, value: Json) -> str:
    """The picture of a value of this game. Raises Refused: there is no board in it, or one that
    cannot be."""
    return _GAMES[game](value)


def main() -> NoReturn:
    """Serve standard input and output, and end the process."""
    stdio.draw_one("xdraw", _GAMES)


# Each game imports what it draws with: a program pays for the one that it is asked for.
# pylint: disable=import-outside-toplevel


def _tsuro(value: Json) -> str:
    """A state is a board; so is one state-pat, alone on it. A query of xtiles is a tile, and so is
    a tile-pat."""
    from xtests.tsuro_wire import layout, state, tile

    if not isinstance(value, list):
        raise _no_picture(value, _OF_TSURO)
    if len(value) in _OF_A_TILE and not isinstance(value[0], list):
        from engines.tsuro.picture import tile_svg

        return tile_svg(tile(value[0], value[1], _AT))
    from engines.tsuro.picture import board_svg
    from engines.tsuro.state import state_of

    return board_svg(state_of(layout(state(_state_of(value), _AT), _AT)))


def _isolation(value: Json) -> str:
    from engines.isolation.picture import board_svg
    from engines.isolation.state import Isolation
    from xtests.xisolation import answer

    found = _request(value, ("board", "ply_count", "locs"))
    state = _answered(found, value, answer)
    return board_svg(Isolation(int(state["board"]), state["ply_count"], tuple(state["locs"])))


def _tictactoe(value: Json) -> str:
    from engines.tictactoe import parse
    from engines.tictactoe.picture import board_svg
    from xtests.xtictactoe import answer

    state = _answered(_request(value, ("board", "player")), value, answer)
    return board_svg(parse(state["board"]).value())


def _bitboard36(value: Json) -> str:
    """A board; or a state of the current and the next player, which has no colours."""
    from engines.bitboard36.boards import Board, Player, State
    from engines.bitboard36.pictures import board_svg, state_svg
    from xtests.xbitboard36 import answer

    found = _request(value, ("white", "black", "to_play"))
    if found is not None:
        state = _answered(found, value, answer)
        return board_svg(Board(state["white"], state["black"], Player(state["to_play"])))
    colourless = _state_in(value, ("current", "next"))
    seated = colourless and {"white": colourless["current"], "black": colourless["next"]}
    state = _answered({"state": {**seated, "to_play": "white"}} if seated else None, value, answer)
    return state_svg(State(state["white"], state["black"]))


_GAMES: Final[dict[str, Callable[[Json], str]]] = {
    "tsuro": _tsuro,
    "isolation": _isolation,
    "tictactoe": _tictactoe,
    "bitboard36": _bitboard36,
}

# Which part of a value is the board.


def _state_of(parts: list[Json]) -> list[Json]:
    """A state; a state-pat becomes one. Both begin with an array: that of a state-pat is a
    tile-pat, which begins with a number, and that of a state begins with an array itself."""
    first = parts[0] if parts else None
    if isinstance(first, list) and first and not isinstance(first[0], list):
        return [parts]
    return parts


def _request(value: Json, names: tuple[str, ...]) -> dict[str, Json] | None:
    """What leads to the position that a value is about: the state and the moves of a request, or
    the state in an answer."""
    if isinstance(value, dict) and "ask" in value:
        return {name: part for name, part in value.items() if name != "ask"}
    state = _state_in(value, names)
    return None if state is None else {"state": state}


def _state_in(value: Json, names: tuple[str, ...]) -> dict[str, Json] | None:
    """An object with just these members: the value itself, or else its first member of that kind,
    be it called "state", "canonical" or otherwise."""
    if not isinstance(value, dict):
        return None
    for part in (value, *value.values()):
        if isinstance(part, dict) and part.keys() == set(names):
            return part
    return None


def _answered(found: dict[str, Json] | None, value: Json, answer: Answer) -> dict[str, Any]:
    """The state, as the program itself prints it once it has checked it and made the moves."""
    if found is None:
        raise _no_picture(value, _OF_REQUESTS)
    answers = cast("dict[str, dict[str, Any]]", answer({**found, "ask": ["state"]}, _AT))
    return answers["state"]


def _no_picture(value: Json, expected: str) -> Refused:
    message = f"no board in {shown(value)}: {expected} can be drawn"
    return Refused(Kind.INVALID_SPEC, _AT, message)


if __name__ == "__main__":
    main()
