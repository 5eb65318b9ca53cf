"""Stand between a client and a server: pass every byte on unchanged and at once, and observe it.

The client has started xtest and uses its standard streams, or it connects to a port.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, suppress
from threading import Thread, Timer
from typing import Final, NamedTuple, Protocol

from harness.errors import UsageError
from harness.interruption import STOP_SIGNALS
from harness.process.connecting import Reservation

_CHUNK: Final = 65_536
_PASSED_ON: Final = (*STOP_SIGNALS, signal.SIGUSR1, signal.SIGUSR2)
_GRACE_S: Final = 1.0  # after the client has left, or a signal, before the record is kept as it is
_ATTEMPT_S: Final = 0.01  # between attempts to connect to the program
_STARTED_S: Final = 10.0  # until it must listen
_CLIENT_S: Final = 0.1  # between looks whether the program still runs, while no client is there


class NotListening(Exception):
    """The program did not listen on its port."""


class _End(NamedTuple):
    """One side of the relay: `close` ends what it reads, `refuse` stops what it writes."""

    read: Callable[[], bytes]
    write: Callable[[bytes], object]
    close: Callable[[], object]
    refuse: Callable[[], object]


class Observer(Protocol):
    """Receives a copy of all that the relay passes on."""

    def observe(self, is_from_client: bool, data: bytes) -> None:
        """Record bytes of one side before they are passed on, or b"" for its end."""

    def note_stop(self, number: int) -> None:
        """Note the signal with which the client stops the program."""

    def keep(self) -> None:
        """Save what was observed: the client has left or sent a signal, the program still runs,
        and xtest may be killed next."""


def relay(argv: list[str], port: int | None, observer: Observer) -> int:
    """Run a program for a client, and return its exit status, below 0 for a signal.

    With a port, the client connects there, and "{port}" in `argv` is that of the program.

    Raises OSError if the program cannot be started, NotListening; UsageError if the port is taken.
    """
    if port is None:
        return _relay_streams(argv, observer)
    return _relay_connection(argv, port, observer)


def _relay_streams(argv: list[str], observer: Observer) -> int:
    # In a group of its own, it gets each signal once: from here.
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0
    ) as program:
        assert program.stdin is not None and program.stdout is not None
        _pass_signals_on(program, observer)
        reading, writing = program.stdout, program.stdin
        client = _End(
            lambda: os.read(0, _CHUNK),
            lambda data: _write(1, data),
            lambda: _close(1),
            lambda: _close(0),
        )
        server = _End(
            lambda: os.read(reading.fileno(), _CHUNK),
            lambda data: _write(writing.fileno(), data),
            writing.close,
            reading.close,
        )
        return _relay_ends(program, client, server, observer)


def _relay_connection(argv: list[str], port: int, observer: Observer) -> int:
    with _open_port(port) as listener:
        reserved = Reservation()
        argv = [word.replace("{port}", str(reserved.port)) for word in argv]
        with (
            closing(reserved),
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, process_group=0) as program,
        ):
            _pass_signals_on(program, observer)
            try:
                server = _connect(program, reserved.port)
                client = _accept(program, listener)
            except BaseException:
                program.kill()
                raise
            if client is None:
                server.close()
                return program.wait()
            with server, client:
                return _relay_ends(program, _end_of(client), _end_of(server), observer)


def _open_port(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as problem:
        reason = os.strerror(problem.errno or 0).lower()
        raise UsageError(f"--port {port}: {reason}") from None


def _connect(program: subprocess.Popen[bytes], port: int) -> socket.socket:
    deadline = time.monotonic() + _STARTED_S
    while program.poll() is None and time.monotonic() < deadline:
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port))
        time.sleep(_ATTEMPT_S)
    raise NotListening


def _accept(program: subprocess.Popen[bytes], listener: socket.socket) -> socket.socket | None:
    """Return the connection of the client, or None if the program ends before it comes."""
    listener.settimeout(_CLIENT_S)
    while program.poll() is None:
        with suppress(TimeoutError):
            return listener.accept()[0]
    return None


def _end_of(connection: socket.socket) -> _End:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _End(
        lambda: connection.recv(_CHUNK),
        connection.sendall,
        lambda: connection.shutdown(socket.SHUT_WR),
        lambda: connection.shutdown(socket.SHUT_RDWR),
    )


def _relay_ends(
    program: subprocess.Popen[bytes], client: _End, server: _End, observer: Observer
) -> int:
    def copy_input() -> None:
        _copy(client, server, lambda data: observer.observe(True, data))
        _later(observer.keep)

    def copy_output() -> None:
        if not _copy(server, client, lambda data: observer.observe(False, data)):
            observer.observe(True, b"")  # the client has left

    copying = [Thread(target=each, daemon=True) for each in (copy_input, copy_output)]
    for thread in copying:
        thread.start()
    status = program.wait()
    copying[1].join(_GRACE_S)  # a process that it left behind may keep its output open
    return status


def _copy(source: _End, sink: _End, observe: Callable[[bytes], None]) -> bool:
    """Pass on all that a side sends, and then its end, and return whether the sink took it.

    If the sink reads no more, stop the source: its next write fails, as it would without xtest.
    """
    with suppress(OSError, ValueError):  # it was closed
        while data := source.read():
            observe(data)
            try:
                sink.write(data)
            except (OSError, ValueError):
                source.refuse()
                return False
    observe(b"")
    with suppress(OSError, ValueError):
        sink.close()
    return True


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _close(descriptor: int) -> None:
    """End what the client reads; the number stays taken, so that no other file gets it."""
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(null, descriptor)
    os.close(null)


def _pass_signals_on(program: subprocess.Popen[bytes], observer: Observer) -> None:
    """Pass signals on from a thread: a handler would not run until the program ends if its signal
    came just before the wait for that."""
    numbers = [each for each in _PASSED_ON if signal.getsignal(each) is not signal.SIG_IGN]

    def pass_on() -> None:
        while True:
            number = signal.sigwait(numbers)
            if number in STOP_SIGNALS:
                observer.note_stop(number)
            program.send_signal(number)
            _later(observer.keep)

    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    Thread(target=pass_on, daemon=True).start()


def _later(keep: Callable[[], None]) -> None:
    timer = Timer(_GRACE_S, keep)
    timer.daemon = True
    timer.start()
