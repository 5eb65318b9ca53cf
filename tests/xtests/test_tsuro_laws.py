"""Laws of xtiles, xboard and xrules, on random boards."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.references import REFERENCES
from support.wire import Plain, compared

PORTS: Final = "ABCDEFGH"
COLOURS: Final = ("white", "black", "red", "green", "blue")
# The step to the square that the two ports of each side face, clockwise from the top.
STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
TIGHT: Final = (2, 4, 22, 24, 32, 33, 34)  # tiles that lead back or round a corner

_law = settings(deadline=None, max_examples=100)


class Board(NamedTuple):
    """The values of an input: the state, then actions (xboard) or a turn (xrules)."""

    state: list[Plain]
    rest: list[Plain]

    def text(self) -> str:
        """Return the input."""
        return "".join(map(json.dumps, [self.state, *self.rest]))


tile_pats = st.tuples(
    st.sampled_from(TIGHT) | st.integers(0, 34), st.sampled_from([0, 90, 180, 270])
).map(list)


def _faced(x: int, y: int, port: str) -> tuple[int, int]:
    step_x, step_y = STEPS[PORTS.index(port) // 2]
    return x + step_x, y + step_y


@st.composite
def states(draw: st.DrawFn) -> list[Plain]:
    """Draw tiles close together in some corner, and avatars at rest on them, mostly with red."""
    left, top = draw(st.sampled_from([(0, 0), (6, 0), (3, 6), (6, 6)]))
    near = st.tuples(st.integers(left, left + 3), st.integers(top, top + 3))
    tiles = draw(st.dictionaries(near, tile_pats, min_size=1, max_size=10))
    spots = [
        (x, y, port)
        for x, y in tiles
        for port in PORTS
        if _faced(x, y, port) not in tiles and set(_faced(x, y, port)) <= set(range(10))
    ]
    assume(spots)
    spot = st.sampled_from(spots)
    others = {colour: spot for colour in COLOURS if colour != "red"}
    with_red = st.fixed_dictionaries({"red": spot}, optional=others)
    avatars = draw(with_red | with_red | st.fixed_dictionaries({}, optional=others))
    state = [[tiles[x, y], colour, port, x, y] for colour, (x, y, port) in avatars.items()]
    return [*state, *([pat, x, y] for (x, y), pat in tiles.items())]


def _actors(state: list[Plain]) -> st.SearchStrategy[str]:
    return st.sampled_from([part[1] for part in state if len(part) == 5] * 5 + ["red"])


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Draw an input of xboard, not all of whose actions can be performed."""
    state = draw(states())
    actions = st.lists(st.tuples(_actors(state), tile_pats).map(list), max_size=4)
    return Board(state, draw(actions))


@st.composite
def turns(draw: st.DrawFn) -> Board:
    """Draw an input of xrules, mostly with a tile that was given."""
    state = draw(states())
    given_tiles = [draw(tile_pats)[0], draw(tile_pats)[0]]
    index = draw(st.sampled_from([*given_tiles * 4, draw(st.integers(0, 34))]))
    action = [draw(_actors(state)), [index, draw(st.sampled_from([0, 90, 180, 270]))]]
    return Board(state, [[action, *given_tiles]])


PROGRAMS: Final = {"xboard": boards(), "xrules": turns()}


@pytest.mark.parametrize("program", PROGRAMS)
@_law
@given(data=st.data())
def test_a_random_board_is_answered_as_by_the_reference(program: str, data: st.DataObject) -> None:
    board = data.draw(PROGRAMS[program])
    assert compared(program, board.text()) == REFERENCES[program](board.text().encode())


@_law
@given(boards(), st.data())
def test_the_order_of_a_state_does_not_matter(board: Board, data: st.DataObject) -> None:
    shuffled = Board(data.draw(st.permutations(board.state)), board.rest)
    assert compared("xboard", shuffled.text()) == compared("xboard", board.text())


def _places(value: Plain, at: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return the places of all leaves, in document order."""
    if not isinstance(value, list):
        return [at]
    return [place for k, each in enumerate(value) for place in _places(each, (*at, k))]


def _with_null(value: Plain, at: tuple[int, ...]) -> Plain:
    if not at:
        return None
    return [_with_null(each, at[1:]) if k == at[0] else each for k, each in enumerate(value)]


@pytest.mark.parametrize("program", PROGRAMS)
@_law
@given(data=st.data())
def test_the_first_null_in_place_of_a_leaf_is_reported(program: str, data: st.DataObject) -> None:
    board = data.draw(PROGRAMS[program])
    values = [board.state, *board.rest]
    places = data.draw(st.lists(st.sampled_from(_places(values)), min_size=1, max_size=2))
    for at in places:
        values = _with_null(values, at)
    pointer = "".join(f"/{k}" for k in min(places))
    found = compared(program, Board(values[0], values[1:]).text())
    assert found == [{"error": {"kind": "invalid-spec", "at": pointer}}]
