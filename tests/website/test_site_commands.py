"""The page of the command line has what --help says, and leads to pages that are there."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape

from consoles import TOP
from site_commands import MORE, command_line_page


def help_of(*words: str) -> str:
    """What a command says of itself, as a real process."""
    command = [sys.executable, "-m", "harness", *words, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def names() -> list[str]:
    """The commands, in the order of the help."""
    listed = help_of().partition("Commands:\n")[2]
    return re.findall(r"^  (\w+)", listed, re.MULTILINE)


def chapters() -> dict[str, str]:
    """The page's chapters by command, as text."""
    text = unescape(re.sub("<[^>]+>", "", command_line_page()))
    parts = re.split(r"^## xtest (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_has_its_chapter_in_the_order_of_the_help() -> None:
    assert list(chapters()) == names()


def test_a_chapter_has_every_option_and_every_word_of_the_help() -> None:
    for name, chapter in chapters().items():
        shown = set(re.findall(r"[\w'-]+", chapter))
        said = re.findall(r"[\w'-]+", help_of(name).replace("-\n", "-"))
        assert {word for word in said if len(word) > 1} - shown <= {"Usage", "Options"}, name


def test_each_command_has_a_page_that_tells_more() -> None:
    assert sorted(MORE) == sorted(names())
    for page in MORE.values():
        assert (TOP / "docs" / "reference" / page).is_file(), page


def test_the_statuses_of_each_command_are_told() -> None:
    page = (TOP / "docs" / "reference" / "exit-statuses.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `xtest (\w+)`", page, re.MULTILINE)) == sorted(names())
