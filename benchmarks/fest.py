"""Measure test fests: the cost of a whole one, of a late submission, and of many teams' scores.

python benchmarks/fest.py run [TEAMS] [CASES]: writes a fest of cheap programs in C, and prints the
processor time of `xtest fest run`, of running each pair of program and distinct input once by
`xtest run` and by spawning alone, and of one late suite and program. python benchmarks/fest.py
scores [TEAMS] [CASES] [PAGE]: writes the results of a fest that was never run, and prints time and
memory of its reports.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from measuring import processor_s, write_pairs

from harness.fest.events import (
    Duplicates,
    FestEvent,
    FestPlan,
    FestProgram,
    Role,
    Submitted,
    fest_line,
)
from harness.model.events import Evidence, Excerpt, RunEnded, RunResult, RunStarted
from harness.model.verdict import Verdict

WHEATS: Final = 2
CHAFFS: Final = 5
SPIN: Final = 12_000_000  # steps of a loop: about as long as an interpreter takes to start
PROGRAM: Final = """
#include <stdio.h>
int main(void) {
  static char text[65536];
  volatile long steps = %d;
  while (steps > 0) steps--;
  fwrite(text, 1, fread(text, 1, sizeof text, stdin), stdout);
  return 0;
}
"""


def main(kind: str, teams: int, cases: int) -> None:
    """Print the measurements of a kind."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "run":
            measure_runs(Path(folder), teams, cases)
        else:
            measure_scores(Path(folder), teams, cases)


def measure_runs(folder: Path, teams: int, cases: int) -> None:
    """Run a fest whose programs all copy their input, and then late submissions."""
    write_fest(folder, teams, cases)
    write_plain(folder, teams, cases)
    once = pairs_once(folder, teams, cases)
    print(f"{teams} suites x {teams} programs x {cases} cases, {WHEATS} wheats, {CHAFFS} chaffs")
    print(f"  each pair once, without xtest: {once:8.2f} s of processor time")
    for sandbox in ("none", "auto"):
        command = ("fest", "run", "--results", f"{folder}/{sandbox}.jsonl", f"--sandbox={sandbox}")
        whole = xtest(folder, *command)
        words = [] if sandbox == "none" else ["--sandbox"]
        runs = xtest(folder / "plain", "run", "--subject", "*", "-q", *words)
        ratios = f"{whole / runs:.2f} times xtest run, {whole / once:.2f} times spawning alone"
        print(f"  --sandbox={sandbox}: xtest run {runs:8.2f} s, fest run {whole:8.2f} s: {ratios}")
        if sandbox == "none":
            write_cases(folder / "tests" / "late", teams, cases)
            report("a late suite", xtest(folder, *command), whole)
            write_program(folder, "teams/late")
            report("a late program", xtest(folder, *command), whole)
            report("nothing new", xtest(folder, *command), whole)
            shutil.rmtree(folder / "tests" / "late")
            shutil.rmtree(folder / "teams" / "late")


def report(what: str, taken: float, whole: float) -> None:
    print(f"    then {what}: {taken:6.2f} s, 1/{whole / taken:.0f}")


def write_fest(folder: Path, teams: int, cases: int) -> None:
    (folder / "solve.c").write_text(PROGRAM % SPIN, encoding="ascii")
    command = ["gcc", "-O1", "-o", str(folder / "solve"), str(folder / "solve.c")]
    subprocess.run(command, check=True)
    for kind, number in (("wheats", WHEATS), ("chaffs", CHAFFS), ("teams", teams)):
        for each in range(number):
            write_program(folder, f"{kind}/{each}")
    for team in range(teams):
        write_cases(folder / "tests" / str(team), team, cases)
    keys = {"tests": "tests", "subjects": "teams", "wheats": "wheats", "chaffs": "chaffs"}
    text = "".join(f'{key} = "{name}/*"\n' for key, name in keys.items())
    (folder / "fest.toml").write_text(text, encoding="ascii")


def write_program(folder: Path, place: str) -> None:
    (folder / place).mkdir(parents=True)
    shutil.copy(folder / "solve", folder / place / "solve")


def write_cases(folder: Path, team: int, cases: int) -> None:
    write_pairs(folder, (f'[{team}, "{case}"]\n' for case in range(1, cases + 1)))


def pairs_once(folder: Path, teams: int, cases: int) -> float:
    """Return the processor time of running each program on each input, by spawning alone."""
    text = folder / "tests" / "0" / "1-in.json"
    programs = sorted(folder.glob("*/*/solve"))
    with text.open("rb") as given, open(os.devnull, "wb") as sink:
        actions = (
            (os.POSIX_SPAWN_DUP2, given.fileno(), 0),
            (os.POSIX_SPAWN_DUP2, sink.fileno(), 1),
        )
        before = processor_s()
        for program in programs:
            for _ in range(teams * cases):
                given.seek(0)
                child = os.posix_spawn(program, [str(program)], {}, file_actions=actions)
                os.waitpid(child, 0)
        return processor_s() - before


