"""Read TOML tables by declaration: each key has a type, and unknown keys are rejected with a hint.

A `TableSchema` declares the keys of a table and the record made of them. The reader, the messages
and the settings that a fingerprint covers follow from it; tests hold the JSON Schemas in schemas/
and the key tables in docs/ to it.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from harness.text import (
    did_you_mean,
    escape_nonprintable,
    quote,
    shorten,
    shorten_to_width,
    truncate_to_width,
)
from harness.tomlio.syntax_errors import explain_syntax_error

MAX_SHOWN: Final = 60  # characters of a value in a message
_REASON: Final = 400  # characters of another module's message
_INTEGER_BITS: Final = 63  # of TOML, with a sign besides
CEILING: Final = 1e9  # every number is below this
# The size of a unit in a text, by the unit that ends the name of a key.
_UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "s": {"": 1, "s": 1, "sec": 1, "ms": 0.001, "min": 60, "h": 3600},
    "mib": {"": 1, "m": 1, "mb": 1, "mib": 1, "g": 1024, "gb": 1024, "gib": 1024},
}

# The dotted name of a table, its index among the tables of that name, and a key.
TomlPlace = tuple[str, int, str]
Record = TypeVar("Record")


class TomlError(ValueError):
    """A mistake in a TOML file; `place` is as exact as known."""

    def __init__(self, message: str, place: TomlPlace = ("", 0, "")) -> None:
        super().__init__(message)
        self.place = place


class ValueType(NamedTuple):
    """A type of value: its reader, the words after "must be", and its JSON Schema.

    `read` returns None for a value of another type; to say more, it raises ValueError.
    """

    read: Callable[[Any], Any]
    expected: str
    schema: Mapping[str, Any]


class Key(NamedTuple):
    """A key of a table.

    A key with `affects_outcome` invalidates remembered results when it changes. `field` is the
    record's field where it is not named like the key. `move` returns a value whose files, relative
    to one folder, are moved to another, by a function of their names.
    """

    name: str
    type: ValueType
    description: str
    affects_outcome: bool = True
    required: bool = False
    field: str = ""
    inherited: bool = True
    move: Callable[[Any, Callable[[str], str]], Any] | None = None


class TableForm(Enum):
    """The header of a table; {} stands for its dotted name."""

    SINGLE = "[{}]"
    ARRAY = "[[{}]]"
    NAMED = "[{}.NAME]"


class TableSchema(NamedTuple):
    """A table, its keys, and the record made of them.

    `record` is called with the keys that are present, by field, and with `name` for a named table;
    a missing key has the record's own default. `check` returns what is wrong with a record, or "".
    `constraints` are keywords of the JSON Schema that say the same as `check`. `hints` are for keys
    of other files, by name.
    """

    name: str
    record: Callable[..., Any]
    description: str
    keys: tuple[Key | TableSchema, ...]
    form: TableForm = TableForm.SINGLE
    affects_outcome: bool = True
    field: str = ""
    check: Callable[[Any], str] | None = None
    constraints: Mapping[str, Any] = MappingProxyType({})
    name_type: ValueType | None = None  # of the names of named tables
    hints: Mapping[str, str] = MappingProxyType({})
    inherited: bool = True


def parse_toml(text: bytes, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the top table of a TOML file. Raises TomlError."""
    if text.startswith(BOM_UTF8):
        raise TomlError("begins with a byte order mark; save it as UTF-8 without one")
    # 5 ms, and many runs read no TOML.
    import tomllib  # pylint: disable=import-outside-toplevel

    try:
        return tomllib.loads(text.decode(), parse_float=parse_float)
    except UnicodeDecodeError as problem:
        raise TomlError(f"not UTF-8 at byte {problem.start}") from None
    except RecursionError:
        raise TomlError("not TOML: nested too deeply") from None
    except ValueError as problem:  # bad TOML, or an integer of more digits than int() takes
        reason = explain_syntax_error(text.decode(), str(problem))
        raise TomlError(f"not TOML: {shorten(reason, 200)}") from None


def read_document(schema: TableSchema, entries: Mapping[str, Any]) -> Any:
    """Return the record of a top table. Raises TomlError for the first mistake."""
    return _read_record(schema, schema, entries, _Location("", 0, ""))


