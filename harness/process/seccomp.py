"""Restrict the system calls of a thread, and of what it starts, by a seccomp filter.

Landlock cannot restrict calls that change modes and times of files. The filter passes them on to a
thread, which carries them out in folders to which a subject may write.
Source: seccomp(2), seccomp_unotify(2), <linux/filter.h>, <linux/seccomp.h>.
"""

from __future__ import annotations

import ctypes
import os
import select
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from errno import EACCES, EBUSY, EFAULT, ENOSYS, EOPNOTSUPP, EPERM
from fcntl import ioctl
from itertools import chain
from typing import Final, NamedTuple

_ANY: Final = 0xFFFF_FFFF  # all bits of an argument; as a user or a group: unchanged


class _Condition(NamedTuple):
    """A system call is allowed if these bits of an argument, counted from 0, have this value."""

    argument: int
    bits: int
    value: int


_OWN_PROCESS: Final = (_Condition(0, _ANY, 0),)
# By machine: its number in seccomp, and the column of its numbers of system calls below.
_MACHINES: Final = {
    "x86_64": (0xC000_003E, 0),
    "aarch64": (0xC000_00B7, 1),
    "riscv64": (0xC000_00F3, 1),
}
# Numbers on x86-64 and on machines with the generic table, -1 where a call is missing.
_DENIED: Final = {
    "socket": (41, 198),
    # System V IPC, message queues and keys outlive a run.
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "semget": (64, 190),
    "shmget": (29, 194),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Old calls for times of files.
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
}
_UNSUPPORTED: Final = {  # programs manage without them
    "io_uring_setup": (425, 425),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
_ANSWERED: Final = {
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utimensat": (280, 88),
}
_CONDITIONAL: Final = {
    "prlimit64": ((302, 261), _OWN_PROCESS),
    "sched_setaffinity": ((203, 122), _OWN_PROCESS),
    "sched_setattr": ((314, 274), _OWN_PROCESS),
    "sched_setparam": ((142, 118), _OWN_PROCESS),
    "sched_setscheduler": ((144, 119), _OWN_PROCESS),
    "setpriority": ((141, 140), (_Condition(0, _ANY, 0), _Condition(1, _ANY, 0))),
    "ioprio_set": ((251, 30), (_Condition(0, _ANY, 1), _Condition(1, _ANY, 0))),
    # AF_UNIX; SOCK_STREAM or SOCK_SEQPACKET: a datagram socket can send to any path.
    "socketpair": ((53, 199), (_Condition(0, _ANY, 1), _Condition(1, 0b1011, 1))),
}

# Instructions of a filter, and what it returns.
_LOAD: Final = 0x20
_IF_EQUAL: Final = 0x15
_IF_AT_LEAST: Final = 0x35
_AND: Final = 0x54
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF_0000
_DENY: Final = 0x0005_0000 | EACCES
_NO_SUPPORT: Final = 0x0005_0000 | EOPNOTSUPP
_NO_CALL: Final = 0x0005_0000 | ENOSYS
_NOTIFY: Final = 0x7FC0_0000  # wait for an answer
_Instruction = tuple[int, int, int, int]

_SECCOMP: Final = (317, 277)
_SET_MODE_FILTER: Final = 1
_NEW_LISTENER: Final = 8

# The answers.
_RECEIVE: Final = 0xC050_2100  # SECCOMP_IOCTL_NOTIF_RECV
_SEND: Final = 0xC018_2101  # SECCOMP_IOCTL_NOTIF_SEND
_REQUEST: Final = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif
_RESPONSE: Final = struct.Struct("=QqiI")  # struct seccomp_notif_resp
_AT_FDCWD: Final = -100
_NO_FOLLOW: Final = 0x100  # AT_SYMLINK_NOFOLLOW
# Where the flags are among the arguments after the file.
_FLAGS_AT: Final = {"fchmodat2": 1, "fchownat": 2, "utimensat": 1}
_SET_ID: Final = 0o6000  # setuid, setgid
_ALL_MODES: Final = 0o7777
_PATH_BYTES: Final = 4096
_TIMES_BYTES: Final = 32  # two struct timespec

LIBC: Final = ctypes.CDLL(None, use_errno=True)


def can_filter() -> bool:
    """Return whether the numbers of system calls are known for this machine."""
    return os.uname().machine in _MACHINES


def restrict_calls() -> int | None:
    """Restrict the calling thread. Return the descriptor on which calls that change modes, owners
    and times of files must be answered, or None if they are denied.

    Sockets (also through io_uring), objects that outlive a run, and changes to the settings of
    other processes are always denied. Pipes and socketpair(2) still work. Raises OSError.
    """
    if not can_filter():
        return None
    column = _MACHINES[os.uname().machine][1]
    try:
        return _install(_SECCOMP[column], _NEW_LISTENER, _filter(_NOTIFY))
    except OSError as problem:
        if problem.errno != EBUSY:  # another filter has a listener already
            raise
    _install(_SECCOMP[column], 0, _filter(_DENY))
    return None


def answer_calls(listener: int, may_change: Callable[[str], bool]) -> None:
    """Answer the calls of the processes under a filter until all have ended; close its descriptor.

    `may_change` returns whether they may change the file at a path without links.
    """
    try:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            with suppress(OSError):  # the process was killed
                _answer(listener, may_change)
    finally:
        os.close(listener)


def check_call(result: int) -> int:
    """Return the result of a system call. Raises OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _install(call: int, flags: int, instructions: list[_Instruction]) -> int:
    program = b"".join(struct.pack("HBBI", *each) for each in instructions)
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(buffer))
    return check_call(LIBC.syscall(call, _SET_MODE_FILTER, flags, header))


def _filter(answered: int) -> list[_Instruction]:
    """Return the instructions of the filter; `answered` is the action for `_ANSWERED`."""
    architecture, column = _MACHINES[os.uname().machine]
    tables = (_DENIED, _DENY), (_UNSUPPORTED, _NO_SUPPORT), (_ANSWERED, answered)
    actions = {calls[column]: action for table, action in tables for calls in table.values()}
    actions.pop(-1, None)
    return [
        (_LOAD, 0, 0, 4),  # the architecture
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _NO_CALL),
        (_LOAD, 0, 0, 0),  # the number of the call
        (_IF_AT_LEAST, 0, 1, 0x4000_0000),  # x32
        (_RETURN, 0, 0, _NO_CALL),
        *chain(*(((_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, actions[call])) for call in actions)),
        *chain(*(_conditional(calls[column], those) for calls, those in _CONDITIONAL.values())),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _conditional(call: int, conditions: Iterable[_Condition]) -> Iterator[_Instruction]:
    """Yield instructions that allow a call if all conditions hold, and leave out other calls."""
    tests: list[_Instruction] = []
    for argument, bits, value in conditions:
        # The lower half of the argument; these machines are little-endian.
        tests += [(_LOAD, 0, 0, 16 + 8 * argument), (_AND, 0, 0, bits)]
        tests += [(_IF_EQUAL, 1, 0, value), (_RETURN, 0, 0, _DENY)]
    yield _IF_EQUAL, 0, len(tests) + 1, call
    yield from tests
    yield _RETURN, 0, 0, _ALLOW


# Answers to calls that the filter passes on.


def _answer(listener: int, may_change: Callable[[str], bool]) -> None:
    request = bytearray(_REQUEST.size)
    ioctl(listener, _RECEIVE, request)
    number, pid, _, call, _, _, *arguments = _REQUEST.unpack(request)
    error = 0
    try:
        column = _MACHINES[os.uname().machine][1]
        name = next(name for name, numbers in _ANSWERED.items() if numbers[column] == call)
        _carry_out(name, arguments, pid, may_change)
    except OverflowError:  # an address of the kernel
        error = EFAULT
    except OSError as problem:
        error = problem.errno or EPERM
    ioctl(listener, _SEND, _RESPONSE.pack(number, 0, -error, 0))


def _carry_out(
    name: str, arguments: list[int], pid: int, may_change: Callable[[str], bool]
) -> None:
    """Carry out a system call of another process if it may change the file.

    The file that is checked is the one that changes, whatever happens to its path meanwhile. Raises
    OSError.
    """
    target, flags, values = _target_of(name, arguments, pid)
    no_follow = os.O_NOFOLLOW if flags & _NO_FOLLOW else 0
    file = os.open(target, os.O_PATH | os.O_CLOEXEC | no_follow)
    try:
        link = f"/proc/self/fd/{file}"
        if not may_change(os.readlink(link)):
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
