"""Laws of xbitboard36, as a pure function from a text to what is printed."""

from __future__ import annotations

import gc
import json
import sys
from types import FrameType
from typing import Any

import reference_bitboard36 as reference
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_json import values_of

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xbitboard36
from xtests.refusal import EVERYTHING, Refused, element, malformed

law = settings(deadline=None)

# A value of JSON as Python's json module has it.
Plain = Any

FULL = 2**36 - 1


def printed(text: str) -> list[Plain]:
    """All values that the program prints for a text; of an error, what is compared."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    answers = [_answer_or_error(value, k) for k, value in enumerate(values)]
    if decoder.fault is not None:
        answers.append(json.loads(encode(malformed(decoder.fault).error_object())))
    for answer in answers:
        answer.get("error", {}).pop("message", None)
    return answers


def _answer_or_error(value: Plain, k: int) -> Plain:
    try:
        return json.loads(encode(xbitboard36.answer(value, element(EVERYTHING, k))))
    except Refused as refusal:
        return json.loads(encode(refusal.error_object()))


positions = st.integers(0, 35)
colours = st.sampled_from(["white", "black"])
words = st.integers(0, FULL)
places = st.fixed_dictionaries({"row": st.integers(0, 5), "column": st.integers(0, 5)})
pairs = st.lists(positions, min_size=2, max_size=2)
PARAMETERS = {
    **dict.fromkeys(("value", "toggled", "neighbour_count", "row_column"), positions),
    **{"moved": pairs, "position_at": places, "perft": st.integers(0, 7)},
}


@st.composite
def states(draw: st.DrawFn) -> Plain:
    """Any pieces, each of either colour, in either form of their words; and either player."""
    pieces, white = draw(words), draw(words)
    held = {"white": pieces & white, "black": pieces & ~white}
    return {
        **{colour: draw(_forms(word)) for colour, word in held.items()},
        "to_play": draw(colours),
    }


def _forms(word: int) -> st.SearchStrategy[Plain]:
    return st.just(word) | st.permutations([at for at in range(36) if word >> at & 1])


@st.composite
def queries(draw: st.DrawFn) -> list[Plain]:
    """Queries, each once, in any order."""
    names = draw(st.permutations([*reference.PLAIN, *reference.TAKING]))
    asked = names[: draw(st.integers(0, len(names)))]
    return [{name: draw(PARAMETERS[name])} if name in PARAMETERS else name for name in asked]


@st.composite
def requests(draw: st.DrawFn) -> Plain:
    """Requests that can be served, most of them with moves."""
    state = draw(states())
    (request,) = values_of(json.dumps({"state": state, "ask": []}).encode())
    board = reference.request_of(request, "").board
    moves = []
    for _ in range(draw(st.integers(0, 4))):
        actions = reference.actions(board)
        if actions:
            move = draw(st.sampled_from(actions))
            board = reference.played(board, move)
            moves.append([6 * row + column for row, column in move])
    return draw(_in_any_order({"state": state, "moves": moves, "ask": draw(queries())}))


def _in_any_order(members: dict[str, Plain]) -> st.SearchStrategy[Plain]:
    return st.permutations(list(members.items())).map(dict)


# What does not belong anywhere, or not everywhere.
strange = st.sampled_from(
    [None, True, "", "state", "perft", "white", [], [0], [1, 1], {}, {"perft": 1}, {"value": 36}]
    + [-1, 36, 2**36, 1.0, 10**30]
)


@st.composite
def near_misses(draw: st.DrawFn) -> Plain:
    """Requests with up to two small changes, at any depth."""
    request = draw(requests())
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.sampled_from(_parts_of(request)))
        request = _changed(request, at, draw(strange), draw(st.booleans()))
    return request


def _parts_of(value: Plain, at: tuple[Plain, ...] = ()) -> list[tuple[Plain, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [
        place
        for key, part in parts
        if isinstance(part, (list, dict))
        for place in _parts_of(part, (*at, key))
    ]
    keys = list(value) + ["other"] if isinstance(value, dict) else range(len(value) + 1)
    return [*((*at, key) for key in keys), *inner]


def _changed(value: Plain, at: tuple[Plain, ...], piece: Plain, adds: bool) -> Plain:
    key, *rest = at
    if isinstance(value, dict):
        return {**value, key: _changed(value[key], tuple(rest), piece, adds) if rest else piece}
    if rest:
        piece, adds = _changed(value[key], tuple(rest), piece, adds), False
    return [*value[:key], piece, *value[key if adds else key + 1 :]]


def calls(text: str) -> int:
    """How many functions are called to answer this text, Python's own included."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    printed(text)  # once uncounted: caches fill
    gc.disable()  # hypothesis is called at every collection
    sys.setprofile(counted)
    try:
        printed(text)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@law
