"""The schemas of the programs: what they accept is what the decoders accept.

A schema judges values; a decoder judges a text. Where they may differ is listed here, in
`ONLY_THE_DECODER`, and nowhere else: in all of it the schema accepts, and the decoder refuses.
"""

from __future__ import annotations

import json
import tomllib
from enum import Enum
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from xtests import xboard, xrules, xtiles
from xtests.refusal import EVERYTHING, Kind, Refused, element, incomplete

SCHEMAS = Path(__file__).parents[2] / "schemas"
CORPUS = Path(__file__).parents[2] / "test_cases"
PROGRAMS = ("xtiles", "xboard", "xrules")
NAMES = tuple(f"{program}-{side}" for program in PROGRAMS for side in ("in", "out"))


VALIDATORS = {name: Draft202012Validator(schema_of(name)) for name in NAMES}


class Why(Enum):
    """Why a decoder may refuse what the schema accepts."""

    SPELLING = "a schema sees the value of a number, the decoder its text: 1.0 is no integer here"
    TEXT = "a schema sees values, and these bytes are none, or not only one way"
    FACTS = "a schema sees each value by itself, not what two have to do with each other"


BOARD = '[[[6,90],"red","D",3,7],[[9,0],"blue","A",0,1],[[2,0],4,8]]'
TURN = '[["red",[9,0]],9,2]'

ONLY_THE_DECODER = [
    (Why.SPELLING, "xtiles", '[6.0,90,"D"]'),
    (Why.SPELLING, "xtiles", '[6,9e1,"D"]'),
    (Why.SPELLING, "xtiles", '[-0,90,"D"]'),
    (Why.SPELLING, "xtiles", '[6,-0,"D"]'),
    (Why.SPELLING, "xboard", "[[[6,90],3,0.0]]"),
    (Why.SPELLING, "xboard", BOARD + '["red",[10E-1,0]]'),
    (Why.SPELLING, "xrules", BOARD + '[["red",[9,0]],9.0,2]'),
    (Why.SPELLING, "xrules", BOARD + '[["red",[9,0]],9,-0]'),
    (Why.TEXT, "xtiles", '\ufeff[6,90,"D"]'),
    (Why.TEXT, "xtiles", '[6,90,"D"],[6,90,"D"]'),
    (Why.TEXT, "xtiles", '[6,90,"D",]'),
    (Why.TEXT, "xtiles", "[06,90,'D']"),
    (Why.TEXT, "xboard", BOARD + "NaN"),
    (Why.TEXT, "xboard", BOARD + '["red",[9,0]'),
    (Why.TEXT, "xrules", BOARD + "," + TURN),
    (Why.FACTS, "xboard", '[[[6,90],"red","H",0,7]]'),
    (Why.FACTS, "xboard", '[[[6,90],"red","D",3,7],[[2,0],4,7]]'),
    (Why.FACTS, "xboard", "[[[3,0],4,7],[[3,90],4,7]]"),
    (Why.FACTS, "xboard", '[[[6,90],"red","D",3,7],[[6,90],"red","D",3,7]]'),
    (Why.FACTS, "xboard", BOARD + '["green",[9,0]]'),
    (Why.FACTS, "xrules", '[[[6,90],"red","H",0,7]]' + TURN),
    (Why.FACTS, "xrules", '[[[6,90],"red","D",3,7],[[2,0],4,7]][["white",[9,0]],1,2]'),
]

ACCEPTED = [
    ("xtiles", '[6,90,"D"]'),
    ("xtiles", '[0,0,"A"] [34,270,"H"] [7,180,"E"]'),
    ("xboard", "[]"),
    ("xboard", BOARD),
    ("xboard", BOARD + '["red",[9,0]] ["blue",[34,270]]'),
    ("xboard", '[[[0,0],"white","C",0,0],[[0,0],"black","E",0,0]] ["white",[0,0]]'),
    ("xboard", '[[[9,0],9,9],[[9,0],9,9]] ["green",[1,180]]'),
    ("xrules", BOARD + TURN),
    ("xrules", "[]" + TURN),
    ("xrules", BOARD + '[["blue",[34,270]],0,0]'),
]

