"""Run a Python module in a fork of a server that has imported it: a script of few imports.

    python -IS fork_client.py SOCKET MODULE [ARGUMENT]...

The fork has the arguments, environment, folder and standard streams of this process, which ends as
the fork does. Where a fork of the server would differ from a process of its own (other limits,
ignored signals, a terminal, a closed stream), that process is started. See fork_server.py.
"""

import os
import sys

# Built in: importing `signal` and `socket` takes longer than all the rest. Typeshed lacks one.
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIG_IGN,
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGTERM,
    getsignal,
    signal,
    valid_signals,
)
from _socket import AF_UNIX, MSG_WAITALL, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket
from marshal import dumps

LENGTH_BYTES = 4  # of a request; they precede it
ANSWER_BYTES = 2  # the exit code, or a negative number: the signal that ended the fork
REFUSED = -1_000
_STREAMS = (0, 1, 2)
_FORWARDED = (SIGHUP, SIGINT, SIGQUIT, SIGTERM)
_STATUS_LINES = ("Uid", "Gid", "Groups", "Umask", "SigBlk", "Cap", "NoNewPrivs")
# Variables that are read before the first line of a program runs, or when Dask is imported.
_READ_EARLY = ("PYTHON", "LANG", "LC_", "LD_", "TZ", "DASK_")


def inherited() -> str:
    """Return what a process inherits and a request does not say."""
    with open("/proc/self/status", encoding="latin-1") as status:
        lines = [line for line in status if line.startswith(_STATUS_LINES)]
    lines += [f"{number}\n" for number in valid_signals() if getsignal(number) == SIG_IGN]
    with open("/proc/self/limits", encoding="latin-1") as limits:
        lines += limits
    variables = sorted(name for name in os.environ if name.startswith(_READ_EARLY))
    return "".join([*lines, *(f"{name}={os.environ[name]}\n" for name in variables)])


def plain_command(*words: str) -> tuple[str, ...]:
    """Return the command that runs a module in a process of its own."""
    return (sys.executable, "-P", "-m", *words)


def _main(name: str, words: list[str]) -> None:
    code = REFUSED
    try:
        # The last is that of the folder which is listed.
        is_usual = sorted(os.listdir("/proc/self/fd")) == ["0", "1", "2", "3"]
        if is_usual and not any(map(os.isatty, _STREAMS)):
            code = _run_in_fork(name, words)
    except (ConnectionRefusedError, FileNotFoundError, PermissionError):
        pass  # nothing has been started; the server has ended, or the folder is not readable
    if code == REFUSED:
        os.execv(sys.executable, plain_command(*words))
    if code >= 0:
        sys.exit(code)
    if -code in _FORWARDED:
        signal(-code, SIG_DFL)
    os.kill(os.getpid(), -code)


def _run_in_fork(name: str, words: list[str]) -> int:
    """Return the exit code, a negative signal, or REFUSED."""
    folder = os.open(".", os.O_RDONLY)
    request = dumps((inherited(), words, dict(os.environb)))
    size = len(request).to_bytes(LENGTH_BYTES, "little")
    descriptors = b"".join(each.to_bytes(4, sys.byteorder) for each in (*_STREAMS, folder))
    connection = socket(AF_UNIX, SOCK_STREAM)
    connection.connect(f"\0{name}")
    for number in _FORWARDED:
        if getsignal(number) != SIG_IGN:
            signal(number, lambda number, _: connection.send(bytes([number])))
    try:
        connection.sendmsg([size], [(SOL_SOCKET, SCM_RIGHTS, descriptors)])
        connection.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        return REFUSED  # the server ended before it had the request
    answer = connection.recv(ANSWER_BYTES, MSG_WAITALL)
    if len(answer) < ANSWER_BYTES:
        sys.exit("fork_client.py: the server has ended")
    return int.from_bytes(answer, "little", signed=True)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
