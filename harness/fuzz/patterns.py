"""Draw texts that match a regular expression or have a format of JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, Final, NamedTuple, assert_never

from harness.fuzz.values import draw_character, draw_text, large_size, pick, small_size

_parser: Any = re._parser  # type: ignore[attr-defined]  # pylint: disable=protected-access  # as in Hypothesis: Python has no other parser of expressions

_CATEGORIES: Final = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_WORD": "abzAZ019_",
}
_USUAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,/:#~"
_TRIES: Final = 20
_MOST_PIECES: Final = 5_000  # of a text

FORMATS: Final[dict[str, tuple[str, ...]]] = {
    "date-time": (
        "2024-02-29T23:59:60Z",
        "1970-01-01T00:00:00z",
        "2001-12-31t23:59:59.999999999+14:00",
        "0000-01-01T00:00:00-00:00",
        "2024-06-01T12:30:45.1+05:30",
    ),
    "date": ("2024-02-29", "1970-01-01", "0000-01-01", "9999-12-31", "2000-02-29", "2023-03-01"),
    "time": ("00:00:00Z", "23:59:60Z", "12:30:45.123456z", "08:05:00+05:45", "23:00:00-00:00"),
    "duration": ("P1D", "PT0S", "P1Y2M3DT4H5M6S", "P52W", "PT36H", "P0Y", "PT1M"),
    "email": ("a@b", "a.b+c@example.org", "x@[127.0.0.1]", '" "@example.com', "A@B.c"),
    "hostname": ("a", "example.org", "xn--bcher-kva.example", "1.2.3.a", "a" * 63, "A-b.C"),
    "ipv4": ("0.0.0.0", "127.0.0.1", "255.255.255.255", "10.0.0.1", "1.2.3.4"),
    "ipv6": ("::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "2001:DB8::A", "fe80::"),
    "uuid": (
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "123E4567-E89B-12D3-A456-426614174000",
    ),
    "uri": ("a:", "http://example.org/", "urn:x:y", "file:///a%20b", "HTTP://[::1]:80/?q#f"),
    "uri-reference": ("", "#", "a", "../a?b#c", "//host", "/%41", "http://example.org"),
    "json-pointer": ("", "/", "//", "/a/0", "/~0~1", "/~01", "/ ", "/a/-", "/00", "/\u00e9"),
    "relative-json-pointer": ("0", "1", "0#", "2/a", "10/", "1/~1~0", "0/0"),
    "regex": ("", ".", "^a*$", "[a-z]+", "(a|b)?", "\\d{2}", "\\.", "(?:x)"),
}


class _Repeat(NamedTuple):
    least: int
    most: int | None
    parts: _Parts


class _Captured(NamedTuple):
    number: int | None
    parts: _Parts


class _BackReference(NamedTuple):
    number: int


class _Branches(NamedTuple):
    branches: tuple[_Parts, ...]


class _Characters(NamedTuple):
    """One of some characters or ranges; or, negated, any other character."""

    options: tuple[tuple[int, int] | str, ...]
    excluded: frozenset[str] = frozenset()
    ranges: tuple[tuple[int, int], ...] = ()


# A text stands for itself.
_Node = str | _Repeat | _Captured | _BackReference | _Branches | _Characters
_Parts = tuple[_Node, ...]


@lru_cache(1024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def draw_match(random: Random, pattern: str, least: int, most: int | None) -> str | None:
    """Return a text in which a pattern is found, or None if none was found."""
    parts = _parsed(pattern)
    for number in range(_TRIES):
        out: list[str] = []
        _draw(random, parts, out, {}, is_brief=number > _TRIES // 2)
        if len(out) > _MOST_PIECES:
            return None
        text = "".join(out)
        if number % 3 == 0 and "^" not in pattern[:1]:
            text = draw_text(random, 0, 2) + text
        if number % 4 == 0 and "$" not in pattern[-1:]:
            text += draw_text(random, 0, 2)
        fits = least <= len(text) and (most is None or len(text) <= most)
        if fits and compiled(pattern).search(text):
            return text
    return None


def _draw(
    random: Random, parts: _Parts, out: list[str], groups: dict[int, str], *, is_brief: bool
) -> None:
    """Append the pieces of a text to `out`."""
    for part in parts:
        match part:
            case str() | _Characters() | _BackReference():
                out.append(_draw_text(random, part, groups))
            case _Repeat():
                size = large_size if random.random() < 0.01 else small_size
                times = part.least if is_brief else size(random, part.least, part.most)
                for _ in range(times):
                    if len(out) > _MOST_PIECES:
                        return
                    _draw(random, part.parts, out, groups, is_brief=is_brief)
            case _Branches():
                _draw(random, pick(random, part.branches), out, groups, is_brief=is_brief)
            case _Captured():
                begin = len(out)
                _draw(random, part.parts, out, groups, is_brief=is_brief)
                if part.number is not None:
                    groups[part.number] = "".join(out[begin:])
            case _:
                assert_never(part)


def _draw_text(
    random: Random, part: str | _Characters | _BackReference, groups: dict[int, str]
) -> str:
    if isinstance(part, str):
        return part
    return (
        groups.get(part.number, "") if isinstance(part, _BackReference) else _one_of(random, part)
    )


def _one_of(random: Random, characters: _Characters) -> str:
    if characters.options:
        option = pick(random, characters.options)
        if isinstance(option, str):
            return pick(random, option)
        point = pick(random, (*option, random.randint(*option)))
        return "\ufffd" if 0xD800 <= point < 0xE000 else chr(point)
    for _ in range(_TRIES):
        character = pick(random, _USUAL) if random.random() < 0.8 else draw_character(random)
        within = any(low <= ord(character) <= high for low, high in characters.ranges)
        if character not in characters.excluded and not within and character != "\n":
            return character
    return "\u00e9"


# Python's own parser of expressions.


@lru_cache(1024)
def _parsed(pattern: str) -> _Parts:
    return _nodes(_parser.parse(pattern))


def _nodes(parts: Any) -> _Parts:
    return tuple(_node(code.name, argument) for code, argument in parts)


def _node(name: str, argument: Any) -> _Node:
    make = _NODES.get(name)
    return "" if make is None else make(argument)  # an assertion: the text is searched afterwards


def _repeat(argument: Any) -> _Repeat:
    least, most, repeated = argument
    bound = None if most is _parser.MAXREPEAT else int(most)
    return _Repeat(int(least), bound, _nodes(repeated))


def _characters(members: Any) -> _Characters:
    is_negated = members[0][0].name == "NEGATE"
    options: list[tuple[int, int] | str] = []
    excluded = ""
    for code, argument in members:
        if code.name == "RANGE":
            options.append(argument)
        elif code.name == "LITERAL":
            options.append(chr(argument))
        elif code.name == "CATEGORY" and "_NOT_" in argument.name:
            excluded += _CATEGORIES.get(argument.name.replace("_NOT", ""), "")
        elif code.name == "CATEGORY":
            options.append(_CATEGORIES.get(argument.name, "a"))
    if not is_negated and options:
        return _Characters(tuple(options))
    texts = "".join(each for each in options if isinstance(each, str))
    ranges = tuple(each for each in options if not isinstance(each, str))
    return _Characters((), frozenset(texts + excluded), ranges)


_NODES: Final[dict[str, Callable[[Any], _Node]]] = {
    "LITERAL": chr,
    "NOT_LITERAL": lambda argument: _Characters((), frozenset(chr(argument))),
    "ANY": lambda _: _Characters(()),
    "IN": _characters,
    "SUBPATTERN": lambda argument: _Captured(argument[0], _nodes(argument[3])),
    "BRANCH": lambda argument: _Branches(tuple(map(_nodes, argument[1]))),
    "ATOMIC_GROUP": lambda argument: _Captured(None, _nodes(argument)),
    "GROUPREF": _BackReference,
    "MAX_REPEAT": _repeat,
    "MIN_REPEAT": _repeat,
    "POSSESSIVE_REPEAT": _repeat,
}
