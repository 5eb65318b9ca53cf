"""What a suite says of equality, as records: what holds everywhere, and what at some places.

Data only: what each word does is decided in equality.py, how it is written in suites/policy.py and,
inside an output schema, in annotations.py. Source: docs/equality.md.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = [
    "Comparison",
    "Matching",
    "Numbers",
    "Order",
    "PlaceRule",
    "Schema",
    "Strings",
    "Tolerance",
]


class Numbers(Enum):
    """When two numbers are equal."""

    EXACT = "exact"  # same kind (integer, or with fraction or exponent) and same value
    VALUE = "value"  # same value: 1 = 1.0


class Tolerance(NamedTuple):
    """How far a number may be off: by `absolute`, or by `relative` times the expected size,
    whichever is more. Both are JSON numbers as they are spelled, not below 0."""

    absolute: str = "0"
    relative: str = "0"


class Strings(Enum):
    """When two strings are equal: as they are, or in a Unicode normal form."""

    EXACT = "exact"
    NFC = "NFC"
    NFD = "NFD"
    NFKC = "NFKC"
    NFKD = "NFKD"


class Matching(NamedTuple):
    """Strings that are equal where both match the whole of a regular expression."""

    pattern: str


class Order(Enum):
    """What of an array counts."""

    LIST = "list"  # its elements in their order
    SET = "set"  # which elements there are
    MULTISET = "multiset"  # which there are, and how many of each


class Schema(NamedTuple):
    """A JSON Schema that a value only has to fit: its text, and the file it was named by, if any
    (of a file, `name` or `name#fragment`, the text is filled in when the suite is read)."""

    text: str = ""
    file: str = ""


class PlaceRule(NamedTuple):
    """What holds at the places that some paths name; None: nothing is said of that."""

    paths: tuple[str, ...]
    numbers: Numbers | Tolerance | None = None
    strings: Strings | Matching | None = None
    order: Order | None = None
    key: str | None = None  # the member by which the elements of an array are paired
    schema: Schema | None = None
    ignore: bool | None = None
    forget: bool = False  # nothing that was said before holds here


class Comparison(NamedTuple):
    """What equal means in a suite. Paths are JSON Pointers into the array of all values, in which
    `*` stands for one step and `**` for any number of steps. Of the rules that speak of one thing
    at one place the last one holds: those of the schema, `unordered` and `ignore`, those of `at`.
    """

    numbers: Numbers | Tolerance = Numbers.EXACT
    unordered: tuple[str, ...] = ()  # arrays whose order does not count
    ignore: tuple[str, ...] = ()  # values that need not agree, nor be there
    strings: Strings | Matching = Strings.EXACT
    allow: tuple[str, ...] = ()  # of what is no strict JSON (jsontext.LAXITIES)
    at: tuple[PlaceRule, ...] = ()
    contract: tuple[PlaceRule, ...] = ()  # what the output schema says

    @property
    def is_plain(self) -> bool:
        """Whether nothing depends on where a value stands."""
        return not (self.unordered or self.ignore or self.at or self.contract)

    @property
    def rules(self) -> tuple[PlaceRule, ...]:
        """All that is said of places, in the order in which the last one holds."""
        listed = (
            PlaceRule(self.unordered, order=Order.MULTISET),
            PlaceRule(self.ignore, ignore=True),
        )
        return (*self.contract, *(rule for rule in listed if rule.paths), *self.at)
