"""Split what a program prints into messages, as it arrives, and frame what is sent. Pure.

Each byte is examined a bounded number of times, and only an incomplete message is kept.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Final, NamedTuple

from harness.jsonio.fast import Decoded, decode
from harness.model.dialogue import Framing

_WHITE: Final = b" \t\r\n"
_SMALL: Final = 1_024  # bytes of a message whose values are remembered
_MOST_REMEMBERED: Final = 512  # messages: usually those of all runs that wait for their judgement
_WHITE_RUN: Final = re.compile(rb"[ \t\r\n]*")
_MOST_HEADER: Final = 8_192  # bytes of the headers of a message
_FIELD: Final = re.compile(rb"([!-9;-~]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_LENGTH: Final = re.compile(rb"[0-9]{1,12}")
_SPACED_FIELD: Final = re.compile(rb"Content-(?:Length|Type)[ \t]", re.IGNORECASE)
_KNOWN_FIELD: Final = re.compile(rb"Content-(?:Length|Type):", re.IGNORECASE)
_NO_HEADER: Final = "this is not a header: a log message? print it on standard error"
_SPACE: Final = "no space may stand before the colon of a header"
_BLANK: Final = (
    "an empty line before a header; Content-Length must count a line end after a message"
)
_BARE: Final = 'a message without headers: framing = "lines" or "values" in [talk] has none'
_TOKEN: Final = re.compile(rb'"|[\[{]+|[\]}]+')  # runs: nesting without end is read fast
_IN_STRING: Final = re.compile(rb'["\\]')
_SCALAR_END: Final = re.compile(rb'[ \t\r\n\[\]{}",:]')


class Message(NamedTuple):
    """The place of a message in the output, without its frame."""

    begin: int
    end: int
    text: bytes


class FramingFault(NamedTuple):
    offset: int
    reason: str


class Splitter(ABC):
    """Splits the output of one program; after a `fault`, no more messages follow."""

    def __init__(self) -> None:
        self.fault: FramingFault | None = None
        self._rest = bytearray()  # of an incomplete message
        self._begin = 0  # its offset in the output

    @property
    def partial(self) -> int:
        """The bytes of an incomplete message."""
        return len(self._rest.strip(_WHITE))

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that a part of the output completes."""
        self._rest += data
        messages: list[Message] = []
        while self.fault is None and (message := self._next()) is not None:
            messages.append(message)
        return messages

    def close(self) -> list[Message]:
        """Return the message that the end of the output completes, if there is one."""
        return []

    @abstractmethod
    def _next(self) -> Message | None:
        """Take one message, or return None if there is no complete one."""

    def _skip_white(self) -> None:
        if self._rest and self._rest[0] in _WHITE:
            blank = _WHITE_RUN.match(self._rest)
            self._take(0, 0, blank.end() if blank else 0)

    def _take(self, skipped: int, end: int, after: int) -> Message:
        """Return the bytes from `skipped` to `end`, and drop all before `after`."""
        text = bytes(self._rest[skipped:end])
        message = Message(self._begin + skipped, self._begin + end, text)
        del self._rest[:after]
        self._begin += after
        return message


class _Lines(Splitter):
    def __init__(self) -> None:
        super().__init__()
        self._searched = 0

    def feed(self, data: bytes) -> list[Message]:
        if self._rest or not 0 < data.find(b"\n") == len(data) - 1 or data[0] in _WHITE:
            return super().feed(data)
        # The usual case, without a copy: one line.
        text = data[: -2 if data.endswith(b"\r\n") else -1]
        message = Message(self._begin, self._begin + len(text), text)
        self._begin += len(data)
        return [message]

    def _next(self) -> Message | None:
        if self._searched == 0:
            self._skip_white()
        end = self._rest.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._rest)
            return None
        self._searched = 0
        return self._take(0, end - (self._rest[end - 1 : end] == b"\r"), end + 1)

    def close(self) -> list[Message]:
        return [self._take(0, len(self._rest), len(self._rest))] if self.partial else []


