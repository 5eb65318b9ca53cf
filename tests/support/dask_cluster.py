"""Start a real Dask scheduler and its workers, as processes on the loopback interface."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.processes import until
from support.xtest import SHARED, clean_environment

_QUIET = ("--host", "127.0.0.1", "--no-dashboard")
# Workers, also those that replace others, are forked from a process that has imported Dask.
_FORKED = {"DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver"}


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


@contextmanager
def watch_workers(running: DaskProcesses) -> Iterator[Callable[[], set[str]]]:
    """Connect to a scheduler, and yield a function that returns the addresses of its workers."""
    import distributed  # pylint: disable=import-outside-toplevel  # 0.4 s in each process of tests

    connect: Any = distributed.Client
    with connect(running.address, set_as_default=False) as client:
        yield lambda: set(client.nthreads())


@contextmanager
def start_dask(folder: Path, *words: str) -> Iterator[DaskProcesses]:
    """Start a scheduler without workers; `words` are options of all processes."""
    environment = clean_environment(folder / "cache", **SHARED, **_FORKED)
    running = DaskProcesses(folder / "scheduler.json", environment, words)
    try:
        running.start("scheduler", "--port", "0")
        until(lambda: running.file.exists() and running.file.stat().st_size)
        yield running
    finally:
        running.stop()
