"""A decoder of streams of JSON values, byte by byte, from docs/games/index.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, Union


class Malformed(Exception):
    """The bytes cannot begin any stream of values, as the byte at this offset shows."""

    def __init__(self, byte: int) -> None:
        super().__init__(byte)
        self.byte = byte


@dataclass(frozen=True)
class Numeral:
    """A number as written."""

    text: str


Value: TypeAlias = Union[None, bool, str, Numeral, list["Value"], dict[str, "Value"]]

DEEPEST: Final = 512
WHITE: Final = (b" ", b"\t", b"\r", b"\n")
DIGITS: Final = tuple(bytes([digit]) for digit in b"0123456789")
HEX: Final = tuple(bytes([digit]) for digit in b"0123456789abcdefABCDEF")
WORDS: Final = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
ESCAPES: Final = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))


def values_of(text: bytes) -> Iterator[Value]:
    """Yield the values of a stream, each as soon as it is complete."""
    i = _past_white(text, 0)
    while i < len(text):
        value, end = _value(text, i, 0)
        i = _past_white(text, end)
        yield value
        is_bare = value is None or isinstance(value, (bool, Numeral))
        if is_bare and i == end < len(text) and text[i : i + 1] not in (b"[", b"{", b'"'):
            raise Malformed(i)


def _past_white(text: bytes, i: int) -> int:
    while text[i : i + 1] in WHITE:
        i += 1
    return i


def _byte(text: bytes, i: int) -> bytes:
    """Return the byte of an incomplete value at an offset."""
    if i >= len(text):
        raise Malformed(len(text))
    return text[i : i + 1]


def _value(text: bytes, i: int, depth: int) -> tuple[Value, int]:
    """Return the value that begins here, and its end. Calls itself once a level."""
    byte = _byte(text, i)
    if byte in (b"[", b"{"):
        if depth == DEEPEST:
            raise Malformed(i)
        array: list[Value] = []
        members: dict[str, Value] = {}
        closing = b"]" if byte == b"[" else b"}"
        i = _past_white(text, i + 1)
        while _byte(text, i) != closing or array or members:
            if byte == b"{":
                key, i = _key(text, i, members)
                members[key], i = _value(text, i, depth + 1)
            else:
                element, i = _value(text, i, depth + 1)
                array.append(element)
            i = _past_white(text, i)
            if _byte(text, i) == closing:
                break
            i = _past_white(text, _past(text, i, b","))
        return (array if byte == b"[" else members), i + 1
    return _scalar(text, i)


def _key(text: bytes, i: int, members: dict[str, Value]) -> tuple[str, int]:
    """Return a key that is new to its object, and the begin of its value."""
    key, end = _string(text, _past(text, i, b'"'))
    if key in members:
        raise Malformed(i)
    end = _past_white(text, end)
    return key, _past_white(text, _past(text, end, b":"))


def _scalar(text: bytes, i: int) -> tuple[Value, int]:
    byte = _byte(text, i)
    if byte == b'"':
        return _string(text, i + 1)
    if byte in WORDS:
        word, value = WORDS[byte]
        for letter in word:
            i = _past(text, i, bytes([letter]))
        return value, i
    return _numeral(text, i)


def _past(text: bytes, i: int, expected: bytes) -> int:
    if _byte(text, i) != expected:
        raise Malformed(i)
    return i + 1


def _numeral(text: bytes, start: int) -> tuple[Numeral, int]:
    i = start + 1 if _byte(text, start) == b"-" else start
    if _byte(text, i) == b"0":
        i += 1
        if text[i : i + 1] in DIGITS:
            raise Malformed(i)
    else:
        i = _past_digits(text, i)
    if text[i : i + 1] == b".":
        i = _past_digits(text, i + 1)
    if text[i : i + 1] in (b"e", b"E"):
        i += 1
        i = _past_digits(text, i + 1 if _byte(text, i) in (b"+", b"-") else i)
    return Numeral(text[start:i].decode()), i


def _past_digits(text: bytes, i: int) -> int:
    if _byte(text, i) not in DIGITS:
        raise Malformed(i)
    while text[i : i + 1] in DIGITS:
        i += 1
    return i


def _string(text: bytes, i: int) -> tuple[str, int]:
    """Return the string that begins here, after its opening quote, and its end."""
    out = ""
    while True:
        byte = _byte(text, i)
        if byte == b'"':
            return out, i + 1
        if byte < b" ":
            raise Malformed(i)
        letter, i = _escape(text, i) if byte == b"\\" else _character(text, i)
        out += letter


def _character(text: bytes, i: int) -> tuple[str, int]:
    """Return a character of one to four bytes, and its end."""
    end = i
    while _byte(text, end):
        end += 1
        try:
            return text[i:end].decode(), end
        except UnicodeDecodeError as fault:
            if fault.reason != "unexpected end of data":
                break
    raise Malformed(end - 1)


def _escape(text: bytes, i: int) -> tuple[str, int]:
    """Return the character of an escape, whose backslash is at `i`, and its end."""
    kind = _byte(text, i + 1)
    if kind[0] in ESCAPES:
        return ESCAPES[kind[0]], i + 2
    if kind != b"u":
        raise Malformed(i + 1)
    unit = ""
    for k in range(i + 2, i + 6):
        if _byte(text, k) not in HEX:
            raise Malformed(k)
        unit += _byte(text, k).decode().lower()
        if unit in ("dc", "dd", "de", "df"):
            raise Malformed(i)
    if not "d800" <= unit <= "dbff":
        return chr(int(unit, 16)), i + 6
    for k, allowed in enumerate((b"\\", b"u", b"dD", b"cdefCDEF", *2 * (b"".join(HEX),)), i + 6):
        if _byte(text, k) not in allowed:
            raise Malformed(i)
    pair = bytes.fromhex(unit + text[i + 8 : i + 12].decode())
    return pair.decode("utf-16-be"), i + 12
