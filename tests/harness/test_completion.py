"""Completion: what xtest says may stand next, and the real shells, with their keys pressed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from debian import need
from terminals import terminal

from harness.commands import group
from harness.eventlines import event_line
from harness.events import Basis, RunStarted

TOP = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A folder with two suites, a project file, and an xtest on a PATH of its own."""
    for name in ("alpha", "beach house"):
        suite = tmp_path / name
        suite.mkdir()
        for case in ("1", "bad-12"):
            (suite / f"{case}-in.json").write_text("1", encoding="ascii")
            (suite / f"{case}-out.json").write_text("1", encoding="ascii")
    (tmp_path / "beach house/suite.toml").write_text(
        'title = "By the sea"\n[[cases]]\nmatch = "bad-*"\ntags = ["errors"]\n', encoding="ascii"
    )
    (tmp_path / "xtest.toml").write_text(
        'suites = ["alpha"]\n[subjects.mine]\ncommand = ["./prog.sh"]\nlanguage = "sh"\n'
        'tags = ["fast"]\n[subjects.yours]\ncommand = ["cat"]\n',
        encoding="ascii",
    )
    (tmp_path / "prog.sh").write_text("#!/bin/sh\nexec cat\n", encoding="ascii")
    begun = RunStarted("0.1.0", "", ("alpha",), 1, 1, (Basis("alpha", "mine", "k"),))
    (tmp_path / "results.jsonl").write_text(event_line(begun), encoding="ascii")
    scripts = tmp_path / ".bin"
    scripts.mkdir()
    (scripts / "xtest").write_text(
        f'#!/bin/sh\nPYTHONPATH={TOP} exec {sys.executable} -m harness "$@"\n', encoding="utf-8"
    )
    for program in (tmp_path / "prog.sh", scripts / "xtest"):
        program.chmod(0o755)
    return tmp_path


