"""Cases that take too much memory; those that take too long are in bounded-judging.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from support.suites import write_suite
from support.xtest import Xtest

# Room for the input of the third case once, but not for a copy.
_LITTLE_MEMORY = """
import resource
from harness.__main__ import main
import harness.cli.run

with open("/proc/self/statm", encoding="ascii") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20),) * 2)
main()
"""


def test_a_case_that_this_machine_has_no_memory_for_is_not_to_blame(
    xtest: Xtest, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path / "s", {"1": "1", "2": "2", "3": ("3" + " " * (60 << 20), "3")})
    os.truncate(suite / "2-in.json", 1 << 32)
    command = (sys.executable, "-P", "-c", _LITTLE_MEMORY)
    done = xtest.run(*command, "run", "s", "--", "true")
    assert [line for line in done.stdout.splitlines() if line.startswith("harness-fault")] == [
        "harness-fault  s/2  2-in.json: not enough memory on this machine",
        "harness-fault  s/3  a limit of this machine: not enough memory",
    ]
    assert (done.returncode, done.stderr) == (2, "")
    (suite / "3-in.json").write_bytes(b"3")
    for words in ("lint s", "selftest s -- cat", "pack s -o p", "accept s --dry-run -- cat"):
        done = xtest.run(*command, *words.split())
        assert "2-in.json: " in done.stdout + done.stderr and done.returncode in (1, 2)
