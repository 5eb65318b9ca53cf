"""Run subjects under bubblewrap: in namespaces of their own, with an inventory of paths.

bwrap reports a signal as shells do, by the status 128 plus its number, also in its JSON status. A
shell between bwrap and the program tells them apart: it writes a message after a signal, and if it
cannot execute the program. dash and the shell of BusyBox do; bash does not. Source: bwrap(1),
dash(1).
"""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from harness.errors import NO_PROCESS, NoProcessLeft
from harness.files import is_in, read_regular
from harness.model.limits import MIB, Limits
from harness.model.protection import Protection, SandboxKind
from harness.model.transcript import (
    Ending,
    Exited,
    Job,
    Launcher,
    NotStarted,
    Signalled,
    Transcript,
)
from harness.process.inventory import (
    SYSTEM,
    TEMPORARY_VARIABLES,
    Exposure,
    Inventory,
    etc_files,
    inventory_of,
)
from harness.process.spawn import explain_not_started, is_shell_text, working_in
from harness.process.temporary import TemporaryFolder

OLDEST: Final = (0, 8)  # the first version with --disable-userns
_HELPERS: Final = 2  # processes beside the program: bwrap, and the shell
_SHELLS: Final = ("/bin/sh", "/bin/dash", "/usr/bin/dash")
_PROBE: Final = '(trap "echo reported" EXIT; exec /) 2> /dev/null'  # a folder is not executable
_REFUSED: Final = "not started"  # the message of the shell
# Traps let it survive signals from the program; unlike ignored signals, they are not inherited. A
# program that takes its place runs no EXIT trap.
_REPORT: Final = (
    f'trap : 1 2 3 15; trap "echo {_REFUSED} >&2" USR1;'
    ' (trap "kill -s USR1 $$" EXIT; exec "$@" 2>&3 3>&-); exit $?'
)
_REFUSE: Final = f"echo {_REFUSED} >&2; exit 126"
_REASONS: Final = {126: errno.EACCES, 127: errno.ENOENT}  # by the status of the shell
_TEMPORARY_MIB: Final = 256.0  # of /tmp and of /dev/shm, unless memory_mib is lower
_NOBODY: Final = "65534"
_TEMPORARY: Final = "/tmp"
_VARIABLES: Final = dict.fromkeys(TEMPORARY_VARIABLES, _TEMPORARY)
# Shells may not report these, nor SIGINT, which no other process sends into a sandbox: 130 is the
# status of a program that says how a process of its own ended.
_QUIET: Final = (signal.SIGPIPE, signal.SIGTERM)
_BLOCK: Final = 512  # bytes, the unit of `ulimit -f`
_MOST: Final = 4_096  # bytes of the shell's messages
_DEVICES: Final = ("/dev/full", "/dev/null", "/dev/urandom", "/dev/zero")  # are mounted on files
_LINKS: Final = {
    "fd": "/proc/self/fd",
    "random": "urandom",  # the same since Linux 5.6
    "stderr": "/proc/self/fd/2",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
}


def find_shell(candidates: Sequence[str] = _SHELLS) -> str | None:
    """Return the first shell that reports a program that it cannot execute."""
    for shell in filter(os.path.exists, candidates):
        probe = subprocess.run((shell, "-c", _PROBE), capture_output=True, check=False)
        if b"Cannot fork" in probe.stderr:
            raise NoProcessLeft
        if probe.stdout == b"reported\n":
            return shell
    return None


