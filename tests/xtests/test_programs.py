"""The programs print what the files in golden/ record; xdraw finds a board and draws it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest
from support.golden import Golden
from support.tables import check_table
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


def _xdraw(game: str, sent: str) -> CompletedProcess[str]:
    words = [sys.executable, "-m", "xtests.xdraw", game]
    return subprocess.run(words, input=sent, capture_output=True, text=True, check=False)


def test_a_board_is_found_in_every_value_of_a_program(golden: Golden) -> None:
    def title(example: tuple[str, str]) -> str:
        game, text = example
        return ElementTree.fromstring(draw(game, parse_one(text)))[0].text or ""

    check_table(golden, __file__, "titles.txt", title)


def test_the_program_prints_the_picture_and_a_line_end() -> None:
    board = '{"board":".........","player":"X"}'
    done = _xdraw("tictactoe", f"{board}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{draw('tictactoe', parse_one(board))}\n"


def test_a_value_without_a_board_is_refused_on_standard_error(golden: Golden) -> None:
    def refusal(example: tuple[str, str]) -> str:
        done = _xdraw(*example)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr

    check_table(golden, __file__, "refusals.txt", refusal)
