"""Compare `xtest run` on scripts with a minimal driver in C that does the same.

python benchmarks/dialogues.py [SCRIPTS] [ROUNDS]: compiles dialogue_reference.c with gcc, writes a
suite of scripts of ten exchanges, runs both in turn, one script at a time, on an echo server in C
and one in Python, and prints the medians of wall and CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import print_medians

HERE = Path(__file__).resolve().parent
EXCHANGES = 10
MESSAGE = (
    '{{"id": {0}, "method": "echo", "params": {{"text": "of script {1}", "list": [1, 2, 3]}}}}'
)
ECHO = """
import sys

for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""


def main(scripts: int, rounds: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        suite, reference = Path(folder, "suite"), str(Path(folder, "reference"))
        _write_scripts(suite, scripts)
        source = str(HERE / "dialogue_reference.c")
        subprocess.run(["gcc", "-O2", "-o", reference, source], check=True)
        servers = {"C": [reference, "echo"], "Python": [sys.executable, "-c", ECHO]}
        print(f"{scripts:,} scripts of {EXCHANGES} exchanges, {rounds} rounds in turn; medians:")
        for language, server in servers.items():
            print(f"an echo server in {language}:")
            commands = {
                "C": [reference, str(suite), str(scripts), *server],
                "xtest": [
                    *(sys.executable, "-m", "harness", "run", str(suite), "-j1", "-q"),
                    *("--results", f"{folder}/results.jsonl", "--replace", "--", *server),
                ],
            }
            print_medians(commands, Path(folder), rounds)


def _write_scripts(suite: Path, scripts: int) -> None:
    suite.mkdir()
    (suite / "suite.toml").write_text('[talk]\nframing = "lines"\n')
    for script in range(1, scripts + 1):
        messages = [MESSAGE.format(number, script) for number in range(EXCHANGES)]
        steps = (f'{{"send": {each}}}\n{{"expect": {each}}}\n' for each in messages)
        (suite / f"{script}-talk.jsonl").write_text("".join(steps))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [1000, 7][len(numbers) :]))
