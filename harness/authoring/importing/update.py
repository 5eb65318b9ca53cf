"""Bring an imported suite up to date with its source, and keep what was edited since.

A record of digests, written by each import, tells edits from changes of the source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.authoring.importing.records import NotImported
from harness.authoring.importing.suite import (
    END_OF_SETTINGS,
    RECORD_FILE,
    ImportedSuite,
    case_files,
    digest,
    digests_of,
    read_format,
)
from harness.authoring.project_files import schema_line, toml_value
from harness.errors import CANNOT_WRITE, UsageError, usage_errors
from harness.files import atomic_write, read_regular
from harness.model.case_names import PACKED_FILE, SETTINGS_FILE, case_order, pattern_of
from harness.suites.packed import PackedCase, PackedError, parse_line, why_not_a_file
from harness.text import escape_nonprintable

_Cases = dict[str, PackedCase]
_Record = Mapping[str, Mapping[str, str]]  # the digests of each case, by its name


class Change(NamedTuple):
    """The effect of an update on a case or a file: "added", "changed", "renamed", "removed" or
    "kept"."""

    kind: str
    case: str
    note: str = ""


def update_suite(
    form: str, source: Path, to: Path
) -> tuple[tuple[PackedCase, ...], list[Change], tuple[NotImported, ...]]:
    """Update a suite; return its cases, the changes, and what is not imported.

    Raises UsageError.
    """
    where = f"--to {escape_nonprintable(str(to))}"
    with usage_errors(where):
        head, record = _read_record(to, form, where)
        as_pairs = not (to / PACKED_FILE).exists()
        old = _read_pairs(to, record) if as_pairs else _read_packed(to, where)
    new = read_format(form, source, as_pairs=as_pairs)
    if not new.cases:
        raise UsageError(f"{escape_nonprintable(str(source))}: contains no cases to import")
    changes: list[Change] = []
    renamed = dict(_renamed(record, new))
    merged = _merge(old, record, new, renamed, changes)
    settings = _merge_settings(to, head, new, renamed, changes)
    files = dict(_merge_files(to, head["files"], new.files, changes))
    files |= {SETTINGS_FILE: settings, RECORD_FILE: new.record()}
    left = {*head["files"], *(case_files(tuple(old.values()), as_pairs=True) if as_pairs else ())}
    with usage_errors(where, CANNOT_WRITE):
        _write(to, {**case_files(merged, as_pairs=as_pairs), **files}, left)
    return merged, changes, new.skipped


def _read_record(to: Path, form: str, where: str) -> tuple[dict[str, Any], _Record]:
    try:
        lines = read_regular(to / RECORD_FILE).splitlines()
        head, *cases = map(json.loads, lines)
        if head["format"] == form:
            return head, {each.pop("case"): each for each in cases}
        reason = f"was imported from the {head['format']} format"
    except FileNotFoundError:
        reason = f"has no {RECORD_FILE}, which an import writes; import into a new folder"
    except (ValueError, KeyError, TypeError):
        reason = f"{RECORD_FILE} is broken; import into a new folder"
    raise UsageError(f"{where}: {reason}")


def _read_packed(to: Path, where: str) -> _Cases:
    cases = {}
    for number, line in enumerate(read_regular(to / PACKED_FILE).splitlines(), 1):
        try:
            case = parse_line(line)
        except PackedError as problem:
            raise UsageError(f"{where}: {PACKED_FILE}, line {number:,} {problem}") from None
        cases[case.label] = case
    return cases


def _read_pairs(to: Path, record: Iterable[str]) -> _Cases:
    cases = {}
    for label in record:
        if why_not_a_file(label):  # a record may come from somebody else
            continue
        sides = (to / f"{label}-in.json", to / f"{label}-out.json")
        if all(side.exists() for side in sides):
            stdin, expected = map(read_regular, sides)
            cases[label] = PackedCase(label, stdin, expected)
    return cases


def _renamed(record: _Record, new: ImportedSuite) -> Iterator[tuple[str, str]]:
    """Yield the old and the new name of each case that has the same content under another name."""
    names = {case.label for case in new.cases}
    waiting: dict[str, list[str]] = {}
    for label, digests in record.items():
        if label not in names:
            waiting.setdefault(digests["content"], []).append(label)
    for case in new.cases:
        if case.label not in record and (labels := waiting.get(digests_of(case)["content"])):
            yield labels.pop(0), case.label


def _merge(
    old: _Cases,
    record: _Record,
    new: ImportedSuite,
    renamed: Mapping[str, str],
    changes: list[Change],
) -> tuple[PackedCase, ...]:
    """Return the cases of the updated suite, in order, and append what changes."""
    former = {label: before for before, label in renamed.items()}
    merged: _Cases = {}
    for case in new.cases:
        before = former.get(case.label, case.label)
        if before not in record:
            if case.label in old:
                changes.append(Change("kept", case.label, "a case of your own has this name"))
            else:
                changes.append(Change("added", case.label))
            merged[case.label] = old.get(case.label, case)
            continue
        if before != case.label:
            changes.append(Change("renamed", before, f"to {case.label}"))
        if before in old:
            merged[case.label] = _merge_case(old[before], record[before], case, changes)
        else:
            changes.append(Change("kept", case.label, "removed here, and left out"))
    names = set(renamed) | {case.label for case in new.cases}
    for label, case in old.items():
        if label in names:
            continue
        if label in record and not _edited(case, record[label]):
            changes.append(Change("removed", label))
        else:
            merged[label] = case
            if label in record:
                changes.append(Change("kept", label, "removed from the source, but edited here"))
    return tuple(sorted(merged.values(), key=lambda case: case_order(case.name)))


def _merge_case(
    old: PackedCase, base: Mapping[str, str], new: PackedCase, changes: list[Change]
) -> PackedCase:
    """Return a case with the edits made here, and otherwise as in the source."""
    mine, theirs, edited = digests_of(old), digests_of(new), _edited(old, base)
    parts = [part for part in base if theirs[part] != base[part]]
    if conflicts := [part for part in parts if part in edited]:
        note = f"its {' and '.join(conflicts)} changed in the source, but edited here"
        changes.append(Change("kept", new.label, note))
    elif any(theirs[part] != mine[part] for part in parts):
        changes.append(Change("changed", new.label, f"its {' and '.join(parts)}"))
    sides = old if "content" in edited else new
    own = old.own if "settings" in edited else new.own
    return PackedCase(new.label, sides.stdin, sides.expected, own)


def _edited(case: PackedCase, base: Mapping[str, str]) -> list[str]:
    """Return which parts of a case differ from what was imported.

    A pair of files has no settings of its own; those in suite.toml are compared as a whole.
    """
    mine = digests_of(case)
    return [
        part
        for part, value in base.items()
        if mine[part] != value and (part == "content" or case.own is not None)
    ]


def _merge_settings(
    to: Path,
    head: Mapping[str, Any],
    new: ImportedSuite,
    renamed: Mapping[str, str],
    changes: list[Change],
) -> bytes:
    """Return suite.toml with the new imported part, and with new names in the rest."""
    path = to / SETTINGS_FILE
    text = read_regular(path).decode() if path.exists() else ""
    start = schema_line(path)
    imported, mark, rest = text.removeprefix(start).partition(f"{END_OF_SETTINGS}\n")
    if digest(f"{imported}{mark}".encode()) == head["settings"]:
        imported = new.settings.removesuffix(mark)
    else:
        changes.append(Change("kept", SETTINGS_FILE, "its imported part was edited here"))
    return f"{start}{imported}{mark}{_with_new_names(rest, renamed)}".encode()


def _with_new_names(text: str, renamed: Mapping[str, str]) -> str:
    """Return TOML in which strings that are the pattern of a renamed case have its new name."""
    patterns = {_pattern(old): _pattern(new) for old, new in renamed.items()}
    strings = r'"(?:[^"\\\n]|\\.)*"'
    return re.sub(strings, lambda found: patterns.get(found[0], found[0]), text)


def _pattern(label: str) -> str:
    return toml_value(pattern_of(PackedCase(label, b"", None).name))


def _merge_files(
    to: Path, former: Mapping[str, str], new: Mapping[str, bytes], changes: list[Change]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files to write; those that were edited since the import are kept."""
    for name, data in new.items():
        current = read_regular(to / name) if (to / name).is_file() else None
        changed = digest(data) != former.get(name)
        if current is not None and digest(current) not in (former.get(name), digest(data)):
            if changed:
                changes.append(Change("kept", name, "it was edited, and the source changed, too"))
            yield name, current
        else:
            if changed:
                changes.append(Change("changed" if name in former else "added", name))
            yield name, data
    for name in former.keys() - new.keys():
        changes.append(Change("removed", name))


def _write(to: Path, files: Mapping[str, bytes], former: set[str]) -> None:
    """Write the files that differ from those in a folder, and remove former ones."""
    for name in former - set(files):
        if (to / name).resolve().is_relative_to(to.resolve()):  # the record may be somebody else's
            (to / name).unlink(missing_ok=True)
    for name, data in files.items():
        path = to / name
        if not path.is_file() or read_regular(path) != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, [data])
