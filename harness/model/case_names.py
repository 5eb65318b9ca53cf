"""Name the files of a suite; parse, order and match the names of its cases.

strays.py tells misnamed files. Source: docs/suites.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from harness.text import matches_glob

WITHOUT: Final = "!"  # before a tag: the cases that do not have it
CONFIG_FILE: Final = "xtest.toml"  # declares the subjects of a project
SETTINGS_FILE: Final = "suite.toml"
PACKED_FILE: Final = "cases.jsonl"  # all cases of a packed suite

# The longest file name has 255 characters; int() accepts that many digits on every Python.
_MOST_DIGITS: Final = 255
_DIGITS: Final = rf"[0-9]{{1,{_MOST_DIGITS}}}"
_CASE_FILE: Final = re.compile(
    rf"(?:(?P<prefix>[^.].*)-)?(?P<number>{_DIGITS})-(?:in\.json|out\.json|talk\.jsonl)", re.DOTALL
)
TALK: Final = "-talk.jsonl"  # the end of the name of a script
_STEM: Final = re.compile(rf"(?:([^.].*)-)?({_DIGITS})", re.DOTALL)  # of a case file's name
_ESCAPED: Final = re.compile(r"\[([*?[, ~0-9])\]")  # as pattern_of escapes
_RANGE: Final = re.compile(rf"({_DIGITS})(?:-({_DIGITS}))?")

Match = str | tuple[str, ...]  # a pattern of cases, or several


class CaseName(NamedTuple):
    """A case's name: "7", or "bad-7" with a prefix.

    Leading zeros do not count: 07 is 7. A number below 0 means that the prefix is the whole name,
    as in packed cases, and in input files that are not named like a case.
    """

    prefix: str
    number: int

    @property
    def text(self) -> str:
        """The name as it appears in reports and patterns."""
        if self.number < 0:
            return self.prefix
        return f"{self.prefix}-{self.number}" if self.prefix else str(self.number)


def case_of_file(file_name: str) -> CaseName | None:
    """Return the case whose input or output has this file name, or None if it is not a case file.

    Hidden files never are: some systems write one with the same ending beside each file.
    """
    match = _CASE_FILE.fullmatch(file_name)
    if match is None:
        return None
    return CaseName(match["prefix"] or "", int(match["number"]))


def input_name(stem: str) -> CaseName:
    """Return the name of an input file, given the part before .json or -in.json."""
    if stem.isascii() and stem.isdecimal() and len(stem) <= _MOST_DIGITS:  # like most
        return CaseName("", int(stem))
    match = _STEM.fullmatch(stem)
    return CaseName(stem, -1) if match is None else CaseName(match[1] or "", int(match[2]))


def natural(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """Return a sort key for natural order: 2 before 10, digits before letters."""
    # Comparing digits by length and then by text compares their values, at any length.
    parts = re.split("([0-9]+)", text)
    return tuple(
        (0, len(part.lstrip("0")), part.lstrip("0"), part) if index % 2 else (1, 0, part, "")
        for index, part in enumerate(parts)
        if part
    )


def case_order(name: CaseName) -> tuple[tuple[tuple[int, int, str, str], ...], int]:
    """Return a sort key for natural order; it is unique for each name."""
    return natural(name.prefix) if name.prefix else (), name.number


def parse_range(text: str) -> tuple[int, int] | None:
    """Return the first and last number of "40-59" or "40", or None if it is not a range."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    return int(match[1]), int(match[2] or match[1])


def pattern_of(name: CaseName) -> str:
    """Return a pattern that matches only this case."""
    if not name.prefix:
        return name.text  # only digits: nothing to escape
    # A comma would separate two patterns of --case, which may follow spaces; "~" begins words.
    pattern = re.sub(r"([*?[,]|^[ ~])", r"[\1]", name.text)
    if parse_range(pattern) is not None:
        return f"[{pattern[0]}]{pattern[1:]}"  # case 59 of prefix 40: "40-59" would be a range
    return pattern


def exact_texts(pattern: str) -> Collection[str] | None:
    """Return the texts of the only cases that a pattern can match, or None if there may be more.

    A pattern with escapes matches a name that is written like it, too.
    """
    numbers = parse_range(pattern)
    if numbers is not None:
        return (pattern.lstrip("0") or "0",) if pattern.isdecimal() else None
    plain = _ESCAPED.sub("", pattern)
    is_glob = re.search("[*?[]", plain) is not None
    return None if is_glob else {_ESCAPED.sub(r"\1", pattern), pattern}


def as_patterns(match: Match) -> tuple[str, ...]:
    return (match,) if isinstance(match, str) else match


def selects(match: Match, name: CaseName) -> bool:
    """Return whether a range ("40-59", "7") or a glob ("bad-*"), or one of several, matches."""
    return any(_selects(pattern, name) for pattern in as_patterns(match))


def _selects(pattern: str, name: CaseName) -> bool:
    numbers = None if name.prefix else parse_range(pattern)
    is_in_range = numbers is not None and numbers[0] <= name.number <= numbers[1]
    return is_in_range or matches_glob(name.text, pattern)
