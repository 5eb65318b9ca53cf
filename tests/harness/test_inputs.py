"""Inputs without outputs: suites, folders of lone files, and what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.judging.comparison import Numbers
from harness.several.inputs import find_inputs, read_input, read_inputs
from harness.suites.corpus import BrokenCase, CorpusError, Found, Suite
from harness.suites.naming import CaseName, input_name, pattern_of, selects


def write(folder: Path, **texts: str) -> Path:
    """Files of a folder; in their names _ stands for - and the ending is .json."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name.replace('_', '-')}.json").write_text(text, encoding="utf-8")
    return folder


def found(folder: Path) -> Suite:
    """The one suite that a folder means."""
    ((name, where, argument),) = find_inputs([str(folder)], folder / "none")
    assert argument == str(folder)
    return read_inputs(Found(name, where, argument))


def inputs(folder: Path) -> dict[str, bytes]:
    """The inputs in a folder, by name."""
    suite = found(folder)
    return {name.text: read_input(suite, name, at) for at, name in enumerate(suite.names)}


def test_a_suite_has_the_inputs_of_its_cases_with_and_without_outputs(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", **{"2_in": "2", "2_out": "4", "10_in": "oops", "a_1_in": "[]"})
    assert inputs(folder) == {"2": b"2", "10": b"oops", "a-1": b"[]"}


def test_lone_files_are_inputs_by_name_in_natural_order(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", game="1", x_10="3", x_9="2", **{"7": "0"})
    (folder / "notes.txt").write_text("no input", encoding="utf-8")
    write(folder, **{".hidden": "no input"})
    assert inputs(folder) == {"7": b"0", "game": b"1", "x-9": b"2", "x-10": b"3"}
    assert list(inputs(folder)) == ["7", "game", "x-9", "x-10"]


def test_where_some_files_are_called_inputs_these_are_all(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", a_in="1", a_out="2", schema="{}", b_in="3")
    assert inputs(folder) == {"a": b"1", "b": b"3"}


def test_outputs_and_schemas_are_no_lone_inputs(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", a="1", b_out="2", shape="{}")
    settings = 'input = "shape.json"\n[compare]\nnumbers = "value"\n'
    (folder / "suite.toml").write_text(settings, encoding="utf-8")
    assert inputs(folder) == {"a": b"1"}
    assert found(folder).settings.comparison.numbers is Numbers.VALUE


def test_a_lone_input_is_selected_by_its_name() -> None:
    name = input_name("game*one")
    assert (name.text, pattern_of(name)) == ("game*one", "game[*]one")
    assert selects(pattern_of(name), name)
    assert not selects("0-9", name)
    assert input_name("x-09") == CaseName("x", 9)


def test_a_packed_suite_has_the_inputs_of_its_lines(tmp_path: Path) -> None:
    line = '{"case":"CASE","in":{"text":"CASE"},"out":{"text":""}}\n'
    (tmp_path / "cases.jsonl").write_text(
        "".join(line.replace("CASE", name) for name in "12"), encoding="utf-8"
    )
    assert inputs(tmp_path) == {"1": b"1", "2": b"2"}


def test_suites_below_a_folder_are_all_meant(tmp_path: Path) -> None:
    write(tmp_path / "all" / "one", **{"1_in": "1"})
    write(tmp_path / "all" / "two", a_in="2")
    names = [name for name, _, _ in find_inputs([str(tmp_path / "all")], tmp_path)]
    assert names == ["all/one", "all/two"]


def test_an_output_without_its_input_is_broken(tmp_path: Path) -> None:
    suite = found(write(tmp_path / "s", **{"1_out": "1"}))
    with pytest.raises(BrokenCase) as caught:
        read_input(suite, CaseName("", 1), 0)
    assert str(caught.value) == "1-out.json is an orphan: there is no 1-in.json"


def test_two_files_that_claim_one_name_are_broken(tmp_path: Path) -> None:
    suite = found(write(tmp_path / "s", **{"7": "1", "07": "2"}))
    with pytest.raises(BrokenCase) as caught:
        read_input(suite, CaseName("", 7), 0)
    assert str(caught.value) == "07.json and 7.json both claim to be case 7"


def refused(*arguments: Path) -> str:
    """Why these arguments mean no inputs."""
    with pytest.raises(CorpusError) as caught:
        for each in find_inputs([str(argument) for argument in arguments], Path("/none")):
            read_inputs(each)
    return str(caught.value)


def test_what_means_no_inputs_says_why(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", a="1")
    assert refused(folder / "a.json") == (
        f"{folder}/a.json: a file; inputs are a suite or a folder of them: name {folder}, and pick"
        " with --case"
    )
    empty = write(tmp_path / "empty")
    assert refused(empty) == (
        f"{empty}: no cases in this folder or below it; a case is a pair of files N-in.json and"
        " N-out.json, or a line of cases.jsonl; nor is there a lone input, a file *.json in the"
        " folder itself"
    )
    outputs = write(tmp_path / "outputs", a_out="1")
    assert refused(outputs) == f"{outputs}: no inputs in this folder"
    toml = write(tmp_path / "toml", a="1") / "suite.toml"
    toml.write_text('tittle = "x"\n', encoding="utf-8")
    assert refused(toml.parent) == f'{toml}: unknown key "tittle"; did you mean "title"?'
    toml.unlink()
    os.mkfifo(toml)
    assert refused(toml.parent) == f"{toml}: not a regular file"


def test_a_folder_that_goes_away_says_so(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_inputs(Found("s", tmp_path / "gone", "s"))
    assert str(caught.value) == f"{tmp_path}/gone: no such file or directory"
