"""Write suites for benchmarks, and measure what processes take."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

TOP: Final = Path(__file__).resolve().parent.parent


class Cost(NamedTuple):
    """The time of a command with all its children, and the most memory that one of them took."""

    cpu_s: float
    wall_s: float
    peak_mib: float
    status: int


def write_pairs(folder: Path, texts: Iterable[str]) -> None:
    """Write a suite that `cat` passes, with these inputs."""
    folder.mkdir(parents=True)
    for number, text in enumerate(texts, start=1):
        for side in ("in", "out"):
            (folder / f"{number}-{side}.json").write_text(text, encoding="utf-8")


def cost_of(words: list[str], folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """Run a command in a folder, with the checkout on PYTHONPATH; return its cost."""
    # An installed xtest has byte code. Here the first run writes it, also where that is disabled.
    settings = {"PYTHONPATH": str(TOP), "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **settings, **(variables or {})}
    started = time.perf_counter()
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(cpu_s, wall_s, usage.ru_maxrss / 1024, process.returncode)


def cost_of_xtest(
    folder: Path, *words: str, statuses: tuple[int, ...] = (0,), **variables: str
) -> Cost:
    """Run xtest in a folder; return its cost. Raises RuntimeError for another exit status."""
    cost = cost_of([sys.executable, "-m", "harness", *words], folder, variables)
    if cost.status not in statuses:
        raise RuntimeError(f"xtest {' '.join(words)} exited with {cost.status}")
    return cost


def print_medians(commands: Mapping[str, list[str]], folder: Path, rounds: int) -> None:
    """Run two commands in turn; print the medians of what they take, and their ratio."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            costs[name].append(cost_of(command, folder))
            assert costs[name][-1].status == 0, command
    medians = {
        name: Cost(*map(median, zip(*taken[1:], strict=True)))  # the first one warms up
        for name, taken in costs.items()
    }
    for name, cost in medians.items():
        print(f"  {name:6} wall {cost.wall_s:7.3f} s   CPU {cost.cpu_s:7.3f} s")
    theirs, ours = medians.values()
    print(f"  ratio  wall {ours.wall_s / theirs.wall_s:7.2f}", end="     ")
    print(f"CPU {ours.cpu_s / theirs.cpu_s:7.2f}")


def processor_s() -> float:
    """Return the processor time of this process and of the children that it waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
