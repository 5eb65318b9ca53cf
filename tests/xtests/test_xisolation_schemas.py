"""The schemas of xisolation: what they accept is what the decoder accepts, and they are closed.

A schema judges values; the decoder judges a text. Where they may differ is listed here, in
`ONLY_THE_DECODER`, and nowhere else: in all of it the schema accepts, and the decoder refuses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.contract import plain_value
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Number, encode
from xtests import xisolation
from xtests.refusal import EVERYTHING, Kind, Refused, element, malformed

# The plain values that jsonschema reads.
Plain = Any
# The way to a value: names of members, and numbers of elements.
Place = tuple[str | int, ...]

NAMES = ("xisolation-in", "xisolation-out")
OPTIONAL = {"request": ["ask"], "answer": list[str]()}  # what these require of their members


def _schema(name: str) -> dict[str, Plain]:
    file = Path(__file__).parents[2] / "schemas" / f"{name}.schema.json"
    return cast("dict[str, Plain]", json.loads(file.read_text()))


IN, OUT = (Draft202012Validator(_schema(name)) for name in NAMES)


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


def _values(text: str) -> list[Json]:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return values


def _has_form(values: list[Json]) -> bool:
    try:
        for k, value in enumerate(values):
            xisolation.request(value, element(EVERYTHING, k))
    except Refused:
        return False
    return True


def _fits(values: list[Json]) -> bool:
    return IN.is_valid([plain_value(value) for value in values])


def _as_the_schema_sees(value: Json) -> Json:
    """The same value without what only the decoder sees: numbers that equal an integer written as
    one, boards without a one where there is no cell."""
    if isinstance(value, Number):
        number = float(value.text)
        return Number(str(int(number))) if number.is_integer() else value
    if isinstance(value, list):
        return [_as_the_schema_sees(each) for each in value]
    if isinstance(value, dict):
        seen = {name: _as_the_schema_sees(part) for name, part in value.items()}
        return {**seen, "board": "0"} if isinstance(value.get("board"), str) else seen
    return value


def _check_agreement(value: Json) -> None:
    fits, has_form = _fits([value]), _has_form([value])
    if fits and not has_form:
        # Why.SPELLING or Why.BITS, and nothing else.
        seen = _as_the_schema_sees(value)
        assert seen != value
        assert _has_form([seen])
    else:
        assert fits == has_form


def _places(value: Json, at: Place = ()) -> Iterator[Place]:
    """The place of every part of a value, and of the element that could come last."""
    yield at
    if isinstance(value, list):
        for k, each in enumerate(value):
            yield from _places(each, (*at, k))
        yield (*at, len(value))
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*at, name))


def _changed(value: Json, at: Place, piece: Json) -> Json:
    """The value with this piece in that place."""
    if not at:
        return piece
    step, rest = at[0], at[1:]
    if isinstance(value, list) and isinstance(step, int):
        inner = _changed(value[step], rest, piece) if rest else piece
        return [*value[:step], inner, *value[step + 1 :]]
    assert isinstance(value, dict) and isinstance(step, str)
    return {
        name: _changed(part, rest, piece) if name == step else part for name, part in value.items()
    }


def _without(value: Json, at: Place) -> Json:
    """The value without the part at this place, which is not the whole of it."""
    step, rest = at[0], at[1:]
    if isinstance(value, list) and isinstance(step, int):
        inner = [_without(value[step], rest)] if rest else []
        return [*value[:step], *inner, *value[step + 1 :]]
    assert isinstance(value, dict) and isinstance(step, str)
    kept = {name: part for name, part in value.items() if name != step or rest}
    return {name: _without(part, rest) if name == step else part for name, part in kept.items()}


def _at(value: Json, at: Place) -> Json:
    for step in at:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            assert isinstance(value, dict) and isinstance(step, str)
            value = value[step]
    return value


def _near_misses(value: Json) -> Iterator[Json]:
    """One change, of every kind, at every place, with every piece."""
    pieces = _values(" ".join(PIECES))
    for at in _places(value):
        for piece in pieces:
            yield _changed(value, at, piece)
        part = _at(value, at)
        if at:
            yield _without(value, at)
        if isinstance(part, dict):
            for name in MEMBERS:
                yield from (_changed(value, at, {**part, name: piece}) for piece in pieces[:3])


@st.composite
def several_changes(draw: st.DrawFn) -> Json:
    """A request that is accepted, after up to three small changes."""
    (value,) = _values(draw(st.sampled_from(ACCEPTED)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(list(_places(value))))
        (piece,) = _values(draw(st.sampled_from(PIECES)))
        part = _at(value, at)
        change = draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "add" and isinstance(part, dict):
            piece = {**part, draw(st.sampled_from(MEMBERS)): piece}
        is_removed = change == "remove" and at != ()
        value = _without(value, at) if is_removed else _changed(value, at, piece)
    return value


def _printed(value: Json) -> Plain:
    try:
        answer = xisolation.answer(value, element(EVERYTHING, 0))
    except Refused as refusal:
        answer = refusal.error_object()
    return json.loads(encode(answer))


def _parts(schema: Plain, at: str = "") -> Iterator[tuple[str, dict[str, Plain]]]:
    """Every schema inside a schema, with its place."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for key in ("items", "contains"):
        yield from _parts(schema.get(key), f"{at}/{key}")
    for key in ("prefixItems", "oneOf", "anyOf", "allOf"):
        for k, part in enumerate(schema.get(key, [])):
            yield from _parts(part, f"{at}/{key}/{k}")
    for key in ("$defs", "properties"):
        for name, part in schema.get(key, {}).items():
            yield from _parts(part, f"{at}/{key}/{name}")


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_of_draft_2020_12_and_says_what_it_is(name: str) -> None:
    schema = _schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:xtest:schema:{name}"
    assert schema["title"]


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_a_schema_is_described_or_is_a_reference(name: str) -> None:
    for at, part in _parts(_schema(name)):
        assert part.get("description") or set(part) == {"$ref"}, at


