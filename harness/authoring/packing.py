"""Pack the files of a suite into one, and unpack them. Source: docs/import.md.

Output is complete or absent: it is written under a temporary name first.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final
from unicodedata import normalize

from harness.authoring.project_files import toml_value
from harness.errors import CANNOT_WRITE, UsageError, usage_errors
from harness.files import atomic_write, read_regular, temporary_path, write_in
from harness.model.case import InvalidCase
from harness.model.case_names import PACKED_FILE, SETTINGS_FILE, TALK, case_order, pattern_of
from harness.project.subjects import suite_arguments
from harness.suites.cases import file_label, read_case
from harness.suites.discovery import only_suite, resolve_suites
from harness.suites.loading import Suite, read_suite
from harness.suites.packed import (
    PackedCase,
    PackedError,
    PackedFile,
    format_line,
    own_entries,
    why_not_a_file,
    why_not_a_name,
)
from harness.text import escape_nonprintable, pluralize, quote, to_utf8_text

_MOST_FAULTS: Final = 20  # listed one by one


def pack(argument: str, output: Path | None, *, force: bool) -> str:
    """Write a suite's cases to a file, or to standard output if `output` is None.

    Return a message for the user, "" if it would be on standard output. Raises UsageError.
    """
    suite = _only_suite(argument)
    if output is not None:
        _check_file(suite, output, force=force)
    _reject_faults((*(f"{suite.name}: {fault}" for fault in suite.faults), *_case_faults(suite)))
    lines = (format_line(case) for case in _packed_cases(suite))
    if output is None:
        sys.stdout.buffer.writelines(lines)
        return ""
    with _pack_errors(output):
        atomic_write(output, lines, _is_packed)
    cases = pluralize(len(suite.names), "case")
    return f"{escape_nonprintable(suite.name)}: {cases} packed into {_format_path(output)}"


def unpack(argument: str, output: Path, *, force: bool) -> str:
    """Write the cases of a packed file or suite as pairs of files; return a message for the user.

    Raises UsageError.
    """
    path = _packed_path(argument)
    has_files = _check_folder(output, force=force)
    with _pack_errors(path):
        packed = PackedFile(path)
    if not packed:
        raise UsageError(f"{_format_path(path)}: no cases in this file")
    _reject_faults(_line_faults(packed, _format_path(path), for_files=True))
    with _pack_errors(output):
        if has_files:
            for name, data in _distinct(_case_files(packed, path), output):
                write_in(output, name, [data])
        else:
            _write_new(_case_files(packed, path), output)
    cases = pluralize(len(packed), "case")
    return f"{_format_path(path)}: {cases} unpacked into {_format_path(output)}"


def _is_packed(beginning: bytes) -> bool:
    return re.match(rb'\s*\{\s*"(case|in)"', beginning) is not None


def _only_suite(argument: str) -> Suite:
    named = only_suite(resolve_suites(suite_arguments([argument])), argument)
    return read_suite(named.name, named.folder)


def _packed_path(argument: str) -> Path:
    if os.path.isfile(argument):
        return Path(argument)
    suite = _only_suite(argument)
    if suite.packed is None:
        raise UsageError(f"{escape_nonprintable(argument)}: not packed; it has no {PACKED_FILE}")
    return suite.folder / PACKED_FILE


def _check_file(suite: Suite, output: Path, *, force: bool) -> None:
    is_in_suite = os.path.realpath(output.parent) == os.path.realpath(suite.folder)
    if output.name == PACKED_FILE and is_in_suite and suite.packed is None:
        raise UsageError(
            f"{_format_path(output)}: the folder has the cases as files; choose another folder"
        )
    if os.path.lexists(output) and not os.path.isfile(output):
        raise UsageError(f"{_format_path(output)}: not a regular file")
    if os.path.lexists(output) and not force:
        raise UsageError(f"{_format_path(output)}: already exists; --force replaces it")


def _check_folder(output: Path, *, force: bool) -> bool:
    """Return whether the folder exists and has entries. Raises UsageError if it cannot be used."""
    if not os.path.lexists(output):
        return False
    if not os.path.isdir(output):
        raise UsageError(f"{_format_path(output)}: not a folder")
    with _pack_errors(output):
        entries = os.listdir(output)
    if PACKED_FILE in entries:
        raise UsageError(f"{_format_path(output)}: has a {PACKED_FILE}; choose another folder")
    if entries and not force:
        raise UsageError(f"{_format_path(output)}: not empty; --force overwrites files in it")
    return bool(entries)


def _reject_faults(faults: Iterable[str]) -> None:
    """Raise UsageError with the first faults and the number of the others, if there are any."""
    rest = iter(faults)
    listed = list(islice(rest, _MOST_FAULTS))
    more = sum(1 for _ in rest)
    if listed:
        listed += [f"and {pluralize(more, 'more error')}"] if more else []
        raise UsageError(
            "\n       ".join(("nothing was written, because of these errors:", *listed))
        )


def _case_faults(suite: Suite) -> Iterator[str]:
    if suite.packed is not None:
        yield from _line_faults(suite.packed, _format_path(suite.folder / PACKED_FILE))
        return
    for at, name in enumerate(suite.names):
        case = read_case(suite, name, at)
        if isinstance(case, InvalidCase):
            yield f"{escape_nonprintable(f'{suite.name}/{name.text}')}: {case.reason}"
        elif problem := why_not_a_name(file_label(suite, name)):
            yield f"{escape_nonprintable(suite.name)}: {problem}"


def _line_faults(packed: PackedFile, shown: str, *, for_files: bool = False) -> Iterator[str]:
    """Yield the broken lines, and with `for_files` the cases that cannot be files."""
    for index in range(len(packed)):
        where = f"{shown}, line {index + 1:,}"
        try:
            case = packed.read(index)
        except PackedError as problem:
            yield f"{where} {problem}"
        else:
            if for_files and (reason := why_not_a_file(case.label) or _why_no_settings(case)):
                yield f"{where}: {reason}"


def _why_no_settings(case: PackedCase) -> str:
    """Return why no suite.toml can have the settings of a case, or "" if one can."""
    if case.own is None or to_utf8_text(case.label) == case.label:
        return ""
    return f"{quote(case.label)} has settings, which need a name in UTF-8; rename it"


def _packed_cases(suite: Suite) -> Iterator[PackedCase]:
    """Yield the cases in natural order."""
    if suite.packed is not None:
        names = list(suite.packed)
        for at in sorted(range(len(names)), key=lambda at: case_order(names[at])):
            yield suite.packed.read(at)
        return
    for at, name in enumerate(suite.names):
        case = read_case(suite, name, at)
        if isinstance(case, InvalidCase):
            # It was valid a moment ago.
            raise UsageError(f"{escape_nonprintable(name.text)}: {case.reason}")
        label = file_label(suite, name)
        yield PackedCase(label, case.stdin, case.expected_text, is_talk=case.is_talk)


def _case_files(packed: PackedFile, path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the cases and, if lines have settings, the suite.toml with them."""
    tables = []
    for index in range(len(packed)):
        case = packed.read(index)
        yield f"{case.label}{TALK if case.is_talk else '-in.json'}", case.stdin
        if case.expected is not None and not case.is_talk:
            yield f"{case.label}-out.json", case.expected
        if entries := own_entries(case):
            entries = {"match": pattern_of(case.name), **entries}
            lines = (f"{name} = {toml_value(value)}" for name, value in entries.items())
            tables.append("\n".join(("\n[[cases]]", *lines, "")))
    if tables:
        own = path.with_name(SETTINGS_FILE)
        yield (
            SETTINGS_FILE,
            (read_regular(own) if own.is_file() else b"") + "".join(tables).encode(),
        )


