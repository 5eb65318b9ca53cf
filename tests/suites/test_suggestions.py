"""Folders similar to one that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.suites.suggestions import similar_folder


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in ("suites/account", "suites/transfer", "docs/account-book", ".git/acount"):
        (tmp_path / "here" / path).mkdir(parents=True)
    (tmp_path / "here" / "suites" / "acount").write_text("a file", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("argument", "similar"),
    [
        ("suites/acount", "suites/account"),
        ("suites/acount/", "suites/account"),
        ("./suites/acount", "suites/account"),
        ("account", "suites/account"),
        ("acount", "suites/account"),
        ("suits/account", "suites/account"),
        ("suits/acount", "suites/account"),
        ("suit", "suites"),
        ("tests/transfer", "suites/transfer"),
        ("../her", "../here"),
        ("../nowhere", None),
        ("nowhere/at/all", None),
        ("tiles", None),
        ("", None),
        (".", None),
        ("\0", None),
        ("x" * 5_000, None),
    ],
)
def test_the_most_similar_folder_is_found(argument: str, similar: str | None) -> None:
    assert similar_folder(argument) == similar


def test_a_folder_that_cannot_be_listed_suggests_nothing(here: Path) -> None:
    assert similar_folder(str(here / "suites" / "acount" / "x")) is None
