"""The programs print what the files in golden/ record; xdraw finds a board and draws it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.golden import Golden
from support.wire import PROGRAMS, parse_one, print_lines

from xtests.xdraw import draw


@pytest.mark.parametrize("program", PROGRAMS)
def test_answers_and_error_messages(program: str, golden: Golden) -> None:
    name = f"{program}.txt"
    recorded = (Path(__file__).parent / "golden" / name).read_text(encoding="utf-8")
    golden(name, _replay(program, recorded))


def _replay(program: str, recorded: str) -> str:
    """Return the comments and inputs of a record, each input with the lines now printed for it."""
    lines: list[str] = []
    for line in recorded.splitlines():
        if line.startswith("> "):
            lines += [line, *print_lines(program, line.removeprefix("> "))]
        elif not line or line.startswith("#"):
            lines.append(line)
    return "\n".join([*lines, ""])


def test_a_board_is_found_in_every_value_of_a_program(golden: Golden) -> None:
    def title(example: tuple[str, str]) -> str:
        game, text = example
        return ElementTree.fromstring(draw(game, parse_one(text)))[0].text or ""

    golden.table("titles.txt", title)
