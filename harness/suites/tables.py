"""Tables of TOML, read strictly: each key is known and of its kind, or refused with its place.

Pure. Knows no file: which tables and keys there are is handed in, as a Grammar. What a value means
beyond its kind is for policy (suite.toml) and config (xtest.toml) to say.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from harness.words import clip, cut, did_you_mean, quoted, visible

__all__ = [
    "AMOUNT_WANTED",
    "COUNT_WANTED",
    "SHOWN",
    "SIZE_WANTED",
    "TEXT_WANTED",
    "Grammar",
    "Place",
    "Refusal",
    "Table",
    "a_count",
    "a_size",
    "a_table",
    "a_text",
    "a_truth",
    "an_amount",
    "parsed",
    "texts",
]

T = TypeVar("T")

SHOWN: Final = 60  # characters of a value in a message
TEXT_WANTED: Final = "a text that is not empty"
AMOUNT_WANTED: Final = "a number above 0 and below 1e9"
SIZE_WANTED: Final = "a number from 0 on and below 1e9"
COUNT_WANTED: Final = "an integer above 0 and below 1e9"

# The name of a table, which of that name it is (from 0), and a key.
Place = tuple[str, int, str]


class Grammar(NamedTuple):
    """The keys of every table by its name ("" is the top), and how each table but the top begins in
    the file."""

    keys: Mapping[str, tuple[str, ...]]
    heads: Mapping[str, str]


class Refusal(Exception):
    """What is wrong with a file, whose name is still to be put in front; `place` is where, as far
    as that is known."""

    def __init__(self, said: str, place: Place = ("", 0, "")) -> None:
        super().__init__(said)
        self.place = place


def parsed(text: bytes, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """What the text of a file stands for. Raises Refusal where it is no TOML."""
    if text.startswith(BOM_UTF8):
        raise Refusal("begins with a byte order mark; save it as UTF-8 without one")
    import tomllib  # pylint: disable=import-outside-toplevel  # many a suite has no suite.toml

    try:
        return tomllib.loads(text.decode(), parse_float=parse_float)
    except UnicodeDecodeError as problem:
        raise Refusal(f"not UTF-8 at byte {problem.start}") from None
    except RecursionError:
        raise Refusal("not TOML that anybody means: nested too deep") from None
    except ValueError as problem:  # bad TOML, or an integer of more digits than int() takes
        said = f"not TOML: {cut(visible(str(problem)), 200)}"
        raise Refusal(said + _unquoted(text.decode(), str(problem))) from None


def _unquoted(text: str, problem: str) -> str:
    """A hint where a value begins as a text would without its quotes."""
    import re  # pylint: disable=import-outside-toplevel  # for faults only

    place = re.fullmatch(r"Invalid value \(at line ([0-9]+), column ([0-9]+)\)", problem)
    if place is None:
        return ""
    line = text.split("\n")[int(place[1]) - 1]
    begin = line[int(place[2]) - 1 :][:1]
    return "; a text stands in quotes" if begin.isalpha() or begin in tuple("./~_-$@") else ""


class Table:
    """A TOML table that knows where it stands, and checks what is taken from it. Raises Refusal."""

    def __init__(
        self,
        grammar: Grammar,
        entries: Mapping[str, Any],
        name: str = "",
        label: str = "",
        number: int = 0,
    ) -> None:
        self._grammar = grammar
        self._entries = entries
        self._label = label  # stands before a key in messages
        self._place = (name, number)
        for key in entries:
            if key not in grammar.keys[name]:
                hint = _key_hint(key, name, grammar)
                raise self._refusal(key, f"unknown key {quoted(key, SHOWN)}; {hint}")

    def take(self, name: str, default: T, wanted: str, read: Callable[[Any], T | None]) -> T:
        """The value of a key, as `read` makes it; None from `read` refuses it."""
        if name not in self._entries:
            return default
        try:
            value = read(self._entries[name])
        except (ValueError, Refusal) as problem:
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

    def inner(self, name: str, inside: str = "") -> Table:
        """The table under a key; an empty one where there is none. `inside` is the name, with a dot
        behind it, of a table that it stands in and whose label it keeps."""
        nothing: dict[str, Any] = {}
        label = f"{self._label}{name}: " if inside else f"[{name}] "
        entries = self.take(name, nothing, "a table", a_table)
        return Table(self._grammar, entries, inside + name, label)

    def each(self, name: str, inside: str = "") -> list[Table]:
        """The tables of an array of tables, which may be `inside` another one."""
        nothing: list[dict[str, Any]] = []
        full = inside + name
        entries = self.take(name, nothing, f"written as [[{full}]] tables", _tables)
        return [
            Table(self._grammar, entry, full, f"[[{full}]] number {number + 1}: ", number)
            for number, entry in enumerate(entries)
        ]

    def named(self, name: str, wanted: str, read: Callable[[str], str | None]) -> dict[str, Table]:
        """The tables under a key by their names, [name.one] and [name.two]; `read` is given each
        name, and refuses it with None."""
        nothing: dict[str, Any] = {}
        tables: dict[str, Table] = {}
        entries = self.take(name, nothing, f"written as [{name}.NAME] tables", _named_tables)
        for number, (key, entry) in enumerate(entries.items()):
            shown = clip(visible(key), SHOWN)
            if read(key) is None:
                raise self._refusal(name, f"[{name}.{shown}]: a name is to be {wanted}")
            tables[key] = Table(self._grammar, entry, name, f"[{name}.{shown}] ", number)
        return tables

    def refuse(self, reason: str) -> NoReturn:
        """Raise what is wrong with the table as a whole."""
        raise self._refusal("", reason)

    def _refusal(self, key: str, said: str) -> Refusal:
        return Refusal(f"{self._label}{said}", (*self._place, key))


def _key_hint(key: str, table: str, grammar: Grammar) -> str:
    for other, keys in grammar.keys.items():
        if key in keys:
            # A [table] takes all that follows it, up to the next one: easily forgotten.
            if other:
                return f"it belongs in {grammar.heads[other]}"
            return "it belongs above the first [table]"
    return did_you_mean(key, grammar.keys[table])


def _shown(value: Any) -> str:
    match value:
        case str():
            return quoted(value, SHOWN)
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            parts = ("[...]" if isinstance(part, list) else _shown(part) for part in value)
            return clip(f"[{', '.join(parts)}]", SHOWN)
        case _:
            return str(value)


# One value each: None where it is not of that kind.


def a_table(value: Any) -> dict[str, Any] | None:
    """Any table."""
    return value if isinstance(value, dict) else None


def _tables(value: Any) -> list[dict[str, Any]] | None:
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return value
    return None


def _named_tables(value: Any) -> dict[str, dict[str, Any]] | None:
    if isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values()):
        return value
    return None


def a_text(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def texts(value: Any) -> tuple[str, ...] | None:
    """A list of such texts, which may be empty itself."""
    if isinstance(value, list) and all(isinstance(entry, str) and entry for entry in value):
        return tuple(value)
    return None


def a_truth(value: Any) -> bool | None:
    """True or false."""
    return value if isinstance(value, bool) else None


def an_amount(value: Any) -> float | None:
    """A number above 0."""
    # Neither a bool, nor inf or nan: the comparison refuses both.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9:
        return float(value)
    return None


def a_size(value: Any) -> float | None:
    """A number from 0 on."""
    return 0.0 if value == 0 and not isinstance(value, bool) else an_amount(value)


def a_count(value: Any) -> int | None:
    """An integer above 0."""
    return value if isinstance(value, int) and an_amount(value) is not None else None