def outcome_settings(schema: TableSchema, record: Record) -> Record:
    """Return a record with every key that cannot change an outcome reset to its default.

    Tables of an array that set no other key are left out.
    """
    defaults: Mapping[str, Any] = getattr(record, "_field_defaults")
    changes: dict[str, Any] = {}
    for key in schema.keys:
        field = key.field or key.name
        value = getattr(record, field)
        if not key.affects_outcome:
            changes[field] = defaults[field]
        elif isinstance(key, TableSchema) and key.form is TableForm.ARRAY:
            reset = (outcome_settings(key, each) for each in value)
            changes[field] = tuple(each for each in reset if _sets_optional_key(key, each))
        elif isinstance(key, TableSchema) and hasattr(value, "_replace"):  # a record
            changes[field] = outcome_settings(key, value)
    replaced: Record = getattr(record, "_replace")(**changes)
    return replaced


def _sets_optional_key(table: TableSchema, record: Record) -> bool:
    defaults: Mapping[str, Any] = getattr(record, "_field_defaults")
    fields = (key.field or key.name for key in table.keys)
    return any(getattr(record, name) != defaults[name] for name in fields if name in defaults)


def inherited_part(table: TableSchema) -> TableSchema:
    """Return a table without the keys that others do not inherit, at any depth."""
    own = [key.name for key in table.keys if not key.inherited]
    keys = (
        inherited_part(key) if isinstance(key, TableSchema) else key
        for key in table.keys
        if key.name not in own
    )
    hints = dict.fromkeys(own, "it is not inherited, so set it in each suite")
    return table._replace(keys=tuple(keys), hints=hints)


def inherited_entries(
    inherited: TableSchema, entries: Mapping[str, Any], move: Callable[[str], str]
) -> dict[str, Any]:
    """Return the entries of a valid table that others inherit.

    `move` returns the new name of a file that they name.
    """
    kept: dict[str, Any] = {}
    for key in inherited.keys:
        if key.name not in entries:
            continue
        value = entries[key.name]
        if isinstance(key, Key):
            kept[key.name] = value if key.move is None else key.move(value, move)
        elif key.form is TableForm.SINGLE:
            kept[key.name] = inherited_entries(key, value, move)
        else:
            kept[key.name] = [inherited_entries(key, each, move) for each in value]
    return kept


def merge_entries(
    table: TableSchema, outer: Mapping[str, Any], inner: Mapping[str, Any]
) -> dict[str, Any]:
    """Return two tables as one, key by key: inner ones win, and are added to arrays of tables."""
    merged = {**outer, **inner}
    for key in table.keys:
        if isinstance(key, TableSchema) and key.name in outer and key.name in inner:
            one, other = outer[key.name], inner[key.name]
            is_single = key.form is TableForm.SINGLE
            merged[key.name] = merge_entries(key, one, other) if is_single else [*one, *other]
    return merged


def walk_tables(
    table: TableSchema, path: str = "", header: str = ""
) -> Iterator[tuple[str, str, TableSchema]]:
    """Yield the dotted name and header of a table and of those in it; the top has neither."""
    yield path, header, table
    for key in table.keys:
        if isinstance(key, TableSchema):
            own_header = key.form.value.format(_dotted(header.strip("[]"), key.name))
            yield from walk_tables(key, _dotted(path, key.name), own_header)


class _Location(NamedTuple):
    """A table in a file: its dotted name, its index among tables of that name, and the `label` with
    which messages about it begin.

    A mistake in a table of an array element is located at `inside`, the key of that element.
    """

    path: str
    number: int
    label: str
    inside: TomlPlace | None = None

    def error(self, key: str, message: str) -> TomlError:
        """Return the error at a key of the table, or at the table itself."""
        return TomlError(f"{self.label}{message}", self.inside or (self.path, self.number, key))


def _read_record(
    root: TableSchema,
    table: TableSchema,
    entries: Mapping[str, Any],
    location: _Location,
    **named: str,
) -> Any:
    names = [key.name for key in table.keys]
    for name in entries:
        if name not in names:
            hint = _key_hint(root, table, entries, name, _owner(location))
            raise location.error(name, f"unknown key {quote(name)}; {hint}")
    values: dict[str, Any] = dict(named)
    for key in table.keys:
        field = key.field or key.name
        if key.name not in entries:
            if isinstance(key, Key) and key.required:
                raise location.error(
                    key.name, f"{key.name} is missing; it must be {key.type.expected}"
                )
        elif isinstance(key, Key):
            values[field] = _read_value(key, entries[key.name], location)
        else:
            read = _read_single_table if key.form is TableForm.SINGLE else _read_table_list
            values[field] = read(root, key, entries[key.name], location)
    record = table.record(**values)
    problem = table.check(record) if table.check is not None else ""
    if problem:
        raise location.error("", shorten(problem, _REASON))
    return record


