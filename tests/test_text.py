"""Texts in words, made visible, and cut to size."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.golden import Golden

from harness import text as text_module
from harness.text import (
    cells,
    escape_nonprintable,
    first_bytes,
    last_bytes,
    shell_line,
    truncate,
    truncate_to_width,
)


def test_the_functions_of_texts(golden: Golden) -> None:
    def result(example: tuple[Any, ...]) -> str:
        name, *arguments = example
        found = getattr(text_module, name)(*arguments)
        if isinstance(found, bytes):
            return found.decode("utf-8", "backslashreplace")
        # With doubled backslashes, so that a missing escape shows.
        return ascii(found)[1:-1] if isinstance(found, str) else " | ".join(found)

    golden.table("text.txt", result)


def test_the_first_bytes_may_end_inside_a_character_that_goes_on() -> None:
    assert first_bytes("aé棋".encode()[:5], 99, has_more=True) == "aé".encode()


@given(st.text())
def test_an_escaped_text_is_one_printable_line_and_stays_unchanged(text: str) -> None:
    shown = escape_nonprintable(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert escape_nonprintable(shown) == shown


@given(st.text(), st.integers(0, 80))
def test_a_cut_text_is_never_longer_than_its_width(text: str, width: int) -> None:
    assert len(truncate(text, width)) <= min(len(text), width)
    shown = truncate_to_width(text, width)
    assert len(shown) <= min(len(text), width)
    assert cells(shown) <= min(cells(text), width)
    assert len(truncate(text, width, "3 bytes")) <= width


@given(st.binary(max_size=12), st.integers(0, 12))
def test_bytes_that_are_not_utf_8_lose_at_most_three(data: bytes, most: int) -> None:
    for kept, whole in ((first_bytes(data, most), data[:most]), (last_bytes(data, most), data)):
        assert kept in whole
        assert min(len(data), most) - 3 <= len(kept) <= most
    assert data.startswith(first_bytes(data, most))
    assert data.endswith(last_bytes(data, most))


@given(st.text(max_size=12), st.integers(0, 40))
def test_bytes_that_are_utf_8_stay_so_when_cut(text: str, most: int) -> None:
    data = text.encode("utf-8", "replace")
    first_bytes(data, most).decode()
    last_bytes(data, most).decode()


@pytest.mark.system
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
@settings(max_examples=20)
def test_bash_reads_a_shell_line_as_the_words_that_it_came_from(words: list[str]) -> None:
    line = shell_line(("printf", "%s\\0", *words))
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    expected = "".join(f"{word}\0" for word in words or [""])
    assert done.stdout == expected.encode()
