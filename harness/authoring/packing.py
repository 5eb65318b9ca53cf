"""Pack the files of a suite into one, and unpack them. Source: docs/packed.md.

Output is complete or absent: it is written under a temporary name first.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from harness.errors import UsageError
from harness.files import atomic_write, temporary_path
from harness.model.case import InvalidCase
from harness.model.case_names import PACKED_FILE
from harness.suites.cases import file_label, read_case
from harness.suites.discovery import find_all
from harness.suites.loading import Suite, read_suite
from harness.suites.packed import PackedCase, PackedError, PackedFile, format_line
from harness.text import escape_nonprintable, pluralize

__all__ = ["PackError", "pack", "unpack"]

_MOST_FAULTS: Final = 20  # listed one by one


class PackError(UsageError):
    """A request that cannot be fulfilled, or would overwrite something."""


def pack(argument: str, bundled: Path, output: Path | None, *, force: bool) -> str:
    """Write a suite's cases as lines to a file, or to standard output if None; return a message.

    Raises UsageError.
    """
    suite = _only_suite(argument, bundled)
    if suite.packed is not None:
        raise PackError(f"{escape_nonprintable(argument)}: already packed, in {PACKED_FILE}")
    if output is not None:
        _check_file(suite, output, force=force)
    _reject_faults((*(f"{suite.name}: {fault}" for fault in suite.faults), *_broken(suite)))
    lines = (format_line(case) for case in _cases(suite))
    if output is None:
        sys.stdout.buffer.writelines(lines)
        return ""
    with _pack_errors(output):
        atomic_write(output, lambda file: file.writelines(lines))
    cases = pluralize(len(suite.files), "case")
    return f"{escape_nonprintable(suite.name)}: {cases} packed in {_format_path(output)}"


def unpack(argument: str, bundled: Path, output: Path, *, force: bool) -> str:
    """Write the cases of a packed file or suite as pairs of files into a folder; return a message.

    Raises UsageError.
    """
    path = _packed_path(argument, bundled)
    has_files = _check_folder(output, force=force)
    with _pack_errors(path):
        packed = PackedFile(path)
    if not packed:
        raise PackError(f"{_format_path(path)}: no cases in this file")
    _reject_faults(_broken_lines(packed, _format_path(path)))
    with _pack_errors(output):
        if has_files:
            _write_over(packed, output)
        else:
            _write_new(packed, output)
    return (
        f"{_format_path(path)}: {pluralize(len(packed), 'case')} unpacked in {_format_path(output)}"
    )


def _only_suite(argument: str, bundled: Path) -> Suite:
    found = find_all([argument], bundled)
    if len(found) > 1:
        names = ", ".join(escape_nonprintable(suite.name) for suite in found[:3])
        names += ", …" if len(found) > 3 else ""
        raise PackError(f"{escape_nonprintable(argument)}: several suites ({names}); name one")
    return read_suite(found[0].name, found[0].folder)


def _packed_path(argument: str, bundled: Path) -> Path:
    if os.path.isfile(argument):
        return Path(argument)
    suite = _only_suite(argument, bundled)
    if suite.packed is None:
        raise PackError(f"{escape_nonprintable(argument)}: not packed; it has no {PACKED_FILE}")
    return suite.folder / PACKED_FILE


def _check_file(suite: Suite, output: Path, *, force: bool) -> None:
    if output.name == PACKED_FILE and _is_same(output.parent, suite.folder):
        raise PackError(
            f"{_format_path(output)}: the folder has the cases as files; choose another folder"
        )
    if os.path.lexists(output) and not os.path.isfile(output):
        raise PackError(f"{_format_path(output)}: not a regular file")
    if os.path.lexists(output) and not force:
        raise PackError(f"{_format_path(output)}: already exists; --force replaces it")


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _check_folder(output: Path, *, force: bool) -> bool:
    """Return whether the folder exists and has entries. Raises PackError if it cannot be used."""
    if not os.path.lexists(output):
        return False
    if not os.path.isdir(output):
        raise PackError(f"{_format_path(output)}: not a folder")
    with _pack_errors(output):
        entries = os.listdir(output)
    if PACKED_FILE in entries:
        raise PackError(f"{_format_path(output)}: has a {PACKED_FILE}; choose another folder")
    if entries and not force:
        raise PackError(f"{_format_path(output)}: not empty; --force overwrites files in it")
    return bool(entries)


def _reject_faults(faults: Iterable[str]) -> None:
    """Raise PackError with the first faults and the number of the others, if there are any."""
    rest = iter(faults)
    listed = list(islice(rest, _MOST_FAULTS))
    more = sum(1 for _ in rest)
    if listed:
        listed += [f"and {pluralize(more, 'fault')} more"] if more else []
        raise PackError("\n       ".join(("nothing was written, because of faults:", *listed)))


def _broken(suite: Suite) -> Iterator[str]:
    for name in suite.names:
        case = read_case(suite, name)
        if isinstance(case, InvalidCase):
            yield f"{escape_nonprintable(f'{suite.name}/{name.text}')}: {case.reason}"


def _broken_lines(packed: PackedFile, shown: str) -> Iterator[str]:
    for index in range(len(packed)):
        try:
            packed.read(index)
        except PackedError as problem:
            yield f"{shown}, line {index + 1:,} {problem}"


def _cases(suite: Suite) -> Iterator[PackedCase]:
    for name in suite.names:
        case = read_case(suite, name)
        if isinstance(case, InvalidCase):
            # It was valid a moment ago.
            raise PackError(f"{escape_nonprintable(name.text)}: {case.reason}")
        yield PackedCase(file_label(suite, name), case.stdin, case.expected_text)


def _files(case: PackedCase) -> dict[str, bytes]:
    return {f"{case.label}-in.json": case.stdin, f"{case.label}-out.json": case.expected}


def _write_new(packed: PackedFile, folder: Path) -> None:
    """Fill a temporary folder, and rename it when it is complete."""
    part = temporary_path(folder)
    part.mkdir()
    try:
        for index in range(len(packed)):
            for name, data in _files(packed.read(index)).items():
                (part / name).write_bytes(data)
        os.rename(part, folder)
    except BaseException:  # also after an interruption
        shutil.rmtree(part, ignore_errors=True)
        raise


def _write_over(packed: PackedFile, folder: Path) -> None:
    for index in range(len(packed)):
        for name, data in _files(packed.read(index)).items():
            _write_file(folder / name, data)


def _write_file(path: Path, data: bytes) -> None:
    atomic_write(path, lambda file: file.write(data))


@contextmanager
def _pack_errors(path: Path) -> Iterator[None]:
    """Turn errors of the system and of lines into a PackError that names the path."""
    try:
        yield
    except OSError as problem:
        reason = (problem.strerror or "cannot be written").lower()
        raise PackError(f"{_format_path(path)}: {reason}") from None
    except PackedError as problem:
        raise PackError(f"{_format_path(path)}: a line {problem}") from None


def _format_path(path: Path) -> str:
    return escape_nonprintable(str(path))
