"""What a program says of input that it cannot accept: the error object, as a value.

No reading, no printing, no rule of any game. The contract is docs/errors.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NewType

TYPE_CHECKING = False  # not typing's: the same to mypy, and one name less at run time
if TYPE_CHECKING:
    from harness.jsontext import Fault, Printable

__all__ = [
    "EVERYTHING",
    "Kind",
    "Offset",
    "Pointer",
    "Refused",
    "element",
    "incomplete",
    "malformed",
]

Pointer = NewType("Pointer", str)  # JSON Pointer (RFC 6901) into the array of all values read
Offset = NewType("Offset", int)  # of a byte of the input, from 0

EVERYTHING: Final = Pointer("")  # the array of all values read


class Kind(Enum):
    """The faults that an input can have."""

    MALFORMED_JSON = "malformed-json"
    INCOMPLETE_INPUT = "incomplete-input"
    INVALID_SPEC = "invalid-spec"
    ILLEGAL_MOVE = "illegal-move"


class Refused(Exception):
    """The input cannot be accepted: what kind of fault it has, where, and what a person would
    want to be told. `kind` and `at` are compared by those who test; `message` is not."""

    def __init__(self, kind: Kind, at: Pointer | Offset, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.at = at
        self.message = message

    def error_object(self) -> Printable:
        """The one JSON value that is printed in place of an answer."""
        at: Printable = self.at if isinstance(self.at, str) else {"byte": self.at}
        return {"error": {"kind": self.kind.value, "at": at, "message": self.message}}


def element(container: Pointer, index: int) -> Pointer:
    """Where the element of an array stands; `index` counts from 0."""
    return Pointer(f"{container}/{index}")


def malformed(fault: Fault) -> Refused:
    """The bytes are no stream of JSON values."""
    message = f"{fault.reason}, at byte {fault.offset} of the input"
    return Refused(Kind.MALFORMED_JSON, Offset(fault.offset), message)


def incomplete(index: int, expected: str) -> Refused:
    """The input ended where its value number `index` (from 0) was required."""
    at = element(EVERYTHING, index)
    message = f"{expected} expected at {at}, but the input ends there"
    return Refused(Kind.INCOMPLETE_INPUT, at, message)
