"""JSON texts, exactly: the one decoder of the project, and the printer that goes with it.

A leaf: standard library only, no input or output, no recursion. Numbers stay text. What RFC 8259
leaves free is refused: a BOM, two equal keys, lone surrogates, invalid UTF-8, boundless depth.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias, Union

TYPE_CHECKING = False  # not typing's: the same to mypy, and the name stays out of the runtime path
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "JUDGE_DEPTH",
    "PROGRAM_DEPTH",
    "Decoder",
    "Fault",
    "Json",
    "Number",
    "Printable",
    "encode",
]


class Number:
    """A JSON number as it is spelled. `==` compares spellings; what numbers are *equal* is
    decided in harness/equality.py."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

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


class Fault(NamedTuple):
    """Why bytes are no stream of JSON values.

    `offset` is the first byte at which that is certain (for a lone surrogate its backslash, for a
    second equal key its opening quote); the length of the text where it was `cut_short`.
    """

    offset: int
    reason: str
    cut_short: bool = False


PROGRAM_DEPTH: Final = 512  # how deep brackets may be nested for the programs of xtests/
JUDGE_DEPTH: Final = 10_000  # ... and for the harness

_WHITE_RUN: Final = re.compile(rb"[ \t\r\n]*")
_PLAIN_RUN: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGIT_RUN: Final = re.compile(rb"[0-9]*")
_SIMPLE_ESCAPES: Final = {
    ord(letter): meant for letter, meant in zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True)
}
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_SCALAR_START: Final = frozenset(b"-0123456789tfn")
_LITERALS: Final[dict[int, tuple[bytes, bool | None]]] = {
    ord("t"): (b"true", True),
    ord("f"): (b"false", False),
    ord("n"): (b"null", None),
}
# A number's grammar as states. Each: what it reads as in a message, whether a number may end there,
# whether a run of digits goes on, and what the next byte makes of it. Source: RFC 8259, section 6.
_NUMBER: Final[dict[str, tuple[bool, bool, dict[int, str]]]] = {
    "sign": (False, False, {ord("0"): "zero", **{ord(d): "integer" for d in "123456789"}}),
    "zero": (True, False, {ord("."): "point", ord("e"): "e", ord("E"): "e"}),
    "integer": (True, True, {ord("."): "point", ord("e"): "e", ord("E"): "e"}),
    "point": (False, False, {ord(d): "fraction" for d in "0123456789"}),
    "fraction": (True, True, {ord("e"): "e", ord("E"): "e"}),
    "e": (
        False,
        False,
        {ord("+"): "e-sign", ord("-"): "e-sign", **{ord(d): "exponent" for d in "0123456789"}},
    ),
    "e-sign": (False, False, {ord(d): "exponent" for d in "0123456789"}),
    "exponent": (True, True, {}),
}


class _String:
    """The string that is being read."""

    __slots__ = ("carry", "escape_at", "hex", "high_at", "opened_at", "parts")

    def __init__(self, opened_at: int) -> None:
        self.opened_at = opened_at
        self.parts: list[str] = []
        self.carry = b""  # a UTF-8 character that the last run of bytes began
        self.escape_at = 0  # the last backslash
        self.hex = ""
        self.high_at: int | None = None  # a high surrogate's backslash, until its low one came


