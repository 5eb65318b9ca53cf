"""An interruption while a process is forked is neither lost nor loses the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

FORKING = """
import os, signal
from harness.process.own_process import blocked_stop_signals, fork

def after_fork():
    os.kill(os.getpid(), signal.SIGINT)

os.register_at_fork(after_in_{where}=after_fork)
forked = []
try:
    with blocked_stop_signals():
        forked.append(fork(lambda: 7))
except KeyboardInterrupt:
    print("interrupted")
print(os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1]))
"""


@pytest.mark.parametrize(
    ("where", "expected"), [("parent", "interrupted\n7\n"), ("child", "130\n")]
)
def test_an_interruption_between_two_processes_is_raised(where: str, expected: str) -> None:
    command = [sys.executable, "-c", FORKING.format(where=where)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (expected, "")
