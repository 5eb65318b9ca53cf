"""Start Python modules quickly: a server that has imported them forks for each start.

Most of the processor time of a short run of `xtest` is spent on imports. A fork executes the entry
point of its module as `python -P -m` does, with its own arguments, environment, folder and streams.
`fork_client.py` asks for it, and stands in for it towards its parent.
"""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from support import fork_client
from support.fork_client import ANSWER_BYTES, LENGTH_BYTES, REFUSED, inherited, plain_command

_BOOT = "import sys; sys.path.append(sys.argv[1]); from support.fork_server import serve; serve()"
_addresses: dict[tuple[str, str], str] = {}  # by module and PYTHONPATH


def client_command(module: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command that runs a module in a fork; its server ends with this process.

    A fork is not measured: with COVERAGE_PROCESS_START, each run has a process of its own.
    """
    if "COVERAGE_PROCESS_START" in environment:
        return plain_command(module)
    key = module, environment.get("PYTHONPATH", "")
    if key not in _addresses:
        _addresses[key] = _start_server(module, environment)
    return (sys.executable, "-IS", fork_client.__file__, _addresses[key], module)


def _start_server(module: str, environment: Mapping[str, str]) -> str:
    """Start a server, and return the name of its socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # Linux chooses a name in its abstract namespace
        listener.listen(64)
        tests = str(Path(__file__).parents[1])
        # pylint: disable-next=consider-using-with  # ended at exit
        server = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, tests, str(listener.fileno()), module],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        atexit.register(_end_server, server)
        return str(listener.getsockname()[1:], "ascii")


def _end_server(server: subprocess.Popen[bytes]) -> None:
    with server:
        assert server.stdin is not None
        server.stdin.close()


class _Request(NamedTuple):
    inherited: str
    words: list[str]
    environment: dict[bytes, bytes]
    descriptors: list[int]  # of the streams, and of the folder


class _Fork(NamedTuple):
    pid: int
    pidfd: int
    connection: socket.socket


def serve() -> None:
    """Fork for each request until standard input ends; each fork executes its module."""
    tests, descriptor, module = sys.argv[1:]
    sys.path.remove(tests)
    codes: list[int] = []
    atexit.register(_exit_at_once, codes)  # the first to be registered is the last to be called
    _import_all(module)
    gc.freeze()  # a collection in a fork would write to every page, and so copy it
    request = _Server(socket.socket(fileno=int(descriptor))).next_request_in_fork()
    if request is not None:
        try:
            _execute(request)
        except SystemExit as end:
            if isinstance(end.code, int):
                codes.append(end.code)
            raise


def _exit_at_once(codes: list[int]) -> None:
    """Exit with the first code, if there is one, without taking the modules apart.

    That would write to every page of memory that is shared with the server, and so copy it.
    """
    if codes:
        with suppress(OSError):  # Python tries again, and reports it
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(codes[0] & 0xFF)


def _import_all(module: str) -> None:
    package = import_module(module)
    for each in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{module}."):
        if "__main__" not in each.name and "pytest_plugin" not in each.name:
            with suppress(ImportError):  # of a package that an extra needs
                import_module(each.name)


class _Server:
    """Forks, tells each client how its fork ended, and kills a fork whose client has ended."""

    def __init__(self, listener: socket.socket) -> None:
        self._inherited = inherited()
        self._listener = listener
        self._forks: dict[int, _Fork] = {}  # by pidfd, and by the descriptor of the connection
        self._selector = selectors.DefaultSelector()
        self._selector.register(0, selectors.EVENT_READ)
        self._selector.register(listener, selectors.EVENT_READ)

    def next_request_in_fork(self) -> _Request | None:
        """Return its request in each fork, and None in the server when its input ends."""
        while True:
            for key, _ in self._selector.select():
                if key.fd == 0:
                    self._end(kill=True)
                    return None
                if key.fileobj is self._listener:
                    if request := self._accept():
                        return request
                elif fork := self._forks.get(key.fd):
                    self._attend(fork, has_ended=key.fd == fork.pidfd)

    def _accept(self) -> _Request | None:
        """Return the next client's request in its fork, and None in the server."""
        connection = self._listener.accept()[0]
        request = _receive(connection)
        if request is None:
            connection.close()
            return None
        is_refused = request.inherited != self._inherited
        pid = -1 if is_refused else os.fork()
        if pid == 0:
            connection.close()
            self._end()
            return request
        for each in request.descriptors:
            os.close(each)
        if is_refused:
            _answer(connection, REFUSED)
        else:
            fork = _Fork(pid, os.pidfd_open(pid), connection)
            for watched in (fork.pidfd, connection.fileno()):
                self._forks[watched] = fork
                self._selector.register(watched, selectors.EVENT_READ)
        return None

    def _attend(self, fork: _Fork, *, has_ended: bool) -> None:
        """Report the end of a fork, or send it the signal that its client has received."""
        number = b"" if has_ended else fork.connection.recv(1)
        if number:
            signal.pidfd_send_signal(fork.pidfd, number[0])
            return
        # A fork whose client has been killed ends as its client did.
        signal.pidfd_send_signal(fork.pidfd, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(fork.pid, 0)[1])
        for watched in (fork.pidfd, fork.connection.fileno()):
            self._selector.unregister(watched)
            del self._forks[watched]
        os.close(fork.pidfd)
        _answer(fork.connection, code)

    def _end(self, *, kill: bool = False) -> None:
        """Close everything."""
        for fork in set(self._forks.values()):
            if kill:
                signal.pidfd_send_signal(fork.pidfd, signal.SIGKILL)
            os.close(fork.pidfd)
            fork.connection.close()
        self._selector.close()
        self._listener.close()


def _receive(connection: socket.socket) -> _Request | None:
    """Return a request, or None from a client that was killed before it had sent it."""
    try:
        size, descriptors, _, _ = socket.recv_fds(connection, LENGTH_BYTES, 4)
        request = connection.recv(int.from_bytes(size, "little"), socket.MSG_WAITALL)
    except ConnectionResetError:
        return None
    try:
        inherited_by_client, words, environment = marshal.loads(request)
    except (EOFError, ValueError):
        for each in descriptors:
            os.close(each)
        return None
    return _Request(inherited_by_client, words, environment, descriptors)


def _answer(connection: socket.socket, code: int) -> None:
    with connection, suppress(OSError):
        connection.send(code.to_bytes(ANSWER_BYTES, "little", signed=True))


def _execute(request: _Request) -> None:
    """Become what `python -P -m` with the words of the request is after its start."""
    *streams, folder = request.descriptors
    os.fchdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for each in request.descriptors:
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = map(_standard_stream, range(3), ("rb", "wb", "wb"))
    os.environ.clear()
    os.environb.update(request.environment)
    sys.argv[1:] = request.words[1:]
    runpy.run_module(request.words[0], run_name="__main__", alter_sys=True)


def _standard_stream(number: int, mode: str) -> io.TextIOWrapper:
    was = (sys.__stdin__, sys.__stdout__, sys.__stderr__)[number]
    assert was is not None
    # pylint: disable-next=consider-using-with  # open as long as the process
    raw = open(number, mode, closefd=False)
    return io.TextIOWrapper(raw, was.encoding, was.errors, "\n", line_buffering=number == 2)
