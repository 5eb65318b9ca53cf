"""Completion in the real shells, with their keys pressed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support.debian import need
from support.suites import pair, write_files, write_program
from support.terminals import terminal
from support.xtest import Xtest, write_launchers

# What is typed, and what it becomes.
LINES = [
    ("xtest repo\t", "xtest report"),
    ("xtest run al\t", "xtest run alpha"),
    ("xtest run xtic\t", "xtest run xtictactoe"),
    ("xtest run alpha --case b\t", "xtest run alpha --case bad-12"),
    ("xtest run be\t", "xtest run beach\\ house"),
    ("xtest run beach\\ house --tag e\t", "xtest run beach\\ house --tag errors"),
    ("xtest run --report ju\t", "xtest run --report junit="),
    ("xtest run --report html=res\t", "xtest run --report html=results.jsonl"),
    ("xtest run cov\t", "xtest run cove"),
    ("xtest run --deliver cut,sl\t", "xtest run --deliver cut,slow"),
    ("xtest run --results res\t", "xtest run --results results.jsonl"),
    ("xtest run alpha -- ./pr\t", "xtest run alpha -- ./prog.sh"),
    ("xtest run alpha -- cat res\t", "xtest run alpha -- cat results.jsonl"),
    ("xtest compare mine -- al\t", "xtest compare mine -- alpha"),
    ("xtest run beach\\ house --tag s\t", "xtest run beach\\ house --tag slow\\ cases"),
]


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A folder with two suites, a project file, and an xtest in the folder .bin."""
    cases = pair("1") | pair("bad-12")
    settings = 'title = "By the sea"\n[[cases]]\nmatch = "bad-*"\ntags = ["errors", "slow cases"]\n'
    write_files(tmp_path / "alpha", cases)
    write_files(tmp_path / "beach house", {**cases, "suite.toml": settings})
    write_files(tmp_path / "by" / "cove", cases)
    config = 'suites = ["alpha", "by"]\n[subjects.mine]\ncommand = ["./prog.sh"]\n'
    write_files(tmp_path, {"xtest.toml": config, "results.jsonl": ""})
    write_program(tmp_path / "prog.sh", "exec cat")
    write_launchers(tmp_path / ".bin")
    return tmp_path


def type_into(shell: list[str], start: str, project: Path) -> list[tuple[str, str]]:
    """Return the lines, and what became of each on the screen."""
    found = []
    path = f"{project / '.bin'}:{os.environ['PATH']}"
    with terminal(shell, project, columns=200, PATH=path, HOME=str(project)) as shown:
        shown.type(f"{start}; echo rea''dy\n")
        # The terminal itself would echo what is typed before the prompt.
        shown.await_that(lambda lines: lines[-2:] == ["ready", ">"])
        for line, _ in LINES:
            # The mark # appears when the shell has completed; ^U deletes the line.
            shown.type(f"{line}#")
            (last,) = shown.await_that(lambda lines: lines[-1].endswith("#"))[-1:]
            found.append((line, re.sub(r"^\S* ?> ", "", last).rstrip("# ").rstrip("/")))
            shown.type("\x15")
            shown.await_that(lambda lines: lines[-1:] == [">"])
    return found


def test_bash_completes(project: Path) -> None:
    bash = ["bash", "--norc", "--noprofile", "-i"]
    start = "PS1='> '; bind 'set bell-style none'; source <(xtest completion bash)"
    assert type_into(bash, start, project) == LINES


@pytest.mark.system
def test_zsh_completes(project: Path) -> None:
    zsh = [need("zsh"), "-f", "-i"]
    start = "PS1='> '; autoload -U compinit; compinit -u -D; source <(xtest completion zsh)"
    assert type_into(zsh, start, project) == LINES


@pytest.mark.system
def test_fish_completes(xtest: Xtest, project: Path) -> None:
    fish = (need("fish"), "--no-config", "-c")
    script = "xtest completion fish | source; complete -C $argv[1]"
    path = f"{project / '.bin'}:{xtest.environment()['PATH']}"
    # click's script for fish completes no file after an "=".
    for line, expected in (each for each in LINES if not re.search("=.", each[1])):
        done = xtest.run(*fish, script, line.rstrip("\t"), HOME=str(project), PATH=path)
        offered = {answer.partition("\t")[0].rstrip("/") for answer in done.stdout.splitlines()}
        last = re.split(r"(?<!\\) ", expected)[-1].replace("\\ ", " ")
        assert last in offered, line
