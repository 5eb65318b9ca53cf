"""Explain why bytes are not JSON, and why two values differ, in terms of the mistake behind it.

The messages are bounded and safe on a terminal. Hints may be wrong, and are worded accordingly.
Source: docs/verdicts.md.
"""

from __future__ import annotations

import re
from math import isclose, isfinite
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, JsonError, Number, encode
from harness.jsonio.fast import decode
from harness.jsonio.positions import position_at
from harness.judging.equality import differences, equal_numbers
from harness.judging.unicode_forms import normal_form
from harness.model.comparison import Comparison, Numbers
from harness.model.judgement import MISSING, Difference, Missing
from harness.text import (
    escape_nonprintable,
    first_bytes,
    last_bytes,
    pluralize,
    truncate,
    truncate_to_width,
)

__all__ = ["difference_text", "fault_text"]

_BEFORE: Final = 32  # bytes shown before an error
_AFTER: Final = 24  # ... and after it
_CONTEXT: Final = 200  # bytes on either side that are searched for a hint
_REASON: Final = 120  # characters: a reason may quote a key of any length
_VALUE: Final = 40  # characters of a value in a message
_PLACE: Final = 80


def fault_text(text: bytes, fault: JsonError, *, values: int, printed: bool) -> str:
    """Return a message about an error in a text.

    It names the kind, the byte (from 0), line and column (from 1), the whole values before it, the
    reason and a hint if there is one, and shows the text around it with --> at the error.
    `printed`: a program printed the text, so hints for its author apply.
    """
    kind = "cut short" if fault.cut_short else "not UTF-8" if _is_utf_8(fault) else "not JSON"
    after = f", after {pluralize(values, 'whole value')}" if values else ""
    hint = _hint(text, fault)
    hint = f" ({hint})" if hint and (printed or hint not in _OF_PROGRAMS) else ""
    return (
        f"{kind} at byte {fault.offset} ({_line_and_column(text, fault.offset)}){after}:"
        f" {truncate(escape_nonprintable(fault.reason), _REASON)}{hint}; here:"
        f" {_excerpt(text, fault.offset)}"
    )


def difference_text(difference: Difference) -> str:
    """Return a message about a difference: its place, both values, and a note on differences that
    are easily overlooked."""
    expected, actual = difference.expected, difference.actual
    note = _note(expected, actual)
    ending = f" ({note})" if note else ""
    return (
        f"at {truncate(escape_nonprintable(difference.pointer), _PLACE)}:"
        f" {_format_value(expected)} expected, {_format_value(actual)} printed{ending}"
    )


# The place of an error.


def _is_utf_8(fault: JsonError) -> bool:
    return fault.reason.startswith("invalid UTF-8")


def _line_and_column(text: bytes, offset: int) -> str:
    line, column = position_at(text, offset)
    return f"line {line}, column {column}"


def _excerpt(text: bytes, offset: int) -> str:
    before = last_bytes(text[:offset], _BEFORE)
    after = first_bytes(text[offset:], _AFTER)
    ahead = "…" if len(before) < offset else ""
    beyond = "…" if offset + len(after) < len(text) else ""
    return f"{ahead}{_decoded(before)}-->{_decoded(after)}{beyond}"


def _decoded(part: bytes) -> str:
    return escape_nonprintable(part.decode("utf-8", "backslashreplace"))


# The likely cause of an error.


class _Sign(NamedTuple):
    """A common mistake: its hint, how the reason begins, and the text before and at the error."""

    hint: str
    reason: str
    before: re.Pattern[bytes]
    after: re.Pattern[bytes]


def _sign(hint: str, after: bytes, before: bytes = b"", reason: str = "") -> _Sign:
    return _Sign(hint, reason, re.compile(rb"(?:" + before + rb")\Z"), re.compile(after))


_CUT_SHORT: Final = "a bracket or quote left open, or output that was never flushed?"
_MESSAGE: Final = "a message for people? print it on standard error"
_OF_PROGRAMS: Final = (_CUT_SHORT, _MESSAGE)

