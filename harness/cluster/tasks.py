"""The tasks that Dask runs in its worker processes: bytes in, bytes out.

Subjects are not run here but in a child process, which handles signals, forks and orphans as xtest
does on one machine. It is kept for the next batch, and ends after some idle time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from io import FileIO
from typing import IO, Final

from harness.cluster.archives import has_archive, receive_part, where_archives_are
from harness.text import signal_name
from harness.version import VERSION

RESTARTED: Final = "another process has the address of the worker now"
SILENT: Final = "xtest was silent there"
_LENGTH_BYTES: Final = 8  # before each message to or from a child
_START_S: Final = 60.0  # until the first sign of life of a child
_MOST_SESSIONS: Final = 4  # runs whose work a worker remembers


class _RemoteWork:
    """The work of one run of xtest, and the child that does it, which is killed if it is silent."""

    def __init__(self, work: bytes, silence_s: float) -> None:
        self.lock = threading.Lock()
        self._work = work
        self._silence_s = silence_s
        self._child: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def ask(self, request: bytes) -> bytes:
        """Return the answer of the child: a JSON object, then lines.

        If the child ends early, the object has the reason, and the lines are those that it sent.
        """
        lines: list[bytes] = []
        with self.lock:
            for _ in range(2):  # the child may have ended because it was idle
                if self._is_stopped:
                    break
                is_new = self._child is None
                answer, reason = self._exchange(request, lines)
                if answer is not None:
                    return b"\n".join([answer, *lines])
                reason = reason or self._reap()
                if is_new or reason or lines:
                    return b"\n".join([_failure(reason or "it ended at once"), *lines])
        return _failure("stopped")

    def _exchange(self, request: bytes, lines: list[bytes]) -> tuple[bytes | None, str]:
        """Send a request, and add the lines that come; return the object at the end, or None and
        the reason, "" if it is unknown."""
        is_new = self._child is None
        try:
            child = self._child = self._child or self._start()
            assert child.stdin is not None and child.stdout is not None
            write_frame(child.stdin, request)
            answers = FileIO(child.stdout.fileno(), closefd=False)
            silence_s = max(_START_S, self._silence_s) if is_new else self._silence_s
            while (message := read_frame(answers, silence_s)) is not None:
                silence_s = self._silence_s
                if message.startswith(b"{"):
                    return message, ""
                if message:
                    lines.append(message[1:])
        except TimeoutError:
            child.kill()
            self._reap()
            return None, SILENT
        except OSError:
            pass
        return None, ""

    def stop(self) -> None:
        """End the child, which kills the subjects that it runs."""
        self._is_stopped = True
        child = self._child
        if child is not None:
            child.send_signal(signal.SIGTERM)

    def _start(self) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-P", "-m", "harness.cluster.child", str(os.getpid()))
        # pylint: disable-next=consider-using-with  # kept for later batches
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdin is not None
        write_frame(child.stdin, self._work)
        return child

    def _reap(self) -> str:
        """Forget the child, and return how it ended; empty if it ended by itself."""
        child, self._child = self._child, None
        if child is None:
            return "it could not be started"
        for stream in filter(None, (child.stdin, child.stdout)):
            with suppress(OSError):  # what was buffered for a child that has ended
                stream.close()
        status = child.wait()
        if status < 0:
            return f"killed by {signal_name(-status)}"
        return f"exit status {status}" if status else ""


_SESSIONS: Final[dict[str, _RemoteWork]] = {}


def prepare(name: str, work: bytes, request: bytes) -> bytes:
    """Remember the work of a run, and return what its child reports about this machine.

    If the archive of the request is not here, return which other workers lack it, too.
    """
    facts = _facts()
    wanted = json.loads(request)
    if wanted["versions"] != [facts["xtest"], facts["python"]]:
        return json.dumps(facts).encode()  # the work could be misread
    if wanted["archive"] and not has_archive(wanted["archive"]):
        return json.dumps({**facts, "lacks": where_archives_are()}).encode()
    while len(_SESSIONS) >= _MOST_SESSIONS:
        _SESSIONS.pop(next(iter(_SESSIONS))).stop()
    stop(name)  # this worker was silent, and another one has its batches
    session = _SESSIONS[name] = _RemoteWork(work, wanted["silence_s"])
    return json.dumps({**facts, **json.loads(session.ask(request))}).encode()


def receive(request: bytes, part: bytes) -> bytes:
    """Keep a part of an archive, and return what is wrong, if anything."""
    problem = receive_part(**json.loads(request), part=part)
    return json.dumps({**_facts(), "received": True, "problem": problem}).encode()


def run_batch(name: str, request: bytes) -> bytes:
    """Run a batch; return a line about the batch, then a line for each event."""
    session = _SESSIONS.get(name)
    return _failure(RESTARTED) if session is None else session.ask(request)


def stop(name: str) -> None:
    """End the child of a run at once; Dask calls this beside running tasks."""
    session = _SESSIONS.pop(name, None)
    if session is not None:
        session.stop()


def _facts() -> dict[str, str]:
    """Return what identifies xtest and the machine here."""
    return {"xtest": VERSION, "python": sys.version.split()[0], "host": os.uname().nodename}


def _failure(reason: str) -> bytes:
    return json.dumps({"failure": reason}).encode()


# The pipes to and from a child.


def read_frame(stream: FileIO, silence_s: float | None = None) -> bytes | None:
    """Return the next message, or None if the other end has closed the pipe.

    Raises TimeoutError if nothing comes for `silence_s`.
    """
    length = _read_exactly(stream, _LENGTH_BYTES, silence_s)
    if length is None:
        return None
    return _read_exactly(stream, int.from_bytes(length, "little"), silence_s)


def write_frame(stream: IO[bytes], message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH_BYTES, "little"))
    stream.write(message)
    stream.flush()


def _read_exactly(stream: FileIO, size: int, silence_s: float | None) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        if not select.select([stream], [], [], silence_s)[0]:
            raise TimeoutError
        chunk = stream.read(size - len(data))
        if not chunk:
            return None
        data += chunk
    return bytes(data)
