"""Explain messages of tomllib in the words of the file: its tables, keys and strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

_PLACE: Final = re.compile(r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)")
_DECLARED_TWICE: Final = re.compile(r"Cannot declare (\(.*\)) twice")
_SET_TWICE: Final = "Cannot overwrite a value"
_BARE: Final = re.compile("[A-Za-z0-9_-]+")
_HEADER: Final = re.compile(r"\s*(\[\[[^][]*\]\]|\[[^][]*\])\s*(?:#.*)?")
_KEY: Final = re.compile(r"""\s*((?:[A-Za-z0-9_.-]|"[^"]*"|'[^']*')+)\s*=""")


def explain_syntax_error(text: str, problem: str) -> str:
    """Return what is wrong with a text that is not TOML, with the place that tomllib names."""
    place = _PLACE.search(problem)
    if place is None:
        return problem
    lines = text.split("\n")
    above = lines[: int(place[1])] if place[1] else lines
    reason = _reason(problem[: place.start()], above)
    hint = ""
    if reason == "Invalid value" and place[2]:
        hint = _quotes_hint(above[-1][int(place[2]) - 1 :])
    return f"{reason}{place[0]}{hint}"


def _reason(message: str, lines: Sequence[str]) -> str:
    """Return a message of tomllib, or a clearer one about the last of the lines."""
    if declared := _DECLARED_TWICE.fullmatch(message):
        names = (f'"{name}"' if not _BARE.fullmatch(name) else name for name in _names(declared[1]))
        return f"[{'.'.join(names)}] is declared twice"
    if message != _SET_TWICE:
        return message
    if header := _HEADER.fullmatch(lines[-1]):
        return f"{header[1]} is declared twice, in different forms"
    keys = (match[1] for line in reversed(lines) if (match := _KEY.match(line)))
    return f"{next(keys, 'a key')} is set twice"


def _names(literal: str) -> tuple[str, ...]:
    names: tuple[str, ...] = ast.literal_eval(literal)
    return names


def _quotes_hint(value: str) -> str:
    """Return a hint if a value begins like a string without quotes."""
    begin = value[:1]
    return "; strings need quotes" if begin.isalpha() or begin in tuple("./~_-$@") else ""
