"""Time `xtest lint` on a suite of many large cases, with a cold and a warm cache.

    python benchmarks/lint_scale.py [CASES] [BYTES]

The suite has CASES (2,500) pairs with inputs of up to BYTES (38,000), with and without a schema.
Prints CPU and wall time of whole processes, the best of three.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from measuring import Cost, cost_of_xtest

SCHEMA = {
    "items": {
        "items": {
            "properties": {"name": {"type": "string"}, "at": {"items": {"type": "integer"}}},
            "required": ["name", "at"],
        }
    }
}


def main(cases: int, most_bytes: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "suite"
        size = make_suite(folder, cases, most_bytes)
        show(f"{cases:,} pairs of {size / 1e6:.0f} MB, no schemas", best(folder, top))
        (folder / "in.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        (folder / "suite.toml").write_text('input = "in.json"\n', encoding="utf-8")
        show("the same with a schema, cold cache", cost_of_lint(folder, top))
        show("the same with a schema, warm cache", best(folder, top))


def make_suite(folder: Path, cases: int, most_bytes: int) -> int:
    """Write a suite without problems; return the size of all its files."""
    folder.mkdir()
    (folder / "README.md").write_text("Written by a benchmark.\n", encoding="utf-8")
    chance = Random(1)
    size = 0
    for number in range(1, cases + 1):
        values = players(chance, chance.randint(most_bytes // 2, most_bytes))
        for side, value in (("in", values), ("out", [each["at"] for each in values])):
            text = json.dumps(value) + "\n"
            size += len(text)
            (folder / f"{number}-{side}.json").write_text(text, encoding="utf-8")
    return size


def players(chance: Random, size: int) -> list[dict[str, Any]]:
    """Return values that take about this many bytes."""
    return [
        {
            "name": f"player {chance.randint(0, 999)}",
            "at": [chance.randint(0, 9), number],
            "ok": True,
        }
        for number in range(size // 50)
    ]


def best(folder: Path, cache: str) -> Cost:
    """Return the lowest cost of three runs."""
    return min(cost_of_lint(folder, cache) for _ in range(3))


def cost_of_lint(folder: Path, cache: str) -> Cost:
    return cost_of_xtest(folder, "lint", ".", XDG_CACHE_HOME=cache)


def show(name: str, cost: Cost) -> None:
    """Print a line of the table."""
    print(f"  {name:42} CPU {cost.cpu_s:6.2f} s  wall {cost.wall_s:6.2f} s")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [2_500, 38_000][len(numbers) :]))
