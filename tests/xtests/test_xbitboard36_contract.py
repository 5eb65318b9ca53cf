"""The schemas and the page of xbitboard36: what they say is what the program does.

A schema judges values; the program judges a text, and plays. Where they may differ is listed here,
in `ONLY_THE_PROGRAM`, and nowhere else: in all of it the schema accepts, and the program refuses.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Number, encode
from xtests import xbitboard36
from xtests.refusal import EVERYTHING, Refused, element, malformed

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "xbitboard36.md").read_text(encoding="utf-8")
CORPUS = sorted((TOP / "test_cases" / "xbitboard36").glob("*-in.json"))
NAMES = ("xbitboard36-in", "xbitboard36-out")

# The plain values that jsonschema reads.
Plain = Any
Place = tuple[int | str, ...]


def _schema(name: str) -> dict[str, Plain]:
    text = (TOP / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Plain]", json.loads(text))


IN, OUT = (Draft202012Validator(_schema(name)) for name in NAMES)


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

CHANGES = ("replace", "insert", "remove")

# What a mutation puts in the place of something: near-misses of every kind of value.
PIECES = (
    "-1 0 1 5 6 7 8 35 36 68719476735 68719476736 -0 0.0 1.0 5e0 1e400 10.5 99999999999999999999 "
    'true false null "" "state" "State" "perft" "white" "0" [] [0] [0,0] [0,1] [1,0,2] [[0,1]] {} '
    '{"perft":1} {"value":0} {"perft":1,"value":0} {"state":0} {"row":0,"column":0} '
    '{"white":0,"black":0,"to_play":"white"}'
).split()
# ... and the name of a member that it adds.
ADDED = ("moves", "white", "perft", "column", "other", "")


def _values(text: str) -> list[Json]:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return values


def _is_accepted(values: list[Json]) -> bool:
    """Whether every request has the form of one."""
    try:
        for k, value in enumerate(values):
            xbitboard36.request(value, element(EVERYTHING, k))
    except Refused:
        return False
    return True


def _printed(values: list[Json]) -> Plain:
    answers = []
    for k, value in enumerate(values):
        try:
            answers.append(xbitboard36.answer(value, element(EVERYTHING, k)))
        except Refused as refusal:
            answers.append(refusal.error_object())
    return json.loads(encode(answers))


def _plain(value: Json) -> Plain:
    if isinstance(value, Number):
        return float(value.text) if set(value.text) & set(".eE") else int(value.text)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return value


def _spelled_as_integers(value: Json) -> Json:
    """The same values, and those numbers that equal an integer written as one."""
    if isinstance(value, Number):
        number = float(value.text)
        is_other = not value.text.isdigit() and number.is_integer()
        return Number(str(int(number))) if is_other else value
    if isinstance(value, list):
        return [_spelled_as_integers(each) for each in value]
    if isinstance(value, dict):
        return {key: _spelled_as_integers(member) for key, member in value.items()}
    return value


def _places(value: Json, at: Place = ()) -> Iterator[Place]:
    """The place of every part at any depth, and of the one that could come last."""
    if isinstance(value, (list, dict)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield (*at, key)
            yield from _places(part, (*at, key))
    if isinstance(value, list):
        yield (*at, len(value))
    if isinstance(value, dict):
        yield from ((*at, name) for name in ADDED if name not in value)


def _mutated(values: list[Json], at: Place, change: str, piece: Json) -> None:
    container: Plain = values
    for key in at[:-1]:
        container = container[key]
    last = at[-1]
    if isinstance(container, dict):
        container.pop(last, None)
        if change != "remove":
            container[last] = piece  # at the end, so that the order changes as well
    elif change == "insert":
        container.insert(last, piece)
    else:
        container[last : cast("int", last) + 1] = [piece] if change == "replace" else []


@st.composite
def near_misses(draw: st.DrawFn) -> list[Json]:
    """Values that are accepted, after up to three small changes."""
    values = _values(draw(st.sampled_from(ACCEPTED)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(list(_places(values))))
        (piece,) = _values(draw(st.sampled_from(PIECES)))
        _mutated(values, at, draw(st.sampled_from(CHANGES)), piece)
    return values


def _check_agreement(values: list[Json]) -> None:
    fits, has_form = IN.is_valid(_plain(values)), _is_accepted(values)
    if fits and not has_form:
        # Why.SPELLING, and nothing else: written as integers, the same values are accepted.
        respelled = [_spelled_as_integers(value) for value in values]
        assert respelled != values
        assert _is_accepted(respelled)
    else:
        assert fits == has_form


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
    optional = {"/$defs/request": {"state", "moves"}, "/$defs/answer": set(_queries_of_the_page())}
    for at, part in _parts(_schema(name)):
        if part.get("type") == "object" and "contains" not in at:
            assert part["additionalProperties"] is False, at
            assert set(part["properties"]) - set(part["required"]) == optional.get(at, set()), at
        if part.get("type") == "array":
            assert "items" in part, at
        if "prefixItems" in part:
            assert part["minItems"] == len(part["prefixItems"]), at


def test_what_both_schemas_share_has_the_same_form_in_both() -> None:
    of_input, of_output = (_schema(name)["$defs"] for name in NAMES)
    for word in ("colour", "position", "move", "line", "place"):
        for part in (of_input[word], of_output[word]):
            part.pop("description")
        assert of_input[word] == of_output[word], word


def test_the_page_the_schemas_and_the_program_have_the_same_queries() -> None:
    # The program names them where it is asked for another.
    with pytest.raises(Refused) as caught:
        xbitboard36.request({"ask": [None]}, EVERYTHING)
    told = re.findall(r'"(\w+)"', caught.value.message)
    of_input = _schema("xbitboard36-in")["$defs"]["query"]["oneOf"]
    taken = [*of_input[0]["enum"], *(name for part in of_input[1:] for name in part["properties"])]
    of_output = _schema("xbitboard36-out")["$defs"]["answer"]["properties"]
    assert _queries_of_the_page() == told == taken == list(of_output)


def _queries_of_the_page() -> list[str]:
    return re.findall(r'^\| `\{?"(\w+)"', PAGE, re.M)


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_samples_are_accepted_by_both(text: str) -> None:
    values = _values(text)
    assert _is_accepted(values)
    IN.validate(_plain(values))
    OUT.validate(_printed(values))


@pytest.mark.parametrize("text", ACCEPTED[2:4])
def test_the_schema_and_the_decoder_agree_on_every_near_miss(text: str) -> None:
    """One change, of every kind, at every place, with every piece."""
    for at in _places(_values(text)):
        for change in CHANGES:
            for piece in PIECES if change != "remove" else ["null"]:
                values = _values(text)
                _mutated(values, at, change, _values(piece)[0])
                _check_agreement(values)


@settings(deadline=None, max_examples=300)
@given(near_misses())
def test_the_schema_and_the_decoder_agree_after_several_changes(values: list[Json]) -> None:
    _check_agreement(values)


@settings(deadline=None, max_examples=200)
@given(near_misses())
def test_what_the_program_prints_fits_its_schema(values: list[Json]) -> None:
    OUT.validate(_printed(values))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_schema_and_the_decoder_agree_over_the_corpus(path: Path) -> None:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(path.read_bytes()) + decoder.close()
    for value in values:
        _check_agreement([value])


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_case_is_within_the_schemas_unless_its_name_says_otherwise(path: Path) -> None:
    kind = path.name.partition("-")[0]
    if kind != "raw":
        values = _values(path.read_bytes().decode())
        assert IN.is_valid(_plain(values)) == (kind != "bad")
    answers = path.with_name(path.name.replace("-in", "-out")).read_text(encoding="utf-8")
    OUT.validate([json.loads(line) for line in answers.splitlines()])


@pytest.mark.parametrize(("why", "text"), ONLY_THE_PROGRAM)
def test_what_no_schema_can_tell_the_program_refuses(why: Why, text: str) -> None:
    if why is Why.TEXT:
        with pytest.raises(Refused):
            _values(text)
        return
    values = _values(text)
    IN.validate(_plain(values))
    assert _is_accepted(values) == (why is not Why.SPELLING)
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
