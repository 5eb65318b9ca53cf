"""Keep the archives that runs send to this machine, and unpack them: once for all workers here.

An archive is known by the digest of its bytes. Every run unpacks its own copy, which the last of
its processes removes, so that no program changes the files of a later run.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from harness.errors import UsageError, os_reason
from harness.files import cache_folder, open_own, open_regular, read_regular

_KEPT: Final = 4  # archives, the newest
_FORGOTTEN_S: Final = 86_400.0  # after the last part of an archive that is not complete
_END: Final = ".tar.gz"
_PART: Final = ".part"
_LOCK: Final = ".lock"
_READY: Final = "ready.json"
_FILES: Final = "files"


def where_archives_are() -> str:
    """Return a name for the folder of archives that is unique among all machines."""
    return f"{os.uname().nodename}:{_folder()}"


def has_archive(digest: str) -> bool:
    return _archive(digest).is_file()


def receive_part(digest: str, offset: int, size: int, part: bytes) -> str:
    """Write a part of an archive of this size; return why it cannot be kept, or "".

    Parts come in order, from one sender.
    """
    growing = _folder() / f"{os.uname().nodename}.{os.getpid()}.{digest}{_PART}"
    try:
        growing.parent.mkdir(parents=True, exist_ok=True)
        with open(open_own(growing, 0 if offset else os.O_CREAT), "r+b") as file:
            file.truncate(offset)
            file.seek(offset)
            file.write(part)
        if offset + len(part) == size:
            if _digest_of(growing) != digest:
                growing.unlink()
                return "the shipped files were damaged in transit"
            growing.rename(_archive(digest))
            _remove_old_archives()
    except OSError as problem:
        return f"the shipped files cannot be kept: {os_reason(problem)}"
    return ""


def unpacked(digest: str, run: str, prepare: Callable[[str], Any]) -> tuple[str, Any]:
    """Return the folder with the files of an archive for a run, and what `prepare` returned.

    It is unpacked and prepared by the first process that asks, and removed after the last one.
    Raises UsageError.
    """
    try:
        copy = _folder() / f"{os.uname().nodename}.{digest[:16]}.{run}"
        _remove_unused(copy)
        while True:
            lock, is_alone = _hold(copy)
            ready = copy / _READY
            if is_alone and not ready.exists():
                _unpack(_archive(digest), digest, copy / _FILES)
                facts = prepare(str(copy / _FILES))
                with open(open_own(ready, os.O_CREAT), "wb") as file:
                    file.write(json.dumps(facts).encode())
            fcntl.flock(lock, fcntl.LOCK_SH)
            with suppress(FileNotFoundError):
                facts = json.loads(read_regular(ready))
                atexit.register(_leave, os.getpid(), lock, copy)
                return str(copy / _FILES), facts
            os.close(lock)  # the process that prepared it has ended
    except (OSError, tarfile.TarError, EOFError) as problem:
        reason = os_reason(problem) if isinstance(problem, OSError) else str(problem)
        raise UsageError(f"the shipped files cannot be unpacked: {reason}") from None


def _folder() -> Path:
    return Path(cache_folder(os.environ), "shipped")


def _archive(digest: str) -> Path:
    return _folder() / f"{digest}{_END}"


def _digest_of(path: Path) -> str:
    with open_regular(path) as file:
        return file_digest(file, "sha256").hexdigest()


def _hold(copy: Path) -> tuple[int, bool]:
    """Lock a copy once no other process prepares it; return whether this is its only user."""
    path = copy.with_name(copy.name + _LOCK)
    while True:
        lock = open_own(path, os.O_CREAT, 0o600)
        is_alone = _try_lock(lock)
        if not is_alone:
            fcntl.flock(lock, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), os.stat(path)):
                return lock, is_alone
        os.close(lock)  # another process has just removed it


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unpack(archive: Path, digest: str, folder: Path) -> None:
    """Unpack an archive; leave `folder` complete or absent. Raises OSError and TarError."""
    if _digest_of(archive) != digest:
        archive.unlink()
        raise tarfile.TarError("the archive was changed")
    os.utime(archive)  # used last
    growing = folder.with_name("growing")
    for each in (growing, folder):
        shutil.rmtree(each, ignore_errors=True)
    growing.mkdir(parents=True)
    with open_regular(archive) as content, tarfile.open(fileobj=content) as files:
        files.extractall(growing, filter="data")
    growing.rename(folder)


def _leave(pid: int, lock: int, copy: Path) -> None:
    if os.getpid() == pid:
        os.close(lock)
        _remove_if_unused(copy)


def _remove_unused(but: Path) -> None:
    """Remove copies of processes here that were killed; other machines may have this folder, too,
    without their locks."""
    for lock in _folder().glob(f"{os.uname().nodename}.*{_LOCK}"):
        copy = lock.with_name(lock.name.removesuffix(_LOCK))
        if copy != but:
            _remove_if_unused(copy)


def _remove_if_unused(copy: Path) -> None:
    path = copy.with_name(copy.name + _LOCK)
    with suppress(OSError):
        lock = open_own(path, 0)
        try:
            if _try_lock(lock) and os.path.samestat(os.fstat(lock), os.stat(path)):
                shutil.rmtree(copy, ignore_errors=True)
                path.unlink()
        finally:
            os.close(lock)


def _remove_old_archives() -> None:
    with suppress(OSError):
        archives = sorted(_folder().glob(f"*{_END}"), key=lambda each: each.stat().st_mtime)
        oldest = time.time() - _FORGOTTEN_S
        parts = [part for part in _folder().glob(f"*{_PART}") if part.stat().st_mtime < oldest]
        for each in (*archives[:-_KEPT], *parts):
            each.unlink(missing_ok=True)
