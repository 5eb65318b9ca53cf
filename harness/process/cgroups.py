"""Put each run into a control group, where the kernel allows it: groups count what samples miss.

Version 2 gives membership, processor time and cgroup.kill to everybody who may create groups.
Memory is counted by version 2, if xtest is alone in a delegated group, or by version 1, which also
limits the number of processes where version 2 does not.
Source: cgroups(7), Documentation/admin-guide/cgroup-v2.rst, .../cgroup-v1/memory.rst.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Final, NamedTuple

from harness.model.limits import MIB, Limits
from harness.model.protection import Accounting
from harness.model.transcript import Job

_MOUNTS: Final = "/sys/fs/cgroup"
_NAME: Final = re.compile("xtest-([0-9]+)-(home|[0-9]+)")
_MOST_PROCESSES: Final = 10_000  # against fork bombs; threads and zombies count
_NUMBERS: Final = count(1)  # of the groups of this process, whose loops may be nested
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
# Settings that a subject can change if it owns its group.
_SETTINGS: Final = (
    *("cgroup.freeze", "cgroup.subtree_control", "cgroup.type", "cpu.max", "cpu.weight"),
    *("memory.high", "memory.oom.group", "memory.oom_control", "pids.max"),
)
_SETTING_BYTES: Final = 256
_IN_USE: Final[set[str]] = set()  # names of groups of this process
_EMPTY: Final = MIB  # of memory that the processes of an earlier run may have left behind


class Layout(NamedTuple):
    """The folders in which groups are created, or those of one group, and the group to which a
    worker returns. `pids` is that of the controller of version 1, if it can be used."""

    accounting: Accounting
    members: str = ""
    memory: str = ""
    home: str = ""
    pids: str = ""

    @property
    def folders(self) -> Iterable[str]:
        return dict.fromkeys(filter(None, (self.members, self.memory, self.pids)))

    def group(self, name: str) -> Layout:
        """Return the folders of a group; `home` is its own folder."""
        folders = (self.members, self.memory, self.pids)
        members, memory, pids = (folder and f"{folder}/{name}" for folder in folders)
        return Layout(self.accounting, members, memory, members, pids)


class _Memory(NamedTuple):
    """The counts of a memory controller.

    `own` are the entries of memory.stat that add up to it, without pages of files on a disk. A
    counter (file, key) of `exceeded` is above 0 if the limit was in the way.
    """

    own: tuple[str, str]
    exceeded: tuple[tuple[str, str], ...]


_MEMORY: Final = {
    Accounting.CGROUP_V2: _Memory(("anon", "shmem"), (("memory.events", "oom"),)),
    # By itself, oom_kill also rises when the whole machine is short of memory.
    Accounting.CGROUP_V1: _Memory(
        ("rss", "shmem"), (("memory.oom_control", "oom_kill"), ("memory.failcnt", ""))
    ),
}


class ControlGroup:
    """The control group of a run."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._name = f"xtest-{os.getpid()}-{next(_NUMBERS)}"
        self._own = layout.group(self._name)
        self.accounting: Final = layout.accounting
        self._earlier_s = 0.0  # of earlier runs, and of this process
        for folder in self._own.folders:
            os.mkdir(folder)
        _IN_USE.add(self._name)
        self._files: list[int] = []
        if not os.path.exists(f"{self._own.members}/cgroup.kill"):  # before Linux 5.14
            self.remove()
            raise FileNotFoundError
        with suppress(OSError):
            _write(f"{self._own.pids or self._own.members}/pids.max", str(_MOST_PROCESSES))
        files = [f"{folder}/{name}" for folder in self._own.folders for name in _SETTINGS]
        # Kept open: opening a file takes longer than reading it.
        self._files = [os.open(each, os.O_RDONLY) for each in files if os.path.exists(each)]
        self._settings = self._read_settings()

    def call(self, spawn: Callable[[], int], limits: Limits) -> int:
        """Call a function that starts a process, which begins in the group."""
        before_s, begun = self._used_s(), time.process_time()
        try:
            _move(self._own)
            return spawn()
        finally:
            is_outside = _move(self._layout)
            self._earlier_s = before_s + time.process_time() - begun
            # Not before: this process might be killed in place of the one that it starts.
            if limits.memory_mib is not None and is_outside:
                self._limit_memory(int(limits.memory_mib * MIB))

    def adopt(self, pid: int, limits: Limits) -> None:
        """Move a process, which was started already, into the group."""
        self._earlier_s = self._used_s()
        _move(self._own, pid)
        if limits.memory_mib is not None:
            self._limit_memory(int(limits.memory_mib * MIB))

    def start(self, job: Job) -> Job:
        """Return the job with a launcher that starts it in this group."""
        limits, launcher = job.limits, job.launcher
        within, fork = launcher.within, launcher.fork
        launcher = launcher._replace(within=lambda spawn: self.call(lambda: within(spawn), limits))
        if fork is not None:

            def fork_in_group(
                streams: tuple[int, int, int], mark: bytes, prepare: Callable[[int], None]
            ) -> int:
                def join(pid: int) -> None:
                    self.adopt(pid, limits)
                    prepare(pid)

                return fork(streams, mark, join)

            launcher = launcher._replace(fork=fork_in_group)
        return job._replace(launcher=launcher)

    def pids(self) -> list[int]:
        return [int(pid) for pid in _read(f"{self._own.members}/cgroup.procs").split()]

    def cpu_s(self) -> float:
        """Return the processor time of the run, also of processes that have ended."""
        return max(0.0, self._used_s() - self._earlier_s)

    def has_exceeded_memory(self) -> bool:
        """Return whether a process could get no memory because of the limit."""
        if not self._own.memory:
            return False
        counters = _MEMORY[self.accounting].exceeded
        return all(_value(f"{self._own.memory}/{file}", key) for file, key in counters)

    def kill(self) -> None:
        with suppress(OSError):
            _write(f"{self._own.members}/cgroup.kill", "1")

    def reset(self) -> bool:
        """Prepare the group for another run; return False if it cannot serve one."""
        if self.pids() or self.has_exceeded_memory() or self._read_settings() != self._settings:
            return False
        if self._own.memory:
            own = (
                _value(f"{self._own.memory}/memory.stat", k) for k in _MEMORY[self.accounting].own
            )
            if sum(own) > _EMPTY:  # files without a disk
                return False
            self._limit_memory(None)
        return True

    def remove(self) -> None:
        """Remove the folders; one with dying processes stays until the next run."""
        for descriptor in self._files:
            os.close(descriptor)
        self._files.clear()
        _IN_USE.discard(self._name)
        for folder in self._own.folders:
            _remove_folder(folder)

    def _read_settings(self) -> list[bytes | int]:
        try:
            settings = [os.pread(each, _SETTING_BYTES, 0) for each in self._files]
            # Each folder in a folder is a link to it.
            return [*settings, *(os.stat(folder).st_nlink for folder in self._own.folders)]
        except OSError:
            return []  # the group was removed

    def _used_s(self) -> float:
        return _value(f"{self._own.members}/cpu.stat", "usage_usec") / 1e6

    def _limit_memory(self, most: int | None) -> None:
        """Set the limit, or remove it. Swap is limited to one more page, so that the
        counter of memory reaches its limit before the counter of memory with swap.
        """
        if not self._own.memory:
            return
        if self.accounting is Accounting.CGROUP_V2:
            texts = {"memory.max": "max" if most is None else str(most), "memory.swap.max": "0"}
        elif most is None:  # in this order: the limit with swap is never the lower one
            texts = {"memory.memsw.limit_in_bytes": "-1", "memory.limit_in_bytes": "-1"}
        else:
            swap = str(most + _PAGE)
            texts = {"memory.limit_in_bytes": str(most), "memory.memsw.limit_in_bytes": swap}
        for file, text in texts.items():
            with suppress(OSError):  # no swap; or the run has taken more already, as samples show
                _write(f"{self._own.memory}/{file}", text)


