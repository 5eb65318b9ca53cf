"""Measure the time from saving a file to the first verdict of `xtest run --watch`, with `cat`.

python benchmarks/watch.py [--rounds N] [--cases N]
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import IO, Final

from measuring import write_pairs

_GOAL_S: Final = 0.3


def main() -> int:
    """Print the median and the longest time; return 1 if the median is above the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cases", type=int, default=100)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_pairs(Path(folder, "s"), ["1"] * wanted.cases)
        times = _measure(Path(folder, "s"), wanted.rounds)
    print(f"{wanted.cases} cases, {wanted.rounds} rounds: first verdict after a save")
    print(f"median {median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms")
    return int(median(times) > _GOAL_S)


def _measure(suite: Path, rounds: int) -> list[float]:
    words = ["-m", "harness", "run", "s", "--watch", "-v", "--", "cat"]
    environment = {**os.environ, "XTEST_CACHE": str(suite.parent / "cache")}
    times = []
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=suite.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        for number in range(rounds):
            _await(running.stdout, " passed in ")
            _await(running.stderr, "waiting for changes")
            begun = time.perf_counter()
            (suite / "1-in.json").write_text("1" + " " * number, encoding="ascii")
            _await(running.stdout, "passed ")
            times.append(time.perf_counter() - begun)
        running.send_signal(signal.SIGINT)
    return times


def _await(stream: IO[str], text: str) -> None:
    while text not in (line := stream.readline()):
        if not line:
            raise RuntimeError("xtest ended")


if __name__ == "__main__":
    sys.exit(main())
