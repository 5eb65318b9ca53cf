"""Compare the processor time of a run in each sandbox with that of a bare bwrap.

python benchmarks/sandbox_cost.py [RUNS] [ROUNDS]: prints the medians of what a run of `cat` costs
more than without a sandbox, its children included. A bare bwrap has every namespace and one mount.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator

from measuring import processor_s

from harness.errors import Refused
from harness.model.protection import SandboxKind
from harness.model.transcript import Exited, Job
from harness.process.inventory import Exposure
from harness.process.loop import in_order
from harness.process.sandbox import Sandbox, find_sandbox, run_in

CAT = ("/bin/cat",)
BARE = ("/usr/bin/bwrap", "--unshare-all", "--as-pid-1", "--ro-bind", "/", "/", *CAT)


def main(runs: int, rounds: int) -> None:
    """Print one table."""
    ways: dict[str, tuple[Sandbox | None, tuple[str, ...]]] = {"none": (None, CAT)}
    for kind in SandboxKind:
        found = find_sandbox(kind, Exposure())
        if not isinstance(found, Refused):
            ways[kind.value] = (found, CAT)
    ways["bare bwrap"] = (None, BARE)
    costs: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for _ in range(rounds):
            for name, (sandbox, command) in ways.items():
                costs[name].append(cost_ms(sandbox, command, runs))
    medians = {name: statistics.median(measured) for name, measured in costs.items()}
    for name, cost in medians.items():
        print(f"{name:12} {cost:6.2f} ms   {cost - medians['none']:+6.2f} ms")


def cost_ms(sandbox: Sandbox | None, command: tuple[str, ...], runs: int) -> float:
    """Return the processor time of a run."""
    before = processor_s()
    for ended in run_in(sandbox, in_order(jobs(command, runs)), 1, os.environ, sole_parent=True):
        assert ended.transcript.ending == Exited(0)
    return (processor_s() - before) * 1000 / runs


def jobs(command: tuple[str, ...], runs: int) -> Iterator[tuple[int, Job]]:
    """Yield equal jobs."""
    for number in range(runs):
        yield number, Job(command, b"[1]\n")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100, 7][len(numbers) :]))