def _move(group: Layout, pid: int = 0) -> bool:
    """Move a process, by default this one, to the home of a group; return False if it is gone,
    which is not the program's fault."""
    memory = group.memory if group.accounting is Accounting.CGROUP_V1 else ""
    try:
        for folder in filter(None, (group.home, memory, group.pids)):
            _write(f"{folder}/cgroup.procs", str(pid))
    except OSError:
        return False
    return True


class GroupPool:
    """The groups of a worker; empty if none can be created."""

    def __init__(self, layout: Layout | None = None) -> None:
        self._layout = layout if layout is not None else find_layout()
        self._free: list[ControlGroup] = []

    def take(self) -> ControlGroup | None:
        """Return a group without processes, or None if there is none."""
        if self._free:
            return self._free.pop()
        if self._layout.accounting is Accounting.PROC:
            return None
        try:
            return ControlGroup(self._layout)
        except OSError:
            self._layout = Layout(Accounting.PROC)
            return None

    def give_back(self, group: ControlGroup) -> None:
        if group.reset():
            self._free.append(group)
        else:
            group.remove()

    def close(self) -> None:
        for group in self._free:
            group.remove()
        _remove_stale(self._layout)


def find_layout(process: str = "/proc/self", mounts: str = _MOUNTS) -> Layout:
    """Return where this process can create groups."""
    groups: dict[str, str] = {}  # by controller; "" is version 2
    for line in _read(f"{process}/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    for unified in (mounts, f"{mounts}/unified"):
        if not os.path.exists(f"{unified}/cgroup.controllers"):
            continue
        home = (unified + groups.get("", "/")).rstrip("/")
        name = _NAME.fullmatch(os.path.basename(home))
        members = os.path.dirname(home) if name else home
        if not os.access(f"{members}/cgroup.procs", os.W_OK) or not os.access(members, os.W_OK):
            break
        if "memory" in _read(f"{members}/cgroup.subtree_control").split():
            return Layout(Accounting.CGROUP_V2, members, members, home)
        memory, pids = (_of_version_1(each, groups, mounts) for each in ("memory", "pids"))
        kind = Accounting.CGROUP_V1 if memory else Accounting.CGROUP_MEMBERS
        return Layout(kind, members, memory, home, pids)
    return Layout(Accounting.PROC)


def _of_version_1(controller: str, groups: Mapping[str, str], mounts: str) -> str:
    """Return where this process can create groups of a controller, or an empty text."""
    folder = f"{mounts}/{controller}{groups.get(controller, '/')}".rstrip("/")
    is_writable = os.access(f"{folder}/cgroup.procs", os.W_OK) and os.access(folder, os.W_OK)
    return folder if is_writable else ""


def enable_memory_controller(process: str = "/proc/self", mounts: str = _MOUNTS) -> None:
    """Enable the version 2 memory controller in new groups, if this process is alone in its own.

    A group with controllers for its children can have no processes itself: this one moves.
    """
    layout = find_layout(process, mounts)
    controllers = f"{layout.members}/cgroup.controllers"
    if layout.accounting is not Accounting.CGROUP_MEMBERS or "memory" not in _read(controllers):
        return
    home = f"{layout.members}/xtest-{os.getpid()}-home"
    with suppress(OSError):
        os.mkdir(home)
        _write(f"{home}/cgroup.procs", "0")
        try:
            _write(f"{layout.members}/cgroup.subtree_control", "+memory +pids")
        except OSError:
            _write(f"{layout.members}/cgroup.procs", "0")
            os.rmdir(home)


def detect_accounting() -> Accounting:
    """Return how the usage of runs is counted on this machine, after a trial."""
    enable_memory_controller()
    pool = GroupPool()
    group = pool.take()
    if group is None:
        return Accounting.PROC
    pool.give_back(group)
    pool.close()
    return group.accounting


def _remove_stale(layout: Layout) -> None:
    """Remove the groups of processes of xtest that have ended, and their own."""
    for folder in layout.folders:
        for name in os.listdir(folder):
            match = _NAME.fullmatch(name)
            if match is None or name in _IN_USE:
                continue
            if int(match[1]) == os.getpid() or not os.path.exists(f"/proc/{match[1]}"):
                _remove_folder(f"{folder}/{name}")


def _remove_folder(folder: str) -> None:
    """Remove a group, and groups that its processes have created in it."""
    try:
        os.rmdir(folder)
    except OSError:
        for each, _, _ in reversed(list(os.walk(folder))):
            with suppress(OSError):
                os.rmdir(each)


def _value(path: str, key: str) -> int:
    """Return a number in a file: the only one, or that after a key; 0 if it is missing."""
    for line in _read(path).splitlines():
        name, _, value = line.rpartition(" ")
        if name == key:
            return int(value)
    return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)
