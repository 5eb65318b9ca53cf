"""Finding programs: on PATH, then beside the running Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.suites import write_program

from harness.model.subject import ExecutionContext
from harness.project.program_lookup import find_program, missing_program, no_program_text


def path_of(path: str | Path, folder: str = "", *, is_own: bool = False) -> ExecutionContext:
    return ExecutionContext(folder, (("PATH", str(path)),), is_own=is_own)


def test_a_program_on_the_path_comes_before_one_beside_python(tmp_path: Path) -> None:
    beside = os.path.basename(sys.executable)
    assert find_program(beside, path_of(tmp_path)) == sys.executable
    write_program(tmp_path / beside, "#!/bin/sh\n")
    assert find_program(beside, path_of(tmp_path)) == str(tmp_path / beside)


@pytest.mark.parametrize("path", ["", ":/nowhere"])
def test_a_bare_name_is_never_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    write_program(tmp_path / "mine", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    assert find_program("mine", path_of(path)) is None
    assert find_program("./mine", path_of(path)) == "./mine"


def test_a_bare_name_of_a_subject_is_in_its_folder_or_on_path_but_never_a_bundled_program(
    tmp_path: Path,
) -> None:
    scripts = os.path.dirname(sys.executable)
    assert os.path.isfile(os.path.join(scripts, "xboard"))
    own = path_of(f"{scripts}:/usr/bin:/bin", str(tmp_path), is_own=True)
    assert find_program("xboard", own) is None
    assert no_program_text("xboard", own) == (
        f"xboard: no such program in {tmp_path} or on PATH; the one that comes with xtest does not"
        " count"
    )
    assert str(find_program("sort", own)).endswith("bin/sort")
    (tmp_path / "sort").write_text("a list, not a program")
    assert str(find_program("sort", own)).endswith("bin/sort")
    for name in ("sort", "xboard"):
        write_program(tmp_path / name, "#!/bin/sh\n")
        assert find_program(name, own) == f"./{name}"


def test_what_is_no_program_is_called_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "prog.jar").write_bytes(b"PK")
    (tmp_path / "script").write_text("#!/bin/sh\n")
    reasons = {
        "folder": "a folder, not a program",
        "link": "a link to nothing, which is not a file",
        "loop": "a link to loop, which is not a file",
        "prog.jar": f"not executable (run it with java -jar {tmp_path}/prog.jar)",
        "script": f"not executable (chmod +x {tmp_path}/script)",
    }
    for name, reason in reasons.items():
        refused = missing_program(str(tmp_path / name), None)
        assert refused is not None
        assert refused.reason == f"{tmp_path}/{name}: {reason}"
