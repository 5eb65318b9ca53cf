"""What the tests of the programs' schemas share: values, their places and changes, and agreement.

A schema judges values, a decoder a text. What a program's schema and its decoder may disagree on is
listed in the tests of that program, and not here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, Number
from harness.suites.contract import plain_value
from xtests.refusal import Refused, malformed

__all__ = [
    "SCHEMAS",
    "Plain",
    "check_agreement",
    "each_change",
    "fits",
    "is_accepted",
    "schema_of",
    "several_changes",
    "spelled_as_integers",
    "values_before_a_fault",
    "values_of",
]

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"

# The plain values that jsonschema reads.
Plain: TypeAlias = Any
# The way to a part of a value: names of members, and numbers of elements.
Place: TypeAlias = tuple[str | int, ...]

CHANGES: Final = ("replace", "insert", "remove")
# Where nothing is, the other two come to the same, or to nothing.
ADDITION: Final = ("insert",)


def schema_of(name: str) -> dict[str, Plain]:
    """A schema of the project, such as xboard-in."""
    text = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Plain]", json.loads(text))


def values_of(text: str) -> list[Json]:
    """The values of a text, as a program reads them; raises Refused where they are none."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode()) + decoder.close()
    if decoder.fault is not None:
        raise malformed(decoder.fault)
    return values


def values_before_a_fault(file: Path) -> tuple[list[Json], bool]:
    """The values of a file, and whether it is malformed after them."""
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(file.read_bytes()) + decoder.close()
    return values, decoder.fault is not None


def is_accepted(check: Callable[[], object]) -> bool:
    """Whether this refuses nothing."""
    try:
        check()
    except Refused:
        return False
    return True


# Agreement.


def fits(validator: Draft202012Validator, values: list[Json]) -> bool:
    """Whether these values, as one array, keep a schema."""
    return validator.is_valid(plain_value([_short(value) for value in values]))


def _short(value: Json, depth: int = 0) -> Json:
    """The same values, as far as jsonschema can look at them: what is out of every range with 5,000
    digits is so with its first 100, and nothing fits that is nested 20 deep."""
    if isinstance(value, Number):
        return Number(value.text[:100])
    if isinstance(value, list):
        return [_short(each, depth + 1) for each in value] if depth < 20 else None
    if isinstance(value, dict):
        return {name: _short(part, depth + 1) for name, part in value.items()}
    return value


def spelled_as_integers(value: Json) -> Json:
    """The same values, and those numbers that equal an integer written as one."""
    if isinstance(value, Number):
        number = float(value.text)
        is_other = not value.text.isdigit() and number.is_integer()
        return Number(str(int(number))) if is_other else value
    if isinstance(value, list):
        return [spelled_as_integers(each) for each in value]
    if isinstance(value, dict):
        return {name: spelled_as_integers(part) for name, part in value.items()}
    return value


def check_agreement(
    validator: Draft202012Validator,
    has_form: Callable[[list[Json]], bool],
    values: list[Json],
    seen: Callable[[Json], Json] = spelled_as_integers,
) -> None:
    """Assert that what a schema and a decoder say of these values is the same, but for what `seen`
    takes away: values that only the schema accepts must be other ones without it, and accepted."""
    is_fitting, is_formed = fits(validator, values), has_form(values)
    if is_fitting and not is_formed:
        as_seen = [seen(value) for value in values]
        assert as_seen != values
        assert has_form(as_seen)
    else:
        assert is_fitting == is_formed


# Near-misses.


def each_change(
    text: str, pieces: Sequence[str], added: Sequence[str] = ()
) -> Iterator[list[Json]]:
    """The values of a text after one change, of every kind, at every place, with every piece.
    `added` are the names of members that an object may be given."""
    for at, changes in _places(values_of(text), added):
        for change in changes:
            for piece in pieces if change != "remove" else ["null"]:
                values = values_of(text)
                _change(values, at, change, values_of(piece)[0])
                yield values


@st.composite
def several_changes(
    draw: st.DrawFn, texts: Sequence[str], pieces: Sequence[str], added: Sequence[str] = ()
) -> list[Json]:
    """The values of one of these texts, after up to three changes."""
    values = values_of(draw(st.sampled_from(texts)))
    for _ in range(draw(st.integers(1, 3))):
        at, changes = draw(st.sampled_from(list(_places(values, added))))
        (piece,) = values_of(draw(st.sampled_from(pieces)))
        _change(values, at, draw(st.sampled_from(changes)), piece)
    return values


def _places(
    value: Json, added: Sequence[str], at: Place = ()
) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """The place of every part at any depth, and of each that could be added, with its changes."""
    if isinstance(value, list):
        for k, each in enumerate(value):
            yield from (((*at, k), CHANGES), *_places(each, added, (*at, k)))
        yield (*at, len(value)), ADDITION
    if isinstance(value, dict):
        for name, part in value.items():
            yield from (((*at, name), CHANGES), *_places(part, added, (*at, name)))
        yield from (((*at, name), ADDITION) for name in added if name not in value)


def _change(values: list[Json], at: Place, change: str, piece: Json) -> None:
    container: Plain = values
    for step in at[:-1]:
        container = container[step]
    if isinstance(container, dict):
        _change_member(container, str(at[-1]), change, piece)
        return
    last = cast("int", at[-1])
    container[last : last + (change != "insert")] = [] if change == "remove" else [piece]


def _change_member(members: dict[str, Json], name: str, change: str, piece: Json) -> None:
    if change != "replace":
        members.pop(name, None)
    if change != "remove":
        members[name] = piece  # an inserted one stands last, so that the order changes as well