class Bubblewrap:
    """The sandbox of bwrap, for subjects with this exposure; `shell` is from `find_shell`."""

    def __init__(self, bwrap: str, shell: str, exposure: Exposure) -> None:
        self.protections = Protection.of_sandboxes()
        self.kind = SandboxKind.BWRAP
        self._bwrap = bwrap
        self._shell = shell
        self.exposure = exposure
        self._system: _SystemCopy | None = None
        self._options: dict[
            tuple[tuple[str, ...], str, str, bool], tuple[tuple[str, ...], ...]
        ] = {}

    def start(self, job: Job) -> BubblewrapRun:
        """Prepare a run, which must be ended."""
        folder, may_write = job.folder, job.private is not None or job.builds
        key = (job.argv, folder, job.own_folder, may_write)
        if self._system is None:
            self._system = _SystemCopy()
        if key not in self._options:
            inventory = inventory_of(job.argv, folder, self.exposure, job.own_folder)
            own = os.path.realpath(job.own_folder) if may_write else ""
            self._options[key] = _options(inventory, folder, self._system, own)
        before, after = self._options[key]
        program = os.path.normpath(os.path.join(folder, job.argv[0]))
        network = ("--share-net",) if job.uses_network or job.port is not None else ()
        argv = (self._bwrap, *before, *network, *_temporary_folders(job.limits), *after)
        script = _REFUSE if is_shell_text(program) else _REPORT
        script = _hard_limits(job.limits) + script
        argv += ("--", self._shell, "-c", script, "sh", program, *job.argv[1:])
        return BubblewrapRun(job, argv)

    def exposing(self, exposure: Exposure) -> Bubblewrap:
        """Return the same sandbox for subjects with another exposure."""
        return Bubblewrap(self._bwrap, self._shell, exposure)

    def close(self) -> None:
        """Delete what runs share; the next run recreates it."""
        if self._system is not None:
            self._system.delete()
            self._system = None
            self._options.clear()


class BubblewrapRun:
    """A run under bwrap, and the pipe to which bwrap and the shell write their messages."""

    def __init__(self, job: Job, argv: tuple[str, ...]) -> None:
        self._program, self._folder = job.argv[0], job.folder
        self._messages, self._log = os.pipe()
        os.set_blocking(self._messages, False)
        limits = job.limits
        if limits.processes is not None:
            limits = limits._replace(processes=limits.processes + _HELPERS)
        launcher = Launcher(log=self._log, environment=_VARIABLES)
        self.job = job._replace(argv=argv, limits=limits, launcher=launcher)

    def end(self, transcript: Transcript) -> Transcript:
        """Return the transcript of the program itself."""
        try:
            messages = os.read(self._messages, _MOST)
        except BlockingIOError:
            messages = b""
        self.close()
        ending = ending_inside(transcript.ending, messages, self._program, self._folder)
        if isinstance(ending, NotStarted):
            # A program can write such messages through /proc, but bwrap prints nothing to stdout.
            if not transcript.stdout_bytes:
                return Transcript(ending)
            ending = transcript.ending
        usage = transcript.usage
        usage = usage._replace(processes=max(1, usage.processes - _HELPERS))
        return transcript._replace(ending=ending, usage=usage)

    def close(self) -> None:
        os.close(self._messages)
        os.close(self._log)


def ending_inside(ending: Ending, messages: bytes, program: str, folder: str) -> Ending:
    """Return how the program in the sandbox ended, given the messages of bwrap and the shell.

    The path of the program is relative to the folder, as in a message without a sandbox.
    """
    if not isinstance(ending, Exited):
        return ending
    by_machine = any(words in messages for words in _NO_PROCESS)
    if messages.startswith(b"bwrap: ") or by_machine:
        message = messages.decode("utf-8", "backslashreplace").strip()
        return NotStarted(f"--sandbox: {message}", by_machine)
    if messages.startswith(_REFUSED.encode()) and ending.status in _REASONS:
        path = os.path.join(folder, program)
        reason = errno.ENOEXEC if is_shell_text(path) else _REASONS[ending.status]
        problem = OSError(reason, os.strerror(reason))
        try:
            with working_in(folder):
                return NotStarted(explain_not_started(program, problem))
        except OSError:  # the folder was removed
            return NotStarted(explain_not_started(path, problem))
    number = ending.status - 128
    if 0 < number <= signal.SIGRTMAX and (messages or number in _QUIET):
        return Signalled(number)
    return ending


