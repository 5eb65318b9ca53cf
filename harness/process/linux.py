"""Watch programs as only Linux can: pidfds, a child subreaper, /proc and control groups.

Source: prctl(2), pidfd_open(2), proc(5).
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from signal import SIGTERM
from typing import ClassVar, Final

from harness.errors import UsageError
from harness.model.protection import Accounting
from harness.process import procfs
from harness.process.backend import Backend, OrphanList
from harness.process.cgroups import GroupPool, detect_accounting, enable_memory_controller
from harness.process.starting import call_with_rlimits, exit_of, spawn_posix

_PR_SET_PDEATHSIG: Final = 1  # <linux/prctl.h>
_PR_SET_DUMPABLE: Final = 4
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_GET_CHILD_SUBREAPER: Final = 37


class LinuxBackend(Backend):  # pylint: disable=too-many-public-methods  # what systems do differently
    name: ClassVar[str] = "linux"
    has_namespaces: ClassVar[bool] = True
    accounting = Accounting.PROC

    def require(self) -> None:
        if not os.path.exists("/proc/self/stat"):
            raise UsageError(
                "/proc is not mounted here; xtest needs it to watch programs: mount -t proc proc"
                " /proc, or use XTEST_BACKEND=portable, which promises less"
            )

    def missing_protections(self) -> list[str]:
        missing = []
        if not self.adopt_orphans():
            missing.append("no child subreaper (prctl)")
        if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
            missing.append("no list of a process's children in /proc")
        effect = "a process that a subject leaves in another session may stay alive"
        return [f"this system has {what}: {effect}" for what in missing]

    def adopt_orphans(self, adopt: bool = True) -> bool:
        return _prctl(_PR_SET_CHILD_SUBREAPER, int(adopt))

    def adopts_orphans(self) -> bool:
        value = ctypes.c_int(0)
        return _prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(value)) and bool(value.value)

    def end_with_parent(self, parent: int, number: int = SIGTERM) -> None:
        _prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os.kill(os.getpid(), number)  # the parent has ended already

    def check_parent(self) -> None:
        pass  # the kernel does

    def forbid_tracing(self) -> None:
        _prctl(_PR_SET_DUMPABLE, 0)

    def open_descriptors(self) -> list[int]:
        return [int(name) for name in os.listdir("/proc/self/fd")]

    def address_space(self) -> int | None:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

    def start(
        self,
        argv: tuple[str, ...],
        variables: Mapping[bytes, bytes],
        streams: Sequence[int],
        rlimits: Mapping[int, int],
    ) -> int:
        # posix_spawn uses vfork, which copies no page tables however large xtest is.
        return call_with_rlimits(rlimits, streams, lambda: spawn_posix(argv, variables, streams))

    def limit(self, pid: int, rlimits: Mapping[int, int]) -> None:
        for what, value in rlimits.items():
            with suppress(ProcessLookupError, PermissionError):  # it ended, or changed its user
                _, most = resource.prlimit(pid, what)
                least = value if most == resource.RLIM_INFINITY else min(value, most)
                resource.prlimit(pid, what, (least, least))

    def open_exit(self, pid: int) -> int:
        try:
            return os.pidfd_open(pid)
        except OSError:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise

    exit_of = staticmethod(exit_of)

    prepare_groups = staticmethod(enable_memory_controller)
    detect_accounting = staticmethod(detect_accounting)
    groups = GroupPool

    read_process = staticmethod(procfs.read_process)
    processes = staticmethod(procfs.processes)

    def orphan_list(self) -> OrphanList:
        return procfs.ChildList(os.getpid())

    peak_resident_mib = staticmethod(procfs.peak_resident_mib)
    own_memory_mib = staticmethod(procfs.own_memory_mib)
    has_mark = staticmethod(procfs.has_mark)
    is_starting = staticmethod(procfs.is_starting)
    is_starved = staticmethod(procfs.is_starved)
    listening = staticmethod(procfs.listening)
    listens = staticmethod(procfs.listens)
    connects = staticmethod(procfs.connects)
    is_called = staticmethod(procfs.is_called)
    sees_connections = True


def _prctl(option: int, value: object) -> bool:
    """Set or get a property of this process; return whether that succeeded."""
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False
