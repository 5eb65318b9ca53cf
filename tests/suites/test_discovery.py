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

from harness.suites.discovery import find_suites, resolve_suites, similar_folder
from harness.suites.loading import CorpusError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a test in a folder of its own."""
    here = write_files(tmp_path / "here", {})
    monkeypatch.chdir(here)
    yield
    subprocess.run(["rm", "-r", str(here)], check=True)  # shutil.rmtree recurses


@pytest.fixture(name="bundled")
def _bundled(tmp_path: Path) -> Path:
    for name in ("xboard", "xtiles", "xadmin/8"):
        write_files(tmp_path / "bundled" / name, pair("1"))
    return tmp_path / "bundled"


def test_a_folder_with_cases_is_a_suite_named_after_it(bundled: Path) -> None:
    write_files(Path("mine"), pair("1"))
    for argument in ("mine", "./mine", "mine/", os.path.abspath("mine"), "../here/mine"):
        assert resolve_suites([argument], bundled) == [
            ("mine", Path(argument), str(Path(argument)))
        ]
    os.chdir("mine")
    assert resolve_suites(["."], bundled) == [("mine", Path("."), ".")]
    assert resolve_suites([".."], bundled) == [("mine", Path("../mine"), "../mine")]


def test_a_folder_without_cases_stands_for_those_below_it(bundled: Path) -> None:
    for name in ("10", "9", "9/inner", "a/b", ".git"):
        write_files(Path("all", name), pair("1"))
    Path("all/empty/deep").mkdir(parents=True)
    found = resolve_suites(["all"], bundled)
    assert [suite.name for suite in found] == ["9", "10", "a/b"]
    assert [suite.folder for suite in found] == [Path("all") / suite.name for suite in found]


def test_links_to_folders_are_followed_once_and_never_upwards(bundled: Path) -> None:
    for folder in ("all/real", "elsewhere/hw1", "elsewhere/more/deep"):
        write_files(Path(folder), pair("1"))
    links = {
        "all/again": "real",
        "all/up": "..",
        "all/hw1": "../elsewhere/hw1",
        "all/more": "../elsewhere/more",
        "short": "all/real",
    }
    for link, target in links.items():
        Path(link).symlink_to(target)
    found = find_suites("all", bundled)
    assert found == [Path("all", name) for name in ("real", "hw1", "more/deep")]
    assert resolve_suites(["short", "all/real"], bundled) == [("real", Path("short"), "short")]


def test_a_link_to_a_folder_that_is_gone_is_found_and_reported(bundled: Path) -> None:
    write_files(Path("all/real"), pair("1"))
    Path("all/hw1").symlink_to("nowhere")
    assert sorted(find_suites("all", bundled)) == [Path("all/hw1"), Path("all/real")]


@pytest.mark.parametrize("file", ["2-in.json.txt", "in-2.json", "suite.toml.txt", "hw.jsonl"])
def test_a_folder_in_which_every_file_is_misnamed_is_found(bundled: Path, file: str) -> None:
    write_files(Path("all"), {"real/1-in.json": "", f"odd/{file}": '{"case": "1"}'})
    assert find_suites("all", bundled) == [Path("all/odd"), Path("all/real")]


def test_a_bundled_suite_is_found_unless_a_folder_has_its_name(bundled: Path) -> None:
    xboard = ("xboard", bundled / "xboard", "xboard")
    for argument in ("xboard", str(bundled / "xboard")):
        assert resolve_suites([argument], bundled)[0].name == "xboard"
    for argument in ("xadmin", "xadmin/8"):
        assert resolve_suites([argument], bundled) == [
            ("xadmin/8", bundled / "xadmin/8", "xadmin/8")
        ]
    assert resolve_suites(["xboard"], bundled) == [xboard]
    write_files(Path("xboard"), pair("1"))
    assert resolve_suites(["xboard"], bundled) == [("xboard", Path("xboard"), "xboard")]


def test_an_argument_that_names_no_suite_has_a_hint(bundled: Path, golden: Golden) -> None:
    write_files(Path(), {"mine.json": "1", "prog": "#!/bin/sh\n", "cases/bad-07-in.json": "1"})
    write_files(Path(), {"packed/cases.jsonl": "", "notes.txt/a": ""})
    Path("prog").chmod(0o755)
    Path("empty/deep").mkdir(parents=True)
    arguments = ["xbord", "ours", "", "no\nwhere", "xboard/../xtiles", "mine.json", "prog"]
    arguments += ["sh", "cases/bad-07-in.json", "case", "empty", "packed/cases.jsonl", "x" * 5_000]
    lines = [message_of(CorpusError, find_suites, argument, bundled) for argument in arguments]
    lines.append(message_of(CorpusError, find_suites, "mine", Path("nowhere").absolute()))
    text = "".join(f"{line}\n" for line in lines)
    golden("no_suite.txt", text.replace("x" * 5_000, "xxx"))


def _nest(name: str, depth: int) -> int:
    """Nest folders of one name and return the innermost as a descriptor."""
    at = os.open(".", os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    return at


def test_a_folder_that_cannot_be_listed_is_reported(bundled: Path) -> None:
    os.close(_nest("d" * 250, 20))  # a path longer than the system takes
    message = message_of(CorpusError, find_suites, os.getcwd(), bundled)
    assert message.startswith(f"{os.getcwd()}/{'d' * 250}/")
    assert message.endswith("d: file name too long")


def test_folders_may_be_nested_beyond_the_recursion_limit(bundled: Path) -> None:
    at = _nest("d", sys.getrecursionlimit())
    for name in pair("1"):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    (suite,) = resolve_suites(["d"], bundled)
    assert str(suite.folder) == "/".join(["d"] * sys.getrecursionlimit())
    assert suite.name == str(suite.folder)[2:]


def names_of(bundled: Path, *arguments: str) -> list[str]:
    return [suite.name for suite in resolve_suites(arguments, bundled)]


@pytest.mark.parametrize("marker", ["xtest.toml", ".git"])
def test_a_suite_has_one_name_however_it_is_spelled(bundled: Path, marker: str) -> None:
    write_files(Path(), {marker: ""})
    write_files(Path("all/s"), pair("1"))
    Path("link").symlink_to("all")
    for argument in ("all", "all/s", "./all/s/", os.path.abspath("all/s"), "link/s", "."):
        assert names_of(bundled, argument) == ["all/s"]
    for folder in ("all", "s"):
        os.chdir(folder)
        for argument in (".", "all/s", "all"):
            assert names_of(bundled, argument) == ["all/s"]


def test_the_nearest_xtest_toml_decides_and_a_repository_only_without_one(bundled: Path) -> None:
    for folder in ("", "sub", "sub/deep"):
        write_files(Path(folder, "s"), pair("1"))
    write_files(Path(), {".git": "", "sub/xtest.toml": "", "sub/deep/.git": ""})
    spelled = ("s", "sub/s", "sub/deep/s")
    assert [names_of(bundled, each) for each in spelled] == [["s"], ["s"], ["deep/s"]]


def test_a_suite_that_declares_its_name_has_it_everywhere(bundled: Path) -> None:
    write_files(Path("all/s"), {**pair("1"), "suite.toml": 'name = "sort/easy"\n'})
    for argument in ("all", "all/s", "sort/easy"):
        assert names_of(bundled, argument) == ["sort/easy"]
    os.chdir("all")
    assert names_of(bundled, "sort/easy") == ["sort/easy"]
    for broken in ("name = 1", 'name = "../s"', "name = ["):
        write_files(Path("s"), {"suite.toml": broken})
        assert names_of(bundled, ".") == ["s"]


def test_the_name_of_a_suite_without_a_project_is_found_below_the_current_folder(
    bundled: Path,
) -> None:
    for name in ("all/a/s", "all/b/s", "all/b/t"):
        write_files(Path(name), pair("1"))
    assert names_of(bundled, "all") == ["a/s", "b/s", "b/t"]
    assert names_of(bundled, "b/s", "t") == ["b/s", "t"]
    with pytest.raises(CorpusError, match=r"^s: several suites \(all/a/s, all/b/s\); name one$"):
        names_of(bundled, "s")


def test_the_most_similar_folder_is_found(golden: Golden) -> None:
    for path in ("suites/account", "suites/transfer", "docs/account-book", ".git/acount"):
        write_files(Path(path), {})
    write_files(Path(), {"suites/acount": "a file"})
    golden.table("suggestions.txt", lambda argument: str(similar_folder(argument)))
    assert similar_folder("x" * 5_000) is None
    assert similar_folder(os.path.abspath("suites/acount/x")) is None
