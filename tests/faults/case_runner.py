"""Run cases against packages that may have a planted fault, and print the first difference.

    python -PS case_runner.py FIRST CASES...

PYTHONPATH is the folder of the packages. A file of CASES has a JSON list of [program, case, input
file, output file, exit status]; the case FIRST is run before the others.

Each case runs in a fork of this process, which has imported the program. Nothing of the harness is
imported here, as it may have the fault: outputs are compared line by line, without the messages of
errors.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NoReturn

# Processor time, so that a busy machine changes nothing: a case takes some hundredths of a second.
CASE_CPU_SECONDS: Final = 2
LOADING_CPU_SECONDS: Final = 10
OUTPUT_BYTES: Final = 1 << 20


def main(first: str, *case_files: str) -> None:
    """Print the first difference, or nothing if all outputs are as expected."""
    _limit(resource.RLIMIT_CPU, LOADING_CPU_SECONDS)
    cases = [case for file in case_files for case in json.loads(Path(file).read_bytes())]
    for program, case, input_file, output_file, status in sorted(
        cases, key=lambda each: each[1] != first
    ):
        try:
            module = import_module(f"xtests.{program}")
        except Exception as problem:  # pylint: disable=broad-exception-caught  # the fault's own
            print(f"{program} cannot be loaded: {problem!r}")
            return
        expected = (status, _lines(Path(output_file).read_bytes()))
        found = _run(module, program, input_file)
        if found != expected:
            print(f"{program} {case}: {expected} expected, found {found}")
            return


def _run(module: Any, program: str, input_file: str) -> tuple[int, list[str]]:
    """Return the exit status (below 0: the signal) and the output of a program for an input."""
    with TemporaryFile() as errors, TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _become(module, program, input_file, output, errors)
        _, waited = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(waited), _lines(output.read())


def _become(
    module: Any, program: str, input_file: str, output: IO[bytes], errors: IO[bytes]
) -> NoReturn:
    os.dup2(os.open(input_file, os.O_RDONLY), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.argv = [program]
    # A fault may make a program run forever.
    _limit(resource.RLIMIT_CPU, CASE_CPU_SECONDS)
    _limit(resource.RLIMIT_FSIZE, OUTPUT_BYTES)
    try:
        module.main()
    finally:
        os._exit(98)  # never back into the loop over the cases


def _limit(kind: int, limit: int) -> None:
    resource.setrlimit(kind, (limit, limit))


def _lines(output: bytes) -> list[str]:
    """Return comparable lines: members in order, errors without messages."""
    try:
        values = [json.loads(line) for line in output.splitlines()]
    except ValueError:
        return [f"not JSON: {output!r}"]
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("error"), dict):
            value["error"].pop("message", None)
    return [json.dumps(value, sort_keys=True) for value in values]


if __name__ == "__main__":
    main(*sys.argv[1:])
