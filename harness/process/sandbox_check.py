"""Check that the sandbox works before any subject runs in it."""

from __future__ import annotations

import os
import shutil
import sys

from harness.errors import UsageError
from harness.model.transcript import Exited, Job
from harness.process.loop import run
from harness.process.sandbox import BWRAP, Sandbox
from harness.text import escape_nonprintable

__all__ = ["check_sandbox"]


def check_sandbox() -> Sandbox:
    """Return a sandbox that works here. Raises UsageError if there is none."""
    bwrap = shutil.which(BWRAP)
    if bwrap is None:
        raise UsageError(f"--sandbox requires {BWRAP}, which is not installed (Debian: bubblewrap)")
    visible = (sys.prefix, sys.base_prefix)
    sandbox = Sandbox(bwrap, os.getcwd(), os.path.expanduser("~"), visible)
    if sandbox.hiding:
        raise UsageError(
            f"--sandbox hides everything in {sandbox.hiding}, such as the current folder"
            f" {escape_nonprintable(sandbox.folder)}; run xtest in another folder"
        )
    trial = iter([(None, Job(sandbox.wrap(("/bin/true",)), b""))])
    ((_, transcript),) = run(trial, 1, os.environ)
    if transcript.ending != Exited(0):
        reason = escape_nonprintable(transcript.stderr.decode("utf-8", "replace").strip())
        raise UsageError(f"--sandbox: {BWRAP} does not work here: {reason or transcript.ending}")
    return sandbox
