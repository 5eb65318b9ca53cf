"""All programs that take boards or requests agree with their references on random inputs."""

from __future__ import annotations

import json
import random
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.references import REFERENCES, bitboard36, isolation, tictactoe, tsuro_game, xrules
from support.references.json_stream import values_of
from support.references.tsuro import COLOURS
from support.wire import Plain, compared, parse, printed

from engines import tsuro
from engines.isolation import Isolation
from engines.tsuro import TurnRefusal
from xtests import tsuro_wire
from xtests.errors import ROOT, element
from xtests.xrules import parse_input

# xboard and xrules

PORTS: Final = "ABCDEFGH"
# The step to the square that the two ports of each side face, clockwise from the top.
STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
TIGHT: Final = (2, 4, 22, 24, 32, 33, 34)  # tiles that lead back or round a corner

TILE_PATS: Final = st.tuples(
    st.sampled_from(TIGHT) | st.integers(0, 34), st.sampled_from([0, 90, 180, 270])
).map(list)


def _faced(x: int, y: int, port: str) -> tuple[int, int]:
    step_x, step_y = STEPS[PORTS.index(port) // 2]
    return x + step_x, y + step_y


@st.composite
def states(draw: st.DrawFn) -> list[Plain]:
    """Draw tiles close together in some corner, and avatars at rest on them, mostly with red, in
    any order."""
    left, top = draw(st.sampled_from([(0, 0), (6, 0), (3, 6), (6, 6)]))
    near = st.tuples(st.integers(left, left + 3), st.integers(top, top + 3))
    tiles = draw(st.dictionaries(near, TILE_PATS, min_size=1, max_size=10))
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
    return draw(st.permutations([*state, *([pat, x, y] for (x, y), pat in tiles.items())]))


def _actors(state: list[Plain]) -> st.SearchStrategy[str]:
    return st.sampled_from([part[1] for part in state if len(part) == 5] * 5 + ["red"])


@st.composite
def boards(draw: st.DrawFn) -> list[Plain]:
    """Draw an input of xboard, not all of whose actions can be performed."""
    state = draw(states())
    return [state, *draw(st.lists(st.tuples(_actors(state), TILE_PATS).map(list), max_size=4))]


@st.composite
def turns(draw: st.DrawFn) -> list[Plain]:
    """Draw an input of xrules, mostly with a tile that was given."""
    state = draw(states())
    given_tiles = [draw(TILE_PATS)[0], draw(TILE_PATS)[0]]
    index = draw(st.sampled_from([*given_tiles * 4, draw(st.integers(0, 34))]))
    action = [draw(_actors(state)), [index, draw(st.sampled_from([0, 90, 180, 270]))]]
    return [state, [action, *given_tiles]]


# Requests


def _in_any_order(members: dict[str, Plain]) -> st.SearchStrategy[Plain]:
    return st.permutations(list(members.items())).map(dict)


def _asks(
    plain: tuple[str, ...], arguments: dict[str, st.SearchStrategy[Plain]]
) -> st.SearchStrategy[list[Plain]]:
    """Return a strategy of queries, each asked once, in any order."""
    taking = [st.fixed_dictionaries({name: argument}) for name, argument in arguments.items()]
    return st.lists(
        st.one_of(st.sampled_from(plain), *taking),
        max_size=6,
        unique_by=lambda query: next(iter(query)) if isinstance(query, dict) else query,
    )


# xisolation


def _game(seed: int) -> list[int]:
    """Return the moves of a random game, to its end."""
    chance = random.Random(seed)
    state, moves = Isolation(), list[int]()
    while not state.terminal_test():
        moves.append(int(chance.choice(state.actions())))
        state = state.result(moves[-1])
    return moves


games = st.integers(0, 2**32).map(_game)
indices = st.integers(-28, 116)
STEP_NAMES: Final = list(isolation.STEPS)
isolation_asks = _asks(
    tuple(isolation.PLAIN),
    {
        "liberties": st.none() | indices,
        "utility": st.integers(0, 2),
        "ind2xy": indices,
        "perft": st.sampled_from([0, 1, 2, -1, 7]),
        "encoding": st.fixed_dictionaries(dict.fromkeys(("width", "height"), st.integers(0, 33))),
    },
)


@st.composite
def isolation_requests(draw: st.DrawFn) -> Plain:
    """Draw a request from the middle of a game, now and then with an inconsistency."""
    moves = draw(games)
    begun = draw(st.integers(0, len(moves)))
    end = draw(st.integers(begun, len(moves)))
    (answer,) = printed("xisolation", json.dumps({"moves": moves[:begun], "ask": ["state"]}))
    state = answer["state"]
    rest: list[int | str] = [*moves[begun:end]]
    change = draw(st.sampled_from(["none", "none", "move", "board", "ply_count", "locs"]))
    if change == "move":
        rest.insert(draw(st.integers(0, len(rest))), draw(indices | st.sampled_from(STEP_NAMES)))
    elif change == "board":
        state["board"] = str(int(state["board"]) ^ 2 ** draw(st.integers(0, 115)))
    elif change == "ply_count":
        state["ply_count"] += draw(st.sampled_from([-1, 1]))
    elif change == "locs":
        state["locs"][draw(st.integers(0, 1))] = draw(st.none() | indices)
    members = {"state": draw(_in_any_order(state)), "moves": rest, "ask": draw(isolation_asks)}
    return draw(_in_any_order(members))


# xtictactoe

cells = st.integers(0, 8)


def _bitboards_of_single_marks() -> st.SearchStrategy[int]:
    """Return a strategy of bitboards in which no cell is marked twice."""
    marks = st.lists(st.sampled_from([0, 1, 512]), min_size=9, max_size=9)
    return marks.map(lambda each: sum(mark << cell for cell, mark in enumerate(each)))


tictactoe_requests = st.fixed_dictionaries(
    {
        "ask": _asks(
            # Not "tree" and "reachable", of which the reference walks many; cases ask for them.
            tuple(name for name in tictactoe.PLAIN if name not in ("tree", "reachable")),
            {
                "mark": st.integers(0, 9),
                "symbol": st.lists(st.integers(0, 3), min_size=2, max_size=2),
                "perft": st.integers(0, 3),
            },
        )
    },
    optional={
        "state": st.fixed_dictionaries(
            {
                "board": st.text("XO.", min_size=9, max_size=9) | st.text("XO.", max_size=10),
                "player": st.sampled_from(["X", "O"]),
            }
        )
        | st.fixed_dictionaries(
            {
                "bitboard": st.integers(-1, 2**18) | _bitboards_of_single_marks(),
                "player": st.sampled_from(["X", "O"]),
            }
        ),
        "moves": st.lists(cells, unique=True, max_size=9) | st.lists(cells, max_size=3),
    },
)

# xbitboard36

positions = st.integers(0, 35)
bitboard36_asks = _asks(
    tuple(bitboard36.PLAIN),
    {
        **dict.fromkeys(("value", "toggled", "neighbour_count", "row_column"), positions),
        "moved": st.lists(positions, min_size=2, max_size=2),
        "position_at": st.fixed_dictionaries(dict.fromkeys(("row", "column"), st.integers(0, 5))),
        "perft": st.integers(0, 7),
    },
)


@st.composite
def bitboard36_requests(draw: st.DrawFn) -> Plain:
    """Draw a request with any pieces, words in either form, and moves that are mostly legal."""
    pieces, white = draw(st.integers(0, 2**36 - 1)), draw(st.integers(0, 2**36 - 1))
    words = {"white": pieces & white, "black": pieces & ~white}
    forms = {
        colour: st.just(word) | st.permutations([at for at in range(36) if word >> at & 1])
        for colour, word in words.items()
    }
    held = {colour: draw(form) for colour, form in forms.items()}
    state = {**held, "to_play": draw(st.sampled_from(["white", "black"]))}
    (value,) = values_of(json.dumps({"state": state, "ask": []}).encode())
    board, _, _ = bitboard36.request_of(value, "")
    moves = []
    for _ in range(draw(st.integers(0, 4))):
        actions = bitboard36.actions(board)
        if actions:
            move = draw(st.sampled_from(actions))
            board = bitboard36.played(board, move)
            moves.append([6 * row + column for row, column in move])
    members = {"state": state, "moves": moves, "ask": draw(bitboard36_asks)}
    return draw(_in_any_order(members))


INPUTS: Final[dict[str, st.SearchStrategy[list[Plain]]]] = {
    "xboard": boards(),
    "xrules": turns(),
    "xisolation": st.lists(isolation_requests(), min_size=1, max_size=3),
    "xtictactoe": st.lists(tictactoe_requests, min_size=1, max_size=3),
    "xbitboard36": st.lists(bitboard36_requests(), min_size=1, max_size=3),
}


@pytest.mark.parametrize("program", INPUTS)
@settings(max_examples=100)
@given(data=st.data())
def test_random_inputs_are_answered_as_by_the_reference(program: str, data: st.DataObject) -> None:
    text = " ".join(map(json.dumps, data.draw(INPUTS[program])))
    assert compared(program, text) == REFERENCES[program](text.encode())


FLAWS: Final = {"": None, "loop": TurnRefusal.LOOPS, "suicide": TurnRefusal.SUICIDE}


@settings(max_examples=250)
@given(turns())
def test_options_and_strategies_are_those_of_the_reference(turn: list[Plain]) -> None:
    text = json.dumps(turn[0]) + json.dumps(turn[1])
    tiles, avatars, (player, _), given_tiles = xrules.question_of(list(values_of(text.encode())))
    assume(player in avatars)
    state, (_, given_indices) = parse_input(parse(text))
    board, color = tsuro_wire.layout(state, element(ROOT, 0)), tsuro.color_string(player)
    for found, expected in zip(
        tsuro.options(board, color, given_indices),
        xrules.options_of(tiles, avatars, player, given_tiles),
        strict=True,
    ):
        assert (found.pattern, found.flaw) == (expected.pattern, FLAWS[expected.flaw])
        # The moves themselves are those of xboard, whose inputs are compared above.
        placed = tsuro.placement(board, color, found.placed.tile).value()
        assert [*found.placed.ends.items()] == [*placed.ends.items()]
    for name, strategy in tsuro.STRATEGIES.items():
        assert strategy.turn(board, color, given_indices) == tsuro_game.choice(
            tiles, avatars, player, given_tiles, tsuro_game.SPELLINGS[name]
        )
