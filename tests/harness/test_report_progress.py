"""The line at the foot of a terminal, looked at on a screen while a real run goes on."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from terminals import Terminal, terminal

TOP = Path(__file__).resolve().parent.parent.parent

# Answers when it finds the file `go`: a test decides when a run goes on.
WAITS = """#!/bin/sh
read -r x
[ "$x" = 1 ] || while [ ! -e go ]; do sleep 0.02; done
echo "$x"
"""


@pytest.fixture(name="slow")
def _slow(tmp_path: Path) -> Path:
    """A folder with a suite of four cases, one of them wrong, and a program that waits."""
    (tmp_path / "s").mkdir()
    for number in (1, 2, 3, 4):
        (tmp_path / f"s/{number}-in.json").write_text(f"{number}", encoding="ascii")
        (tmp_path / f"s/{number}-out.json").write_text(f"{max(2, number)}", encoding="ascii")
    program = tmp_path / "p"
    program.write_text(WAITS, encoding="ascii")
    program.chmod(0o755)
    return tmp_path


def xtest(*words: str) -> list[str]:
    """The command, in the checkout."""
    return [sys.executable, "-m", "harness", "run", "s", "-j2", "--wall", "900", *words]


def foot(screen: list[str]) -> str:
    """The last line."""
    return screen[-1] if screen else ""


def test_a_run_that_lasts_says_how_far_it_is_and_what_takes_long(slow: Path) -> None:
    with terminal(xtest("--", "./p"), slow, PYTHONPATH=str(TOP)) as shown:
        lines = shown.await_that(lambda lines: " for 2 s" in foot(lines))
        assert re.fullmatch(
            r"━{2,}─+  1 of 4  (\d+ min|\d+ s) left  1 fell short  s/[23] for 2 s", foot(lines)
        )
        (slow / "go").touch()
        lines = shown.to_the_end()
    assert not [line for line in lines if "━" in line or "left" in line]
    assert re.fullmatch(r"3 of 4 passed in \d+\.\d s: 1 differs", foot(lines))


@pytest.mark.parametrize("columns", [20, 40, 300])
def test_it_fits_on_one_line_however_wide_the_terminal_is(slow: Path, columns: int) -> None:
    with terminal(xtest("-q", "--", "./p"), slow, columns=columns, PYTHONPATH=str(TOP)) as shown:
        lines = shown.await_that(lambda lines: "1 of 4" in foot(lines))
        assert len(lines) == 1
        (slow / "go").touch()
        said = shown.to_the_end()
    assert "".join(said).startswith("3 of 4 passed in")


def test_a_window_that_becomes_narrower_is_left_clean(slow: Path) -> None:
    with terminal(xtest("-q", "--", "./p"), slow, PYTHONPATH=str(TOP)) as shown:
        shown.await_that(lambda lines: "1 of 4" in foot(lines))
        shown.resize(30, 10)
        lines = shown.await_that(lambda lines: 0 < len(foot(lines)) < 30)
        assert foot(lines).lstrip("━─ ").startswith("1 of 4")
        (slow / "go").touch()
        (only, *rest) = shown.to_the_end()
    assert f"{only}{''.join(rest)}".startswith("3 of 4 passed in")


def test_without_letters_for_it_the_bar_is_ascii(slow: Path) -> None:
    with terminal(
        xtest("-q", "--", "./p"), slow, PYTHONPATH=str(TOP), PYTHONIOENCODING="ascii"
    ) as shown:
        lines = shown.await_that(lambda lines: "1 of 4" in foot(lines))
        assert foot(lines).startswith("##")


def interrupted(shown: Terminal) -> list[str]:
    """What stands there after Ctrl-C."""
    shown.await_that(lambda lines: "1 of 4" in foot(lines))
    os.kill(shown.running.pid, signal.SIGINT)
    return shown.to_the_end()


def test_an_interruption_takes_the_line_away(slow: Path) -> None:
    with terminal(xtest("--", "./p"), slow, PYTHONPATH=str(TOP)) as shown:
        lines = interrupted(shown)
    assert foot(lines).startswith("interrupted after 1 run, 0 passed")
    assert not [line for line in lines if "━" in line]


def test_a_dumb_terminal_and_a_pipe_have_none(slow: Path) -> None:
    with terminal(
        xtest("-q", "--case", "1", "--", "sleep", "0.8"), slow, TERM="dumb", PYTHONPATH=str(TOP)
    ) as shown:
        shown.to_the_end()
        assert b"\x1b" not in shown.written
        assert b" of 1  " not in shown.written


def test_several_processes_of_ours_are_watched_alike(slow: Path) -> None:
    for number in range(5, 90):
        (slow / f"s/{number}-in.json").write_text(f"{number}", encoding="ascii")
        (slow / f"s/{number}-out.json").write_text(f"{number}", encoding="ascii")
    (slow / "p").write_text(WAITS.replace("= 1 ]", "!= 77 ]"), encoding="ascii")
    with terminal(xtest("-q", "--", "./p"), slow, PYTHONPATH=str(TOP)) as shown:
        lines = shown.await_that(lambda lines: "s/77 for" in foot(lines))
        assert re.search(r"  88 of 89  .* left  1 fell short  s/77 for \d s", foot(lines))


@pytest.mark.parametrize("columns", [31, 50])
def test_sentences_are_broken_at_spaces_and_commands_are_not(slow: Path, columns: int) -> None:
    (slow / "go").touch()
    with terminal(xtest("--", "./p"), slow, columns=columns, PYTHONPATH=str(TOP)) as shown:
        said = " ".join(shown.to_the_end())
    assert "differs  s/1  1 difference, the first at /0: 2 expected, 1 printed" in said
    assert re.search(r"3 of 4 passed in \d+\.\d s: 1 differs$", said)
    repeat = re.search(rb"repeat.*? (xtest run [^\r\n]*)", shown.written)
    assert repeat is not None
    assert repeat[1] == b"xtest run s --case 1 --wall 900 -- ./p"
