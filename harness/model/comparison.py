"""Declare the equality rules of a suite: the defaults, and those for some paths.

judging/equality.py implements them; suites/settings.py reads them from suite.toml, and
judging/annotations.py from an output schema. Source: docs/equality.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple


class Numbers(Enum):
    EXACT = "exact"  # the same kind (integer, or with fraction or exponent) and value
    VALUE = "value"  # the same value: 1 = 1.0


class Tolerance(NamedTuple):
    """The allowed error of a number: the larger of `absolute` and `relative` times the expected
    magnitude. Both are JSON numbers as spelled, not below 0."""

    absolute: str = "0"
    relative: str = "0"


class Strings(Enum):
    """A rule for when two strings are equal: as they are, in a Unicode normal form, or by their
    value, if both are JSON numbers or RFC 3339 datetimes."""

    EXACT = "exact"
    NFC = "NFC"
    NFD = "NFD"
    NFKC = "NFKC"
    NFKD = "NFKD"
    NUMBER = "number"  # equal by the rule for numbers
    DATETIME = "datetime"  # the same instant, or the same local date or time


class Matching(NamedTuple):
    """A rule by which two strings are equal if both match the whole of a regular expression."""

    pattern: str


class ArrayOrder(Enum):
    LIST = "list"  # by index
    SET = "set"  # without order and duplicates
    MULTISET = "multiset"  # without order


FILE_URI: Final = "file:///"  # before the name of a file that a schema refers to


class Schema(NamedTuple):
    """A JSON Schema that both values must satisfy, in place of equality."""

    text: str = ""  # of a schema in a file, filled in when the suite is loaded
    file: str = ""  # `name` or `name#fragment`


class RuleCondition(NamedTuple):
    """A condition of a rule: a member beside the value, or inside one, has one of some values."""

    steps: tuple[str, ...]  # from the object around the value
    values: tuple[str, ...]  # as JSON


class PlaceRule(NamedTuple):
    """The rules for the values at some paths; None leaves a rule as it is.

    A rule with conditions applies where all of them hold, on both sides.
    """

    paths: tuple[str, ...]
    numbers: Numbers | Tolerance | None = None
    strings: Strings | Matching | None = None
    order: ArrayOrder | None = None
    key: str | None = None  # the member that identifies the elements of an array
    schema: Schema | None = None
    ignore: bool | None = None
    resets: bool = False  # sets all rules to their defaults
    extra: bool | None = None  # whether an object may have members that are not expected
    keys: Matching | None = None  # the keys of an object that do not count
    when: tuple[RuleCondition, ...] = ()


class Comparison(NamedTuple):
    """The equality rules of a suite.

    Paths are JSON Pointers into the array of all values, in which `*` matches one step and `**` any
    number of steps. If several rules apply to a place, the last one wins, in this order: the output
    schema, `unordered`, `ignore`, `at`.
    """

    numbers: Numbers | Tolerance = Numbers.EXACT
    unordered: tuple[str, ...] = ()  # arrays compared without order
    ignore: tuple[str, ...] = ()  # values that may differ or be missing
    strings: Strings | Matching = Strings.EXACT
    allow: tuple[str, ...] = ()  # names of jsonio.decoder.EXTENSIONS
    at: tuple[PlaceRule, ...] = ()
    from_schema: tuple[PlaceRule, ...] = ()  # annotations of the output schema
    bytes: bool = False  # whether the text of the output counts

    @property
    def is_plain(self) -> bool:
        """Return whether the same rules apply everywhere."""
        return not (self.unordered or self.ignore or self.at or self.from_schema)

    @property
    def is_bounded(self) -> bool:
        """Return whether comparing takes a time that is bounded by the size of the values.

        A regular expression or a JSON Schema may take exponential time, and pairing unordered
        elements within a tolerance takes quadratic time.
        """
        rules = self.rules
        modes = [self.strings, *(mode for rule in rules for mode in (rule.strings, rule.keys))]
        if any(isinstance(mode, Matching) for mode in modes) or any(
            rule.schema is not None for rule in rules
        ):
            return False
        return all(rule.order is None for rule in rules) or not self.has_tolerance

    @property
    def has_tolerance(self) -> bool:
        """Return whether numbers at some places have a tolerance."""
        modes = (self.numbers, *(rule.numbers for rule in self.rules))
        return any(isinstance(mode, Tolerance) for mode in modes)

    @property
    def rules(self) -> tuple[PlaceRule, ...]:
        """Return all rules for paths, in order of precedence, lowest first."""
        rules = self.from_schema
        if self.unordered:
            rules += (PlaceRule(self.unordered, order=ArrayOrder.MULTISET),)
        if self.ignore:
            rules += (PlaceRule(self.ignore, ignore=True),)
        return rules + self.at
