"""Mount private views of folders in mount namespaces, which other processes do not see.

An ordinary user needs a user namespace for it, in which only this user exists. Source: unshare(2),
setns(2), mount(2), overlayfs(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from ctypes import get_errno
from errno import EINVAL, EPERM
from fcntl import ioctl
from functools import partial
from select import POLLPRI, poll
from socket import AF_INET, SOCK_DGRAM, socket, socketpair
from struct import pack
from typing import Final

from harness.process.own_process import fork
from harness.process.seccomp import LIBC

_CLONE_FS: Final = 0x0000_0200
_CLONE_NEWNS: Final = 0x0002_0000
_CLONE_NEWUSER: Final = 0x1000_0000
_CLONE_NEWNET: Final = 0x4000_0000
_SIOCSIFFLAGS: Final = 0x8914  # netdevice(7)
_IFF_UP: Final = 1
_MS_RDONLY: Final = 1
_MS_NOSUID: Final = 2
_MS_REMOUNT: Final = 1 << 5
_MS_BIND: Final = 1 << 12
_MS_REC: Final = 1 << 14
_MS_PRIVATE: Final = 1 << 18
_MNT_DETACH: Final = 2
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_EMPTY: Final = "size=65536,mode=0555"
_MOST_FILES: Final = 65_536  # in the upper layer of a view


class Namespaces:
    """The mount namespace that this process came from, and how to make and enter others.

    Making the first one moves an ordinary user's process to a user namespace, for good; the process
    must have one thread. Raises OSError if the system allows no namespaces.
    """

    def __init__(self) -> None:
        self._is_root: Final = os.geteuid() == 0
        if not self._is_root:
            if _has_capabilities():
                raise OSError(EPERM, "capabilities would be lost in a user namespace")
            _enter_user_namespace()
        self._home: Final = _open_namespace()

    def make(self) -> int:
        """Return the descriptor of a new mount namespace, a copy of this one."""
        with self.inside(self._home):
            _check(LIBC.unshare(_CLONE_NEWNS), "unshare")
            _mount("none", "/", "", _MS_REC | _MS_PRIVATE, "")
            return _open_namespace()

    @contextmanager
    def inside(self, namespace: int, folder: str = "/") -> Iterator[None]:
        """Be in a folder of a mount namespace during the block."""
        left = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _enter(namespace)
            os.chdir(folder)
            yield
        finally:
            _enter(self._home)
            os.fchdir(left)
            os.close(left)

    @property
    def overlay_options(self) -> str:
        """The options that an overlay of this user needs."""
        return "" if self._is_root else ",userxattr"

    def close(self) -> None:
        os.close(self._home)


class OverlayMount:
    """An overlay over a folder in the current mount namespace: what is written goes to memory.

    At most `size` bytes can be written.
    """

    def __init__(self, folder: str, scratch: str, size: int) -> None:
        self._folder = folder
        self._scratch = scratch
        self._size = size
        self.upper = -1  # the descriptor of the folder with all that was written

    def mount(
        self, options: str, layers: tuple[str, ...], hidden: tuple[tuple[str, bool], ...]
    ) -> None:
        """Mount the overlay; what was written before is gone. Raises OSError.

        `layers` are folders that lie over the folder, the topmost first. `hidden` are paths in the
        folder, parents first: what lies there cannot be seen, unless it is shown again (True).
        """
        limits = f"size={self._size},nr_inodes={_MOST_FILES},mode=0700"
        _mount("tmpfs", self._scratch, "tmpfs", _MS_NOSUID, limits)
        try:
            for name in ("upper", "work"):
                os.mkdir(f"{self._scratch}/{name}")
            with ExitStack() as stack:
                # By descriptors: paths may have commas and colons.
                memory = _by_descriptor(self._scratch, stack)
                lower = ":".join(_by_descriptor(each, stack) for each in (*layers, self._folder))
                _copy_mode(self._folder, f"{self._scratch}/upper")
                above = f"upperdir={memory}/upper,workdir={memory}/work"
                data = f"lowerdir={lower},{above}{options}"
                _mount("overlay", self._folder, "overlay", 0, data)
            self.upper = os.open(f"{self._scratch}/upper", _FOLDER_FLAGS)
            _hide(hidden)
        finally:
            # The overlay keeps it; no program finds it by its path.
            _unmount(self._scratch)

    def unmount(self) -> None:
        """Unmount the overlay, also if processes still use it."""
        if self.upper >= 0:
            self.close()
            _unmount(self._folder)

    def close(self) -> None:
        """Release what is in use, without unmounting the overlay."""
        if self.upper >= 0:
            os.close(self.upper)
            self.upper = -1


class MountChanges:
    """The changes of the mounts in the current mount namespace. Source: proc_pid_mountinfo(5)."""

    def __init__(self) -> None:
        self._descriptor = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        self._poll = poll()
        self._poll.register(self._descriptor, POLLPRI)

    def take(self) -> bool:
        """Return whether something was mounted, remounted or unmounted since the last call."""
        return bool(self._poll.poll(0))

    def close(self) -> None:
        os.close(self._descriptor)


def _hide(paths: tuple[tuple[str, bool], ...]) -> None:
    """Mount empty folders and files over paths, and on these what is shown again."""
    empty: list[str] = []
    with ExitStack() as stack:
        shown = {
            path: _by_descriptor(path, stack)
            for path, is_shown in paths
            if is_shown and os.path.exists(path)
        }
        for path, is_shown in paths:
            if path in shown:
                if os.path.isdir(shown[path]):
                    os.makedirs(path, exist_ok=True)
                elif not os.path.exists(path):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    os.mknod(path)
                _mount(shown[path], path, "", _MS_BIND | _MS_REC, "")
            elif not is_shown and os.path.isdir(path):
                _mount("tmpfs", path, "tmpfs", 0, _EMPTY)
                empty.append(path)
            elif not is_shown and os.path.exists(path):
                _mount(os.devnull, path, "", _MS_BIND, "")
    for path in empty:
        _mount("tmpfs", path, "", _MS_REMOUNT | _MS_RDONLY, _EMPTY)


def _by_descriptor(path: str, stack: ExitStack) -> str:
    """Return a path without special characters for another one, as long as the stack is open."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    return f"/proc/self/fd/{descriptor}"


