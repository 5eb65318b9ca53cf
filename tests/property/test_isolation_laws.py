"""Laws of Isolation, among them that it agrees with a second implementation.

The second one, `Plain`, knows no bits: cells are places (column from the right, row from the
bottom), a board is a set of places, and every question is answered by looking at each place.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import inf
from typing import NamedTuple, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engines.isolation import (
    GRID,
    Action,
    DebugState,
    Encoding,
    IllegalAction,
    Isolation,
    NotACell,
    board_text,
    perft,
)

Place: TypeAlias = tuple[int, int]

COMPASS = {"N": (0, 1), "E": (-1, 0), "S": (0, -1), "W": (1, 0)}
PLACES = [(x, y) for y in range(9) for x in range(11)]


class Plain(NamedTuple):
    """A state, seen as sets of places."""

    open_places: frozenset[Place]
    turn: int
    pieces: tuple[Place | None, Place | None]

    def moves(self, player: int) -> dict[str | Place, Place]:
        """What a player may do by name, and where it leads; a place is its own name."""
        piece = self.pieces[player]
        if piece is None:
            return {place: place for place in PLACES if place in self.open_places}
        ends = {action.name: walked(piece, action.name) for action in Action}
        return {name: end for name, end in ends.items() if end in self.open_places}

    def after(self, name: str | Place) -> Plain:
        """The state after the one who plays has done what the name says."""
        end = self.moves(self.turn)[name]
        pieces = (end, self.pieces[1]) if self.turn == 0 else (self.pieces[0], end)
        return Plain(self.open_places - {end}, 1 - self.turn, pieces)

    def over(self) -> bool:
        """Whether a player has nothing to do."""
        return not self.moves(0) or not self.moves(1)

    def worth(self, player: int) -> float:
        """The utility: who plays loses first."""
        if not self.over():
            return 0
        loser = self.turn if not self.moves(self.turn) else 1 - self.turn
        return -inf if player == loser else inf

    def count(self, depth: int) -> int:
        """perft as it is defined."""
        if depth == 0:
            return 1
        if self.over():
            return 0
        return sum(self.after(name).count(depth - 1) for name in self.moves(self.turn))


def walked(place: Place, name: str) -> Place:
    """Where the steps that a name spells lead, one letter after the other."""
    steps = [COMPASS[letter] for letter in name]
    return place[0] + sum(x for x, _ in steps), place[1] + sum(y for _, y in steps)


def index_of(place: Place) -> int:
    """The index of the cell at a place."""
    return 13 * place[1] + place[0]


def plain(state: Isolation) -> Plain:
    """The same state without bits, read off digit by digit."""
    digits = f"{state.board:b}"[::-1].ljust(GRID.length, "0")
    first, second = (None if loc is None else GRID.xy(loc) for loc in state.locs)
    return Plain(
        frozenset(place for place in PLACES if digits[index_of(place)] == "1"),
        state.ply_count % 2,
        (first, second),
    )


def played(seed: int, plies: int) -> Isolation:
    """A state of a random game: that after so many plies, or its end."""
    chance = random.Random(seed)
    state = Isolation()
    while state.ply_count < plies and not state.terminal_test():
        state = state.result(chance.choice(state.actions()))
    return state


@st.composite
def crowded(draw: st.DrawFn) -> Isolation:
    """Few open cells near each other, pieces anywhere: ends of games, and states beyond them."""
    places = st.sampled_from(PLACES).map(index_of)
    first, second = draw(places), draw(places)
    near = [cell for loc in (first, second) for cell in Isolation().liberties(loc)]
    open_cells = draw(st.sets(st.one_of(st.sampled_from(near), places), max_size=12))
    board = sum(1 << cell for cell in open_cells - {first, second})
    unplaced = draw(st.sampled_from([(), (1,), (0, 1)]))
    locs = (None if 0 in unplaced else first, None if 1 in unplaced else second)
    return Isolation(board, draw(st.integers(0, 99)), locs)


games = st.builds(played, st.integers(0, 2**32), st.integers(0, 60))
states = st.one_of(games, crowded())
law: Callable[[Callable[..., None]], Callable[..., None]] = settings(
    deadline=None, max_examples=100
)


@law
@given(states)
def test_actions_agree(state: Isolation) -> None:
    """The actions are the plain moves: places ascending, or names in the order of Action."""
    moves = plain(state).moves(state.player())
    if state.locs[state.player()] is None:
        assert state.actions() == [index_of(place) for place in moves.values()]
    else:
        assert [Action(action).name for action in state.actions()] == list(moves)


@law
@given(states)
def test_liberties_agree(state: Isolation) -> None:
    """The liberties of each player's piece are where the plain moves lead."""
    for player, loc in enumerate(state.locs):
        ends = plain(state).moves(player).values()
        assert state.liberties(loc) == [index_of(end) for end in ends]


@law
@given(states)
def test_the_end_and_its_worth_agree(state: Isolation) -> None:
    """Either piece stuck ends the game; one wins what the other loses, and before that nothing."""
    other = plain(state)
    assert state.terminal_test() == other.over()
    assert [state.utility(0), state.utility(1)] == [other.worth(0), other.worth(1)]
    assert state.utility(0) == -state.utility(1)