def write_plain(folder: Path, teams: int, cases: int) -> None:
    """Write a project whose `xtest run` runs each pair of program and distinct input once."""
    for team in range(teams):
        write_cases(folder / "plain" / "suites" / str(team), team, cases)
    tables = (
        f'[subjects.p{number}]\ncommand = ["./solve"]\nfolder = "{program.parent}"\n'
        for number, program in enumerate(sorted(folder.glob("*/*/solve")))
    )
    text = 'suites = ["suites"]\n' + "".join(tables)
    (folder / "plain" / "xtest.toml").write_text(text, encoding="ascii")


def xtest(folder: Path, *words: str) -> float:
    """Run xtest in a folder, and return the processor time that it and its programs took."""
    before = processor_s()
    environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache"}
    subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=folder,
        check=True,
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return processor_s() - before


def measure_scores(folder: Path, teams: int, cases: int) -> None:
    """Write the results of a fest, and measure its reports."""
    file = folder / "fest.jsonl"
    with file.open("w", encoding="ascii") as lines:
        lines.writelines(map(fest_line, recorded(teams, cases)))
    print(f"{teams} x {teams} x {cases}: {file.stat().st_size / 2**20:,.0f} MiB of results")
    for target in ("csv=scores", "html=fest.html"):
        begun, before = time.monotonic(), processor_s()
        command = [sys.executable, "-m", "harness", "fest", "report", str(file), "--to", target]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        subprocess.run(command, cwd=folder, check=True, env=environment)
        wall_s = time.monotonic() - begun
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        cpu_s = processor_s() - before
        print(f"  {target:14} {wall_s:6.1f} s, {cpu_s:.1f} of processor, at most {peak:,.0f} MiB")
    print(f"  the page has {(folder / 'fest.html').stat().st_size / 2**20:.1f} MiB")
    if len(sys.argv) > 4:
        shutil.copy(folder / "fest.html", sys.argv[4])


def recorded(teams: int, cases: int) -> Iterator[FestEvent]:
    """Yield the events of a fest in which each program has a few of a hundred bugs."""
    names = [f"team-{number}" for number in range(teams)]
    roles = [*((f"wheat-{n}", Role.WHEAT) for n in range(WHEATS))]
    roles += [(f"chaff-{n}", Role.CHAFF) for n in range(CHAFFS)]
    roles += [(name, Role.TEAM) for name in names]
    programs = tuple(FestProgram(name, role, "k" * 32) for name, role in roles)
    total = teams * cases
    yield RunStarted("0", "now", tuple(names), total * len(programs), 1)
    yield FestPlan(tuple(names), Duplicates.EACH, programs, ())
    submitted = [case_of(number, names, cases) for number in range(total)]
    yield from submitted
    for number, case in enumerate(submitted):
        yield from results_of(number, case, programs)
    yield RunEnded({}, 1.0, 0)


def case_of(number: int, teams: list[str], cases: int) -> Submitted:
    digest, text = f"{number:016x}", json.dumps([number, "an input"]).encode()
    excerpt = Excerpt(text, len(text))
    team, case = teams[number // cases], str(number % cases + 1)
    return Submitted(team, case, digest, digest, None, excerpt, excerpt)


def results_of(
    number: int, case: Submitted, programs: tuple[FestProgram, ...]
) -> Iterator[RunResult]:
    """Yield how each program does on a case, which reveals three of a hundred bugs."""
    revealed = set(random.Random(number).sample(range(100), 3))
    assert case.stdin is not None and case.stdout is not None and case.content is not None
    evidence = Evidence(case.stdin, case.stdout, Excerpt(b"[2]\n", 4), Excerpt(b"", 0))
    for program in programs:
        is_wheat = program.role is Role.WHEAT
        fails = not is_wheat and bool(bugs_of(program.name) & revealed)
        verdict = Verdict.DIFFERS if fails else Verdict.PASSED
        message = "1 difference, at /0: 1 expected, 2 printed" if fails else "as expected"
        for _ in range(3 if is_wheat else 1):
            yield RunResult(
                *(case.team, case.case, program.subject, "plain", verdict, message, 0),
                wall_s=0.015625,
                cpu_s=0.0078125,
                content=case.content,
                evidence=evidence if fails or is_wheat else None,
            )


@cache
def bugs_of(program: str) -> set[int]:
    """Return the bugs of a program."""
    return set(random.Random(program).sample(range(100), 5))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[2:4]]
    main(sys.argv[1] if sys.argv[1:] else "run", *(numbers + [12, 8][len(numbers) :]))
