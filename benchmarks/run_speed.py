"""Compare `xtest run` with a minimal harness in C on the same cases.

python benchmarks/run_speed.py [CASES] [ROUNDS]: compiles reference.c with gcc, writes a suite for
`cat`, runs both in turn, two cases at once, and prints the medians of wall and CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from measuring import Cost, cost_of, write_pairs

HERE = Path(__file__).resolve().parent
CAT = "/bin/cat"
TEXT = '[{0}, {{"a": [1, 2, 3], "b": "the text of case {0}"}}]\n'


def main(cases: int, rounds: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        suite, reference = Path(folder, "suite"), Path(folder, "reference")
        write_pairs(suite, (TEXT.format(number) for number in range(1, cases + 1)))
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
                costs[name].append(cost_of(command, Path(folder)))
                assert costs[name][-1].status == 0, command
    print(f"{cases:,} cases of cat, two at once, {rounds} rounds in turn; medians:")
    medians = {
        name: Cost(*map(median, zip(*taken[1:], strict=True)))  # the first one warms up
        for name, taken in costs.items()
    }
    for name, cost in medians.items():
        print(f"  {name:6} wall {cost.wall_s:7.3f} s   CPU {cost.cpu_s:7.3f} s")
    ours, theirs = medians["xtest"], medians["C"]
    print(f"  ratio  wall {ours.wall_s / theirs.wall_s:7.2f}", end="     ")
    print(f"CPU {ours.cpu_s / theirs.cpu_s:7.2f}")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1000, 7][len(numbers) :]))
