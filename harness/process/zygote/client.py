"""Start runs of a Python program by forking a process that has imported its libraries.

The process, a zygote, runs main.py in the program's own interpreter, folder and environment.
A forked process becomes a child of this one, which limits, watches and reaps it as any other.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import Refused
from harness.model.transcript import Launcher
from harness.process.own_process import close_on_exec
from harness.process.procfs import children
from harness.process.reaper import HELPERS
from harness.process.spawn import (
    disable_core_files,
    encode_environment,
    keep_standard_streams_open,
)
from harness.process.starting import DEFAULT_SIGNALS
from harness.process.system import SYSTEM
from harness.text import format_number

_MAIN: Final = str(Path(__file__).with_name("main.py"))
_FORK_S: Final = 10.0  # after which a zygote that does not answer is killed
_ANSWER_BYTES: Final = 4096
_READY: Final = "+"
_NO_MARK: Final = ("XTEST_RUN", "0" * 24)  # replaced by the mark of each run


class ScriptCommand(NamedTuple):
    """A command that runs a script: the path of the interpreter, its name and options as it sees
    them, and the path of the script with its arguments."""

    program: str
    interpreter: tuple[str, ...]
    script: tuple[str, ...]


class Zygote:
    """A process of an interpreter that forks runs of one program, until it is closed or fails."""

    def __init__(self, pid: int, control: socket.socket) -> None:
        self.pid: Final = pid
        self._control: socket.socket | None = control
        HELPERS.add(pid)

    @property
    def launcher(self) -> Launcher:
        return Launcher(fork=self.fork)

    @property
    def is_alive(self) -> bool:
        """True until a fork has failed, or the zygote was closed."""
        return self._control is not None

    def fork(
        self, streams: tuple[int, int, int], mark: bytes, prepare: Callable[[int], None]
    ) -> int:
        """Start a run as described in `harness.model.transcript.Fork`.

        Raises ChildProcessError, now and from then on, if the zygote does not answer.
        """
        gate, opener = os.pipe()
        try:
            pid = int(self.call(mark, (*streams, gate), _FORK_S))
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # it must be our child
            prepare(pid)
            os.write(opener, b"+")
            return pid
        except BaseException as problem:
            self.close()
            if isinstance(problem, (OSError, ValueError)):
                raise ChildProcessError(f"no process could be forked: {problem}") from None
            raise
        finally:
            os.close(gate)
            os.close(opener)

    def call(self, message: bytes, descriptors: Iterable[int], wait_s: float) -> str:
        """Send a message and return the answer; raises OSError if there is none in time."""
        if self._control is None:
            raise ChildProcessError("the zygote has ended")
        self._control.settimeout(wait_s)
        socket.send_fds(self._control, [message], list(descriptors))
        answer = self._control.recv(_ANSWER_BYTES).decode("utf-8", "replace")
        if not answer:
            raise ChildProcessError("the zygote has ended")
        return answer

    def close(self) -> None:
        """End the zygote; runs that were forked continue."""
        if self._control is None:
            return
        self._control.close()
        self._control = None
        with suppress(ProcessLookupError, ChildProcessError):
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        HELPERS.discard(self.pid)


def start_zygote(
    command: ScriptCommand,
    modules: Iterable[str],
    environment: Mapping[str, str],
    inside: AbstractContextManager[None],
    wait_s: float,
) -> Zygote | Refused:
    """Start a zygote that imports modules, or return why its runs could differ from real ones.

    It starts in the context `inside`. `wait_s` bounds the time of the imports.
    """
    keep_standard_streams_open()
    close_on_exec()
    disable_core_files()
    SYSTEM.adopt_orphans()
    try:
        zygote, outputs = _spawn(command, environment, inside)
    except (OSError, ValueError) as problem:
        return Refused(f"its interpreter {command.program} cannot be started: {problem}")
    try:
        request = " ".join(modules).encode("utf-8", "surrogateescape") or b" "
        answer = zygote.call(request, (), wait_s)
        fault = answer.removeprefix(_READY)
        if not fault and any(_has_data(output) for output in outputs):
            fault = "importing its libraries prints something"
        if not fault and children(zygote.pid):
            fault = "importing its libraries starts processes, which a fork does not copy"
    except TimeoutError:
        fault = f"importing its libraries takes longer than {format_number(wait_s)} s"
    except OSError:
        fault = "its interpreter ended while it imported the libraries of the program"
    except BaseException:
        zygote.close()
        raise
    finally:
        for output in outputs:
            os.close(output)
    if fault:
        zygote.close()
        return Refused(fault)
    return zygote


def _spawn(
    command: ScriptCommand, environment: Mapping[str, str], inside: AbstractContextManager[None]
) -> tuple[Zygote, tuple[int, int]]:
    """Start the process of a zygote; return it with the descriptors of what it prints.

    Its standard streams are pipes, so that Python buffers and encodes them as in a run. It leads a
    session, so that the reaper finds what its libraries leave behind.
    """
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stdin, writer = os.pipe()
    from_stdout, stdout = os.pipe()
    from_stderr, stderr = os.pipe()
    os.close(writer)
    descriptors = (stdin, stdout, stderr, its.fileno())
    argv = (*command.interpreter, _MAIN, *command.script)
    try:
        with inside:
            pid = os.posix_spawn(
                command.program,
                argv,
                encode_environment([*environment.items(), _NO_MARK]),
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, each, number) for number, each in enumerate(descriptors)
                ],
                setsigmask=(),
                setsid=True,
                setsigdef=DEFAULT_SIGNALS,
            )
        return Zygote(pid, ours), (from_stdout, from_stderr)
    except BaseException:
        ours.close()
        os.close(from_stdout)
        os.close(from_stderr)
        raise
    finally:
        its.close()
        for descriptor in (stdin, stdout, stderr):
            os.close(descriptor)


def _has_data(pipe: int) -> bool:
    os.set_blocking(pipe, False)
    try:
        return bool(os.read(pipe, 1))
    except BlockingIOError:
        return False
