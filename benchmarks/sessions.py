"""Measure what sessions save, as ratios of processor time, and what memory they take.

python benchmarks/sessions.py [--cases N] [--alone N] [--rounds N] [--skip NAME]: writes a suite for
a program in Python that imports jsonschema, runs it in turns with every kind of session, and prints
medians. Processes of their own take long, so only some of the cases (--alone) run that way; the
ratios are of processor time per case, with all children and the start of xtest.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from measuring import Cost, cost_of_xtest

HERE: Final = Path(__file__).resolve().parent
ADAPTER: Final = HERE.parent / "languages" / "python" / "xtest_session.py"

# Answers value by value, so that a stream of many cases is answered like each of them.
PROGRAM: Final = """
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(__file__))  # PYTHONSAFEPATH leaves it out

import jsonschema
from xtest_session import serve

VALIDATOR = jsonschema.Draft202012Validator(
    {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
)

def answer(values):
    for value in values:
        if value.get("crash"):
            os.kill(os.getpid(), signal.SIGSEGV)
        yield VALIDATOR.is_valid(value)

serve(answer, "benchmark")
"""
CRASH_EVERY: Final = 100


class Variant(NamedTuple):
    """A way to run a suite: its subject, options, and the ratio to `alone` that is the goal."""

    name: str
    suite: str
    options: tuple[str, ...]
    goal: float | None = None


ALONE: Final = Variant("alone", "few", ("--subject", "stream", "--sessions", "off"))
VARIANTS: Final = (
    ALONE,
    Variant("stream", "right", ("--subject", "stream", "--sessions", "trust"), 40),
    Variant("protocol", "right", ("--subject", "protocol", "--sessions", "trust"), 40),
    Variant("fork", "right", ("--subject", "fork", "--sessions", "trust"), 10),
    Variant("stream, verified", "right", ("--subject", "stream", "--sessions", "verify"), 20),
    Variant("with crashes", "crashing", ("--subject", "stream", "--sessions", "verify")),
)
MOST_FOR_CRASHES: Final = 3


def write_project(folder: Path, cases: int, alone: int) -> None:
    """Write the program, three suites and an xtest.toml."""
    (folder / ADAPTER.name).write_bytes(ADAPTER.read_bytes())
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    write_suite(folder / "few", alone, crash_every=None)
    write_suite(folder / "right", cases, crash_every=None)
    write_suite(folder / "crashing", cases, crash_every=CRASH_EVERY)
    lines = ['suites = ["few", "right", "crashing"]']
    for kind in ("stream", "protocol", "fork"):
        command = json.dumps([sys.executable, "program.py"])
        lines.append(f'[subjects.{kind}]\ncommand = {command}\nsession = "{kind}"')
    (folder / "xtest.toml").write_text("\n".join(lines), encoding="utf-8")


def write_suite(folder: Path, cases: int, crash_every: int | None) -> None:
    """Write a packed suite of small objects, some of which crash the program."""
    folder.mkdir()
    (folder / "suite.toml").write_text("stateless = true\n", encoding="utf-8")
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as file:
        for number in range(1, cases + 1):
            value: dict[str, object] = {"a": [number, 2, 3]}
            if crash_every and number % crash_every == 0:
                value["crash"] = True
            text = {"in": {"text": json.dumps(value)}, "out": {"text": "true"}}
            file.write(json.dumps({"case": str(number), **text}) + "\n")


def run(folder: Path, variant: Variant) -> tuple[int, Cost]:
    """Run xtest once, and return how many cases passed and the cost."""
    results = folder / "results.jsonl"
    words = ("run", variant.suite, *variant.options, "-q", "--results", str(results), "--replace")
    cost = cost_of_xtest(folder, *words, statuses=(0, 1))
    passed = results.read_bytes().count(b'"verdict":"passed"')
    return passed, cost


def measure(
    folder: Path, rounds: int, passing: Mapping[str, int], skipped: Collection[str]
) -> dict[Variant, Cost]:
    """Run all variants in turns, and return the medians; `passing` counts cases of the suites."""
    costs: dict[Variant, list[Cost]] = {
        variant: [] for variant in VARIANTS if variant.name not in skipped
    }
    for _ in range(rounds):
        for variant, taken in costs.items():
            passed, cost = run(folder, variant)
            if passed != passing[variant.suite]:
                raise RuntimeError(f"{variant.name}: {passed} of {passing[variant.suite]} passed")
            taken.append(cost)
    return {
        variant: Cost(*map(statistics.median, zip(*taken, strict=True)))
        for variant, taken in costs.items()
    }


def report(medians: dict[Variant, Cost], cases: int, alone: int) -> str:
    """Return a table of all variants, with the ratios that are goals."""
    base = medians[ALONE].cpu_s / alone
    lines = [f"{'':18}{'CPU':>9}{'a case':>11}{'memory':>10}"]
    for variant, cost in medians.items():
        each = cost.cpu_s / (alone if variant is ALONE else cases)
        line = f"{variant.name:18}{cost.cpu_s:7.2f} s{each * 1000:8.2f} ms{cost.peak_mib:6.0f} MiB"
        if variant is not ALONE:
            line += f"   {base / each:5.1f} times less"
        lines.append(line + (f" (goal: {variant.goal:g})" if variant.goal else ""))
    by_name = {variant.name: cost.cpu_s for variant, cost in medians.items()}
    ratio = by_name["with crashes"] / by_name["stream, verified"]
    lines.append(
        f"a crash in every hundredth case: {ratio:.2f} times as much (goal: {MOST_FOR_CRASHES})"
    )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--alone", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--skip", action="append", default=[], metavar="NAME")
    given = parser.parse_args(arguments)
    passing = {
        "few": given.alone,
        "right": given.cases,
        "crashing": given.cases - given.cases // CRASH_EVERY,
    }
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), given.cases, given.alone)
        medians = measure(Path(folder), given.rounds, passing, given.skip)
    print(f"{given.cases:,} cases in sessions, {given.alone:,} alone, {given.rounds} rounds:")
    print(report(medians, given.cases, given.alone))


if __name__ == "__main__":
    main(sys.argv[1:])
