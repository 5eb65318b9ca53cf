"""Files in the folder of a suite: cases, settings, named files, clutter, faults and the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.suites import pair, write_files

from harness.suites.loading import read_suite
from harness.suites.strays import likely_name

_MISNAMED = {
    "2-in.json": """
        2-in.json.txt 2-in.txt 2-in.json.json 2-IN.JSON 2-In.json 2_in.json 2in.json in-2.json in2.json
        input2.json input-2.txt 2-input.json 2.in.json 2-in 2.in 02-in.jsn 2–in.json 2—in.json ２-in.json
        .2-in.json in_02.json 2-in.jso 2-in,json""".split()
    + [
        *("2-in (1).json", "2-in copy.json", "2-in - Copy.json", "2-in copy 2.json", "2 -in.json"),
        *("Kopie von 2-in.json", "2-in – Kopie (3).json", "2-in - コピー.json", "2-in.json (1)"),
        *("2-in.json ", "\ufeff2-in.json"),
    ],
    "2-out.json": "2-out.json.txt 2-output.json out-2.json 2.out 2.ans 2-expected.json".split(),
    "bad-2-in.json": "bad_2_in.json bad-2-in.JSON bad-2-in.json.txt bad-in-2.json".split()
    + ["bad-2-in (1).json"],
    "": ["a-in.json", "x-out.json", "a_in.JSON"],
    "suite.toml": "suite.toml.txt Suite.toml suites.toml suit.toml suite.tml suite_old.toml".split()
    + ["suite (1).toml", "suite - Copy.toml", "suite copy.toml"],
    "cases.jsonl": "cases.jsonl.txt Cases.jsonl cases.json case.jsonl".split()
    + ["cases (2).jsonl", "cases - Copy.jsonl"],
    "xtest.toml": ["xtest.toml.txt", "xtest (1).toml"],
}
_CLUTTER = """
    .DS_Store ._2-in.json .#2-in.json 2-in.json~ #2-in.json# 2-in.json.bak .2-in.json.swp Thumbs.db
    desktop.ini README.md readme LICENSE COPYING.txt .gitignore .git CVS __pycache__ suite.toml.orig
    """.split()
_OTHERS = """
    notes.txt gen.py out-of-date.txt input.schema.json picture-in-2.png make-1-in.py pyproject.toml
    in.json 7.json""".split()


@pytest.mark.parametrize(
    ("file", "wanted"), [(file, wanted) for wanted, files in _MISNAMED.items() for file in files]
)
def test_a_name_that_is_almost_that_of_a_case_or_setting_has_a_likely_name(
    file: str, wanted: str
) -> None:
    assert likely_name(file) == wanted


@pytest.mark.parametrize("file", ["1-in.json", "suite.toml", "xtest.toml", *_CLUTTER, *_OTHERS])
def test_other_names_have_none(file: str) -> None:
    assert likely_name(file) is None


def test_misnamed_files_are_faults_clutter_is_ignored_and_others_are_noted(tmp_path: Path) -> None:
    files = {"2-in.json.txt": "", "suite.toml.txt": "", "hw.jsonl": '{"case":"3","in":{}}'}
    nested = {"more/1-in.json": "", "deep/er/cases.jsonl": "", "log.jsonl": '{"event": 1}'}
    write_files(tmp_path, pair("1") | files | nested | dict.fromkeys((*_CLUTTER, *_OTHERS), ""))
    suite = read_suite("s", tmp_path)
    assert [*suite.strays.faults] == ["2-in.json.txt", "deep", "hw.jsonl", "more", "suite.toml.txt"]
    assert sorted(suite.strays.others) == sorted([*_OTHERS, "log.jsonl"])
    assert suite.faults[0] == '"2-in.json.txt" is not read; rename it 2-in.json'


def test_a_copy_of_a_file_that_exists_must_get_another_name(tmp_path: Path) -> None:
    write_files(tmp_path, pair("2") | {"2-in (1).json": ""})
    faults = ('"2-in (1).json" is not read, and 2-in.json exists; rename it as another case, or ',)
    assert read_suite("s", tmp_path).faults == (f"{faults[0]}remove it",)


@pytest.mark.parametrize(
    "files",
    [
        {"suite.toml": 'files = ["data/**", "*.bin"]', "data/1-in.json": "", "a.bin": ""},
        {"suite.toml": 'checker = ["python3", "check.py"]', "check.py": "import a", "a.py": ""},
        {"suite.toml": 'input = "x-in.json"', "x-in.json": '{"$ref": "y.json"}', "y.json": "{}"},
        {"suite.toml": "# cases come from gen.sh", "gen.sh": ""},
        {"README.md": "See [the picture](map.png) and `notes`.", "map.png": "", "notes/x.txt": ""},
        {"xtest.toml": '[subjects.a]\ncommand = ["./prog"]', "prog": ""},
    ],
)
def test_a_file_that_something_names_belongs_to_the_suite(
    tmp_path: Path, files: dict[str, str]
) -> None:
    suite = read_suite("s", write_files(tmp_path, pair("1") | files))
    assert (suite.faults, suite.strays.others) == ((), ())


def test_misnamed_settings_above_a_suite_are_faults(tmp_path: Path) -> None:
    write_files(tmp_path, {"xtest.toml": "", "all/suite.toml.txt": "", "Suite.toml": ""})
    suite = read_suite("s", write_files(tmp_path / "all/hw1", pair("1")))
    assert [*suite.strays.faults] == ["../suite.toml.txt", "../../Suite.toml"]


def test_inputs_without_outputs_are_checked_too(tmp_path: Path) -> None:
    write_files(tmp_path, {"1-in.json": "1", "2-in.json.txt": "2", "3.json": "3"})
    suite = read_suite("s", tmp_path, inputs=True)
    assert [*suite.strays.faults] == ["2-in.json.txt"]
