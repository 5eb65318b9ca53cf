"""A network between two programs on this machine, which can fail: a TCP relay."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Forwards each connection to a port of 127.0.0.1, in both directions."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = [self._listener]
        self._forwards = threading.Event()
        self._forwards.set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def stall(self) -> None:
        """Forward nothing any more, but keep all connections."""
        self._forwards.clear()

    def close(self) -> None:
        """Close all connections."""
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._forwards.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                one = self._listener.accept()[0]
                other = socket.create_connection(self._target)
                self._sockets += (one, other)
                for ends in ((one, other), (other, one)):
                    threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._forwards.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def start_relay(port: int) -> Iterator[Relay]:
    """Start a relay to a port, and close it at the end of the `with` block."""
    relay = Relay(port)
    try:
        yield relay
    finally:
        relay.close()
