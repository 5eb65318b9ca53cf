"""The schemas of xtictactoe: what the input's accepts is what the decoder accepts.

A schema judges values; a decoder judges a text. Where they may differ is listed here, in
`ONLY_THE_DECODER`, and nowhere else: in all of it the schema accepts, and the decoder refuses.
"""

from __future__ import annotations

import json
from enum import Enum
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from schema_checks import (
    Plain,
    check_agreement,
    each_change,
    is_accepted,
    schema_of,
    several_changes,
    values_before_a_fault,
    values_of,
)

from harness.jsontext import Json, encode
from harness.suites.contract import plain_value
from xtests import xtictactoe
from xtests.refusal import EVERYTHING, Refused, element

TOP = Path(__file__).parents[2]
NAMES = ("xtictactoe-in", "xtictactoe-out")


VALIDATORS = {name: Draft202012Validator(schema_of(name)) for name in NAMES}


class Why(Enum):
    """Why the program may refuse what the schema accepts."""

    SPELLING = "a schema sees the value of a number, the decoder its text: 1.0 is no integer here"
    TEXT = "a schema sees values, and these bytes are none, or not only one way"
    RULES = "a schema knows no rules: which boards can be, and which moves can be made"


ONLY_THE_DECODER = [
    (Why.SPELLING, '{"moves":[4.0],"ask":[]}'),
    (Why.SPELLING, '{"moves":[-0],"ask":[]}'),
    (Why.SPELLING, '{"ask":[{"perft":2e0}]}'),
    (Why.SPELLING, '{"ask":[{"symbol":[1,10E-1]}]}'),
    (Why.TEXT, '{"ask":[],"ask":[]}'),
    (Why.TEXT, '{"ask":[]},{"ask":[]}'),
    (Why.TEXT, '\ufeff{"ask":[]}'),
    (Why.TEXT, '{"ask":["state"'),
    (Why.RULES, '{"state":{"board":"XXX...OOO","player":"X"},"ask":[]}'),
    (Why.RULES, '{"moves":[4,4],"ask":[]}'),
    (Why.RULES, '{"moves":[0,3,1,4,2,5],"ask":[]}'),
]

ACCEPTED = [
    '{"ask":[]}',
    '{"ask":["state","player",{"perft":2},{"mark":0},{"symbol":[2,0]}]}',
    '{"state":{"board":"XO.XO....","player":"O"},"moves":[7,6],"ask":["tree","winner"]}',
    '{"state":{"player":"X","board":"OOOOOOOOO"},"ask":["winning_lines","picture"]}'
    '{"moves":[],"ask":["value"]}',
]

# What a mutation puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 2 3 8 9 10 -0 0.0 2.0 9.0 1e0 1e400 1.5 10000000000000000000000 true false null "
    '"" "X" "O" "x" "." "state" "tree" "perft" "mark" "State" "........." "XO......" "XO........" '
    '"XO......x" [] [0] [0,2] [0,3] [0,0,0] {} {"perft":3} {"perft":10} {"mark":8} {"mark":[]} '
    '{"symbol":[1,1]} {"state":1} {"perft":1,"mark":1} {"board":"XO.......","player":"X"}'
).split()
KEYS = ("state", "ask", "player", "perft", "tree", "~/")


def _has_form(values: list[Json]) -> bool:
    return all(is_accepted(partial(xtictactoe.request, value, EVERYTHING)) for value in values)


def _check(values: list[Json]) -> None:
    # Why.SPELLING may part the two, and nothing else.
    check_agreement(VALIDATORS["xtictactoe-in"], _has_form, values)


