"""Settings that suites inherit: which files count, and how they are merged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.suites import pair, write_files

from harness.reports.terminal.suites import settings_json
from harness.suites.loading import read_settings, read_suite


def suite_below(top: Path, *settings: str) -> Path:
    """Write a suite whose n-th folder, from the top, has the n-th text as its suite.toml."""
    folder = top
    for text in settings:
        write_files(folder, {"suite.toml": text} if text else {})
        folder /= "below"
    return write_files(folder.parent, pair("1"))


@pytest.mark.parametrize("sign", ["xtest.toml", ".git"])
def test_no_folder_above_a_project_or_a_repository_counts(tmp_path: Path, sign: str) -> None:
    folder = suite_below(tmp_path, "exit = 1", "limits.wall_s = 2", "")
    write_files(tmp_path / "below", {sign: ""})
    found = read_settings(folder)
    assert (found.exit.least, found.limits.wall_s) == (0, 2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_without_a_project_files_of_another_user_above_a_suite_do_not_count(tmp_path: Path) -> None:
    folder = suite_below(tmp_path, "exit = 1", "limits.wall_s = 2")
    os.chown(tmp_path / "suite.toml", 12_345, -1)
    assert read_settings(folder).exit.least == 0
    write_files(tmp_path, {"xtest.toml": ""})
    assert read_settings(folder).exit.least == 1


def test_the_listed_settings_follow_their_schema(tmp_path: Path) -> None:
    suite = read_suite("s", suite_below(tmp_path, "exit = 1", "limits.wall_s = 2.5"))
    Draft202012Validator(load_schema("settings")).validate(json.loads(settings_json([suite])))


def test_a_bundled_schema_has_one_name_in_all_folders(tmp_path: Path) -> None:
    folder = suite_below(tmp_path, 'output = "xboard-out.schema.json"', "", "")
    assert read_settings(folder).output == "xboard-out.schema.json"
