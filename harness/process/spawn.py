"""Starting one process: pipes, session, signals, and the words for what the system refuses.

os.posix_spawn, because its vfork copies no page tables however large the harness has grown. The
child leads a session and process group of its own, so that all of it can be killed at once.
"""

from __future__ import annotations

import errno
import math
import os
import resource
import signal
import stat
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from harness.records import MIB, Limits

__all__ = [
    "CLOSED",
    "Child",
    "keep_standard_streams_open",
    "no_core_files",
    "restrain",
    "spawn",
    "spawn_in",
    "surroundings",
    "with_more",
]


CLOSED: Final = -1  # in place of a descriptor
_PIPE_SURELY: Final = 4_096  # what every pipe does, however many there are
_PIPE_BYTES: Final = 65_536  # what an empty pipe takes at once


class Child(NamedTuple):
    """A started process, and our ends of its pipes, which do not block. `written` bytes of its
    input are in the pipe already; `stdin` is CLOSED where that is all. `mark` stands in its
    environment, and in its children's."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    written: int
    mark: bytes


class Surroundings(NamedTuple):
    """What all subjects are given: the environment, and the signals that get their defaults back.

    What is ignored is inherited, be it by Python (SIGPIPE), by a shell in the background, or by
    nohup; what has a handler gets its default back by itself.
    """

    environment: Mapping[bytes, bytes]
    ignored: tuple[int, ...]


def surroundings(environment: Mapping[str, str]) -> Surroundings:
    """This environment, and the signals as they are now: found out once, not once per case."""
    ignored = (number for number in range(1, 32) if signal.getsignal(number) is signal.SIG_IGN)
    return with_more(Surroundings({}, tuple(ignored)), environment.items())


def with_more(around: Surroundings, variables: Iterable[tuple[str, str]]) -> Surroundings:
    """The same with these variables, beside what is there or instead of it."""
    encoded = {os.fsencode(name): os.fsencode(value) for name, value in variables}
    return around._replace(environment={**around.environment, **encoded})


def spawn(
    argv: tuple[str, ...], stdin: bytes | None, around: Surroundings, mark: bytes
) -> Child | str:
    """Start a command whose first word is a path; with `stdin` None its input is still to come.
    Where the system refuses: why, in words."""
    its_stdin, to_stdin = os.pipe()
    from_stdout, its_stdout = os.pipe()
    from_stderr, its_stderr = os.pipe()
    if stdin is None or len(stdin) > _PIPE_SURELY:
        os.set_blocking(to_stdin, False)
    os.set_blocking(from_stdout, False)
    os.set_blocking(from_stderr, False)
    try:
        # Before the start: a program that finds its input there need not be woken for it.
        written = os.write(to_stdin, stdin[:_PIPE_BYTES]) if stdin else 0
        if stdin is not None and written == len(stdin):
            os.close(to_stdin)
            to_stdin = CLOSED
        pid = _spawn(argv, around, mark, (its_stdin, its_stdout, its_stderr))
        pidfd = os.pidfd_open(pid)
        return Child(pid, pidfd, to_stdin, from_stdout, from_stderr, written, mark)
    except (OSError, ValueError) as problem:
        for ours in (to_stdin, from_stdout, from_stderr):
            if ours != CLOSED:
                os.close(ours)
        return _why_not_started(argv[0], problem)
    finally:
        os.close(its_stdin)
        os.close(its_stdout)
        os.close(its_stderr)


def spawn_in(
    folder: str,
    argv: tuple[str, ...],
    stdin: bytes | None,
    around: Surroundings,
    mark: bytes,
) -> Child | str:
    """The same in another folder, to which the path of the command is relative.

    posix_spawn knows no working folder. We go there ourselves and back: a launcher (`env -C`, a
    shell) would cost a process image each time, and tell of a program that cannot be started by an
    exit status that the program might have had.
    """
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            os.chdir(folder)
        except (OSError, ValueError) as problem:
            return f"its folder {folder}: {(_reason(problem)).lower()}"
        return spawn(argv, stdin, around, mark)
    finally:
        os.fchdir(here)
        os.close(here)


def restrain(pid: int, limits: Limits) -> None:
    """Set what the kernel itself can hold a process to, from outside: no code of ours runs in it.
    Children inherit it. Core files are switched off for all of us, once (see `no_core_files`)."""
    if limits.cpu_s is not None:
        # A second line of defence, in whole seconds: the loop's own looks end it before.
        _limit(pid, resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1)
    if limits.open_files is not None:
        _limit(pid, resource.RLIMIT_NOFILE, limits.open_files)
    if limits.file_mib is not None:
        _limit(pid, resource.RLIMIT_FSIZE, int(limits.file_mib * MIB))


def no_core_files() -> None:
    """Switch core files off for this process and all that it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def keep_standard_streams_open() -> None:
    """Fill descriptors 0 to 2 where the caller closed them: a pipe that got one of these numbers
    would lose it in the child."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _spawn(
    argv: tuple[str, ...],
    around: Surroundings,
    mark: bytes,
    streams: tuple[int, int, int],
) -> int:
    name, _, value = mark.partition(b"=")
    return os.posix_spawn(
        argv[0],
        argv,
        {**around.environment, name: value},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=around.ignored,
    )


def _limit(pid: int, what: int, value: int) -> None:
    try:
        _, most = resource.prlimit(pid, what)
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.prlimit(pid, what, (least, least))
    except (ProcessLookupError, PermissionError):
        pass  # it ended, or changed its user, in this very moment


def _reason(problem: OSError | ValueError) -> str:
    return (problem.strerror if isinstance(problem, OSError) else str(problem)) or "not reachable"


def _why_not_started(program: str, problem: OSError | ValueError) -> str:
    if isinstance(problem, ValueError):
        return f"the command cannot be passed to the system: {problem}"
    try:
        mode = os.stat(program).st_mode
    except OSError as missing:
        # Imported here: for faults only.
        from harness.lookup import space_hint  # pylint: disable=import-outside-toplevel

        reason = (missing.strerror or "cannot be read").lower()
        return f"{program}: {reason}{_from(program)}{space_hint(program)}"
    if stat.S_ISDIR(mode):
        return f"{program} is a folder, not a program"
    if not stat.S_ISREG(mode):
        return f"{program} is not a regular file"
    if problem.errno == errno.EACCES and not mode & 0o111:
        return f"{program} is not executable (chmod +x {program})"
    return _why_not_executed(program, problem)


def _from(program: str) -> str:
    """Where a relative path was looked up: not everybody knows which folder that is."""
    if os.path.isabs(program):
        return ""
    try:
        return f" in {os.getcwd()}"
    except OSError:  # the folder was removed
        return ""


def _why_not_executed(program: str, problem: OSError) -> str:
    interpreter = _interpreter(program)
    if interpreter.endswith(r"\r"):
        mended = f"sed -i 's/\\r$//' {program}"
        return f"{program} has a Windows line end in its first line ({mended})"
    if interpreter and problem.errno in (errno.ENOENT, errno.EACCES, errno.ENOTDIR):
        return f"{program} asks for the interpreter {interpreter}, which cannot be run"
    if problem.errno == errno.ENOEXEC:
        return f'{program} is no binary for this machine, and has no "#!" line'
    return f"{program}: {(problem.strerror or 'cannot be run').lower()}"


def _interpreter(program: str) -> str:
    """What a script's first line names; the empty text where there is none."""
    try:
        with open(program, "rb") as script:
            first_line = script.readline(256)
    except OSError:
        return ""
    words = first_line.removeprefix(b"#!").strip(b" \t\n").replace(b"\t", b" ").split(b" ")
    if not first_line.startswith(b"#!") or not words[0]:
        return ""
    return ascii(words[0].decode("utf-8", "replace"))[1:-1]