class Decoder:  # pylint: disable=too-many-instance-attributes  # the registers of one machine
    """Bytes in, values out, as soon as each is complete; every byte is looked at once, however
    the text is cut into chunks.

    `feed` each chunk, then `close`. Both return the values completed by that call. After a fault
    `fault` is set, and no more values come. A number at top level is complete when something
    follows it, or at `close`. Two numbers or words at top level must not touch: `1true` is a fault.
    """

    __slots__ = (
        "_base",
        "_chunk",
        "_containers",
        "_done",
        "_expected",
        "_glued",
        "_keys",
        "_literal",
        "_max_depth",
        "_number",
        "_number_state",
        "_step",
        "_string",
        "_token",
        "fault",
    )

    def __init__(self, max_depth: int) -> None:
        self.fault: Fault | None = None
        self._max_depth = max_depth
        self._base = 0  # offset of the current chunk in the text
        self._chunk = b""
        self._done: list[Json] = []
        self._containers: list[list[Json] | dict[str, Json]] = []
        self._keys: list[str] = []  # of every open object, the key whose value is awaited
        self._expected = "value"
        self._glued = False  # a number or word has just ended at top level
        self._step: Callable[[int], int] = self._between
        # The token that is being read, perhaps across chunks.
        self._token = ""
        self._string = _String(0)
        self._number_state = ""
        self._number: list[bytes] = []
        self._literal: tuple[bytes, bool | None, int] = (b"", None, 0)

    def feed(self, chunk: bytes) -> list[Json]:
        """The values that these bytes complete."""
        if self.fault is None:
            self._chunk = chunk
            position, end = 0, len(chunk)
            while position < end:
                position = self._step(position)
            self._base += end
        return self._take()

    def close(self) -> list[Json]:
        """The last value, if the end of the text completes it; a value cut short is a fault."""
        if self.fault is None:
            if self._token == "a number" and _NUMBER[self._number_state][0]:
                self._end_number()
            if self.inside_value:
                self.fault = Fault(self._base, f"the text ends {self._where()}", cut_short=True)
        return self._take()

    @property
    def inside_value(self) -> bool:
        """Whether a value has begun and is not complete."""
        return bool(self._containers or self._token)

    def _take(self) -> list[Json]:
        values, self._done = self._done, []
        return values

    def _where(self) -> str:
        if self._token:
            return f"inside {self._token}"
        return "inside an array" if isinstance(self._containers[-1], list) else "inside an object"

    def _fail(self, offset: int, reason: str) -> int:
        self.fault = Fault(offset, reason)
        return len(self._chunk)

    # Between tokens: one byte says which token begins.

    def _between(self, position: int) -> int:
        byte = self._chunk[position]
        if byte in b" \t\r\n":
            self._glued = False
            return _end_of_run(_WHITE_RUN, self._chunk, position)
        expected = self._expected
        if byte == 0x22 and expected != ":" and not expected.startswith(","):
            return self._begin_string(position)
        if expected.startswith("value"):
            return self._begin_value(position, byte)
        if byte == 0x3A and expected == ":":
            self._expected = "value"
            return position + 1
        if byte == 0x2C and expected.startswith(","):
            self._expected = "value" if expected == ", or ]" else "key"
            return position + 1
        return self._close_or_fail(position, byte)

    def _begin_value(self, position: int, byte: int) -> int:
        if byte == 0x5B:
            return self._open(position, [], "value or ]")
        if byte == 0x7B:
            return self._open(position, {}, "key or }")
        if byte not in _SCALAR_START or self._glued:
            return self._close_or_fail(position, byte)
        if byte in _LITERALS:
            self._literal = (*_LITERALS[byte], 1)
            self._token = f"the word {self._literal[0].decode()}"
            self._step = self._in_literal
            return position + 1
        # The state before a number's sign differs from the one after it only in taking the sign.
        self._number_state = "sign" if byte == 0x2D else _NUMBER["sign"][2][byte]
        self._number.append(self._chunk[position : position + 1])
        self._token = "a number"
        self._step = self._in_number
        return position + 1

    def _open(self, position: int, container: list[Json] | dict[str, Json], expected: str) -> int:
        if len(self._containers) == self._max_depth:
            reason = f"brackets nested more than {self._max_depth} deep"
            return self._fail(self._base + position, reason)
        self._containers.append(container)
        if expected == "key or }":
            self._keys.append("")
        self._expected = expected
        self._glued = False
        return position + 1

    def _close_or_fail(self, position: int, byte: int) -> int:
        closes = "]" if byte == 0x5D else "}" if byte == 0x7D else None
        if closes is None or not self._expected.endswith(f"or {closes}"):
            return self._fail(self._base + position, self._surprise(byte))
        if closes == "}":
            self._keys.pop()
        self._emit(self._containers.pop())
        return position + 1

    def _surprise(self, byte: int) -> str:
        if self._glued:
            return f"white space expected between two values, found {_shown(byte)}"
        wanted = {"value": "a value", "value or ]": "a value or ']'", "key": "a key in quotes"}
        wanted |= {"key or }": "a key in quotes or '}'", ":": "':' after a key"}
        wanted |= {", or ]": "',' or ']'", ", or }": "',' or '}'"}
        return f"{wanted[self._expected]} expected, found {_shown(byte)}"

    def _emit(self, value: Json) -> None:
        self._step = self._between
        self._token = ""
        if not self._containers:
            self._expected = "value"
            self._done.append(value)
            return
        container = self._containers[-1]
        if isinstance(container, list):
            container.append(value)
            self._expected = ", or ]"
        else:
            container[self._keys[-1]] = value
            self._expected = ", or }"

    # Words and numbers.

    def _in_literal(self, position: int) -> int:
        word, meant, seen = self._literal
        byte = self._chunk[position]
        if byte != word[seen]:
            reason = f"the word {word.decode()} expected, found {_shown(byte)}"
            return self._fail(self._base + position, reason)
        self._literal = (word, meant, seen + 1)
        if seen + 1 == len(word):
            self._emit(meant)
            self._glued = not self._containers
        return position + 1

    def _in_number(self, position: int) -> int:
        may_end, digits, moves = _NUMBER[self._number_state]
        end = _end_of_run(_DIGIT_RUN, self._chunk, position) if digits else position
        if end > position:
            self._number.append(self._chunk[position:end])
            return end
        byte = self._chunk[position]
        if byte in moves:
            self._number_state = moves[byte]
            self._number.append(self._chunk[position : position + 1])
            return position + 1
        if not may_end:
            reason = f"a digit expected in a number, found {_shown(byte)}"
            return self._fail(self._base + position, reason)
        self._end_number()
        return position

    def _end_number(self) -> None:
        value = Number(b"".join(self._number).decode("ascii"))
        self._number = []
        self._emit(value)
        self._glued = not self._containers

    # Strings: runs of plain bytes, and escapes.

    def _begin_string(self, position: int) -> int:
        self._string = _String(self._base + position)
        self._token = "a string"
        self._glued = False
        self._step = self._in_string
        return position + 1

    def _in_string(self, position: int) -> int:
        if self._string.high_at is not None and self._chunk[position] != 0x5C:
            return self._lone_surrogate(self._string.high_at)
        end = _end_of_run(_PLAIN_RUN, self._chunk, position)
        return self._plain(position, end) if end > position else self._mark(position)

    def _mark(self, position: int) -> int:
        # A quote, a backslash or a control character.
        byte = self._chunk[position]
        if self._string.carry:
            reason = f"invalid UTF-8: a character cut short by {_shown(byte)}"
            return self._fail(self._base + position, reason)
        if byte == 0x5C:
            self._step = self._in_escape if self._string.high_at is None else self._in_low_escape
            self._string.escape_at = self._base + position
            return position + 1
        if byte == 0x22:
            return self._end_string(position)
        reason = f"a control character in a string must be escaped: {_shown(byte)}"
        return self._fail(self._base + position, reason)

    def _plain(self, position: int, end: int) -> int:
        run = self._string.carry + self._chunk[position:end]
        try:
            text, consumed = utf_8_decode(run, "strict", False)
        except UnicodeDecodeError as problem:
            # A byte that can begin no character is at fault itself, else the one after the good.
            at = problem.start if "start" in problem.reason else problem.end
            byte = run[at]
            offset = self._base + position - len(self._string.carry) + at
            return self._fail(offset, f"invalid UTF-8: {_shown(byte)}")
        self._string.parts.append(text)
        self._string.carry = run[consumed:]
        return end

    def _end_string(self, position: int) -> int:
        value = "".join(self._string.parts)
        if not self._expected.startswith("key"):
            self._emit(value)
            return position + 1
        container = self._containers[-1]
        if value in container:
            return self._fail(
                self._string.opened_at, f"the key {encode(value)} stands twice in one object"
            )
        self._keys[-1] = value
        self._expected = ":"
        self._step = self._between
        self._token = ""
        return position + 1

    def _in_escape(self, position: int) -> int:
        byte = self._chunk[position]
        if byte == 0x75:
            self._string.hex = ""
            self._step = self._in_hex
            return position + 1
        if byte not in _SIMPLE_ESCAPES:
            reason = f"no such escape in a string: a backslash and {_shown(byte)}"
            return self._fail(self._base + position, reason)
        self._string.parts.append(_SIMPLE_ESCAPES[byte])
        self._step = self._in_string
        return position + 1

    def _in_low_escape(self, position: int) -> int:
        # After a high surrogate only \u can follow.
        if self._chunk[position] != 0x75 and self._string.high_at is not None:
            return self._lone_surrogate(self._string.high_at)
        self._string.hex = ""
        self._step = self._in_hex
        return position + 1

    def _in_hex(self, position: int) -> int:
        byte = self._chunk[position]
        if byte not in _HEX:
            if self._string.high_at is not None and not self._string.hex:
                return self._lone_surrogate(self._string.high_at)
            reason = f"four hexadecimal digits expected after \\u, found {_shown(byte)}"
            return self._fail(self._base + position, reason)
        self._string.hex += chr(byte).lower()
        begins = self._string.hex[:2]
        low = begins[:1] == "d" and (len(begins) == 1 or begins[1] in "cdef")
        if self._string.high_at is not None and not low:
            return self._lone_surrogate(self._string.high_at)
        if self._string.high_at is None and low and len(begins) == 2:
            return self._lone_surrogate(self._string.escape_at)
        if len(self._string.hex) == 4:
            self._end_hex(int(self._string.hex, 16))
        return position + 1

    def _end_hex(self, unit: int) -> None:
        self._step = self._in_string
        if self._string.high_at is not None:
            high = ord(self._string.parts.pop())
            self._string.parts.append(chr(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00)))
            self._string.high_at = None
            return
        self._string.parts.append(chr(unit))
        if 0xD800 <= unit < 0xDC00:
            self._string.high_at = self._string.escape_at

    def _lone_surrogate(self, offset: int) -> int:
        return self._fail(offset, "a lone surrogate: \\uD800 to \\uDFFF come in pairs only")