@given(requests())
def test_a_request_is_answered_as_the_page_says(request: Plain) -> None:
    """The program agrees with the implementation on sets of cells, in every query."""
    text = json.dumps(request)
    answers = printed(text)
    assert answers == reference.printed(text.encode())
    assert [len(answer) for answer in answers] == [len(request["ask"])]


@settings(deadline=None, max_examples=300)
@given(near_misses())
def test_a_bad_request_is_refused_as_the_page_says(request: Plain) -> None:
    """Both agree as well on what is refused, of which kind it is, and where."""
    text = json.dumps(request)
    assert printed(text) == reference.printed(text.encode())


@law
@given(st.lists(requests() | near_misses(), max_size=3))
def test_each_request_is_answered_as_if_it_came_alone(stream: list[Plain]) -> None:
    """The answers of a stream are those of its requests, in order; only `at` counts on."""
    alone = [printed(json.dumps(request))[0] for request in stream]
    for k, answer in enumerate(alone):
        if "error" in answer:
            answer["error"]["at"] = f"/{k}" + answer["error"]["at"].removeprefix("/0")
    assert printed("".join(json.dumps(request) for request in stream)) == alone


@law
@given(requests())
def test_queries_do_not_know_of_each_other(request: Plain) -> None:
    """What is asked for together is answered as if it were asked for one by one."""
    one_by_one: dict[str, Plain] = {}
    for query in request["ask"]:
        one_by_one |= printed(json.dumps({**request, "ask": [query]}))[0]
    assert printed(json.dumps(request)) == [one_by_one]


@law
@given(requests())
def test_a_state_that_was_answered_can_be_sent_again(request: Plain) -> None:
    """In either form of its words it is the board after the moves."""
    (reached,) = printed(json.dumps({**request, "ask": ["state", "positions"]}))
    as_lists = {**reached["state"], **reached["positions"]}
    for state in (reached["state"], as_lists):
        again = {"state": state, "ask": request["ask"]}
        assert printed(json.dumps(again)) == printed(json.dumps(request))


@law
@given(requests())
def test_the_four_variants_have_one_base_state(request: Plain) -> None:
    """And the board itself is one of them."""
    asked = ["state", "base_state", "variants"]
    (answer,) = printed(json.dumps({**request, "ask": asked}))
    assert answer["state"] in answer["variants"].values()
    for state in answer["variants"].values():
        (of_variant,) = printed(json.dumps({"state": state, "ask": asked[1:]}))
        assert of_variant["base_state"] == answer["base_state"]
        assert of_variant["variants"] == answer["variants"]


def test_the_work_grows_with_the_input_and_no_faster() -> None:
    """The same part once more costs the same again, wherever it stands: counted, not timed."""
    state = '{"white":[0],"black":[35],"to_play":"white"}'
    there_and_back = "[0,1],[35,34],[1,0],[34,35]"
    for begin, part, end in (
        ("", '{"ask":["state"]}', ""),
        (
            f'{{"state":{state},"ask":["state"],"moves":[{there_and_back}',
            f",{there_and_back}",
            "]}",
        ),
        ('{"ask":["state"', ',"state"', "]}"),
        ('{"ask":[],"state":{"white":[0', ",0", '],"black":0,"to_play":"white"}}'),
        ('{"ask":[],"state":{"white":1', "1", ',"black":0,"to_play":"white"}}'),
        ('{"ask":[],"', "x/~", '":0}'),
    ):
        once, twice, thrice = (calls(begin + part * n + end) for n in (600, 1200, 1800))
        assert twice - once == thrice - twice, part
