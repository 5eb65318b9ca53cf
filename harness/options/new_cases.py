"""Add a case to a suite: find the suite and a free name, write the files and settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.authoring.new_case import next_name
from harness.errors import UsageError, os_reason
from harness.files import read_regular, test_cases_folder, write_in, write_new_files
from harness.model.case_names import PACKED_FILE, SETTINGS_FILE, CaseName
from harness.model.events import Diagnostic
from harness.options import messages
from harness.options.command import refuse_installed
from harness.project.subjects import suite_arguments
from harness.suites.discovery import holds_cases, only_suite, resolve_suites
from harness.suites.loading import CorpusError, Suite, corpus_errors, read_settings, read_suite
from harness.suites.strays import stray_messages
from harness.text import escape_nonprintable, shell_line
from harness.tomlio.tables import TomlError, parse_toml


@contextmanager
def suite_to_extend(argument: str) -> Iterator[Suite]:
    """Provide the suite of an argument, or a new one in a new folder, which does not stay if
    nothing was written. Raises UsageError."""
    is_new = _create(argument)
    try:
        yield find_suite(argument)
    finally:
        if is_new:
            with suppress(OSError):
                os.rmdir(argument)


def _create(folder: str) -> bool:
    """Create the folder of a new suite; return whether there was none. Raises UsageError."""
    if os.path.lexists(folder) or os.path.isdir(test_cases_folder() / folder):
        return False
    try:
        os.makedirs(folder)
    except OSError as problem:
        raise UsageError(f"{escape_nonprintable(folder)}: {os_reason(problem)}") from None
    return True


def find_suite(argument: str) -> Suite:
    """Return the suite of an argument; a folder without cases is a new suite. Raises UsageError."""
    try:
        suites = resolve_suites(suite_arguments([argument]))
    except CorpusError as problem:
        if os.path.isdir(argument):
            return _new_suite(os.path.basename(os.path.abspath(argument)), Path(argument))
        if not argument or os.path.lexists(argument):
            raise
        new = shell_line(("mkdir", argument))
        raise UsageError(f"{problem}; for a new suite: {new}") from None
    name, folder, _ = only_suite(suites, argument)
    if not holds_cases(os.listdir(folder)):
        return _new_suite(name, folder)
    refuse_installed(name, folder)
    suite = read_suite(name, folder)
    messages.print_problems(Diagnostic(name, fault) for fault in stray_messages(suite.strays))
    if suite.packed is not None:
        raise UsageError(
            f"{escape_nonprintable(argument)}: a case cannot be added to {PACKED_FILE}; unpack its"
            " cases, add the new one, and pack them again"
        )
    return suite


def _new_suite(name: str, folder: Path) -> Suite:
    with corpus_errors():
        return Suite(name, folder, read_settings(folder), {})


def free_name(suite: Suite, prefix: str) -> tuple[CaseName, str]:
    """Return the next name with a prefix, and the start of its file names. Raises UsageError."""
    labels = [file.rpartition("-")[0] for files in suite.files.values() for file in files]
    return next_name(prefix, suite.names, labels)


def write_case(folder: Path, files: Mapping[str, bytes]) -> None:
    """Create the files of a case, all or none. Raises UsageError."""
    try:
        write_new_files({folder / name: data for name, data in files.items()})
    except OSError as problem:
        # Not `filename`, a temporary file.
        where = problem.filename2 or folder / next(iter(files))
        shown = escape_nonprintable(str(where))
        raise UsageError(f"not written: {shown}: {os_reason(problem)}") from None


def add_settings(folder: Path, lines: Sequence[str]) -> bool:
    """Add lines to suite.toml, or print a note that this failed. Return whether it was done."""
    path = folder / SETTINGS_FILE
    try:
        before = read_regular(path).decode() if path.exists() else ""
        text = "\n".join([*([before.rstrip("\n"), ""] if before else []), *lines, ""])
        parse_toml(text.encode())
        write_in(path.parent, path.name, [text.encode()])
    except (OSError, UnicodeError, TomlError):
        messages.print_note(
            f"{SETTINGS_FILE} could not be extended; add the lines above, or the case fails"
        )
        return False
    return True
