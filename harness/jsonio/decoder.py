"""Decode and encode JSON exactly. This is the project's only JSON decoder.

Standard library only, no input or output, no recursion. Numbers stay text. Everything that RFC 8259
leaves open is refused: a BOM, duplicate keys, lone surrogates, invalid UTF-8, unlimited nesting.
docs/json.md lists the texts that are refused, at which byte and with which message. The programs of
xtests/ print these messages, so they are part of a wire format.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import AnyStr, Final, NamedTuple, TypeAlias, Union


class Number:
    """A JSON number as spelled; `==` compares spellings, judging/equality.py numbers."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Number({self.text!r})"


Json: TypeAlias = Union[None, bool, str, Number, list["Json"], dict[str, "Json"]]
Printable: TypeAlias = Union[
    None, bool, str, int, Number, "Sequence[Printable]", "Mapping[str, Printable]"
]


class JsonError(NamedTuple):
    """The reason why bytes are not a stream of JSON values.

    `offset` is the first byte that proves it: for a lone surrogate its backslash, for a duplicate
    key its opening quote, and if the text was `cut_short` its length.
    """

    offset: int
    reason: str
    cut_short: bool = False


PROGRAM_DEPTH: Final = 512  # the deepest nesting of brackets for the programs of xtests/
JUDGE_DEPTH: Final = 10_000  # ... and for the harness

# Extensions that a reader may allow: the last one of duplicate keys wins; NaN, Infinity and
# -Infinity are numbers; half a surrogate pair is a character.
EXTENSIONS: Final = ("duplicate-keys", "nan", "lone-surrogates")

_LONGEST_SHOWN: Final = 40  # characters of a key in a message
_RECURSION: Final = 20  # levels that `encode` writes by recursion, which takes a third of the time

_WHITE_RUN: Final = re.compile(rb"[ \t\r\n]*")
_PLAIN_RUN: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGIT_RUN: Final = re.compile(rb"[0-9]*")

_LONE_HALF: Final = re.compile("[\ud800-\udfff]")

_DIGITS: Final = b"0123456789"
_HEX: Final = b"0123456789abcdefABCDEF"
_WORDS: Final[dict[int, tuple[bytes, bool | None]]] = {
    ord("t"): (b"true", True),
    ord("f"): (b"false", False),
    ord("n"): (b"null", None),
}
# -Infinity begins with a minus sign, like a number.
_NOT_NUMBERS: Final = {
    ord("N"): (b"NaN", Number("NaN")),
    ord("I"): (b"Infinity", Number("Infinity")),
}
_MINUS_INFINITY: Final = (b"Infinity", Number("-Infinity"))
_SIMPLE_ESCAPES: Final = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
_LOW_BEGINNINGS: Final = ("dc", "dd", "de", "df")  # of \uDC00 to \uDFFF
# The second half of a surrogate pair, byte by byte.
_LOW_HALF: Final = (b"\\", b"u", b"dD", b"cdefCDEF", _HEX, _HEX)
_BREAKS_CHARACTER: Final = "does not continue a character"


class _NumberState(NamedTuple):
    """A state in the grammar of numbers: whether a number may end here, whether any digits may
    follow, and the next state for other bytes. Source: RFC 8259, section 6."""

    moves: dict[int, _NumberState]
    may_end: bool = False
    digits: bool = False


_EXPONENT: Final = _NumberState({}, may_end=True, digits=True)
_SIGN: Final = _NumberState(dict.fromkeys(_DIGITS, _EXPONENT))
_E: Final = _NumberState(dict.fromkeys(b"+-", _SIGN) | _SIGN.moves)
_FRACTION: Final = _NumberState(dict.fromkeys(b"eE", _E), may_end=True, digits=True)
_POINT: Final = _NumberState(dict.fromkeys(_DIGITS, _FRACTION))
_ZERO: Final = _NumberState({ord("."): _POINT} | _FRACTION.moves, may_end=True)
_INTEGER: Final = _NumberState(_ZERO.moves, may_end=True, digits=True)
_MINUS: Final = _NumberState({ord("0"): _ZERO} | dict.fromkeys(b"123456789", _INTEGER))
_START: Final = _NumberState({ord("-"): _MINUS} | _MINUS.moves)


