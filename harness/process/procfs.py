"""Read processes and their resource usage from /proc.

A process that ends while it is read counts as absent. Source: proc(5), proc_pid_task(5), kcmp(2).
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final, NamedTuple

from harness.model.limits import MIB
from harness.process.backend import LOOPBACK_HOSTS, Process, address_text

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_KCMP: Final = {"x86_64": 312, "aarch64": 272, "riscv64": 272}  # the system call, by machine
_KCMP_VM: Final = 1
_LIBC: Final = ctypes.CDLL(None)
_LISTENS: Final = "0A"  # states of a socket in /proc/net/tcp
_SYN_SENT: Final = "02"
_LISTING_BYTES: Final = 4096
_READING_S: Final = 2.0  # the longest that a sample reads memory
_RUNNABLE: Final = "RD"  # D: waiting for a disk
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")


def read_process(pid: int) -> Process | None:
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name is in parentheses and may contain anything; after the last one follow the fields.
    fields = text[text.rindex(b")") + 2 :].split()
    ticks = sum(int(word) for word in fields[11:15])
    state, resident = chr(fields[0][0]), int(fields[21]) * _PAGE
    if state == "Z" and int(fields[17]) > 1:  # it has other threads
        state, resident = _without_main_thread(pid)
    return Process(
        pid=pid,
        state=state,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        cpu_s=ticks * _TICK_S,
        resident=resident,
    )


def _without_main_thread(pid: int) -> tuple[str, int]:
    """Return state and memory of a process whose main thread has left.

    The kernel lists it as a zombie without memory, but its other threads show the memory.
    """
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            resident = int(_read(f"/proc/{pid}/task/{thread}/statm").split()[1])
            if resident:
                return "S", resident * _PAGE
    except OSError:
        pass
    return "Z", 0


def processes(skipped: Collection[int] = ()) -> dict[int, Process]:
    numbers = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {
        pid: process
        for pid in numbers
        if pid not in skipped and (process := read_process(pid)) is not None
    }


class ChildList:
    """The kernel's list of a process's children: of those of its main thread, with which it also
    lists orphans that the process adopted. It is empty if the kernel has no such list."""

    def __init__(self, pid: int) -> None:
        self._file = -1
        with suppress(OSError):
            self._file = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC)

    def pids(self) -> list[int]:
        listed = b""
        while self._file >= 0 and (more := os.pread(self._file, _LISTING_BYTES, len(listed))):
            listed += more
        return [int(pid) for pid in listed.split()]

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def children(pid: int) -> list[int]:
    """Return the numbers of a process's children, zombies included.

    The kernel may miss one while the list changes: a caller must repeat an empty answer.
    """
    pids: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # the process has ended
    return pids


class _Connection(NamedTuple):
    """A line of the kernel's tables of TCP sockets."""

    local: tuple[str, str]  # host and port
    remote: tuple[str, str]
    state: str
    socket: str  # as a descriptor names it


