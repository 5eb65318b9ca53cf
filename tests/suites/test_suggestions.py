"""Folders similar to one that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import Golden
from support.tables import check_table

from harness.suites.discovery import similar_folder


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in ("suites/account", "suites/transfer", "docs/account-book", ".git/acount"):
        (tmp_path / "here" / path).mkdir(parents=True)
    (tmp_path / "here" / "suites" / "acount").write_text("a file", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.usefixtures("here")
def test_the_most_similar_folder_is_found(golden: Golden) -> None:
    check_table(golden, __file__, "suggestions.txt", lambda argument: str(similar_folder(argument)))
    assert similar_folder("x" * 5_000) is None


def test_a_folder_that_cannot_be_listed_suggests_nothing(here: Path) -> None:
    assert similar_folder(str(here / "suites" / "acount" / "x")) is None
