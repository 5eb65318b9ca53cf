"""Copy what every subject under bwrap sees of /etc and /dev to a folder.

bwrap reads the list of all mounts for each path that it mounts, so a folder is cheaper than the
files in it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import Final

from harness.process.inventory import etc_files

DEVICES: Final = ("/dev/full", "/dev/null", "/dev/urandom", "/dev/zero")  # are mounted on files
_LINKS: Final = {
    "fd": "/proc/self/fd",
    "random": "urandom",  # the same since Linux 5.6
    "stderr": "/proc/self/fd/2",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
}


class SystemCopy:
    """The folders `etc` and `dev`, the files `copied` there, and the `folders` to mount there."""

    def __init__(self) -> None:
        self._root = tempfile.mkdtemp(prefix="xtest-")
        self.etc, self.dev = f"{self._root}/etc", f"{self._root}/dev"
        os.mkdir(self.etc)
        os.makedirs(f"{self.dev}/shm")
        for device in DEVICES:
            os.mknod(self._root + device)
        for name, target in _LINKS.items():
            os.symlink(target, f"{self.dev}/{name}")
        found = frozenset(etc_files())
        self.folders = frozenset(filter(os.path.isdir, found))
        self.copied = found - self.folders
        for path in self.folders:
            os.mkdir(self._root + path)
        for path in self.copied:
            with suppress(OSError):  # not readable, so programs cannot read it either
                shutil.copyfile(path, self._root + path)

    def delete(self) -> None:
        """Delete the folders."""
        shutil.rmtree(self._root, ignore_errors=True)
