"""Give each run a private view of its working folder: what it writes there is gone at its end.

A run starts from the folder as it was handed in, in any order of runs and beside any others. The
view is an overlay, mounted again only after a run that wrote something. Modules that a Python
program imports are compiled for its next runs in the same process of xtest.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from harness.files import is_in
from harness.model.limits import MIB
from harness.model.transcript import Job, Transcript, Written
from harness.process.byte_code import ByteCode
from harness.process.mounts import MountChanges, Namespaces, OverlayMount, mounts_below
from harness.process.system import SYSTEM
from harness.process.temporary import TemporaryFolder

K = TypeVar("K")
_ViewKey = tuple[str, int, tuple[str, ...]]  # the real path, the most bytes, the command

_MOST_MIB: Final = 256.0  # that a run can write, unless memory_mib is lower
_MOST_NAMES: Final = 20  # of what a run wrote
_MOST_FOUND: Final = 4_096  # files and folders that are counted
_MOST_SEEN: Final = 10_000  # files of a shared folder, of which changes are noticed
_SCRATCH: Final = "/sys"  # holds nothing that a mount of a subject's folder needs
_CACHE: Final = "__pycache__"
_TICK_NS: Final = 10_000_000  # by which the clock of a file system may be behind
_STAT_BLOCK: Final = 512  # the unit of st_blocks
_DISK_BLOCK: Final = 4_096
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Workspace:
    """A private view of a folder, in a mount namespace of its own, for one run at a time."""

    def __init__(
        self,
        namespaces: Namespaces,
        folder: str,
        *,
        byte_code: ByteCode | None,
        size: int,
        give_back: Callable[[Workspace], None],
    ) -> None:
        self.folder: Final = folder
        self._give_back = give_back
        self.is_reserved = False
        self._namespaces = namespaces
        self._byte_code = byte_code
        # Mounted over for a moment only, in a namespace of its own: nothing is left of it.
        is_there = os.path.isdir(_SCRATCH)
        self._scratch = _SCRATCH if is_there else tempfile.mkdtemp(prefix="xtest-")
        self._size = size
        self._hidden: tuple[tuple[str, bool], ...] = ()
        try:
            self._open()
        except BaseException:
            self._remove_scratch()
            raise

    def entered(self, folder: str) -> AbstractContextManager[None]:
        """Be in the view during the block, in a folder of it: what is started there sees it."""
        return self._namespaces.inside(self._inside, folder)

    def end_run(self) -> Written:
        """Discard what a run wrote, and return it; its processes must have ended."""
        written = Written()
        is_written = bool(os.listdir(self._mount.upper))
        if is_written:
            written = _written(self._mount.upper, self._note)
            if self._byte_code is not None:
                self._byte_code.compile_noted()
        try:
            if self._changes.take() and not self.is_reserved:
                # A program of root mounted something, or unmounted the view.
                self._close()
                self._open()
            elif is_written:
                self._remount()
        except OSError:  # if the folder was removed, for example, the next run reports it
            self.close()
        else:
            self._give_back(self)
        return written

    def hide(self, paths: tuple[tuple[str, bool], ...]) -> None:
        """Hide what lies at these paths in the folder, parents first, or show it again (True)."""
        if paths != self._hidden:
            self._hidden = paths
            self._remount()

    def close(self) -> None:
        self._close()
        self._remove_scratch()

    def _open(self) -> None:
        self._inside = self._namespaces.make()
        self._mount = OverlayMount(self.folder, self._scratch, self._size)
        with self._namespaces.inside(self._inside):
            self._changes = MountChanges()
        try:
            self._remount()
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        # The mounts end with their namespace, once no process is left in it.
        if self._inside >= 0:
            self._mount.close()
            self._changes.close()
            os.close(self._inside)
            self._inside = -1

    def _remove_scratch(self) -> None:
        if self._scratch != _SCRATCH:
            with suppress(OSError):
                os.rmdir(self._scratch)

    def _remount(self) -> None:
        with self._namespaces.inside(self._inside):
            self._mount.unmount()
            layers = () if self._byte_code is None else self._byte_code.layers
            self._mount.mount(self._namespaces.overlay_options, layers, self._hidden)
        self._changes.take()

    def _note(self, path: str) -> bool:
        return self._byte_code is not None and self._byte_code.note(path)


class Workspaces:
    """Private views of folders, as many as there are runs at once, made when they are needed.

    The first run of all workers begins after the time `since_ns`. In folders that runs share, the
    files that this process has open are its own.
    """

    def __init__(self, since_ns: int | None = None) -> None:
        self.since_ns: Final = time.time_ns() if since_ns is None else since_ns
        self.open_files: Final = _open_files()
        self._namespaces: Namespaces | None = None
        self._caches = TemporaryFolder()
        self._folders: dict[str, str] = {}  # the real path of each, or "" if it cannot have views
        self._free: defaultdict[_ViewKey, list[Workspace]] = defaultdict(list)
        self._watches: dict[str, FolderWatch] = {}

    def take(
        self, folder: str, memory_mib: float | None = None, command: tuple[str, ...] = ()
    ) -> Workspace | None:
        """Return a view of a folder for one run of a command, or None if the system allows none."""
        real = self._folders.get(folder) if SYSTEM.has_namespaces else ""
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

    def watch(self, folder: str) -> FolderWatch:
        """Return what notices changes in a folder that has no views, from the first call on."""
        if folder not in self._watches:
            self._watches[folder] = FolderWatch(folder, self.since_ns, self.open_files)
        return self._watches[folder]

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
        real, size, _ = key
        if self._namespaces is None:
            self._namespaces = Namespaces()
        # The layers of an overlay must not lie in each other.
        is_apart = not is_in(os.path.realpath(self._caches.path), real)
        return Workspace(
            self._namespaces,
            real,
            byte_code=ByteCode(self._caches, real) if is_apart else None,
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
        return key, job._replace(has_changed=workspaces.watch(job.own_folder).has_changed)
    return key, job._replace(private=private)


class FolderWatch:
    """Says whether files in a folder other than xtest's `own_files` may have changed since the time
    `since_ns`.

    Another run that is in progress may have left a file for a moment before the first look.
    """

    def __init__(
        self, folder: str, since_ns: int, own_files: frozenset[_FileId] = frozenset()
    ) -> None:
        self._folder = folder
        self._own_files = own_files
        self._first = _look(folder, own_files)
        self._has_changed = self._first is None or self._first.newest_ns >= since_ns

    def has_changed(self) -> bool:
        """Return whether files may have changed; once they have, without another look."""
        if not self._has_changed:
            self._has_changed = _look(self._folder, self._own_files) != self._first
        return self._has_changed


def _open_files() -> frozenset[_FileId]:
    """Return the regular files that this process has open: its results, and redirected streams."""
    files = set()
    for descriptor in SYSTEM.open_descriptors():
        with suppress(OSError):  # the descriptor of the listing is closed
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                files.add(_FileId(status.st_dev, status.st_ino))
    return frozenset(files)


def watch_growth(folder: str) -> Callable[[], float]:
    """Return a function that says by how many MiB the files in a folder have grown since."""
    before = _allocated(folder)
    return lambda: (_allocated(folder) - before) / MIB


def _allocated(folder: str) -> int:
    """Return the bytes on the disk of what lies in a folder; an empty file takes a block, too."""
    total = 0
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                with suppress(OSError):
                    blocks = entry.stat(follow_symlinks=False).st_blocks
                    total += max(blocks * _STAT_BLOCK, _DISK_BLOCK)
    return total


class _FileId(NamedTuple):
    device: int
    inode: int


@dataclass(slots=True)
class _Look:
    """Numbers about the content of a folder: each change of it changes one of them."""

    files: int = 0  # and folders
    sum_of_times: int = 0  # of changes to their content and their status
    newest_ns: int = 0  # the latest time at which one of them may have changed

    def add(self, status: os.stat_result, lag_ns: int = _TICK_NS) -> None:
        self.files += 1
        self.sum_of_times += status.st_ctime_ns
        self.newest_ns = max(self.newest_ns, status.st_ctime_ns + lag_ns)


def _look(folder: str, own_files: frozenset[_FileId]) -> _Look | None:
    """Look at a folder and the folders and files in it, or return None if there are many.

    A folder that holds compiled modules changes when the first of them is compiled; one that holds
    a file of xtest changed when xtest made that, just before the first run.
    """
    look = _Look()
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        with suppress(OSError), os.scandir(path) as entries:
            has_cache = holds_own_file = False
            for entry in entries:
                if look.files == _MOST_SEEN:
                    return None
                if entry.name == _CACHE:
                    has_cache = True
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif (status := _status(entry)) is None:
                    continue
                elif _FileId(status.st_dev, status.st_ino) in own_files:
                    holds_own_file = True
                else:
                    look.add(status)
            if not has_cache:
                look.add(os.lstat(path), 0 if holds_own_file else _TICK_NS)
    return look


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # it has just been removed
        return None


def _written(upper: int, note_byte_code: Callable[[str], bool]) -> Written:
    """Return what lies in the upper layer of an overlay, except byte code.

    Of more than 4,096 files and folders, the others are not counted.
    """
    names: list[str] = []
    folders, left = [""], _MOST_FOUND
    while folders and left > 0:
        folder = folders.pop()
        try:
            descriptor = os.open(folder or ".", _FOLDER_FLAGS, dir_fd=upper)
        except OSError:  # its path is too long, or the program has forbidden to read it
            names.append(folder)
            continue
        with _closing_descriptor(descriptor), os.scandir(descriptor) as entries:
            for entry in islice(entries, left):
                left -= 1
                path = os.path.join(folder, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif not note_byte_code(path):
                    names.append(path)
    return Written(tuple(sorted(names)[:_MOST_NAMES]), len(names))


@contextmanager
def _closing_descriptor(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
