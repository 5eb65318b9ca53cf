"""`xtest pack` and `xtest unpack`: a suite's pairs of files to one packed file, and back.

All or nothing: what is made stands under another name until it is whole. Source: docs/packed.md.
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

from harness.care.wholefile import beside, write_whole
from harness.records import InvalidCase
from harness.suites.corpus import Suite, find_all, label_of, read_case, read_suite
from harness.suites.naming import PACKED_FILE
from harness.suites.packed import PackedCase, PackedError, line_of
from harness.suites.packfile import PackedFile
from harness.words import count_of, visible

__all__ = ["PackRefusal", "pack", "unpack"]

_MOST_FAULTS: Final = 20  # that are told one by one


class PackRefusal(Exception):
    """What is asked for cannot be made, or would destroy something; the message says why."""


def pack(argument: str, bundled: Path, output: Path | None, *, force: bool) -> str:
    """Write a suite's cases as lines: to a file, or to standard output. Returns what to say.
    Raises CorpusError and PackRefusal."""
    suite = _only_suite(argument, bundled)
    if suite.packed is not None:
        raise PackRefusal(f"{visible(argument)}: is packed already, in {PACKED_FILE}")
    if output is not None:
        _check_file(suite, output, force=force)
    _refuse_faults((*(f"{suite.name}: {fault}" for fault in suite.faults), *_broken(suite)))
    lines = (line_of(case) for case in _cases(suite))
    if output is None:
        sys.stdout.buffer.writelines(lines)
        return ""
    with _told(output):
        write_whole(output, lambda file: file.writelines(lines))
    return f"{visible(suite.name)}: {count_of(len(suite.files), 'case')} packed in {_shown(output)}"


def unpack(argument: str, bundled: Path, output: Path, *, force: bool) -> str:
    """Write the cases of a packed file, or of a packed suite's, as pairs of files into a folder.
    Returns what to say. Raises CorpusError and PackRefusal."""
    path = _packed_path(argument, bundled)
    has_files = _check_folder(output, force=force)
    with _told(path):
        packed = PackedFile(path)
    if not packed:
        raise PackRefusal(f"{_shown(path)}: no cases in this file")
    _refuse_faults(_broken_lines(packed, _shown(path)))
    with _told(output):
        if has_files:
            _write_over(packed, output)
        else:
            _write_new(packed, output)
    return f"{_shown(path)}: {count_of(len(packed), 'case')} unpacked in {_shown(output)}"


# What is refused.


def _only_suite(argument: str, bundled: Path) -> Suite:
    found = find_all([argument], bundled)
    if len(found) > 1:
        names = ", ".join(visible(suite.name) for suite in found[:3])
        names += ", …" if len(found) > 3 else ""
        raise PackRefusal(f"{visible(argument)}: one suite is wanted, and these are: {names}")
    return read_suite(found[0].name, found[0].folder)


def _packed_path(argument: str, bundled: Path) -> Path:
    if os.path.isfile(argument):
        return Path(argument)
    suite = _only_suite(argument, bundled)
    if suite.packed is None:
        raise PackRefusal(f"{visible(argument)}: is not packed: there is no {PACKED_FILE}")
    return suite.folder / PACKED_FILE


def _check_file(suite: Suite, output: Path, *, force: bool) -> None:
    if output.name == PACKED_FILE and _is_same(output.parent, suite.folder):
        raise PackRefusal(
            f"{_shown(output)}: would stand beside the pairs, and a suite keeps its cases one way;"
            " choose another folder"
        )
    if os.path.lexists(output) and not os.path.isfile(output):
        raise PackRefusal(f"{_shown(output)}: not a regular file")
    if os.path.lexists(output) and not force:
        raise PackRefusal(f"{_shown(output)}: is there already; --force replaces it")


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _check_folder(output: Path, *, force: bool) -> bool:
    """Whether there is such a folder, with something in it."""
    if not os.path.lexists(output):
        return False
    if not os.path.isdir(output):
        raise PackRefusal(f"{_shown(output)}: not a folder")
    with _told(output):
        entries = os.listdir(output)
    if PACKED_FILE in entries:
        raise PackRefusal(
            f"{_shown(output)}: has a {PACKED_FILE}, and a suite keeps its cases one way;"
            " choose another folder"
        )
    if entries and not force:
        raise PackRefusal(f"{_shown(output)}: is not empty; --force writes over files in it")
    return bool(entries)


def _refuse_faults(faults: Iterable[str]) -> None:
    """Tell of what is wrong, if anything is: the first of it, and how much there is."""
    rest = iter(faults)
    told = list(islice(rest, _MOST_FAULTS))
    more = sum(1 for _ in rest)
    if told:
        told += [f"and {count_of(more, 'fault')} more"] if more else []
        raise PackRefusal("\n       ".join(("nothing is written, as there are faults:", *told)))


def _broken(suite: Suite) -> Iterator[str]:
    for name in suite.names:
        case = read_case(suite, name)
        if isinstance(case, InvalidCase):
            yield f"{visible(f'{suite.name}/{name.text}')}: {case.reason}"


def _broken_lines(packed: PackedFile, shown: str) -> Iterator[str]:
    for index in range(len(packed)):
        try:
            packed.read(index)
        except PackedError as problem:
            yield f"{shown}, line {index + 1:,} {problem}"


# What is written.


def _cases(suite: Suite) -> Iterator[PackedCase]:
    for name in suite.names:
        case = read_case(suite, name)
        if isinstance(case, InvalidCase):
            raise PackRefusal(f"{visible(name.text)}: {case.reason}")  # it was valid a moment ago
        yield PackedCase(label_of(suite, name), case.stdin, case.expected_text)


def _files(case: PackedCase) -> dict[str, bytes]:
    return {f"{case.label}-in.json": case.stdin, f"{case.label}-out.json": case.expected}


def _write_new(packed: PackedFile, folder: Path) -> None:
    """Fill a folder beside the one that is wanted, and give it that name when it is whole."""
    part = beside(folder)
    part.mkdir()
    try:
        for index in range(len(packed)):
            for name, data in _files(packed.read(index)).items():
                (part / name).write_bytes(data)
        os.rename(part, folder)
    except BaseException:  # an interruption, too, leaves nothing behind
        shutil.rmtree(part, ignore_errors=True)
        raise


def _write_over(packed: PackedFile, folder: Path) -> None:
    for index in range(len(packed)):
        for name, data in _files(packed.read(index)).items():
            _write_file(folder / name, data)


def _write_file(path: Path, data: bytes) -> None:
    write_whole(path, lambda file: file.write(data))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses, as a refusal that names the path."""
    try:
        yield
    except OSError as problem:
        why = (problem.strerror or "cannot be written").lower()
        raise PackRefusal(f"{_shown(path)}: {why}") from None
    except PackedError as problem:
        raise PackRefusal(f"{_shown(path)}: a line {problem}") from None


def _shown(path: Path) -> str:
    return visible(str(path))
