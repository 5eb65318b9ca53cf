"""What a start of xtiles and xboard costs, side by side with a start of Python that does nothing.

A harness starts a program once per case, so this is most of what a case costs. Run it with the
Python of the environment that has the project installed (pip install, not -e):

    python benchmarks/start_up.py [rounds]

Every round runs each command once, in turn, so that a slow moment of the machine hits all of them.
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
    """What is timed: words, the input, and the output that shows that the work was done."""

    name: str
    words: list[str]
    sent: bytes
    expected: bytes


def commands(scripts: Path) -> list[Command]:
    """The baseline, which does nothing at all, and the programs, each on one small case."""
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
    """The wall time of one run. Raises RuntimeError where it does not print what it should."""
    begun = time.perf_counter()
    run = subprocess.run(command.words, input=command.sent, capture_output=True, check=False)
    passed = (time.perf_counter() - begun) * 1000
    if (run.returncode, run.stdout, run.stderr) != (0, command.expected, b""):
        raise RuntimeError(f"{command.name} printed {run.stdout!r}, {run.stderr!r}")
    return passed


def report(times: dict[str, list[float]]) -> str:
    """A table: for each command its median, its quartiles, and its ratio to the baseline."""
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
        milliseconds(command)  # once unseen: the first run writes the byte code
    times: dict[str, list[float]] = {command.name: [] for command in timed}
    for _ in range(rounds):
        for command in timed:
            times[command.name].append(milliseconds(command))
    print(report(times))


if __name__ == "__main__":
    main()
