"""Name imported cases, and write the files of their suite. Source: docs/import.md."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.authoring.importing.records import (
    ImportedCase,
    NotImported,
    SuiteLines,
    linked_folders,
)
from harness.authoring.importing.registry import IMPORTERS
from harness.authoring.project_files import schema_line, toml_value
from harness.errors import UsageError, usage_errors
from harness.files import write_new_files
from harness.model.case_names import (
    PACKED_FILE,
    SETTINGS_FILE,
    case_of_file,
    case_order,
    pattern_of,
)
from harness.suites.packed import PackedCase, format_line, own_entries
from harness.suites.settings import CaseRule
from harness.text import escape_nonprintable, to_utf8_text

RECORD_FILE: Final = ".imported.jsonl"  # what was imported: digests, by case
END_OF_SETTINGS: Final = (
    "# End of the imported settings. `xtest import --update` keeps what follows."
)
_PREFIX_WIDTH: Final = 80  # characters of the beginning of a name
_DIGITS: Final = 8  # of the digest that tells two cases of one identity apart
_NAME: Final = re.compile(r"[^\w.+]+")


class ImportedSuite(NamedTuple):
    """A suite as imported: its cases in order, its settings as text, and its other files."""

    form: str
    cases: tuple[PackedCase, ...]
    settings: str
    files: Mapping[str, bytes]
    skipped: tuple[NotImported, ...]

    def record(self) -> bytes:
        """Return the file by which an update tells what was edited since."""
        head = {"format": self.form, "settings": digest(self.settings.encode())}
        files = {name: digest(data) for name, data in self.files.items()}
        lines: list[Any] = [{**head, "files": files}]
        lines += [{"case": case.label, **digests_of(case)} for case in self.cases]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def import_suite(
    form: str, source: Path, to: Path, *, as_pairs: bool = False
) -> tuple[tuple[PackedCase, ...], tuple[NotImported, ...]]:
    """Write a suite; return its cases, and what is not imported. Raises UsageError.

    `form` is a key of `IMPORTERS`. With `as_pairs`, each case is a pair of files.
    """
    suite = read_format(form, source, as_pairs=as_pairs)
    if suite.cases:
        _write_new(to, _suite_files(suite, to, as_pairs=as_pairs))
    return suite.cases, suite.skipped


def read_format(form: str, source: Path, *, as_pairs: bool) -> ImportedSuite:
    """Return the suite of a source. Raises UsageError.

    `as_pairs` means that titles and other settings of cases are in suite.toml, not in their lines.
    """
    with usage_errors(escape_nonprintable(str(source))):
        source.stat()
    cases: list[ImportedCase] = []
    skipped: list[NotImported] = []
    lines: list[SuiteLines] = []
    files: dict[str, bytes] = {}
    for each in IMPORTERS[form].read(source):
        if isinstance(each, ImportedCase):
            cases.append(each)
        elif isinstance(each, NotImported):
            skipped.append(each)
        elif isinstance(each, SuiteLines):
            lines.append(each)
        else:
            files[each.path] = each.data
    skipped += linked_folders(source)
    named = sorted(_name_cases(cases), key=lambda pair: case_order(pair[0].name))
    settings = _settings(form, lines, named, as_pairs=as_pairs)
    packed = tuple(case for case, _ in named)
    return ImportedSuite(form, packed, settings, files, tuple(skipped))


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def digests_of(case: PackedCase) -> dict[str, str]:
    """Return a digest of the two sides of a case, and one of its settings."""
    plain = format_line(case._replace(label="1", own=None))
    own = json.dumps(own_entries(case), sort_keys=True)
    return {"content": digest(plain), "settings": digest(own.encode())}


def _name_cases(cases: Sequence[ImportedCase]) -> Iterator[tuple[PackedCase, ImportedCase]]:
    """Yield each case with its name: its identity in safe characters, and a number.

    If several cases have the same one, each gets a digest of what tells them apart, so that no name
    depends on the cases before it.
    """
    stems = [_stem(case) for case in cases]
    counts = Counter((stem, case.number) for stem, case in zip(stems, cases, strict=True))
    taken = defaultdict[tuple[str, int], int](int)
    for stem, case in zip(stems, cases, strict=True):
        number = case.number
        if counts[stem, number] > 1:
            text = repr((case.identity, case.key or (case.stdin, case.expected)))
            stem = "-".join(filter(None, (stem, digest(to_utf8_text(text).encode())[:_DIGITS])))
            taken[stem, number] += 1
            number += taken[stem, number] - 1
        label = f"{stem}-{number}" if stem else f"{number}"
        keys = ("title", "description", "group", "link")
        texts: dict[str, Any] = {key: to_utf8_text(getattr(case, key)) or None for key in keys}
        tags = tuple(map(to_utf8_text, filter(None, case.tags))) or None
        own = CaseRule((), **texts, tags=tags, any=case.has_several or None)
        has_own = own != CaseRule(())
        yield PackedCase(label, case.stdin, case.expected, own if has_own else None), case


def _stem(case: ImportedCase) -> str:
    text = _NAME.sub("-", case.identity).strip(".-")
    return text[:_PREFIX_WIDTH].rstrip(".-")


def _settings(
    form: str,
    lines: Iterable[SuiteLines],
    named: Sequence[tuple[PackedCase, ImportedCase]],
    *,
    as_pairs: bool,
) -> str:
    """Return the imported part of suite.toml."""
    parts = [f"# Imported by xtest from the {form} format."]
    parts += ["\n".join(each.lines) for each in lines if each.is_top]
    parts += ["\n" + "\n".join(each.lines) for each in lines if not each.is_top]
    by_line: dict[str, list[PackedCase]] = {}
    for packed, case in named:
        for line in case.settings:
            by_line.setdefault(line, []).append(packed)
    by_match: dict[str, list[str]] = {}
    for line, of_line in by_line.items():
        by_match.setdefault(_match_of(of_line, named), []).append(line)
    for match, entries in by_match.items():
        parts.append("\n".join(("\n[[cases]]", f"match = {match}", *entries)))
    for packed, _ in named if as_pairs else ():
        if entries_of := own_entries(packed):
            texts = (f"{name} = {toml_value(value)}" for name, value in entries_of.items())
            match = toml_value(pattern_of(packed.name))
            parts.append("\n".join(("\n[[cases]]", f"match = {match}", *texts)))
    return "\n".join((*parts, "", END_OF_SETTINGS, ""))


def _match_of(cases: Sequence[PackedCase], named: Sequence[tuple[PackedCase, ImportedCase]]) -> str:
    """Return the value of `match` for some cases: a glob if it is exact, otherwise their names."""
    if len(cases) == len(named) > 1:
        return '"*"'
    word = cases[0].label.partition("-")[0]
    alike = sum(packed.label.startswith(f"{word}-") for packed, _ in named)
    same = all(case.label.startswith(f"{word}-") for case in cases)
    if alike == len(cases) > 1 and same and re.fullmatch(r"[A-Za-z_]+", word):
        return f'"{word}-*"'
    patterns = [toml_value(pattern_of(case.name)) for case in cases]
    if len(patterns) == 1:
        return patterns[0]
    return "\n".join(("[", *(f"    {pattern}," for pattern in patterns), "]"))


def _suite_files(suite: ImportedSuite, to: Path, *, as_pairs: bool) -> dict[str, bytes]:
    """Return the files of a new suite by their paths in its folder."""
    settings = f"{schema_line(to / SETTINGS_FILE)}{suite.settings}".encode()
    return {
        **case_files(suite.cases, as_pairs=as_pairs),
        **suite.files,
        SETTINGS_FILE: settings,
        RECORD_FILE: suite.record(),
    }


def case_files(cases: tuple[PackedCase, ...], *, as_pairs: bool) -> dict[str, bytes]:
    """Return the files that hold the cases."""
    if not as_pairs:
        return {PACKED_FILE: b"".join(map(format_line, cases))}
    files = {}
    for case in cases:
        files[f"{case.label}-in.json"] = case.stdin
        files[f"{case.label}-out.json"] = case.expected or b""
    return files


def _write_new(to: Path, files: dict[str, bytes]) -> None:
    where = f"--to {escape_nonprintable(str(to))}"
    with usage_errors(where):
        if to.is_dir() and any(name in files or case_of_file(name) for name in os.listdir(to)):
            raise UsageError(
                f"{where}: already has a suite; choose another folder, or bring it up to date"
                " with --update"
            )
        to.mkdir(parents=True, exist_ok=True)
        for name in files:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
        write_new_files({to / name: data for name, data in files.items()})
