"""Declare what watching programs needs of the system: one interface, with a back end for Linux and
one for any POSIX system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from signal import SIGTERM
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from harness.model.limits import Limits
from harness.model.protection import Accounting, Protection
from harness.model.transcript import Job

CLOSED: Final = -1  # in place of a descriptor


class Process(NamedTuple):
    """A process as the system lists it.

    `started` distinguishes it from an earlier process with the same number. `cpu_s` includes the
    children that it waited for.
    """

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int  # clock ticks since boot
    cpu_s: float
    resident: int  # bytes

    @property
    def is_zombie(self) -> bool:
        """True if the process has ended and waits to be reaped."""
        return self.state in "ZX"


class ExitInfo(NamedTuple):
    """The wait status of a process, and its CPU time including children that it waited for."""

    status: int
    cpu_s: float


class RunGroup(Protocol):
    """A group of the system, if it has any, that counts and contains the processes of a run."""

    @property
    def accounting(self) -> Accounting: ...

    def pids(self) -> list[int]: ...

    def cpu_s(self) -> float: ...

    def has_exceeded_memory(self) -> bool: ...

    def kill(self) -> None: ...

    def start(self, job: Job) -> Job:
        """Return the job with a launcher that starts it in the group."""


class RunGroups(Protocol):
    """The groups of a worker."""

    def take(self) -> RunGroup | None:
        """Return a group without processes, or None if there is none."""

    def give_back(self, group: Any) -> None: ...

    def close(self) -> None: ...


class NoGroups:
    """The groups of a system without them."""

    def take(self) -> RunGroup | None:
        return None

    def give_back(self, group: RunGroup) -> None:
        pass

    def close(self) -> None:
        pass


class OrphanList(Protocol):
    """Processes that orphans are among, as the system lists them."""

    def pids(self) -> list[int]: ...

    def close(self) -> None: ...


class Backend(ABC):  # pylint: disable=too-many-public-methods  # what systems do differently
    """A way to start, watch and end programs.

    `accounting` is how usage is counted without groups. Only with `has_namespaces` do runs have
    private folders, sandboxes and fork sessions.
    """

    name: ClassVar[str]
    has_namespaces: ClassVar[bool]
    accounting: Accounting

    # The processes of xtest itself.

    @abstractmethod
    def require(self) -> None:
        """Raise UsageError if the system lacks what this back end needs."""

    @abstractmethod
    def missing_protections(self) -> list[str]:
        """Return a sentence for each promise that does not hold on this system."""

    @abstractmethod
    def adopt_orphans(self, adopt: bool = True) -> bool:
        """Adopt orphaned descendants, or cease to; return False if the system cannot."""

    @abstractmethod
    def adopts_orphans(self) -> bool:
        """Return whether this process adopts orphaned descendants."""

    @abstractmethod
    def end_with_parent(self, parent: int, number: int = SIGTERM) -> None:
        """Have this process get a signal when its parent ends."""

    @abstractmethod
    def check_parent(self) -> None:
        """Send that signal, if the parent has ended and the system has not sent it."""

    @abstractmethod
    def forbid_tracing(self) -> None:
        """Keep processes of the same user from reading the memory of this one and of its future
        children, and from reopening their descriptors.

        Programs that those children execute can be traced as usual.
        """

    @abstractmethod
    def open_descriptors(self) -> list[int]:
        """Return the open descriptors of this process; some may be closed already."""

    @abstractmethod
    def address_space(self) -> int | None:
        """Return the bytes of memory that this process shares with the one it was forked from, or
        None if they are unknown."""

    # Programs.

    @abstractmethod
    def start(
        self,
        argv: tuple[str, ...],
        variables: Mapping[bytes, bytes],
        streams: Sequence[int],
        rlimits: Mapping[int, int],
    ) -> int:
        """Start a program that leads a session of its own. Raises OSError or ValueError.

        `streams` become its descriptors from 0 on.
        """

    @abstractmethod
    def limit(self, pid: int, rlimits: Mapping[int, int]) -> None:
        """Set limits of a process that was started already, as far as they are not set."""

    @abstractmethod
    def open_exit(self, pid: int) -> int:
        """Return a descriptor that is readable once a child has ended, or CLOSED if the child must
        be asked by `exit_of`."""

    @abstractmethod
    def exit_of(self, pid: int) -> ExitInfo | None:
        """Reap a child if it has ended."""

    def prepare_groups(self) -> None:
        """Make groups count as much as they can, before the first of them is used."""

    def detect_accounting(self) -> Accounting:
        """Return how the usage of runs is counted on this machine, after a trial."""
        return self.accounting

    def protections(self) -> frozenset[Protection]:
        """Return what is promised without a sandbox on this machine, after a trial."""
        counted = self.detect_accounting().protections
        return counted if self.missing_protections() else counted | {Protection.ALL_PROCESSES}

    @abstractmethod
    def groups(self) -> RunGroups:
        """Return the groups of this worker."""

    # What processes use.

    @abstractmethod
    def read_process(self, pid: int) -> Process | None: ...

    @abstractmethod
    def processes(self, skipped: Collection[int] = ()) -> dict[int, Process]:
        """Return all processes but those with the skipped numbers."""

    @abstractmethod
    def orphan_list(self) -> OrphanList:
        """Return a list of the processes that orphans of programs are among."""

    @abstractmethod
    def peak_resident_mib(self, pid: int) -> float:
        """Return the peak resident memory of a process in MiB, or 0 if it is unknown."""

    @abstractmethod
    def own_memory_mib(self, members: Sequence[Process]) -> float:
        """Return the memory of processes in MiB; shared pages count once, where that is known."""

    @abstractmethod
    def has_mark(self, pid: int, mark: bytes) -> bool:
        """Return whether a process was started with a variable in its environment that begins with
        this mark (NAME=value)."""

    @abstractmethod
    def is_starting(self, pid: int) -> bool:
        """Return whether a process shows no environment yet; it may have ended."""

    @abstractmethod
    def is_starved(self, members: Sequence[Process], pipes: Collection[int]) -> bool:
        """Return whether a process that holds one of the pipes waits for a processor or a disk."""

    @abstractmethod
    def listening(self, pids: Collection[int]) -> tuple[str, ...]:
        """Return where processes listen, such as "127.0.0.1:8080", as far as the system says."""

    @property
    @abstractmethod
    def sees_connections(self) -> bool:
        """Return whether this system can tell `listens` and `connects`."""

    @abstractmethod
    def listens(self, port: int, pid: int) -> bool:
        """Return whether something listens on a port of the loopback interface, as this process,
        whose children may be asked for, sees it."""

    @abstractmethod
    def connects(self, pids: Collection[int], port: int) -> bool:
        """Return whether one of the processes has a connection to this port."""

    @abstractmethod
    def is_called(self, port: int, pid: int) -> bool:
        """Return whether there is, or may be, a connection to a port in the network of a process,
        or one has just ended."""

    def unmeasured(self, limits: Limits) -> list[str]:
        """Return the names of the limits that cannot be enforced here."""
        if self.accounting is not Accounting.EXIT:
            return []
        wanted = {"memory_mib": limits.memory_mib, "processes": limits.processes}
        return [name for name, value in wanted.items() if value is not None]


def descendants(roots: Iterable[int], everyone: Mapping[int, Process]) -> list[Process]:
    """Return the roots that exist, and all their descendants."""
    below: dict[int, list[int]] = {}
    for process in everyone.values():
        below.setdefault(process.parent, []).append(process.pid)
    members: dict[int, Process] = {}
    todo = list(roots)
    while todo:
        pid = todo.pop()
        if pid in everyone and pid not in members:
            members[pid] = everyone[pid]
            todo += below.get(pid, ())
    return list(members.values())


# At one of these, a client of the loopback interface reaches a program that listens.
LOOPBACK_HOSTS: Final = ("127.0.0.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1")


def address_text(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