def xtest(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """One run of xtest there."""
    return subprocess.run(
        [project / ".bin/xtest", *words], cwd=project, capture_output=True, text=True, check=False
    )


def candidates(project: Path, *words: str) -> list[str]:
    """What the last of these words may become, without what is said of it."""
    done = xtest(project, "completion", "words", "--", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return [
        text if kind == "plain" else f"<{kind}>{text}"
        for kind, text, _ in (line.split("\t") for line in done.stdout.splitlines())
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["re"], ["report"]),
        (["--fai"], ["--failed", "--fail-fast"]),
        (["--he"], ["--help"]),
        (["run", "xti"], ["<dir>", "xtictactoe", "xtiles"]),
        (["run", "a"], ["<dir>", "alpha"]),
        (["run", "alpha", "--case", ""], ["1", "bad-12"]),
        (["-q", "--case", "b"], ["bad-12"]),
        (["run", "beach house", "--tag", ""], ["errors"]),
        (["run", "beach house", "--tag", "!"], ["!errors"]),
        (["run", "no such", "--case", ""], []),
        (["run", "--subject", ""], ["mine", "yours"]),
        (["matrix", "--subject=@"], ["--subject=@fast"]),
        (["run", "--deliver", "al"], ["all"]),
        (["run", "--deliver", "cut,c"], ["cut,compact", "cut,crlf"]),
        (["run", "--report", "jun"], ["junit="]),
        (["run", "--report", "junit=x"], ["<file>junit="]),
        (["run", "--report=junit=x"], ["<file>--report=junit="]),
        (["report", "results.jsonl", "--to", "ta"], ["tap", "tap="]),
        (["report", "results.jsonl", "--subject", "m"], ["mine"]),
        (["report", "results.jsonl", "no.jsonl", "--suite="], ["--suite=alpha"]),
        (["run", "--results", "re"], ["<file>"]),
        (["compare", "m"], ["<file>", "mine"]),
        (["unpack", "zz"], ["<file>", "<dir>"]),
        (["lint", "--ignore", "orp"], ["orphan"]),
        (["matrix", "--format", "mark"], ["markdown"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["run", "--bogus", "xti"], ["<dir>", "xtictactoe", "xtiles"]),
        (["run", "alpha", "beach house", "--tag=e"], ["--tag=errors"]),
    ],
)
def test_what_may_stand_next(project: Path, words: list[str], expected: list[str]) -> None:
    assert candidates(project, *words) == expected


def test_what_is_said_of_a_candidate_comes_with_it(project: Path) -> None:
    done = xtest(project, "completion", "words", "--", "run", "--subject", "m")
    assert done.stdout == "plain\tmine\tsh\n"


def test_a_broken_project_keeps_nobody_from_completing(project: Path) -> None:
    (project / "xtest.toml").write_text("nonsense", encoding="ascii")
    assert candidates(project, "run", "--subject", "") == []
    assert "xtiles" in candidates(project, "run", "xt")


def test_a_name_that_no_line_can_hold_is_passed_over(project: Path) -> None:
    for side in ("in", "out"):
        (project / f"alpha/a\nb-7-{side}.json").write_text("1", encoding="ascii")
    assert candidates(project, "run", "alpha", "--case", "") == ["1", "bad-12"]


def test_the_commands_that_are_completed_are_those_that_there_are(project: Path) -> None:
    context = click.Context(group)
    assert candidates(project, "") == group.list_commands(context)


# What a person has to think of.
FREE = {
    *("jobs", "max_failures", "prefix", "repeat", "shard", "wall", "limit", "exit_status"),
    *("layout", "form", "shape", "shell"),  # closed choices, which click completes
}


def test_each_value_is_completed_or_has_to_be_thought_of(project: Path) -> None:
    context = click.Context(group, resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
                continue
            known = type(parameter.type).__name__ == "_Chosen" or parameter.name in FREE
            assert known, f"{name}: {parameter.name}"
    assert project.exists()


def test_click_is_asked_by_its_own_variable_and_nothing_is_run(project: Path) -> None:
    asked = {**os.environ, "_XTEST_COMPLETE": "bash_source"}
    done = subprocess.run(
        [project / ".bin/xtest"], env=asked, cwd=project, capture_output=True, text=True, check=True
    )
    assert "_XTEST_COMPLETE=bash_complete" in done.stdout


def test_faults_of_usage_are_told(project: Path) -> None:
    done = xtest(project, "completion", "tcsh")
    assert done.returncode == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
    done = xtest(project, "completion", "bash", "--", "cat")
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: completion takes no command behind --\n",
    )


# The shells. A line is typed, with keys of tabulation, and the screen is read.

LINES = [
    ("xtest repo\t", "xtest report"),
    ("xtest run al\t", "xtest run alpha"),
    ("xtest run xtic\t", "xtest run xtictactoe"),
    ("xtest run alpha --case b\t", "xtest run alpha --case bad-12"),
    ("xtest run be\t", "xtest run beach\\ house"),
    ("xtest run beach\\ house --tag e\t", "xtest run beach\\ house --tag errors"),
    ("xtest run --report=ju\t", "xtest run --report=junit="),
    ("xtest run --report junit=res\t", "xtest run --report junit=results.jsonl"),
    ("xtest run --deliver=cut,sl\t", "xtest run --deliver=cut,slow"),
    ("xtest run --results res\t", "xtest run --results results.jsonl"),
    ("xtest run alpha -- ./pr\t", "xtest run alpha -- ./prog.sh"),
    ("xtest run alpha -- cat res\t", "xtest run alpha -- cat results.jsonl"),
    ("xtest compare mine -- res\t", "xtest compare mine -- results.jsonl"),
]


def typed_into(shell: list[str], start: str, project: Path) -> list[tuple[str, str]]:
    """The lines, and what became of each on the screen."""
    found = []
    folder = f"{project / '.bin'}:{os.environ['PATH']}"
    with terminal(shell, project, columns=200, PATH=folder, HOME=str(project)) as shown:
        shown.type(f"{start}; echo rea''dy\n")
        # What is typed before a prompt stands there the terminal would show itself.
        shown.await_that(lambda lines: lines[-2:] == ["ready", ">"])
        for line, _ in LINES:
            # ^U takes away what was typed; the mark comes when the shell has done its part.
            shown.type(f"{line}#")
            (last,) = shown.await_that(lambda lines: lines[-1].endswith("#"))[-1:]
            found.append((line, re.sub(r"^\S* ?> ", "", last).rstrip("# ").rstrip("/")))
            shown.type("\x15")
            shown.await_that(lambda lines: lines[-1:] == [">"])
    return found


def test_bash_completes(project: Path) -> None:
    bash = ["bash", "--norc", "--noprofile", "-i"]
    start = "PS1='> '; bind 'set bell-style none'; source <(xtest completion bash)"
    assert typed_into(bash, start, project) == LINES


@pytest.mark.system
def test_zsh_completes(project: Path) -> None:
    zsh = [need("zsh"), "-f", "-i"]
    start = "PS1='> '; autoload -U compinit; compinit -u -D; source <(xtest completion zsh)"
    assert typed_into(zsh, start, project) == LINES


@pytest.mark.system
def test_fish_completes(project: Path) -> None:
    fish = need("fish")
    environment = {**os.environ, "PATH": f"{project / '.bin'}:{os.environ['PATH']}"}
    script = "xtest completion fish | source; complete -C $argv[1]"
    for line, expected in LINES:
        done = subprocess.run(
            [fish, "--no-config", "-c", script, line.rstrip("\t")],
            cwd=project,
            env={**environment, "HOME": str(project)},
            capture_output=True,
            text=True,
            check=True,
        )
        offered = {answer.partition("\t")[0].rstrip("/") for answer in done.stdout.splitlines()}
        last = re.split(r"(?<!\\) ", expected)[-1].replace("\\ ", " ")
        assert last in offered, line
