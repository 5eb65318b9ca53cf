"""xref and xadmin: a schema and a decoder accept the same, and what is printed fits its schema."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schema_checks import (
    SCHEMAS,
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
from xtests import xadmin, xref
from xtests.refusal import Kind, Refused

PROGRAMS: Final[dict[str, ModuleType]] = {"xref": xref, "xadmin": xadmin}
VALIDATORS: Final = {
    f"{program}-{side}": Draft202012Validator(schema_of(f"{program}-{side}"))
    for program in PROGRAMS
    for side in ("in", "out")
}
CASES: Final = SCHEMAS.parent / "test_cases"

ACCEPTED: Final = {
    "xref": ('["a","b","c"]', '["","é","\\n","b","B"]'),
    "xadmin": (
        '[{"name":"a","strategy":"first-s"},{"name":"b","strategy":"x/SecondS.java"},'
        '{"strategy":"ThirdS.","name":"c"}]',
    ),
}

PIECES: Final = (
    '"a" "b" "é" "" "first-s" "x/SecondS.java" "ThirdS.x/y" "first-s/" "./third-s..." "Third-s" '
    '"first-s\\n" "\\nfirst-s" "\\n/first-s.\\n" 1 1.0 true null [] ["a","b","d"] {} {"name":"d"} '
    '{"name":"d","strategy":"third-s"} {"name":"d","strategy":"third-s","age":7}'
).split()
ADDED: Final = ("name", "strategy", "age")


def _has_form(program: str, values: list[Json]) -> bool:
    """Whether a program accepts these values, but for two players of one name, which the schema of
    xadmin cannot tell."""
    try:
        PROGRAMS[program].spec(values)
    except Refused as refusal:
        return program == "xadmin" and refusal.message.startswith("two players of one name")
    return True


def _printed(program: str, values: list[Json]) -> Plain:
    try:
        return json.loads(encode([PROGRAMS[program].answer(values)]))
    except Refused as refusal:
        return json.loads(encode([refusal.error_object()]))


near_misses = st.sampled_from(sorted(PROGRAMS)).flatmap(
    lambda program: st.tuples(st.just(program), several_changes(ACCEPTED[program], PIECES, ADDED))
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_schema_and_a_decoder_agree_on_every_near_miss(program: str) -> None:
    for text in ACCEPTED[program]:
        for values in [values_of(text), *each_change(text, PIECES, ADDED)]:
            check_agreement(VALIDATORS[f"{program}-in"], partial(_has_form, program), values)


@settings(deadline=None, max_examples=300)
@given(near_misses)
def test_a_schema_and_a_decoder_agree_after_several_changes(
    near_miss: tuple[str, list[Json]],
) -> None:
    """And what is printed then fits the other schema."""
    program, values = near_miss
    check_agreement(VALIDATORS[f"{program}-in"], partial(_has_form, program), values)
    VALIDATORS[f"{program}-out"].validate(_printed(program, values))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_schema_and_a_decoder_agree_over_the_corpus(program: str) -> None:
    inputs = sorted((CASES / program).glob("*-in.json"))
    assert len(inputs) > 80
    for path in inputs:
        _check_file(program, path)


def _check_file(program: str, path: Path) -> None:
    values, is_malformed = values_before_a_fault(path)
    if not is_malformed:
        check_agreement(VALIDATORS[f"{program}-in"], partial(_has_form, program), values)


def test_that_two_players_have_one_name_only_the_decoder_tells() -> None:
    values = values_of(ACCEPTED["xadmin"][0].replace('"b"', '"a"'))
    VALIDATORS["xadmin-in"].validate(plain_value(values))
    assert not is_accepted(lambda: xadmin.spec(values))
    assert not VALIDATORS["xref-in"].is_valid([["a", "b", "a"]])


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("xref-out", []),
        ("xref-out", [{"winners": []}]),
        ("xref-out", [{"winners": [[]], "cheaters": []}]),
        ("xref-out", [{"winners": ["a"], "cheaters": []}]),
        ("xref-out", [{"winners": [["a"]], "cheaters": ["b", "b"]}]),
        ("xref-out", [{"winners": [["a"]], "cheaters": [], "losers": []}]),
        ("xref-out", [{"error": {"kind": "illegal-move", "at": "/0", "message": "why"}}]),
        ("xref-out", [{"error": {"kind": "invalid-spec", "at": "/0/5", "message": "why"}}]),
        ("xref-out", [{"error": {"kind": "incomplete-input", "at": "/1", "message": "why"}}]),
        ("xadmin-out", [{"winners": [["a"]], "cheaters": []}]),
        ("xadmin-out", [{"cheaters": ["a"]}]),
        ("xadmin-out", [{"winners": [["a"]]}, {"winners": [["a"]]}]),
        ("xadmin-out", [{"error": {"kind": "invalid-spec", "at": "/0/20", "message": "why"}}]),
        ("xadmin-out", [{"error": {"kind": "invalid-spec", "at": "/0/1/name/2", "message": "."}}]),
    ],
)
def test_an_answer_of_another_form_does_not_fit(name: str, printed: Plain) -> None:
    assert not VALIDATORS[name].is_valid(printed)


def test_a_schema_and_a_decoder_agree_that_a_text_is_no_json() -> None:
    with pytest.raises(Refused) as caught:
        values_of('["a","b","c",]')
    assert caught.value.kind is Kind.MALFORMED_JSON


def test_what_the_schemas_share_is_the_same_in_both() -> None:
    one, other = (schema_of(f"{program}-out")["$defs"] for program in PROGRAMS)
    for word in ("name", "message", "malformed-json", "error"):
        assert one[word] == other[word]
