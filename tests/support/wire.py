"""The wire programs as pure functions, from the bytes of an input to the values they print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from harness.jsonio.decoder import PROGRAM_DEPTH, Decoder, Json, JsonError, Printable, encode
from xtests import (
    xadmin,
    xbitboard36,
    xboard,
    xisolation,
    xmoves,
    xref,
    xrules,
    xtictactoe,
    xtiles,
)
from xtests.errors import ROOT, InputError, element, incomplete, malformed

Plain = Any  # a JSON value as Python's json module represents it


class Program(NamedTuple):
    """The functions of a program: `answer` as in its `main`, and `parse`, which checks alone.

    Both take all values of a batch, or a value of a stream with its place, and may raise
    InputError. A stream that `requires` a first value ends at an error; others go on.
    """

    answer: Callable[..., Printable]
    parse: Callable[..., object]
    is_batch: bool = False
    requires: str | None = None


PROGRAMS: Final = {
    "xtiles": Program(xtiles.answer, xtiles.answer, requires=xtiles.QUERY),
    "xboard": Program(xboard.answer, xboard.parse_input, is_batch=True),
    "xmoves": Program(xmoves.answer, xmoves.parse_input, is_batch=True),
    "xrules": Program(xrules.answer, xrules.parse_input, is_batch=True),
    "xref": Program(xref.answer, xref.parse_input, is_batch=True),
    "xadmin": Program(xadmin.answer, xadmin.parse_input, is_batch=True),
    "xisolation": Program(xisolation.REQUESTS.answer, xisolation.REQUESTS.parse),
    "xtictactoe": Program(xtictactoe.REQUESTS.answer, xtictactoe.REQUESTS.parse),
    "xbitboard36": Program(xbitboard36.REQUESTS.answer, xbitboard36.REQUESTS.parse),
}


def printed(program: str, text: str | bytes) -> list[Plain]:
    """Return the values that a program prints for an input."""
    return [json.loads(line) for line in print_lines(program, text)]


def print_lines(program: str, text: str | bytes) -> list[str]:
    """Return the lines that a program prints for an input."""
    values, fault = _decode(text)
    definition = PROGRAMS[program]
    lines: list[str] = []
    try:
        if fault is not None and (definition.is_batch or not values):
            raise malformed(fault)
        for arguments in _calls(definition, values):
            try:
                lines.append(encode(definition.answer(*arguments)))
            except InputError as error:
                if definition.requires is not None:
                    raise
                lines.append(encode(error.error_object()))
        if fault is not None:
            raise malformed(fault)
    except InputError as error:
        lines.append(encode(error.error_object()))
    return lines


def _calls(program: Program, values: list[Json]) -> Iterator[tuple[object, ...]]:
    """Yield the arguments of each call of `answer` or `parse` for an input."""
    if program.is_batch:
        yield (values,)
        return
    if not values and program.requires is not None:
        raise incomplete(0, program.requires)
    for k, value in enumerate(values):
        yield value, element(ROOT, k)


def _decode(text: str | bytes) -> tuple[list[Json], JsonError | None]:
    decoder = Decoder(PROGRAM_DEPTH)
    values = decoder.feed(text.encode() if isinstance(text, str) else text) + decoder.close()
    return values, decoder.fault


def without_message(answer: Plain) -> Plain:
    """Return an answer, or the part of an error object that suites compare."""
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
        return {"error": {name: answer["error"][name] for name in ("kind", "at")}}
    return answer


def compared(program: str, text: str | bytes) -> list[Plain]:
    """Return what suites compare of the values that a program prints for an input."""
    return [without_message(value) for value in printed(program, text)]


def parse(text: str | bytes) -> list[Json]:
    """Return the values of a text as the programs decode it. Raise InputError if malformed."""
    values, fault = _decode(text)
    if fault is not None:
        raise malformed(fault)
    return values


def parse_one(text: str) -> Json:
    (value,) = parse(text)
    return value


def is_accepted(program: str, values: list[Json]) -> bool:
    try:
        for arguments in _calls(PROGRAMS[program], values):
            PROGRAMS[program].parse(*arguments)
    except InputError:
        return False
    return True
