"""Send messages through a pipe, each after its length."""

from __future__ import annotations

from io import FileIO
from typing import IO, Final

__all__ = ["read_frame", "write_frame"]

_LENGTH_BYTES: Final = 8


def read_frame(stream: FileIO | IO[bytes]) -> bytes | None:
    """Return the next message, or None if the other end has closed the pipe."""
    length = _read_exactly(stream, _LENGTH_BYTES)
    return None if length is None else _read_exactly(stream, int.from_bytes(length, "little"))


def write_frame(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH_BYTES, "little"))
    stream.write(message)
    stream.flush()


def _read_exactly(stream: FileIO | IO[bytes], size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = stream.read(size - len(data))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
