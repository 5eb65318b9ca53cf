"""Declare the judgement of a transcript: a verdict, its reason and the differences."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json
from harness.model.verdict import Verdict


class Missing(Enum):
    """The absence of a value, distinct from every JSON value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class Difference(NamedTuple):
    """A place where two streams of values differ.

    `pointer` is a JSON Pointer into the array of expected values or, for an unexpected value, into
    the array of printed values.
    """

    pointer: str
    expected: Json | Missing
    actual: Json | Missing
    actual_pointer: str | None = None  # the place of the actual value if it is another one


class Judgement(NamedTuple):
    """The verdict of a run, its reason, and all differences if values were compared.

    `expected` is the output that they are differences from, if several are right. Of the `tests`
    that the suite counts in the output, `tests_passed` are right.
    """

    verdict: Verdict
    message: str
    differences: tuple[Difference, ...] = ()
    expected: bytes | None = None
    tests: int = 0
    tests_passed: int = 0
