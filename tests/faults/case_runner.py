"""A process that runs cases against packages with a planted fault, for one fault after another.

    python case_runner.py CASES

CASES is a JSON file: suites by name, each a list of [program, case, input file, output file, exit
status]. Each line of standard input is a JSON object with the folder of the packages ("packages"),
the suites to run ("suites") and the cases to run first ("first"). The answer is a line: a JSON
string that names the first case whose output is not as expected, or null if all are.

Each fault is run in a fork of this process, which imports the packages anew, and each case in a
fork of that one. Nothing of the harness is imported here, as it may have the fault: outputs are
compared line by line, without the messages of errors.
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

# Imported here, so that a fork does not have to: what the programs import of the standard library.
_PRELOADED: Final = ("bisect", "functools", "itertools", "math", "operator", "traceback")

# Processor time, so that a busy machine changes nothing. A case takes some hundredths; the imports
# and all forks of a fault have their own.
CASE_CPU_SECONDS: Final = 2
LOADING_CPU_SECONDS: Final = 10
OUTPUT_BYTES: Final = 1 << 20

Case = tuple[str, str, str, str, int]


def main(cases_file: str) -> None:
    """Serve requests until standard input ends."""
    suites: dict[str, list[Case]] = json.loads(Path(cases_file).read_bytes())
    for name in _PRELOADED:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        cases = [case for name in request["suites"] for case in suites[name]]
        first = [case for case in cases if case[1] in request["first"]]
        others = [case for case in cases if case not in first]
        print(json.dumps(_run_in_fork(request["packages"], first + others)), flush=True)


def _run_in_fork(packages: str, cases: list[Case]) -> str | None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit(resource.RLIMIT_CPU, LOADING_CPU_SECONDS)
        try:
            os.write(writing, json.dumps(_first_difference(packages, cases)).encode())
            os._exit(0)
        finally:
            os._exit(99)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        found = answer.read()
    _, waited = os.waitpid(child, 0)
    status = os.waitstatus_to_exitcode(waited)
    if status == 99:
        raise RuntimeError("the runner itself failed")
    difference: str | None = json.loads(found) if status == 0 else f"ended by signal {-status}"
    return difference


def _first_difference(packages: str, cases: list[Case]) -> str | None:
    sys.path.insert(0, packages)
    for program, case, input_file, output_file, status in cases:
        try:
            module = import_module(f"xtests.{program}")
        except Exception as problem:  # pylint: disable=broad-exception-caught  # the fault's own
            return f"{program} cannot be loaded: {problem!r}"
        expected = (status, _lines(Path(output_file).read_bytes()))
        found = _run(module, program, input_file)
        if found != expected:
            return f"{program} {case}: {expected} expected, found {found}"
    return None


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
    main(sys.argv[1])
