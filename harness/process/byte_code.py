"""Compile modules that Python programs import, so that not every run compiles them anew.

A program leaves byte code beside its modules, but must not decide what its next runs execute: only
the names of these files count. What they name is compiled here, as it was handed in, for programs
that use the same Python as xtest. Source: PEP 3147, PEP 552.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import tempfile
import warnings
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from struct import Struct
from typing import Final

from harness.files import open_regular
from harness.process.temporary import TemporaryFolder

_FOLDER: Final = "__pycache__"
_MOST_SOURCE: Final = 1 << 20  # bytes of the modules that are compiled after a run
_HEADER: Final = Struct("<4sIII")  # magic number, flags, time and size of the source
_WORD: Final = 0xFFFF_FFFF
_NAME: Final = re.compile(r"(.+)\.([a-z]+-?[0-9]+)(?:\.opt-([12]))?\.pyc", re.ASCII)


class ByteCode:
    """The byte code of modules in a folder, in another one below `caches`, which exists once there
    is some."""

    def __init__(self, caches: TemporaryFolder, folder: str) -> None:
        self._folder = folder
        self._caches = caches
        self._name = blake2b(os.fsencode(folder), digest_size=8).hexdigest()
        self._modules: dict[str, tuple[str, int]] = {}  # source and level by path of byte code

    @property
    def layers(self) -> tuple[str, ...]:
        """The folder of byte code, if there is one."""
        cache = os.path.join(self._caches.path, self._name)
        return (cache,) if os.path.isdir(cache) else ()

    def note(self, path: str) -> bool:
        """Return whether a path in the folder is that of byte code of a module in the folder."""
        place, name = os.path.split(path)
        parts = _NAME.fullmatch(name)
        if parts is None or os.path.basename(place) != _FOLDER:
            return False
        source = os.path.join(self._folder, os.path.dirname(place), f"{parts[1]}.py")
        if not os.path.isfile(source):
            return False
        if parts[2] == sys.implementation.cache_tag:
            self._modules[path] = source, int(parts[3] or 0)
        return True

    def compile_noted(self) -> None:
        """Compile the modules whose byte code was noted, unless they are compiled already."""
        modules, self._modules = self._modules, {}
        left = _MOST_SOURCE
        for path, (source, optimization) in modules.items():
            # Not OSError alone: a module may be anything.
            with suppress(
                OSError, SyntaxError, ValueError, OverflowError, RecursionError, MemoryError
            ):
                target = os.path.join(self._caches.create(), self._name, path)
                left -= _compile(source, optimization, target, left)


def _compile(source: str, optimization: int, target: str, most: int) -> int:
    """Write the byte code of a module of at most so many bytes; return how many were compiled."""
    with open_regular(source) as file:
        status = os.fstat(file.fileno())
        header = _HEADER.pack(MAGIC_NUMBER, 0, int(status.st_mtime) & _WORD, status.st_size & _WORD)
        if status.st_size > most or _begins_with(target, header):
            return 0
        text = file.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, source, "exec", dont_inherit=True, optimize=optimization)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), delete=False) as copy:
        copy.write(header + marshal.dumps(code))
    os.chmod(copy.name, 0o644)
    os.replace(copy.name, target)
    return len(text)


def _begins_with(file: str, header: bytes) -> bool:
    try:
        with open_regular(file) as opened:
            return opened.read(len(header)) == header
    except OSError:
        return False
