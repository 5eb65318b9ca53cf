"""Answer requests in a forked process that may start programs, while its caller stays as it is.

The caller may have threads and other children, such as pytest and its tests. Unlike a killable
process, this one has no limits: programs would inherit them.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from threading import local

from harness.interruption import clean_up_when_stopped
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.process.killable import receive_data, send_data
from harness.process.own_process import (
    blocked_stop_signals,
    close_others,
    fork,
)
from harness.process.reaper import to_ending
from harness.process.system import SYSTEM
from harness.text import signal_name

Server = Callable[[], AbstractContextManager[Callable[[bytes], bytes]]]


class ProcessLost(Exception):
    """The process has no answer; the text continues "a worker of xtest"."""


class ServingProcess(local):
    """A process that answers requests, started by the first of them; each thread has its own.

    `server` makes the function that answers them, in the process. It is started again if it was
    lost, or if the thread belongs to a forked copy of the caller.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._owner = 0
        self._pid = 0
        self._socket: socket.socket | None = None

    def call(self, request: bytes) -> bytes:
        """Return the answer to a request.

        If an exception such as KeyboardInterrupt is raised here, the process ends first, and kills
        its programs. Raises NoProcessLeft, or ProcessLost if a program kills the process.
        """
        try:
            if self._owner != os.getpid():
                self.close()
            try:
                send_data(self._running(), request)
            except (BrokenPipeError, ConnectionResetError):  # it ended after its last answer
                self.close()
                send_data(self._running(), request)
            answer = receive_data(self._running())
        except BaseException:
            self.close()
            raise
        if answer is not None:
            return answer
        ending = to_ending(self.close())
        if not isinstance(ending, Exited):
            raise ProcessLost(f"was killed by {signal_name(ending.number)}")
        if ending.status == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        raise ProcessLost("failed; please report its output")

    def close(self) -> int:
        """End the process, if it runs; return the status that it was reaped with."""
        if self._socket is None:
            return 0
        self._socket.close()
        self._socket = None
        status = 0
        if self._owner == os.getpid():
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._pid, signal.SIGTERM)
                _, status = os.waitpid(self._pid, 0)
        return status

    def _running(self) -> socket.socket:
        """Return the socket of the process, after starting it if it does not run."""
        if self._socket is None:
            ours, its = socket.socketpair()
            parent = os.getpid()
            with its, blocked_stop_signals():
                self._pid = fork(lambda: _serve(its, self._server, parent))
                self._owner, self._socket = parent, ours
        return self._socket


def _serve(connection: socket.socket, server: Server, parent: int) -> int:
    clean_up_when_stopped()
    SYSTEM.adopt_orphans()
    SYSTEM.forbid_tracing()
    SYSTEM.end_with_parent(parent)
    # A copy of a pipe to another child would keep that from seeing the end of its input.
    close_others(connection.fileno())
    with suppress(BrokenPipeError, ConnectionResetError), server() as handle:  # of its parent
        while (request := receive_data(connection)) is not None:
            send_data(connection, handle(request))
    return ExitCode.OK
