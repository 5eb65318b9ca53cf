"""The subjects that may not use sessions any more."""

from __future__ import annotations

import os

from harness.engine.sessions.batches import DistrustedSubjects


def test_a_doubt_of_one_process_is_known_in_others() -> None:
    doubts = DistrustedSubjects(["a", "b", "a"])
    pid = os.fork()
    if pid == 0:
        doubts.add("b")
        os._exit(0)
    os.waitpid(pid, 0)
    assert [name in doubts for name in "ab"] == [False, True]
