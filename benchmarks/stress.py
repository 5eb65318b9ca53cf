"""Run right and wrong programs on a busy machine, and count the verdicts that are not true.

    python benchmarks/stress.py [RUNS]

Each case tells one program how to behave, and so which verdict is true. Eight runs at once, beside
busy loops on every processor. Programs that wait for a clock are left out of fewer than 1,000 runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
_MANY: Final = 1_000
_ELEMENTS: Final = 20_000  # of a large output

SETTINGS: Final = """
[limits]
wall_s = 20
cpu_s = 4
memory_mib = 200
output_mib = 1
"""


class Behaviour(NamedTuple):
    """A program's treatment of the number of its case, $n, and the true verdict."""

    verdict: str
    share: int  # of 1,000 runs
    script: str
    is_slow: bool = False


BEHAVIOURS: Final = {
    "right": Behaviour("passed", 300, "echo [$n]"),
    "right-spaced": Behaviour("passed", 60, "printf '[\\n  %s\\n]\\n' $n"),
    "right-in-pieces": Behaviour("passed", 60, "printf '['; printf $n; printf ']'"),
    "right-after-a-moment": Behaviour("passed", 60, "sleep 0.05; echo [$n]"),
    # The child holds the pipe, and prints a moment after the exit of the program: within 500 ms,
    # unless other work on the machine takes that long.
    "right-by-a-child": Behaviour("passed", 120, "(sleep 0.004; echo [$n]) &", is_slow=True),
    "right-and-large": Behaviour("passed", 30, "cat ../large.json"),
    "right-and-noisy": Behaviour("passed", 40, "head -c 200000 /dev/zero >&2; echo [$n]"),
    "right-and-leaves-a-child": Behaviour("passed", 20, "sleep 60 >/dev/null 2>&1 & echo [$n]"),
    "differs": Behaviour("differs", 80, "echo [$n, 0]"),
    "differs-and-large": Behaviour("differs", 20, "sed 's/ 7,/ 8,/' ../large.json"),
    "too-few": Behaviour("too-few", 30, ":"),
    "too-many": Behaviour("too-many", 30, "echo [$n] 1"),
    "malformed": Behaviour("malformed", 30, "echo [$n"),
    "wrong-by-a-child": Behaviour("differs", 30, "(sleep 0.004; echo [$n, 0]) &", is_slow=True),
    "exit-status": Behaviour("exit-status", 30, "echo [$n]; exit 3"),
    "crashed": Behaviour("crashed", 30, "echo [$n]; kill -SEGV $$"),
    "killed": Behaviour("crashed", 10, "kill -KILL $$"),
    "floods": Behaviour("output-limit", 10, "exec cat /dev/zero"),
    "spins": Behaviour("cpu-limit", 1, "while :; do :; done", is_slow=True),
    "grows": Behaviour("memory-limit", 3, "head -c 2G /dev/zero | tail -c 1G >/dev/null"),
    "silent": Behaviour("silent", 1, "sleep 1000", is_slow=True),
    "stalled": Behaviour("stalled", 1, "echo [$n]; sleep 1000", is_slow=True),
}


def plan(runs: int) -> list[str]:
    """Return the behaviours of this many cases, in a random but constant order."""
    names = [name for name, each in BEHAVIOURS.items() if runs >= _MANY or not each.is_slow]
    shares = [BEHAVIOURS[name].share for name in names]
    return Random(0).choices(names, shares, k=runs)


def write_suite(folder: Path, behaviours: list[str]) -> None:
    """Write the packed suite and its program."""
    suite = folder / "suite"
    suite.mkdir()
    (suite / "suite.toml").write_text(SETTINGS, "utf-8")
    large = json.dumps(list(range(_ELEMENTS)))
    (folder / "large.json").write_text(large, "utf-8")
    with (suite / "cases.jsonl").open("w", encoding="utf-8") as cases:
        for number, name in enumerate(behaviours, start=1):
            expected = large.replace(" ", "") if name.endswith("large") else f"[{number}]"
            sides = {"in": {"text": f'"{name}" {number}\n'}, "out": {"text": expected}}
            cases.write(json.dumps({"case": str(number), **sides}, separators=(",", ":")) + "\n")
    branches = "\n".join(f"'\"{name}\"') {each.script};;" for name, each in BEHAVIOURS.items())
    program = folder / "program"
    program.write_text(
        f'#!/bin/sh\ncd "${{0%/*}}/suite"\nread name n\ncase "$name" in\n{branches}\nesac\n',
        "utf-8",
    )
    program.chmod(0o755)


@contextmanager
def busy_processors() -> Iterator[None]:
    """Keep two loops busy on each processor."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def verdicts(folder: Path) -> dict[int, tuple[str, str]]:
    """Run all cases, and return the verdict and message of each, by number."""
    results = folder / "results.jsonl"
    command = [sys.executable, "-m", "harness", "run", str(folder / "suite"), "-j8", "-q"]
    command += ["--results", str(results), "--", str(folder / "program")]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)
    events = map(json.loads, results.read_text("utf-8").splitlines())
    judged = (event for event in events if event["event"] == "judged")
    return {int(event["case"]): (event["verdict"], event["message"]) for event in judged}


def false_verdicts(behaviours: list[str], seen: dict[int, tuple[str, str]]) -> list[str]:
    """Return a line for each verdict that is missing or not true."""
    lines = []
    for number, name in enumerate(behaviours, start=1):
        verdict, message = seen.get(number, ("missing", ""))
        if verdict != BEHAVIOURS[name].verdict:
            lines.append(f"case {number}, {name}: {verdict}: {message}")
    return lines


def main(runs: int) -> int:
    """Print the verdicts by behaviour, then every false one; return 1 if there is any."""
    behaviours = plan(runs)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, busy_processors():
        write_suite(Path(folder), behaviours)
        seen = verdicts(Path(folder))
    for name, number in Counter(behaviours).most_common():
        print(f"{number:7,} {name:26} {BEHAVIOURS[name].verdict}")
    false = false_verdicts(behaviours, seen)
    print(f"{runs:,} runs in {time.monotonic() - started:.0f} s, {len(false)} false verdicts")
    print("\n".join(false), end="\n" if false else "")
    return int(bool(false))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
