"""Arguments that name suites: folders, folders of folders, and bundled suites."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.folders import pair, write_files
from support.golden import Golden

from harness.suites.discovery import find_all, find_suites
from harness.suites.loading import CorpusError


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


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
        assert find_suites(argument, bundled) == [("mine", Path(argument))]
    monkeypatch.chdir(here / "mine")
    assert find_suites(".", bundled) == [("mine", Path("."))]
    assert find_suites("..", bundled) == [("here/mine", Path("../mine"))]


def test_a_folder_without_cases_stands_for_those_below_it(here: Path, bundled: Path) -> None:
    for name in ("10", "9", "9/inner", "a/b", ".git"):
        write_files(here / "all" / name, pair("1"))
    (here / "all" / "empty" / "deep").mkdir(parents=True)
    found = find_suites("all", bundled)
    assert [name for name, _ in found] == ["all/9", "all/10", "all/a/b"]
    assert [folder for _, folder in found] == [Path(name) for name, _ in found]


def test_links_to_folders_are_followed_in_an_argument_but_not_below_it(
    here: Path, bundled: Path
) -> None:
    write_files(here / "all" / "real", pair("1"))
    (here / "all" / "link").symlink_to("real")
    (here / "all" / "up").symlink_to(here)
    (here / "short").symlink_to("all/real")
    assert [name for name, _ in find_suites("all", bundled)] == ["all/real"]
    assert find_suites("short", bundled) == [("short", Path("short"))]


def test_a_bundled_suite_is_found_unless_a_folder_has_its_name(here: Path, bundled: Path) -> None:
    assert find_suites("xboard", bundled) == [("xboard", bundled / "xboard")]
    for argument in ("xadmin", "xadmin/8"):
        assert find_suites(argument, bundled) == [("xadmin/8", bundled / "xadmin/8")]
    write_files(here / "xboard", pair("1"))
    assert find_suites("xboard", bundled) == [("xboard", Path("xboard"))]


def test_an_argument_that_names_no_suite_has_a_hint(
    here: Path, bundled: Path, golden: Golden
) -> None:
    write_files(here, {"mine.json": "1", "prog": "#!/bin/sh\n", "cases/bad-07-in.json": "1"})
    write_files(here, {"packed/cases.jsonl": "", "notes.txt/a": ""})
    (here / "prog").chmod(0o755)
    (here / "empty" / "deep").mkdir(parents=True)
    arguments = ["xbord", "ours", "", "no\nwhere", "xboard/../xtiles", "mine.json", "prog"]
    arguments += ["sh", "cases/bad-07-in.json", "case", "empty", "packed/cases.jsonl", "x" * 5_000]
    lines = []
    for argument in arguments:
        with pytest.raises(CorpusError) as caught:
            find_suites(argument, bundled)
        lines.append(str(caught.value).replace("x" * 5_000, "xxx"))
    with pytest.raises(CorpusError) as caught:
        find_suites("mine", here / "nowhere")
    golden("no_suite.txt", "".join(f"{line}\n" for line in (*lines, caught.value)))


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
    with pytest.raises(CorpusError) as caught:
        find_suites(str(here), bundled)
    shutil.rmtree(here / ("d" * 250))
    assert str(caught.value).startswith(f"{here}/{'d' * 250}/")
    assert str(caught.value).endswith("d: file name too long")


@pytest.fixture(name="steps")
def _steps(here: Path) -> Iterator[list[str]]:
    steps = ["d"] * 1_100  # more than Python's recursion limit
    at = _nest(here, "d", len(steps))
    for name in pair("1"):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    yield steps
    for name in pair("1"):  # shutil.rmtree recurses
        os.unlink("/".join((*steps, name)))
    for depth in range(len(steps), 0, -1):
        os.rmdir("/".join(steps[:depth]))


def test_folders_may_be_nested_beyond_the_recursion_limit(steps: list[str], bundled: Path) -> None:
    ((name, folder),) = find_suites("d", bundled)
    assert name == str(folder) == "/".join(steps)


def test_suites_of_one_name_get_longer_paths_until_they_differ(here: Path, bundled: Path) -> None:
    for name in ("a/x/xboard", "b/x/xboard", "b/y"):
        write_files(here / name, pair("1"))
    found = find_all(["a/x/xboard", "b", "xboard"], bundled)
    assert [suite.name for suite in found] == ["x/xboard", "b/x/xboard", "b/y", "bundled/xboard"]
    assert [suite.argument for suite in found] == ["a/x/xboard", "b/x/xboard", "b/y", "xboard"]