def _distinct(files: Iterable[tuple[str, bytes]], folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield files that are written one after another.

    Raises UsageError if the file system takes a name for an earlier one, as those of macOS do.
    """
    earlier: dict[str, str] = {}
    for name, data in files:
        other = earlier.setdefault(normalize("NFC", name).casefold(), name)
        here, there = folder / name, folder / other
        if other != name and os.path.lexists(here) and os.path.samefile(here, there):
            raise UsageError(
                f"{quote(name)} and {quote(other)} are one file in this file system; rename one,"
                " or unpack elsewhere"
            )
        yield name, data


def _write_new(files: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Fill a temporary folder, and rename it when it is complete."""
    part = temporary_path(folder)
    part.mkdir()
    try:
        for name, data in _distinct(files, part):
            (part / name).write_bytes(data)
        os.rename(part, folder)
    except BaseException:  # also after an interruption
        shutil.rmtree(part, ignore_errors=True)
        raise


@contextmanager
def _pack_errors(path: Path) -> Iterator[None]:
    """Turn errors of the system and of lines into a UsageError that names the path."""
    with usage_errors(_format_path(path), CANNOT_WRITE):
        try:
            yield
        except PackedError as problem:
            raise UsageError(f"{_format_path(path)}: a line {problem}") from None


def _format_path(path: Path) -> str:
    return escape_nonprintable(str(path))
