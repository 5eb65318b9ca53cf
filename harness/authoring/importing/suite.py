"""Name imported cases, and make the files of their suite."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from harness.authoring.importing.records import (
    ImportedCase,
    Importer,
    NotImported,
    SuiteLines,
)
from harness.authoring.project_files import toml_value
from harness.model.case_names import case_order, pattern_of
from harness.suites.packed import PackedCase, format_line, own_entries
from harness.suites.settings import CaseRule
from harness.text import to_utf8_text

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


def read_source(importer: Importer, source: Path, *, as_pairs: bool) -> ImportedSuite:
    """Return the suite of a source. Raises UsageError.

    `as_pairs` means that titles and other settings of cases are in suite.toml, not in their lines.
    """
    cases: list[ImportedCase] = []
    skipped: list[NotImported] = []
    lines: list[SuiteLines] = []
    files: dict[str, bytes] = {}
    for each in importer.read(source):
        if isinstance(each, ImportedCase):
            cases.append(each)
        elif isinstance(each, NotImported):
            skipped.append(each)
        elif isinstance(each, SuiteLines):
            lines.append(each)
        else:
            files[each.path] = each.data
    named = sorted(_name_cases(cases), key=lambda pair: case_order(pair[0].name))
    settings = _settings(importer.name, lines, named, as_pairs=as_pairs)
    packed = tuple(case for case, _ in named)
    return ImportedSuite(importer.name, packed, settings, files, tuple(skipped))


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
