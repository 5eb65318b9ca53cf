"""A process that runs pytest again and again, each time in a fork.

Reads lines of JSON, a list of arguments for pytest each; prints a line of JSON for each: the exit
status and the end of the output. pytest and Hypothesis are imported once; our packages, which
change between two runs, only in the forks.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from tempfile import TemporaryFile

import pytest

_END = 3000  # characters of the output


def main() -> None:
    for line in sys.stdin:
        with TemporaryFile("w+", encoding="utf-8") as output:
            child = os.fork()
            if child == 0:
                os.setsid()
                for stream in (1, 2):
                    os.dup2(output.fileno(), stream)
                os._exit(_run(json.loads(line)))
            _, status = os.waitpid(child, 0)
            output.seek(0)
            text = output.read()[-_END:]
        print(json.dumps([os.waitstatus_to_exitcode(status), text]), flush=True)


def _run(arguments: list[str]) -> int:
    # A fault may make a test run for ever. Processor time, so that a busy machine changes nothing.
    seconds = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        return int(pytest.main(arguments))
    except BaseException:  # pylint: disable=broad-exception-caught  # never back into the loop
        traceback.print_exc()
        return int(pytest.ExitCode.INTERNAL_ERROR)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    main()