class _Expected(NamedTuple):
    """The tokens that may come next: their names in messages, and the action for each byte."""

    wanted: str
    moves: Mapping[int, Callable[[Decoder, int], int]]


class Decoder:  # pylint: disable=too-many-instance-attributes  # the registers of one machine
    """Decode bytes into values, each as soon as it is complete.

    Call `feed` with each chunk, then `close`; both return the values that the call completed. Every
    byte is examined once, however the text is cut into chunks. After an error, `fault` is set and
    no more values follow. A number at top level is complete when something follows it, or at
    `close`. Two numbers or words at top level must not touch: `1true` is an error. `allow` is a
    subset of EXTENSIONS.
    """

    def __init__(self, max_depth: int, allow: Collection[str] = ()) -> None:
        self.fault: JsonError | None = None
        self._allow = allow
        self._max_depth = max_depth
        self._base = 0  # offset of the current chunk in the text
        self._chunk = b""
        self._done: list[Json] = []
        self._containers: list[list[Json] | dict[str, Json]] = []
        self._keys: list[str] = []  # the current key of every open object
        self._expected = self._VALUE
        # Called with the position of a byte in the chunk; returns the position after what it read.
        self._step: Callable[[int], int] = self._between
        # The token that is being read, perhaps across chunks.
        self._token = ""
        # The bytes that are left of a word, and its value.
        self._word: tuple[bytes, bool | None | Number] = (b"", None)
        self._number: list[bytes] = []
        self._number_state = _START
        # The key or string that is being read.
        self._opened_at = 0
        self._parts: list[str] = []
        self._carry = b""  # the beginning of a UTF-8 character at the end of the last chunk
        self._escape_at = 0  # offset of the last escape; of a surrogate pair, of its first half
        self._unit = ""  # the digits read of its code unit
        self._high = 0  # the first half of a surrogate pair while the second is read

    def feed(self, chunk: bytes) -> list[Json]:
        """Return the values that these bytes complete."""
        if self.fault is None:
            self._chunk = chunk
            position, end = 0, len(chunk)
            while position < end:
                position = self._step(position)
            self._base += end
        return self._take()

    def close(self) -> list[Json]:
        """Return the last value if the end of the text completes it; otherwise set `fault`."""
        if self.fault is None:
            if self._number and self._number_state.may_end:
                self._end_number()
            if self.inside_value:
                self.fault = JsonError(self._base, f"the text ends {self._where()}", cut_short=True)
        return self._take()

    @property
    def inside_value(self) -> bool:
        """Return whether a value has begun and is not complete."""
        return bool(self._containers or self._token)

    def _take(self) -> list[Json]:
        values, self._done = self._done, []
        return values

    def _where(self) -> str:
        if self._token:
            return f"inside {self._token}"
        return "inside an array" if isinstance(self._containers[-1], list) else "inside an object"

    def _fail(self, position: int, reason: str) -> int:
        return self._fail_at(self._base + position, reason)

    def _fail_at(self, offset: int, reason: str) -> int:
        self.fault = JsonError(offset, reason)
        return len(self._chunk)

    # Between tokens: one byte decides which token begins.

    def _between(self, position: int) -> int:
        byte = self._chunk[position]
        move = self._expected.moves.get(byte)
        if move is None and byte in _NOT_NUMBERS and "nan" in self._allow:
            move = self._expected.moves.get(ord("t"))  # allowed wherever a word is
        if move is not None:
            return move(self, position)
        return self._fail(position, f"{self._expected.wanted}, found {_byte_name(byte)}")

    def _skip_white(self, position: int) -> int:
        return end_of_run(_WHITE_RUN, self._chunk, position)

    def _await_value(self, position: int) -> int:
        self._expected = self._VALUE
        return position + 1

    def _await_key(self, position: int) -> int:
        self._expected = self._KEY
        return position + 1

    def _open_array(self, position: int) -> int:
        self._expected = self._VALUE_OR_END
        return self._open(position, [])

    def _open_object(self, position: int) -> int:
        self._expected = self._KEY_OR_END
        self._keys.append("")
        return self._open(position, {})

    def _open(self, position: int, container: list[Json] | dict[str, Json]) -> int:
        if len(self._containers) == self._max_depth:
            return self._fail(position, f"brackets nested more than {self._max_depth} deep")
        self._containers.append(container)
        return position + 1

    def _close_array(self, position: int) -> int:
        self._emit(self._containers.pop())
        return position + 1

    def _close_object(self, position: int) -> int:
        self._keys.pop()
        return self._close_array(position)

    def _touch(self, position: int) -> int:
        byte = _byte_name(self._chunk[position])
        return self._fail(position, f"white space expected between two values, found {byte}")

    def _emit(self, value: Json) -> None:
        self._token = ""
        self._step = self._between
        if not self._containers:
            self._expected = self._VALUE
            self._done.append(value)
            return
        container = self._containers[-1]
        if isinstance(container, list):
            container.append(value)
            self._expected = self._COMMA_OR_ARRAY_END
        else:
            container[self._keys[-1]] = value
            self._expected = self._COMMA_OR_OBJECT_END

    # Words and numbers: at top level, only white space, a bracket or a quote ends them.

    def _emit_unquoted(self, value: Json) -> None:
        self._emit(value)
        if not self._containers:
            self._expected = self._VALUE_APART

    def _begin_word(self, position: int) -> int:
        byte = self._chunk[position]
        return self._begin_letters(position, _WORDS.get(byte) or _NOT_NUMBERS[byte])

    def _begin_letters(self, position: int, word: tuple[bytes, bool | None | Number]) -> int:
        self._word = word
        self._token = f"the word {word[0].decode()}"
        self._step = self._in_word
        return self._in_word(position)

    def _in_word(self, position: int) -> int:
        rest, value = self._word
        part = self._chunk[position : position + len(rest)]
        for index, byte in enumerate(part):
            if byte != rest[index]:
                return self._fail(
                    position + index, f"{self._token} expected, found {_byte_name(byte)}"
                )
        self._word = (rest[len(part) :], value)
        if part == rest:
            self._emit_unquoted(value)
        return position + len(part)

    def _begin_number(self, position: int) -> int:
        self._number_state = _START
        self._token = "a number"
        self._step = self._in_number
        return self._in_number(position)

    def _in_number(self, position: int) -> int:
        chunk, state, end = self._chunk, self._number_state, position
        while True:
            if state.digits:
                end = end_of_run(_DIGIT_RUN, chunk, end)
            if end == len(chunk) or chunk[end] not in state.moves:
                break
            state = state.moves[chunk[end]]
            end += 1
        self._number.append(chunk[position:end])
        self._number_state = state
        return end if end == len(chunk) else self._after_number(end)

    def _after_number(self, position: int) -> int:
        byte = self._chunk[position]
        if self._number_state is _MINUS and byte == ord("I") and "nan" in self._allow:
            self._number = []
            return self._begin_letters(position, _MINUS_INFINITY)
        if not self._number_state.may_end:
            return self._fail(position, f"a digit expected in a number, found {_byte_name(byte)}")
        if byte in _DIGITS:
            return self._fail(
                position, f"no digit may follow a leading 0, found {_byte_name(byte)}"
            )
        self._end_number()
        return position

    def _end_number(self) -> None:
        value = Number(b"".join(self._number).decode("ascii"))
        self._number = []
        self._emit_unquoted(value)

    # Strings: runs of plain bytes, and escapes.

    def _begin_string(self, position: int) -> int:
        return self._begin_quoted(position, "a string")

    def _begin_key(self, position: int) -> int:
        return self._begin_quoted(position, "a key")

    def _begin_quoted(self, position: int, token: str) -> int:
        self._token = token
        self._opened_at = self._base + position
        self._parts = []
        self._step = self._in_string
        return self._in_string(position + 1)

    def _in_string(self, position: int) -> int:
        end = end_of_run(_PLAIN_RUN, self._chunk, position)
        if end > position:
            self._take_plain(position, end)
        if end == len(self._chunk) or self.fault is not None:
            return len(self._chunk)
        return self._in_mark(end)

    def _take_plain(self, position: int, end: int) -> None:
        run = self._carry + self._chunk[position:end]
        try:
            text, consumed = utf_8_decode(run, "strict", False)
        except UnicodeDecodeError as problem:
            self._not_utf_8(position - len(self._carry), run, problem)
            return
        self._parts.append(text)
        self._carry = run[consumed:]
        if b"\xed\xa0" <= self._carry < b"\xee":
            # The first two bytes of a surrogate: Python reports it only at the third one.
            self._fail(end - 1, f"invalid UTF-8: {_byte_name(run[-1])} {_BREAKS_CHARACTER}")

    def _not_utf_8(self, position: int, run: bytes, problem: UnicodeDecodeError) -> None:
        # RFC 3629: a character begins with one of these. If so, the byte at problem.end is the
        # first that cannot continue it.
        if 0xC2 <= run[problem.start] <= 0xF4:
            at, reason = problem.end, _BREAKS_CHARACTER
        else:
            at, reason = problem.start, "begins no character"
        self._fail(position + at, f"invalid UTF-8: {_byte_name(run[at])} {reason}")

    def _in_mark(self, position: int) -> int:
        # A quote, a backslash or a control character.
        byte = self._chunk[position]
        if self._carry:
            return self._fail(position, f"invalid UTF-8: {_byte_name(byte)} {_BREAKS_CHARACTER}")
        if byte == 0x22:
            return self._end_string(position)
        if byte == 0x5C:
            self._escape_at = self._base + position
            self._step = self._in_escape
            return position + 1
        reason = f"a control character in a string must be escaped: {_byte_name(byte)}"
        return self._fail(position, reason)

    def _end_string(self, position: int) -> int:
        value = "".join(self._parts)
        if self._token == "a string":
            self._emit(value)
            return position + 1
        if value in self._containers[-1] and "duplicate-keys" not in self._allow:
            reason = f"the key {_truncated_key(value)} stands twice in one object"
            return self._fail_at(self._opened_at, reason)
        self._keys[-1] = value
        self._token = ""
        self._step = self._between
        self._expected = self._COLON
        return position + 1

    def _in_escape(self, position: int) -> int:
        byte = self._chunk[position]
        if byte == 0x75:
            self._step = self._in_unit
        elif byte in _SIMPLE_ESCAPES:
            self._parts.append(_SIMPLE_ESCAPES[byte])
            self._step = self._in_string
        else:
            reason = f"no such escape in a string: a backslash and {_byte_name(byte)}"
            return self._fail(position, reason)
        return position + 1

    def _in_unit(self, position: int) -> int:
        byte = self._chunk[position]
        if byte not in _HEX:
            reason = f"four hexadecimal digits expected after \\u, found {_byte_name(byte)}"
            return self._fail(position, reason)
        self._unit += chr(byte)
        if self._unit.lower() in _LOW_BEGINNINGS and "lone-surrogates" not in self._allow:
            return self._lone_surrogate()
        if len(self._unit) == 4:
            self._end_unit(int(self._unit, 16))
        return position + 1

    def _end_unit(self, unit: int) -> None:
        self._unit = ""
        if 0xD800 <= unit < 0xDC00:
            self._high = unit
            self._step = self._in_low_half
        else:
            self._parts.append(chr(unit))
            self._step = self._in_string

    def _in_low_half(self, position: int) -> int:
        byte = self._chunk[position]
        if byte not in _LOW_HALF[len(self._unit)]:
            return self._end_lone_half(position)
        self._unit += chr(byte)
        if len(self._unit) == len(_LOW_HALF):
            low = int(self._unit[2:], 16)
            self._unit = ""
            self._parts.append(chr(0x10000 + ((self._high - 0xD800) << 10) + (low - 0xDC00)))
            self._step = self._in_string
        return position + 1

    def _end_lone_half(self, position: int) -> int:
        """Reread what follows the first half of a surrogate pair: it is not a second half."""
        if "lone-surrogates" not in self._allow:
            return self._lone_surrogate()
        self._parts.append(chr(self._high))
        begun, self._unit = self._unit, self._unit[2:]
        steps = (self._in_string, self._in_escape, self._in_unit)
        self._step = steps[min(len(begun), 2)]
        return position

    def _lone_surrogate(self) -> int:
        reason = "a lone surrogate: \\uD800 to \\uDFFF come in pairs only"
        return self._fail_at(self._escape_at, reason)

    # The tokens that may come next.

    _WHITE: Final = dict.fromkeys(b" \t\r\n", _skip_white)
    _ANY_VALUE: Final = {
        **_WHITE,
        **dict.fromkeys(b"tfn", _begin_word),
        **dict.fromkeys(b"-0123456789", _begin_number),
        ord('"'): _begin_string,
        ord("["): _open_array,
        ord("{"): _open_object,
    }
    _VALUE: Final = _Expected("a value expected", _ANY_VALUE)
    _VALUE_APART: Final = _Expected(
        "a value expected",
        {
            **_ANY_VALUE,
            **dict.fromkeys(b" \t\r\n", _await_value),
            **dict.fromkeys(b"tfn-0123456789", _touch),
        },
    )
    _VALUE_OR_END: Final = _Expected(
        "a value or ']' expected", {**_ANY_VALUE, ord("]"): _close_array}
    )
    _COMMA_OR_ARRAY_END: Final = _Expected(
        "',' or ']' expected", {**_WHITE, ord(","): _await_value, ord("]"): _close_array}
    )
    _KEY: Final = _Expected("a key in quotes expected", {**_WHITE, ord('"'): _begin_key})
    _KEY_OR_END: Final = _Expected(
        "a key in quotes or '}' expected", {**_KEY.moves, ord("}"): _close_object}
    )
    _COLON: Final = _Expected("':' after a key expected", {**_WHITE, ord(":"): _await_value})
    _COMMA_OR_OBJECT_END: Final = _Expected(
        "',' or '}' expected", {**_WHITE, ord(","): _await_key, ord("}"): _close_object}
    )


