"""Finding programs: on PATH, then beside the running Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.suites import write_program

from harness.project.program_lookup import find_program


def test_a_program_on_the_path_comes_before_one_beside_python(tmp_path: Path) -> None:
    beside = os.path.basename(sys.executable)
    assert find_program(beside, str(tmp_path)) == sys.executable
    write_program(tmp_path / beside, "#!/bin/sh\n")
    assert find_program(beside, str(tmp_path)) == str(tmp_path / beside)


@pytest.mark.parametrize("path", ["", ":/nowhere"])
def test_a_bare_name_is_never_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    write_program(tmp_path / "mine", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    assert find_program("mine", path) is None
    assert find_program("./mine", path) == "./mine"
