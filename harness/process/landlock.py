"""Restrict subjects by Landlock and seccomp, which need no privilege and no namespaces.

Both restrict a thread and what it starts: each subject is spawned by a short-lived thread that has
restricted itself. Source: landlock(7), seccomp(2), <linux/landlock.h>.
"""

from __future__ import annotations

import os
import signal
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from enum import IntFlag
from threading import Thread
from typing import Final, NamedTuple

from harness.errors import NO_THREAD, NoProcessLeft
from harness.files import is_in
from harness.model.protection import Protection, SandboxKind
from harness.model.transcript import Job, Launcher, Transcript
from harness.process.inventory import TEMPORARY_VARIABLES, Exposure, Inventory, inventory_of
from harness.process.seccomp import LIBC, answer_calls, can_filter, check_call, restrict_calls
from harness.process.temporary import TemporaryFolder, remove_tree

OLDEST: Final = 3  # the first version that restricts truncate(2); Linux 6.2
_NETWORK: Final = 4  # the first version that restricts TCP; Linux 6.7
_SIGNALS: Final = 6  # the first version that restricts signals; Linux 6.12

# System calls have these numbers on every architecture.
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_QUERY_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_TCP: Final = 3  # bind, connect
_SCOPES: Final = 3  # abstract Unix sockets, signals

_PR_SET_NO_NEW_PRIVS: Final = 38
_CAPABILITIES: Final = struct.pack("Ii", 0x2008_0522, 0)  # version 3, this thread

_ANSWERS_S: Final = 1.0  # after which a process of the run that cannot be killed is abandoned
_DEVICES: Final = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")


class Access(IntFlag):
    """Rights on a file, or on everything in a folder; the versions of Landlock that have them."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    TRUNCATE = 1 << 14
    FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # what a rule for a file may allow
    READ = EXECUTE | READ_FILE | READ_DIR
    ALL = (1 << 15) - 1  # of version 3


class PathRule(NamedTuple):
    path: str
    access: Access


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has, or 0 without Landlock."""
    return max(0, int(LIBC.syscall(_CREATE_RULESET, None, 0, _QUERY_VERSION)))


def path_rules(inventory: Inventory, own: str = "") -> Iterator[PathRule]:
    """Yield rules that allow reading what is visible, and writing to the folder `own`.

    A rule holds for everything below its path. So a folder with something hidden in it gets none:
    it can be listed, and each of its entries gets a rule.
    """
    for path, is_visible in inventory.paths:
        if is_visible:
            access = Access.ALL if own and os.path.realpath(path) == own else Access.READ
            hidden = [each for each, visible in inventory.paths if not visible]
            yield from _accessible(path, hidden, access)
    for device in _DEVICES:
        yield PathRule(device, Access.READ_FILE | Access.WRITE_FILE)
    yield PathRule("/proc", Access.READ)


def _accessible(path: str, hidden: list[str], access: Access) -> Iterator[PathRule]:
    below = [each for each in hidden if is_in(each, path)]
    if path in below:
        return
    if not below:
        yield PathRule(path, access)
        return
    yield PathRule(path, Access.READ_DIR)
    for entry in os.scandir(path):
        if not entry.is_symlink():  # a rule would hold for what it leads to
            yield from _accessible(entry.path, below, access)


class Landlock:
    """The sandbox of Landlock, for subjects with this exposure."""

    def __init__(self, version: int, exposure: Exposure) -> None:
        self.kind = SandboxKind.LANDLOCK
        self.exposure = exposure
        self._version = version
        self._folder = TemporaryFolder()
        self._rules: dict[tuple[tuple[str, ...], str, str, bool], list[PathRule]] = {}
        self._inventories: dict[tuple[tuple[str, ...], str, str], tuple[Inventory, str]] = {}
        self.protections = {Protection.HIDDEN_CONTENTS, Protection.NO_WRITES}
        if version >= _SIGNALS:
            self.protections.add(Protection.NO_SIGNALS)
        if can_filter():
            self.protections.add(Protection.NO_NETWORK)

    def start(self, job: Job) -> LandlockRun:
        """Prepare a run, which must be ended."""
        key = (job.argv, job.folder, job.own_folder)
        if key not in self._inventories:
            inventory = inventory_of(job.argv, job.folder, self.exposure, job.own_folder)
            self._inventories[key] = inventory, _visible_path(inventory)
        inventory, programs = self._inventories[key]
        own = os.path.realpath(job.own_folder) if job.builds or job.private is not None else ""
        if not inventory.is_visible(own):  # it is too broad, such as a home folder
            own = ""
        if job.private is None or not own:
            rules = self._rules.get((*key, job.builds))
            if rules is None:
                rules = self._rules[*key, job.builds] = list(path_rules(inventory, own))
        else:
            # Hidden by mounts: a rule for the whole folder would show what lies in it.
            job.private.hide(
                tuple(
                    (path, visible)
                    for path, visible in inventory.paths
                    if is_in(path, own) and path != own
                )
            )
            others = ((path, visible) for path, visible in inventory.paths if not is_in(path, own))
            rules = [*path_rules(Inventory(tuple(others))), PathRule(own, Access.ALL)]

        def may_change(path: str) -> bool:
            return own != "" and is_in(path, own) and inventory.is_visible(path)

        job = job._replace(variables=(*job.variables, ("PATH", programs)))
        return LandlockRun(job, rules, self._version, self._folder.create(), may_change)

    def exposing(self, exposure: Exposure) -> Landlock:
        """Return the same sandbox for subjects with another exposure."""
        return Landlock(self._version, exposure)

    def close(self) -> None:
        """Delete the folder of the temporary folders; the next run recreates it."""
        self._folder.close()


