"""Errors and orders of the rules; docs/tictactoe.md and the corpus have the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.golden import Golden
from support.tables import check_table

from engines.result import Result
from engines.tictactoe import board as rules
from engines.tictactoe.board import Cell, Player, State, parse, place, symbols
from engines.tictactoe.games import reachable


def _mark(board: str, player: str, cell: int) -> Result[State]:
    return place(parse(board).value(), Player[player], Cell(cell))


def test_an_error_says_what_was_expected(golden: Golden) -> None:
    def error(example: tuple[Any, ...]) -> str:
        name, *arguments = example
        make: Callable[..., Result[Any]] = _mark if name == "place" else getattr(rules, name)
        return make(*arguments).error()

    check_table(golden, __file__, "errors.txt", error)


def test_reachable_states_ascend() -> None:
    start = parse("XX.OO.XOX").value()
    assert [symbols(state) for state in reachable(start, Player.O)] == [
        *("XX.OO.XOX", "XXOOO.XOX", "XXOOOXXOX", "XX.OOOXOX"),
    ]
