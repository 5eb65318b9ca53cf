"""Compare time per case and memory of `xtest run` on a small and a large packed suite.

    python benchmarks/packed_scale.py [LARGE] [SMALL]

The suites have LARGE (100,000) and SMALL (1,000) cases for `cat`. The small one runs before and
after the large one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measuring import Cost, cost_of_xtest

from harness.model.case_names import PACKED_FILE
from harness.suites.packed import PackedCase, format_line

CAT = "/bin/cat"


def main(large: int, small: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        small_suite = make_suite(Path(folder) / "small", small)
        large_suite = make_suite(Path(folder) / "large", large)
        cost_of(small_suite)  # warm-up
        before = [cost_of(small_suite) for _ in range(3)]
        large_cost = cost_of(large_suite)
        small_cost = min(before + [cost_of(small_suite) for _ in range(3)])
    print("packed cases for cat, two in parallel; for the small suite, the best of six runs:")
    for cases, cost in ((small, small_cost), (large, large_cost)):
        wall_ms, cpu_ms = cost.wall_s * 1000 / cases, cost.cpu_s * 1000 / cases
        times = f"{wall_ms:.3f} ms per case (CPU {cpu_ms:.3f})"
        print(f"  {cases:>9,} cases  {times}  peak {cost.peak_mib:.1f} MiB")
    scale = small / large
    wall = large_cost.wall_s / small_cost.wall_s * scale
    print(f"  per case, large to small: wall {wall:.2f}", end=", ")
    print(f"CPU {large_cost.cpu_s / small_cost.cpu_s * scale:.2f}")


def make_suite(folder: Path, cases: int) -> Path:
    """Write a packed suite that `cat` passes."""
    folder.mkdir()
    with (folder / PACKED_FILE).open("wb") as file:
        for number in range(1, cases + 1):
            text = f'[{number}, {{"a": [1, 2, 3], "b": "the text of case {number}"}}]\n'.encode()
            file.write(format_line(PackedCase(str(number), text, text)))
    return folder


def cost_of(folder: Path) -> Cost:
    results = ("--results", "results.jsonl", "--replace")
    return cost_of_xtest(folder, "run", ".", "-j2", "-q", *results, "--", CAT)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100_000, 1_000][len(numbers) :]))
