"""Inputs without outputs: of suites, and of folders of JSON files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.golden import Golden, message_of
from support.suites import pair, write_files

from harness.model.case_names import CaseName
from harness.model.comparison import Numbers
from harness.suites.cases import BrokenCase, read_input
from harness.suites.discovery import find_inputs
from harness.suites.loading import CorpusError, Suite, read_suite


def inputs_of(folder: Path) -> Suite:
    (found,) = find_inputs([str(folder)], folder / "none")
    return read_suite(found.name, found.folder, inputs=True)


LINE = '{"case":"CASE","in":{"text":"CASE"},"out":{"text":""}}\n'
LONE = {"game.json": "1", "x-10.json": "3", "x-9.json": "2", "7.json": "0"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (pair("2", "2") | {"10-in.json": "oops", "a-1-in.json": ""}, "2=2 10=oops a-1="),
        ({"cases.jsonl": LINE.replace("CASE", "1") + LINE.replace("CASE", "2")}, "1=1 2=2"),
        (LONE | {"notes.txt": "", ".hidden.json": ""}, "7=0 game=1 x-9=2 x-10=3"),
        (pair("a", "1") | {"schema.json": "{}", "b-in.json": "3"}, "a=1 b=3"),
    ],
    ids=["a suite without some outputs", "packed", "lone files in natural order", "in.json"],
)
def test_a_folder_has_inputs(tmp_path: Path, files: dict[str, str], found: str) -> None:
    assert inputs(write_files(tmp_path, files)) == found


def inputs(folder: Path) -> str:
    suite = inputs_of(folder)
    read = (read_input(suite, name, at).decode() for at, name in enumerate(suite.names))
    return " ".join(f"{name.text}={text}" for name, text in zip(suite.names, read))


def test_outputs_and_schemas_are_not_inputs(tmp_path: Path) -> None:
    toml = 'input = "shape.json"\n[compare]\nnumbers = "value"\n'
    files = {"a.json": "1", "b-out.json": "2", "shape.json": "{}", "suite.toml": toml}
    assert inputs(write_files(tmp_path, files)) == "a=1"
    assert inputs_of(tmp_path).settings.comparison.numbers is Numbers.VALUE


def test_all_folders_below_an_argument_are_found(tmp_path: Path) -> None:
    write_files(tmp_path / "all", {"one/1-in.json": "1", "two/a-in.json": "2"})
    names = [name for name, _, _ in find_inputs([str(tmp_path / "all")], tmp_path)]
    assert names == ["all/one", "all/two"]


def test_an_argument_without_inputs_says_why(tmp_path: Path, golden: Golden) -> None:
    write_files(tmp_path / "file", {"a.json": "1"})
    write_files(tmp_path / "outputs", {"a-out.json": "1"})
    write_files(tmp_path / "mistake", {"a.json": "1", "suite.toml": 'tittle = "x"\n'})
    os.mkfifo(write_files(tmp_path / "pipe", {"a.json": "1"}) / "suite.toml")
    (tmp_path / "empty").mkdir()
    lines = []
    for name in ("file/a.json", "empty", "outputs", "mistake", "pipe"):
        lines.append(message_of(CorpusError, inputs_of, tmp_path / name))
    gone = tmp_path / "gone"
    lines.append(message_of(CorpusError, lambda: read_suite("s", gone, inputs=True)))
    for number, files in ((1, {"1-out.json": ""}), (7, {"7.json": "", "07.json": ""})):
        suite = inputs_of(write_files(tmp_path / "broken" / str(number), files))
        lines.append(message_of(BrokenCase, read_input, suite, CaseName("", number), 0))
    golden("no_inputs.txt", "".join(f"{line}\n" for line in lines).replace(str(tmp_path), "HERE"))
