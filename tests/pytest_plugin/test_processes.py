"""A run leaves pytest's process as it was; an interruption as it starts kills the subject."""

from __future__ import annotations

import sys

from support.xtest import Xtest

RUN = """
import os, resource, subprocess
from harness.delivery.registry import Delivery
from harness.model.case import Case
from harness.model.subject import Subject
from harness.process import spawn
from harness.process.reaper import is_subreaper
from harness.engine.single_run import run_once

def run(*command):
    subject = Subject("prog", command)
    return run_once(Case("s", "1", b"", b"", []), subject, Delivery.PLAIN).transcript
"""
# Prints the settings of the process, the state of its other child, and if the orphan is alive.
EMBEDDED = """
resource.setrlimit(resource.RLIMIT_CORE, (4096, 4096))
other = subprocess.Popen(["sleep", "1000"], start_new_session=True)
try:
    orphan = int(run("sh", "-c", "setsid sleep 1000 >&2 & echo $!").stdout)
    settings = is_subreaper(), resource.getrlimit(resource.RLIMIT_CORE)[0]
    print(settings, other.poll(), os.path.exists(f"/proc/{orphan}"))
finally:
    other.kill()
    other.wait()
"""
# Starts a subject in a process with more children than the kernel lists in one piece.
INTERRUPTED = """
started = []
def interrupt(pid, _):
    started.append(pid)
    raise KeyboardInterrupt

spawn.apply_rlimits = interrupt
for _ in range(1_000):
    os.posix_spawn("/bin/true", ["true"], {})
try:
    run("sleep", "1000")
except KeyboardInterrupt:
    print(os.path.exists(f"/proc/{started[0]}"))
"""


def test_a_run_leaves_the_process_as_it_was_and_kills_only_its_own_orphans(xtest: Xtest) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + EMBEDDED)
    assert (done.stdout, done.stderr) == ("(False, 4096) None False\n", "")


def test_an_interruption_while_a_subject_is_started_kills_it(xtest: Xtest) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + INTERRUPTED)
    assert (done.stdout, done.stderr) == ("False\n", "")
