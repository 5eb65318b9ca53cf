"""The wire programs as pure functions, from the bytes of an input to the values they print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from harness.jsonio.decoder import PROGRAM_DEPTH, Decoder, Json, JsonError, Printable, encode
from xtests import xadmin, xbitboard36, xboard, xisolation, xref, xrules, xtictactoe, xtiles
from xtests.errors import ROOT, InputError, Pointer, element, incomplete, malformed

Plain = Any  # a JSON value as Python's json module represents it


class Program(NamedTuple):
    """The functions of a program: its service, as in `main`, and its parser alone."""

    run: Callable[[list[Json]], Iterator[Printable]]  # the answers; may raise InputError
    check: Callable[[list[Json]], object]  # raises InputError if the input is not well-formed
    is_batch: bool = False
    requires: str | None = None  # what a stream must have at least one of


def _batch(
    answer: Callable[[list[Json]], Printable], check: Callable[[list[Json]], object]
) -> Program:
    return Program(lambda values: iter([answer(values)]), check, is_batch=True)


def _requests(
    answer: Callable[[Json, Pointer], Printable], check: Callable[[Json, Pointer], object]
) -> Program:
    def answer_all(values: list[Json]) -> Iterator[Printable]:
        for k, value in enumerate(values):
            try:
                yield answer(value, element(ROOT, k))
            except InputError as error:
                yield error.error_object()

    def check_all(values: list[Json]) -> None:
        for k, value in enumerate(values):
            check(value, element(ROOT, k))

    return Program(answer_all, check_all)


def _queries(values: list[Json]) -> Iterator[Printable]:
    for k, value in enumerate(values):
        yield xtiles.answer(value, element(ROOT, k))


def _check_queries(values: list[Json]) -> None:
    if not values:
        raise incomplete(0, xtiles.QUERY)
    list(_queries(values))


PROGRAMS: Final = {
    "xtiles": Program(_queries, _check_queries, requires=xtiles.QUERY),
    "xboard": _batch(xboard.answer, xboard.parse_input),
    "xrules": _batch(xrules.answer, xrules.parse_input),
    "xref": _batch(xref.answer, xref.parse_input),
    "xadmin": _batch(xadmin.answer, xadmin.parse_input),
    "xisolation": _requests(xisolation.answer, xisolation.REQUESTS.parse),
    "xtictactoe": _requests(xtictactoe.answer, xtictactoe.REQUESTS.parse),
    "xbitboard36": _requests(xbitboard36.answer, xbitboard36.REQUESTS.parse),
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
        if fault is not None and definition.is_batch:
            raise malformed(fault)
        for answer in definition.run(values):
            lines.append(encode(answer))
        if fault is not None:
            raise malformed(fault)
        if not values and definition.requires is not None:
            raise incomplete(0, definition.requires)
    except InputError as error:
        lines.append(encode(error.error_object()))
    return lines


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
        PROGRAMS[program].check(values)
    except InputError:
        return False
    return True