# The first one that matches gives the hint.
_SIGNS: Final = (
    _sign("this looks like Latin-1; JSON must be UTF-8", rb"", reason="invalid UTF-8"),
    _sign("a byte order mark; print UTF-8 without one", rb"\xef\xbb\xbf"),
    _sign("this looks like UTF-16; JSON must be UTF-8", rb"\xff\xfe|\xfe\xff"),
    _sign("this looks like UTF-16; JSON must be UTF-8", rb"\x00[^\x00]\x00", rb"\A[^\x00]?"),
    _sign("a zero byte: was the terminator of a C string printed, too?", rb"\x00"),
    _sign("a terminal escape sequence; do not print colours into a pipe", rb"\x1b"),
    _sign("JSON has only double quotes", rb"'"),
    _sign("JSON has no comments", rb"//|/\*|#"),
    _sign("put keys in double quotes", rb"[\w$]", reason="a key"),
    _sign(
        "remove the comma before the closing bracket",
        rb"[\]}]",
        before=rb",[ \t\r\n]*",
    ),
    _sign(
        "do not put commas between the values of a stream",
        rb",",
        before=rb"[^\[{:, \t\r\n][ \t\r\n]*",
        reason="a value expected",
    ),
    _sign(
        "this bracket closes nothing",
        rb"[\]}]",
        before=rb"(?:\A|[^: \t\r\n])[ \t\r\n]*",
        reason="a value expected",
    ),
    _sign("numbers must not begin with extra zeros", rb"[0-9]", before=rb"(?:\A|[^0-9.eE+])0"),
    _sign("numbers must be decimal", rb"[xX]", before=rb"(?:\A|[^0-9.eE+])0"),
    _sign("numbers must not begin with a plus sign", rb"\+", reason="a value"),
    _sign("put a digit before the decimal point", rb"\.[0-9]", reason="a value"),
    _sign("is a comma missing?", rb'["\[{0-9tfn-]', reason="','"),
    _sign(_MESSAGE, rb"[A-Za-z]{2}", before=rb'[\]}"][ \t]*', reason="a value expected"),
)
# Words of other languages, and their JSON equivalents.
_WORDS: Final = {
    **dict.fromkeys((b"None", b"NULL", b"Null", b"nil", b"undefined"), "null"),
    **dict.fromkeys((b"True", b"TRUE"), "true"),
    **dict.fromkeys((b"False", b"FALSE"), "false"),
    **dict.fromkeys((b"NaN", b"nan", b"Infinity", b"inf", b"Inf"), "no equivalent"),
}
# The beginning of a line of a log: a word, a rule, a prompt, a time, a level, a number of things.
_LOG_LINE: Final = re.compile(
    rb"[ \t]*(?:(?!true|false|null)[A-Za-z]|[-=*]{2}|>|\[?[0-9]{2,4}[-:/][0-9]{2}|\[[A-Z]{3}"
    rb"|[0-9]+ [A-Za-z]{2})"
)


def _hint(text: bytes, fault: JsonError) -> str:
    if fault.cut_short:
        return _CUT_SHORT
    before = text[max(0, fault.offset - _CONTEXT) : fault.offset]
    after = text[fault.offset : fault.offset + _CONTEXT]
    word = _word_at(before, after)
    if word in _WORDS:
        return f"JSON has {_WORDS[word]} for {word.decode()}"
    if _is_log_line(before, after):
        return _MESSAGE
    return next((sign.hint for sign in _SIGNS if _matches(sign, fault, before, after)), "")


def _word_at(before: bytes, after: bytes) -> bytes:
    """Return the letters around an error, which may be in the middle of a word."""
    letters = rb"[A-Za-z]*"
    return b"".join(re.findall(letters + rb"\Z", before)[:1] + re.findall(letters, after)[:1])


def _is_log_line(before: bytes, after: bytes) -> bool:
    above, end_of_line, head = before.rpartition(b"\n")
    if not end_of_line and len(before) == _CONTEXT:
        return False  # the line begins before the context
    inside_value = above.rstrip().endswith((b",", b":", b"[", b"{"))
    return not inside_value and _LOG_LINE.match(head + after) is not None


def _matches(sign: _Sign, fault: JsonError, before: bytes, after: bytes) -> bool:
    return (
        fault.reason.startswith(sign.reason)
        and sign.before.search(before) is not None
        and sign.after.match(after) is not None
    )


# Notes on two values.

_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "a boolean",
    Number: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


def _format_value(value: Json | Missing) -> str:
    return (
        "nothing"
        if value is MISSING
        else truncate_to_width(escape_nonprintable(encode(value)), _VALUE)
    )


def _note(expected: Json | Missing, actual: Json | Missing) -> str:
    if expected is MISSING or actual is MISSING:
        return ""
    if isinstance(expected, str) and isinstance(actual, str):
        return _texts_note(expected, actual)
    if isinstance(expected, Number) and isinstance(actual, Number):
        return _numbers_note(expected.text, actual.text)
    if isinstance(expected, (list, dict)) and isinstance(actual, str):
        if _are_equal([expected], decode(actual.encode()).values, Comparison()):
            return "the value is inside a string: encoded twice?"
    if _kind(expected) != _kind(actual):
        return f"{_kind(expected)}, not {_kind(actual)}"
    return ""


def _texts_note(expected: str, actual: str) -> str:
    if expected.casefold() == actual.casefold():
        return "they differ in case only"
    if "".join(expected.split()) == "".join(actual.split()):
        return "they differ in white space only"
    if normal_form("NFKC", expected) == normal_form("NFKC", actual):
        return "they look alike: the same characters as other Unicode code points"
    if max(len(_format_value(expected)), len(_format_value(actual))) < _VALUE:
        return ""
    pairs = enumerate(zip(expected, actual, strict=False), start=1)
    shorter = min(len(expected), len(actual))
    part = next((number for number, (left, right) in pairs if left != right), shorter + 1)
    return f"they differ from character {part:,} on"


def _numbers_note(expected: str, actual: str) -> str:
    if equal_numbers(expected, actual, Numbers.VALUE):
        if _is_integer(expected) == _is_integer(actual):
            return "minus zero is not zero"
        return "the same value, but one of them is not an integer"
    left, right = float(expected), float(actual)
    return "they are nearly equal" if isfinite(left) and isclose(left, right) else ""


def _is_integer(number: str) -> bool:
    return number.lstrip("-").isdecimal()


def _are_equal(expected: list[Json], actual: list[Json], comparison: Comparison) -> bool:
    return next(differences(expected, actual, comparison), None) is None


def _kind(value: Json) -> str:
    return _KINDS[type(value)]
