"""`xtest lint` on a suite of many large cases: how long a first look takes, and a second one.

python benchmarks/lint_scale.py [CASES] [BYTES]: makes a suite of CASES (2,500) pairs whose inputs
are of up to BYTES (38,000), without schemas and with, and prints the processor's and the wall's
seconds of whole processes, the best of three.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
SCHEMA = {
    "items": {
        "items": {
            "properties": {"name": {"type": "string"}, "at": {"items": {"type": "integer"}}},
            "required": ["name", "at"],
        }
    }
}


class Cost(NamedTuple):
    """Seconds of the processor and of the wall."""

    cpu_s: float
    wall_s: float


def main(cases: int, most: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "suite"
        size = make_suite(folder, cases, most)
        show(f"{cases:,} pairs of {size / 1e6:.0f} MB, no schemas", best(folder, top))
        (folder / "in.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        (folder / "suite.toml").write_text('input = "in.json"\n', encoding="utf-8")
        show("the same with a schema, first look", cost_of(folder, top))
        show("second look: known to be good", best(folder, top))


def make_suite(folder: Path, cases: int, most: int) -> int:
    """A suite in which nothing is wrong; returns the bytes of all its files."""
    folder.mkdir()
    (folder / "README.md").write_text("Made by a benchmark.\n", encoding="utf-8")
    chance = Random(1)
    size = 0
    for number in range(1, cases + 1):
        values = players(chance, chance.randint(most // 2, most))
        for side, value in (("in", values), ("out", [each["at"] for each in values])):
            text = json.dumps(value) + "\n"
            size += len(text)
            (folder / f"{number}-{side}.json").write_text(text, encoding="utf-8")
    return size


def players(chance: Random, size: int) -> list[dict[str, Any]]:
    """Values that take about so many bytes."""
    return [
        {
            "name": f"player {chance.randint(0, 999)}",
            "at": [chance.randint(0, 9), number],
            "ok": True,
        }
        for number in range(size // 50)
    ]


def best(folder: Path, cache: str) -> Cost:
    """The best of three looks."""
    return min(cost_of(folder, cache) for _ in range(3))


def cost_of(folder: Path, cache: str) -> Cost:
    """Run xtest lint, which has to find nothing."""
    words = [sys.executable, "-m", "harness", "lint", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "XDG_CACHE_HOME": cache}
    started = time.perf_counter()
    # pylint: disable-next=consider-using-with  # wait4 ends it, and says what it used
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"xtest ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, taken)


def show(what: str, cost: Cost) -> None:
    """One line of the table."""
    print(f"  {what:42} {cost.cpu_s:6.2f} s of processor time  {cost.wall_s:6.2f} s")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [2_500, 38_000][len(numbers) :]))
