"""The rules on boards without symmetry; tests/xtests compare random games with a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from support.golden import Golden
from support.tables import check_table

from engines.result import Result
from engines.tictactoe.board import (
    Cell,
    Player,
    State,
    cell_at,
    cell_of,
    parse,
    place,
    player_of,
    state_of,
)


def _mark(board: str, player: str, cell: int) -> Result[State]:
    return place(parse(board).value(), Player[player], Cell(cell))


MAKERS: Final[dict[str, Callable[..., Result[Any]]]] = {
    "state_of": state_of,
    "parse": parse,
    "cell_of": cell_of,
    "cell_at": cell_at,
    "player_of": player_of,
    "place": _mark,
}


def test_an_error_says_what_was_expected(golden: Golden) -> None:
    def error(example: tuple[Any, ...]) -> str:
        name, *arguments = example
        return MAKERS[name](*arguments).error()

    check_table(golden, __file__, "errors.txt", error)
