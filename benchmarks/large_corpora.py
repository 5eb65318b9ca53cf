"""Measure what commands take for a case of a large corpus, as ratios of processor time.

python benchmarks/large_corpora.py [--cases N] [--rounds N]: writes a packed suite for `cat` and two
results files of it, runs the commands in turns, and prints medians. The unit is the processor time
of decoding the two texts of a case with json.loads and comparing them. Commands count with the
start of xtest and all children.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from measuring import Cost, cost_of_xtest

from harness.model.case_names import CONFIG_FILE, PACKED_FILE
from harness.suites.packed import PackedCase, format_line

TEXT: Final = '[{0}, {{"a": [1, 2, 3], "b": "the text of case {0}"}}]\n'
SESSIONS: Final = ("run", "suite", "--subject", "cat", "--sessions", "trust", "-j1", "-q")


class Command(NamedTuple):
    """A command, the number of cases that it reads for each one of the suite, and the goal."""

    name: str
    words: tuple[str, ...]
    files: int = 1
    goal: float | None = None


COMMANDS: Final = (
    Command("sessions", SESSIONS, goal=12),
    Command("list", ("list", "suite", "--cases")),
    Command("lint", ("lint", "suite", "--no-cache")),
    Command("history", ("history", "1.jsonl", "2.jsonl"), files=2),
    Command("report", ("report", "1.jsonl", "--to", "junit=report.xml")),
)


def write_project(folder: Path, cases: int) -> None:
    """Write a packed suite, an xtest.toml, and the results of two runs."""
    suite = folder / "suite"
    suite.mkdir()
    (suite / "suite.toml").write_text("stateless = true\n", encoding="utf-8")
    with (suite / PACKED_FILE).open("wb") as file:
        for number in range(1, cases + 1):
            text = TEXT.format(number).encode()
            file.write(format_line(PackedCase(str(number), text, text)))
    subject = '[subjects.cat]\ncommand = ["/bin/cat"]\nsession = "stream"\n'
    (folder / CONFIG_FILE).write_text(f'suites = ["suite"]\n{subject}', encoding="utf-8")
    for number in (1, 2):
        cost_of(folder, (*SESSIONS, "--results", f"{number}.jsonl"))


def cost_of(folder: Path, words: Sequence[str]) -> Cost:
    return cost_of_xtest(folder, *words, XDG_CACHE_HOME=str(folder / "cache"))


def unit_s(cases: int) -> float:
    """Return the processor time of decoding and comparing the texts of all cases."""
    texts = [TEXT.format(number) for number in range(1, cases + 1)]
    started = time.process_time()
    equal = sum(json.loads(text) == json.loads(text) for text in texts)
    assert equal == cases
    return time.process_time() - started


def measure(folder: Path, cases: int, rounds: int) -> tuple[float, dict[Command, Cost]]:
    """Run all commands in turns; return the medians of the unit and of each command."""
    units: list[float] = []
    costs: dict[Command, list[Cost]] = {command: [] for command in COMMANDS}
    for _ in range(rounds):
        for command, taken in costs.items():
            units.append(unit_s(cases))
            taken.append(cost_of(folder, command.words))
    medians = {
        command: Cost(*map(statistics.median, zip(*taken, strict=True)))
        for command, taken in costs.items()
    }
    return statistics.median(units), medians


def main(arguments: Sequence[str]) -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), given.cases)
        unit, medians = measure(Path(folder), given.cases, given.rounds)
    micros = unit / given.cases * 1e6
    print(f"{given.cases:,} cases, {given.rounds} rounds; decoding and comparing: {micros:.1f} µs")
    for command, cost in medians.items():
        ratio = cost.cpu_s / command.files / unit
        goal = f" (goal: {command.goal:g})" if command.goal else ""
        wall = f"wall {cost.wall_s:6.2f} s{cost.peak_mib:6.0f} MiB"
        print(f"  {command.name:9}CPU {cost.cpu_s:6.2f} s  {wall}  {ratio:5.1f} times{goal}")


if __name__ == "__main__":
    main(sys.argv[1:])