_QUOTED: Final[dict[int, str]] = {
    **{code: f"\\u{code:04x}" for code in (*range(0x20), 0x7F)},
    **{0x22: '\\"', 0x5C: "\\\\", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"},
}


def encode(value: Printable, depth: int = _RECURSION) -> str:
    """Return a value as one line of JSON without white space.

    Members keep their order, and text beyond ASCII is not escaped. Recurses for `depth` levels, and
    not at all below them, so that a value of any depth can be encoded.
    """
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Number):
        return value.text
    if depth and isinstance(value, dict):
        members = [f"{_quoted(key)}:{encode(item, depth - 1)}" for key, item in value.items()]
        return f"{{{','.join(members)}}}"
    if depth and isinstance(value, list):
        return f"[{','.join([encode(item, depth - 1) for item in value])}]"
    return _encode_any(value)


def _encode_any(value: Printable) -> str:
    out: list[str] = []
    # For each open bracket: its closing bracket, and the remaining labelled values.
    levels: list[tuple[str, Iterator[tuple[str, Printable]]]] = [("", iter([("", value)]))]
    while levels:
        closing, members = levels[-1]
        for label, item in members:
            out.append(label)
            if not (item is None or isinstance(item, (str, int, Number))):
                out.append("{" if isinstance(item, Mapping) else "[")
                levels.append(_level(item))
                break
            out.append(_scalar(item))
        else:
            out.append(closing)
            levels.pop()
    return "".join(out)


