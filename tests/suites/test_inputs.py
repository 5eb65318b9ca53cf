"""Inputs without outputs: of suites, and of folders of JSON files."""

from __future__ import annotations

import os
from pathlib import Path

from support.golden import Golden, message_of
from support.suites import pair, write_files

from harness.model.case_names import CaseName, input_name, pattern_of, selects
from harness.model.comparison import Numbers
from harness.suites.cases import BrokenCase, read_input
from harness.suites.discovery import find_inputs
from harness.suites.loading import CorpusError, Suite, read_suite


def inputs_of(folder: Path) -> Suite:
    (found,) = find_inputs([str(folder)], folder / "none")
    return read_suite(found.name, found.folder, inputs=True)


def inputs(folder: Path) -> dict[str, bytes]:
    suite = inputs_of(folder)
    return {name.text: read_input(suite, name, at) for at, name in enumerate(suite.names)}


def test_a_suite_has_the_inputs_of_its_cases_with_or_without_outputs(tmp_path: Path) -> None:
    write_files(tmp_path, pair("2", "2") | {"10-in.json": "oops", "a-1-in.json": "[]"})
    assert inputs(tmp_path) == {"2": b"2", "10": b"oops", "a-1": b"[]"}


def test_a_packed_suite_has_the_inputs_of_its_lines(tmp_path: Path) -> None:
    line = '{"case":"CASE","in":{"text":"CASE"},"out":{"text":""}}\n'
    write_files(tmp_path, {"cases.jsonl": "".join(line.replace("CASE", name) for name in "12")})
    assert inputs(tmp_path) == {"1": b"1", "2": b"2"}


def test_lone_files_are_inputs_in_natural_order(tmp_path: Path) -> None:
    files = {"game.json": "1", "x-10.json": "3", "x-9.json": "2", "7.json": "0"}
    write_files(tmp_path, files | {"notes.txt": "", ".hidden.json": ""})
    assert list(inputs(tmp_path).items()) == [
        *(("7", b"0"), ("game", b"1"), ("x-9", b"2"), ("x-10", b"3"))
    ]


def test_files_named_inputs_exclude_other_files(tmp_path: Path) -> None:
    files = {"a-in.json": "1", "a-out.json": "2", "schema.json": "{}", "b-in.json": "3"}
    assert inputs(write_files(tmp_path, files)) == {"a": b"1", "b": b"3"}


def test_outputs_and_schemas_are_not_inputs(tmp_path: Path) -> None:
    toml = 'input = "shape.json"\n[compare]\nnumbers = "value"\n'
    files = {"a.json": "1", "b-out.json": "2", "shape.json": "{}", "suite.toml": toml}
    assert inputs(write_files(tmp_path, files)) == {"a": b"1"}
    assert inputs_of(tmp_path).settings.comparison.numbers is Numbers.VALUE


def test_a_lone_input_is_selected_by_its_name() -> None:
    name = input_name("game*one")
    assert (name.text, pattern_of(name)) == ("game*one", "game[*]one")
    assert selects(pattern_of(name), name)
    assert not selects("0-9", name)
    assert input_name("x-09") == CaseName("x", 9)


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
