"""Suites and their cases: listed, read, and everything that can be broken."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.golden import Golden, message_of
from support.suites import pair, write_files

from harness.jsonio.decoder import Number
from harness.jsonio.fast import decode
from harness.judging.equality import differences
from harness.model.case import Case, ExitRange, InputKind, InvalidCase, Policy
from harness.model.case_names import CaseName
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule
from harness.model.limits import Limits
from harness.model.suite_info import GradingRule, SuiteInfo, Visibility
from harness.suites.cases import BrokenCase, file_label, read_case, read_input, read_orphan
from harness.suites.discovery import find_inputs, find_suites
from harness.suites.loading import CorpusError, Suite, collect_suite_info, read_suite

ONE = CaseName("", 1)


def read(folder: Path, name: CaseName = ONE) -> Case:
    case = read_case(read_suite("s", folder), name, 0)
    assert isinstance(case, Case)
    return case


def invalid_lines(folder: Path) -> list[str]:
    suite = read_suite("s", folder)
    cases = [read_case(suite, name, at) for at, name in enumerate(suite.names)]
    return [f"{case.name}: {case.reason}" for case in cases if isinstance(case, InvalidCase)]


def unusable(folder: Path) -> str:
    return message_of(CorpusError, read_suite, "s", folder).replace(str(folder), "HERE")


# Suites.


def test_files_and_patterns_without_an_effect_are_faults(tmp_path: Path, golden: Golden) -> None:
    toml = '[[cases]]\nmatch = "1"\n[[cases]]\nmatch = "bad-*"\n'
    toml += '[[known]]\nmatch = "2"\nreason = "r"'
    strays = ("2-in.JSON", "Suite.toml", "notes.txt", ".3-in.json")
    write_files(tmp_path / "a", pair("1") | dict.fromkeys(strays, "") | {"suite.toml": toml})
    write_files(tmp_path / "b", pair("1") | {f"{number}_in.json": "" for number in range(12)})
    named = 'input = "x-in.json"\noutput = "x-out.json"'
    schemas = dict.fromkeys(("x-in.json", "x-out.json"), "{}")
    write_files(tmp_path / "c", pair("1") | schemas | {"suite.toml": named})
    faults = [read_suite("s", tmp_path / name).faults for name in "abc"]
    golden("suite_faults.txt", "\n".join("".join(f"{one}\n" for one in each) for each in faults))
    assert faults[2] == ()


@pytest.mark.parametrize("file", ["SUITE.TOML", "a-in.json"])
def test_a_folder_that_only_looks_like_a_suite_is_found_and_reported(
    tmp_path: Path, file: str
) -> None:
    write_files(tmp_path / "all", {"mine/1-in.json": "", file: ""})
    found = [folder.name for folder in find_suites(str(tmp_path / "all"), tmp_path)]
    assert found == ["all", "mine"]
    assert unusable(tmp_path / "all").startswith("HERE: no cases in this folder; ")


def test_a_folder_with_only_a_suite_toml_is_a_suite_if_there_is_none_below(tmp_path: Path) -> None:
    files = {"suite.toml": "", "x/suite.toml": "", "x/y/1-in.json": "", "z/suite.toml": ""}
    write_files(tmp_path / "all", files | {"z/empty/README": "", "zz/1-in.json": ""})
    found = [folder.name for folder in find_suites(str(tmp_path / "all"), tmp_path)]
    assert found == ["y", "z", "zz"]


def test_a_suite_that_cannot_be_used_says_why(tmp_path: Path, golden: Golden) -> None:
    placeholder = '[[compare.at]]\npath = "/0"\nschema = "{}"'
    suites: dict[str, dict[str, Any]] = {
        "mistake": {"suite.toml": "titel = 1"},
        "packed and files": {"cases.jsonl": ""},
        "no schema": {"suite.toml": placeholder.format("none.json")},
        "odd schema name": {"suite.toml": placeholder.format("a\\u0000b")},
        "long schema name": {"suite.toml": placeholder.format("x" * 300)},
        "broken schema": {"suite.toml": placeholder.format("t.json"), "t.json": b"{"},
        "no such file": {"suite.toml": placeholder.format("t.json"), "t.json": b'{"$ref": "u"}'},
        "no such part": {"suite.toml": placeholder.format("t.json#/a"), "t.json": b"{}"},
        "schema not UTF-8": {"suite.toml": placeholder.format("t.json"), "t.json": b"\xff"},
        "bad annotation": {"suite.toml": 'output = "o.json"', "o.json": {"x-order": "bag"}},
    }
    lines = []
    for name, files in suites.items():
        lines.append(f"{name}: {unusable(write_files(tmp_path / name, pair('1') | files))}")
    only_settings = write_files(tmp_path / "only settings", {"suite.toml": ""})
    lines.insert(1, f"only settings: {unusable(only_settings)}")
    makes: dict[str, Callable[[Path], None]] = {
        "folder": Path.mkdir,
        "link": lambda file: file.symlink_to("nowhere"),
        "pipe": os.mkfifo,
    }
    for name, make in makes.items():
        make(write_files(tmp_path / name, pair("1")) / "suite.toml")
        lines.append(f"suite.toml is a {name}: {unusable(tmp_path / name)}")
    lines.append(f"gone: {unusable(tmp_path / 'gone')}")
    golden("unusable_suites.txt", "".join(f"{line}\n" for line in lines))


def test_rules_and_schemas_in_other_files_complete_the_comparison(tmp_path: Path) -> None:
    schema = {"x-order": "set", "items": {"x-key": "id"}}
    toml = 'output = "o.json"\n[compare]\nignore = ["/1"]'
    write_files(tmp_path / "a", pair("1") | {"suite.toml": toml, "o.json": schema})
    assert read_suite("s", tmp_path / "a").settings.comparison == Comparison(
        ignore=("/1",),
        from_schema=(PlaceRule(("",), order=ArrayOrder.SET), PlaceRule(("/*",), key="id")),
    )
    for text in ("not JSON", '{"type": "array"}'):  # without annotations, it is not even parsed
        write_files(tmp_path / "b", pair("1") | {"suite.toml": 'output = "o"', "o": text})
        assert read_suite("s", tmp_path / "b").settings.comparison == Comparison()
    rules = (("/0/0", "t.json#/$defs/hour"), ("/0/1", "t.json"), ("/0/2", "xtiles-out.schema.json"))
    toml = "".join(f'[[compare.at]]\npath = "{path}"\nschema = "{file}"\n' for path, file in rules)
    hour = {"type": "integer", "$defs": {"hour": {"type": "number", "maximum": 9}}}
    write_files(tmp_path / "c", pair("1") | {"suite.toml": toml, "t.json": hour})
    comparison = read_suite("s", tmp_path / "c").settings.comparison
    expected = decode(b"[5,6,7]").values
    outputs = {"[8.5,60,7]": True, "[9.5,6,7]": False, "[5,6.5,7]": False}
    for text, is_equal in outputs.items():
        printed = decode(text.encode()).values
        assert (not list(differences(expected, printed, comparison))) is is_equal, text


GRADED = """
title = "Doubling"
program = "double"
[grading]
points = 10
visibility = "after_due_date"
[[cases]]
match = "*"
tags = ["all"]
[[cases]]
match = ["2", "3"]
points = 2.5
[[cases]]
match = "3"
points = 4
visibility = "hidden"
[[cases]]
match = "1"
visibility = "visible"
"""


def test_the_description_of_a_suite_counts_the_cases_of_each_grading_rule(tmp_path: Path) -> None:
    cases = pair("1") | pair("2") | pair("3") | pair("4")
    suite = read_suite("s", write_files(tmp_path, cases | {"suite.toml": GRADED}))
    assert collect_suite_info([suite, suite]) == (
        SuiteInfo(
            *("s", str(tmp_path), "Doubling", "double", 10.0, Visibility.AFTER_DUE_DATE),
            (
                GradingRule(("2", "3"), 2.5, None, 1),
                GradingRule("3", 4.0, Visibility.HIDDEN, 1),
                GradingRule("1", None, Visibility.VISIBLE, 0),
            ),
            cases=4,
        ),
    )
    plain = suite._replace(settings=type(suite.settings)())
    assert collect_suite_info([plain]) == (SuiteInfo("s", str(tmp_path), cases=4),)


# Cases.


def test_a_case_has_its_bytes_and_the_policy_of_its_suite(tmp_path: Path) -> None:
    toml = (
        '[limits]\nwall_s = 3\n[compare]\nignore = ["/1"]\n'
        '[[cases]]\nmatch = "bad-*"\nexit = 1\ninput = "off-schema"\ntags = ["errors"]'
    )
    stdin, expected = b' {"a":\t1.0} \r\n', b'"refused" 1e400\n\n'
    write_files(tmp_path, pair("bad-007", stdin, expected) | {"suite.toml": toml})
    suite = read_suite("s", tmp_path)
    assert read(tmp_path, CaseName("bad", 7)) == Case(
        suite="s",
        name="bad-7",
        stdin=stdin,
        expected_text=expected,
        expected=["refused", Number("1e400")],
        kind=InputKind.OFF_SCHEMA,
        tags=("errors",),
        policy=Policy(Comparison(ignore=("/1",)), ExitRange(1, 1), Limits(wall_s=3.0)),
    )
    assert file_label(suite, CaseName("bad", 7)) == "bad-007"


def test_an_invalid_case_says_why(tmp_path: Path, golden: Golden) -> None:
    raw = '[compare]\nallow = ["nan"]\n[[cases]]\nmatch = "2?"\ninput = "raw"'
    orphans = ("1-in.json", "2-out.json", "03-in.json", "3-out.json")
    files: dict[str, Any] = {"suite.toml": raw, **dict.fromkeys(orphans, "")}
    files |= {"04-in.json": "", **pair("4"), **pair("5"), "05-out.json": "", "005-out.json": ""}
    files |= pair("6", '{"a": 1}\n{"a": 1,}') | pair("7", "oops", b'"\xff"') | pair("8", "NaN")
    files |= pair("20", b"\xff[", "[") | pair("21", b"\xff[") | {"a\x1b[2J-1-in.json": ""}
    write_files(tmp_path, files | pair("9", expected="NaN"))
    for number in range(10, 18):
        side = "in" if number % 2 else "out"
        write_files(tmp_path, pair(str(number)))
        file = tmp_path / f"{number}-{side}.json"
        file.unlink()
        if number < 12:
            file.mkdir()
        elif number < 14:
            os.mkfifo(file)
        else:
            file.symlink_to("nowhere" if number < 16 else file.name)
    lines = "".join(f"{line}\n" for line in invalid_lines(tmp_path))
    golden("invalid_cases.txt", lines.replace("\x1b", "\\x1b"))
    assert read(tmp_path, CaseName("", 21)).stdin == b"\xff["
    assert read(tmp_path, CaseName("", 9)).expected == [Number("NaN")]


def test_a_file_that_was_removed_after_the_listing_is_an_invalid_case(tmp_path: Path) -> None:
    suite = read_suite("s", write_files(tmp_path, pair("1")))
    (tmp_path / "1-out.json").unlink()
    reason = "1-out.json: no such file or directory"
    assert read_case(suite, ONE, 0) == InvalidCase("s", "1", reason)


@pytest.mark.needs("/proc")
def test_links_odd_names_and_the_kernels_files_are_read(tmp_path: Path) -> None:
    write_files(tmp_path, pair("1", "[1]") | {"2-out.json": "1", "3-out.json": "1"})
    (tmp_path / "2-in.json").symlink_to("1-in.json")
    (tmp_path / "3-in.json").symlink_to("/proc/sys/kernel/ostype")  # reports a size of 0
    write_files(tmp_path, {"suite.toml": '[[cases]]\nmatch = "3"\ninput = "raw"'})
    for side in ("in", "out"):  # a name that is not UTF-8
        os.symlink("1-in.json", os.fsencode(tmp_path) + f"/caf\xe9-1-{side}.json".encode("latin-1"))
    assert read(tmp_path, CaseName("", 2)).stdin == b"[1]"
    assert read(tmp_path, CaseName("", 3)).stdin == b"Linux\n"
    assert read(tmp_path, CaseName("caf\udce9", 1)).stdin == b"[1]"


def test_an_input_alone_is_a_case_that_expects_nothing(tmp_path: Path) -> None:
    toml = '[[cases]]\nmatch = "2"\ninput = "raw"\nexit = 1'
    files = {"01-in.json": b"[1]", "2-in.json": b"\xff", "3-in.json": b"[", "4-out.json": b"1"}
    files |= {"5-in.json": b"1", "05-in.json": b"1", "suite.toml": toml.encode()}
    suite = read_suite("s", write_files(tmp_path, files | pair("6")))
    policy = Policy(exit=ExitRange(1, 1))
    assert [read_orphan(suite, CaseName("", number)) for number in range(1, 8)] == [
        Case("s", "1", b"[1]", b"", []),
        Case("s", "2", b"\xff", b"", [], InputKind.RAW, policy=policy),
        *[None] * 5,
    ]


# Inputs without outputs: of suites, and of folders of JSON files.


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
    texts = (read_input(suite, name, at).decode() for at, name in enumerate(suite.names))
    return " ".join(f"{name.text}={text}" for name, text in zip(suite.names, texts))


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
