"""Arguments that name suites: folders, folders of folders, and bundled suites."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.golden import Golden, message_of
from support.suites import pair, write_files
from support.tables import check_table

from harness.suites.discovery import find_suites, resolve_suites, similar_folder
from harness.suites.loading import CorpusError


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    here = write_files(tmp_path / "here", {})
    monkeypatch.chdir(here)
    yield here
    subprocess.run(["rm", "-r", str(here)], check=True)  # shutil.rmtree recurses


@pytest.fixture(name="bundled")
def _bundled(tmp_path: Path) -> Path:
    for name in ("xboard", "xtiles", "xadmin/8"):
        write_files(tmp_path / "bundled" / name, pair("1"))
    return tmp_path / "bundled"


def test_a_folder_with_cases_is_a_suite_named_after_it(
    here: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(here / "mine", pair("1"))
    for argument in ("mine", "./mine", "mine/", str(here / "mine"), "../here/mine"):
        assert resolve_suites([argument], bundled) == [
            ("mine", Path(argument), str(Path(argument)))
        ]
    monkeypatch.chdir(here / "mine")
    assert resolve_suites(["."], bundled) == [("mine", Path("."), ".")]
    assert resolve_suites([".."], bundled) == [("mine", Path("../mine"), "../mine")]


def test_a_folder_without_cases_stands_for_those_below_it(here: Path, bundled: Path) -> None:
    for name in ("10", "9", "9/inner", "a/b", ".git"):
        write_files(here / "all" / name, pair("1"))
    (here / "all" / "empty" / "deep").mkdir(parents=True)
    found = resolve_suites(["all"], bundled)
    assert [suite.name for suite in found] == ["9", "10", "a/b"]
    assert [suite.folder for suite in found] == [Path("all") / suite.name for suite in found]


def test_links_to_folders_are_followed_in_an_argument_but_not_below_it(
    here: Path, bundled: Path
) -> None:
    write_files(here / "all" / "real", pair("1"))
    (here / "all" / "link").symlink_to("real")
    (here / "all" / "up").symlink_to(here)
    (here / "short").symlink_to("all/real")
    assert find_suites("all", bundled) == [Path("all/real")]
    assert resolve_suites(["short", "all"], bundled) == [("real", Path("short"), "short")]


def test_a_bundled_suite_is_found_unless_a_folder_has_its_name(here: Path, bundled: Path) -> None:
    xboard = ("xboard", bundled / "xboard", "xboard")
    for argument in ("xboard", str(bundled / "xboard")):
        assert resolve_suites([argument], bundled)[0].name == "xboard"
    for argument in ("xadmin", "xadmin/8"):
        assert resolve_suites([argument], bundled) == [
            ("xadmin/8", bundled / "xadmin/8", "xadmin/8")
        ]
    assert resolve_suites(["xboard"], bundled) == [xboard]
    write_files(here / "xboard", pair("1"))
    assert resolve_suites(["xboard"], bundled) == [("xboard", Path("xboard"), "xboard")]


def test_an_argument_that_names_no_suite_has_a_hint(
    here: Path, bundled: Path, golden: Golden
) -> None:
    write_files(here, {"mine.json": "1", "prog": "#!/bin/sh\n", "cases/bad-07-in.json": "1"})
    write_files(here, {"packed/cases.jsonl": "", "notes.txt/a": ""})
    (here / "prog").chmod(0o755)
    (here / "empty" / "deep").mkdir(parents=True)
    arguments = ["xbord", "ours", "", "no\nwhere", "xboard/../xtiles", "mine.json", "prog"]
    arguments += ["sh", "cases/bad-07-in.json", "case", "empty", "packed/cases.jsonl", "x" * 5_000]
    lines = [message_of(CorpusError, find_suites, argument, bundled) for argument in arguments]
    lines.append(message_of(CorpusError, find_suites, "mine", here / "nowhere"))
    text = "".join(f"{line}\n" for line in lines)
    golden("no_suite.txt", text.replace("x" * 5_000, "xxx"))


def _nest(top: Path, name: str, depth: int) -> int:
    """Nest folders of one name and return the innermost as a descriptor."""
    at = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    return at


def test_a_folder_that_cannot_be_listed_is_reported(here: Path, bundled: Path) -> None:
    os.close(_nest(here, "d" * 250, 20))  # a path longer than the system takes
    message = message_of(CorpusError, find_suites, str(here), bundled)
    assert message.startswith(f"{here}/{'d' * 250}/")
    assert message.endswith("d: file name too long")


def test_folders_may_be_nested_beyond_the_recursion_limit(here: Path, bundled: Path) -> None:
    at = _nest(here, "d", sys.getrecursionlimit())
    for name in pair("1"):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    (suite,) = resolve_suites(["d"], bundled)
    assert str(suite.folder) == "/".join(["d"] * sys.getrecursionlimit())
    assert suite.name == str(suite.folder)[2:]


def names_of(bundled: Path, *arguments: str) -> list[str]:
    return [suite.name for suite in resolve_suites(arguments, bundled)]


@pytest.mark.parametrize("marker", ["xtest.toml", ".git"])
def test_a_suite_has_one_name_however_it_is_spelled(
    here: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch, marker: str
) -> None:
    write_files(here, {marker: ""})
    write_files(here / "all" / "s", pair("1"))
    (here / "link").symlink_to("all")
    for argument in ("all", "all/s", "./all/s/", str(here / "all" / "s"), "link/s", "."):
        assert names_of(bundled, argument) == ["all/s"]
    for folder in ("all", "all/s"):
        monkeypatch.chdir(here / folder)
        for argument in (".", "all/s", "all"):
            assert names_of(bundled, argument) == ["all/s"]


def test_the_nearest_xtest_toml_decides_and_a_repository_only_without_one(
    here: Path, bundled: Path
) -> None:
    for folder in ("", "sub", "sub/deep"):
        write_files(here / folder / "s", pair("1"))
    write_files(here, {".git": "", "sub/xtest.toml": "", "sub/deep/.git": ""})
    spelled = ("s", "sub/s", "sub/deep/s")
    assert [names_of(bundled, each) for each in spelled] == [["s"], ["s"], ["deep/s"]]


def test_a_suite_that_declares_its_name_has_it_everywhere(
    here: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(here / "all" / "s", {**pair("1"), "suite.toml": 'name = "sort/easy"\n'})
    for argument in ("all", "all/s", "sort/easy"):
        assert names_of(bundled, argument) == ["sort/easy"]
    monkeypatch.chdir(here / "all")
    assert names_of(bundled, "sort/easy") == ["sort/easy"]
    for broken in ("name = 1", 'name = "../s"', "name = ["):
        write_files(here / "all" / "s", {"suite.toml": broken})
        assert names_of(bundled, ".") == ["s"]


def test_the_name_of_a_suite_without_a_project_is_found_below_the_current_folder(
    here: Path, bundled: Path
) -> None:
    for name in ("all/a/s", "all/b/s", "all/b/t"):
        write_files(here / name, pair("1"))
    assert names_of(bundled, "all") == ["a/s", "b/s", "b/t"]
    assert names_of(bundled, "b/s", "t") == ["b/s", "t"]
    with pytest.raises(CorpusError, match=r"^s: several suites \(all/a/s, all/b/s\); name one$"):
        names_of(bundled, "s")


def test_the_most_similar_folder_is_found(here: Path, golden: Golden) -> None:
    for path in ("suites/account", "suites/transfer", "docs/account-book", ".git/acount"):
        write_files(here / path, {})
    write_files(here, {"suites/acount": "a file"})
    check_table(golden, __file__, "suggestions.txt", lambda argument: str(similar_folder(argument)))
    assert similar_folder("x" * 5_000) is None
    assert similar_folder(str(here / "suites" / "acount" / "x")) is None
