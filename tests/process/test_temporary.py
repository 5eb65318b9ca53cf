"""Temporary folders stay while their process uses them, and no longer."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen

from support.xtest import clean_environment

# Makes and uses folders, while other processes look for those without a user.
MANY = """
import os
from harness.process.temporary import TemporaryFolder

folder = TemporaryFolder()
for _ in range(150):
    os.mkdir(os.path.join(folder.create(), "used"))
    os.rmdir(os.path.join(folder.path, "used"))
    folder.close()
"""


def test_no_process_removes_the_folder_that_another_has_just_made(tmp_path: Path) -> None:
    environment = clean_environment(tmp_path, TMPDIR=str(tmp_path))
    command = [sys.executable, "-P", "-c", MANY]
    with ExitStack() as stack:
        running = [
            stack.enter_context(Popen(command, env=environment, stderr=PIPE)) for _ in range(4)
        ]
        assert [(each.communicate()[1], each.returncode) for each in running] == [(b"", 0)] * 4
    assert os.listdir(tmp_path) == []