def _connections(pid: int) -> Iterator[_Connection]:
    """Yield the TCP sockets of the network namespace of a process."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in _read(f"/proc/{pid}/net/{table}").decode("ascii").splitlines()[1:]:
                fields = line.split()
                local, remote = ((*each.split(":"),) for each in fields[1:3])
                yield _Connection(
                    (local[0], local[1]), (remote[0], remote[1]), fields[3], f"socket:[{fields[9]}]"
                )


def _sockets(pids: Iterable[int]) -> set[str]:
    """Return what the descriptors of processes lead to."""
    sockets = set()
    for pid in pids:
        with suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    return sockets


def listening(pids: Collection[int]) -> tuple[str, ...]:
    """Return the addresses and ports at which processes of one network namespace listen."""
    sockets = _sockets(pids)
    return tuple(
        sorted(
            {
                address_text(_host(one.local[0]), int(one.local[1], 16))
                for pid in list(pids)[:1]
                for one in _connections(pid)
                if one.state == _LISTENS and one.socket in sockets
            }
        )
    )


def listens(port: int, pid: int) -> bool:
    """Return whether something listens on a port of the loopback interface of a process."""
    wanted = f"{port:04X}"
    return any(
        one.state == _LISTENS and one.local[1] == wanted and _host(one.local[0]) in LOOPBACK_HOSTS
        for one in _connections(pid)
    )


def connects(pids: Collection[int], port: int) -> bool:
    """Return whether one of the processes has, or may have, a connection to a port."""
    if not all(os.access(f"/proc/{pid}/fd", os.R_OK) for pid in pids):
        return True
    wanted, sockets = f"{port:04X}", _sockets(pids)
    return any(
        one.remote[1] == wanted and one.state != _SYN_SENT and one.socket in sockets
        for pid in list(pids)[:1]
        for one in _connections(pid)
    )


def is_called(port: int, pid: int) -> bool:
    """Return whether there is a connection to a port in the network namespace of a process, or one
    has just ended."""
    wanted = f"{port:04X}"
    return any(
        one.remote[1] == wanted or one.local[1] == wanted and one.state != _LISTENS
        for one in _connections(pid)
    )


def _host(host: str) -> str:
    """Return an address; the kernel prints words of 32 bits in its own byte order."""
    parts = [int(host[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(host), 8)]
    family = socket.AF_INET if len(parts) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, b"".join(parts))


def peak_resident_mib(pid: int) -> float:
    """Return the peak resident memory of a process in MiB, or 0 if it has ended."""
    try:
        for line in _read(f"/proc/{pid}/status").splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def own_memory_mib(members: Sequence[Process]) -> float:
    """Return the memory of processes in MiB, without file-backed pages; shared pages count once.

    Return 0 if it cannot be read in time: a fork blocks the reader until it is complete, and each
    process of a fork bomb waits long for a processor.
    """
    sizes = [0]
    reader = Thread(target=lambda: sizes.append(_read_own_memory(members)), daemon=True)
    reader.start()
    reader.join(_READING_S)
    return sizes[-1] / MIB


def _read_own_memory(members: Sequence[Process]) -> int:
    """Read each process twice, and count the lower value.

    Otherwise a page that one process gives up, by exec or exit, while the others are read would
    count too often.
    """
    # A comparison of all pairs would be quadratic.
    distinct = [each.pid for each in members if not _have_same_memory(each.pid, each.parent)]
    first = [_own_memory(pid) for pid in distinct]
    second = [_own_memory(pid) for pid in distinct]
    return sum(map(min, first, second))


def _have_same_memory(one: int, other: int) -> bool:
    """Return whether a process still runs in the memory of another, as after vfork."""
    number = _KCMP.get(os.uname().machine)
    return number is not None and _LIBC.syscall(number, one, other, _KCMP_VM, 0, 0) == 0


def _own_memory(pid: int) -> int:
    try:
        lines = _read(f"/proc/{pid}/smaps_rollup").splitlines()
        shares = [line.split()[1] for line in lines if line.startswith((b"Pss_A", b"Pss_S"))]
        return sum(map(int, shares)) * 1024
    except OSError:
        process = read_process(pid)  # it has ended, or its main thread has, or it must not be read
        return process.resident if process is not None else 0


def has_mark(pid: int, mark: bytes) -> bool:
    """Return whether a process was started with a variable that begins with this mark."""
    try:
        return b"\0" + mark in b"\0" + _read(f"/proc/{pid}/environ")
    except OSError:
        return False  # the process has ended, or changed its user


def is_starting(pid: int) -> bool:
    """Return whether a process has no command line yet, nor an environment; it may have ended."""
    try:
        return not _read(f"/proc/{pid}/cmdline")
    except OSError:
        return False


def is_starved(members: Sequence[Process], pipes: Collection[int]) -> bool:
    """Return whether a process that holds one of the pipes waits for a processor or a disk."""
    inodes = {os.fstat(pipe).st_ino for pipe in pipes}
    return any(
        member.state in _RUNNABLE and not inodes.isdisjoint(_open_files(member.pid))
        for member in members
    )


def _open_files(pid: int) -> set[int]:
    """Return the inodes of the files that a process has open, as far as they are known."""
    inodes = set()
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            inodes.add(os.stat(f"/proc/{pid}/fd/{name}").st_ino)
    except OSError:
        pass  # the process has ended, or belongs to another user
    return inodes


def _read(path: str) -> bytes:
    """Read a file of the kernel's, which may give a long list in parts of less than a page."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = b""
        while more := os.read(descriptor, 65_536):
            text += more
        return text
    finally:
        os.close(descriptor)
