"""The names of cases: how a file says which case it belongs to, natural order, ranges, selections.

Pure, and the only place that takes file names apart. Source: docs/suites.md.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

__all__ = [
    "CONFIG_FILE",
    "PACKED_FILE",
    "CaseFile",
    "CaseName",
    "case_file",
    "case_order",
    "in_range",
    "input_name",
    "looks_like_case_file",
    "natural",
    "parse_range",
    "pattern_of",
    "selects",
]

CONFIG_FILE: Final = "xtest.toml"  # says what the subjects of a project are
PACKED_FILE: Final = "cases.jsonl"  # holds all the cases of a packed suite

# No file name has more digits, and int() takes so many on every Python.
_DIGITS: Final = r"[0-9]{1,255}"
_CASE_FILE: Final = re.compile(
    rf"(?:(?P<prefix>[^.].*)-)?(?P<number>{_DIGITS})-(?P<side>in|out)\.json", re.DOTALL
)
_ALMOST: Final = re.compile(r"[^.].*[-_. ](?:in|out)(?:put)?\.json", re.DOTALL | re.IGNORECASE)
_RANGE: Final = re.compile(rf"({_DIGITS})(?:-({_DIGITS}))?")


class CaseName(NamedTuple):
    """A case's name: "7", or "bad-7" with a prefix. The number is its value: 07 is 7. Below 0: it
    has none, as a lone input that is named otherwise than cases are; the prefix is all."""

    prefix: str
    number: int

    @property
    def text(self) -> str:
        """The name as it is written in reports and patterns."""
        if self.number < 0:
            return self.prefix
        return f"{self.prefix}-{self.number}" if self.prefix else str(self.number)


class CaseFile(NamedTuple):
    """What a file's name says: the case, and whether it is the case's input or its output."""

    name: CaseName
    is_input: bool


def case_file(file_name: str) -> CaseFile | None:
    """What a file in a suite's folder is to the suite; None: not one side of a case. Hidden files
    never are: some systems put one beside each file, with the same ending."""
    found = _CASE_FILE.fullmatch(file_name)
    if found is None:
        return None
    return CaseFile(CaseName(found["prefix"] or "", int(found["number"])), found["side"] == "in")


def input_name(stem: str) -> CaseName:
    """The name of an input that is perhaps no side of a case, by what stands in front of .json (or
    of -in.json): a case's name where it can be one, otherwise all of it."""
    side = case_file(f"{stem}-in.json")
    return CaseName(stem, -1) if side is None else side.name


def looks_like_case_file(file_name: str) -> bool:
    """Whether a name that is not one side of a case was perhaps meant to be: "a-in.json" (no
    number), "1-in.JSON", "1_out.json", "1-output.json"."""
    return case_file(file_name) is None and _ALMOST.fullmatch(file_name) is not None


def natural(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """A key that sorts texts as people number things: 2 before 10, digits before letters."""
    # Digits by their length and then their text: their value, however many there are.
    parts = re.split("([0-9]+)", text)
    return tuple(
        (0, len(part.lstrip("0")), part.lstrip("0"), part) if index % 2 else (1, 0, part, "")
        for index, part in enumerate(parts)
        if part
    )


def case_order(name: CaseName) -> tuple[tuple[tuple[int, int, str, str], ...], int]:
    """A key that sorts cases in natural order; no two names have the same."""
    return natural(name.prefix), name.number


def parse_range(text: str) -> tuple[int, int] | None:
    """The numbers that "40-59" or "40" means, first and last; None: not a range."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    return int(found[1]), int(found[2] or found[1])


def pattern_of(name: CaseName) -> str:
    """A pattern that means this case and no other."""
    if not name.prefix:
        return name.text  # digits: nothing to be escaped
    pattern = re.sub(r"([*?[])", r"[\1]", name.text)
    if parse_range(pattern) is not None:
        return f"[{pattern[0]}]{pattern[1:]}"  # "40-59" would be a range: case 59 of prefix 40
    return pattern


def in_range(name: CaseName, numbers: tuple[int, int]) -> bool:
    """Whether a range means this case: one without a prefix whose number lies in it."""
    return not name.prefix and numbers[0] <= name.number <= numbers[1]


def selects(pattern: str, name: CaseName) -> bool:
    """Whether a pattern means a case: a range ("40-59", "7"), or a glob on its name ("bad-*")."""
    numbers = parse_range(pattern)
    if numbers is not None and in_range(name, numbers):
        return True
    return fnmatchcase(name.text, pattern)
