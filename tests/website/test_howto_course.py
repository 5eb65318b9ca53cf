"""docs/howto/course.md: its script accepts the folder names of learning platforms."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from support.xtest import TOP


def test_the_script_makes_a_subject_of_any_folder(tmp_path: Path) -> None:
    page = (TOP / "docs" / "howto" / "course.md").read_text(encoding="utf-8")
    found = re.search(r"subjects\.sh <<'END'\n(.*?)\nEND\n", page, re.DOTALL)
    assert found is not None
    long = "Doe, Jane_12345_assignsubmission_file_" + "x" * 60
    names = ("ada", "李", "王", 'a "b" \\n', "Doe, J", "Doe- J", f"{long}1", f"{long}2")
    for name in names:
        (tmp_path / "teams" / name).mkdir(parents=True)
    script = ["sh", "-c", found[1]]
    toml = subprocess.run(script, cwd=tmp_path, check=True, capture_output=True).stdout
    subjects = tomllib.loads(toml.decode())["subjects"]
    assert {each["folder"] for each in subjects.values()} == {f"teams/{name}" for name in names}
    assert "ada" in subjects
    assert all(re.fullmatch(r"\w[\w.+-]{0,59}", name, re.ASCII) for name in subjects)
