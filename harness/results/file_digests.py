"""Digest files and folders; a digest is remembered until a file below is touched.

A file counts as touched if its size, times, inode or mode changed. Then contents are read again, so
that copies and checkouts of equal files have equal digests. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from enum import Enum
from hashlib import sha256
from typing import Final, NamedTuple

from harness.files import MOST_FILES, TooManyFiles, is_folder_entry, open_descriptor
from harness.model.case_names import CONFIG_FILE, PACKED_FILE, SETTINGS_FILE, case_of_file
from harness.results.results_file import FIRST_BYTES
from harness.results.store import DIGEST_BYTES, Space, Store, StoreError, hash_of

_CHUNK: Final = 1 << 16  # bytes read at a time
_SPACE: Final = Space("digests", "1")

ENVIRONMENT: Final = "pyvenv.cfg"  # in every virtual environment of Python
# Histories, settings and temporary files of editors, and caches that programs write themselves.
_HISTORIES: Final = frozenset((".git", ".hg", ".svn"))
_LEFT_OUT: Final = _HISTORIES.union(
    ".idea .vscode .tox .nox .hypothesis __pycache__ .DS_Store nohup.out".split()
)
_LEFT_OUT_ENDS: Final = ("_cache", ".log", ".swp", ".xtest-part", "___jb_tmp___", "___jb_old___")
# The files that a program is made of, where others lie beside them.
_PROGRAMS: Final = tuple(
    ".awk .bash .beam .cjs .class .clj .dll .dylib .ex .exs .groovy .jar .jl .js .jsx .lisp .lua"
    " .mjs .node .php .pl .pm .py .pyc .pyz .r .rb .rkt .scm .sed .sh .so .tcl .ts .tsx .wasm .zsh"
    " .lock -lock.json package.json".split()
)
_PACKAGES: Final = "node_modules"
_OURS: Final = (CONFIG_FILE, PACKED_FILE, SETTINGS_FILE)


class FolderContent(Enum):
    """The content of a folder, which decides which of its files count."""

    PROGRAM = "program"  # all but suites
    MIXED = "mixed"  # programs and other files; only the programs count
    SUITE = "suite"  # all
    BUILD = "build"  # all but suites, with what a build may have made: environments and caches


class DigestBounds(NamedTuple):
    """Bounds on the files that are read, and on remembering their digests."""

    files: int = MOST_FILES
    bytes: int = 1 << 30  # of their contents
    bytes_read: int = 64 << 20  # larger files, such as interpreters, are known by size and time
    # A file that changes within one tick of the clock of its file system keeps its times.
    settled_ns: int = 2 * 10**9


_BOUNDS: Final = DigestBounds()
_Key = tuple[str, frozenset[str], FolderContent]


class _File(NamedTuple):
    """A file below a folder: its relative name, and its status or a reason why it has none."""

    name: str
    status: os.stat_result | None
    reason: str = ""

    @property
    def is_program(self) -> bool:
        """Return whether a file is or may be executable, a module, a library, or in a package."""
        is_executable = self.status is None or bool(self.status.st_mode & 0o111)
        is_module = self.name.lower().endswith(_PROGRAMS)
        return is_executable or is_module or _PACKAGES in self.name.split("/")

    @property
    def signature(self) -> tuple[object, ...]:
        """The facts that change if the file may have changed."""
        if self.status is None:
            return self.name, self.reason
        one = self.status
        return self.name, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino


class FileDigests:
    """Digests of files and folders, remembered in the store of this cache folder.

    Files with the paths `written` are left out: xtest writes them.
    """

    def __init__(
        self, cache_folder: str, written: Iterable[str] = (), bounds: DigestBounds = _BOUNDS
    ) -> None:
        self._store = Store(cache_folder)
        self._bounds = bounds
        self._written = frozenset(map(os.path.realpath, written))
        self._known: dict[_Key, str] = {}

    def of(
        self, path: str, left_out: Collection[str] = (), kind: FolderContent = FolderContent.PROGRAM
    ) -> str:
        """Return the digest of a file, or of the files below a folder without those `left_out`.

        Raises TooManyFiles.
        """
        root = os.path.realpath(path)
        without = frozenset(
            each for each in map(os.path.realpath, left_out) if is_below(each, root)
        )
        key = root, without, kind
        if key not in self._known:
            self._known[key] = self._digest(*key)
        return self._known[key]

    def close(self) -> None:
        self._store.close()

    def _digest(self, root: str, without: frozenset[str], kind: FolderContent) -> str:
        if not os.path.isdir(root):
            files = [_file("", root)]
        else:
            files = _bounded(_files_below(root, without | self._written, kind), self._bounds)
        if kind is FolderContent.MIXED:
            files = [file for file in files if file.is_program]
        signature = hash_of([file.signature for file in files])
        place = hash_of((root, sorted(without), kind.value))
        with suppress(StoreError):
            known = self._store.get(_SPACE, place) or b""
            if known[:DIGEST_BYTES] == signature:
                return known[DIGEST_BYTES:].hex()
        contents = (_content(root, file, self._bounds) for file in files)
        digest = hash_of(list(filter(None, contents)))
        newest = max((file.status.st_ctime_ns for file in files if file.status), default=0)
        if newest < time.time_ns() - self._bounds.settled_ns:
            with suppress(StoreError):
                self._store.put(_SPACE, [(place, signature + digest)])
        return digest.hex()


def file_listing(path: str, kind: FolderContent) -> dict[str, str]:
    """Return the digest of each file that the digest of a file or folder covers, by its name."""
    root = os.path.realpath(path)
    return {file.name: hash_of(_content(root, file)).hex() for file in _covered(root, kind, ())}


def covered_files(path: str, kind: FolderContent, written: Iterable[str]) -> Iterator[str]:
    """Yield the names of the regular files that the digest of a file or folder covers; a file's
    own is empty. Files with the paths `written` are left out."""
    root = os.path.realpath(path)
    for file in _covered(root, kind, written):
        if file.status is not None and _content(root, file):
            yield file.name


def _covered(root: str, kind: FolderContent, written: Iterable[str]) -> Iterator[_File]:
    without = frozenset(map(os.path.realpath, written))
    is_folder = os.path.isdir(root)
    files = _files_below(root, without, kind) if is_folder else iter([_file("", root)])
    return (file for file in files if kind is not FolderContent.MIXED or file.is_program)


def covers(path: str, root: str, kind: FolderContent) -> bool:
    """Return whether the digest of a folder covers this path below it."""
    name = os.path.relpath(path, root)
    if not all(_covers_name(part, kind) for part in name.split("/")):
        return False
    return kind is not FolderContent.MIXED or _file(name, path).is_program


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is inside a folder."""
    return path.startswith(f"{folder.rstrip('/')}/")