class _Values(Splitter):
    def __init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._at = 0  # how far the incomplete value has been read
        self._is_in_string = False

    def _next(self) -> Message | None:
        if self._at == 0:
            self._skip_white()
        if not self._rest:
            return None
        is_scalar = self._rest[0] not in b'{["'
        end = self._end_of_scalar() if is_scalar else self._end_of_value()
        if end is None:
            return None
        self._at = self._depth = 0
        self._is_in_string = False
        return self._take(0, end, end)

    def _end_of_scalar(self) -> int | None:
        """Return where the number at the beginning ends, or None if that has not arrived."""
        end = _SCALAR_END.search(self._rest, self._at or 1)
        self._at = len(self._rest)
        return None if end is None else end.start()

    def _end_of_value(self) -> int | None:
        """Return where the value at the beginning ends, or None if that has not arrived."""
        while True:
            pattern = _IN_STRING if self._is_in_string else _TOKEN
            token = pattern.search(self._rest, self._at)
            if token is None:
                self._at = max(self._at, len(self._rest))
                return None
            text, end = token[0], token.end()
            if text == b"\\":
                end += 1  # the byte after it, which may not have arrived
            elif text == b'"':
                self._is_in_string = not self._is_in_string
            elif text[0] in b"[{":
                self._depth += len(text)
            else:
                closed = min(len(text), self._depth)
                self._depth -= closed
                end = token.start() + closed
            self._at = end
            if self._depth == 0 and not self._is_in_string and text != b"\\":
                return end

    def close(self) -> list[Message]:
        # A number is complete when nothing follows it.
        return [self._take(0, len(self._rest), len(self._rest))] if self.partial else []


class _ContentLength(Splitter):
    def __init__(self) -> None:
        super().__init__()
        self._length: int | None = None  # of the body, once its headers are complete

    def _next(self) -> Message | None:
        if self._length is None and not self._read_headers():
            return None
        assert self._length is not None
        if len(self._rest) < self._length:
            return None
        length, self._length = self._length, None
        return self._take(0, length, length)

    def _read_headers(self) -> bool:
        end = self._rest.find(b"\r\n\r\n", 0, _MOST_HEADER)
        lines = bytes(self._rest[: end if end >= 0 else _MOST_HEADER]).split(b"\n")
        at = 0
        for number, line in enumerate(lines):
            is_last = number == len(lines) - 1
            if number == 0 and line in (b"", b"\r") and (not is_last or end == 0):
                return self._fail(0, _BLANK)
            is_whole = not is_last or end >= 0
            offset, reason = _line_fault(line, is_ended=not is_last, is_whole=is_whole)
            if reason:
                return self._fail(at + offset, reason)
            at += len(line) + 1
        if end < 0:
            if len(self._rest) >= _MOST_HEADER:
                return self._fail(0, f"headers of more than {_MOST_HEADER:,} bytes")
            return False
        values = [
            match[2]
            for line in lines
            if (match := _FIELD.fullmatch(line.removesuffix(b"\r")))
            and match[1].lower() == b"content-length"
        ]
        if len(values) != 1:
            return self._fail(0, f"{'no' if not values else 'several'} Content-Length in headers")
        self._length = int(values[0])
        self._take(0, end, end + 4)
        return True

    def _fail(self, at: int, reason: str) -> bool:
        self.fault = FramingFault(self._begin + at, reason)
        return False

    @property
    def partial(self) -> int:
        return len(self._rest) or int(self._length is not None)


def _line_fault(line: bytes, *, is_ended: bool, is_whole: bool) -> tuple[int, str]:
    """Return the offset of what is wrong in a line of headers or its beginning, and why, or ""."""
    field = line.removesuffix(b"\r")
    if is_ended and not line.endswith(b"\r"):
        is_header = not field or _KNOWN_FIELD.match(field) is not None
        return (len(line), "LF where CRLF ends a header") if is_header else (0, _not_header(field))
    return 0, _field_problem(field, is_whole=is_whole)


def _not_header(line: bytes) -> str:
    if _SPACED_FIELD.match(line):
        return _SPACE
    return _BARE if line.startswith((b"{", b"[")) else _NO_HEADER


def _field_problem(field: bytes, *, is_whole: bool) -> str:
    """Return what is wrong with a header, or with the beginning of one, or ""."""
    match = _FIELD.fullmatch(field)
    if match is None:
        if is_whole or not re.fullmatch(rb"[!-9;-~]*\r?", field):
            return _not_header(field)
        return ""
    if is_whole and match[1].lower() == b"content-length" and not _LENGTH.fullmatch(match[2]):
        return "Content-Length must be a number of at most 12 digits"
    return ""


def splitter(framing: Framing) -> Splitter:
    kinds: dict[Framing, type[_Values | _Lines | _ContentLength]] = {
        Framing.VALUES: _Values,
        Framing.LINES: _Lines,
        Framing.CONTENT_LENGTH: _ContentLength,
    }
    return kinds[framing]()


def framed(text: bytes, framing: Framing) -> bytes:
    """Return the bytes in which a message is sent."""
    if framing is Framing.CONTENT_LENGTH:
        return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)
    return text + b"\n"


def decode_message(text: bytes, allow: tuple[str, ...]) -> Decoded:
    """Return the values of a message; those of small ones are remembered for the judge."""
    return _decode_small(text, allow) if len(text) <= _SMALL else decode(text, allow=allow)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _decode_small(text: bytes, allow: tuple[str, ...]) -> Decoded:
    return decode(text, allow=allow)
