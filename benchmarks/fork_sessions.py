"""Compare forked runs of Python programs with fresh ones, by processor time.

python benchmarks/fork_sessions.py [CASES] [ROUNDS] [PYTHON]: for programs that import json,
jsonschema or numpy, runs CASES cases of each kind in turn, two at once, and prints the medians per
case. Both sides include everything: xtest's loop, learning the imports, the zygote and its end.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from measuring import processor_s

from harness.model.limits import Limits
from harness.model.transcript import Exited, Job
from harness.process.loop import in_order, run
from harness.process.zygote.client import Zygote
from harness.process.zygote.programs import start_fork_session

MODULES = "json", "jsonschema", "numpy"
PROGRAM = "import json, sys\nimport {}\nprint(json.dumps(json.load(sys.stdin)))\n"
LIMITS = Limits(wall_s=60)


def main(cases: int, rounds: int, python: str) -> None:
    """Print a table."""
    names = (name for name in os.environ if not name.startswith("PYTHON"))
    # The library of linear algebra starts a thread per processor otherwise.
    environment = {name: os.environ[name] for name in names} | {"OPENBLAS_NUM_THREADS": "1"}
    print(f"{cases:,} cases, {rounds} rounds in turn; milliseconds of processor time per case:")
    print(f"{'imports':12}{'fresh':>8}{'forked':>8}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            program = Path(folder) / "program.py"
            program.write_text(PROGRAM.format(module), encoding="utf-8")
            job = Job((python, str(program)), b"[1]", LIMITS)
            costs = [costs_of(job, cases, environment) for _ in range(rounds)]
            if any(cost is None for cost in costs):
                print(f"{module:12}  not installed, or not to be forked")
                continue
            fresh, forked = (median(taken) for taken in zip(*filter(None, costs)))
            print(f"{module:12}{fresh:8.1f}{forked:8.1f}{fresh / forked:8.1f}")


def costs_of(job: Job, cases: int, environment: dict[str, str]) -> tuple[float, float] | None:
    """Return the milliseconds per case of fresh and of forked runs, or None if none is right."""
    begun = processor_s()
    session = start_fork_session(job, environment)
    if not isinstance(session, Zygote):
        print(f"  {session}")
        return None
    try:
        is_right = run_all(job._replace(launcher=session.launcher), cases, environment)
    finally:
        session.close()
    forked = processor_s()
    if not is_right or not run_all(job, cases, environment):
        return None
    fresh = processor_s() - forked
    return fresh * 1000 / cases, (forked - begun) * 1000 / cases


def run_all(job: Job, cases: int, environment: dict[str, str]) -> bool:
    """Run a job many times; return whether every output was right."""
    runs = run(in_order((number, job) for number in range(cases)), 2, environment, sole_parent=True)
    found = {(ended.transcript.ending, ended.transcript.stdout) for ended in runs}
    return found == {(Exited(0), b"[1]\n")}


if __name__ == "__main__":
    WORDS = sys.argv[1:] + ["300", "3", sys.executable][len(sys.argv) - 1 :]
    main(int(WORDS[0]), int(WORDS[1]), WORDS[2])
