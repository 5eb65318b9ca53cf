"""What pytest's options come to: targets, and faults of usage."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugged import suite

from harness.pytesting.choosing import Wish, choice_of
from harness.usage import UsageFault

PROJECT = """
[subjects.js]
command = ["node", "prog.js"]
tags = ["fast"]
[subjects.c]
command = ["./prog"]
suites = ["other"]
"""


@pytest.fixture(name="folder", autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pytest is called from, with a suite."""
    suite(tmp_path / "s", "", _1=("1", "1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (
            Wish(("s",)),
            "s: no suite.toml names its program, so say which one to run: --xtest-subject COMMAND",
        ),
        (
            Wish(("s",), ("",)),
            "--xtest-subject: a command or the name of a subject is expected",
        ),
        (Wish(("s",), ("'cat",)), "--xtest-subject 'cat: no closing quotation"),
        (
            Wish(("s",), ("@fast",)),
            "--xtest-subject @fast: there is no xtest.toml, neither here nor in a folder above;"
            " xtest init writes one",
        ),
    ],
)
def test_a_fault_of_usage_says_what_to_do(wish: Wish, message: str) -> None:
    with pytest.raises(UsageFault) as fault:
        choice_of(wish)
    assert str(fault.value) == message


def test_a_word_is_a_subject_of_xtest_toml_or_else_a_command(folder: Path) -> None:
    (folder / "xtest.toml").write_text(PROJECT)
    for words, commands in (
        ((), [("js", ("node", "prog.js"))]),
        (("js",), [("js", ("node", "prog.js"))]),
        (("@fast", "./js -v"), [("js", ("node", "prog.js")), ("./js", ("./js", "-v"))]),
        ((("js",),), [("js", ("js",))]),
    ):
        targets = choice_of(Wish(("s",), words)).targets
        assert [(each.subject.name, each.subject.command) for each in targets] == commands
    with pytest.raises(UsageFault, match="s: by xtest.toml, it is not served by c"):
        choice_of(Wish(("s",), ("c",)))


def test_a_suite_that_cannot_be_used_is_a_problem_once(folder: Path) -> None:
    (folder / "s" / "suite.toml").write_text("exti = 1")
    (folder / "xtest.toml").write_text(PROJECT)
    choice = choice_of(Wish(("s",), ("js", "cat")))
    assert not choice.targets
    assert [problem.where for problem in choice.problems] == ["s"]
