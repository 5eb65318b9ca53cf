"""The generated reference has all of --help and every member of the schemas, with its type."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from site_commands import MORE, command_line_page
from site_schemas import events_section, type_words
from support.golden import Golden
from support.xtest import TOP, Xtest

HEADINGS = {"Usage", "Options", "Commands"}  # of the help, not in the page


def help_of(*words: str) -> str:
    """Return the help of a command, from a real process."""
    return Xtest(TOP, Path(os.devnull))(*words, "--help").stdout


@pytest.fixture(scope="module", name="names")
def _names() -> list[str]:
    """Return the commands, in the order of the help."""
    return re.findall(r"^  ([a-z]+) ", help_of().partition("--help")[2], re.MULTILINE)


def test_the_page_has_every_word_of_the_help_of_every_command(names: list[str]) -> None:
    text = unescape(re.sub("<[^>]+>", "", command_line_page()))
    parts = re.split(r"^## xtest (\w+)\n", text, flags=re.MULTILINE)
    assert parts[1::2] == names
    for name, section in zip(names, parts[2::2], strict=True):
        shown = set(re.findall(r"[\w'-]+", section))
        text = re.sub(r"^\w.*:$|(?<=\w-)\n *", "", help_of(name), flags=re.MULTILINE)
        words = re.findall(r"[\w'-]+", text)
        assert {word for word in words if len(word) > 1} - shown <= HEADINGS, name


def test_every_command_has_a_page_and_exit_statuses(names: list[str]) -> None:
    assert sorted(MORE) == sorted(names)
    for page in MORE.values():
        assert (TOP / "docs" / "reference" / page).is_file(), page
    statuses = (TOP / "docs" / "reference" / "exit-statuses.md").read_text(encoding="utf-8")
    cells = " ".join(re.findall(r"^\| (`xtest [^|]*)\|", statuses, re.MULTILINE))
    assert sorted(re.findall(r"`(?:xtest )?(\w+)`", cells)) == sorted(names)


def members_of(schema: object) -> Iterator[str]:
    """Yield the names of all members anywhere in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from members_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from members_of(inner)


def test_the_section_on_events_has_every_member_of_the_schema() -> None:
    path = TOP / "schemas" / "results.schema.json"
    shown = set(re.findall(r"<code>([^<]+)</code>", unescape(events_section())))
    assert set(members_of(json.loads(path.read_text(encoding="utf-8")))) - shown == set()


def test_a_type_is_described_in_words(golden: Golden) -> None:
    root = {"$defs": {"part": {"type": "object", "properties": {"a": {}}}}}
    golden.table("types.txt", lambda schema: type_words(schema, root))
