"""Draw texts that match a regular expression or have a format of JSON Schema."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random
from typing import Any, Final

from harness.fuzz.values import draw_character, draw_text, small_size

_parser: Any = re._parser  # type: ignore[attr-defined]  # pylint: disable=protected-access  # as in Hypothesis: Python has no other parser of expressions

_CATEGORIES: Final = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_WORD": "abzAZ019_",
}
_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_USUAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.,/:#~"
_TRIES: Final = 20

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


@lru_cache(1024)
def _parsed(pattern: str) -> Any:
    return _parser.parse(pattern)


@lru_cache(1024)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def draw_match(random: Random, pattern: str, least: int, most: int | None) -> str | None:
    """Return a text in which a pattern is found, or None if none was found."""
    for number in range(_TRIES):
        groups: dict[int, str] = {}
        text = "".join(_draw(random, _parsed(pattern), groups, is_brief=number > _TRIES // 2))
        if number % 3 == 0 and "^" not in pattern[:1]:
            text = draw_text(random, 0, 2) + text
        if number % 4 == 0 and "$" not in pattern[-1:]:
            text += draw_text(random, 0, 2)
        fits = least <= len(text) and (most is None or len(text) <= most)
        if fits and compiled(pattern).search(text):
            return text
    return None


def _draw(random: Random, parts: Any, groups: dict[int, str], *, is_brief: bool) -> list[str]:
    out: list[str] = []
    for code, argument in parts:
        name = code.name
        if name == "SUBPATTERN":
            inner = _draw(random, argument[3], groups, is_brief=is_brief)
            if argument[0] is not None:
                groups[argument[0]] = "".join(inner)
            out += inner
        elif name in _REPEATS:
            least, most, repeated = argument
            bound = None if most is _parser.MAXREPEAT else int(most)
            times = least if is_brief else small_size(random, int(least), bound)
            for _ in range(times):
                out += _draw(random, repeated, groups, is_brief=is_brief)
        elif name in ("BRANCH", "ATOMIC_GROUP"):
            chosen = random.choice(argument[1]) if name == "BRANCH" else argument
            out += _draw(random, chosen, groups, is_brief=is_brief)
        elif name == "GROUPREF":
            out.append(groups.get(argument, ""))
        else:
            out.append(_draw_one(random, name, argument))
    return out


def _draw_one(random: Random, name: str, argument: Any) -> str:
    """Return a character, or "" for an assertion: the text is searched afterwards."""
    match name:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return _unlike(random, {chr(argument)})
        case "ANY":
            return _unlike(random, set())
        case "IN":
            return _draw_member(random, argument)
        case _:
            return ""


def _draw_member(random: Random, members: Any) -> str:
    if members[0][0].name == "NEGATE":
        return _unlike(random, _characters(members[1:]), members[1:])
    code, argument = random.choice(members)
    if code.name == "RANGE":
        ends = argument[0], argument[1], random.randint(*argument)
        point = random.choice(ends)
        return "\ufffd" if 0xD800 <= point < 0xE000 else chr(point)
    if code.name == "CATEGORY" and "_NOT_" in argument.name:
        return _unlike(random, set(_CATEGORIES.get(argument.name.replace("_NOT", ""), "")))
    return random.choice(sorted(_characters([(code, argument)])) or ["a"])


def _characters(members: Any) -> set[str]:
    found: set[str] = set()
    for code, argument in members:
        if code.name == "LITERAL":
            found.add(chr(argument))
        elif code.name == "CATEGORY":
            found |= set(_CATEGORIES.get(argument.name, ""))
    return found


def _unlike(random: Random, excluded: set[str], members: Any = ()) -> str:
    ranges = [argument for code, argument in members if code.name == "RANGE"]
    for _ in range(_TRIES):
        character = random.choice(_USUAL) if random.random() < 0.8 else draw_character(random)
        within = any(low <= ord(character) <= high for low, high in ranges)
        if character not in excluded and not within and character != "\n":
            return character
    return "\u00e9"
