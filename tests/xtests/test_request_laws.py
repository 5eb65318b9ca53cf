"""Laws of xisolation, xtictactoe and xbitboard36, on random games."""

from __future__ import annotations

import json
import random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.references import REFERENCES, bitboard36, isolation, tictactoe
from support.references.json_stream import values_of
from support.wire import Plain, printed, without_message

from engines.isolation import Isolation

_law = settings(deadline=None, max_examples=100)


def _answers(program: str, *requests: Plain) -> list[Plain]:
    text = " ".join(map(json.dumps, requests))
    return [without_message(answer) for answer in printed(program, text)]


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
isolation_asks = _asks(
    tuple(isolation.PLAIN),
    {
        "liberties": st.none() | indices,
        "utility": st.integers(0, 2),
        "ind2xy": indices,
        "perft": st.sampled_from([0, 1, 2, -1, 7]),
        "encoding": st.fixed_dictionaries(
            {"width": st.integers(0, 33), "height": st.integers(1, 32)}
        ),
    },
)


@st.composite
def isolation_requests(draw: st.DrawFn) -> Plain:
    """Draw a request from the middle of a game, now and then with an inconsistency."""
    moves = draw(games)
    begun = draw(st.integers(0, len(moves)))
    end = draw(st.integers(begun, len(moves)))
    (answer,) = printed("xisolation", json.dumps({"moves": moves[:begun], "ask": ["state"]}))
    state, rest = answer["state"], moves[begun:end]
    change = draw(st.sampled_from(["none", "none", "move", "board", "ply_count", "locs"]))
    if change == "move":
        rest.insert(draw(st.integers(0, len(rest))), draw(indices))
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
        "position_at": st.fixed_dictionaries(
            {"row": st.integers(0, 5), "column": st.integers(0, 5)}
        ),
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
    board = bitboard36.request_of(value, "").board
    moves = []
    for _ in range(draw(st.integers(0, 4))):
        actions = bitboard36.actions(board)
        if actions:
            move = draw(st.sampled_from(actions))
            board = bitboard36.played(board, move)
            moves.append([6 * row + column for row, column in move])
    members = {"state": state, "moves": moves, "ask": draw(bitboard36_asks)}
    return draw(_in_any_order(members))


REQUESTS: Final = {
    "xisolation": isolation_requests(),
    "xtictactoe": tictactoe_requests,
    "xbitboard36": bitboard36_requests(),
}


@pytest.mark.parametrize("program", REQUESTS)
@_law
@given(data=st.data())
def test_random_requests_are_answered_as_by_the_reference(
    program: str, data: st.DataObject
) -> None:
    requests = data.draw(st.lists(REQUESTS[program], min_size=1, max_size=3))
    text = " ".join(map(json.dumps, requests)).encode()
    assert _answers(program, *requests) == REFERENCES[program](text)


@_law
@given(games, st.data())
def test_a_game_of_xisolation_can_be_sent_in_two_parts(
    moves: list[int], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(moves)))
    (half,) = _answers("xisolation", {"moves": moves[:cut], "ask": ["state"]})
    in_two = {"state": half["state"], "moves": moves[cut:], "ask": [*isolation.PLAIN]}
    assert _answers("xisolation", in_two) == _answers(
        "xisolation", {"moves": moves, "ask": [*isolation.PLAIN]}
    )
