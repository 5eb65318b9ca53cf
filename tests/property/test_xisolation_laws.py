"""Laws of xisolation, as a pure function from requests to what is printed for them.

Among them that a second implementation, written from the pages alone, prints the same.
"""

from __future__ import annotations

import json
import random
from typing import Any

import reference_isolation as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.isolation import Isolation
from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xisolation
from xtests.refusal import EVERYTHING, Refused, element

# A value of JSON as Python's json module has it.
Plain = Any

PLAIN_QUERIES = ["state", "player", "actions", "terminal", "bitboard", "text", "picture"]


def printed(*requests: Plain) -> list[Plain]:
    """What is printed for requests, without messages."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(" ".join(map(json.dumps, requests)).encode()) + decoder.close()
    answers = list[Plain]()
    for k, value in enumerate(values):
        try:
            answer = xisolation.answer(value, element(EVERYTHING, k))
        except Refused as refusal:
            answer = refusal.error_object()
        answers.append(json.loads(encode(answer)))
        answers[-1].get("error", {}).pop("message", None)
    return answers


def answer_to(**request: Plain) -> Plain:
    """What is printed for one request."""
    return printed(request)[0]


def game(seed: int) -> list[int]:
    """The moves of a random game, to its end."""
    chance = random.Random(seed)
    state, moves = Isolation(), list[int]()
    while not state.terminal_test():
        moves.append(int(chance.choice(state.actions())))
        state = state.result(moves[-1])
    return moves


def shuffled(value: Plain, chance: random.Random) -> Plain:
    """The same value, with the members of every object in another order."""
    if isinstance(value, list):
        return [shuffled(each, chance) for each in value]
    if isinstance(value, dict):
        names = chance.sample(list(value), len(value))
        return {name: shuffled(value[name], chance) for name in names}
    return value


games = st.integers(0, 2**32).map(game)
indices = st.integers(-28, 116)
cells = st.sampled_from([13 * row + column for row in range(9) for column in range(11)])
sizes = st.fixed_dictionaries({"width": st.integers(0, 33), "height": st.integers(1, 32)})
queries = st.one_of(
    st.sampled_from([*PLAIN_QUERIES, "perft"]),
    (st.none() | cells | indices).map(lambda loc: {"liberties": loc}),
    st.integers(0, 2).map(lambda player: {"utility": player}),
    indices.map(lambda index: {"ind2xy": index}),
    st.sampled_from([0, 1, 2, -1, 7]).map(lambda depth: {"perft": depth}),
    sizes.map(lambda size: {"encoding": size}),
)
asks = st.lists(
    queries, max_size=5, unique_by=lambda each: next(iter(each)) if isinstance(each, dict) else each
)


@st.composite
def asked(draw: st.DrawFn) -> Plain:
    """Requests in any order of members: from a state of a game, a little changed, on with its next
    moves, now and then another one."""
    moves = draw(games)
    begun = draw(st.integers(0, len(moves)))
    end = draw(st.integers(begun, len(moves)))
    state = answer_to(moves=moves[:begun], ask=["state"])["state"]
    rest = moves[begun:end]
    change = draw(st.sampled_from(["none", "none", "move", "board", "ply_count", "locs"]))
    if change == "move":
        rest.insert(draw(st.integers(0, len(rest))), draw(indices))
    elif change == "board":
        state["board"] = str(int(state["board"]) ^ 2 ** draw(st.integers(0, 115)))
    elif change == "ply_count":
        state["ply_count"] += draw(st.sampled_from([-1, 1]))
    elif change == "locs":
        state["locs"][draw(st.integers(0, 1))] = draw(st.none() | cells | indices)
    request = {"state": state, "moves": rest, "ask": draw(asks)}
    return shuffled(request, random.Random(draw(st.integers(0, 99))))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*PLAIN_QUERIES, "ask", "0", "é"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["ask", "state", "moves", "board", "ply_count", "locs", "perft", "a/~"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(asked())
def test_the_reference_prints_the_same(request: Plain) -> None:
    """Answers, kinds of faults and their places agree, whatever is wrong with a request."""
    assert printed(request) == reference.printed(json.dumps(request).encode())


@settings(deadline=None)
@given(json_values)
def test_any_value_gets_an_answer_or_a_refusal_of_a_place_in_it(value: Plain) -> None:
    """No request makes the program fail; and what a refusal points at is there."""
    answer = printed(value)[0]
    assert answer == reference.printed(json.dumps(value).encode())[0]
    if "error" in answer:
        here: Plain = [value]
        for step in answer["error"]["at"].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            here = here[int(name)] if isinstance(here, list) else here[name]


@settings(deadline=None, max_examples=50)
@given(games, st.data())
def test_moves_can_be_sent_in_two_parts(moves: list[int], data: st.DataObject) -> None:
    """The state that is printed on the way stands for the moves that led to it."""
    cut = data.draw(st.integers(0, len(moves)))
    halfway = answer_to(moves=moves[:cut], ask=["state"])
    in_two = {"state": halfway["state"], "moves": moves[cut:], "ask": PLAIN_QUERIES}
    assert printed(in_two) == printed({"moves": moves, "ask": PLAIN_QUERIES})


@settings(deadline=None, max_examples=50)
@given(games, st.permutations([*PLAIN_QUERIES, {"utility": 0}, {"perft": 1}]), st.integers(0, 99))
def test_the_order_of_members_and_queries_does_not_matter(
    moves: list[int], ask: list[Plain], seed: int
) -> None:
    """An answer has its members by name, and a request too."""
    first = answer_to(moves=moves[:-1], ask=ask)
    state = answer_to(moves=moves[:-2], ask=["state"])
    request = {**state, "moves": moves[-2:-1], "ask": sorted(ask, key=str)}
    assert printed(shuffled(request, random.Random(seed))) == [first]


@settings(deadline=None, max_examples=50)
@given(st.lists(asked(), max_size=4))
def test_each_request_is_answered_as_if_it_came_alone(stream: list[Plain]) -> None:
    """But for its number, which begins the place of a fault."""
    alone = [printed(request)[0] for request in stream]
    for k, answer in enumerate(alone):
        if "error" in answer:
            answer["error"]["at"] = f"/{k}" + answer["error"]["at"].removeprefix("/0")
    assert printed(*stream) == alone


@settings(deadline=None, max_examples=50)
@given(games)
def test_one_player_wins_what_the_other_loses(moves: list[int]) -> None:
    """At the end, and only there."""
    over = printed(*({"moves": moves, "ask": [{"utility": player}]} for player in (0, 1)))
    assert sorted(answer["utility"] for answer in over) == ["loss", "win"]
    before = {"moves": moves[:-1], "ask": [{"utility": 0}, "terminal"]}
    assert printed(before) == [{"utility": "open", "terminal": False}]
