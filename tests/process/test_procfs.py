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

NUMBER_USED_ANEW = """
import subprocess, time
from pathlib import Path
from harness.process.reaper import RunProcesses
older = subprocess.Popen(["sleep", "60"])
time.sleep(0.1)
leader = subprocess.Popen(["sh", "-c", "read line; sleep 60; exit"], stdin=subprocess.PIPE)
run = RunProcesses(leader.pid, b"NO_MARK")
assert [each.pid for each in run.find([leader.pid])] == [leader.pid]
older.kill()
older.wait()
Path("/proc/sys/kernel/ns_last_pid").write_text(str(older.pid - 1))
leader.stdin.close()
while older.pid not in [each.pid for each in run.find([leader.pid])]:
    time.sleep(0.01)
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


@pytest.mark.system
def test_a_process_that_has_the_number_of_one_older_than_its_run_is_found() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has a namespace in which it chooses the next number")
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-c"]
    done = subprocess.run([*alone, NUMBER_USED_ANEW], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
