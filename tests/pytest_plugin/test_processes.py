"""A run leaves pytest's process as it was; an interruption as it starts kills the subject."""

from __future__ import annotations

import sys

from support.xtest import Xtest

RUN = """
import os, resource, subprocess, sys, threading, time
from pathlib import Path
from harness.delivery.registry import Delivery
from harness.model.case import Case
from harness.model.subject import Subject
from harness.process import spawn
from harness.process.system import SYSTEM
from harness.engine.plan import PlannedRun
from harness.engine.single_run import SingleRuns
from harness.model.case_names import CaseName
from harness.project.targets import Target
from harness.suites.loading import Suite
from harness.suites.settings import SuiteSettings

RUNS = SingleRuns()

def lives(pid):
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False

def run(*command):
    target = Target(Suite("s", Path.cwd(), SuiteSettings(), {}), "s", Subject("prog", command))
    planned = PlannedRun(target, CaseName("1", 1), (Delivery.PLAIN,), 0)
    return RUNS.run(planned, Case("s", "1", b"", b"", []), Delivery.PLAIN)
"""
# Prints the settings of the process, the state of its other child, and if the orphan is alive.
EMBEDDED = """
resource.setrlimit(resource.RLIMIT_CORE, (4096, 4096))
other = subprocess.Popen(["sleep", "1000"], start_new_session=True)
try:
    orphan = int(run("sh", "-c", "setsid sleep 1000 >&2 & echo $!").transcript.stdout)
    settings = SYSTEM.adopts_orphans(), resource.getrlimit(resource.RLIMIT_CORE)[0]
    print(settings, other.poll(), lives(orphan))
finally:
    other.kill()
    other.wait()
"""
# Runs a command, as pytest runs builds, in a process with more children than the kernel lists in
# one piece.
INTERRUPTED = """
from harness.model.limits import Limits
from harness.model.transcript import Job
from harness.process.loop import run_one

def interrupt(pid, _):
    Path("started").write_text(str(pid))
    raise KeyboardInterrupt

spawn.SYSTEM.limit = interrupt
for _ in range(1_000):
    os.posix_spawn("/bin/true", ["true"], {})
try:
    run_one(Job(("/bin/sleep", "1000"), b"", Limits()), dict(os.environ))
except KeyboardInterrupt:
    until = time.monotonic() + 10
    while (alive := lives(Path('started').read_text())) and time.monotonic() < until:
        time.sleep(0.01)
    print(alive)
"""


def test_a_run_leaves_the_process_as_it_was_and_kills_only_its_own_orphans(xtest: Xtest) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + EMBEDDED)
    assert (done.stdout, done.stderr) == ("(False, 4096) None False\n", "")


def test_an_interruption_while_a_command_is_started_kills_it(xtest: Xtest) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + INTERRUPTED)
    assert (done.stdout, done.stderr) == ("False\n", "")


# A program that kills the worker, then runs in this thread, in another one, and in another process.
LOST = """
print(*run("sh", "-c", "kill -9 $PPID").judgement[:2])
def show():
    print(run("echo", "[1]").transcript.stdout, flush=True)
show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
pid = os.fork()
if pid == 0:
    show()
    os._exit(0)
os.waitpid(pid, 0)
show()
RUNS.close()
children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
print(list(filter(lives, children)))
"""


def test_a_run_after_a_lost_worker_or_in_another_thread_or_process_has_a_worker(
    xtest: Xtest,
) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + LOST)
    fault = "Verdict.HARNESS_FAULT a worker of xtest was killed by SIGKILL\n"
    assert (done.stdout, done.stderr) == (fault + "b'[1]\\n'\n" * 4 + "[]\n", "")


# A pipe to a child that a worker has a copy of: the child would never see the end of its input.
PIPES = """
other = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(run("cat").transcript.stdout, other.communicate(b"end")[0])
"""


def test_a_worker_holds_no_pipe_of_its_parent(xtest: Xtest) -> None:
    done = xtest.run(sys.executable, "-P", "-c", RUN + PIPES)
    assert (done.stdout, done.stderr) == ("b'' b'end'\n", "")
