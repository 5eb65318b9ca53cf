"""Compare `xtest run` with a minimal harness in C on the same cases.

python benchmarks/run_speed.py [CASES] [ROUNDS]: compiles reference.c with gcc, writes a suite for
`cat`, runs both in turn, two cases at once, and prints the medians of wall and CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import print_medians, write_pairs

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
        print(f"{cases:,} cases of cat, two at once, {rounds} rounds in turn; medians:")
        print_medians(commands, Path(folder), rounds)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1000, 7][len(numbers) :]))
