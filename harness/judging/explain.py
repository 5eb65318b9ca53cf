"""Why bytes are not JSON, and why two values differ, so that the author of a program says "ah".

Pure: what `jsontext` and `equality` found goes in, a bounded line that is safe on a terminal comes
out. Nothing is decided here; a hint may be wrong, and is worded as one. Source: docs/verdicts.md.
"""

from __future__ import annotations

import re
from math import isclose, isfinite
from typing import Final, NamedTuple
from unicodedata import normalize

from harness.jsonfast import decode
from harness.jsontext import Fault, Json, Number, encode
from harness.judging.equality import differences, equal_numbers
from harness.records import MISSING, Comparison, Difference, Missing, Numbers
from harness.suites.positions import position_at
from harness.words import clip, count_of, cut, first_bytes, last_bytes, visible

__all__ = ["difference_text", "fault_text"]

_BEFORE: Final = 32  # bytes of the text that are shown on either side of a fault
_AFTER: Final = 24
_CONTEXT: Final = 200  # ... and that are looked at for a hint
_REASON: Final = 120  # characters: a reason may quote a key of any length
_VALUE: Final = 40  # characters of a value in a message
_PLACE: Final = 80


def fault_text(text: bytes, fault: Fault, *, values: int, printed: bool) -> str:
    """A fault in a text: what is wrong, the byte (from 0), line and column (from 1), after how many
    whole values, the reason, a hint if there is one, and the text around it with --> at the fault.
    `printed`: a program printed the text, and its author may be told so.
    """
    kind = "cut short" if fault.cut_short else "not UTF-8" if _is_utf_8(fault) else "not JSON"
    after = f", after {count_of(values, 'whole value')}" if values else ""
    hint = _hint(text, fault)
    hint = f" ({hint})" if hint and (printed or hint not in _OF_PROGRAMS) else ""
    return (
        f"{kind} at byte {fault.offset} ({_line_and_column(text, fault.offset)}){after}:"
        f" {cut(visible(fault.reason), _REASON)}{hint}; here: {_excerpt(text, fault.offset)}"
    )


def difference_text(difference: Difference) -> str:
    """A difference: its place, what was expected and what was printed, and what tells them apart
    where that is easily overlooked."""
    expected, actual = difference.expected, difference.actual
    note = _note(expected, actual)
    return (
        f"at {cut(visible(difference.pointer), _PLACE)}:"
        f" {_shown(expected)} expected, {_shown(actual)} printed{f' ({note})' if note else ''}"
    )


# Where a fault is.


def _is_utf_8(fault: Fault) -> bool:
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
    return visible(part.decode("utf-8", "backslashreplace"))


# What a fault may come from.


class _Sign(NamedTuple):
    """What a common mistake looks like: how the reason begins, what stands right before the fault,
    what stands from the fault on; and what to tell the author."""

    hint: str
    reason: str
    before: re.Pattern[bytes]
    after: re.Pattern[bytes]


def _sign(hint: str, after: bytes, before: bytes = b"", reason: str = "") -> _Sign:
    return _Sign(hint, reason, re.compile(rb"(?:" + before + rb")\Z"), re.compile(after))


_CUT_SHORT: Final = "a bracket or quote left open, or output that was never flushed?"
_MESSAGE: Final = "a message for people? print those on standard error"
_OF_PROGRAMS: Final = (_CUT_SHORT, _MESSAGE)

