"""Compare strings: as they are, in a Unicode normal form, by pattern, as numbers or as instants.

Source: docs/equality.md.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import groupby
from typing import Final, Literal, assert_never
from unicodedata import combining, normalize

from harness.errors import OutOfTime
from harness.jsonio.decoder import encode
from harness.judging.numbers import equal_numbers, normalize_number
from harness.model.comparison import Matching, Numbers, Strings, Tolerance
from harness.text import escape_nonprintable, truncate

_SHOWN: Final = 80  # characters of a pattern in a message
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"\+?(?:(-?inf)(?:inity)?|-?(nan))", re.IGNORECASE)
# Source: RFC 3339, 5.6.
_DATETIME: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]"
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
# Without an offset, or only the time.
_LOCAL: Final = re.compile(
    r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ])?"
    r"((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]+))?"
)
_CYCLE: Final = 400  # years after which the calendar repeats; datetime has no year 0
_CYCLE_DAYS: Final = 146_097
_DAY: Final = 24 * 60  # minutes
_DECOMPOSED: Final[dict[Form, Form]] = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}
_NORMAL_FORMS: Final = frozenset(map(Strings, _DECOMPOSED))
# The most characters that one character decomposes into. Source: Unicode, UAX #15.
_MOST_EXPANSION: Final = 18
_SHORT: Final = 1_000  # characters, for which quadratic time does not matter


def equal_strings(
    left: str, right: str, strings: Strings | Matching, numbers: Numbers | Tolerance = Numbers.EXACT
) -> bool:
    """Return whether two strings are equal; `left` is the expected one.

    Strings that are read as numbers are compared by the rule for `numbers`.
    """
    if left == right:
        return True
    if strings is Strings.NUMBER and _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
        return equal_numbers(left, right, numbers)
    if strings in _NORMAL_FORMS:
        shorter, longer = sorted((len(left), len(right)))
        if longer > _MOST_EXPANSION * shorter:
            return False
    return string_form(left, strings) == string_form(right, strings)


def string_form(text: str, strings: Strings | Matching, numbers: Numbers = Numbers.EXACT) -> str:
    """Return a text that is the same for all equal strings: JSON, unless it is read otherwise."""
    match strings:
        case Matching(pattern):
            return f"matches {pattern}" if matches_whole(pattern, text) else encode(text)
        case Strings.EXACT:
            return encode(text)
        case Strings.NUMBER:
            if _NUMBER.fullmatch(text):
                return f"number {normalize_number(text, numbers)}"
            return _not_finite(text) or encode(text)
        case Strings.DATETIME:
            return _instant(text) or _local_time(text) or encode(text)
        case Strings.NFC | Strings.NFD | Strings.NFKC | Strings.NFKD:
            return encode(normal_form(strings.value, text))
        case _:
            assert_never(strings)


def key_form(key: str, strings: Strings | Matching) -> str:
    """Return a text that is the same for all equal keys of objects.

    Only normal forms reach keys: no other rule keeps the keys of an object apart.
    """
    if isinstance(strings, Matching):
        return key
    match strings:
        case Strings.NFC | Strings.NFD | Strings.NFKC | Strings.NFKD:
            return normal_form(strings.value, key)
        case Strings.EXACT | Strings.NUMBER | Strings.DATETIME:
            return key
        case _:
            assert_never(strings)


def _not_finite(text: str) -> str:
    """Return an infinity or NaN, whose sign has no meaning, in one spelling, or ""."""
    match = _NOT_FINITE.fullmatch(text)
    return "" if match is None else f"number {match[1] or match[2]}".lower()


def _instant(text: str) -> str:
    """Return the instant of a datetime of RFC 3339, or "" for another text.

    Leap seconds are the last second of a day in UTC, and no other second.
    """
    match = _DATETIME.fullmatch(text)
    if match is None:
        return ""
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, sign, *offset = match.groups()[6:]
    try:
        days = date(year % _CYCLE + _CYCLE, month, day).toordinal() + year // _CYCLE * _CYCLE_DAYS
    except ValueError:
        return ""
    east = int(f"{sign}1") * (60 * int(offset[0]) + int(offset[1])) if sign else 0
    minutes = days * _DAY + 60 * hour + minute - east
    if second == 60 and (minutes + 1) % _DAY:
        return ""
    return f"instant {minutes} {second}.{(fraction or '').rstrip('0')}"


def _local_time(text: str) -> str:
    """Return a local datetime or time in one spelling, or "" for another text."""
    match = _LOCAL.fullmatch(text)
    if match is None:
        return ""
    day, time, fraction = match.groups()
    return f"local {day or ''} {time}.{(fraction or '').rstrip('0')}"


def matches_whole(pattern: str, text: str) -> bool:
    """Return whether a pattern matches a text as a whole."""
    try:
        return re.fullmatch(pattern, text) is not None
    except OutOfTime as stop:
        stop.add_note(f"in the pattern {truncate(escape_nonprintable(pattern), _SHOWN)}")
        raise


def normal_form(form: Form, text: str) -> str:
    """Return a text in a normal form, in a time that is linear in its length.

    The standard library sorts combining marks by insertion, which takes quadratic time for long
    runs.
    """
    if len(text) <= _SHORT or text.isascii():
        return normalize(form, text)
    decomposition = _DECOMPOSED[form]
    marks = "".join(char for char in set(text) if combining(normalize(decomposition, char)[0]))
    if marks:
        # With the character before them, which may end in marks when it is decomposed.
        runs = f"(?s:.?)[{re.escape(marks)}]++"
        text = re.sub(runs, lambda found: _order_marks(decomposition, found[0]), text)
    # Marks in their final order are not moved again.
    return normalize(form, text)


def _order_marks(decomposition: Form, run: str) -> str:
    """Return a long run of marks decomposed and in their final order, a short one as it is."""
    if len(run) <= _SHORT:
        return run
    decomposed = "".join(normalize(decomposition, char) for char in run)
    return "".join(
        "".join(sorted(part, key=combining) if is_mark else part)
        for is_mark, part in groupby(decomposed, key=lambda char: combining(char) > 0)
    )
