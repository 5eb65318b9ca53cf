"""Declare a case: its input, its expected output, its policy."""

from __future__ import annotations

from binascii import crc32
from enum import Enum
from typing import NamedTuple

from harness.jsonio.decoder import Json
from harness.model.policy import Policy

__all__ = ["Case", "InputKind", "InvalidCase"]


class InputKind(Enum):
    """The kind of a case's input."""

    JSON = "json"  # a stream of values that conforms to the suite's schema
    OFF_SCHEMA = "off-schema"  # a stream of values that violates the schema on purpose
    RAW = "raw"  # bytes that are not parsed


class Case(NamedTuple):
    """A case as read from its files: the bytes for standard input and the expected output.

    The values of a case that is not `is_parsed` are not known yet, nor whether it is valid.
    """

    suite: str
    name: str
    stdin: bytes
    expected_text: bytes
    expected: list[Json]
    kind: InputKind = InputKind.JSON
    tags: tuple[str, ...] = ()
    policy: Policy = Policy()
    is_parsed: bool = True


class InvalidCase(NamedTuple):
    """A case that is broken itself and cannot be run."""

    suite: str
    name: str
    reason: str


def content_digest(stdin: bytes, expected: bytes) -> str:
    """Return a fingerprint of a case: 16 hexadecimal digits, 8 for each side."""
    return (crc32(stdin) << 32 | crc32(expected)).to_bytes(8, "big").hex()