def _options(
    inventory: Inventory, folder: str, system: _SystemCopy, own: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options before and after those that mount temporary folders.

    The program may write to its `own` folder, a path without links.
    """
    before = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
    before += ["--die-with-parent", "--as-pid-1", "--proc", "/proc"]
    before += ["--new-session"]  # a program that signals its own group must not reach bwrap
    before += ["--ro-bind", system.dev, "/dev"]
    for device in _DEVICES:
        before += ["--dev-bind", device, device]
    if os.geteuid() == 0:
        before += ["--uid", _NOBODY, "--gid", _NOBODY]
    after = ["--symlink", _TEMPORARY, "/var/tmp"]
    paths = dict(inventory.paths)
    in_etc = {path for path in paths if is_in(path, "/etc")}
    if in_etc <= system.copied | system.folders:  # there is a place to mount each
        after += ["--ro-bind", system.etc, "/etc"]
        paths = {path: visible for path, visible in paths.items() if path not in system.copied}
    for path, is_visible in paths.items():
        if path in SYSTEM and os.path.islink(path):
            after += ["--symlink", os.readlink(path), path]
        elif is_visible:
            is_own = own and os.path.realpath(path) == own
            after += ["--bind" if is_own else "--ro-bind-try", path, path]
        elif os.path.isdir(path):
            # Bounded, since it can be written to; making it read-only takes as long again.
            after += ["--size", "4096", "--perms", "0555", "--tmpfs", path]
        elif os.path.exists(path):
            after += ["--ro-bind", os.devnull, path]
    after += ["--remount-ro", "/proc", "--remount-ro", "/"]
    return tuple(before), (*after, "--dir", folder, "--chdir", folder)


def _hard_limits(limits: Limits) -> str:
    """Return commands that keep the program from raising its limits.

    Those that are set after the start reach bwrap, but not always the shell.
    """
    blocks = None if limits.file_mib is None else math.ceil(limits.file_mib * MIB / _BLOCK)
    values = {"n": limits.open_files, "f": blocks}
    commands = (f"ulimit -H{flag} {value}" for flag, value in values.items() if value is not None)
    return "".join(f"{command} 2> {os.devnull}; " for command in commands)


def _temporary_folders(limits: Limits) -> Iterator[str]:
    """Yield the options that mount the folders to which a subject can write."""
    size_mib = min(limits.memory_mib or _TEMPORARY_MIB, _TEMPORARY_MIB)
    for folder in (_TEMPORARY, "/dev/shm"):
        yield from ("--size", str(int(size_mib * MIB)), "--perms", "1777", "--tmpfs", folder)


# In messages of bwrap and dash that can start no process.
_NO_PROCESS: Final = (
    *(os.strerror(number).encode() for number in NO_PROCESS),
    b"Cannot fork",
)


class _SystemCopy:
    """A copy of what every subject sees of /etc and /dev: the folders `etc` and `dev`, the files
    `copied` there, and the `folders` to mount there.

    bwrap reads the list of all mounts for each path that it mounts, so a folder is cheaper than the
    files in it.
    """

    def __init__(self) -> None:
        self._folder = TemporaryFolder()
        self._root = self._folder.create()
        self.etc, self.dev = f"{self._root}/etc", f"{self._root}/dev"
        os.mkdir(self.etc)
        os.makedirs(f"{self.dev}/shm")
        for device in _DEVICES:
            os.mknod(self._root + device)
        for name, target in _LINKS.items():
            os.symlink(target, f"{self.dev}/{name}")
        paths = frozenset(etc_files())
        self.folders = frozenset(filter(os.path.isdir, paths))
        self.copied = paths - self.folders
        for path in self.folders:
            os.mkdir(self._root + path)
        for path in self.copied:
            with suppress(OSError):  # not readable, so programs cannot read it either
                data = read_regular(path)
                with open(self._root + path, "xb") as copy:
                    copy.write(data)

    def delete(self) -> None:
        self._folder.close()
