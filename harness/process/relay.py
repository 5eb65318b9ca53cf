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
from types import FrameType
from typing import Final, NamedTuple

from harness.interruption import STOP_SIGNALS
from harness.process.connecting import Reservation

Observer = Callable[[bool, bytes], None]

_CHUNK: Final = 65_536
_PASSED_ON: Final = (*STOP_SIGNALS, signal.SIGUSR1, signal.SIGUSR2)
_GRACE_S: Final = 1.0  # after the client has left, or a signal, before the record is kept as it is
_ATTEMPT_S: Final = 0.01  # between attempts to connect to the program
_STARTED_S: Final = 10.0  # until it must listen
_CLIENT_S: Final = 0.1  # between looks whether the program still runs, while no client is there


class NotListening(Exception):
    """The program did not listen on its port."""


class _End(NamedTuple):
    """Where one side is read and written; `close` ends what it reads."""

    read: Callable[[], bytes]
    write: Callable[[bytes], object]
    close: Callable[[], object]


def relay(argv: list[str], port: int | None, observe: Observer, keep: Callable[[], None]) -> int:
    """Run a program for a client, and return its exit status, below 0 for a signal.

    `observe` gets the bytes of the client (True) and of the program before they are passed on, and
    none for the end of a side. `keep` is called when the client has left or sends a signal to stop,
    and the program does not end soon: what comes afterwards may be a kill. With a port, the client
    connects there, and "{port}" in `argv` is that of the program.

    Raises OSError if the program cannot be started, NotListening.
    """
    if port is None:
        return _relay_streams(argv, observe, keep)
    return _relay_connection(argv, port, observe, keep)


def _relay_streams(argv: list[str], observe: Observer, keep: Callable[[], None]) -> int:
    # In a group of its own, it gets each signal once: from here.
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0
    ) as program:
        assert program.stdin is not None and program.stdout is not None
        _pass_signals_on(program, keep)
        reading, writing = program.stdout.fileno(), program.stdin
        client = _End(lambda: os.read(0, _CHUNK), lambda data: _write(1, data), lambda: _close(1))
        server = _End(
            lambda: os.read(reading, _CHUNK),
            lambda data: _write(writing.fileno(), data),
            writing.close,
        )
        return _relay_ends(program, client, server, observe, keep)


def _relay_connection(
    argv: list[str], port: int, observe: Observer, keep: Callable[[], None]
) -> int:
    with socket.create_server(("127.0.0.1", port)) as listener:
        reserved = Reservation()
        argv = [word.replace("{port}", str(reserved.port)) for word in argv]
        with (
            closing(reserved),
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, process_group=0) as program,
        ):
            _pass_signals_on(program, keep)
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
                return _relay_ends(program, _end_of(client), _end_of(server), observe, keep)


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
    )


def _relay_ends(
    program: subprocess.Popen[bytes],
    client: _End,
    server: _End,
    observe: Observer,
    keep: Callable[[], None],
) -> int:
    def copy_input() -> None:
        _copy(client, server, lambda data: observe(True, data))
        _later(keep)

    copying = [
        Thread(target=copy_input, daemon=True),
        Thread(
            target=_copy,
            args=(server, client, lambda data: observe(False, data)),
            daemon=True,
        ),
    ]
    for thread in copying:
        thread.start()
    status = program.wait()
    copying[1].join(_GRACE_S)  # a process that it left behind may keep its output open
    return status


def _copy(source: _End, sink: _End, observe: Callable[[bytes], None]) -> None:
    """Pass on all that a side sends, and then its end. The observer knows it first."""
    with suppress(OSError, ValueError):  # the other side has closed, or the program has ended
        while data := source.read():
            observe(data)
            sink.write(data)
    observe(b"")
    with suppress(OSError, ValueError):
        sink.close()


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _close(descriptor: int) -> None:
    """End what the client reads; the number stays taken, so that no other file gets it."""
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(null, descriptor)
    os.close(null)


def _pass_signals_on(program: subprocess.Popen[bytes], keep: Callable[[], None]) -> None:
    def pass_on(number: int, _frame: FrameType | None) -> None:
        program.send_signal(number)
        _later(keep)

    for number in _PASSED_ON:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, pass_on)


def _later(keep: Callable[[], None]) -> None:
    timer = Timer(_GRACE_S, keep)
    timer.daemon = True
    timer.start()
