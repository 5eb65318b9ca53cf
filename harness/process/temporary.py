"""Make temporary folders that the next xtest removes if this one is killed."""

from __future__ import annotations

import fcntl
import glob
import os
import subprocess
import tempfile
from contextlib import suppress
from errno import ENOENT
from typing import Final

_PREFIX: Final = "xtest-of-a-process-"
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TemporaryFolder:
    """A temporary folder of this process, made when it is first needed.

    A lock shows that it is in use: folders without one are those of processes that were killed.
    """

    def __init__(self) -> None:
        self.path = _new_path()
        self._lock = -1

    def create(self) -> str:
        """Return the path of the folder, which exists now. Raises OSError."""
        if self._lock < 0:
            for path in glob.glob(f"{glob.escape(tempfile.gettempdir())}/{_PREFIX}*"):
                with suppress(OSError):
                    _remove_unused(path)
            while not self._make():
                self.path = _new_path()
        return self.path

    def _make(self) -> bool:
        """Make the folder and lock it; return False if another process was there first.

        Until it is locked, another process may take it for one without a user, and remove it.
        """
        try:
            os.mkdir(self.path, 0o700)
            self._lock = _locked(self.path)
        except (FileExistsError, BlockingIOError):
            return False
        except FileNotFoundError:
            if not os.path.isdir(os.path.dirname(self.path)):
                raise
            return False
        return True

    def close(self) -> None:
        """Remove the folder; a later use makes it again."""
        if self._lock >= 0:
            remove_tree(self.path)
            os.close(self._lock)
            self._lock = -1


def _new_path() -> str:
    return os.path.join(tempfile.gettempdir(), f"{_PREFIX}{os.urandom(8).hex()}")


def remove_tree(path: str) -> None:
    """Remove a folder, if possible."""
    try:
        os.rmdir(path)
    except OSError:
        # Not shutil.rmtree, which recurses: a subject may nest folders deeply.
        for command in (("chmod", "-R", "u+rwx"), ("rm", "-rf")):
            with suppress(OSError):  # no further process can be started: the folder stays
                subprocess.run([*command, path], capture_output=True, check=False)


def _remove_unused(path: str) -> None:
    """Remove a folder unless a process uses it. Raises OSError."""
    descriptor = _locked(path)
    try:
        remove_tree(path)
    finally:
        os.close(descriptor)


def _locked(folder: str) -> int:
    """Return the descriptor of a folder that no other process has locked. Raises OSError, also if
    it was removed before it was locked."""
    descriptor = os.open(folder, _FOLDER_FLAGS)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            raise FileNotFoundError(ENOENT, "removed meanwhile", folder)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