def _missing_key(table: TableSchema, entries: Mapping[str, Any], unknown: str) -> str:
    """Return the required key that an unknown one, by its value, may stand for, or ""."""
    for key in table.keys:
        if isinstance(key, Key) and key.required and key.name not in entries:
            if _reads(key, entries[unknown]):
                return key.name
    return ""


def _read_value(key: Key, entry: Any, location: _Location) -> Any:
    try:
        value = key.type.read(entry)
    except ValueError as problem:
        reason = shorten(str(problem), 200)
        raise location.error(key.name, f"{key.name}: {reason}") from None
    if value is None:
        raise _wrong_type(key.name, key.type.expected, entry, location, _corrected(key, entry))
    return value


def _corrected(key: Key, entry: Any) -> str:
    """Return how a text should be written: as a list of one, or as a number without its unit."""
    if not isinstance(entry, str) or not entry.strip():
        return ""
    if _reads(key, [entry]):
        return f"[{_format_value(entry)}]"
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?) ?([A-Za-z]*)", entry)
    unit = match and _UNITS.get(key.name.rpartition("_")[2], {"": 1.0}).get(match[2].lower())
    number = float(match[1]) * unit if match and unit else 0.0
    is_right = _reads(key, int(number) if number == int(number) else number)
    return f"{number:.12g}" if number and is_right else ""


def _reads(key: Key, value: Any) -> bool:
    with suppress(ValueError):
        return key.type.read(value) is not None
    return False


def _read_single_table(
    root: TableSchema, table: TableSchema, entry: Any, location: _Location
) -> Any:
    path = _dotted(location.path, table.name)
    if not isinstance(entry, dict):
        own = "" if location.path else f", [{path}] and its keys"
        raise _wrong_type(table.name, f"a table{own}", entry, location)
    label = f"{location.label}{table.name}: " if location.path else f"[{path}] "
    place = _Location(path, 0, label, location.inside)
    if "[[" in location.label:
        place = place._replace(
            inside=location.inside or (location.path, location.number, table.name)
        )
    return _read_record(root, table, entry, place)


def _read_table_list(
    root: TableSchema, table: TableSchema, entry: Any, location: _Location
) -> tuple[Any, ...]:
    path, header = _dotted(location.path, table.name), _header(table, location)
    is_array = table.form is TableForm.ARRAY
    tables = entry.values() if isinstance(entry, dict) else entry
    is_right_type = isinstance(entry, list if is_array else dict)
    if not is_right_type or not all(isinstance(each, dict) for each in tables):
        raise _wrong_type(table.name, f"written as {header} tables", entry, location)
    records = []
    for number, item in enumerate(entry):  # a table of an array, or the name of a table
        label = f"{header} number {number + 1}: "
        if not is_array:
            label = _name_label(table, path, item, location)
        place = _Location(path, number, label, location.inside)
        named = {} if is_array else {"name": item}
        records.append(_read_record(root, table, item if is_array else entry[item], place, **named))
    return tuple(records)


def _header(table: TableSchema, location: _Location) -> str:
    """Return the header of a table: [[subjects.ada.skip]] inside [subjects.ada]."""
    return table.form.value.format(_dotted(_owner(location), table.name))


def _owner(location: _Location) -> str:
    """Return the name of the table at a location: subjects.ada, or cases for any [[cases]]."""
    is_named = re.fullmatch(r"\[[^\[].*\] ", location.label)
    return location.label[1:-2] if is_named else location.path


def _name_label(table: TableSchema, path: str, name: str, location: _Location) -> str:
    shown = shorten_to_width(name, MAX_SHOWN)
    if table.name_type is not None and table.name_type.read(name) is None:
        message = f"[{path}.{shown}]: the name must be {table.name_type.expected}"
        raise location.error(table.name, message)
    return f"[{path}.{shown}] "


def _wrong_type(
    name: str, expected: str, entry: Any, location: _Location, corrected: str = ""
) -> TomlError:
    hint = f"; write {name} = {corrected}" if corrected else ""
    return location.error(name, f"{name} must be {expected}, not {_format_value(entry)}{hint}")


