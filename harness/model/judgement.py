"""Declare the judgement of a transcript: a verdict, its reason and the differences."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Final, NamedTuple

from harness.jsonio.decoder import Json, encode
from harness.jsonio.members import JsonMember
from harness.model.dialogue import EntryKind
from harness.model.verdict import Verdict
from harness.text import truncate

# Bounds of what is kept of the differences: without them, one run could fill the disk.
MAX_DIFFERENCES: Final = 200
MAX_FAILED_TESTS: Final = 1_000
_VALUE: Final = 4_096  # characters of a differing value, and of its pointer


class Missing(Enum):
    """The absence of a value, distinct from every JSON value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class BrokenRule(NamedTuple):
    """The demand of a schema or a pattern, and why the actual value is something else.

    `at` is a pointer to the value that the schema is for, if the broken part is inside it.
    """

    asked: str
    reason: str
    at: str = ""


class Difference(NamedTuple):
    """A place where two streams of values differ.

    `pointer` is a JSON Pointer into the array of expected values or, for an unexpected value, into
    the array of printed values. With a `rule`, the expected value is only an example.
    """

    pointer: str
    expected: Json | Missing
    actual: Json | Missing
    actual_pointer: str | None = None  # the place of the actual value if it is another one
    rule: BrokenRule | None = None


class ShownDifference(NamedTuple):
    """A difference with its values as JSON texts, truncated; None if there is no value."""

    pointer: Annotated[str, JsonMember("at")]
    expected: str | None = None
    actual: str | None = None
    # If it is not that of the expected value.
    actual_pointer: Annotated[str | None, JsonMember("actual_at")] = None
    # What a schema or a pattern asks for, if the expected value is only an example.
    asked: str | None = None


class ShownMessage(NamedTuple):
    """A line of a conversation for people: its text is truncated, `step` as in its script."""

    kind: EntryKind
    at_s: float
    step: str = ""
    text: str = ""
    note: str = ""
    failed: bool = False  # whether this is where the dialogue failed


class Judgement(NamedTuple):
    """The verdict of a run, its reason, and the first differences if values were compared.

    `expected` is the output that they are differences from, if several are right, and `printed` the
    output that differs, if it is a message of a dialogue, which `talk` shows. Of the `tests`
    that the suite counts in the output, `tests_passed` are right. `failed_tests` are the places of
    the others, unless the output cannot be compared or there are too many of them. `verdicts` are
    those of the runs of a flaky case.
    """

    verdict: Verdict
    message: str
    differences: tuple[ShownDifference, ...] = ()
    differences_total: int = 0
    expected: bytes | None = None
    tests: int = 0
    tests_passed: int = 0
    failed_tests: tuple[str, ...] = ()
    points: float | None = None  # the share of the points of the case, if a checker says one
    printed: bytes | None = None
    talk: tuple[ShownMessage, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def shown_differences(differences: Sequence[Difference]) -> tuple[ShownDifference, ...]:
    """Return the first differences, as an event keeps them."""
    return tuple(map(_shorten, differences[:MAX_DIFFERENCES]))


def _shorten(difference: Difference) -> ShownDifference:
    moved_to, rule = difference.actual_pointer, difference.rule
    return ShownDifference(
        truncate(difference.pointer, _VALUE),
        _value_text(difference.expected),
        _value_text(difference.actual),
        None if moved_to is None else truncate(moved_to, _VALUE),
        None if rule is None else rule.asked,
    )


def _value_text(value: Json | Missing) -> str | None:
    return None if value is MISSING else truncate(encode(value), _VALUE)
