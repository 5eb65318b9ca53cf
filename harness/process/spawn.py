"""Starting one process: pipes, session, signals, and the words for what the system refuses.

os.posix_spawn, because its vfork copies no page tables however large the harness has grown. The
child leads a session and process group of its own, so that all of it can be killed at once.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["Child", "keep_standard_streams_open", "spawn"]

# Python ignores these, and what is ignored is inherited: a subject gets the defaults back.
_DEFAULT_SIGNALS: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT)


_PIPE_BYTES: Final = 65_536  # what an empty pipe takes at once


class Child(NamedTuple):
    """A started process, and our ends of its pipes, which do not block. `written` bytes of its
    input are in the pipe already."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int
    written: int


def spawn(argv: tuple[str, ...], stdin: bytes, environment: Mapping[bytes, bytes]) -> Child | str:
    """Start a command whose first word is a path. Where the system refuses: why, in words."""
    its_stdin, to_stdin = os.pipe()
    from_stdout, its_stdout = os.pipe()
    from_stderr, its_stderr = os.pipe()
    for ours in (to_stdin, from_stdout, from_stderr):
        os.set_blocking(ours, False)
    try:
        # Before the start: a program that finds its input there need not be woken for it.
        written = os.write(to_stdin, stdin[:_PIPE_BYTES]) if stdin else 0
        pid = os.posix_spawn(
            argv[0],
            argv,
            environment,
            file_actions=(
                (os.POSIX_SPAWN_DUP2, its_stdin, 0),
                (os.POSIX_SPAWN_DUP2, its_stdout, 1),
                (os.POSIX_SPAWN_DUP2, its_stderr, 2),
            ),
            setsid=True,
            setsigmask=(),
            setsigdef=_DEFAULT_SIGNALS,
        )
        return Child(pid, os.pidfd_open(pid), to_stdin, from_stdout, from_stderr, written)
    except (OSError, ValueError) as problem:
        for ours in (to_stdin, from_stdout, from_stderr):
            os.close(ours)
        return _why_not_started(argv[0], problem)
    finally:
        os.close(its_stdin)
        os.close(its_stdout)
        os.close(its_stderr)


def keep_standard_streams_open() -> None:
    """Fill descriptors 0 to 2 where the caller closed them: a pipe that got one of these numbers
    would lose it in the child."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _why_not_started(program: str, problem: OSError | ValueError) -> str:
    if isinstance(problem, ValueError):
        return f"the command cannot be passed to the system: {problem}"
    try:
        mode = os.stat(program).st_mode
    except OSError as missing:
        return f"{program}: {(missing.strerror or 'cannot be read').lower()}"
    if stat.S_ISDIR(mode):
        return f"{program} is a folder, not a program"
    if not stat.S_ISREG(mode):
        return f"{program} is not a regular file"
    if problem.errno == errno.EACCES and not mode & 0o111:
        return f"{program} is not executable (chmod +x {program})"
    return _why_not_executed(program, problem)


def _why_not_executed(program: str, problem: OSError) -> str:
    interpreter = _interpreter(program)
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
    words = first_line.removeprefix(b"#!").split()
    if not first_line.startswith(b"#!") or not words:
        return ""
    return ascii(words[0].decode("utf-8", "replace"))[1:-1]