# The first that fits is told.
_SIGNS: Final = (
    _sign("this looks like Latin-1; JSON travels as UTF-8", rb"", reason="invalid UTF-8"),
    _sign("a byte order mark; print UTF-8 without one", rb"\xef\xbb\xbf"),
    _sign("this looks like UTF-16; JSON travels as UTF-8", rb"\xff\xfe|\xfe\xff"),
    _sign("this looks like UTF-16; JSON travels as UTF-8", rb"\x00[^\x00]\x00", rb"\A[^\x00]?"),
    _sign("a zero byte: was the end of a C string printed, too?", rb"\x00"),
    _sign("a terminal's escape sequence; print no colours into a pipe", rb"\x1b"),
    _sign("JSON has double quotes only", rb"'"),
    _sign("JSON has no comments", rb"//|/\*|#"),
    _sign("keys stand in double quotes", rb"[\w$]", reason="a key"),
    _sign(
        "a comma is left over before the closing bracket",
        rb"[\]}]",
        before=rb",[ \t\r\n]*",
    ),
    _sign(
        "the values of a stream stand without commas between them",
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
    _sign("a number has no zeros in front", rb"[0-9]", before=rb"(?:\A|[^0-9.eE+])0"),
    _sign("numbers are decimal", rb"[xX]", before=rb"(?:\A|[^0-9.eE+])0"),
    _sign("a number has no plus sign in front", rb"\+", reason="a value"),
    _sign("a digit stands before the decimal point", rb"\.[0-9]", reason="a value"),
    _sign("is a comma missing?", rb'["\[{0-9tfn-]', reason="','"),
    _sign(_MESSAGE, rb"[A-Za-z]{2}", before=rb'[\]}"][ \t]*', reason="a value expected"),
)
# Words that other languages print, and what JSON has for them.
_WORDS: Final = {
    **dict.fromkeys((b"None", b"NULL", b"Null", b"nil", b"undefined"), "null"),
    **dict.fromkeys((b"True", b"TRUE"), "true"),
    **dict.fromkeys((b"False", b"FALSE"), "false"),
    **dict.fromkeys((b"NaN", b"nan", b"Infinity", b"inf", b"Inf"), "no number"),
}
# How the line of a log begins: with a word, a rule, a prompt, a time, a level, a number of things.
_LOG_LINE: Final = re.compile(
    rb"[ \t]*(?:(?!true|false|null)[A-Za-z]|[-=*]{2}|>|\[?[0-9]{2,4}[-:/][0-9]{2}|\[[A-Z]{3}"
    rb"|[0-9]+ [A-Za-z]{2})"
)


def _hint(text: bytes, fault: Fault) -> str:
    if fault.cut_short:
        return _CUT_SHORT
    before = text[max(0, fault.offset - _CONTEXT) : fault.offset]
    after = text[fault.offset : fault.offset + _CONTEXT]
    word = _word_at(before, after)
    if word in _WORDS:
        return f"JSON has {_WORDS[word]} for {word.decode()}"
    if _is_log_line(before, after):
        return _MESSAGE
    return next((sign.hint for sign in _SIGNS if _fits(sign, fault, before, after)), "")


def _word_at(before: bytes, after: bytes) -> bytes:
    """The letters around a fault: it may be noticed only in the middle of a word."""
    letters = rb"[A-Za-z]*"
    return b"".join(re.findall(letters + rb"\Z", before)[:1] + re.findall(letters, after)[:1])


def _is_log_line(before: bytes, after: bytes) -> bool:
    above, end_of_line, head = before.rpartition(b"\n")
    if not end_of_line and len(before) == _CONTEXT:
        return False  # the line began out of sight
    inside_value = above.rstrip().endswith((b",", b":", b"[", b"{"))
    return not inside_value and _LOG_LINE.match(head + after) is not None


def _fits(sign: _Sign, fault: Fault, before: bytes, after: bytes) -> bool:
    return (
        fault.reason.startswith(sign.reason)
        and sign.before.search(before) is not None
        and sign.after.match(after) is not None
    )


# What tells two values apart.

_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "a boolean",
    Number: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


def _shown(value: Json | Missing) -> str:
    return "nothing" if value is MISSING else clip(visible(encode(value)), _VALUE)


def _note(expected: Json | Missing, actual: Json | Missing) -> str:
    if expected is MISSING or actual is MISSING:
        return ""
    if isinstance(expected, str) and isinstance(actual, str):
        return _texts_note(expected, actual)
    if isinstance(expected, Number) and isinstance(actual, Number):
        return _numbers_note(expected.text, actual.text)
    if isinstance(expected, (list, dict)) and isinstance(actual, str):
        if _agree([expected], decode(actual.encode()).values, Comparison()):
            return "it is printed inside a string: encoded twice"
    if _kind(expected) != _kind(actual):
        return f"{_kind(expected)}, not {_kind(actual)}"
    return ""


def _texts_note(expected: str, actual: str) -> str:
    if expected.casefold() == actual.casefold():
        return "they differ in case only"
    if "".join(expected.split()) == "".join(actual.split()):
        return "they differ in white space only"
    if normalize("NFKC", expected) == normalize("NFKC", actual):
        return "they look alike: the same characters by other Unicode code points"
    if max(len(_shown(expected)), len(_shown(actual))) < _VALUE:
        return ""
    pairs = enumerate(zip(expected, actual, strict=False), start=1)
    shorter = min(len(expected), len(actual))
    part = next((number for number, (left, right) in pairs if left != right), shorter + 1)
    return f"they part at character {part:,}"


def _numbers_note(expected: str, actual: str) -> str:
    if equal_numbers(expected, actual, Numbers.VALUE):
        if _is_integer(expected) == _is_integer(actual):
            return "minus zero is not zero"
        return "the same value, but one of them is no integer"
    left, right = float(expected), float(actual)
    return "they are nearly equal" if isfinite(left) and isclose(left, right) else ""


def _is_integer(number: str) -> bool:
    return number.lstrip("-").isdecimal()


def _agree(expected: list[Json], actual: list[Json], comparison: Comparison) -> bool:
    return next(differences(expected, actual, comparison), None) is None


def _kind(value: Json) -> str:
    return _KINDS[type(value)]
