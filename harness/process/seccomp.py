"""Restrict the system calls of a thread, and of what it starts, by a seccomp filter.

Source: seccomp(2), <linux/filter.h>, <linux/seccomp.h>.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator
from errno import EACCES, EBUSY, ENOSYS, EOPNOTSUPP
from itertools import chain
from typing import Final, NamedTuple

_ANY: Final = 0xFFFF_FFFF  # all bits of an argument


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
_UNSUPPORTED: Final = {  # programs go on without them
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

LIBC: Final = ctypes.CDLL(None, use_errno=True)


def can_filter() -> bool:
    """Return whether the numbers of system calls are known for this machine."""
    return os.uname().machine in _MACHINES


def restrict_calls() -> int | None:
    """Restrict the calling thread. Return the descriptor on which calls that change modes, owners
    and times of files must be answered, or None if they are denied.

    Always denied are sockets, also by io_uring, what outlives a run, and settings of other
    processes. Pipes and socketpair(2) still work. Raises OSError.
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


def _install(call: int, flags: int, instructions: list[_Instruction]) -> int:
    program = b"".join(struct.pack("HBBI", *each) for each in instructions)
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(buffer))
    return check_call(LIBC.syscall(call, _SET_MODE_FILTER, flags, header))


def check_call(result: int) -> int:
    """Return the result of a system call. Raises OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


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


def call_name(number: int) -> str:
    """Return the name of a system call that must be answered."""
    column = _MACHINES[os.uname().machine][1]
    return next(name for name, numbers in _ANSWERED.items() if numbers[column] == number)