def _bounded(files: Iterator[_File], bounds: DigestBounds) -> list[_File]:
    listed = []
    size = 0
    for file in files:
        listed.append(file)
        size += file.status.st_size if file.status is not None else 0
        if len(listed) > bounds.files or size > bounds.bytes:
            raise TooManyFiles
    return listed


def _files_below(root: str, without: frozenset[str], kind: FolderContent) -> Iterator[_File]:
    """Yield the files below a folder in a fixed order, following links, each folder once."""
    visited = set()
    waiting = [""]
    while waiting:
        name = waiting.pop()
        folder = os.path.join(root, name) if name else root
        try:
            status = os.stat(folder)
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as problem:
            yield _File(name, None, f"unreadable {problem.errno}")
            continue
        if (status.st_dev, status.st_ino) in visited:
            continue
        visited.add((status.st_dev, status.st_ino))
        if kind is not FolderContent.BUILD and any(entry.name == ENVIRONMENT for entry in ordered):
            yield from _environment_files(root, name)
            continue
        above = f"{name}/" if name else ""
        for entry in ordered:
            if not _covers_name(entry.name, kind) or (without and entry.path in without):
                continue
            inner = above + entry.name
            if is_folder_entry(entry):
                waiting.append(inner)
            else:
                yield _file(inner, entry.path)


def _covers_name(name: str, kind: FolderContent) -> bool:
    if kind is FolderContent.BUILD:
        return name not in (*_HISTORIES, *_OURS) and case_of_file(name) is None
    is_autosave = name.startswith("#") and name.endswith("#")  # of Emacs
    if name in _LEFT_OUT or name.endswith(_LEFT_OUT_ENDS) or is_autosave:
        return False
    return kind is FolderContent.SUITE or (name not in _OURS and case_of_file(name) is None)


def _environment_files(root: str, name: str) -> Iterator[_File]:
    """Yield the facts that identify a virtual environment: its settings, packages and versions."""
    settings = os.path.join(name, ENVIRONMENT)
    yield _file(settings, os.path.join(root, settings))
    lib = os.path.join(root, name, "lib")
    with suppress(OSError):
        for python in sorted(os.listdir(lib)):
            with suppress(OSError):
                for package in sorted(os.listdir(os.path.join(lib, python, "site-packages"))):
                    if package not in _LEFT_OUT:
                        yield _File(f"{name}/{python}/{package}", None, "package")


def _file(name: str, path: str) -> _File:
    try:
        status = os.stat(path)  # DirEntry.stat takes longer
    except OSError as problem:
        return _File(name, None, f"unreadable {problem.errno}")
    if stat.S_ISREG(status.st_mode):
        return _File(name, status)
    return _File(name, None, "no regular file")


def _content(root: str, file: _File, bounds: DigestBounds = _BOUNDS) -> tuple[object, ...]:
    """Return the facts about a file in a digest: its name, content, and whether it is executable.

    Empty for the results of an earlier run, which are not part of a program.
    """
    if file.status is None:
        return file.name, file.reason
    is_executable = bool(file.status.st_mode & 0o111)
    if file.status.st_size > bounds.bytes_read:
        large = file.status.st_size, file.status.st_mtime_ns
        return file.name, is_executable, large
    try:
        path = os.path.join(root, file.name) if file.name else root
        content = open_descriptor(path)
        try:
            chunk = os.read(content, _CHUNK)
            if file.name and chunk.startswith(FIRST_BYTES):
                return ()
            digest = sha256(chunk)
            while chunk := os.read(content, _CHUNK):
                digest.update(chunk)
            return file.name, is_executable, digest.digest()
        finally:
            os.close(content)
    except OSError as problem:
        return file.name, f"unreadable {problem.errno}"
