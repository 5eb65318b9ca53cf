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


EXITING = """
import os, signal
from harness.process import own_process

exit_with = own_process._exit

def interrupted(status):
    own_process._exit = exit_with
    os.kill(os.getpid(), signal.SIGINT)
    exit_with(status)

own_process._exit = interrupted
pid = own_process.fork(lambda: 7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_an_interruption_just_before_the_exit_does_not_return_to_the_caller() -> None:
    command = [sys.executable, "-c", EXITING]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("7\n", "")
