"""Give each run a private view of its working folder: what it writes there is gone at its end.

A run starts from the folder as it was handed in, in any order of runs and beside any others. The
view is an overlay, mounted again only after a run that wrote something. Byte code that a Python
program leaves beside its modules is kept for its next runs in the same process of xtest.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple, TypeVar

from harness.model.limits import MIB
from harness.model.transcript import Job, Transcript, Written
from harness.process.inventory import is_in
from harness.process.mounts import Namespaces, OverlayMount, mounts_below
from harness.process.temporary import TemporaryFolder

K = TypeVar("K")
_ViewKey = tuple[str, int, tuple[str, ...]]  # the real path, the most bytes, the command

_MOST_MIB: Final = 256.0  # that a run can write, unless memory_mib is lower
_MOST_NAMES: Final = 20  # of what a run wrote
_MOST_FOUND: Final = 4_096  # files that are counted
_MOST_LISTED: Final = 2_000  # files of a shared folder, of which changes are noticed
_SCRATCH: Final = "/sys"  # holds nothing that a mount of a subject's folder needs
_CACHE: Final = "__pycache__"
_MOST_CACHED: Final = 4 * MIB  # bytes of a file
_HEADER: Final = Struct("<4sIII")  # of byte code: magic number, flags, time and size of the source
_WORD: Final = 0xFFFF_FFFF
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Workspace:
    """A private view of a folder, in a mount namespace of its own, for one run at a time."""

    def __init__(
        self,
        namespaces: Namespaces,
        folder: str,
        *,
        cache: ByteCode | None,
        size: int,
        give_back: Callable[[Workspace], None],
    ) -> None:
        self.folder: Final = folder
        self._give_back = give_back
        self.is_reserved = False
        self._namespaces = namespaces
        self._cache = cache
        # Mounted over for a moment only, in a namespace of its own: nothing is left of it.
        is_there = os.path.isdir(_SCRATCH)
        self._scratch = _SCRATCH if is_there else tempfile.mkdtemp(prefix="xtest-")
        self._inside = namespaces.make()
        self._mount = OverlayMount(folder, self._scratch, size)
        self._hidden: tuple[tuple[str, bool], ...] = ()
        try:
            self._remount()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def entered(self, folder: str) -> Iterator[None]:
        """Be in the view during the block, in a folder of it: what is started there sees it."""
        with self._namespaces.inside(self._inside):
            os.chdir(folder)
            yield

    def end_run(self) -> Written:
        """Discard what a run wrote, and return it; its processes must have ended."""
        written = Written()
        if os.listdir(self._mount.upper):
            written = _written(self._mount.upper, self._keep)
            self._remount()
        self._give_back(self)
        return written

    def hide(self, paths: tuple[tuple[str, bool], ...]) -> None:
        """Hide what lies at these paths in the folder, parents first, or show it again (True)."""
        if paths != self._hidden:
            self._hidden = paths
            self._remount()

    def close(self) -> None:
        # The mounts end with their namespace, once no process is left in it.
        self._mount.close()
        os.close(self._inside)
        if self._scratch != _SCRATCH:
            with suppress(OSError):
                os.rmdir(self._scratch)

    def _remount(self) -> None:
        with self._namespaces.inside(self._inside):
            self._mount.unmount()
            has_cache = self._cache is not None and os.path.isdir(self._cache.folder)
            layers = (self._cache.folder,) if self._cache is not None and has_cache else ()
            self._mount.mount(self._namespaces.overlay_options, layers, self._hidden)

    def _keep(self, path: str, upper: int) -> bool:
        """Keep a file for later runs if it is byte code of a module as it was handed in."""
        data = None if self._cache is None else _byte_code(path, upper, self.folder)
        if self._cache is None or data is None:
            return False
        target = os.path.join(self._cache.folder, path)
        with suppress(OSError):
            self._cache.root.create()
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), delete=False) as file:
                file.write(data)
            os.replace(file.name, target)
        return True


class ByteCode(NamedTuple):
    """The folder for the byte code of one command, which exists once there is some."""

    root: TemporaryFolder
    folder: str


class Workspaces:
    """Private views of folders, as many as there are runs at once, made when they are needed."""

    def __init__(self) -> None:
        self._namespaces: Namespaces | None = None
        self._caches = TemporaryFolder()
        self._folders: dict[str, str] = {}  # the real path of each, or "" if it cannot have views
        self._free: defaultdict[_ViewKey, list[Workspace]] = defaultdict(list)

    def take(
        self, folder: str, memory_mib: float | None = None, command: tuple[str, ...] = ()
    ) -> Workspace | None:
        """Return a view of a folder for one run of a command, or None if the system allows none."""
        real = self._folders.get(folder)
        if real is None:
            real = os.path.realpath(folder)
            real = self._folders[folder] = "" if mounts_below(real) else real
        if not real:
            return None
        key = real, int(min(memory_mib or _MOST_MIB, _MOST_MIB) * MIB), command
        if self._free[key]:
            return self._free[key].pop()
        try:
            return self._make(key)
        except OSError:
            self._folders[folder] = ""
            return None

    def reserve(
        self, folder: str, memory_mib: float | None, command: tuple[str, ...]
    ) -> Workspace | None:
        """Return a view for runs one after another, which its user closes, or None if the system
        allows none."""
        workspace = self.take(folder, memory_mib, command)
        if workspace is not None:
            workspace.is_reserved = True
        return workspace

    def close(self) -> None:
        for free in self._free.values():
            for workspace in free:
                workspace.close()
        self._free.clear()
        if self._namespaces is not None:
            self._namespaces.close()
            self._namespaces = None
        self._caches.close()

    def _make(self, key: _ViewKey) -> Workspace:
        real, size, command = key
        if self._namespaces is None:
            self._namespaces = Namespaces()
        # Of this command only: a program may write byte code that others must not run.
        words = "\0".join((real, *command)).encode("utf-8", "surrogateescape")
        root = self._caches
        folder = os.path.join(root.path, blake2b(words, digest_size=8).hexdigest())
        # The layers of an overlay must not lie in each other.
        return Workspace(
            self._namespaces,
            real,
            cache=None if is_in(os.path.realpath(root.path), real) else ByteCode(root, folder),
            size=size,
            give_back=partial(self._give_back, key),
        )

    def _give_back(self, key: _ViewKey, workspace: Workspace) -> None:
        if not workspace.is_reserved:
            self._free[key].append(workspace)


def in_private_folders(
    workspaces: Workspaces, next_job: Callable[[], tuple[K, Job | Transcript] | None]
) -> tuple[K, Job | Transcript] | None:
    """Return the next job with a private working folder, if the system allows one; otherwise, it
    notices changes in the folder that it shares with others."""
    drawn = next_job()
    if drawn is None:
        return None
    key, job = drawn
    if isinstance(job, Transcript) or job.private is not None or job.keeps_files:
        return drawn
    private = workspaces.take(job.own_folder, job.limits.memory_mib, job.argv)
    if private is None:
        return key, job._replace(has_changed=watch_folder(job.own_folder))
    return key, job._replace(private=private)


def watch_folder(folder: str) -> Callable[[], bool]:
    """Return a function that says whether files in a folder have changed since this call; in a
    folder with many files, it cannot tell."""
    before = _listing(folder)
    return lambda: before is not None and _listing(folder) != before


def _listing(folder: str) -> set[tuple[str, int, int, int]] | None:
    """Return path, size, time and inode of the files in a folder, or None if there are many."""
    found: set[tuple[str, int, int, int]] = set()
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if len(found) == _MOST_LISTED:
                    return None
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != _CACHE:
                        waiting.append(entry.path)
                    continue
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    facts = status.st_size, status.st_mtime_ns, status.st_ino
                    found.add((entry.path, *facts))
    return found


def _written(upper: int, keep: Callable[[str, int], bool]) -> Written:
    """Return what lies in the upper layer of an overlay, except byte code that `keep` takes."""
    names: list[str] = []
    total, folders = 0, [""]
    while folders and total < _MOST_FOUND:
        folder = folders.pop()
        try:
            descriptor = os.open(folder or ".", _FOLDER_FLAGS, dir_fd=upper)
        except OSError:  # its path is too long, or the program has forbidden to read it
            total += 1
            names.append(folder)
            continue
        with closing_descriptor(descriptor), os.scandir(descriptor) as entries:
            for entry in entries:
                path = os.path.join(folder, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif not (os.path.basename(folder) == _CACHE and keep(path, upper)):
                    total += 1
                    names.append(path)
    return Written(tuple(sorted(names)[:_MOST_NAMES]), total)


def _byte_code(path: str, upper: int, folder: str) -> bytes | None:
    """Return the content of a file of byte code, or None unless it belongs to a module that is in
    the folder, with the time and size in its header. Source: PEP 552."""
    try:
        status = os.stat(path, dir_fd=upper, follow_symlinks=False)
        if not (stat.S_ISREG(status.st_mode) and _HEADER.size < status.st_size <= _MOST_CACHED):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=upper)
    except OSError:
        return None
    with closing_descriptor(descriptor):
        data = os.read(descriptor, _MOST_CACHED)
    _, flags, time_s, size = _HEADER.unpack_from(data)
    module = os.path.basename(path).partition(".")[0]
    source = os.path.join(folder, os.path.dirname(os.path.dirname(path)), f"{module}.py")
    try:
        found = os.stat(source)
    except OSError:
        return None
    is_current = (int(found.st_mtime) & _WORD, found.st_size & _WORD) == (time_s, size)
    return data if flags == 0 and is_current else None


@contextmanager
def closing_descriptor(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
