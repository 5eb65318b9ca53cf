"""Compare time per case and memory of `xtest run` on a small and a large packed suite.

    python benchmarks/packed_scale.py [LARGE] [SMALL]

The suites have LARGE (100,000) and SMALL (1,000) cases for `cat`. The small one runs before and
after the large one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position  # the path is set above, for any current folder
from harness.model.case_names import PACKED_FILE  # noqa: E402
from harness.suites.packed import PackedCase, format_line  # noqa: E402

CAT = "/bin/cat"


class Cost(NamedTuple):
    """Wall and CPU time per case in milliseconds, and the peak memory of one process in MiB."""

    case_ms: float
    cpu_ms: float
    peak_mib: float


def main(large: int, small: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        small_suite = make_suite(Path(folder) / "small", small)
        large_suite = make_suite(Path(folder) / "large", large)
        cost_of(small_suite, small)  # warm-up
        before = [cost_of(small_suite, small) for _ in range(3)]
        large_cost = cost_of(large_suite, large)
        small_cost = min(before + [cost_of(small_suite, small) for _ in range(3)])
    print("packed cases for cat, two in parallel; for the small suite, the best of six runs:")
    for cases, cost in ((small, small_cost), (large, large_cost)):
        times = f"{cost.case_ms:.3f} ms per case (CPU {cost.cpu_ms:.3f})"
        print(f"  {cases:>9,} cases  {times}  peak {cost.peak_mib:.1f} MiB")
    wall_ratio, cpu_ratio = (
        large_cost.case_ms / small_cost.case_ms,
        large_cost.cpu_ms / small_cost.cpu_ms,
    )
    print(f"  per case, large to small: wall {wall_ratio:.2f}, CPU {cpu_ratio:.2f}")


def make_suite(folder: Path, cases: int) -> Path:
    """Write a packed suite that `cat` passes."""
    folder.mkdir()
    with (folder / PACKED_FILE).open("wb") as file:
        for number in range(1, cases + 1):
            text = f'[{number}, {{"a": [1, 2, 3], "b": "the text of case {number}"}}]\n'.encode()
            file.write(format_line(PackedCase(str(number), text, text)))
    return folder


def cost_of(folder: Path, cases: int) -> Cost:
    """Run xtest; raise RuntimeError if it fails."""
    words = [sys.executable, "-m", "harness", "run", str(folder), "-j2", "-q"]
    words += ["--results", f"{folder}/results.jsonl", "--replace", "--", CAT]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    started = time.perf_counter()
    # pylint: disable-next=consider-using-with  # wait4 reaps it and returns its usage
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"xtest exited with {process.returncode}")
    used = usage.ru_utime + usage.ru_stime  # including reaped children
    return Cost(taken * 1000 / cases, used * 1000 / cases, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100_000, 1_000][len(numbers) :]))
