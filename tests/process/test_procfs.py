"""The kernel's long lists, which it gives in parts, are read to their ends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from harness.process.procfs import connects, listening, listens

CHILDREN = """
import os
from harness.process.procfs import children
started = {os.fork() or os._exit(0) for _ in range(700)}
print(started == set(children(os.getpid())))
"""


@pytest.mark.needs("/proc")
def test_of_many_connections_every_one_is_found() -> None:
    pids = [os.getpid()]
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(60)]
        ports = [server.getsockname()[1] for server in servers]
        for port in ports:
            assert not connects(pids, port)
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert [port for port in ports if not listens(port, os.getpid())] == []
        assert [port for port in ports if not connects(pids, port)] == []
        assert len(listening(pids)) >= len(ports)


@pytest.mark.needs("/proc")
def test_of_many_children_every_one_is_found() -> None:
    command = [sys.executable, "-c", CHILDREN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
