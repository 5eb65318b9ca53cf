"""Decode a whole JSON text at the speed of Python's own scanner, with the results of `Decoder`.

This module has no grammar: if the scanner fails, or might accept too much, `Decoder` reads the text
again and decides. A property test holds the two together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from itertools import accumulate, islice
from json.scanner import make_scanner
from typing import Final, NamedTuple

from harness.jsonio.decoder import JUDGE_DEPTH, Decoder, Json, JsonError, Number, end_of_run


class Decoded(NamedTuple):
    """The complete values of a text, and the error that ended it, if any."""

    values: list[Json]
    fault: JsonError | None


_WHITE: Final = " \t\r\n"
_WHITE_RUN: Final = re.compile(f"[{_WHITE}]*")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
# Possessive, and matches an unclosed string as a whole: otherwise a text full of quotes would take
# quadratic time.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
# A part of a text: removing the strings makes a list of what is between them.
_PART: Final = re.compile(rb'(?:[^"]++|' + _STRING.pattern + rb"){1,4096}+", re.DOTALL)
_LEVELS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_LEVELS_AT_ONCE: Final = 65_536
_NO_BRACKETS: Final = bytes({*range(256)} - _LEVELS.keys())
_SHORT: Final = 4  # characters of a number that is kept once


def decode(text: bytes, max_depth: int = JUDGE_DEPTH, allow: Collection[str] = ()) -> Decoded:
    """Return all values of a text of any bytes; `allow` is a subset of EXTENSIONS."""
    try:
        source = text.decode()
        # Most texts are shorter than the depth and have no escapes.
        is_deep = len(source) > max_depth and _deeper_than(text, max_depth)
        has_surrogates = "\\" in source and "lone-surrogates" not in allow
        if not is_deep and not (has_surrogates and _SURROGATE.search(source)):
            scan = _scanner(allow) if allow else _scan
            return Decoded(_scan_values(source.strip(_WHITE), scan), None)
    except (ValueError, StopIteration, RecursionError):
        pass  # not UTF-8, not JSON, a duplicate key, or too deep for Python's scanner
    decoder = Decoder(max_depth, allow)
    values = decoder.feed(text)
    values += decoder.close()
    return Decoded(values, decoder.fault)


def _deeper_than(text: bytes, max_depth: int) -> bool:
    if text.count(b"[") + text.count(b"{") <= max_depth:
        return False
    brackets = b"".join(
        _STRING.sub(b"", part[0]).translate(None, _NO_BRACKETS) for part in _PART.finditer(text)
    )
    levels = accumulate(map(_LEVELS.__getitem__, brackets))
    while (deepest := max(islice(levels, _LEVELS_AT_ONCE), default=None)) is not None:
        if deepest > max_depth:
            return True
    return False


def _scan_values(source: str, scan: _Scan) -> list[Json]:
    if not source:
        return []
    value, end = scan(source, 0)
    values = [value]
    while end < len(source):
        if source[end] in _WHITE:
            end = end_of_run(_WHITE_RUN, source, end)
        elif source[end] not in '[{"' and isinstance(value, (Number, bool, type(None))):
            raise ValueError("two values touch")
        value, end = scan(source, end)
        values.append(value)
    return values


def _strict_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


class _NumberCache(dict[str, Number]):
    """Numbers by their texts: short ones share an object, as arrays may have millions of them."""

    def __missing__(self, text: str) -> Number:
        number = Number(text)
        if len(text) <= _SHORT:
            self[text] = number
        return number


_number: Final = _NumberCache().__getitem__


def _scanner(allow: Collection[str] = ()) -> _Scan:
    decoder = json.JSONDecoder(
        object_pairs_hook=dict if "duplicate-keys" in allow else _strict_object,
        parse_int=_number,
        parse_float=_number,
        parse_constant=Number if "nan" in allow else _no_constant,
    )
    return make_scanner(decoder)  # type: ignore[arg-type]  # its stub is wrong


# Takes a text and a position; returns the value there and the position after it. Raises ValueError,
# or StopIteration where no value begins.
_Scan = Callable[[str, int], tuple[Json, int]]
_scan: Final = _scanner()
