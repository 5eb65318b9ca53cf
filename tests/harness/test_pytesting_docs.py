"""The example of docs/pytest.md, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from plugged import plugged

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytest.md"
pytest_plugins = ["pytester"]


@pytest.fixture(name="blocks")
def _blocks(pytester: pytest.Pytester) -> list[str]:
    """The blocks of the page, in order, after its program and its suite were written."""
    found: list[str] = re.findall(
        r"^```\w*\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    (pytester.path / "add.py").write_text(found[1])
    folder = pytester.path / "sums"
    folder.mkdir()
    (folder / "suite.toml").write_text(found[2])
    for case, (given, expected) in enumerate((("[1, 2]", "3"), ("[]", "0"), ("[5, -2]", "3")), 1):
        assert f"`{case}-in.json` has `{given}`" in PAGE.read_text()
        (folder / f"{case}-in.json").write_text(f"{given}\n")
        (folder / f"{case}-out.json").write_text(f"{expected}\n")
    return found


def test_the_example_prints_what_the_page_says(
    pytester: pytest.Pytester, blocks: list[str]
) -> None:
    words = ("--xtest-suite", "sums", "--xtest-subject", "python3 add.py")
    result = plugged(pytester, *words)
    begin = next(at for at, line in enumerate(result.outlines) if line.startswith("collected"))
    printed = "\n".join(result.outlines[begin:])
    assert _without_times(printed) == _without_times(blocks[3].rstrip("\n"))
    plugged(pytester, *words, "-m", "not negative").assert_outcomes(passed=2, deselected=1)


def test_the_tests_of_the_page_pass(pytester: pytest.Pytester, blocks: list[str]) -> None:
    (pytester.path / "test_sums.py").write_text(blocks[4])
    result = plugged(pytester, "--xtest-subject", "python3 add.py")
    result.assert_outcomes(passed=3)


def _without_times(text: str) -> str:
    """The same without what is never the same; the last line is filled up around it."""
    lines = [line.strip("= ") if " in " in line else line for line in text.splitlines()]
    return re.sub(r"[0-9]+\.[0-9]+ ?s\b", "", "\n".join(lines))
