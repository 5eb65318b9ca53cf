"""Take from xtest what only Linux has, so that a use of it fails: for XTEST_BACKEND=portable.

With IMITATES=macos, processes show as little as they do to psutil on macOS, and the calls of macOS
fail as they do there.

Python imports this at its start, if its folder is on PYTHONPATH. Programs that xtest tests keep
everything, and so do psutil and Dask, which have a form for each system.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # a Ctrl-C while a module is imported is xtest's to handle, not ours
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_GONE: Final = {
    "os": ("eventfd", "memfd_create", "pidfd_open", "pipe2", "posix_spawn", "setns", "unshare"),
    "posix": ("O_PATH", "O_TMPFILE", "waitid"),
    "select": ("epoll",),
    "resource": ("prlimit",),
    "socket": ("SOCK_SEQPACKET",),
}
_CALLS: Final = ("mount", "prctl", "setns", "syscall", "umount2", "unshare")
_FILES: Final = ("/proc", "/sys/fs/cgroup")
_OTHERS: Final = ("dask", "distributed", "psutil")


class LinuxOnly(BaseException):
    """Not an Exception: nothing may handle it as a fault of the system."""


def remove() -> None:
    """Remove functions, constants, system calls, and the files of the kernel."""
    import ctypes  # pylint: disable=import-outside-toplevel  # only here
    from importlib import import_module  # pylint: disable=import-outside-toplevel  # only here

    for name, members in _GONE.items():
        for member in members:
            for module in {name, "os"} if name == "posix" else {name}:
                if hasattr(import_module(module), member):
                    delattr(import_module(module), member)
    # A fork of the tests' server imported it before, and it looked for O_TMPFILE then.
    setattr(import_module("tempfile"), "_O_TMPFILE_WORKS", False)
    found = ctypes.CDLL.__getattr__

    def find(library: ctypes.CDLL, name: str) -> Any:
        if name in _CALLS:
            _fail(name)
        return found(library, name)

    ctypes.CDLL.__getattr__ = find  # type: ignore[method-assign]  # of this process alone
    sys.addaudithook(_check)


def imitate_macos() -> None:
    """Show of other processes what macOS does. Source: psutil/_psosx.py, kill(2) of macOS."""
    import psutil  # type: ignore[import-untyped]  # pylint: disable=import-outside-toplevel

    shown = psutil.Process
    times, environ, killpg = shown.cpu_times, shown.environ, os.killpg

    def refuse(process: psutil.Process, *_: object) -> NoReturn:
        raise psutil.AccessDenied(process.pid)

    def cpu_times(process: psutil.Process) -> Any:
        if process.status() == psutil.STATUS_ZOMBIE:
            raise psutil.ZombieProcess(process.pid)
        return times(process)._replace(children_user=0.0, children_system=0.0)

    # `oneshot` keeps the times of a process for a moment.
    vars(cpu_times).update(vars(times))

    def without_protected(process: psutil.Process) -> dict[str, str]:
        return {} if process.exe().startswith(("/bin/", "/usr/bin/")) else environ(process)

    def kill_group(group: int, number: int) -> None:
        members = [pid for pid in psutil.pids() if _is_in(pid, group)]
        if members and all(map(_is_zombie, members)):
            raise PermissionError(1, "only zombies are left")
        killpg(group, number)

    def sysconf(name: str) -> int:
        return (1 << 63) - 1 if name == "SC_OPEN_MAX" else found(name)

    found = os.sysconf
    os.killpg, os.sysconf = kill_group, sysconf  # type: ignore[assignment]  # a name, no number
    shown.memory_full_info = shown.net_connections = refuse
    shown.cpu_times, shown.environ = cpu_times, without_protected


def _is_zombie(pid: int) -> bool:
    import psutil  # pylint: disable=import-outside-toplevel

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _is_in(pid: int, group: int) -> bool:
    try:
        return os.getpgid(pid) == group
    except ProcessLookupError:
        return False


def _check(event: str, args: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if path.startswith(_FILES) and not _is_called_by_others():
            _fail(path)


def _is_called_by_others() -> bool:
    """Return whether a package that has a form for each system asks, not xtest."""
    frame = sys._getframe()  # pylint: disable=protected-access  # there is no other way
    while frame.f_back is not None:
        if any(f"/site-packages/{name}/" in frame.f_code.co_filename for name in _OTHERS):
            return True
        if "/harness/" in frame.f_code.co_filename:
            return False
        frame = frame.f_back
    return False


def _fail(what: str) -> NoReturn:
    raise LinuxOnly(what)


def _is_xtest() -> bool:
    return any(word == "harness" or word.endswith("/xtest") for word in sys.orig_argv[:5])


if os.environ.get("XTEST_BACKEND") == "portable" and _is_xtest():
    remove()
    if os.environ.get("IMITATES") == "macos":
        imitate_macos()
