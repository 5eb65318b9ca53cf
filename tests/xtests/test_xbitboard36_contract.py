"""The schemas and the page of xbitboard36: what they say is what the program does.

A schema judges values; the program judges a text, and plays. Where they may differ is listed here,
in `ONLY_THE_PROGRAM`, and nowhere else: in all of it the schema accepts, and the program refuses.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from enum import Enum
from functools import partial
from pathlib import Path
from typing import cast

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

from harness.jsontext import Json, Number, encode
from harness.suites.contract import plain_value
from xtests import xbitboard36
from xtests.refusal import EVERYTHING, Refused, element

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "xbitboard36.md").read_text(encoding="utf-8")
CORPUS = sorted((TOP / "test_cases" / "xbitboard36").glob("*-in.json"))
NAMES = ("xbitboard36-in", "xbitboard36-out")


IN, OUT = (Draft202012Validator(schema_of(name)) for name in NAMES)


class Why(Enum):
    """Why the program may refuse what the schema accepts."""

    SPELLING = "a schema sees the value of a number, the decoder its text: 1.0 is no integer here"
    OVERLAP = "a schema sees each word by itself, not that two of them share a cell"
    MOVES = "a schema does not play, so that it knows no illegal move"
    TEXT = "a schema sees values, and these bytes are none, or not only one way"


STATE = '{"white":[5,9,10],"black":4352,"to_play":"white"}'

ONLY_THE_PROGRAM = [
    (Why.SPELLING, '{"ask":[{"value":1.0}]}'),
    (Why.SPELLING, '{"ask":[{"perft":-0}]}'),
    (Why.SPELLING, '{"ask":[],"moves":[[1e0,2]]}'),
    (Why.SPELLING, '{"ask":[],"state":{"white":6.8e1,"black":0,"to_play":"white"}}'),
    (Why.OVERLAP, '{"ask":[],"state":{"white":3,"black":1,"to_play":"white"}}'),
    (Why.OVERLAP, '{"ask":[],"state":{"white":3,"black":[5,0],"to_play":"white"}}'),
    (Why.MOVES, '{"ask":[],"moves":[[0,1]]}'),
    (Why.MOVES, f'{{"ask":[],"moves":[[5,5]],"state":{STATE}}}'),
    (Why.TEXT, '{"ask":[],"ask":[]}'),
    (Why.TEXT, '{"ask":[]},{"ask":[]}'),
    (Why.TEXT, '{"ask":["state",]}'),
    (Why.TEXT, '\ufeff{"ask":[]}'),
]

ACCEPTED = [
    "",
    '{"ask":[]}',
    f'{{"state":{STATE},"moves":[[5,0],[8,35]],"ask":["state",{{"perft":7}},{{"moved":[0,35]}}]}}',
    '{"ask":["text",{"value":0}]} {"moves":[],"ask":[{"position_at":{"row":5,"column":0}}]}',
    '{"ask":["variants"],"state":{"to_play":"black","black":[],"white":68719476735}}',
]

# What a mutation puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 5 6 7 8 35 36 68719476735 68719476736 -0 0.0 1.0 5e0 1e400 10.5 99999999999999999999 "
    'true false null "" "state" "State" "perft" "white" "0" [] [0] [0,0] [0,1] [1,0,2] [[0,1]] {} '
    '{"perft":1} {"value":0} {"perft":1,"value":0} {"state":0} {"row":0,"column":0} '
    '{"white":0,"black":0,"to_play":"white"}'
).split()
# ... and the name of a member that it adds.
ADDED = ("moves", "white", "perft", "column", "other", "")


def _has_form(values: list[Json]) -> bool:
    return all(is_accepted(partial(xbitboard36.request, value, EVERYTHING)) for value in values)


def _check(values: list[Json]) -> None:
    # Why.SPELLING may part the two, and nothing else.
    check_agreement(IN, _has_form, values)


def _printed(values: list[Json]) -> Plain:
    answers = []
    for k, value in enumerate(values):
        try:
            answers.append(xbitboard36.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            answers.append(refusal.error_object())
    return json.loads(encode(answers))


def test_what_both_schemas_share_has_the_same_form_in_both() -> None:
    of_input, of_output = (schema_of(name)["$defs"] for name in NAMES)
    for word in ("colour", "position", "move", "line", "place"):
        for part in (of_input[word], of_output[word]):
            part.pop("description")
        assert of_input[word] == of_output[word], word


def test_the_page_the_schemas_and_the_program_have_the_same_queries() -> None:
    # The program names them where it is asked for another.
    with pytest.raises(Refused) as caught:
        xbitboard36.request({"ask": [None]}, EVERYTHING)
    told = re.findall(r'"(\w+)"', caught.value.message)
    of_input = schema_of("xbitboard36-in")["$defs"]["query"]["oneOf"]
    taken = [*of_input[0]["enum"], *(name for part in of_input[1:] for name in part["properties"])]
    of_output = schema_of("xbitboard36-out")["$defs"]["answer"]["properties"]
    assert _queries_of_the_page() == told == taken == list(of_output)


def _queries_of_the_page() -> list[str]:
    return re.findall(r'^\| `\{?"(\w+)"', PAGE, re.M)


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    values = values_of(text)
    assert _has_form(values)
    IN.validate(plain_value(values))
    OUT.validate(_printed(values))


@pytest.mark.parametrize("text", ACCEPTED[2:4])
def test_the_schema_and_the_decoder_agree_on_every_near_miss(text: str) -> None:
    """One change, of every kind, at every place, with every piece."""
    for values in each_change(text, PIECES, ADDED):
        _check(values)


@settings(deadline=None, max_examples=300)
@given(several_changes(ACCEPTED, PIECES, ADDED))
def test_the_schema_and_the_decoder_agree_after_several_changes(values: list[Json]) -> None:
    _check(values)


@settings(deadline=None, max_examples=200)
@given(several_changes(ACCEPTED, PIECES, ADDED))
def test_what_the_program_prints_fits_its_schema(values: list[Json]) -> None:
    OUT.validate(_printed(values))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_schema_and_the_decoder_agree_over_the_corpus(path: Path) -> None:
    for value in values_before_a_fault(path)[0]:
        _check([value])


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_case_is_within_the_schemas_unless_its_name_says_otherwise(path: Path) -> None:
    kind = path.name.partition("-")[0]
    if kind != "raw":
        values = values_of(path.read_bytes().decode())
        assert IN.is_valid(plain_value(values)) == (kind != "bad")
    answers = path.with_name(path.name.replace("-in", "-out")).read_text(encoding="utf-8")
    OUT.validate([json.loads(line) for line in answers.splitlines()])


@pytest.mark.parametrize(("why", "text"), ONLY_THE_PROGRAM)
def test_what_no_schema_can_tell_the_program_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        with pytest.raises(Refused):
            values_of(text)
        return
    values = values_of(text)
    IN.validate(plain_value(values))
    assert _has_form(values) == (why is not Why.SPELLING)
    assert "error" in _printed(values)[-1]


def test_every_reason_has_a_sample() -> None:
    assert {why for why, _ in ONLY_THE_PROGRAM} == set(Why)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"other": 1},
        {"player": "White"},
        {"pieces": -1},
        {"pieces": 2**36},
        {"pieces": [0]},
        {"state": {"white": 0, "black": 0}},
        {"state": {"white": [], "black": 0, "to_play": "white"}},
        {"positions": {"white": [36], "black": []}},
        {"hexadecimal": {"white": "0x00000000A", "black": "0x000000000"}},
        {"hexadecimal": {"white": "0xa", "black": "0x000000000"}},
        {"text": "White to play"},
        {"actions": [[0]]},
        {"current_next": {"current": 0}},
        {"variants": {"white_right": {"white": 0, "black": 0, "to_play": "white"}}},
        {"neighbour_counts": [0] * 35},
        {"neighbour_counts": [9] * 36},
        {"neighbour_planes": {"ones": 0, "twos": 0, "fours": 0}},
        {"value": {"white": 2, "black": 0}},
        {"neighbour_count": 9},
        {"row_column": {"row": 6, "column": 0}},
        {"position_at": 36},
        {"perft": 2**53},
        {"error": {"kind": "invalid-spec", "at": "/0"}},
        {"error": {"kind": "invalid-spec", "at": "/0", "message": ""}},
        {"error": {"kind": "invalid-spec", "at": "", "message": "why"}},
        {"error": {"kind": "invalid-spec", "at": "/00", "message": "why"}},
        {"error": {"kind": "invalid-spec", "at": "/0/~2", "message": "why"}},
        {"error": {"kind": "invalid-spec", "at": {"byte": 0}, "message": "why"}},
        {"error": {"kind": "illegal-move", "at": "/0", "message": "why"}},
        {"error": {"kind": "illegal-move", "at": "/0/moves/-1", "message": "why"}},
        {"error": {"kind": "malformed-json", "at": "/0", "message": "why"}},
        {"error": {"kind": "incomplete-input", "at": "/0", "message": "why"}},
    ],
    ids=json.dumps,
)
def test_an_answer_of_another_form_does_not_fit(answer: Plain) -> None:
    assert not OUT.is_valid([answer])


def test_malformed_bytes_are_told_once_and_other_faults_any_number_of_times() -> None:
    malformed_json = {"error": {"kind": "malformed-json", "at": {"byte": 3}, "message": "why"}}
    invalid = {"error": {"kind": "invalid-spec", "at": "/1/a~1b", "message": "why"}}
    assert OUT.is_valid([invalid, {}, invalid, malformed_json])
    assert not OUT.is_valid([malformed_json, malformed_json])


def _examples() -> list[tuple[str, str]]:
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [cast("tuple[str, str]", tuple(part.split("\n", 1))) for part in parts]


@pytest.mark.parametrize(("command", "printed"), _examples())
def test_an_example_of_the_page_prints_what_the_page_says(command: str, printed: str) -> None:
    program = f'xbitboard36() {{ "{sys.executable}" -m xtests.xbitboard36; }}\n'
    ran = subprocess.run(
        ["sh", "-c", program + command], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == (printed, "")


def test_the_picture_of_the_text_on_the_page_is_what_is_printed() -> None:
    (drawn,) = re.findall(r"^    White to play.*?(?=\n\n)", PAGE, re.M | re.S)
    state = {"white": ["0", "9", "10"], "black": ["12", "35"]}
    request: Json = {
        "state": {
            **{colour: [Number(at) for at in cells] for colour, cells in state.items()},
            "to_play": "white",
        },
        "ask": ["text"],
    }
    assert _printed([request]) == [{"text": re.sub("^    ", "", drawn, flags=re.M)}]
