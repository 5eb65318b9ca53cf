"""The error object that a program prints for input it cannot accept.

docs/games/index.md specifies it. This module neither reads nor prints, and knows no game.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NewType

if TYPE_CHECKING:
    from harness.jsonio.decoder import JsonError, Printable

__all__ = [
    "ROOT",
    "InputError",
    "Kind",
    "Offset",
    "Pointer",
    "element",
    "incomplete",
    "malformed",
    "member",
]

Pointer = NewType("Pointer", str)  # JSON Pointer (RFC 6901) into the array of all input values
Offset = NewType("Offset", int)  # byte offset in the input, from 0

ROOT: Final = Pointer("")  # the array of all input values


class Kind(Enum):
    """The kinds of input errors."""

    MALFORMED_JSON = "malformed-json"
    INCOMPLETE_INPUT = "incomplete-input"
    INVALID_SPEC = "invalid-spec"
    ILLEGAL_MOVE = "illegal-move"


class InputError(Exception):
    """Input that a program cannot accept.

    Test suites compare `kind` and `at`; `message` is for people.
    """

    def __init__(self, kind: Kind, at: Pointer | Offset, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.at = at
        self.message = message

    def error_object(self) -> Printable:
        """Return the JSON value to print in place of an answer."""
        at: Printable = self.at if isinstance(self.at, str) else {"byte": self.at}
        return {"error": {"kind": self.kind.value, "at": at, "message": self.message}}


def element(container: Pointer, index: int) -> Pointer:
    """Return the pointer to an element of an array."""
    return Pointer(f"{container}/{index}")


def member(container: Pointer, name: str) -> Pointer:
    """Return the pointer to a member of an object."""
    return Pointer(f"{container}/{name.replace('~', '~0').replace('/', '~1')}")


def malformed(fault: JsonError) -> InputError:
    """Return the error for bytes that are not a stream of JSON values."""
    message = f"{fault.reason}, at byte {fault.offset} of the input"
    return InputError(Kind.MALFORMED_JSON, Offset(fault.offset), message)


def incomplete(index: int, expected: str) -> InputError:
    """Return the error for a stream that ends before its required value `index` (from 0)."""
    at = element(ROOT, index)
    message = f"{expected} expected at {at}, but the input ends there"
    return InputError(Kind.INCOMPLETE_INPUT, at, message)
