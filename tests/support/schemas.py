"""The schemas of the programs, near misses of inputs, and the samples of schema_samples.toml."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, cast

from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.wire import PROGRAMS, Plain, is_accepted, parse, parse_one

from harness.jsonio.decoder import Json, Number
from harness.judging.schema_values import ExactValidator, parse_schema, schema_value

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"

# The path of a part of a value: names of members and indices of elements.
Place: TypeAlias = tuple[str | int, ...]

_CHANGES: Final = ("replace", "insert", "remove")


def schema_of(name: str) -> dict[str, Plain]:
    """Return a schema of the project, such as xboard-in."""
    text = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Plain]", json.loads(text))


@cache
def validator_of(name: str) -> Draft202012Validator:
    return ExactValidator(parse_schema(json.dumps(schema_of(name))))


def fits(name: str, values: list[Json]) -> bool:
    """Return whether these values, as one array, are valid by a schema."""
    return validator_of(name).is_valid(schema_value([_shorten(value) for value in values]))


def _shorten(value: Json, depth: int = 0) -> Json:
    # jsonschema cannot recurse 512 levels; the verdict stays the same.
    if isinstance(value, list):
        return [_shorten(each, depth + 1) for each in value] if depth < 20 else None
    if isinstance(value, dict):
        return {name: _shorten(part, depth + 1) for name, part in value.items()}
    return value


def check_agreement(
    program: str, values: list[Json], equivalent: Callable[[Json], Json] | None = None
) -> None:
    """Assert that the schema and the parser of a program accept the same.

    If only the schema accepts the values, the parser must accept equivalent ones: those that
    differ in what no schema sees, which is at least the spelling of integers.
    """
    is_valid, is_parsed = fits(f"{program}-in", values), is_accepted(program, values)
    if is_valid and not is_parsed:
        others = [(equivalent or integers_in_canonical_form)(value) for value in values]
        assert others != values
        assert is_accepted(program, others)
    else:
        assert is_valid == is_parsed


def integers_in_canonical_form(value: Json) -> Json:
    """Return the value with 1.0, 1e0 and -0 written as integers."""
    if isinstance(value, Number):
        number = float(value.text)
        is_other = not value.text.isdigit() and number.is_integer()
        return Number(str(int(number))) if is_other else value
    if isinstance(value, list):
        return [integers_in_canonical_form(each) for each in value]
    if isinstance(value, dict):
        return {name: integers_in_canonical_form(part) for name, part in value.items()}
    return value


def each_change(text: str, pieces: Sequence[str], added: Sequence[str]) -> Iterator[list[Json]]:
    """Yield the values of a text after one change, of every kind, at every place, with every piece.

    `added` are the names of members that an object may gain.
    """
    for at, changes in _places(parse(text), added):
        for change in changes:
            for piece in pieces if change != "remove" else ["null"]:
                values = parse(text)
                _change(values, at, change, parse_one(piece))
                yield values


@st.composite
def several_changes(
    draw: st.DrawFn, texts: Sequence[str], pieces: Sequence[str], added: Sequence[str]
) -> list[Json]:
    """Draw the values of one of these texts after up to three changes."""
    values = parse(draw(st.sampled_from(texts)))
    for _ in range(draw(st.integers(1, 3))):
        at, changes = draw(st.sampled_from(list(_places(values, added))))
        piece = parse_one(draw(st.sampled_from(pieces)))
        _change(values, at, draw(st.sampled_from(changes)), piece)
    return values


def _places(
    value: Json, added: Sequence[str], at: Place = ()
) -> Iterator[tuple[Place, Sequence[str]]]:
    """Yield the place of every part, and of every part that could be added, with its changes."""
    if isinstance(value, list):
        for k, each in enumerate(value):
            yield from (((*at, k), _CHANGES), *_places(each, added, (*at, k)))
        yield (*at, len(value)), ["insert"]
    if isinstance(value, dict):
        for name, part in value.items():
            yield from (((*at, name), _CHANGES), *_places(part, added, (*at, name)))
        yield from (((*at, name), ["insert"]) for name in added if name not in value)


def _change(values: list[Json], at: Place, change: str, piece: Json) -> None:
    container: Any = values
    *steps, last = at
    for step in steps:
        container = container[step]
    if isinstance(container, dict):
        if change != "replace":
            container.pop(last, None)
        if change != "remove":
            container[last] = piece  # an inserted member stands last, so the order changes too
    else:
        end = cast("int", last) + (change != "insert")
        container[last:end] = [] if change == "remove" else [piece]


class Samples(NamedTuple):
    """Inputs of a program, how to change them, and outputs that it never prints.

    Every change of the texts in `near` is tried: `pieces` replace parts, `added` names members to
    add. The schema accepts `beyond_schema`, the program does not: 1.0 is not an integer, parts
    contradict each other, or a move is illegal. `unfit` are arrays of values.
    """

    accepted: list[str]
    near: list[str]
    pieces: str
    beyond_schema: list[str]
    unfit: list[str]
    added: str = ""
    equivalent: Callable[[Json], Json] | None = None


def _without_boards(value: Json) -> Json:
    # The schema of xisolation sees the digits of a board, but not which bits are set.
    if isinstance(value, list):
        return [_without_boards(each) for each in value]
    if isinstance(value, dict):
        others = {name: _without_boards(part) for name, part in value.items()}
        return {**others, "board": "0"} if isinstance(value.get("board"), str) else others
    return integers_in_canonical_form(value)


def _with_unique_names(value: Json) -> Json:
    # The schemas of xadmin and of games of xref cannot compare the names of players.
    value = integers_in_canonical_form(value)
    if isinstance(value, dict) and isinstance(value.get("players"), list):
        return {**value, "players": _with_unique_names(value["players"])}
    if not isinstance(value, list):
        return value
    return [
        {**each, "name": str(k)} if isinstance(each, dict) else each for k, each in enumerate(value)
    ]


_FILE: Final = Path(__file__).with_name("schema_samples.toml").read_text(encoding="utf-8")
_TABLES: Final[dict[str, Any]] = tomllib.loads(_FILE)
_EQUIVALENT: Final = {
    "xisolation": _without_boards,
    "xadmin": _with_unique_names,
    "xref": _with_unique_names,
}
SAMPLES: Final = {
    program: Samples(**table, equivalent=_EQUIVALENT.get(program))
    for program, table in _TABLES["programs"].items()
}
UNFIT_ERRORS: Final[list[tuple[str, Plain, tuple[str, ...]]]] = [
    (kind, json.loads(at), tuple(programs.split() or PROGRAMS))
    for kind, at, programs in _TABLES["errors"]["unfit"]
]
FITTING_ERRORS: Final[list[tuple[str, Plain]]] = [
    (kind, json.loads(at)) for kind, at in _TABLES["errors"]["fitting"]
]
