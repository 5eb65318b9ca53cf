"""`xtest run` on packed suites of cat, a small one and a large one: time a case, and memory.

python benchmarks/packed_scale.py [LARGE] [SMALL]: makes suites of LARGE (100,000) and of SMALL
(1,000) cases, runs the small one before and after the large one, and prints both.
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

# pylint: disable=wrong-import-position  # the checkout's own, wherever this is called from
from harness.suites.naming import PACKED_FILE  # noqa: E402
from harness.suites.packed import PackedCase, line_of  # noqa: E402

CAT = "/bin/cat"


class Cost(NamedTuple):
    """Milliseconds a case, of time and of processor time, and the most MiB that one process had."""

    case_ms: float
    cpu_ms: float
    peak_mib: float


def main(large: int, small: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (make_suite(Path(folder) / str(cases), cases) for cases in (small, large))
        cost_of(few, small)  # warms up
        before = [cost_of(few, small) for _ in range(3)]
        much = cost_of(many, large)
        little = min(before + [cost_of(few, small) for _ in range(3)])
    print("packed cases of cat, two at once; of the few, the best of six:")
    for cases, cost in ((small, little), (large, much)):
        time_and_cpu = f"{cost.case_ms:.3f} ms a case (processors {cost.cpu_ms:.3f})"
        print(f"  {cases:>9,} cases  {time_and_cpu}  peak {cost.peak_mib:.1f} MiB")
    ratios = much.case_ms / little.case_ms, much.cpu_ms / little.cpu_ms
    print(f"  a case, many to few: time {ratios[0]:.2f}, processors {ratios[1]:.2f}")


def make_suite(folder: Path, cases: int) -> Path:
    """A packed suite that `cat` passes."""
    folder.mkdir()
    with (folder / PACKED_FILE).open("wb") as file:
        for number in range(1, cases + 1):
            text = f'[{number}, {{"a": [1, 2, 3], "b": "the text of case {number}"}}]\n'.encode()
            file.write(line_of(PackedCase(str(number), text, text)))
    return folder


def cost_of(folder: Path, cases: int) -> Cost:
    """Run xtest, which has to succeed."""
    words = [sys.executable, "-m", "harness", "run", str(folder), "-j2", "-q"]
    words += ["--results", f"{folder}/results.jsonl", "--", CAT]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    started = time.perf_counter()
    # pylint: disable-next=consider-using-with  # wait4 ends it, and says what it used
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"xtest ended with {process.returncode}")
    used = usage.ru_utime + usage.ru_stime  # with all that it waited for
    return Cost(taken * 1000 / cases, used * 1000 / cases, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [100_000, 1_000][len(numbers) :]))
