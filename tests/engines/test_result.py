"""Code that all engines share: results, masks as sets of cells, SVG markup, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from support.golden import Golden

from engines import bitboard36, isolation, tictactoe, tsuro
from engines.bits import bit, cells, mask_of
from engines.result import Result, ResultError, error, ok
from engines.svg import element, text
from engines.tictactoe.board import Cell, Player


@pytest.mark.parametrize("value", [0, None, "a"])
def test_reading_the_error_of_a_value_raises(value: object) -> None:
    result: Result[object] = ok(value)
    assert (result.is_ok(), result.is_error(), result.value()) == (True, False, value)
    with pytest.raises(ResultError, match=rf"^error\(\) of a Result that has a value: {value!r}$"):
        result.error()
    assert repr(result) == f"ok({value!r})"


def test_reading_the_value_of_an_error_raises() -> None:
    result: Result[int] = error("too far")
    assert (result.is_ok(), result.is_error(), result.error()) == (False, True, "too far")
    with pytest.raises(ResultError, match=r"^value\(\) of a Result that is an error: too far$"):
        result.value()
    assert repr(result) == "error('too far')"


def test_a_result_has_no_truth_value() -> None:
    for result in (ok(None), ok(1), error("too far")):
        with pytest.raises(TypeError, match=r"^a Result has no truth value: use is_ok\(\) or"):
            bool(result)


def test_a_result_is_immutable() -> None:
    result: Result[int] = ok(1)
    with pytest.raises(AttributeError, match="^a Result is immutable: _value cannot be set$"):
        setattr(result, "_value", 2)
    with pytest.raises(AttributeError, match="^a Result is immutable: _value cannot be deleted$"):
        delattr(result, "_value")


def test_a_mask_is_a_set_of_cells() -> None:
    assert (bit(0), bit(5)) == (1, 32)
    assert mask_of([5, 0, 5]) == 33
    assert list(cells(33)) == [0, 5]
    assert not list(cells(0))


def test_text_and_attributes_are_escaped() -> None:
    assert text("<&>") == "&lt;&amp;&gt;"
    quoted = element("a", class_="x", font_family='"B" <&>')
    assert quoted == '<a class="x" font-family="&quot;B&quot; &lt;&amp;&gt;"/>'


def test_numbers_have_at_most_two_decimals_and_no_negative_zero() -> None:
    numbers = element("a", x=1.0, y=-0.001, r=1 / 3, n=123456)
    assert numbers == '<a x="1" y="0" r="0.33" n="123456"/>'


def test_what_an_engine_refuses_is_explained(golden: Golden) -> None:
    def cell_of_2_by_3(index: int) -> int:
        return isolation.Encoding(width=2, height=3).cell(index)

    def perft(depth: int) -> int:
        return isolation.perft(isolation.Isolation(), depth)

    def place(board: str, player: str, cell: int) -> Result[tictactoe.State]:
        return tictactoe.place(tictactoe.parse(board).value(), Player[player], Cell(cell))

    def raising(function: Callable[..., Result[Any]]) -> Callable[..., None]:
        @wraps(function)
        def refuse(*arguments: Any) -> None:
            raise ValueError(function(*arguments).error())

        return refuse

    results: list[Callable[..., Result[Any]]] = [
        *(tictactoe.state_of, tictactoe.parse, tictactoe.cell_of, tictactoe.cell_at),
        *(tictactoe.player_of, place),
    ]
    functions: list[Callable[..., object]] = [
        *(bitboard36.position, bitboard36.position_at, bitboard36.Board, bitboard36.State),
        *(isolation.Isolation().utility, perft, cell_of_2_by_3),
        *map(raising, results),
        *(tsuro.color_string, tsuro.degrees, tsuro.port_id, tsuro.tile_index, tsuro.tile_pattern),
        *(tsuro.BoardPosition, tsuro.position_of, tsuro.Tile),
        tsuro.TILES[0].get_port_connected_to,
    ]
    golden.refusals("refusals.txt", functions)