@law
@given(states)
def test_results_agree(state: Isolation) -> None:
    """Each action leads to the state that the plain move of that name leads to."""
    other = plain(state)
    names = list(other.moves(other.turn))
    for action, name in zip(state.actions(), names, strict=True):
        assert plain(state.result(action)) == other.after(name)


@law
@given(st.integers(0, 2**32))
def test_random_playouts_agree(seed: int) -> None:
    """A whole game, chosen by chance from either list of actions, is the same game."""
    chance = random.Random(seed)
    state, other = Isolation(), plain(Isolation())
    while not other.over():
        names = list(other.moves(other.turn))
        chosen = chance.randrange(len(names))
        state, other = state.result(state.actions()[chosen]), other.after(names[chosen])
        assert plain(state) == other
    assert state.terminal_test()
    assert state.utility(0) == other.worth(0)


@law
@given(states, st.integers(-40, 130))
def test_result_takes_an_action_or_refuses_it(state: Isolation, action: int) -> None:
    """What is in actions() has a result, and nothing else has."""
    if action in state.actions():
        assert state.result(action).ply_count == state.ply_count + 1
        return
    with pytest.raises(IllegalAction):
        state.result(action)


@law
@given(states)
def test_a_result_closes_the_one_cell_it_moves_to(state: Isolation) -> None:
    """Nothing else changes but whose turn it is."""
    mover = state.player()
    for action in state.actions():
        after = state.result(action)
        loc = after.locs[mover]
        assert loc is not None
        assert state.board - after.board == 1 << loc
        assert after.locs[1 - mover] == state.locs[1 - mover]
        assert after.player() == 1 - mover


@settings(deadline=None, max_examples=30)
@given(crowded(), st.integers(0, 4))
def test_perft_agrees(state: Isolation, depth: int) -> None:
    """Counting with masks gives what playing every sequence gives."""
    assume(None not in state.locs or depth < 3)
    assert perft(state, depth) == plain(state).count(depth)


@settings(deadline=None, max_examples=30)
@given(games, st.integers(1, 4))
def test_perft_is_the_sum_over_the_actions(state: Isolation, depth: int) -> None:
    """Before the end, the count of a depth is that of all results, one less deep."""
    assume(not state.terminal_test() and None not in state.locs)
    results = [state.result(action) for action in state.actions()]
    assert perft(state, depth) == sum(perft(result, depth - 1) for result in results)


@law
@given(states)
def test_half_a_turn_of_the_board_turns_the_actions(state: Isolation) -> None:
    """Cell n becomes 114 - n: each action becomes its opposite, and as many games follow."""
    first, second = (None if loc is None else 114 - loc for loc in state.locs)
    board = int(f"{state.board:0115b}"[::-1], 2)
    turned = Isolation(board, state.ply_count, (first, second))
    if state.locs[state.player()] is not None:
        assert sorted(turned.actions()) == sorted(-action for action in state.actions())
    assert perft(turned, 2) == perft(state, 2)


@law
@given(states)
def test_the_views_show_the_same_board(state: Isolation) -> None:
    """The digits are the board's, and grid and text have as many blocked cells as it has."""
    debug = DebugState.from_state(state)
    assert len(debug.bitboard_string) == 115
    assert int(debug.bitboard_string, 2) == state.board
    pieces = len({loc for loc in state.locs if loc is not None})
    blocked = 99 - pieces - len(plain(state).open_places)
    assert str(debug).count("X") == board_text(state).count("###") == blocked


@law
@given(st.integers(1, 20), st.integers(1, 20))
def test_an_encoding_has_its_cells_where_its_coordinates_say(width: int, height: int) -> None:
    """Every column and row is a cell, each a bit of its own, and no other bit is one."""
    encoding = Encoding(width, height)
    cells = [encoding.stride * y + x for y in range(height) for x in range(width)]
    assert [encoding.cell(cell) for cell in cells] == cells
    assert [encoding.xy(cell) for cell in cells] == [
        (x, y) for y in range(height) for x in range(width)
    ]
    assert encoding.open_board == sum(1 << cell for cell in cells)
    assert encoding.open_board.bit_length() == encoding.length == (width + 2) * height - 2


@law
@given(st.integers(1, 20), st.integers(1, 20), st.integers(-60, 500))
def test_an_index_is_a_cell_or_is_refused(width: int, height: int, index: int) -> None:
    """A validated index is one of the board's ones."""
    encoding = Encoding(width, height)
    if index >= 0 and encoding.open_board >> index & 1:
        assert encoding.cell(index) == index
        return
    with pytest.raises(NotACell):
        encoding.cell(index)


@law
@given(st.integers(1, 20), st.integers(2, 20))
def test_steps_cancel_and_never_wrap(width: int, height: int) -> None:
    """There and back is no step at all; one or two columns past the edge lies no cell."""
    encoding = Encoding(width, height)
    assert encoding.north + encoding.south == 0 == encoding.east + encoding.west
    for y in range(1, height):
        assert encoding.xy(encoding.stride * y + encoding.south) == (0, y - 1)
        east_edge = encoding.stride * y
        west_edge = east_edge + (width - 1) * encoding.west
        beyond = [
            east_edge + encoding.east,
            east_edge + 2 * encoding.east,
            west_edge + encoding.west,
            west_edge + 2 * encoding.west,
        ]
        assert not any(encoding.open_board >> index & 1 for index in beyond)
