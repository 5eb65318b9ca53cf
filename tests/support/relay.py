"""A network between two programs on this machine, which can fail: a TCP relay."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from threading import Thread
from typing import NamedTuple


class Relay(NamedTuple):
    """A process that forwards each connection to its port to another port of 127.0.0.1."""

    port: int
    pid: int

    def stall(self) -> None:
        """Forward nothing any more, but keep all connections."""
        os.kill(self.pid, signal.SIGSTOP)


@contextmanager
def start_relay(port: int) -> Iterator[Relay]:
    """Start a relay to a port, and close it at the end of the `with` block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = get_context("spawn").Process(target=_accept, args=(listener, port))
        process.start()
        assert process.pid is not None
        try:
            yield Relay(listener.getsockname()[1], process.pid)
        finally:
            process.kill()
            process.join()


def _accept(listener: socket.socket, port: int) -> None:
    while True:
        one = listener.accept()[0]
        other = socket.create_connection(("127.0.0.1", port))
        for ends in ((one, other), (other, one)):
            Thread(target=_forward, args=ends, daemon=True).start()


def _forward(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
