"""Compare the start-up time of xtiles and xboard with that of a Python that does nothing.

A harness starts a program for each case, so this is most of the cost of a case. Run it with a
Python that has the project installed (pip install, not -e):

    python benchmarks/start_up.py [rounds]

Each round runs every command once, in turn, so that a slow moment of the machine affects all.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

_ROUNDS: Final = 60
_BASELINE: Final = "python -c pass"


class Command(NamedTuple):
    """A timed command: its words, its input, and the output that it must print."""

    name: str
    words: list[str]
    sent: bytes
    expected: bytes


def commands(scripts: Path) -> list[Command]:
    """Return the baseline, which does nothing, and the programs, each on a small case."""
    return [
        Command(_BASELINE, [sys.executable, "-c", "pass"], b"", b""),
        Command(
            "xtiles",
            [str(scripts / "xtiles")],
            b'[22,90,"C"]\n',
            b'["if ","C"," is the entrance, ","D"," is the exit."]\n',
        ),
        Command(
            "xboard",
            [str(scripts / "xboard")],
            b'[[[5,90],"red","E",3,0],[[8,0],"blue","C",6,2]]["red",[9,0]]\n',
            b'[[9,0],"red","E",3,1]\n',
        ),
    ]


def milliseconds(command: Command) -> float:
    """Return the wall time of a run. Raises RuntimeError if its output is wrong."""
    begun = time.perf_counter()
    run = subprocess.run(command.words, input=command.sent, capture_output=True, check=False)
    passed = (time.perf_counter() - begun) * 1000
    if (run.returncode, run.stdout, run.stderr) != (0, command.expected, b""):
        raise RuntimeError(f"{command.name} printed {run.stdout!r}, {run.stderr!r}")
    return passed


def report(times: dict[str, list[float]]) -> str:
    """Return a table with the median, quartiles and ratio to the baseline of each command."""
    base = median(times[_BASELINE])
    lines = [f"{'command':16}{'median':>10}{'quartiles':>20}{'ratio':>8}"]
    for name, measured in times.items():
        low, _, high = quantiles(measured, n=4)
        spread = f"{low:.1f} to {high:.1f} ms"
        middle = median(measured)
        lines.append(f"{name:16}{middle:>7.1f} ms{spread:>20}{middle / base:>8.2f}")
    return "\n".join(lines)


def main() -> None:
    """Time all commands and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    timed = commands(Path(sysconfig.get_path("scripts")))
    for command in timed:
        milliseconds(command)  # not counted: the first run writes the byte code
    times: dict[str, list[float]] = {command.name: [] for command in timed}
    for _ in range(rounds):
        for command in timed:
            times[command.name].append(milliseconds(command))
    print(report(times))


if __name__ == "__main__":
    main()
