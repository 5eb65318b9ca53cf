"""Keep subjects from reaching into this process."""

from __future__ import annotations

import ctypes
import os

from harness.process.process_state import forbid_tracing

PR_GET_DUMPABLE = 3  # <linux/prctl.h>


def test_a_process_that_forbids_it_cannot_be_traced() -> None:
    before = ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)
    pid = os.fork()
    if pid == 0:
        forbid_tracing()
        os._exit(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
    assert os.waitpid(pid, 0)[1] == 0
    assert ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == before
