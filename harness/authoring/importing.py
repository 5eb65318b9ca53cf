"""Write imported cases as a packed suite, with a suite.toml. Source: docs/import.md.

To add a format, add a module to importers/ and a line to `IMPORTERS`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.authoring.importers import exercism, folders, json_schema, problem, toml_test
from harness.authoring.importers.common import Imported, ImportedCase, NotTaken
from harness.authoring.init_template import toml_value
from harness.errors import UsageError, usage_errors
from harness.files import write_new_files
from harness.model.case_names import PACKED_FILE, case_order, pattern_of
from harness.project.editor_schemas import schema_line
from harness.suites.names import SETTINGS_FILE
from harness.suites.packed import PackedCase, format_line
from harness.suites.settings import CaseRule
from harness.text import escape_nonprintable

IMPORTERS: Final[dict[str, Callable[[Path], Imported]]] = {
    "folders": folders.read,
    "json-schema": json_schema.read,
    "exercism": exercism.read,
    "toml-test": toml_test.read,
    "problem": problem.read,
}
_EACH: Final = {"json-schema": "/0/*"}  # what counts as one test, in the expected outputs
_PREFIX: Final = 80  # characters of the beginning of a name


def import_suite(form: str, source: Path, to: Path) -> tuple[int, list[NotTaken]]:
    """Write a suite; return the number of its cases, and what was not taken. Raises UsageError."""
    if not source.exists():
        raise UsageError(f"{escape_nonprintable(str(source))}: no such file or folder")
    cases, left = [], []
    for each in IMPORTERS[form](source):
        if isinstance(each, NotTaken):
            left.append(each)
        else:
            cases.append(each)
    if cases:
        named = sorted(_named(cases), key=lambda pair: case_order(pair[0].name))
        lines = b"".join(format_line(packed) for packed, _ in named)
        settings = schema_line(to / SETTINGS_FILE) + "\n".join(_settings(form, named)) + "\n"
        _write(to, {PACKED_FILE: lines, SETTINGS_FILE: settings.encode()})
    return len(cases), left


def _named(cases: Sequence[ImportedCase]) -> Iterator[tuple[PackedCase, ImportedCase]]:
    """Yield each case with its name: a prefix of safe characters, and a number."""
    numbers = Counter[str]()
    for case in cases:
        prefix = re.sub(r"[^\w.+]+", "-", case.prefix).strip(".-")[:_PREFIX].rstrip("-")
        numbers[prefix] += 1
        label = f"{prefix}-{numbers[prefix]}" if prefix else f"{numbers[prefix]}"
        texts = {name: getattr(case, name) or None for name in ("title", "description", "group")}
        own = CaseRule((), **texts) if any(texts.values()) else None
        yield PackedCase(label, case.stdin, case.expected, own), case


def _settings(form: str, named: Sequence[tuple[PackedCase, ImportedCase]]) -> Iterator[str]:
    yield f"# Imported from the format {form} by xtest."
    if form in _EACH:
        yield from ("", "[assertions]", f"each = {toml_value(_EACH[form])}")
    for packed, case in named:
        lines = ['input = "raw"'] * case.raw + ['exit = "nonzero"'] * case.fails
        if lines:
            yield ""
            yield from ("[[cases]]", f"match = {toml_value(pattern_of(packed.name))}", *lines)


def _write(to: Path, files: dict[str, bytes]) -> None:
    where = f"--to {escape_nonprintable(str(to))}"
    with usage_errors(where):
        try:
            to.mkdir(parents=True, exist_ok=True)
            write_new_files({to / name: data for name, data in files.items()})
        except FileExistsError:
            raise UsageError(f"{where}: has a suite; choose another folder") from None
