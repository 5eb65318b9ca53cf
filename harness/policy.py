"""suite.toml as values: its text is parsed and checked here, and each case's policy drawn from it.

Pure: text in, records out, with every fault by line, key and nearest known name. What the file may
say is in schemas/suite.schema.json; a test holds the two together. Source: docs/suite-toml.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Final, TypeVar, cast

from harness.naming import CaseName, in_range, parse_range
from harness.paths import PathError, parse_pattern
from harness.records import Comparison, ExitRange, InputKind, Limits, Numbers, Policy

__all__ = ["DELIVERIES", "CaseRule", "SuiteSettings", "SuiteTomlError", "parse_suite_toml"]

# How a case's input can be dressed and fed. Only "plain" is run yet.
DELIVERIES: Final = (
    "plain",
    "compact",
    "pretty",
    "escaped",
    "crlf",
    "no-final-newline",
    "white-space",
    "byte-by-byte",
    "slow",
    "cut",
    "at-once",
    "value-by-value",
)

T = TypeVar("T")


class SuiteTomlError(ValueError):
    """A suite.toml that cannot be accepted; the message says where, what was expected and found."""


@dataclass(frozen=True, slots=True)
class CaseRule:
    """One `[[cases]]` table: the cases it is for, and what it says of them (None: nothing)."""

    match: str
    exit: ExitRange | None = None
    input: InputKind | None = None
    tags: tuple[str, ...] | None = None

    def applies_to(self, name: CaseName) -> bool:
        """Whether the pattern is a glob that fits the name, or a range that holds its number."""
        numbers = parse_range(self.match)
        if numbers is not None:
            return in_range(name, numbers)
        return fnmatchcase(name.text, self.match)


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """All that a suite.toml says; the defaults are those of a suite without one."""

    title: str = ""
    program: str = ""
    input: str = ""
    output: str = ""
    exit: ExitRange = field(default_factory=ExitRange)
    deliveries: tuple[str, ...] = ("plain",)
    conversation: bool = False
    limits: Limits = field(default_factory=Limits)
    comparison: Comparison = field(default_factory=Comparison)
    rules: tuple[CaseRule, ...] = ()

    def policy_for(self, name: CaseName) -> tuple[Policy, InputKind, tuple[str, ...]]:
        """What holds for one case: policy, kind of input, tags. Of the rules that apply, the last
        one that speaks of a thing decides it."""
        expected_exit, kind, tags = self.exit, InputKind.JSON, tuple[str, ...]()
        for rule in self.rules:
            if rule.applies_to(name):
                expected_exit = rule.exit if rule.exit is not None else expected_exit
                kind = rule.input if rule.input is not None else kind
                tags = rule.tags if rule.tags is not None else tags
        return Policy(self.comparison, expected_exit, self.limits), kind, tags


def parse_suite_toml(text: bytes, where: str) -> SuiteSettings:
    """The settings in a suite.toml. `where` names the file in messages. Raises SuiteTomlError."""
    try:
        table = tomllib.loads(text.decode())
    except UnicodeDecodeError as problem:
        raise SuiteTomlError(f"{where}: not UTF-8 at byte {problem.start}") from None
    except tomllib.TOMLDecodeError as problem:
        raise SuiteTomlError(f"{where}: not TOML: {problem}") from None
    return _settings(_Table(table, where, ""))


class _Table:
    """A TOML table that knows where it stands, and checks what is taken from it."""

    def __init__(self, entries: Mapping[str, Any], where: str, path: str) -> None:
        self._entries = entries
        self._where = where
        self._path = path

    def allow(self, *names: str) -> None:
        """Refuse any key that is not among these."""
        for key in self._entries:
            if key not in names:
                near = get_close_matches(key, names, n=1)
                hint = f'; did you mean "{near[0]}"?' if near else f"; known: {', '.join(names)}"
                raise SuiteTomlError(f'{self._where}: unknown key "{self._path}{key}"{hint}')

    def take(self, name: str, default: T, wanted: str, read: Callable[[Any], T | None]) -> T:
        """The value of a key, as `read` makes it; None from `read` refuses it."""
        if name not in self._entries:
            return default
        value = read(self._entries[name])
        if value is None:
            found = _shown(self._entries[name])
            raise SuiteTomlError(
                f"{self._where}: {self._path}{name} is to be {wanted}, found {found}"
            )
        return value

    def need(self, name: str, wanted: str, read: Callable[[Any], T | None]) -> T:
        """The same for a key that has to be there."""
        if name not in self._entries:
            raise SuiteTomlError(f"{self._where}: {self._path}{name} is missing: {wanted}")
        return self.take(name, cast(T, None), wanted, read)

    def inner(self, name: str) -> _Table:
        """The table under a key; an empty one where there is none."""
        nothing: dict[str, Any] = {}
        entries = self.take(name, nothing, "a table", _table)
        return _Table(entries, self._where, f"{self._path}{name}.")

    def each(self, name: str) -> list[_Table]:
        """The tables of an array of tables."""
        nothing: list[dict[str, Any]] = []
        entries = self.take(name, nothing, f"written as [[{name}]] tables", _tables)
        return [
            _Table(entry, self._where, f"{self._path}{name}[{index}].")
            for index, entry in enumerate(entries)
        ]


def _settings(table: _Table) -> SuiteSettings:
    table.allow(
        *("title", "program", "input", "output", "exit", "deliveries", "conversation"),
        *("limits", "compare", "cases"),
    )
    return SuiteSettings(
        title=table.take("title", "", "text", _text),
        program=table.take("program", "", "the name of a program", _text),
        input=table.take("input", "", "the name of a schema", _text),
        output=table.take("output", "", "the name of a schema", _text),
        exit=table.take("exit", ExitRange(), _EXIT_WANTED, _exit),
        deliveries=table.take("deliveries", ("plain",), _DELIVERIES_WANTED, _deliveries),
        conversation=table.take("conversation", False, "true or false", _truth),
        limits=_limits(table.inner("limits")),
        comparison=_comparison(table.inner("compare")),
        rules=tuple(_rule(rule) for rule in table.each("cases")),
    )


def _limits(table: _Table) -> Limits:
    names = [entry.name for entry in fields(Limits)]
    table.allow(*names)
    limits = Limits()
    for name in names:
        read, wanted = (
            (_count, "a positive integer")
            if name == "processes"
            else (_amount, "a positive number")
        )
        limits = replace(limits, **{name: table.take(name, getattr(limits, name), wanted, read)})
    return limits


def _comparison(table: _Table) -> Comparison:
    table.allow("numbers", "unordered", "ignore")
    return Comparison(
        numbers=table.take("numbers", Numbers.EXACT, '"exact" or "value"', _numbers),
        unordered=table.take("unordered", (), _PATHS_WANTED, _paths),
        ignore=table.take("ignore", (), _PATHS_WANTED, _paths),
    )


def _rule(table: _Table) -> CaseRule:
    table.allow("match", "exit", "input", "tags")
    return CaseRule(
        match=table.need("match", 'a glob on case names, or a range such as "40-59"', _text),
        exit=table.take("exit", None, _EXIT_WANTED, _exit),
        input=table.take("input", None, '"json", "off-schema" or "raw"', _kind),
        tags=table.take("tags", None, "a list of texts", _texts),
    )


_EXIT_WANTED: Final = 'a status from 0 to 255, a range such as "1-125", or "nonzero"'
_PATHS_WANTED: Final = 'a list of JSON Pointers (with * and **), such as ["/0/winners"]'
_DELIVERIES_WANTED: Final = f"a list drawn from {', '.join(DELIVERIES)}"


def _shown(value: object) -> str:
    return (
        f'"{value}"'
        if isinstance(value, str)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )


def _table(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _tables(value: Any) -> list[dict[str, Any]] | None:
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return value
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(entry, str) and entry for entry in value):
        return tuple(value)
    return None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _amount(value: Any) -> float | None:
    # Not a bool, not inf or nan: the comparison refuses both ends.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9:
        return float(value)
    return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _exit(value: Any) -> ExitRange | None:
    if value == "nonzero":
        return ExitRange(1, 255)
    numbers = parse_range(value) if isinstance(value, str) else None
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (value, value)
    if numbers is None or not 0 <= numbers[0] <= numbers[1] <= 255:
        return None
    return ExitRange(*numbers)


def _kind(value: Any) -> InputKind | None:
    return next((kind for kind in InputKind if kind.value == value), None)


def _numbers(value: Any) -> Numbers | None:
    return next((numbers for numbers in Numbers if numbers.value == value), None)


def _deliveries(value: Any) -> tuple[str, ...] | None:
    names = _texts(value)
    return names if names and set(names) <= set(DELIVERIES) else None


def _paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    try:
        for path in value:
            parse_pattern(path)
    except PathError:
        return None
    return tuple(value)
