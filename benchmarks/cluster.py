"""Measure runs on Dask: their cost, and what they make of workers that are killed.

python benchmarks/cluster.py speed [CASES] [ROUNDS]: runs CASES cases of 20 ms with -j2 and on two
Dask workers in turn, and prints the wall times from the first event to the last, when workers are
up. It ends with an estimate for 400 processors, from the processor time that xtest itself took.

python benchmarks/cluster.py kill [CASES] [WORKERS]: kills 30 % of WORKERS workers by SIGKILL while
they run CASES cases, a twentieth of them wrong, and compares the verdicts with those of -j2.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import distributed

XTEST: Final = (sys.executable, "-P", "-m", "harness")
DASK: Final = (sys.executable, "-P", "-m")
CORES: Final = 400
CASE_S: Final = 0.02
KILLED: Final = 0.3
RESULTS_BYTES: Final = 10_000  # of a run that has begun


def main(mode: str, *sizes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if mode == "speed":
            compare_speed(*(sizes or (5_000,)))
        else:
            compare_verdicts(*(sizes or (100_000,)))


def compare_speed(cases: int, rounds: int = 3) -> None:
    """Print wall times and their ratio, then the estimate."""
    write_suite(cases)
    Path("subject").write_text(f"#!/bin/sh\nsleep {CASE_S}\nexec cat\n", encoding="utf-8")
    Path("subject").chmod(0o755)
    here, there, cpu_s = [], [], []
    with dask_workers(2) as (address, _):
        for number in range(1, rounds + 1):
            here.append(timed("-j2")[0])
            wall_s, own_s = timed("--cluster", address)
            there.append(wall_s)
            cpu_s.append(own_s - timed("--cluster", address, "--case", "1")[1])
            print(f"round {number}: -j2 {here[-1]:.1f} s, two Dask workers {wall_s:.1f} s")
    print(f"{cases:,} cases: {median(there) / median(here):.2f} times the wall time of -j2")
    each_s = median(cpu_s) / cases
    most = CASE_S / each_s
    print(f"xtest itself: {each_s * 1e3:.3f} ms of processor time per case")
    print(f"It limits runs: it takes the cases of 20 ms that {most:,.0f} processors run, and those")
    print(f"of {CORES} processors if they take {CORES * each_s * 1e3:.0f} ms")


def timed(*options: str) -> tuple[float, float]:
    """Run the suite; return the seconds between its events, and those of xtest's processor time."""
    os.mkfifo("events")
    words = [*XTEST, "run", "suite", "-q", "--results", "events", *options, "--", "./subject"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        with open("events", "rb") as events:
            events.readline()
            begun = time.monotonic()
            for _ in events:
                pass
            wall_s = time.monotonic() - begun
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    os.unlink("events")
    assert running.returncode == 0, running.returncode
    return wall_s, used.ru_utime + used.ru_stime


def compare_verdicts(cases: int, workers: int = 10) -> None:
    """Print whether killed workers change a verdict."""
    write_suite(cases, wrong_each=20)
    words = [*XTEST, "run", "suite", "-q", "--no-retry-timeouts", "--results"]
    run([*words, "here", "-j2", "--", "cat"])
    with dask_workers(workers) as (address, pid):
        killer = threading.Thread(
            target=kill_some, args=(pid, round(KILLED * workers)), daemon=True
        )
        killer.start()
        run([*words, "there", "--cluster", address, "--", "cat"])
    expected, found = verdicts("here"), verdicts("there")
    names = [name for name, _ in found]
    print(f"{len(found):,} verdicts, {len(names) - len(set(names)):,} twice")
    print(f"{len(set(expected) - set(found)):,} of {len(expected):,} are missing or different")


def run(words: list[str]) -> None:
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL)


def kill_some(nanny: int, number: int) -> None:
    """Kill as many workers, one after another, once there are results."""
    while not (os.path.exists("there") and os.path.getsize("there") > RESULTS_BYTES):
        time.sleep(0.1)
    for pid in random.sample([*filter(is_worker, children(nanny))], number):
        os.kill(pid, signal.SIGKILL)
        print("killed a worker", flush=True)
        time.sleep(random.uniform(1, 3))


def children(pid: int) -> list[int]:
    """Return the processes that any thread of a process has started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text("ascii").split()]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")


def verdicts(file: str) -> list[tuple[str, str]]:
    events = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
    return [(each["case"], each["verdict"]) for each in events if each["event"] == "judged"]


def write_suite(cases: int, wrong_each: int = 0) -> None:
    """Write cases whose output is their input; every so many expect another."""
    os.mkdir("suite")
    for number in range(1, cases + 1):
        is_wrong = wrong_each and number % wrong_each == 0
        Path(f"suite/{number}-in.json").write_text(f"{number}\n", encoding="utf-8")
        Path(f"suite/{number}-out.json").write_text(f"{0 if is_wrong else number}\n", "utf-8")


@contextmanager
def dask_workers(number: int) -> Iterator[tuple[str, int]]:
    """Start a scheduler and workers; yield its address, and the process that restarts workers."""
    quiet = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", "scheduler.json")
    with (
        open(os.devnull, "wb") as nothing,
        subprocess.Popen(
            [*DASK, "distributed.cli.dask_scheduler", "--port", "0", *quiet], stderr=nothing
        ) as scheduler,
        subprocess.Popen(
            [*DASK, "distributed.cli.dask_worker", "--nthreads", "1", "--nworkers", str(number)]
            + list(quiet),
            stderr=nothing,
        ) as workers,
    ):
        try:
            while not os.path.exists("scheduler.json"):
                time.sleep(0.2)
            address = json.loads(Path("scheduler.json").read_text("utf-8"))["address"]
            connect: Any = distributed.Client
            with connect(address, set_as_default=False) as client:
                client.wait_for_workers(number)
            yield address, workers.pid
        finally:
            workers.terminate()
            scheduler.terminate()


def is_worker(pid: int) -> bool:
    return "spawn_main" in command_of(pid)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