def _printed(values: list[Json]) -> Plain:
    """What the program prints for these values, as one array."""
    printed = []
    for k, value in enumerate(values):
        try:
            printed.append(xtictactoe.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            printed.append(refusal.error_object())
    return json.loads(encode(printed))


def test_both_schemas_know_the_same_queries() -> None:
    definitions = schema_of("xtictactoe-in")["$defs"]
    plain, *taking = definitions["query"]["oneOf"]
    names = plain["enum"] + [name for part in taking for name in part["properties"]]
    assert set(names) == set(schema_of("xtictactoe-out")["$defs"]["answer"]["properties"])
    # Each query that takes an argument is held to one occurrence, which its place cannot show.
    once = [part["contains"]["required"] for part in definitions["ask"]["allOf"]]
    assert once == [list(part["properties"]) for part in taking]


@pytest.mark.parametrize("word", ["malformed-json", "message"])
def test_what_all_error_objects_share_is_the_same_in_all_schemas(word: str) -> None:
    assert schema_of("xtictactoe-out")["$defs"][word] == schema_of("xboard-out")["$defs"][word]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    assert _has_form(values_of(text))
    VALIDATORS["xtictactoe-in"].validate(plain_value(values_of(text)))


def test_a_stream_may_be_empty() -> None:
    assert all(VALIDATORS[name].is_valid([]) for name in NAMES)


def test_a_schema_and_a_decoder_agree_on_every_near_miss() -> None:
    """One change, of every kind, at every place, with every piece."""
    text = (
        '{"state":{"player":"O","board":"XO......."},"moves":[7],"ask":["tree",{"symbol":[2,0]}]}'
    )
    for values in each_change(text, PIECES, KEYS):
        _check(values)


@settings(deadline=None, max_examples=200)
@given(several_changes(ACCEPTED, PIECES, KEYS))
def test_a_schema_and_a_decoder_agree_after_several_changes(values: list[Json]) -> None:
    _check(values)


@settings(deadline=None, max_examples=100)
@given(several_changes(ACCEPTED, PIECES, KEYS))
def test_what_the_program_prints_fits_its_schema(values: list[Json]) -> None:
    VALIDATORS["xtictactoe-out"].validate(_printed(values))


@pytest.mark.parametrize(("why", "text"), ONLY_THE_DECODER)
def test_what_no_schema_can_tell_the_program_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        assert not is_accepted(lambda: values_of(text))
        return
    values = values_of(text)
    VALIDATORS["xtictactoe-in"].validate(plain_value(values))
    assert _has_form(values) == (why is Why.RULES)
    assert "error" in _printed(values)[-1]


def test_every_reason_has_a_sample() -> None:
    assert {why for why, _ in ONLY_THE_DECODER} == set(Why)


@pytest.mark.parametrize("path", sorted((TOP / "test_cases" / "xtictactoe").glob("*-in.json")))
def test_a_schema_and_a_decoder_agree_over_the_corpus(path: Path) -> None:
    values, is_malformed = values_before_a_fault(path)
    if is_malformed:
        assert path.name.startswith("raw-")  # Why.TEXT: there is nothing that a schema could judge
    else:
        _check(values)


@pytest.mark.parametrize(
    "answer",
    [
        {"state": {"board": "........."}},
        {"state": {"board": "..........", "player": "X"}},
        {"state": {"board": ".........", "player": "x"}},
        {"player": 0},
        {"bitboard": 262144},
        {"bitboard": "0"},
        {"marks": {"X": []}},
        {"marks": {"X": [], "O": [9]}},
        {"actions": [0, 0]},
        {"next_states": [[0, "X"]]},
        {"finished": 0},
        {"finished": None},
        {"utility": 2},
        {"utility": "win"},
        {"utility": False},
        {"winner": "draw"},
        {"winning_lines": [[0, 1, 3]]},
        {"winning_lines": [[2, 1, 0]]},
        {"value": None},
        {"move_values": [[0, 1]]},
        {"move_values": [{"cell": 0, "value": None}]},
        {"images": []},
        {"tree": {"nodes": 1, "games": 1, "x_wins": 1, "o_wins": 0}},
        {"tree": {"nodes": 0, "games": 1, "x_wins": 1, "o_wins": 0, "draws": 0}},
        {"reachable": 5478},
        {"perft": -1},
        {"mark": " "},
        {"symbol": None},
        {"symbol": "."},
        {"text": "+-+-+-+\n"},
        {"picture": ""},
        {"turn": "X"},
        None,
        [],
    ],
)
def test_an_answer_of_another_form_does_not_fit(answer: Plain) -> None:
    assert not VALIDATORS["xtictactoe-out"].is_valid([answer])


@pytest.mark.parametrize(
    ("kind", "at", "fits"),
    [
        ("invalid-spec", "/0", True),
        ("invalid-spec", "/12/state", True),
        ("invalid-spec", "/12/state/board", True),
        ("invalid-spec", "/12/state/a~1b", True),
        ("invalid-spec", "/0/moves/10", True),
        ("invalid-spec", "/0/ask/0/symbol/1", True),
        ("invalid-spec", "/0/ask/0/", True),
        ("invalid-spec", "", False),
        ("invalid-spec", "0", False),
        ("invalid-spec", "/00", False),
        ("invalid-spec", "/0/moves/01", False),
        ("invalid-spec", "/0/a~b", False),
        ("invalid-spec", "/0/ask/0/symbol/2", False),
        ("invalid-spec", "/0/state/board/0", False),
        ("invalid-spec", {"byte": 0}, False),
        ("illegal-move", "/7/moves/0", True),
        ("illegal-move", "/7/moves", False),
        ("illegal-move", "/7", False),
        ("malformed-json", {"byte": 0}, True),
        ("malformed-json", {"byte": -1}, False),
        ("malformed-json", "/0", False),
        ("incomplete-input", "/0", False),
    ],
)
def test_an_error_fits_where_its_kind_can_point_there(kind: str, at: Plain, fits: bool) -> None:
    error = {"error": {"kind": kind, "at": at, "message": "why"}}
    assert VALIDATORS["xtictactoe-out"].is_valid([error]) == fits
    assert not VALIDATORS["xtictactoe-out"].is_valid([{"error": {**error["error"], "message": ""}}])


def test_errors_of_requests_may_be_many_and_a_malformed_stream_is_one() -> None:
    refused = {"error": {"kind": "invalid-spec", "at": "/0", "message": "why"}}
    malformed_ = {"error": {"kind": "malformed-json", "at": {"byte": 0}, "message": "why"}}
    assert VALIDATORS["xtictactoe-out"].is_valid([refused, {}, refused, malformed_])
    assert not VALIDATORS["xtictactoe-out"].is_valid([malformed_, malformed_])
