"""Tests of the fork server: a fork does what a process of its own does."""

from __future__ import annotations

import os
import select
import shlex
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from support import fork_client
from support.fork_client import LENGTH_BYTES, plain_command
from support.fork_server import client_command
from support.xtest import await_process, clean_environment

# Prints all that it has been given, or waits with its number in a file.
PROBE = """
import atexit, json, os, resource, signal, sys, time

def main():
    if "wait" in sys.argv:
        with open("pid", "w") as file:
            file.write(str(os.getpid()))
        time.sleep(1000)
    atexit.register(print, "at exit")
    given = {
        "argv": sys.argv,
        "path": sys.path,
        "flags": str(sys.flags),
        "folder": os.getcwd(),
        "environment": {name: os.environ[name] for name in sorted(os.environ) if name != "_"},
        "streams": [
            each and (each.encoding, each.errors, each.newlines, each.line_buffering)
            for each in (sys.stdin, sys.stdout, sys.stderr)
        ],
        "open": sorted(os.listdir("/proc/self/fd")),
        "stdin": sys.stdin and sys.stdin.read(),
        "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "umask": os.umask(0),
        "module": __name__,
        "is_main": sys.modules["__main__"].__dict__ is globals(),
    }
    if sys.stdout:
        print(json.dumps(given, default=str, indent=1))
        print("no newline \\udcff", file=sys.stderr, end="")
    sys.exit(7)

if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module", name="environment")
def _environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a server that forks the probe."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.py").write_text(PROBE, encoding="utf-8")
    return clean_environment(folder, PYTHONPATH=str(folder))


@pytest.mark.parametrize(
    "surroundings",
    [
        "echo input | PROBE 'two words' 'é'",
        "cd /; NEW=1 PROBE </dev/null 9</dev/null",
        "echo text >in; PROBE >out 2>&1 <in; code=$?; cat out; exit $code",
        "ulimit -n 64; PROBE",
        "umask 7; trap '' INT TERM; PROBE",
        "PROBE 0<&-",
        "PROBE >&-",
        "PROBE >/dev/full 2>&1; echo $?; exit 7",
        "LC_ALL=C PYTHONIOENCODING=latin-1 PROBE",
    ],
)
def test_a_fork_has_what_a_process_of_its_own_has(
    environment: dict[str, str], tmp_path: Path, surroundings: str
) -> None:
    def run(command: tuple[str, ...]) -> tuple[int, str, str]:
        done = subprocess.run(
            ["bash", "-c", surroundings.replace("PROBE", shlex.join(command))],
            cwd=tmp_path,
            env=environment,
            input="",
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    plain = run(plain_command("probe"))
    assert plain[0] == 7
    assert run(client_command("probe", environment)) == plain


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_client_and_fork(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    command = [*client_command("probe", environment), "wait"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment) as client:
        try:
            pid = int(await_process(tmp_path / "pid", client).name)
            assert pid != client.pid
            fork = os.pidfd_open(pid)
            client.send_signal(number)
            assert client.wait() == -number
        finally:
            client.kill()
    select.select([fork], [], [])  # until it has ended
    os.close(fork)


@pytest.mark.parametrize("sent", [b"", (100).to_bytes(LENGTH_BYTES, "little") + b"part"])
def test_a_client_that_is_killed_while_it_asks_ends_no_other(
    environment: dict[str, str], tmp_path: Path, sent: bytes
) -> None:
    command = client_command("probe", environment)
    name = command[command.index(fork_client.__file__) + 1]
    with subprocess.Popen([*command, "wait"], cwd=tmp_path, env=environment) as other:
        try:
            await_process(tmp_path / "pid", other)
            with socket.socket(socket.AF_UNIX) as killed:
                killed.connect(f"\0{name}")
                killed.send(sent)
            again = subprocess.run(
                command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, check=False
            )
            assert (again.returncode, other.poll()) == (7, None)
        finally:
            other.kill()
