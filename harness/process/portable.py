"""Watch programs as any POSIX system can: waitpid, process groups, resource limits, and psutil for
what a process tree uses.

Without psutil, or where it sees no processes, only what the kernel reports of a program at its end
is known.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from signal import SIGTERM
from time import time
from typing import Any, ClassVar, Final

from harness.model.limits import MIB
from harness.model.protection import Accounting
from harness.process.backend import (
    CLOSED,
    LOOPBACK_HOSTS,
    Backend,
    NoGroups,
    OrphanList,
    Process,
    RunGroups,
    address_text,
)
from harness.process.starting import exit_of, spawn_by_fork

psutil: Any = None
with suppress(ImportError):
    psutil = import_module("psutil")

# A process has ended, or belongs to another user.
_GONE: Final = (ProcessLookupError, PermissionError, *((psutil.Error,) if psutil else ()))
_MOST_DESCRIPTORS: Final = 4_096  # that are searched where the system lists none
_TICKS: Final = 100  # a second, as starts of processes are counted
_STATES: Final = {"running": "R", "disk-sleep": "D", "stopped": "T", "zombie": "Z", "dead": "X"}


class PortableBackend(Backend):  # pylint: disable=too-many-public-methods  # what systems do differently
    name: ClassVar[str] = "portable"
    has_namespaces: ClassVar[bool] = False

    def __init__(self) -> None:
        self.accounting = Accounting.PSUTIL if _sees_processes() else Accounting.EXIT
        self._newcomers = _Newcomers()
        self._parent: tuple[int, int] | None = None  # with the signal for its end

    def require(self) -> None:
        pass

    def missing_protections(self) -> list[str]:
        lost = "a process that a subject leaves in another session may stay alive, uncounted"
        if self.accounting is Accounting.EXIT:
            lost += "; without psutil, memory and processes cannot be limited"
        return [f"portable back end: {lost}"]

    def adopt_orphans(self, adopt: bool = True) -> bool:
        return False

    def adopts_orphans(self) -> bool:
        return False

    def end_with_parent(self, parent: int, number: int = SIGTERM) -> None:
        self._parent = parent, number
        self.check_parent()

    def check_parent(self) -> None:
        if self._parent is not None and os.getppid() != self._parent[0]:
            number = self._parent[1]
            self._parent = None
            os.kill(os.getpid(), number)

    def forbid_tracing(self) -> None:
        pass

    def open_descriptors(self) -> list[int]:
        with suppress(OSError), open(os.devnull, "rb") as probe:
            descriptors = [int(name) for name in os.listdir("/dev/fd")]
            if probe.fileno() in descriptors:  # some systems list the standard streams alone
                return descriptors
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return list(range(min(most % (1 << 62), _MOST_DESCRIPTORS)))

    def address_space(self) -> int | None:
        if self.accounting is Accounting.EXIT:
            return None
        return int(psutil.Process().memory_info().vms)

    def start(
        self,
        argv: tuple[str, ...],
        variables: Mapping[bytes, bytes],
        streams: Sequence[int],
        rlimits: Mapping[int, int],
    ) -> int:
        return spawn_by_fork(argv, variables, streams, rlimits)

    def limit(self, pid: int, rlimits: Mapping[int, int]) -> None:
        pass  # they are set from the start

    def open_exit(self, pid: int) -> int:
        return CLOSED

    exit_of = staticmethod(exit_of)

    def groups(self) -> RunGroups:
        return NoGroups()

    def read_process(self, pid: int) -> Process | None:
        if self.accounting is Accounting.EXIT:
            return None
        with suppress(*_GONE):
            return _read(psutil.Process(pid))
        return None

    def processes(self, skipped: Collection[int] = ()) -> dict[int, Process]:
        if self.accounting is Accounting.EXIT:
            return {}
        living = {}
        for each in self._newcomers.list():
            with suppress(*_GONE):
                if each.pid not in skipped:
                    living[each.pid] = _read(each)
        return living

    def orphan_list(self) -> OrphanList:
        return _Strangers(self._newcomers) if self.accounting is Accounting.PSUTIL else _Nobody()

    def peak_resident_mib(self, pid: int) -> float:
        return 0.0

    def own_memory_mib(self, members: Sequence[Process]) -> float:
        # Where the system does not tell, processes may share everything: the largest counts.
        total = largest = 0
        for member in members:
            with suppress(*_GONE):
                process = psutil.Process(member.pid)
                own = _own_memory(process)
                total += own or 0
                largest = max(largest, process.memory_info().rss if own is None else 0)
        return (total + largest) / MIB

    def has_mark(self, pid: int, mark: bytes) -> bool:
        name, _, value = os.fsdecode(mark).partition("=")
        with suppress(*_GONE):
            return str(psutil.Process(pid).environ().get(name, "")).startswith(value)
        return False

    def is_starting(self, pid: int) -> bool:
        return False  # a fork is followed by an exec before `start` returns

    def is_starved(self, members: Sequence[Process], pipes: Collection[int]) -> bool:
        # Not known: which of them holds a pipe.
        return any(member.state in "RD" for member in members)

    def listening(self, pids: Collection[int]) -> tuple[str, ...]:
        addresses = set()
        for pid in pids if self.accounting is Accounting.PSUTIL else ():
            with suppress(*_GONE, AttributeError):  # before psutil 6
                for each in psutil.Process(pid).net_connections("tcp"):
                    if each.status == psutil.CONN_LISTEN:
                        addresses.add(address_text(*each.laddr[:2]))
        return tuple(sorted(addresses))

    @property
    def sees_connections(self) -> bool:
        return self.accounting is Accounting.PSUTIL

    def listens(self, port: int, pid: int) -> bool:
        with suppress(*_GONE, AttributeError):
            process = psutil.Process(pid)
            pids = [pid, *(child.pid for child in process.children(recursive=True))]
            wanted = {address_text(host, port) for host in LOOPBACK_HOSTS}
            return not wanted.isdisjoint(self.listening(pids))
        return False

    def connects(self, pids: Collection[int], port: int) -> bool:
        for pid in pids:
            with suppress(*_GONE, AttributeError):
                for each in psutil.Process(pid).net_connections("tcp"):
                    if each.raddr and each.raddr[1] == port and each.status != psutil.CONN_SYN_SENT:
                        return True
        return False

    def is_called(self, port: int, pid: int) -> bool:
        return True  # not known: connections that have ended belong to no process


def _sees_processes() -> bool:
    if psutil is not None:
        with suppress(psutil.Error, OSError):
            return bool(psutil.Process().is_running())
    return False


def _read(process: Any) -> Process:
    pid = process.pid
    with process.oneshot():
        times, state = process.cpu_times(), process.status()
        cpu_s = times.user + times.system
        for name in ("children_user", "children_system"):
            cpu_s += getattr(times, name, 0.0)
        is_over = state == psutil.STATUS_ZOMBIE
        return Process(
            pid=pid,
            state=_STATES.get(state, "S"),
            parent=process.ppid(),
            group=os.getpgid(pid),
            session=_session_of(pid),
            started=round(process.create_time() * _TICKS),
            cpu_s=cpu_s,
            resident=0 if is_over else process.memory_info().rss,
        )


def _session_of(pid: int) -> int:
    with suppress(PermissionError):  # some systems tell only those of the own session
        return os.getsid(pid)
    return -pid


def _own_memory(process: Any) -> int | None:
    """Return memory without shared pages, or with a part of them; None if the system, such as
    macOS for other processes, does not tell."""
    try:
        whole = process.memory_full_info()
    except psutil.NoSuchProcess:
        raise
    except (psutil.Error, AttributeError):
        return None
    return int(getattr(whole, "pss", whole.uss))


class _Nobody:
    """Where no processes can be seen."""

    is_complete = True

    def pids(self) -> list[int]:
        return []

    def close(self) -> None:
        pass


class _Newcomers:
    """Processes that programs may have started: younger than xtest, and not below an older process.

    Orphans have a new parent, but only among the ancestors of the process that started them.
    """

    def __init__(self) -> None:
        self._since = time() - 1  # no program was started before
        self._is_foreign: dict[Any, bool] = {}  # by process

    @cached_property
    def _own(self) -> frozenset[int]:
        """This process and its ancestors."""
        process = psutil.Process()
        return frozenset((0, 1, process.pid, *(each.pid for each in process.parents())))

    def list(self) -> Iterator[Any]:
        """Yield processes, of which some may belong to anybody."""
        before, self._is_foreign = self._is_foreign, {}
        for each in psutil.process_iter():
            with suppress(*_GONE):
                if each.create_time() < self._since:
                    continue
                is_foreign = before.get(each)
                if is_foreign is None:
                    is_foreign = self._is_below_another(each)
                self._is_foreign[each] = is_foreign
                if not is_foreign:
                    yield each

    def _is_below_another(self, process: Any) -> bool:
        while process is not None and process.pid not in self._own:
            if process.create_time() < self._since:
                return True
            process = process.parent()
        return False


class _Strangers(_Nobody):
    """Processes of this user that were started after this list. They may belong to anybody."""

    def __init__(self, newcomers: _Newcomers) -> None:
        self._newcomers = newcomers
        self._since = time() - 1
        self._user = os.getuid()

    def pids(self) -> list[int]:
        pids = []
        for each in self._newcomers.list():
            with suppress(*_GONE):
                if each.create_time() >= self._since and self._may_run(each):
                    pids.append(each.pid)
        return pids

    def _may_run(self, process: Any) -> bool:
        is_ours: bool = process.uids().real == self._user
        return is_ours and process.status() != psutil.STATUS_ZOMBIE
