"""Observe runs of programs, and the processes of this machine."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from harness.model.limits import Limits
from harness.model.transcript import Job, Transcript
from harness.process.backend import descendants
from harness.process.loop import run_one
from harness.process.procfs import processes, read_process
from harness.process.reaper import DRAIN, Drain

# Variables of Python change how it runs a program.
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
LIMITS = Limits(wall_s=60)


def observe(
    *argv: str, stdin: bytes = b"", limits: Limits = LIMITS, drain: Drain = DRAIN
) -> Transcript:
    return observe_job(Job(argv, stdin, limits), os.environ, drain)


def observe_python(text: str, limits: Limits = LIMITS) -> Transcript:
    return observe(sys.executable, "-I", "-S", "-c", text, limits=limits)


def observe_job(
    job: Job, environment: Mapping[str, str] = ENVIRONMENT, drain: Drain = DRAIN
) -> Transcript:
    return run_one(job, environment, sole_parent=True, drain=drain)


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition, which on any machine is soon true."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the condition is still false after a minute")


def lives(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    found = read_process(pid)
    return found is not None and not found.is_zombie


def descendants_of(pid: int) -> set[int]:
    return {each.pid for each in descendants([pid], processes())} - {pid}


def processes_in(folder: Path, word: bytes) -> list[Path]:
    """Return the folders in /proc of processes that have a folder, and a word in their command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_meant = word in (process / "cmdline").read_bytes()
            if is_meant and (process / "cwd").readlink() == folder:
                found.append(process)
    return found