def _dotted(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _key_hint(
    root: TableSchema, table: TableSchema, entries: Mapping[str, Any], name: str, owner: str
) -> str:
    """Return where an unknown key of a table belongs: first in a table inside that one."""
    if name in table.hints:
        return table.hints[name]
    known = [key.name for key in table.keys]
    if f"{name}s" in known:
        return did_you_mean(name, known)
    own_header = f"[{owner}]" if owner else ""
    elsewhere: dict[str, str] = {}  # keys of other tables, and where they belong
    for _, header, each in chain(walk_tables(table, owner, own_header), walk_tables(root)):
        for key in each.keys:
            # A [table] takes every key that follows it, up to the next one: easily forgotten.
            place = f"in {header}" if header else "above the first [table]"
            if isinstance(key, TableSchema):
                key_header = key.form.value.format(_dotted(header.strip("[]"), key.name))
                place = f"in a table of its own, {key_header}"
            elsewhere.setdefault(key.name, place)
    if name in elsewhere:
        return f"it belongs {elsewhere[name]}"
    missing = _missing_key(table, entries, name)
    if missing and not get_close_matches(name, known, n=1):
        return f'did you mean "{missing}", which is missing?'
    near = get_close_matches(name, elsewhere, n=1, cutoff=0.8)
    if near and near[0] not in known:
        return f'did you mean "{near[0]}"? It belongs {elsewhere[near[0]]}'
    return did_you_mean(name, known)


def _format_value(value: Any) -> str:
    match value:
        case str():
            return quote(value)
        case bool():
            return "true" if value else "false"
        case dict():
            pairs = (
                f"{escape_nonprintable(name)} = "
                f"{'...' if isinstance(part, dict | list) else _format_value(part)}"
                for name, part in value.items()
            )
            return truncate_to_width(f"{{ {', '.join(pairs)} }}", MAX_SHOWN) if value else "{}"
        case list():
            parts = ("[...]" if isinstance(part, list) else _format_value(part) for part in value)
            return truncate_to_width(f"[{', '.join(parts)}]", MAX_SHOWN)
        case int() if value.bit_length() > _INTEGER_BITS:
            return "a number of more than 64 bits"
        case _:
            return str(value)


# Types of values.


def string(value: Any) -> str | None:
    """Return a non-empty string, or None."""
    return value if isinstance(value, str) and value else None


def strings(value: Any) -> tuple[str, ...] | None:
    """Return the non-empty strings of a list, or None; the list may be empty."""
    if isinstance(value, list) and all(isinstance(entry, str) and entry for entry in value):
        return tuple(value)
    return None


def _positive_number(value: Any) -> float | None:
    # The comparison rejects inf and nan.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < CEILING:
        return float(value)
    return None


def choice(members: type[Enum]) -> ValueType:
    """Return the type of the values of an Enum, all strings."""
    known = {member.value: member for member in members}
    *others, last = (f'"{value}"' for value in known)
    return ValueType(
        lambda value: known.get(value) if isinstance(value, str) else None,
        f"{', '.join(others)} or {last}",
        {"enum": list(known)},
    )


def table_schema(members: Mapping[str, Any], **keywords: Any) -> dict[str, Any]:
    """Return the JSON Schema of an inline table with only these members."""
    return {"type": "object", "properties": members, **keywords, "additionalProperties": False}


_STRING_SCHEMA: Final = {"type": "string", "minLength": 1}
_ABOVE_0: Final = {"exclusiveMinimum": 0, "exclusiveMaximum": int(CEILING)}

STRING: Final = ValueType(string, "a non-empty string", _STRING_SCHEMA)
STRINGS: Final = ValueType(
    strings, "a list of non-empty strings", {"type": "array", "items": _STRING_SCHEMA}
)
BOOLEAN: Final = ValueType(
    lambda value: value if isinstance(value, bool) else None, "true or false", {"type": "boolean"}
)
POSITIVE_NUMBER: Final = ValueType(
    _positive_number, "a number above 0 and below 1e9", {"type": "number", **_ABOVE_0}
)
NON_NEGATIVE_NUMBER: Final = ValueType(
    lambda value: 0.0 if value == 0 and value is not False else _positive_number(value),
    "a number from 0 up to 1e9",
    {"type": "number", "minimum": 0, "exclusiveMaximum": int(CEILING)},
)
POSITIVE_INTEGER: Final = ValueType(
    lambda value: value if isinstance(value, int) and _positive_number(value) else None,
    "an integer above 0 and below 1e9",
    {"type": "integer", **_ABOVE_0},
)
