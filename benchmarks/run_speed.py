"""Compare `xtest run` with a minimal harness in C on the same cases.

python benchmarks/run_speed.py [CASES] [ROUNDS]: compiles reference.c with gcc, writes a suite for
`cat`, runs both in turn, two cases at once, and prints the medians of wall and CPU time.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
CAT = "/bin/cat"


class Cost(NamedTuple):
    """The seconds that a command took, including its children."""

    wall: float
    cpu: float


def main(cases: int, rounds: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        suite, reference = Path(folder) / "suite", Path(folder) / "reference"
        make_suite(suite, cases)
        source = str(HERE / "reference.c")
        subprocess.run(["gcc", "-O2", "-o", str(reference), source, "-lpthread"], check=True)
        commands = {
            "C": [str(reference), str(suite), str(cases), "2", CAT],
            "xtest": [
                *(sys.executable, "-m", "harness", "run", str(suite), "-j2", "-q"),
                *("--results", f"{folder}/results.jsonl", "--replace", "--", CAT),
            ],
        }
        costs: dict[str, list[Cost]] = {name: [] for name in commands}
        for _ in range(rounds + 1):
            for name, command in commands.items():
                costs[name].append(cost_of(command))
    print(f"{cases:,} cases of cat, two at once, {rounds} rounds in turn; medians:")
    medians = {name: median(taken[1:]) for name, taken in costs.items()}  # the first one warms up
    for name, taken in medians.items():
        print(f"  {name:6} wall {taken.wall:7.3f} s   CPU {taken.cpu:7.3f} s")
    ours, theirs = medians["xtest"], medians["C"]
    print(f"  ratio  wall {ours.wall / theirs.wall:7.2f}     CPU {ours.cpu / theirs.cpu:7.2f}")


def make_suite(folder: Path, cases: int) -> None:
    """Write a suite that `cat` passes."""
    folder.mkdir()
    for number in range(1, cases + 1):
        text = f'[{number}, {{"a": [1, 2, 3], "b": "the text of case {number}"}}]\n'
        for side in ("in", "out"):
            (folder / f"{number}-{side}.json").write_text(text, encoding="utf-8")


def cost_of(command: list[str]) -> Cost:
    """Run a command, which must succeed, and return its cost."""
    before, started = cpu_of_children(), time.perf_counter()
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )
    return Cost(time.perf_counter() - started, cpu_of_children() - before)


def cpu_of_children() -> float:
    """Return the CPU seconds of all children that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def median(costs: list[Cost]) -> Cost:
    """Return the medians of wall and CPU time."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1000, 7][len(numbers) :]))
