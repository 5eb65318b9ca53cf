"""Start a real Dask scheduler and its workers, as processes on the loopback interface."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import distributed
from support.processes import until
from support.xtest import SHARED, clean_environment

_QUIET = ("--host", "127.0.0.1", "--no-dashboard")


@dataclass
class DaskProcesses:
    """A scheduler, whose file names its address, and the workers that were started."""

    file: Path
    environment: Mapping[str, str]
    words: tuple[str, ...] = ()  # options of all processes
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text(encoding="utf-8"))["address"])

    def start(
        self, module: str, *words: str, through: tuple[str, ...] = ()
    ) -> subprocess.Popen[bytes]:
        """Start `dask scheduler` or `dask worker` in a session of its own, by another program."""
        log = self.file.with_suffix(f".{len(self.processes)}.log")
        with log.open("wb") as output:
            process = subprocess.Popen(  # pylint: disable=consider-using-with  # ended in `stop`
                [*through, sys.executable, "-P", "-m", f"distributed.cli.dask_{module}"]
                + ["--scheduler-file", str(self.file), *_QUIET, *self.words, *words],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def start_workers(self, number: int, *words: str) -> None:
        """Start workers of one thread, which are started again when they are killed."""
        self.start("worker", "--nworkers", str(number), "--nthreads", "1", *words)

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def workers_of(running: DaskProcesses) -> dict[str, int]:
    """Return the workers of a scheduler, as a program of the user's own would ask for them."""
    connect: Any = distributed.Client
    with connect(running.address, set_as_default=False) as client:
        return dict(client.nthreads())


@contextmanager
def start_dask(folder: Path, *words: str) -> Iterator[DaskProcesses]:
    """Start a scheduler without workers; `words` are options of all processes."""
    environment = clean_environment(folder / "cache", **SHARED)
    running = DaskProcesses(folder / "scheduler.json", environment, words)
    try:
        running.start("scheduler", "--port", "0")
        until(lambda: running.file.exists() and running.file.stat().st_size)
        yield running
    finally:
        running.stop()