def _visible_path(inventory: Inventory) -> str:
    """Return the PATH of a subject: Python finds itself there by access(2), which Landlock does not
    restrict, and ends if it cannot read its library."""
    folders = os.get_exec_path()
    return os.pathsep.join(each for each in folders if inventory.is_visible(os.path.realpath(each)))


class LandlockRun:
    """A run in the sandbox, with a temporary folder of its own.

    It may change the modes and times of what is in that folder, and where `may_change` says so.
    """

    def __init__(
        self,
        job: Job,
        rules: list[PathRule],
        version: int,
        folder: str,
        may_change: Callable[[str], bool],
    ) -> None:
        self._temporary = temporary = os.path.realpath(tempfile.mkdtemp(dir=folder))
        self._answers: Thread | None = None  # while the run has processes
        own = PathRule(temporary, Access.ALL)
        variables = dict.fromkeys(TEMPORARY_VARIABLES, temporary)

        def may_change_file(path: str) -> bool:
            return is_in(path, temporary) and path != temporary or may_change(path)

        def within(spawn: Callable[[], int]) -> int:
            pid, listener = _call_restricted(spawn, [*rules, own], version)
            if listener is not None:
                args = listener, may_change_file
                answers = Thread(target=answer_calls, args=args, daemon=True)
                try:
                    answers.start()
                except RuntimeError:
                    os.close(listener)
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    raise NoProcessLeft from None
                self._answers = answers
            return pid

        self.job = job._replace(launcher=Launcher(within, environment=variables))

    def end(self, transcript: Transcript) -> Transcript:
        self.close()
        return transcript

    def close(self) -> None:
        if self._answers is not None:
            # The soft limits of the next run are set only while there are no other threads.
            self._answers.join(_ANSWERS_S)
        remove_tree(self._temporary)


def _call_restricted(
    spawn: Callable[[], int], rules: list[PathRule], version: int
) -> tuple[int, int | None]:
    """Spawn a process from a thread that restricts itself first, and ends after it.

    Return the process, and the descriptor on which its calls are answered, if there is one.
    """
    # Imported here, because it takes 5 ms and most runs have no sandbox.
    # pylint: disable-next=import-outside-toplevel
    from concurrent.futures import ThreadPoolExecutor

    def target() -> tuple[int, int | None]:
        _drop_privileges()
        _restrict_paths(rules, version)
        listener = restrict_calls()
        try:
            return spawn(), listener
        except BaseException:
            if listener is not None:
                os.close(listener)
            raise

    with ThreadPoolExecutor(1) as thread:
        try:
            ending = thread.submit(target)
        except RuntimeError as problem:
            if str(problem) != NO_THREAD:
                raise
            raise NoProcessLeft from None
        return ending.result()


def _drop_privileges() -> None:
    check_call(LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    check_call(LIBC.capset(_CAPABILITIES, bytes(24)))


def _restrict_paths(rules: list[PathRule], version: int) -> None:
    attributes = struct.pack("Q", Access.ALL)
    if version >= _NETWORK:
        attributes += struct.pack("Q", _TCP)
    if version >= _SIGNALS:
        attributes += struct.pack("Q", _SCOPES)
    ruleset = check_call(LIBC.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    try:
        for path, access in rules:
            _allow(ruleset, path, access)
        check_call(LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: Access) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it is missing, which hides it as well
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= Access.FILE
        rule = struct.pack("=Qi", access, descriptor)
        check_call(LIBC.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(descriptor)
