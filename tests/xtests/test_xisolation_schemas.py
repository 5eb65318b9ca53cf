"""The schemas of xisolation: what they accept is what the decoder accepts.

A schema judges values; the decoder judges a text. Where they may differ is listed here, in
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
    fits,
    is_accepted,
    schema_of,
    several_changes,
    spelled_as_integers,
    values_before_a_fault,
    values_of,
)

from harness.jsontext import Json, encode
from xtests import xisolation
from xtests.refusal import EVERYTHING, Kind, Refused, element

NAMES = ("xisolation-in", "xisolation-out")


IN, OUT = (Draft202012Validator(schema_of(name)) for name in NAMES)


class Why(Enum):
    """Why the decoder may refuse what the schema accepts."""

    SPELLING = "a schema sees the value of a number, the decoder its text: 1.0 is no integer here"
    BITS = "a schema sees the digits of a board, not which bits of the number are one"
    TEXT = "a schema sees values, and these bytes are none, or not only one way"
    FACTS = "a schema sees each value by itself, not what two have to do with each other"


END = '{"board":"36349881425809777517250506995532800","ply_count":84,"locs":[32,21]}'

ONLY_THE_DECODER = [
    (Why.SPELLING, '{"moves":[57.0],"ask":[]}'),
    (Why.SPELLING, '{"moves":[-0],"ask":[]}'),
    (Why.SPELLING, f'{{"state":{END.replace("84", "84.0")},"ask":[]}}'),
    (Why.SPELLING, f'{{"state":{END.replace("32,", "3.2e1,")},"ask":[]}}'),
    (Why.SPELLING, '{"ask":[{"perft":1e0}]}'),
    (
        Why.BITS,
        f'{{"state":{END.replace("36349881425809777517250506995532800", "2048")},"ask":[]}}',
    ),
    (Why.BITS, f'{{"state":{END.replace("36", "96", 1)},"ask":[]}}'),
    (Why.TEXT, '{"ask":["player"],}'),
    (Why.TEXT, '{"ask":[],"ask":[]}'),
    (Why.TEXT, '{"ask":[{"perft":NaN}]}'),
    (Why.FACTS, f'{{"state":{END.replace("84", "83")},"ask":[]}}'),
    (Why.FACTS, f'{{"state":{END.replace("21", "null")},"ask":[]}}'),
    (Why.FACTS, f'{{"state":{END.replace("21", "32")},"ask":[]}}'),
    (Why.FACTS, '{"moves":[57,57],"ask":[]}'),
    (Why.FACTS, f'{{"state":{END},"moves":[25],"ask":[]}}'),
]

ACCEPTED = [
    '{"ask":[]}',
    '{"ask":["state","player","actions","terminal","bitboard","text","picture"]}',
    '{"moves":[57,0,25],"ask":[{"liberties":null},{"utility":1},{"ind2xy":-27},{"perft":3}]}',
    f'{{"state":{END},"moves":[],"ask":[{{"encoding":{{"width":2,"height":32}}}},"text"]}}',
    '{"state":{"board":"1","ply_count":98,"locs":[15,27]},"ask":[{"liberties":0}]}',
]

# What a change puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 2 6 7 11 12 32 33 57 84 99 100 114 115 -27 -28 -0 0.0 1.0 57.0 5.7e1 1e400 0.5 "
    "100000000000000000000 "
    'true false null "" "0" "00" "1" "1\\n" "2048" "57" "state" "State" "perft" "٣" [] [0] [0,0] '
    '[15,27] [null,null] ["state"] {} {"perft":1} {"perft":7} {"liberties":12} {"utility":0} '
    '{"ind2xy":0,"perft":1} {"encoding":{"width":1,"height":1}} {"width":1,"height":1} {"x":1}'
).split()
MEMBERS = "ask state moves board ply_count locs perft liberties utility width x".split()


def _has_form(values: list[Json]) -> bool:
    return all(is_accepted(partial(xisolation.request, value, EVERYTHING)) for value in values)


def _as_the_schema_sees(value: Json) -> Json:
    """The same value without what only the decoder sees: numbers that equal an integer written as
    one, boards without a one where there is no cell."""
    return _without_boards(spelled_as_integers(value))


def _without_boards(value: Json) -> Json:
    if isinstance(value, list):
        return [_without_boards(each) for each in value]
    if isinstance(value, dict):
        seen = {name: _without_boards(part) for name, part in value.items()}
        return {**seen, "board": "0"} if isinstance(value.get("board"), str) else seen
    return value


def _check(values: list[Json]) -> None:
    # Why.SPELLING and Why.BITS may part the two, and nothing else.
    check_agreement(IN, _has_form, values, _as_the_schema_sees)


def _printed(values: list[Json]) -> Plain:
    printed = []
    for k, value in enumerate(values):
        try:
            printed.append(xisolation.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            printed.append(refusal.error_object())
    return json.loads(encode(printed))


def test_every_query_has_its_answer_and_can_be_asked_for_once() -> None:
    of_requests, of_answers = (
        schema_of("xisolation-in")["$defs"],
        schema_of("xisolation-out")["$defs"],
    )
    taking = [part["$ref"].removeprefix("#/$defs/") for part in of_requests["query"]["oneOf"][1:]]
    assert of_requests["plain"]["enum"] + taking == list(of_answers["answer"]["properties"])
    once = [part["contains"]["$ref"] for part in of_requests["ask"]["allOf"]]
    assert once == [f"#/$defs/{name}" for name in taking]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    values = values_of(text)
    assert fits(IN, values) and _has_form(values)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"state":{END},"moves":[25],"ask":[]}}',
        '{"ask":["text",{"perft":3},{"liberties":null}]}',
        '{"ask":[{"utility":0},{"ind2xy":57},{"encoding":{"width":2,"height":32}}]}',
    ],
)
def test_the_schema_and_the_decoder_agree_on_every_near_miss(text: str) -> None:
    for values in each_change(text, PIECES, MEMBERS):
        _check(values)


@settings(deadline=None, max_examples=300)
@given(several_changes(ACCEPTED, PIECES, MEMBERS))
def test_the_schema_and_the_decoder_agree_after_several_changes(values: list[Json]) -> None:
    _check(values)


def test_the_schema_and_the_decoder_agree_on_every_request_of_the_corpus() -> None:
    inputs = sorted((Path(__file__).parents[2] / "test_cases" / "xisolation").glob("*-in.json"))
    assert inputs
    for file in inputs:
        for value in values_before_a_fault(file)[0]:
            _check([value])


@settings(deadline=None, max_examples=200)
@given(several_changes(ACCEPTED, PIECES, MEMBERS))
def test_what_is_printed_fits_the_schema(values: list[Json]) -> None:
    OUT.validate(_printed(values))


@pytest.mark.parametrize(("why", "text"), ONLY_THE_DECODER)
def test_what_no_schema_can_tell_the_decoder_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        with pytest.raises(Refused) as caught:
            values_of(text)
        assert caught.value.kind is Kind.MALFORMED_JSON
        return
    values = values_of(text)
    assert fits(IN, values)
    assert _has_form(values) == (why is Why.FACTS)
    assert "error" in _printed(values)[-1]


def test_every_reason_has_a_sample() -> None:
    assert {why for why, _ in ONLY_THE_DECODER} == set(Why)


@pytest.mark.parametrize(
    "printed",
    [
        {"player": 2},
        {"turn": 0},
        {"utility": 0},
        {"terminal": 0},
        {"perft": "99"},
        {"perft": 8528481},
        {"actions": [12]},
        {"actions": [57, 25]},
        {"actions": [25, 25]},
        {"liberties": [11]},
        {"ind2xy": [5]},
        {"ind2xy": [13, 0]},
        {"bitboard": "1" * 115},
        {"state": {"board": 1, "ply_count": 98, "locs": [15, 27]}},
        {"state": {"board": "1", "ply_count": 98, "locs": [15]}},
        {"text": ""},
        {"picture": "player 1 to move, ply 0"},
        {"encoding": {"length": 10}},
        {"player": 0, "error": {"kind": "illegal-move", "at": "/0/moves/0", "message": "why"}},
    ],
)
def test_an_answer_of_another_form_does_not_fit(printed: Plain) -> None:
    assert not OUT.is_valid([printed])


@pytest.mark.parametrize(
    "error",
    [
        {},
        {"kind": "invalid-spec", "at": "/0"},
        {"kind": "invalid-spec", "at": "/0", "message": ""},
        {"kind": "invalid-spec", "at": "", "message": "why"},
        {"kind": "invalid-spec", "at": "/00", "message": "why"},
        {"kind": "invalid-spec", "at": "/0/m~n", "message": "why"},
        {"kind": "invalid-spec", "at": {"byte": 0}, "message": "why"},
        {"kind": "invalid-spec", "at": "/0", "message": "why", "hint": "none"},
        {"kind": "malformed-json", "at": "/0", "message": "why"},
        {"kind": "malformed-json", "at": {"byte": -1}, "message": "why"},
        {"kind": "incomplete-input", "at": "/0", "message": "why"},
        {"kind": "illegal-move", "at": "/0", "message": "why"},
        {"kind": "illegal-move", "at": "/0/moves", "message": "why"},
        {"kind": "other", "at": "/0", "message": "why"},
    ],
)
def test_an_error_of_another_form_does_not_fit(error: Plain) -> None:
    assert not OUT.is_valid([{"error": error}])
