"""Write imported suites into new folders. Source: docs/import.md."""

from __future__ import annotations

import os
from pathlib import Path

from harness.authoring.importing.records import NotImported
from harness.authoring.importing.registry import IMPORTERS
from harness.authoring.importing.suite import RECORD_FILE, ImportedSuite, read_source
from harness.authoring.project_files import schema_line
from harness.errors import UsageError, usage_errors
from harness.files import write_new_files
from harness.model.case_names import PACKED_FILE, case_of_file
from harness.suites.names import SETTINGS_FILE
from harness.suites.packed import PackedCase, format_line
from harness.text import escape_nonprintable


def import_suite(
    form: str, source: Path, to: Path, *, as_pairs: bool = False
) -> tuple[int, tuple[NotImported, ...]]:
    """Write a suite; return the number of its cases, and what is not imported. Raises UsageError.

    `form` is a key of `IMPORTERS`. With `as_pairs`, each case is a pair of files.
    """
    suite = read_format(form, source, as_pairs=as_pairs)
    if suite.cases:
        _write_new(to, suite_files(suite, to, as_pairs=as_pairs))
    return len(suite.cases), suite.skipped


def read_format(form: str, source: Path, *, as_pairs: bool) -> ImportedSuite:
    """Return what a source holds. Raises UsageError."""
    with usage_errors(escape_nonprintable(str(source))):
        source.stat()
    return read_source(IMPORTERS[form], source, as_pairs=as_pairs)


def suite_files(suite: ImportedSuite, to: Path, *, as_pairs: bool) -> dict[str, bytes]:
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