def _copy_mode(source: str, target: str) -> None:
    """Give the top of the upper layer, which hides the folder's own, the same mode and owner."""
    status = os.stat(source)
    os.chmod(target, status.st_mode & 0o7777)
    if os.geteuid() == 0:
        os.chown(target, status.st_uid, status.st_gid)


def mounts_below(folder: str) -> bool:
    """Return whether something is mounted below a folder; an overlay would not show it."""
    prefix = folder.rstrip("/") + "/"
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
        points = (line.split(" ")[4] for line in mounts)
        return any(_unescape(point).startswith(prefix) for point in points)


def _unescape(path: str) -> str:
    """Return a path of mountinfo(5), in which white space and backslashes are octal."""
    first, *others = path.split("\\")
    return first + "".join(chr(int(other[:3], 8)) + other[3:] for other in others)


def _has_capabilities() -> bool:
    """Return whether this process may do what an ordinary user may not."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        effective = next((line for line in status if line.startswith("CapEff:")), "CapEff:\t0")
    return int(effective.split()[1], 16) != 0


def enter_own_network() -> None:
    """Move this thread to a network namespace of its own, which has only a loopback interface.

    An ordinary user's process moves to a user namespace first, unless it is in one. Raises OSError.
    """
    if LIBC.unshare(_CLONE_NEWNET) != 0:
        if get_errno() != EPERM or os.geteuid() == 0:
            _check(-1, "unshare")
        _enter_user_namespace()
        _check(LIBC.unshare(_CLONE_NEWNET), "unshare")
    with socket(AF_INET, SOCK_DGRAM) as any_socket:
        ioctl(any_socket, _SIOCSIFFLAGS, pack("16sh22x", b"lo", _IFF_UP))


def _enter_user_namespace() -> None:
    """Move this process to a user namespace in which only its user exists, and to a mount namespace
    of that. Raises OSError.

    Another process makes the user namespace, and ends when the socket is closed: the maps of a
    process that may not be traced, such as a worker, belong to root.
    """
    user, group = os.geteuid(), os.getegid()
    ours, its = socketpair()
    with ours:
        with its:
            maker = fork(partial(_hold_user_namespace, its.fileno()))
        try:
            if not ours.recv(1):
                raise OSError(EPERM, "no user namespace can be made")
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/{maker}/{name}", "w", encoding="ascii") as file:
                    file.write(text)
            namespace = os.open(f"/proc/{maker}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            ours.close()
            os.waitpid(maker, 0)
    try:
        _check(LIBC.setns(namespace, _CLONE_NEWUSER), "setns")
    finally:
        os.close(namespace)
    _check(LIBC.unshare(_CLONE_NEWNS), "unshare")


def _hold_user_namespace(connection: int) -> int:
    with suppress(OSError):
        _check(LIBC.unshare(_CLONE_NEWUSER), "unshare")
        os.dup2(connection, 0)
        os.dup2(connection, 1)
        # A new program may be traced again.
        os.execv("/bin/sh", ("sh", "-c", "echo; read _"))
    return 1


def _open_namespace() -> int:
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)


def _enter(namespace: int) -> None:
    if LIBC.setns(namespace, _CLONE_NEWNS) == 0:
        return
    if get_errno() == EINVAL:  # other threads share the working folder of this one
        _check(LIBC.unshare(_CLONE_FS), "unshare")
    _check(LIBC.setns(namespace, _CLONE_NEWNS), "setns")


def _mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
    encoded = os.fsencode(target), os.fsencode(kind) or None, flags, os.fsencode(data) or None
    _check(LIBC.mount(os.fsencode(source), *encoded), f"mount {kind}")


def _unmount(target: str) -> None:
    _check(LIBC.umount2(os.fsencode(target), _MNT_DETACH), "umount")


def _check(result: int, call: str) -> None:
    if result != 0:
        number = get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
