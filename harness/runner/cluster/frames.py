"""Send messages through a pipe, each after its length."""

from __future__ import annotations

import select
from io import FileIO
from typing import IO, Final

_LENGTH_BYTES: Final = 8


def read_frame(stream: FileIO, silence_s: float | None = None) -> bytes | None:
    """Return the next message, or None if the other end has closed the pipe.

    Raises TimeoutError if nothing comes for `silence_s`.
    """
    length = _read_exactly(stream, _LENGTH_BYTES, silence_s)
    if length is None:
        return None
    return _read_exactly(stream, int.from_bytes(length, "little"), silence_s)


def write_frame(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH_BYTES, "little"))
    stream.write(message)
    stream.flush()


def _read_exactly(stream: FileIO, size: int, silence_s: float | None) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        if not select.select([stream], [], [], silence_s)[0]:
            raise TimeoutError
        chunk = stream.read(size - len(data))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
