"""README.md, the pages and tests/promises.md: their links, numbers and names are right.

Their consoles are run by website/test_consoles.py.
"""

from __future__ import annotations

import re

import pytest
from support.xtest import TOP

README = (TOP / "README.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (.+) \| (.+) \| `(tests/[^`]+)` \|$")


def test_ci_runs_the_second_command_as_it_stands() -> None:
    shown = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    commands = [command.rsplit("&& ", 1)[1] for command in shown]
    assert commands == ["pip install .", ".venv/bin/tox -p"]
    assert shown[1] in (TOP / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_readme_counts_the_bundled_cases() -> None:
    inputs = list((TOP / "test_cases").rglob("*-in.json"))
    assert len({file.parent for file in inputs}) == 9
    assert f"{len(inputs):,} cases in nine suites" in README


def test_the_documentation_has_at_most_40_pages_and_40_000_words() -> None:
    pages = list(TOP.glob("docs/**/*.md"))
    assert len(pages) <= 40
    # As `wc -w` counts: bars of tables and braces of code are words, too.
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 40_000


def test_every_page_that_the_readme_links_to_exists() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(linked) > 10
    assert [name for name in linked if not (TOP / name).is_file()] == []


def test_pictures_of_the_readme_and_the_pages_exist_and_are_described() -> None:
    for page in (TOP / "README.md", *TOP.glob("docs/**/*.md")):
        text = page.read_text(encoding="utf-8")
        for source, described in re.findall(r'<img src="([^"]+)"[^>]* alt="([^"]+)"', text):
            assert (page.parent / source).is_file(), f"{page}: {source}"
            assert len(described) > 30, f"{page}: {source}"


def _promises() -> list[str]:
    page = (TOP / "tests" / "promises.md").read_text(encoding="utf-8")
    tables = page.split("| promise | mechanism | test |\n")[1:]
    return [row for table in tables for row in table.split("\n\n")[0].splitlines()[1:]]


@pytest.mark.parametrize("row", _promises())
def test_a_promise_names_its_test(row: str) -> None:
    match = _ROW.fullmatch(row)
    assert match is not None
    file, _, name = match[3].partition("::")
    text = (TOP / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text
