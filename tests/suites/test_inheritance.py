"""Settings that suites inherit: which files count, and how they are merged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.suites import pair, write_files

from harness.model.comparison import Comparison, Numbers, PlaceRule
from harness.reports.terminal.suites import settings_json
from harness.suites.loading import read_settings, read_suite

AT = '[[compare.at]]\npath = "{}"\nignore = true\n'


def suite_below(top: Path, *settings: str) -> Path:
    """Write a suite whose n-th folder, from the top, has the n-th text as its suite.toml."""
    folder = top
    for text in settings:
        write_files(folder, {"suite.toml": text} if text else {})
        folder /= "below"
    return write_files(folder.parent, pair("1"))


def test_tables_are_merged_key_by_key_and_arrays_of_tables_are_joined(tmp_path: Path) -> None:
    rule = '[[cases]]\nmatch = "{0}"\n'
    known = '[[known]]\nmatch = "{0}"\nreason = "{0}"\n'
    outer = f'title = "x"\nexit = 3\n[limits]\nwall_s = 1\ncpu_s = 2\n{rule}{known}'.format(1)
    folder = suite_below(
        tmp_path,
        f'{outer}[compare]\nignore = ["/0", "/1"]\nnumbers = "value"\n{AT.format("/2")}',
        "",
        f"limits.wall_s = 4\n{rule.format(2)}{known.format(2)}",
        f'[compare]\nignore = ["/3"]\n{AT.format("/4")}{rule.format(3)}',
    )
    found = read_settings(folder)
    assert (found.title, found.exit.least) == ("", 3)
    assert (found.limits.wall_s, found.limits.cpu_s) == (4, 2)
    assert [rule.match for rule in found.rules] == ["1", "2", "3"]
    assert [rule.match for rule in found.known] == ["1", "2"]
    assert found.comparison == Comparison(
        *(Numbers.VALUE, (), ("/3",)),
        at=(PlaceRule(("/2",), ignore=True), PlaceRule(("/4",), ignore=True)),
    )


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


def test_files_are_relative_to_the_file_that_names_them_or_bundled(tmp_path: Path) -> None:
    toml = 'input = "in.json"\noutput = "xboard-out.schema.json"\nrender.command = "bin/draw x"'
    folder = suite_below(tmp_path, toml, "", "")
    write_files(tmp_path, {"in.json": "{}"})
    found = read_settings(folder)
    assert (found.input, found.output) == ("../../in.json", "xboard-out.schema.json")
    assert found.render is not None
    assert found.render.command == ("../../bin/draw", "x")


def test_the_listed_settings_follow_their_schema(tmp_path: Path) -> None:
    suite = read_suite("s", suite_below(tmp_path, "exit = 1", "limits.wall_s = 2.5"))
    document = json.loads(settings_json([suite]))
    Draft202012Validator(load_schema("settings")).validate(document)
    rows = {row["setting"]: row for row in document["suites"][0]["settings"]}
    assert rows["limits.wall_s"] == {
        "setting": "limits.wall_s",
        "value": 2.5,
        "file": str(suite.folder / "suite.toml"),
        "line": 1,
    }