def _level(
    container: Sequence[Printable] | Mapping[str, Printable],
) -> tuple[str, Iterator[tuple[str, Printable]]]:
    if isinstance(container, Mapping):
        pairs = enumerate(container.items())
        return "}", ((f"{',' if i else ''}{_quoted(key)}:", item) for i, (key, item) in pairs)
    return "]", (("," if index else "", item) for index, item in enumerate(container))


def _scalar(value: None | bool | str | int | Number) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def end_of_run(run: re.Pattern[AnyStr], chunk: AnyStr, position: int) -> int:
    """Return the end of the match of a pattern at a position, or the position if there is none."""
    match = run.match(chunk, position)
    return match.end() if match else position


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    quoted = text.translate(_QUOTED)
    if not quoted.isascii():
        # UTF-8 cannot encode half a surrogate pair: write it as the escape that was read.
        quoted = _LONE_HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)
    return f'"{quoted}"'


def _truncated_key(text: str) -> str:
    return _quoted(text) if len(text) <= _LONGEST_SHOWN else f"{_quoted(text[:_LONGEST_SHOWN])}..."


def _byte_name(byte: int) -> str:
    if 0x21 <= byte <= 0x7E:
        return f"'{chr(byte)}'"
    names = {0x20: "a space", 0x09: "a tab", 0x0A: "the end of the line", 0x0D: "a carriage return"}
    return names.get(byte, f"the byte 0x{byte:02X}")