@pytest.mark.parametrize("name", NAMES)
def test_every_array_and_object_of_a_schema_is_closed(name: str) -> None:
    for at, part in _parts(_schema(name)):
        if part.get("type") == "object":
            assert part["additionalProperties"] is False, at
            every = list(part["properties"])
            assert part["required"] == OPTIONAL.get(at.removeprefix("/$defs/"), every), at
        if part.get("type") == "array":
            assert "items" in part, at
        if "prefixItems" in part:
            assert part["minItems"] == len(part["prefixItems"]), at


def test_every_query_has_its_answer_and_can_be_asked_for_once() -> None:
    of_requests, of_answers = _schema("xisolation-in")["$defs"], _schema("xisolation-out")["$defs"]
    taking = [part["$ref"].removeprefix("#/$defs/") for part in of_requests["query"]["oneOf"][1:]]
    assert of_requests["plain"]["enum"] + taking == list(of_answers["answer"]["properties"])
    once = [part["contains"]["$ref"] for part in of_requests["ask"]["allOf"]]
    assert once == [f"#/$defs/{name}" for name in taking]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    values = _values(text)
    assert _fits(values) and _has_form(values)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"state":{END},"moves":[25],"ask":[]}}',
        '{"ask":["text",{"perft":3},{"liberties":null}]}',
        '{"ask":[{"utility":0},{"ind2xy":57},{"encoding":{"width":2,"height":32}}]}',
    ],
)
def test_the_schema_and_the_decoder_agree_on_every_near_miss(text: str) -> None:
    (value,) = _values(text)
    for near_miss in _near_misses(value):
        _check_agreement(near_miss)


@settings(deadline=None, max_examples=300)
@given(several_changes())
def test_the_schema_and_the_decoder_agree_after_several_changes(value: Json) -> None:
    _check_agreement(value)


def test_the_schema_and_the_decoder_agree_on_every_request_of_the_corpus() -> None:
    inputs = sorted((Path(__file__).parents[2] / "test_cases" / "xisolation").glob("*-in.json"))
    assert inputs
    for file in inputs:
        decoder = Decoder(PROGRAM_DEPTH)
        for value in decoder.feed(file.read_bytes()) + decoder.close():
            _check_agreement(value)


@settings(deadline=None, max_examples=200)
@given(several_changes())
def test_what_is_printed_fits_the_schema(value: Json) -> None:
    OUT.validate([_printed(value)])


@pytest.mark.parametrize(("why", "text"), ONLY_THE_DECODER)
def test_what_no_schema_can_tell_the_decoder_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        with pytest.raises(Refused) as caught:
            _values(text)
        assert caught.value.kind is Kind.MALFORMED_JSON
        return
    values = _values(text)
    assert _fits(values)
    assert _has_form(values) == (why is Why.FACTS)
    assert "error" in _printed(values[0])


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