# What a mutation puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 9 10 34 35 45 90 180 270 360 -0 0.0 1.0 90.0 9e1 1e400 10.5 10000000000000000000000 "
    'true false null "" "A" "H" "I" "a" "red" "Red" "blue" "pink" "0" [] [0] [0,0] [0,90,0] '
    '[[0,0],1,1] ["red",[0,0]] [["red",[0,0]],0,0] {} {"index":0,"degrees":90}'
).split()


def _form(program: str, values: list[Json]) -> None:
    """Decode the form of a whole input, as the program does."""
    if program in ("xboard", "xrules"):
        (xboard if program == "xboard" else xrules).spec(values)
        return
    if not values:
        raise incomplete(0, "a query")
    for k, value in enumerate(values):
        xtiles.answer(value, element(EVERYTHING, k))


def _has_form(program: str, values: list[Json]) -> bool:
    return is_accepted(lambda: _form(program, values))


def near_misses() -> st.SearchStrategy[tuple[str, list[Json]]]:
    """A program, and values that it accepts after up to three small changes."""
    return st.sampled_from(PROGRAMS).flatmap(
        lambda program: st.tuples(
            st.just(program),
            several_changes([text for of, text in ACCEPTED if of == program], PIECES),
        )
    )


def _check(program: str, values: list[Json]) -> None:
    # Why.SPELLING may part the two, and nothing else.
    has_form = partial(_has_form, program)
    check_agreement(VALIDATORS[f"{program}-in"], has_form, values)


def _printed(program: str, values: list[Json]) -> Plain:
    """What the program prints for these values, as one array."""
    printed = []
    try:
        if program in ("xboard", "xrules"):
            printed.append((xboard if program == "xboard" else xrules).answer(values))
        elif not values:
            raise incomplete(0, "a query")
        else:
            for k, value in enumerate(values):
                printed.append(xtiles.answer(value, element(EVERYTHING, k)))
    except Refused as refusal:
        printed.append(refusal.error_object())
    return json.loads(encode(printed))


def test_what_two_schemas_share_is_the_same_in_both() -> None:
    # Each file is whole by itself, so that any validator can use it without the others.
    words = ("index", "degrees", "port", "x", "y", "message", "malformed-json")
    for word in words:
        of_inputs = [schema_of(name)["$defs"].get(word) for name in NAMES if name.endswith("in")]
        of_outputs = [schema_of(name)["$defs"].get(word) for name in NAMES if name.endswith("out")]
        for shared in (of_inputs, of_outputs):
            given_ones = [each for each in shared if each is not None]
            assert all(each == given_ones[0] for each in given_ones), word


@pytest.mark.parametrize(("program", "text"), ACCEPTED)
def test_the_samples_are_accepted_by_both(program: str, text: str) -> None:
    values = values_of(text)
    _form(program, values)
    VALIDATORS[f"{program}-in"].validate(plain_value(values))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("xtiles", '[6,90,"D"] [0,0,"A"]'),
        ("xboard", '[[[6,90],"red","D",3,7],[[2,0],4,8]]["red",[9,0]]'),
        ("xrules", '[[[6,90],"red","D",3,7]]' + TURN),
    ],
)
def test_a_schema_and_a_decoder_agree_on_every_near_miss(program: str, text: str) -> None:
    """One change, of every kind, at every place, with every piece."""
    for values in each_change(text, PIECES):
        _check(program, values)


@settings(deadline=None, max_examples=300)
@given(near_misses())
def test_a_schema_and_a_decoder_agree_after_several_changes(
    near_miss: tuple[str, list[Json]],
) -> None:
    _check(*near_miss)


@settings(deadline=None, max_examples=200)
@given(near_misses())
def test_what_a_program_prints_fits_its_schema(near_miss: tuple[str, list[Json]]) -> None:
    program, values = near_miss
    VALIDATORS[f"{program}-out"].validate(_printed(program, values))


