"""Subjects inside a process that is somebody else's: interruptions, orphans, other children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from plugged import PLUGIN, TOP, suite

# What a run finds and leaves: the process's own settings, its other child, the subject's orphan.
GUEST = """
import os, resource, subprocess
from harness.process.reaper import is_subreaper
from harness.records import Case, Subject
from harness.runs.deliveries import Delivery
from harness.runs.single import single

def settings():
    return is_subreaper(), resource.getrlimit(resource.RLIMIT_CORE)[0]

resource.setrlimit(resource.RLIMIT_CORE, (4096, 4096))
other = subprocess.Popen(["sleep", "1000"], start_new_session=True)
subject = Subject("sh", ("sh", "-c", "setsid sleep 1000 >&2 & echo $!"))
done = single(Case("s", "1", b"", b"", []), subject, Delivery.PLAIN)
orphan = int(done.transcript.stdout)
print(settings(), other.poll(), os.path.exists(f"/proc/{orphan}"))
other.kill()
other.wait()
"""


def test_a_run_leaves_the_process_as_it_was_and_only_its_own_orphans_are_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GUEST], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout == "(False, 4096) None False\n"


def test_an_interruption_ends_pytest_and_what_runs(tmp_path: Path) -> None:
    suite(tmp_path / "s", "", _1=("1", "1"), _2=("1", "1"))
    script = tmp_path / "slow.sh"
    script.write_text("#!/bin/sh\necho $$ > new\nmv new pid\nexec sleep 1000\n")
    script.chmod(0o755)
    words = ("-W", "error", *PLUGIN, "--xtest-suite", "s", "--xtest-subject", "./slow.sh")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": TOP},
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        while not (tmp_path / "pid").exists() and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        printed, _ = running.communicate()
    assert running.returncode == 2
    assert "KeyboardInterrupt" in printed
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()
