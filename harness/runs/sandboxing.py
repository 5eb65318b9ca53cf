"""The sandbox of a command, tried out before anything is run in it."""

from __future__ import annotations

import os
import shutil
import sys

from harness.process.loop import run
from harness.process.sandbox import BWRAP, Sandbox
from harness.records import Exited, Job
from harness.usage import UsageFault
from harness.words import visible as visible_text

__all__ = ["tried_sandbox"]


def tried_sandbox() -> Sandbox:
    """The sandbox, tried out. Raises UsageFault where it cannot be had: there is no silent way
    around it."""
    bwrap = shutil.which(BWRAP)
    if bwrap is None:
        raise UsageFault(f"--sandbox needs {BWRAP}, which is not there (Debian: bubblewrap)")
    visible = (sys.prefix, sys.base_prefix)
    made = Sandbox(bwrap, os.getcwd(), os.path.expanduser("~"), visible)
    if made.hiding:
        raise UsageFault(
            f"--sandbox hides {made.hiding} with all that lies in it, and this folder is"
            f" {visible_text(made.folder)}: work in another one"
        )
    trial = iter([(None, Job(made.wrap(("/bin/true",)), b""))])
    ((_, seen),) = run(trial, 1, os.environ)
    if seen.ending != Exited(0):
        said = visible_text(seen.stderr.decode("utf-8", "replace").strip())
        raise UsageFault(f"--sandbox: {BWRAP} does not work here: {said or seen.ending}")
    return made
