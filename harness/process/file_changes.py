"""Change modes and times of files for restricted processes, in a temporary folder.

Landlock cannot restrict these calls, so a seccomp filter passes them on.
Source: seccomp_unotify(2).
"""

from __future__ import annotations

import ctypes
import os
import select
import struct
from contextlib import suppress
from errno import EFAULT, EPERM
from fcntl import ioctl
from typing import Final

from harness.process.inventory import is_in
from harness.process.seccomp import LIBC, call_name, check_call

_RECEIVE: Final = 0xC050_2100  # SECCOMP_IOCTL_NOTIF_RECV
_SEND: Final = 0xC018_2101  # SECCOMP_IOCTL_NOTIF_SEND
_REQUEST: Final = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif
_ANSWER: Final = struct.Struct("=QqiI")  # struct seccomp_notif_resp
_AT_FDCWD: Final = -100
_NO_FOLLOW: Final = 0x100  # AT_SYMLINK_NOFOLLOW
# Where the flags are among the arguments after the file.
_FLAGS_AT: Final = {"fchmodat2": 1, "fchownat": 2, "utimensat": 1}
_ANY: Final = 0xFFFF_FFFF  # as a user or a group: unchanged
_SET_ID: Final = 0o6000  # setuid, setgid
_ALL_MODES: Final = 0o7777
_PATH_BYTES: Final = 4096
_TIMES_BYTES: Final = 32  # two struct timespec


def answer_calls(listener: int, folder: str) -> None:
    """Answer the calls of the processes under a filter until all have ended; close its descriptor.

    They may change files below the folder, which stays as it is.
    """
    folder = os.path.realpath(folder)
    try:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            with suppress(OSError):  # the process was killed
                _answer(listener, folder)
    finally:
        os.close(listener)


def _answer(listener: int, folder: str) -> None:
    request = bytearray(_REQUEST.size)
    ioctl(listener, _RECEIVE, request)
    number, pid, _, call, _, _, *arguments = _REQUEST.unpack(request)
    error = 0
    try:
        _carry_out(call_name(call), arguments, pid, folder)
    except OverflowError:  # an address of the kernel
        error = EFAULT
    except OSError as problem:
        error = problem.errno or EPERM
    ioctl(listener, _SEND, _ANSWER.pack(number, 0, -error, 0))


def _carry_out(name: str, arguments: list[int], pid: int, folder: str) -> None:
    """Carry out a system call of another process if its file is below the folder.

    The file that is checked is the one that changes, whatever happens to its path meanwhile. Raises
    OSError.
    """
    target, flags, values = _target_of(name, arguments, pid)
    no_follow = os.O_NOFOLLOW if flags & _NO_FOLLOW else 0
    file = os.open(target, os.O_PATH | os.O_CLOEXEC | no_follow)
    try:
        link = f"/proc/self/fd/{file}"
        path = os.readlink(link)
        if not is_in(path, folder) or path == folder:
            raise _refusal()
        if "chmod" in name:
            _chmod(link, values[0])
        elif "chown" in name:
            _check_owner(os.fstat(file), *values[:2])
        else:
            times = _read_memory(pid, values[0], _TIMES_BYTES) if values[0] else None
            if times is not None and len(times) < _TIMES_BYTES:
                raise OSError(EFAULT, os.strerror(EFAULT))
            check_call(LIBC.utimensat(_AT_FDCWD, os.fsencode(link), times, 0))
    finally:
        os.close(file)


def _target_of(name: str, arguments: list[int], pid: int) -> tuple[str, int, list[int]]:
    """Return the path by which this process finds the file that a call of another one changes, the
    flags, and the arguments after the file."""
    if name in ("chmod", "chown", "lchown"):
        arguments = [_AT_FDCWD, *arguments]
    elif name in ("fchmod", "fchown"):
        arguments = [arguments[0], 0, *arguments[1:]]
    folder, address, *values = arguments
    flags = _NO_FOLLOW if name == "lchown" else 0
    if name in _FLAGS_AT:
        flags = values[_FLAGS_AT[name]]
    folder = ctypes.c_int(folder & _ANY).value
    path = f"/proc/{pid}/" + ("cwd" if folder == _AT_FDCWD else f"fd/{folder}")
    if address:
        text = os.fsdecode(_read_memory(pid, address, _PATH_BYTES).partition(b"\0")[0])
        path = os.path.join(path, text.replace("/proc/self/", f"/proc/{pid}/", 1))
    return path, flags, values


def _chmod(path: str, mode: int) -> None:
    if mode & _SET_ID:
        raise _refusal()
    os.chmod(path, mode & _ALL_MODES)


def _check_owner(status: os.stat_result, user: int, group: int) -> None:
    """Refuse every other owner; a file keeps its own."""
    if user & _ANY not in (_ANY, status.st_uid) or group & _ANY not in (_ANY, status.st_gid):
        raise _refusal()


def _refusal() -> PermissionError:
    return PermissionError(EPERM, os.strerror(EPERM))


def _read_memory(pid: int, address: int, size: int) -> bytes:
    """Read memory of another process; less than `size` where it ends. Raises OSError."""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, address)
    finally:
        os.close(memory)
