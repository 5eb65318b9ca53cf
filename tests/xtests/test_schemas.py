"""The schemas of the programs accept what the parsers accept and what the programs print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from support.corpus import cases_of
from support.schemas import (
    FITTING_ERRORS,
    SAMPLES,
    SCHEMAS,
    UNFIT_ERRORS,
    check_agreement,
    each_change,
    fits,
    schema_of,
    validator_of,
)
from support.wire import PROGRAMS, Plain, is_accepted, parse, printed

from xtests import xbitboard36, xisolation, xtictactoe
from xtests.errors import InputError
from xtests.request import RequestHandler

NAMES: Final = tuple(f"{program}-{side}" for program in PROGRAMS for side in ("in", "out"))
REQUESTS: Final[dict[str, RequestHandler[Any, Any, Any]]] = {
    "xisolation": xisolation.REQUESTS,
    "xtictactoe": xtictactoe.REQUESTS,
    "xbitboard36": xbitboard36.REQUESTS,
}
# What objects require of their members, where it is not all of them.
OPTIONAL: Final[dict[str, list[str]]] = {
    "/$defs/request": ["ask"],
    "/$defs/answer": [],
    "/$defs/player": ["name", "strategy"],
}


def _error(kind: str, at: Plain, **parts: Plain) -> Plain:
    return [{"error": {"kind": kind, "at": at, "message": "why", **parts}}]


def _parts(schema: Plain, at: str = "") -> Iterator[tuple[str, dict[str, Plain]]]:
    """Yield every schema inside a schema, with its place."""
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


def test_every_program_has_both_schemas() -> None:
    files = {file.name for file in SCHEMAS.glob("x*")} - {"xtest.schema.json"}  # not of a program
    assert files == {f"{name}.schema.json" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_named_described_and_closed(name: str) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:xtest:schema:{name}"
    assert schema["title"]
    for at, part in _parts(schema):
        assert part.get("description") or set(part) == {"$ref"}, at
        # `contains` only looks for a member.
        if part.get("type") == "object" and "/contains" not in at:
            assert part["additionalProperties"] is False, at
            assert part.get("required", []) == OPTIONAL.get(at, list(part["properties"])), at
        if part.get("type") == "array":
            choices = [part] if "items" in part else part["oneOf"]
            assert choices and all("items" in choice for choice in choices), at
        if "prefixItems" in part:
            assert part["minItems"] == len(part["prefixItems"]), at


@pytest.mark.parametrize(
    ("word", "programs"),
    [
        *(
            (word, ("xtiles", "xboard", "xmoves", "xrules"))
            for word in ("index", "degrees", "port", "x")
        ),
        *((word, ("xref", "xadmin")) for word in ("name", "error")),
        *((word, PROGRAMS) for word in ("message", "malformed-json")),
    ],
)
def test_a_definition_that_schemas_share_is_the_same_in_all(
    word: str, programs: tuple[str, ...]
) -> None:
    # Each file is complete, so that any validator can use it alone.
    for side in ("in", "out"):
        definitions = [schema_of(f"{program}-{side}")["$defs"].get(word) for program in programs]
        found = [each for each in definitions if each is not None]
        assert all(each == found[0] for each in found)


@pytest.mark.parametrize("program", REQUESTS)
def test_both_schemas_have_the_queries_of_the_program(program: str) -> None:
    requests = REQUESTS[program]
    queries = [*requests.plain, *requests.with_argument]
    assert set(schema_of(f"{program}-out")["$defs"]["answer"]["properties"]) == set(queries)
    asked = validator_of(f"{program}-in")
    assert all(asked.is_valid([{"ask": [name]}]) for name in requests.plain)
    assert not any(asked.is_valid([{"ask": [name]}]) for name in requests.with_argument)


@pytest.mark.parametrize("program", SAMPLES)
def test_schema_and_parser_agree_on_samples_and_their_near_misses(program: str) -> None:
    samples = SAMPLES[program]
    for text in samples.accepted:
        assert fits(f"{program}-in", parse(text)) and is_accepted(program, parse(text))
    for text in samples.near:
        for values in each_change(text, samples.pieces.split(), samples.added.split()):
            check_agreement(program, values, samples.equivalent)


@pytest.mark.parametrize("program", SAMPLES)
def test_schema_and_parser_agree_over_the_corpus(program: str) -> None:
    for case in cases_of(program):
        try:
            values = parse(case.stdin)
        except InputError:
            continue  # malformed bytes have no values for a schema to judge
        check_agreement(program, values, SAMPLES[program].equivalent)


@pytest.mark.parametrize(
    ("program", "text"),
    [(name, text) for name, samples in SAMPLES.items() for text in samples.beyond_schema],
)
def test_a_program_refuses_what_its_schema_cannot_express(program: str, text: str) -> None:
    assert fits(f"{program}-in", parse(text))
    assert "error" in printed(program, text)[-1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_outputs_of_another_form_do_not_match(program: str) -> None:
    validator = validator_of(f"{program}-out")
    for output in SAMPLES[program].unfit:
        assert not validator.is_valid(json.loads(output)), output
    for kind, at, programs in UNFIT_ERRORS:
        assert program not in programs or not validator.is_valid(_error(kind, at)), (kind, at)
    assert validator.is_valid(_error("malformed-json", {"byte": 0}))
    assert not validator.is_valid(_error("malformed-json", {"byte": 0}, message=""))
    assert not validator.is_valid(_error("malformed-json", {"byte": 0}, hint="none"))
    assert not validator.is_valid([{"error": {"kind": "malformed-json", "at": {"byte": 0}}}])
    assert not validator.is_valid([{"error": {}}])
    if program != "xisolation":  # whose schema does not count
        assert not validator.is_valid(_error("malformed-json", {"byte": 0}) * 2)


@pytest.mark.parametrize(("kind", "at"), FITTING_ERRORS)
def test_an_error_may_point_to_any_part_of_a_request(kind: str, at: Plain) -> None:
    assert validator_of("xtictactoe-out").is_valid(_error(kind, at))


@pytest.mark.parametrize("program", REQUESTS)
def test_many_requests_may_be_refused_before_malformed_bytes(program: str) -> None:
    refused = _error("invalid-spec", "/0")
    malformed = _error("malformed-json", {"byte": 0})
    assert validator_of(f"{program}-out").is_valid([*refused, {}, *refused, *malformed])
    assert not validator_of(f"{program}-out").is_valid([{"player": 0, **refused[0]}])
