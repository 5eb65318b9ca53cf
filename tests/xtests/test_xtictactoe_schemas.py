"""The schemas of xtictactoe: the input's accepts what the decoder accepts, and both are closed.

A schema judges values; a decoder judges a text. Where they may differ is listed here, in
`ONLY_THE_DECODER`, and nowhere else: in all of it the schema accepts, and the decoder refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Number, encode
from xtests import xtictactoe
from xtests.refusal import EVERYTHING, Refused, element, malformed

TOP = Path(__file__).parents[2]
NAMES = ("xtictactoe-in", "xtictactoe-out")

# The plain values that jsonschema reads.
Plain = Any


def _schema(name: str) -> dict[str, Plain]:
    text = (TOP / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Plain]", json.loads(text))


VALIDATORS = {name: Draft202012Validator(_schema(name)) for name in NAMES}


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

CHANGES = ("replace", "insert", "remove")

# What a mutation puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 2 3 8 9 10 -0 0.0 2.0 9.0 1e0 1e400 1.5 10000000000000000000000 true false null "
    '"" "X" "O" "x" "." "state" "tree" "perft" "mark" "State" "........." "XO......" "XO........" '
    '"XO......x" [] [0] [0,2] [0,3] [0,0,0] {} {"perft":3} {"perft":10} {"mark":8} {"mark":[]} '
    '{"symbol":[1,1]} {"state":1} {"perft":1,"mark":1} {"board":"XO.......","player":"X"}'
).split()
KEYS = ("state", "ask", "player", "perft", "tree", "~/")

# Where something stands, from the array of all values inwards.
Place = tuple[int | str, ...]


def _values(text: str) -> list[Json]:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return values


def _is_accepted(check: Callable[[], object]) -> bool:
    try:
        check()
    except Refused:
        return False
    return True


def _has_form(values: list[Json]) -> bool:
    return all(_is_accepted(partial(xtictactoe.request, value, EVERYTHING)) for value in values)


def _mapped(value: Json, number: Callable[[Number], Plain]) -> Plain:
    """The same value, its numbers replaced."""
    if isinstance(value, Number):
        return number(value)
    if isinstance(value, list):
        return [_mapped(each, number) for each in value]
    if isinstance(value, dict):
        return {key: _mapped(member, number) for key, member in value.items()}
    return value


def _plain(values: list[Json]) -> Plain:
    return _mapped(values, lambda it: (float if set(it.text) & set(".eE") else int)(it.text))


def _spelled_as_integers(values: list[Json]) -> list[Json]:
    def spelled(it: Number) -> Number:
        number = float(it.text)
        return Number(str(int(number))) if number.is_integer() else it

    return cast("list[Json]", _mapped(values, spelled))


def _places(value: Json, at: Place = ()) -> Iterator[Place]:
    """The place of every element and member, and of one more, at any depth."""
    if isinstance(value, list):
        for k, each in enumerate(value):
            yield from ((*at, k), *_places(each, (*at, k)))
        yield (*at, len(value))
    if isinstance(value, dict):
        for key, each in value.items():
            yield from ((*at, key), *_places(each, (*at, key)))
        yield from ((*at, key) for key in KEYS if key not in value)


def _mutated(values: list[Json], at: Place, change: str, piece: Json) -> None:
    container: Plain = values
    for step in at[:-1]:
        container = container[step]
    if isinstance(container, dict):
        if change == "remove":
            container.pop(at[-1], None)
        else:
            container[at[-1]] = piece
        return
    last = cast(int, at[-1])
    container[last : last + (change != "insert")] = [] if change == "remove" else [piece]


@st.composite
def near_misses(draw: st.DrawFn) -> str:
    """A text that is accepted, after up to three small changes."""
    values = _values(draw(st.sampled_from(ACCEPTED)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(list(_places(values))))
        (piece,) = _values(draw(st.sampled_from(PIECES)))
        _mutated(values, at, draw(st.sampled_from(CHANGES)), piece)
    return " ".join(encode(value) for value in values)


def _check_agreement(values: list[Json]) -> None:
    fits = VALIDATORS["xtictactoe-in"].is_valid(_plain(values))
    has_form = _has_form(values)
    if fits and not has_form:
        # Why.SPELLING, and nothing else: written as integers, the same values are accepted.
        respelled = _spelled_as_integers(values)
        assert respelled != values
        assert _has_form(respelled)
    else:
        assert fits == has_form


def _printed(values: list[Json]) -> Plain:
    """What the program prints for these values, as one array."""
    printed = []
    for k, value in enumerate(values):
        try:
            printed.append(xtictactoe.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            printed.append(refusal.error_object())
    return json.loads(encode(printed))


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


# A request needs only one of its members, an answer none; `contains` looks for a member.
OPEN = ("/$defs/request", "/$defs/answer")


@pytest.mark.parametrize("name", NAMES)
def test_every_array_and_object_of_a_schema_is_closed(name: str) -> None:
    for at, part in _parts(_schema(name)):
        if part.get("type") == "object" and "/contains" not in at:
            assert part["additionalProperties"] is False, at
            assert at in OPEN or part["required"] == list(part["properties"]), at
        if part.get("type") == "array":
            assert "items" in part, at
        if "prefixItems" in part:
            assert part["minItems"] == len(part["prefixItems"]), at


def test_both_schemas_know_the_same_queries() -> None:
    definitions = _schema("xtictactoe-in")["$defs"]
    plain, *taking = definitions["query"]["oneOf"]
    names = plain["enum"] + [name for part in taking for name in part["properties"]]
    assert set(names) == set(_schema("xtictactoe-out")["$defs"]["answer"]["properties"])
    # Each query that takes an argument is held to one occurrence, which its place cannot show.
    once = [part["contains"]["required"] for part in definitions["ask"]["allOf"]]
    assert once == [list(part["properties"]) for part in taking]


@pytest.mark.parametrize("word", ["malformed-json", "message"])
def test_what_all_error_objects_share_is_the_same_in_all_schemas(word: str) -> None:
    assert _schema("xtictactoe-out")["$defs"][word] == _schema("xboard-out")["$defs"][word]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    assert _has_form(_values(text))
    VALIDATORS["xtictactoe-in"].validate(_plain(_values(text)))


def test_a_stream_may_be_empty() -> None:
    assert all(VALIDATORS[name].is_valid([]) for name in NAMES)


def test_a_schema_and_a_decoder_agree_on_every_near_miss() -> None:
    """One change, of every kind, at every place, with every piece."""
    text = (
        '{"state":{"player":"O","board":"XO......."},"moves":[7],"ask":["tree",{"symbol":[2,0]}]}'
    )
    for at in _places(_values(text)):
        for change in CHANGES:
            for piece in PIECES if change != "remove" else ["null"]:
                values = _values(text)
                _mutated(values, at, change, _values(piece)[0])
                _check_agreement(values)


@settings(deadline=None, max_examples=200)
@given(near_misses())
def test_a_schema_and_a_decoder_agree_after_several_changes(near_miss: str) -> None:
    _check_agreement(_values(near_miss))


@settings(deadline=None, max_examples=100)
@given(near_misses())
def test_what_the_program_prints_fits_its_schema(near_miss: str) -> None:
    VALIDATORS["xtictactoe-out"].validate(_printed(_values(near_miss)))


@pytest.mark.parametrize(("why", "text"), ONLY_THE_DECODER)
def test_what_no_schema_can_tell_the_program_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        assert not _is_accepted(lambda: _values(text))
        return
    values = _values(text)
    VALIDATORS["xtictactoe-in"].validate(_plain(values))
    assert _has_form(values) == (why is Why.RULES)
    assert "error" in _printed(values)[-1]


def test_every_reason_has_a_sample() -> None:
    assert {why for why, _ in ONLY_THE_DECODER} == set(Why)


@pytest.mark.parametrize("path", sorted((TOP / "test_cases" / "xtictactoe").glob("*-in.json")))
def test_a_schema_and_a_decoder_agree_over_the_corpus(path: Path) -> None:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(path.read_bytes()) + decoder.close()
    if decoder.fault is not None:
        assert path.name.startswith("raw-")  # Why.TEXT: there is nothing that a schema could judge
    elif "[[[[" in path.read_text():
        assert not _has_form(values)  # jsonschema recurses, and would fall off Python's stack
    else:
        _check_agreement(values)


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
