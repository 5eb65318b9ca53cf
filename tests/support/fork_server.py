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
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from support import fork_client
from support.fork_client import ANSWER_BYTES, LENGTH_BYTES, REFUSED, inherited, plain_command

# What a program imports when it runs, beside its own package.
_LATER = {"pytest": ("_pytest", "harness.engine", "harness.options", "harness.reports")}
# Imported only if needed: Dask takes as much memory as all the rest, and each fork copies the page
# tables of its memory, as does each process that xtest forks.
_CLUSTER = "harness.cluster"
_BOOT = "import sys; sys.path.append(sys.argv[1]); from support.fork_server import serve; serve()"
_addresses: dict[tuple[str, ...], str] = {}  # by PYTHONPATH and modules


def client_command(
    module: str, environment: Mapping[str, str], *, needs_cluster: bool = False
) -> tuple[str, ...]:
    """Return the command that runs a module in a fork; its server ends with this process.

    A fork is not measured: with COVERAGE_PROCESS_START, each run has a process of its own. So it
    has where no /proc shows what a fork would inherit.
    """
    if "COVERAGE_PROCESS_START" in environment or not os.path.exists("/proc/self/status"):
        return plain_command(module)
    modules = module, *_LATER.get(module, ()), *([_CLUSTER] if needs_cluster else [])
    key = environment.get("PYTHONPATH", ""), *modules
    if key not in _addresses:
        _addresses[key] = _start_server(modules, environment)
    return (sys.executable, "-IS", fork_client.__file__, _addresses[key], module)


def _start_server(modules: Sequence[str], environment: Mapping[str, str]) -> str:
    """Start a server, and return the name of its socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # Linux chooses a name in its abstract namespace
        listener.listen(64)
        tests = str(Path(__file__).parents[1])
        # pylint: disable-next=consider-using-with  # ended at exit
        server = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, tests, str(listener.fileno()), *modules],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        atexit.register(server.communicate)  # closes its input, and waits
        return str(listener.getsockname()[1:], "ascii")


class _Request(NamedTuple):
    inherited: str
    words: list[str]
    environment: dict[bytes, bytes]


class _Fork(NamedTuple):
    pid: int
    pidfd: int
    connection: socket.socket  # to its client

    def close(self) -> None:
        os.close(self.pidfd)
        self.connection.close()


def serve() -> None:
    """Fork for each request until standard input ends; each fork executes its module."""
    tests, descriptor, *modules = sys.argv[1:]
    sys.path.remove(tests)
    codes: list[int] = []
    atexit.register(_exit_at_once, codes)  # the first to be registered is the last to be called
    for each in modules:
        _import_all(each)
    gc.freeze()  # a collection in a fork would write to every page, and so copy it
    accepted = _accept(socket.socket(fileno=int(descriptor)))
    if accepted is not None:
        try:
            _execute(*accepted)
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
        is_needed = module == _CLUSTER or not each.name.startswith(f"{_CLUSTER}.")
        if is_needed and "__main__" not in each.name and "pytest_plugin" not in each.name:
            with suppress(ImportError):  # of a package that an extra needs
                import_module(each.name)


def _accept(listener: socket.socket) -> tuple[_Request, list[int]] | None:
    """Return a request with its descriptors in each fork, and None in the server at the end."""
    ours = inherited()
    forks: list[_Fork] = []
    while True:
        watched = [each for fork in forks for each in (fork.pidfd, fork.connection.fileno())]
        ready = set(select.select([0, listener.fileno(), *watched], [], [])[0])
        if 0 in ready:
            for fork in forks:
                os.kill(fork.pid, signal.SIGKILL)
            return None
        forks = [fork for fork in forks if not _attend(fork, ready)]
        if listener.fileno() in ready:
            connection = listener.accept()[0]
            request, descriptors = _receive(connection, ours)
            if request is None:
                connection.close()
            elif pid := os.fork():
                forks.append(_Fork(pid, os.pidfd_open(pid), connection))
            else:
                listener.close()
                connection.close()
                for fork in forks:
                    fork.close()
                return request, descriptors
            for descriptor in descriptors:
                os.close(descriptor)


def _receive(connection: socket.socket, ours: str) -> tuple[_Request | None, list[int]]:
    """Return a request and its descriptors; no request if a fork would differ from a fresh start,
    or the client was killed."""
    descriptors: list[int] = []
    try:
        size, descriptors, _, _ = socket.recv_fds(connection, LENGTH_BYTES, 4)
        data = connection.recv(int.from_bytes(size, "little"), socket.MSG_WAITALL)
        request = _Request(*marshal.loads(data))
        if request.inherited == ours:
            return request, descriptors
        _answer(connection, REFUSED)
    except (EOFError, OSError, ValueError):
        pass  # the client was killed
    return None, descriptors


def _attend(fork: _Fork, ready: set[int]) -> bool:
    """Pass a signal of the client on to its fork, and return whether the fork has ended.

    The client hears how the fork ended. A fork whose client has ended is killed.
    """
    has_ended = fork.pidfd in ready
    if has_ended:
        _answer(fork.connection, os.waitstatus_to_exitcode(os.waitpid(fork.pid, 0)[1]))
        fork.close()
    elif fork.connection.fileno() in ready:
        number = b""
        with suppress(OSError):
            number = fork.connection.recv(1)
        os.kill(fork.pid, number[0] if number else signal.SIGKILL)
    return has_ended


def _answer(connection: socket.socket, code: int) -> None:
    with suppress(OSError):  # the client was killed
        connection.send(code.to_bytes(ANSWER_BYTES, "little", signed=True))


def _execute(request: _Request, descriptors: list[int]) -> None:
    """Become what `python -P -m` with the words of the request is after its start."""
    *streams, folder = descriptors
    os.fchdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for each in descriptors:
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = map(_standard_stream, range(3), ("rb", "wb", "wb"))
    os.environ.clear()
    os.environb.update(request.environment)
    sys.argv[1:] = request.words[1:]
    if request.words[0] == "harness" and os.environ.get("XTEST_BACKEND") == "portable":
        import_module("sitecustomize").remove()  # of tests/without_linux; the server needs it all
    runpy.run_module(request.words[0], run_name="__main__", alter_sys=True)


def _standard_stream(number: int, mode: str) -> io.TextIOWrapper:
    was = (sys.__stdin__, sys.__stdout__, sys.__stderr__)[number]
    assert was is not None
    # pylint: disable-next=consider-using-with  # open as long as the process
    raw = open(number, mode, closefd=False)
    return io.TextIOWrapper(raw, was.encoding, was.errors, "\n", line_buffering=number == 2)
