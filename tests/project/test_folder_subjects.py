"""`folders` in xtest.toml makes a subject of any folder."""

from __future__ import annotations

import re
from pathlib import Path

from harness.project.config import Config, SubjectConfig
from harness.project.folder_subjects import with_folder_subjects

LONG = "Doe, Jane_12345_assignsubmission_file_" + "x" * 60
NAMES = ("ada", "李", "王", 'a "b" \\n', "Doe, J", "Doe- J", f"{LONG}1", f"{LONG}2", "-x", "A")


def test_every_folder_is_a_subject_with_a_valid_name_of_its_own(tmp_path: Path) -> None:
    for name in (*NAMES, "__MACOSX"):
        (tmp_path / "teams" / name).mkdir(parents=True)
    config = Config(subjects=(SubjectConfig("team", ("./p",), folders="teams/*"),))
    subjects = with_folder_subjects(config, str(tmp_path), {}, "xtest.toml").subjects
    assert {each.folder for each in subjects} == {f"teams/{name}" for name in NAMES}
    assert {each.title or each.name for each in subjects} == set(NAMES)
    names = {each.name for each in subjects}
    assert len(names) == len(NAMES)
    assert {"ada", "A"} <= names
    assert all(re.fullmatch(r"\w[\w.+-]{0,59}", name, re.ASCII) for name in names)