_QUOTED: Final[dict[int, str]] = {
    **{code: f"\\u{code:04x}" for code in (*range(0x20), 0x7F)},
    **{0x22: '\\"', 0x5C: "\\\\", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"},
}


def encode(value: Printable) -> str:
    """One line of JSON, without white space; members in the order they have, text beyond ASCII as
    it is. Does not recurse, so that any depth can be printed."""
    out: list[str] = []
    # What is still to be written, the next one last; True: it is text that stands as it is.
    todo: list[tuple[bool, Printable]] = [(False, value)]
    while todo:
        ready, item = todo.pop()
        if ready:
            out.append(str(item))
        elif item is None or isinstance(item, (bool, int, str, Number)):
            out.append(_scalar(item))
        elif isinstance(item, Mapping):
            _push(todo, "{}", [(_quoted(key) + ":", member) for key, member in item.items()])
        else:
            _push(todo, "[]", [("", element) for element in item])
    return "".join(out)


def _push(
    todo: list[tuple[bool, Printable]], brackets: str, members: list[tuple[str, Printable]]
) -> None:
    todo.append((True, brackets[1]))
    for index in range(len(members) - 1, -1, -1):
        label, member = members[index]
        todo.append((False, member))
        todo.append((True, ("," if index else "") + label))
    todo.append((True, brackets[0]))


def _scalar(value: None | bool | str | int | Number) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _end_of_run(run: re.Pattern[bytes], chunk: bytes, position: int) -> int:
    match = run.match(chunk, position)
    return match.end() if match else position


def _quoted(text: str) -> str:
    return f'"{text.translate(_QUOTED)}"'


def _shown(byte: int) -> str:
    """A byte as a reader can recognise it."""
    if 0x21 <= byte <= 0x7E:
        return f"'{chr(byte)}'"
    names = {0x20: "a space", 0x09: "a tab", 0x0A: "the end of the line", 0x0D: "a carriage return"}
    return names.get(byte, f"the byte 0x{byte:02X}")
