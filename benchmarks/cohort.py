"""Grade a cohort of teams one at a time and in parallel: all verdicts must be true.

python benchmarks/cohort.py [TEAMS] [CASES] [OPTIONS of xtest matrix]: writes teams with programs in
Python, C and Java for two milestones, each with a build. A program keeps its input in a temporary
file with a fixed name, and fails if the file is there already; every fourth team is wrong about
long inputs. Grades them with -j1 and twice with -j2, and prints how long it took and how many
verdicts are not those that follow from the programs; the exit status is 1 if there are some.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

JOBS: Final = (1, 2, 2)
_WRONG: Final = 4  # every so many teams one is wrong

Verdicts = dict[tuple[str, str, str], str]  # by suite, case and team


class Language(NamedTuple):
    """A file and its text, the command that builds it, and the one that runs it.

    `results` are the expressions of the two milestones, and `wrong` is added to them.
    """

    file: str
    text: str
    build: str
    run: str
    results: tuple[str, str]
    wrong: str


_SHORT: Final = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # Java's options for short programs
LANGUAGES: Final = (
    Language(
        "solve.py",
        """
import json
import sys

with open("work.tmp", "x") as file:
    file.writelines(f"{number}\\n" for number in json.load(sys.stdin))
with open("work.tmp") as file:
    numbers = [int(line) for line in file]
print(RESULT)
""",
        "python3 -m py_compile solve.py",
        "python3 solve.py",
        ("sum(numbers)", "max(numbers)"),
        " + (len(numbers) > 2)",
    ),
    Language(
        "solve.c",
        """
#include <stdio.h>
int main(void) {
  long number, sum = 0, most = 0, count = 0;
  FILE *file = fopen("work.tmp", "wx");
  if (!file) return 3;
  while (scanf("%*[^0-9]"), scanf("%ld", &number) == 1) fprintf(file, "%ld\\n", number);
  fclose(file);
  file = fopen("work.tmp", "r");
  while (fscanf(file, "%ld", &number) == 1) {
    sum += number;
    most = number > most ? number : most;
    count++;
  }
  printf("%ld\\n", RESULT);
  return 0;
}
""",
        "cc -o solve solve.c",
        "./solve",
        ("sum", "most"),
        " + (count > 2)",
    ),
    Language(
        "Solve.java",
        """
import java.nio.file.*;
public class Solve {
  public static void main(String[] args) throws Exception {
    Path path = Files.createFile(Path.of("work.tmp"));
    String input = new String(System.in.readAllBytes());
    Files.writeString(path, input.replaceAll("[^0-9]+", "\\n").strip());
    long sum = 0, most = 0, count = 0;
    for (String line : Files.readAllLines(path)) {
      sum += Long.parseLong(line);
      most = Math.max(most, Long.parseLong(line));
      count++;
    }
    System.out.println(RESULT);
  }
}
""",
        f"javac {_SHORT.replace('-XX', '-J-XX')} Solve.java",
        f"java {_SHORT} Solve",
        ("sum", "most"),
        " + (count > 2 ? 1 : 0)",
    ),
)
_BUILD: Final = """#!/bin/sh
set -e
for milestone in 1 2; do
    cd $milestone
    test ! -e build.tmp
    echo $$ > build.tmp
    {build}
    rm build.tmp
    cd ..
done
"""


def main(teams: int, cases: int, options: tuple[str, ...]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = write_cohort(folder, teams, cases)
        wrong = 0
        for number, jobs in enumerate(JOBS):
            begin = time.monotonic()
            found = grade(folder, f"{number}.jsonl", (f"-j{jobs}", *options))
            took_s = time.monotonic() - begin
            false = [key for key in truth | found if truth.get(key) != found.get(key)]
            wrong += len(false)
            print(
                f"-j{jobs}: {len(found)} verdicts in {took_s:.1f} s, {len(false)} false", flush=True
            )
            for key in false[:10]:
                print(f"  {'/'.join(key)}: {truth.get(key)} is true, {found.get(key)} was found")
    return 1 if wrong else 0


def write_cohort(folder: Path, teams: int, cases: int) -> Verdicts:
    """Write suites, teams and xtest.toml; return the true verdicts."""
    truth: Verdicts = {}
    lines = ['suites = ["suites"]']
    names = [f"team-{number}" for number in range(teams)]
    for number, name in enumerate(names):
        is_wrong = number % _WRONG == _WRONG - 1
        _write_team(folder / "teams" / name, LANGUAGES[number % len(LANGUAGES)], is_wrong)
        lines += (
            f"[subjects.{name}]",
            f'folder = "teams/{name}"',
            'build = ["./build"]',
            'programs = { "1-*" = "1/run", "2-*" = "2/run" }',
        )
        for suite in ("1-sum", "2-most"):
            for case in range(1, cases + 1):
                fails = is_wrong and case > 2
                truth[suite, str(case), name] = "differs" if fails else "passed"
    (folder / "xtest.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")
    for suite, answer in (("1-sum", sum), ("2-most", max)):
        place = folder / "suites" / suite
        place.mkdir(parents=True)
        (place / "suite.toml").write_text("limits.wall_s = 60\n", encoding="utf-8")
        for case in range(1, cases + 1):
            numbers = [7 * case + number for number in range(case)]
            (place / f"{case}-in.json").write_text(json.dumps(numbers), encoding="utf-8")
            (place / f"{case}-out.json").write_text(json.dumps(answer(numbers)), encoding="utf-8")
    return truth


def _write_team(folder: Path, language: Language, is_wrong: bool) -> None:
    scripts = {folder / "build": _BUILD.format(build=language.build)}
    for milestone, result in enumerate(language.results, 1):
        place = folder / str(milestone)
        place.mkdir(parents=True)
        text = language.text.replace("RESULT", result + (language.wrong if is_wrong else ""))
        (place / language.file).write_text(text, encoding="utf-8")
        scripts[place / "run"] = f"#!/bin/sh\nexec {language.run}\n"
    for path, text in scripts.items():
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


def grade(folder: Path, results: str, options: tuple[str, ...]) -> Verdicts:
    """Grade all teams, and return the verdicts."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / f"cache-{results}")}
    words = ("matrix", "--results", results, *options)
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    with open(folder / results, encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    return {
        (each["suite"].removeprefix("suites/"), each["case"], each["subject"]): each["verdict"]
        for each in events
        if each["event"] == "judged"
    }


if __name__ == "__main__":
    _teams, _cases, *_options = *sys.argv[1:3], *("40", "6")[len(sys.argv[1:3]) :], *sys.argv[3:]
    sys.exit(main(int(_teams), int(_cases), tuple(_options)))
