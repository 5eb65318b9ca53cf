"""The process beside a Dask worker that runs batches: `python -m harness.cluster.child PID`.

Its first message is the work, which comes from the user's own xtest. Every further message is a
request. The answer is a message for each line of results as it comes, which begins with "+", then
a JSON object. Empty messages in between are signs of life. It ends with its parent, or when it has
been idle.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from io import FileIO
from typing import IO, Any, Final

from harness.cluster.batch_protocol import run_batch
from harness.cluster.machine import DifferentFiles, MachineNeeds
from harness.cluster.tasks import read_frame, write_frame
from harness.engine.workload import Workload
from harness.errors import UsageError
from harness.interruption import clean_up_when_stopped
from harness.model.exit_codes import ExitCode
from harness.process.system import SYSTEM

_AnyWorkload = Workload[Any, Any]
_IDLE_S: Final = 60.0
_SIGN_S: Final = 1.0  # between two signs of life


def main() -> int:
    """Answer requests until there are no more, and return the exit status."""
    clean_up_when_stopped()
    try:
        SYSTEM.end_with_parent(int(sys.argv[1]))
        requests, answers = _take_pipes()
        with closing(answers):
            if (sent := read_frame(requests)) is not None:
                needs: MachineNeeds
                workload: _AnyWorkload
                needs, workload = pickle.loads(sent)
                fault = _prepare_machine(needs, workload)
                for request in _requests(requests):
                    _answer(workload, fault, json.loads(request), answers)
    except (KeyboardInterrupt, BrokenPipeError):
        return ExitCode.INTERRUPTED
    return ExitCode.OK


class _AnswerPipe:
    """The pipe to the parent."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        threading.Thread(target=self._give_signs, daemon=True).start()

    def write(self, message: bytes) -> None:
        with self._lock:
            write_frame(self._pipe, message)

    def close(self) -> None:
        with self._lock:
            self._pipe.close()

    def _give_signs(self) -> None:
        with suppress(OSError, ValueError):  # the parent has ended, or the pipe is closed
            while True:
                self.write(b"")
                time.sleep(_SIGN_S)


def _take_pipes() -> tuple[FileIO, _AnswerPipe]:
    """Return standard input, unbuffered, and output; nothing else may read or write them."""
    requests, answers = FileIO(os.dup(0)), _AnswerPipe(os.fdopen(os.dup(1), "wb"))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, answers


def _requests(pipe: FileIO) -> Iterator[bytes]:
    while select.select([pipe], [], [], _IDLE_S)[0]:
        request = read_frame(pipe)
        if request is None:
            return
        yield request


def _prepare_machine(needs: MachineNeeds, workload: _AnyWorkload) -> dict[str, object]:
    """Prepare this machine, and return what is wrong with it; empty if nothing is."""
    try:
        mapping, sandbox = needs.prepare_machine()
        workload.place([mapping.target(each) for each in workload.targets], sandbox)
    except DifferentFiles as problem:
        where = {"path": problem.path, "kind": problem.kind.value}
        return {"problem": str(problem), **where, "files": problem.listing}
    except UsageError as problem:
        return {"problem": str(problem)}
    return {}


def _answer(
    workload: _AnyWorkload,
    fault: dict[str, object],
    request: dict[str, object],
    answers: _AnswerPipe,
) -> None:
    summary = fault
    if "items" in request and fault:
        summary = {"failure": fault["problem"]}
    elif "items" in request:
        began, losses = time.monotonic(), list[str]()
        for line in run_batch(workload, request, losses):
            answers.write(f"+{line}".encode())
        summary = {"wall_s": time.monotonic() - began, "losses": losses}
    answers.write(json.dumps(summary).encode())


if __name__ == "__main__":
    sys.exit(main())
