"""Explain what a program printed: why it is not JSON, why values differ, why the program failed.

The messages are bounded and safe on a terminal. Hints may be wrong, and are worded accordingly.
Source: docs/verdicts.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from math import isclose, isfinite
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, JsonError, Number, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import describe_place
from harness.jsonio.positions import position_at
from harness.judging.equality import are_equal
from harness.judging.numbers import equal_numbers, rounded_alike
from harness.judging.strings import normal_form
from harness.model.comparison import Comparison, Numbers
from harness.model.judgement import MISSING, Difference, Missing
from harness.text import (
    escape_nonprintable,
    first_bytes,
    last_bytes,
    pluralize,
    shorten,
    shorten_to_width,
)

_BEFORE: Final = 32  # bytes shown before an error
_AFTER: Final = 24  # ... and after it
_CONTEXT: Final = 200  # bytes on either side that are searched for a hint
_REASON: Final = 120  # characters: a reason may quote a key of any length
_VALUE: Final = 40  # characters of a value in a message
_PLACE: Final = 80
_INVALID_UTF_8: Final = "invalid UTF-8"  # how a reason of the decoder begins


def fault_text(text: bytes, fault: JsonError, *, values: int, printed: bool) -> str:
    """Return a message about an error in a text.

    It names the kind, the byte (from 0), line and column (from 1), the whole values before it, the
    reason and a hint if there is one, and shows the text around it with --> at the error.
    `printed`: a program printed the text, so hints for its author apply.
    """
    no_utf_8 = fault.reason.startswith(_INVALID_UTF_8)
    kind = "cut short" if fault.cut_short else "not UTF-8" if no_utf_8 else "not JSON"
    after = f", after {pluralize(values, 'whole value')}" if values else ""
    hint = _hint(text, fault)
    if not printed:
        hint = _HINTS_OF_FILES.get(hint, hint)
    hint = f" ({hint})" if hint else ""
    line, column = position_at(text, fault.offset)
    return (
        f"{kind} at byte {fault.offset} (line {line}, column {column}){after}:"
        f" {shorten(fault.reason, _REASON)}{hint}; here:"
        f" {excerpt_at(text, fault.offset)}"
    )


def difference_text(difference: Difference, *, alone: bool, many: str = "") -> str:
    """Return a message about a difference: its place, both values, and a note if it is subtle.

    `alone`: neither stream has several values, so the place needs no number of one. `many` is the
    number of differences if this is the first of several.
    """
    expected, actual = difference.expected, difference.actual
    note = _note(expected, actual)
    ending = f" ({note})" if note else ""
    place = shorten(describe_place(difference.pointer, alone=alone), _PLACE)
    if not place and not alone:
        place = "the whole stream"
    if many:
        place = f"{many}, the first{' at ' if place else ''}{place}"
    place += ": " if place else ""
    return f"{place}{format_value(expected)} expected, {format_value(actual)} printed{ending}"


# The place of an error.


def excerpt_at(text: bytes, offset: int) -> str:
    """Return the text around an offset, with --> there."""
    before = last_bytes(text[:offset], _BEFORE)
    after = first_bytes(text[offset:], _AFTER)
    ahead = "…" if len(before) < offset else ""
    beyond = "…" if offset + len(after) < len(text) else ""
    return f"{ahead}{_decoded(before)}-->{_decoded(after)}{beyond}"


def _decoded(part: bytes) -> str:
    return escape_nonprintable(part.decode("utf-8", "backslashreplace"))


# The likely cause of an error.


class _Sign(NamedTuple):
    """A common mistake: its hint, patterns of the text at the error and before it, and how the
    reason begins."""

    hint: str
    after: bytes
    before: bytes = b""
    reason: str = ""


_CUT_SHORT: Final = "a bracket or quote left open, or output that was never flushed?"
_MESSAGE: Final = "a log message? print it on standard error"
_BARE_WORD: Final = "strings need double quotes; log messages belong on standard error"
_BYTE_ORDER_MARK: Final = "a byte order mark; print UTF-8 without one"
_NO_FRACTION: Final = "put a digit after the decimal point"
# For texts that no program printed, these hints are replaced, or left out.
_HINTS_OF_FILES: Final = {
    _CUT_SHORT: "",
    _MESSAGE: "",
    _BARE_WORD: "strings need double quotes",
    _BYTE_ORDER_MARK: "a byte order mark; save it as UTF-8 without one",
}

# The first one that matches gives the hint.
_SIGNS: Final = (
    _Sign("this looks like Latin-1; JSON must be UTF-8", rb"", reason=_INVALID_UTF_8),
    _Sign(_BYTE_ORDER_MARK, rb"\xef\xbb\xbf"),
    _Sign("this looks like UTF-32; JSON must be UTF-8", rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff"),
    _Sign("this looks like UTF-16; JSON must be UTF-8", rb"\xff\xfe|\xfe\xff"),
    _Sign("this looks like UTF-16; JSON must be UTF-8", rb"\x00[^\x00]\x00", rb"\A[^\x00]?"),
    _Sign("a zero byte: was the terminator of a C string printed, too?", rb"\x00"),
    _Sign("a terminal escape sequence; do not print colours into a pipe", rb"\x1b"),
    _Sign("JSON has only double quotes", rb"'"),
    _Sign("a curly quotation mark; JSON has only straight ones", rb"\xe2\x80[\x98-\x9f]"),
    _Sign("a no-break space; JSON has only ordinary blanks", rb"\xc2\xa0|\xe2\x80\xaf"),
    _Sign(
        "an invisible character; JSON has only ordinary blanks",
        rb"\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0",
    ),
    _Sign("a form feed or vertical tab; JSON has only ordinary blanks", rb"[\x0b\x0c]"),
    _Sign("Ctrl-Z, an end of file of DOS; print none", rb"\x1a"),
    _Sign("a backslash outside a string: printed as two characters?", rb"\\[nrt]"),
    _Sign("a code fence of Markdown; print JSON only", rb"```"),
    _Sign("JSON has no comments", rb"//|/\*|#"),
    _Sign("put keys in double quotes", rb"[\w$]", reason="a key"),
    _Sign("remove the comma before the closing bracket", rb"[\]}]", before=rb",[ \t\r\n]*"),
    _Sign(
        "do not put commas into numbers, or between the values of a stream",
        rb",[0-9]",
        before=rb"[0-9]",
        reason="a value expected",
    ),
    _Sign(
        "do not put commas between the values of a stream",
        rb",",
        before=rb"[^\[{:, \t\r\n][ \t\r\n]*",
        reason="a value expected",
    ),
    _Sign(
        "this bracket closes nothing",
        rb"[\]}]",
        before=rb"(?:\A|[^: \t\r\n])[ \t\r\n]*",
        reason="a value expected",
    ),
    _Sign("numbers must not begin with extra zeros", rb"[0-9]", before=rb"(?:\A|[^0-9.eE+])0"),
    _Sign("numbers must be decimal", rb"[xX]", before=rb"(?:\A|[^0-9.eE+])0"),
    _Sign("numbers must not begin with a plus sign", rb"\+", reason="a value"),
    _Sign("numbers must not contain underscores", rb"_[0-9]", before=rb"[0-9]"),
    _Sign("put a digit before the decimal point", rb"\.[0-9]", reason="a value"),
    _Sign(_NO_FRACTION, rb"", before=rb"[0-9]\."),
    _Sign("arrays are in square brackets", rb"\(", reason="a value"),
    _Sign("is a comma missing?", rb'["\[{0-9tfn-]', reason="','"),
    _Sign(_MESSAGE, rb"[A-Za-z]{2}", before=rb'[\]}"][ \t]*', reason="a value expected"),
)
# Words of other languages, and their JSON equivalents.
_WORDS: Final = {
    **dict.fromkeys((b"None", b"NULL", b"Null", b"nil", b"undefined"), "null"),
    **dict.fromkeys((b"True", b"TRUE"), "true"),
    **dict.fromkeys((b"False", b"FALSE"), "false"),
    **dict.fromkeys((b"NaN", b"nan", b"Infinity", b"inf", b"Inf"), "no equivalent"),
}
_ONLY_WORD: Final = re.compile(rb"\s*[A-Za-z][\w.-]*\s*")
# The beginning of a line of a log: a word, a rule, a prompt, a time, a level, a number of things.
_LOG_LINE: Final = re.compile(
    rb"[ \t]*(?:(?!true|false|null)[A-Za-z]|[-=*]{2}|>|\[?[0-9]{2,4}[-:/][0-9]{2}|\[[A-Z]{3}"
    rb"|[0-9]+ [A-Za-z]{2})"
)


def _hint(text: bytes, fault: JsonError) -> str:
    before = text[max(0, fault.offset - _CONTEXT) : fault.offset]
    if fault.cut_short:
        return _NO_FRACTION if re.search(rb"[0-9]\.\Z", before) else _CUT_SHORT
    after = text[fault.offset : fault.offset + _CONTEXT]
    word = _word_at(before, after)
    if word in _WORDS:
        return f"JSON has {_WORDS[word]} for {word.decode()}"
    if len(text) <= _CONTEXT and _ONLY_WORD.fullmatch(text):
        return _BARE_WORD
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
        and re.search(rb"(?:" + sign.before + rb")\Z", before) is not None
        and re.match(sign.after, after) is not None
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


def format_value(value: Json | Missing, width: int = _VALUE) -> str:
    return "nothing" if value is MISSING else shorten_to_width(encode(value), width)


def _note(expected: Json | Missing, actual: Json | Missing) -> str:
    if expected is MISSING or actual is MISSING:
        return ""
    if isinstance(expected, str) and isinstance(actual, str):
        return _texts_note(expected, actual)
    if isinstance(expected, Number) and isinstance(actual, Number):
        return _numbers_note(expected.text, actual.text)
    if isinstance(expected, (list, dict)) and isinstance(actual, str):
        if are_equal([expected], decode(actual.encode()).values, Comparison()):
            return "the value is inside a string: encoded twice?"
    kind, printed = _KINDS[type(expected)], _KINDS[type(actual)]
    return f"{printed}, not {kind}" if kind != printed else ""


def _texts_note(expected: str, actual: str) -> str:
    if "".join(expected.split()) == "".join(actual.split()):
        return "they differ in white space only"
    if normal_form("NFKC", expected) == normal_form("NFKC", actual):
        return "they look alike, but have different Unicode code points"
    if expected.casefold() == actual.casefold():
        return "they differ in case only"
    if expected in _decoded_again(actual):
        return "UTF-8 encoded twice: read as Latin-1 before it was printed?"
    if max(len(format_value(expected)), len(format_value(actual))) < _VALUE:
        return ""
    pairs = enumerate(zip(expected, actual, strict=False), start=1)
    shorter = min(len(expected), len(actual))
    part = next((number for number, (left, right) in pairs if left != right), shorter + 1)
    return f"they differ from character {part:,} on"


def _decoded_again(text: str) -> Iterator[str]:
    """Yield what UTF-8 was whose bytes are the characters of a text, in each common encoding."""
    for encoding in ("latin-1", "cp1252"):
        with suppress(UnicodeError):
            yield text.encode(encoding).decode()


def _numbers_note(expected: str, actual: str) -> str:
    if equal_numbers(expected, actual, Numbers.VALUE):
        if _is_integer(expected) == _is_integer(actual):
            return "minus zero is not zero"
        return "the same value, but only one of them is written as an integer"
    if rounded_alike(expected, actual):
        return "they are the same double"
    left, right = float(expected), float(actual)
    return "they are nearly equal" if isfinite(left) and isclose(left, right) else ""


def _is_integer(number: str) -> bool:
    return number.lstrip("-").isdecimal()


# Standard error.

_TAIL: Final = 4_096  # bytes: some languages print all frames below the cause
_SUMMARY: Final = 200  # columns
# A line that names the cause of a failure, in most languages.
_CAUSE: Final = re.compile(
    r"(?:Error|Exception|exception|[Pp]anic|panicked|[Ff]atal)\b|\benv: .*: No such file"
)
# Messages of env and shells about a missing program whose name ends with a carriage return.
_WINDOWS: Final = re.compile(rb"(?:\\r(?:'|\xe2\x80\x99)|\r): ")


def stderr_summary(stderr: bytes) -> str:
    """Return a clause with the last line of standard error, or with the cause above a list of
    frames; "" if it is empty."""
    text = last_bytes(stderr, _TAIL).decode("utf-8", "backslashreplace").rstrip()
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    last = len(lines) - 1
    causes = (at for at in range(last, -1, -1) if not lines[at][0].isspace())
    at = next((at for at in causes if _CAUSE.search(lines[at])), last)
    verb = "ends" if at == last else "says"
    continues = lines[at].endswith(":") and at < last  # Rust prints the reason on the next line
    line = f"{lines[at]} {lines[at + 1].strip()}" if continues else lines[at].strip()
    return f"; its standard error {verb}: {shorten_to_width(line, _SUMMARY)}"


def has_windows_line_ends(stderr: bytes) -> bool:
    """Return whether env or a shell found no program because of a carriage return in its name."""
    return _WINDOWS.search(last_bytes(stderr, _TAIL)) is not None