@pytest.mark.parametrize(("why", "program", "text"), ONLY_THE_DECODER)
def test_what_no_schema_can_tell_the_decoder_refuses(why: Why, program: str, text: str) -> None:
    if why is Why.TEXT:
        with pytest.raises(Refused) as caught:
            values_of(text)
        assert caught.value.kind is Kind.MALFORMED_JSON
        return
    values = values_of(text)
    VALIDATORS[f"{program}-in"].validate(plain_value(values))
    assert _has_form(program, values) == (why is Why.FACTS)
    assert "error" in _printed(program, values)[-1]


def test_every_reason_has_a_sample() -> None:
    assert {why for why, _, _ in ONLY_THE_DECODER} == set(Why)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("xtiles-out", []),
        ("xtiles-out", [["if ", "A", " is the entrance, ", "I", " is the exit."]]),
        ("xtiles-out", [["if ", "A", " is the entrance, ", "B", " is the exit"]]),
        ("xtiles-out", [["if ", "A", " is the entrance, ", "B", " is the exit.", ""]]),
        ("xboard-out", []),
        ("xboard-out", ["red died", "red died"]),
        ("xboard-out", ["red won"]),
        ("xrules-out", []),
        ("xrules-out", ["legal", "legal"]),
        ("xrules-out", ["Legal"]),
        ("xrules-out", [True]),
        ("xboard-out", [[[6, 90], "blue", "D", 3, 7]]),
        ("xboard-out", [[[6, 90], 3, 7]]),
        # Not the least degrees: 2 looks the same at every turn, 3 after half a turn.
        ("xboard-out", [[[2, 90], "red", "D", 3, 7]]),
        ("xboard-out", [[[3, 180], "red", "D", 3, 7]]),
    ],
)
def test_an_answer_of_another_form_does_not_fit(name: str, printed: Plain) -> None:
    assert not VALIDATORS[name].is_valid(printed)


@pytest.mark.parametrize(
    "error",
    [
        {},
        {"kind": "invalid-spec", "at": "/0"},
        {"kind": "invalid-spec", "at": "/0", "message": ""},
        {"kind": "invalid-spec", "at": "", "message": "why"},
        {"kind": "invalid-spec", "at": "0", "message": "why"},
        {"kind": "invalid-spec", "at": "/00", "message": "why"},
        {"kind": "invalid-spec", "at": {"byte": 0}, "message": "why"},
        {"kind": "invalid-spec", "at": "/0", "message": "why", "hint": "none"},
        {"kind": "malformed-json", "at": "/0", "message": "why"},
        {"kind": "malformed-json", "at": {"byte": -1}, "message": "why"},
        {"kind": "malformed-json", "at": {"byte": 0, "line": 1}, "message": "why"},
        {"kind": "incomplete-input", "at": "/2", "message": "why"},
        {"kind": "illegal-move", "at": "/0", "message": "why"},
        {"kind": "other", "at": "/0", "message": "why"},
    ],
)
@pytest.mark.parametrize("name", ["xtiles-out", "xboard-out", "xrules-out"])
def test_an_error_of_another_form_does_not_fit(name: str, error: Plain) -> None:
    assert not VALIDATORS[name].is_valid([{"error": error}])


def test_an_error_comes_once() -> None:
    error = {"error": {"kind": "invalid-spec", "at": "/1", "message": "why"}}
    answer = ["if ", "A", " is the entrance, ", "B", " is the exit."]
    assert VALIDATORS["xtiles-out"].is_valid([answer, error])
    assert not VALIDATORS["xtiles-out"].is_valid([error, error])


def _corpus() -> list[tuple[str, Path]]:
    """The program and the input of every case in a suite of these programs."""
    suites = [
        (tomllib.loads(policy.read_text()).get("program"), policy.parent)
        for policy in sorted(CORPUS.rglob("suite.toml"))
    ]
    return [
        (program, path)
        for program, folder in suites
        if program in PROGRAMS
        for path in sorted(folder.glob("*-in.json"))
    ]


def test_a_schema_and_a_decoder_agree_over_the_corpus() -> None:
    assert {program for program, _ in _corpus()} == set(PROGRAMS)
    for program, path in _corpus():
        values, is_malformed = values_before_a_fault(path)
        if not is_malformed:  # else Why.TEXT: there is nothing that a schema could judge
            _check(program, values)
