"""Suites and subjects of an ini file and of an xtest.toml, in pytest."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugged import cases, plugged, suite

pytest_plugins = ["pytester"]

INI = """
[pytest]
testpaths = tests
xtest_suites =
    suites
xtest_subject =
    sh prog.sh
"""
PROJECT = """
[subjects.yes]
command = ["sh", "./prog.sh", "$"]
environment = { NOTE = "6" }
folder = "impl"
build = ["sh", "-c", "printf 'cat; printf %s $NOTE' > prog.sh; echo built >> log"]
limits = { wall_s = 5 }

[subjects.no]
command = ["cat"]
build = ["false"]
tags = ["broken"]
"""


@pytest.fixture(name="folder")
def _folder(pytester: pytest.Pytester) -> Path:
    """A project: an ini file, a program, a suite and a test."""
    pytester.makeini(INI)
    (pytester.path / "prog.sh").write_text("exec cat\n")
    suite(pytester.path / "suites" / "a", "", _1=("1", "1"), _2=("1", "2"))
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "test_own.py").write_text("def test_own():\n    pass\n")
    return pytester.path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ([], ["tests/test_own.py::test_own", "suites/a::1", "suites/a::2"]),
        (["tests/test_own.py"], ["tests/test_own.py::test_own"]),
        (["suites"], ["suites/a::1", "suites/a::2"]),
        (["suites/a::2"], ["suites/a::2"]),
        (["--xtest-suite", "suites/a", "tests", "-k", "1"], ["a::1"]),
    ],
)
def test_suites_of_an_ini_file_are_collected_unless_arguments_mean_something_else(
    pytester: pytest.Pytester, words: list[str], ids: list[str]
) -> None:
    assert cases(plugged(pytester, "--co", "-q", *words)) == ids


def test_a_command_of_an_ini_file_runs_in_its_folder(
    pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "tests")
    result = plugged(pytester, "../suites/a::2", "../suites/a::1")
    result.assert_outcomes(passed=1, failed=1)
    repeat = f"env -C {folder} xtest run {folder}/suites/a --case 2 -- sh prog.sh"
    assert repeat in result.outlines


def test_subjects_of_xtest_toml_are_built_once_and_run_where_it_says(
    pytester: pytest.Pytester, folder: Path
) -> None:
    (folder / "tox.ini").unlink()
    (folder / "xtest.toml").write_text(PROJECT)
    (folder / "impl").mkdir()
    suite(folder / "b", "", _1=("1", "16"))
    chosen = plugged(pytester, "--xtest-suite", "b", "--xtest-subject", "y*", "-v", "b::1")
    chosen.assert_outcomes(passed=1)
    both = plugged(pytester, "--xtest-suite", "b", "b::1", "-v", "-n", "2")
    both.assert_outcomes(passed=1, failed=1)
    both.stdout.fnmatch_lines(
        [
            f"not-started  b/1  its build failed: false, in {folder}: exit status 1",
            "xtest run b --case 1 --subject no",
        ]
    )
    listed = plugged(
        pytester, "--xtest-suite", "b", "--xtest-subject=@broken", "--co", "-q", "b::1"
    )
    assert cases(listed) == ["b::1"]
    assert (folder / "impl" / "log").read_text() == "built\nbuilt\n"
