"""Connect a dialogue with a program over TCP, on a port of the loopback interface that no other
run has.

A program that listens is found by attempts to connect, which the kernel refuses at once until it
does: each is a question for the state of the port, and no system reports a change of it.
"""

from __future__ import annotations

import errno
import math
import os
import random
import socket
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Final

from harness.errors import os_reason
from harness.model.dialogue import Transport
from harness.model.transcript import Job, NotStarted

_LOOPBACK: Final = "127.0.0.1"
_FAMILIES: Final = ((socket.AF_INET, _LOOPBACK), (socket.AF_INET6, "::1"))
# Below the ports that systems give to outgoing connections.
_PORTS: Final = range(20_000, 32_000)
_MOST_TRIED: Final = 500
_FIRST_PAUSE_S: Final = 0.001
_LAST_PAUSE_S: Final = 0.02
_IN_PROGRESS: Final = (errno.EINPROGRESS, errno.EALREADY, errno.EINTR)
_CONNECTED: Final = (0, errno.EISCONN)


class Pauses:
    """The times at which the system is asked for something that it does not report."""

    def __init__(self, now: float) -> None:
        self._pause_s = _FIRST_PAUSE_S
        self.next_at = now + self._pause_s

    def go_on(self, now: float) -> None:
        self._pause_s = min(_LAST_PAUSE_S, self._pause_s * 1.2)
        self.next_at = now + self._pause_s


class Connector(ABC):
    """Waits for the connection of one run."""

    def __init__(self, port: int) -> None:
        self.port: Final = port
        self.descriptor = -1  # readable when the program may have connected
        self.next_at = math.inf  # the time of the next attempt
        self.is_over = False  # connected, or given up
        self.is_reset = False
        self.listening: tuple[str, ...] = ()  # where the program listened instead

    @abstractmethod
    def attempt(self, now: float) -> socket.socket | None:
        """Return the connection, if there is one now."""

    def close(self) -> None:
        """Give up the port."""
        self.is_over = True
        self.next_at = math.inf
        self.descriptor = -1


class _Connecting(Connector):
    """Connects to a program that listens."""

    def __init__(self, reservation: Reservation, now: float) -> None:
        super().__init__(reservation.port)
        self._reservation = reservation
        self._sockets: list[socket.socket | None] = [None, None]
        self._pauses = Pauses(now)
        self.next_at = self._pauses.next_at

    def attempt(self, now: float) -> socket.socket | None:
        for index, (family, host) in enumerate(_FAMILIES):
            with suppress(OSError):  # there need be no IPv6
                if self._connects(index, family, host):
                    connection, self._sockets[index] = self._sockets[index], None
                    return _undelayed(connection)
        self._pauses.go_on(now)
        self.next_at = self._pauses.next_at
        return None

    def _connects(self, index: int, family: socket.AddressFamily, host: str) -> bool:
        one = self._sockets[index]
        if one is None:
            one = self._sockets[index] = socket.socket(family, socket.SOCK_STREAM)
            one.setblocking(False)
        problem = one.connect_ex((host, self.port))
        # A socket may connect to itself, if the system chooses the same port for it.
        if problem in _CONNECTED and one.getsockname() != one.getpeername():
            return True
        if problem not in _IN_PROGRESS:
            one.close()
            self._sockets[index] = None
        return False

    def close(self) -> None:
        super().close()
        for one in self._sockets:
            if one is not None:
                one.close()
        self._reservation.close()


class _Listening(Connector):
    """Accepts one connection of a program."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind((_LOOPBACK, 0))
            self._socket.listen(1)
        except OSError:
            self._socket.close()
            raise
        super().__init__(self._socket.getsockname()[1])
        self.descriptor = self._socket.fileno()

    def attempt(self, now: float) -> socket.socket | None:
        with suppress(OSError):
            connection, _ = self._socket.accept()
            connection.setblocking(False)
            return _undelayed(connection)
        return None

    def close(self) -> None:
        super().close()
        self._socket.close()


def _undelayed(connection: socket.socket | None) -> socket.socket | None:
    """Send each part of a message at once: deliveries decide how they arrive."""
    if connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Reservation:
    """A port on which no program listens yet, and that no other run of xtest takes.

    The program itself must be able to bind it, so xtest holds the port of the same number of UDP.
    """

    def __init__(self) -> None:
        for port in random.sample(_PORTS, _MOST_TRIED):
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                self._socket.bind((_LOOPBACK, port))
                if _is_free(port):
                    self.port = port
                    return
            except OSError as problem:
                if problem.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
            self._socket.close()
        raise OSError(errno.EADDRINUSE, "no port is free")

    def close(self) -> None:
        self._socket.close()


def _is_free(port: int) -> bool:
    """Return whether a program can listen on a port, on all addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.bind(("", port))
    return True


def open_connector(
    job: Job, now: float, reservation: Reservation | None = None
) -> Connector | NotStarted:
    """Choose a port for a dialogue over TCP, unless one is reserved, and begin to wait for its
    connection."""
    assert job.script is not None
    try:
        if job.script.rules.transport is Transport.LISTEN:
            return _Listening()
        return _Connecting(reservation or Reservation(), now)
    except OSError as problem:
        return NotStarted(f"its connection: {os_reason(problem)}", by_machine=True)


def close_sending(descriptor: int) -> None:
    """Close a descriptor of a connection, so that the program finds the end of its input."""
    with socket.socket(fileno=os.dup(descriptor)) as connection, suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
    os.close(descriptor)
