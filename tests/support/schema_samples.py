"""Inputs and outputs with which the schemas of the programs are tested, from a TOML file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from support.schemas import integers_in_canonical_form
from support.wire import PROGRAMS, Plain

from harness.jsonio.decoder import Json


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
    # The schema of xadmin cannot compare the names of players.
    if not isinstance(value, list):
        return value
    return [
        {**each, "name": str(k)} if isinstance(each, dict) else each for k, each in enumerate(value)
    ]


_FILE: Final = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_TABLES: Final[dict[str, Any]] = tomllib.loads(_FILE)
_EQUIVALENT: Final = {"xisolation": _without_boards, "xadmin": _with_unique_names}
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
