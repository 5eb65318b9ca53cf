"""suite.toml as values: its text is parsed and checked here, and each case's policy drawn from it.

Pure: text in, records out, with every fault by its key and the nearest known name. What the file
may say is in schemas/suite.schema.json; a test holds the two together. Source: docs/suites.md.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from harness.comparison import Comparison, Order, PlaceRule
from harness.comparison_words import (
    NUMBERS_WANTED,
    ORDER_WANTED,
    SCHEMA_WANTED,
    STRINGS_WANTED,
    WordError,
    Written,
    allowances,
    numbers_way,
    order_way,
    schema_way,
    strings_way,
)
from harness.deliveries import Delivery
from harness.jsontext import LAXITIES
from harness.naming import CaseName, parse_range, selects
from harness.paths import PathError, parse_pattern
from harness.records import ExitRange, InputKind, Limits, Policy, Verdict
from harness.rules import unsound
from harness.words import clip, cut, did_you_mean, quoted, visible

__all__ = [
    "DELIVERIES",
    "CaseRule",
    "KnownRule",
    "SuiteSettings",
    "SuiteTomlError",
    "parse_suite_toml",
]

# Those that a suite can declare, by name.
DELIVERIES: Final = tuple(delivery.value for delivery in Delivery)

T = TypeVar("T")


class SuiteTomlError(ValueError):
    """A suite.toml that cannot be accepted; the message says where, what was expected and found.

    `table`, `number` (from 0, among the tables of that name) and `key` are the place, as far as it
    is known; what is no TOML has none.
    """

    def __init__(self, said: str, place: tuple[str, int, str] = ("", 0, "")) -> None:
        super().__init__(said)
        self.table, self.number, self.key = place


class CaseRule(NamedTuple):
    """One `[[cases]]` table: the cases it is for, and what it says of them (None: nothing)."""

    match: str
    exit: ExitRange | None = None
    input: InputKind | None = None
    tags: tuple[str, ...] | None = None

    def applies_to(self, name: CaseName) -> bool:
        """Whether the pattern means this case: the same patterns as on the command line."""
        return selects(self.match, name)


class KnownRule(NamedTuple):
    """One `[[known]]` table: the cases that some subject is known to fail, why, and where that is
    talked about. `verdicts` and `deliveries` are those it is for; empty: all of them."""

    match: str
    reason: str
    link: str = ""
    subject: str = "*"
    verdicts: tuple[Verdict, ...] = ()
    deliveries: tuple[str, ...] = ()

    def applies_to(self, name: CaseName) -> bool:
        """Whether the pattern means this case, whoever the subject is."""
        return selects(self.match, name)


class SuiteSettings(NamedTuple):
    """All that a suite.toml says; the defaults are those of a suite without one."""

    title: str = ""
    program: str = ""
    input: str = ""
    output: str = ""
    exit: ExitRange = ExitRange()
    deliveries: tuple[str, ...] = DELIVERIES
    conversation: bool = False
    limits: Limits = Limits()
    comparison: Comparison = Comparison()
    rules: tuple[CaseRule, ...] = ()
    known: tuple[KnownRule, ...] = ()

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

    def tags_for(self, name: CaseName) -> tuple[str, ...]:
        """The tags of one case, as `policy_for` has them."""
        for rule in reversed(self.rules):
            if rule.tags is not None and rule.applies_to(name):
                return rule.tags
        return ()


_TOP: Final = "title program input output exit deliveries conversation limits compare cases known"
# The keys of every table, by its name; the top has none.
_KEYS: Final = {
    "": tuple(_TOP.split()),
    "limits": Limits._fields,
    "compare": tuple("numbers unordered ignore strings allow at".split()),
    "compare.at": tuple("path numbers strings order key schema ignore".split()),
    "cases": CaseRule._fields,
    "known": KnownRule._fields,
}
# How each table begins in the file.
_HEADS: Final = {
    "limits": "[limits]",
    "compare": "[compare]",
    "compare.at": "[[compare.at]]",
    "cases": "[[cases]]",
    "known": "[[known]]",
}
_SHOWN: Final = 60  # characters of a value in a message


def parse_suite_toml(text: bytes, where: str) -> SuiteSettings:
    """The settings in a suite.toml. `where` names the file in messages. Raises SuiteTomlError."""
    try:
        return _settings(_Table(_parsed(text), "", ""))
    except _Refusal as problem:
        raise SuiteTomlError(f"{where}: {problem}", problem.place) from None


class _Refusal(Exception):
    """What is wrong with the file; its name is still to be put in front. `place` is that of a
    SuiteTomlError."""

    def __init__(self, said: str, place: tuple[str, int, str] = ("", 0, "")) -> None:
        super().__init__(said)
        self.place = place


def _parsed(text: bytes) -> dict[str, Any]:
    if text.startswith(BOM_UTF8):
        raise _Refusal("begins with a byte order mark; save it as UTF-8 without one")
    import tomllib  # pylint: disable=import-outside-toplevel  # many a suite has no suite.toml

    try:
        return tomllib.loads(text.decode(), parse_float=Written)
    except UnicodeDecodeError as problem:
        raise _Refusal(f"not UTF-8 at byte {problem.start}") from None
    except RecursionError:
        raise _Refusal("not TOML that anybody means: nested too deep") from None
    except ValueError as problem:  # bad TOML, or an integer of more digits than int() takes
        raise _Refusal(f"not TOML: {cut(visible(str(problem)), 200)}") from None


class _Table:
    """A TOML table that knows where it stands, and checks what is taken from it."""

    def __init__(self, entries: Mapping[str, Any], name: str, label: str, number: int = 0) -> None:
        self._entries = entries
        self._label = label  # stands before a key in messages
        self._place = (name, number)
        for key in entries:
            if key not in _KEYS[name]:
                said = f"unknown key {quoted(key, _SHOWN)}; {_key_hint(key, name)}"
                raise self._refusal(key, said)

    def take(self, name: str, default: T, wanted: str, read: Callable[[Any], T | None]) -> T:
        """The value of a key, as `read` makes it; None from `read` refuses it."""
        if name not in self._entries:
            return default
        try:
            value = read(self._entries[name])
        except (PathError, WordError, _Refusal) as problem:
            raise self._refusal(name, f"{name}: {cut(visible(str(problem)), 200)}") from None
        if value is None:
            found = _shown(self._entries[name])
            raise self._refusal(name, f"{name} is to be {wanted}, found {found}")
        return value

    def need(self, name: str, wanted: str, read: Callable[[Any], T | None]) -> T:
        """The same for a key that has to be there."""
        value = self.take(name, None, wanted, read)
        if value is None:
            raise self._refusal(name, f"{name} is missing: {wanted}")
        return value

    def inner(self, name: str) -> _Table:
        """The table under a key; an empty one where there is none."""
        nothing: dict[str, Any] = {}
        return _Table(self.take(name, nothing, "a table", _table), name, f"[{name}] ")

    def each(self, name: str, inside: str = "") -> list[_Table]:
        """The tables of an array of tables, which may be `inside` another one."""
        nothing: list[dict[str, Any]] = []
        full = inside + name
        entries = self.take(name, nothing, f"written as [[{full}]] tables", _tables)
        return [
            _Table(entry, full, f"[[{full}]] number {number + 1}: ", number)
            for number, entry in enumerate(entries)
        ]

    def refuse(self, reason: str) -> NoReturn:
        """Raise what is wrong with the table as a whole."""
        raise self._refusal("", reason)

    def _refusal(self, key: str, said: str) -> _Refusal:
        return _Refusal(f"{self._label}{said}", (*self._place, key))


def _key_hint(key: str, table: str) -> str:
    for other, keys in _KEYS.items():
        if key in keys:
            # A [table] takes all that follows it, up to the next one: easily forgotten.
            return (
                f"it belongs in {_HEADS[other]}" if other else "it belongs above the first [table]"
            )
    return did_you_mean(key, _KEYS[table])


# What the tables say.


def _settings(table: _Table) -> SuiteSettings:
    return SuiteSettings(
        title=table.take("title", "", _TEXT_WANTED, _text),
        program=table.take("program", "", "the name of a program", _text),
        input=table.take("input", "", "the file name of a schema", _text),
        output=table.take("output", "", "the file name of a schema", _text),
        exit=table.take("exit", ExitRange(), _EXIT_WANTED, _exit),
        deliveries=table.take("deliveries", DELIVERIES, "a list of names", _deliveries),
        conversation=table.take("conversation", False, "true or false", _truth),
        limits=_limits(table.inner("limits")),
        comparison=_comparison(table.inner("compare")),
        rules=tuple(_rule(rule) for rule in table.each("cases")),
        known=tuple(_known(rule) for rule in table.each("known")),
    )


def _limits(table: _Table) -> Limits:
    usual = Limits()
    return Limits(
        wall_s=table.take("wall_s", usual.wall_s, _AMOUNT_WANTED, _amount),
        first_byte_s=table.take("first_byte_s", usual.first_byte_s, _AMOUNT_WANTED, _amount),
        cpu_s=table.take("cpu_s", usual.cpu_s, _AMOUNT_WANTED, _amount),
        memory_mib=table.take("memory_mib", usual.memory_mib, _AMOUNT_WANTED, _amount),
        output_mib=table.take("output_mib", usual.output_mib, _AMOUNT_WANTED, _amount),
        processes=table.take("processes", usual.processes, _COUNT_WANTED, _count),
        open_files=table.take("open_files", usual.open_files, _COUNT_WANTED, _count),
        file_mib=table.take("file_mib", usual.file_mib, _AMOUNT_WANTED, _amount),
    )


def _comparison(table: _Table) -> Comparison:
    usual = Comparison()
    comparison = Comparison(
        numbers=table.take("numbers", usual.numbers, NUMBERS_WANTED, numbers_way),
        unordered=table.take("unordered", (), _PATHS_WANTED, _paths),
        ignore=table.take("ignore", (), _PATHS_WANTED, _paths),
        strings=table.take("strings", usual.strings, STRINGS_WANTED, strings_way),
        allow=table.take("allow", (), _ALLOW_WANTED, allowances),
        at=tuple(_place_rule(rule) for rule in table.each("at", "compare.")),
    )
    if problem := unsound(comparison):
        raise _Refusal(f"[compare] {cut(visible(problem), 400)}")
    return comparison


def _place_rule(table: _Table) -> PlaceRule:
    rule = PlaceRule(
        paths=table.need("path", _PATH_WANTED, _path_or_paths),
        numbers=table.take("numbers", None, NUMBERS_WANTED, numbers_way),
        strings=table.take("strings", None, STRINGS_WANTED, strings_way),
        order=table.take("order", None, ORDER_WANTED, order_way),
        key=table.take("key", None, "the name of a member", _key),
        schema=table.take("schema", None, SCHEMA_WANTED, schema_way),
        ignore=table.take("ignore", None, "true or false", _truth),
    )
    if rule == PlaceRule(rule.paths):
        table.refuse(f"says nothing of its path; known: {', '.join(_KEYS['compare.at'][1:])}")
    if rule.order is Order.LIST and rule.key is not None:
        table.refuse('a key pairs the elements of a set or multiset, and the order is "list"')
    return rule


def _rule(table: _Table) -> CaseRule:
    return CaseRule(
        match=table.need("match", _MATCH_WANTED, _match),
        exit=table.take("exit", None, _EXIT_WANTED, _exit),
        input=table.take("input", None, '"json", "off-schema" or "raw"', _kind),
        tags=table.take("tags", None, "a list of texts that are not empty", _texts),
    )


def _known(table: _Table) -> KnownRule:
    return KnownRule(
        match=table.need("match", _MATCH_WANTED, _match),
        reason=table.need("reason", "why the subject falls short, in one line", _text),
        link=table.take("link", "", "a text that is not empty, such as a URL", _text),
        subject=table.take("subject", "*", "a glob on the subject's name", _text),
        verdicts=table.take("verdicts", (), "a list of verdicts of a subject", _verdicts),
        deliveries=table.take("deliveries", (), "a list of names", _deliveries),
    )


_TEXT_WANTED: Final = "a text that is not empty"
_AMOUNT_WANTED: Final = "a number above 0 and below 1e9"
_COUNT_WANTED: Final = "an integer above 0 and below 1e9"
_EXIT_WANTED: Final = 'a status from 0 to 255, a range such as "1-125", or "nonzero"'
_PATHS_WANTED: Final = 'a list of JSON Pointers (with * and **), such as ["/0/winners"]'
_PATH_WANTED: Final = 'a JSON Pointer (with * and **), such as "/*/score", or a list of them'
_ALLOW_WANTED: Final = f"a list of these: {', '.join(LAXITIES)}"
_MATCH_WANTED: Final = 'a glob on the names of cases, or a range such as "40-59"'


def _shown(value: Any) -> str:
    match value:
        case str():
            return quoted(value, _SHOWN)
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            parts = ("[...]" if isinstance(part, list) else _shown(part) for part in value)
            return clip(f"[{', '.join(parts)}]", _SHOWN)
        case _:
            return str(value)


# One value each: None, or a refusal of its own, where it is not what the key takes.


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
    # Neither a bool, nor inf or nan: the comparison refuses both.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9:
        return float(value)
    return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and _amount(value) is not None else None


def _exit(value: Any) -> ExitRange | None:
    if value == "nonzero":
        return ExitRange(1, 255)
    numbers = parse_range(value) if isinstance(value, str) and len(value) <= 7 else None
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (value, value)
    if numbers is None or not 0 <= numbers[0] <= numbers[1] <= 255:
        return None
    return ExitRange(*numbers)


def _match(value: Any) -> str | None:
    numbers = parse_range(value) if isinstance(value, str) else None
    if numbers is not None and numbers[0] > numbers[1]:
        raise _Refusal(f"the range {quoted(value, _SHOWN)} runs backwards")
    return _text(value)


def _kind(value: Any) -> InputKind | None:
    return next((kind for kind in InputKind if kind.value == value), None)


# Those that a subject can get for what it did.
_SHORT: Final = {
    verdict.value: verdict
    for verdict in Verdict
    if verdict
    not in (Verdict.INVALID_CASE, Verdict.NOT_STARTED, Verdict.PASSED, Verdict.HARNESS_FAULT)
}


def _verdicts(value: Any) -> tuple[Verdict, ...] | None:
    names = _texts(value)
    if not names:
        return None
    _refuse_others(names, tuple(_SHORT), "no failure")
    return tuple(_SHORT[name] for name in names)


def _deliveries(value: Any) -> tuple[str, ...] | None:
    names = _texts(value)
    if not names:
        return None
    _refuse_others(names, DELIVERIES, "no delivery")
    return names


def _refuse_others(names: tuple[str, ...], known: tuple[str, ...], nothing: str) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise _Refusal(f"{nothing} is called {quoted(name, _SHOWN)}; {hint}")
        if names.count(name) > 1:
            raise _Refusal(f'"{name}" stands there twice')


def _paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        return None
    for path in value:
        parse_pattern(path)  # raises PathError
    return tuple(value)


def _path_or_paths(value: Any) -> tuple[str, ...] | None:
    return _paths([value] if isinstance(value, str) else value) or None


def _key(value: Any) -> str | None:
    return value if isinstance(value, str) else None
