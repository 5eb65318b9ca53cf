"""A process that runs cases against the programs of the packages first on its path.

    python corpus_runner.py CASES

CASES is a JSON file: a list of [program, case, input file, output file, exit status]. It prints the
first case that is not answered so, and stops; or `all passed`. Takes nothing of the harness for
itself, since that may be what has the fault: outputs have a value a line, and are compared by line.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, NoReturn

# Processor time, so that a busy machine changes nothing. A case takes some hundredths.
CPU_SECONDS: Final = 2
OUTPUT_BYTES: Final = 1 << 20


def main(cases_file: str) -> None:
    """Run the cases until one is not answered as expected, and say which."""
    for program, case, input_file, output_file, status in json.loads(Path(cases_file).read_bytes()):
        import_module(f"xtests.{program}")  # once, and not in every child
        expected = (status, _lines(Path(output_file).read_bytes()))
        found = _run(program, input_file)
        if found != expected:
            print(f"{program} {case}: {expected} expected, found {found}")
            return
    print("all passed")


def _run(program: str, input_file: str) -> tuple[int, list[str]]:
    """The exit status (below 0: the signal) and the output of a program for this input."""
    with TemporaryFile() as errors, TemporaryFile() as output:
        # A fork costs a hundredth of what a new interpreter does, and ends as the program does.
        child = os.fork()
        if child == 0:
            _become(program, input_file, output, errors)
        _, waited = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(waited), _lines(output.read())


def _become(program: str, input_file: str, output: IO[bytes], errors: IO[bytes]) -> NoReturn:
    os.dup2(os.open(input_file, os.O_RDONLY), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.argv = [program]
    # A fault may make a program go on for ever.
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES, OUTPUT_BYTES))
    try:
        import_module(f"xtests.{program}").main()
    finally:
        os._exit(99)  # never back into the loop over the cases


def _lines(output: bytes) -> list[str]:
    """An output as lines to compare: members in order, an error without its message."""
    try:
        values = [json.loads(line) for line in output.splitlines()]
    except ValueError:
        return [f"no JSON: {output!r}"]
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("error"), dict):
            value["error"].pop("message", None)
    return [json.dumps(value, sort_keys=True) for value in values]


if __name__ == "__main__":
    main(sys.argv[1])
