"""The output and the prompts of xtest on a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.golden import Golden
from support.suites import Cases, write_files, write_suite
from support.terminals import Terminal, terminal
from support.xtest import XTEST

RUN = (*XTEST, "run", "echo", "--", "cat")
ECHO: Cases = {"1": "[1]", "2": ('{"a": 1}', '{"a": 2}')}


def written(folder: Path, *command: str) -> str:
    """Return what a command writes to a narrow terminal, with its control sequences."""
    with terminal([*command], folder, columns=40) as shown:
        shown.to_the_end()
        return shown.written.decode()


def test_a_terminal_gets_colours_and_a_short_run_no_progress(tmp_path: Path) -> None:
    write_suite(tmp_path / "echo", ECHO)
    output = written(tmp_path, *RUN)
    assert "\x1b[31mdiffers\x1b[0m" in output
    assert "\x1b[K" not in output
    assert output.rstrip().endswith("\x1b[0m")


def test_a_matrix_too_wide_for_the_terminal_continues_below(tmp_path: Path, golden: Golden) -> None:
    write_suite(tmp_path / "easy", {"1": "1", "2": "7"})
    write_suite(tmp_path / "hard", {"1": "3"})
    config = 'suites = ["easy", "hard"]\n[subjects.right]\ncommand = ["cat"]\nlanguage = "C"\n'
    (tmp_path / "xtest.toml").write_text(config, encoding="utf-8")
    lines = written(tmp_path, *XTEST, "matrix").replace("\r\n", "\n").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("\x1b[2msubject"))
    golden("matrix.txt", "\n".join([*lines[begin:], ""]).replace("\x1b", "ESC"))


def test_the_line_of_a_build_is_erased_unless_it_fails(tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": "1"})
    tables = (
        f'[subjects.{name}]\ncommand = ["cat"]\nbuild = ["{name}"]\n' for name in ("true", "false")
    )
    (tmp_path / "xtest.toml").write_text("".join(tables), encoding="utf-8")
    begin = written(tmp_path, *XTEST, "run", "s").split("\r\n", maxsplit=1)[0]
    lines = [f"xtest: building {name}: {name}" for name in ("true", "false", "false")]
    assert begin == "\r\x1b[K".join(lines)


def test_lists_fit_a_narrow_terminal(tmp_path: Path, golden: Golden) -> None:
    suite = write_suite(tmp_path / "suites" / "lists-of-numbers", ECHO)
    settings = 'title = "Lists of numbers, with all kinds of numbers"\nprogram = "no-program"\n'
    (suite / "suite.toml").write_text(settings, encoding="utf-8")
    run = [*XTEST, "run", "suites", "--results", "r.jsonl", "--", "cat"]
    with terminal(run, tmp_path) as shown:
        shown.to_the_end()
    text = ""
    for words in ("list suites", "list suites --settings", "history r.jsonl", "doctor suites"):
        with terminal([*XTEST, *words.split()], tmp_path, columns=60, NO_COLOR="1") as shown:
            shown.to_the_end()
            lines = shown.written.decode().replace("\r\n", "\n").splitlines()
        if words.startswith("doctor"):  # the others depend on the machine
            lines = lines[lines.index(next(each for each in lines if "program" in each)) :]
        assert max(map(len, lines)) <= 60
        text += "\n".join([f"$ xtest {words}", *lines, ""])
    golden("lists.txt", re.sub(r"\d{4}-\d\d-\d\d", "2026-01-01", text))


def test_compare_counts_on_one_line_and_clears_it(tmp_path: Path, golden: Golden) -> None:
    write_files(tmp_path / "in", {"1.json": 1, "2.json": 2})
    command = "xtest() { " + " ".join(XTEST) + ' "$@"; }; '
    command += "xtest compare -j1 cat 'echo 1' -- in > /dev/null"
    golden("compare.txt", repr(written(tmp_path, "bash", "-c", command)) + "\n")


# xtest accept asks for each change.

CHANGES: Cases = {"1": "1", "2": ("[2]", "[0]\n"), "3": ("3 4", "3")}
ACCEPT = [*XTEST, "accept", "s", "--", "cat"]


def outputs(suite: Path) -> list[str]:
    """Return the expected outputs of cases 2 and 3, as they are now."""
    return [(suite / f"{number}-out.json").read_text(encoding="utf-8") for number in (2, 3)]


def answer(shown: Terminal, *keys: str) -> None:
    """Type each answer after one more question was asked."""
    for asked, key in enumerate(keys, start=1):
        while "\n".join(shown.shown()).count("[q]uit:") < asked:
            shown.await_more()
        shown.type(key)


def test_accept_asks_for_each_change_and_explains_the_answers(
    tmp_path: Path, golden: Golden
) -> None:
    write_suite(tmp_path / "s", CHANGES)
    with terminal(ACCEPT, tmp_path, columns=100) as shown:
        answer(shown, "maybe\n", "y\n", "n\n")
        golden("accept.txt", "\n".join([*shown.to_the_end(), ""]))
        assert shown.running.wait() == 1
    assert outputs(tmp_path / "s") == ["[2]\n", "3"]


@pytest.mark.parametrize(
    ("keys", "status", "second", "third"),
    [
        (["a\n"], 0, "[2]\n", "3\n4\n"),
        (["q\n"], 1, "[0]\n", "3"),
        (["Y\n", "YES\n"], 0, "[2]\n", "3\n4\n"),
        (["no\n", "y\n"], 1, "[0]\n", "3\n4\n"),
        (["\x04"], 1, "[0]\n", "3"),  # the end of input
        (["y\n", "\x03"], 130, "[2]\n", "3"),  # Ctrl-C keeps what was written
    ],
)
def test_the_answers_that_accept_takes(
    tmp_path: Path, keys: list[str], status: int, second: str, third: str
) -> None:
    write_suite(tmp_path / "s", CHANGES)
    with terminal(ACCEPT, tmp_path) as shown:
        answer(shown, *keys)
        shown.to_the_end()
        assert shown.running.wait() == status
    assert outputs(tmp_path / "s") == [second, third]
    assert not list((tmp_path / "s").glob(".*"))


def test_accept_does_not_overwrite_a_file_that_changed_while_it_asked(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", CHANGES)
    with terminal([*XTEST, "accept", "s", "--case", "2", "--", "cat"], tmp_path) as shown:
        shown.await_that(lambda lines: "[q]uit:" in "\n".join(lines))
        (suite / "2-out.json").write_text("[7]", encoding="utf-8")
        shown.type("y\n")
        assert "    not written: s/2-out.json was changed in the meantime" in shown.to_the_end()
        assert shown.running.wait() == 1
    assert outputs(suite)[0] == "[7]"


# xtest new reads its input from a pipe, and asks on the terminal.


@pytest.mark.parametrize(
    ("key", "status"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("\x04", 1)]
)
def test_new_asks_before_it_writes(tmp_path: Path, key: str, status: int) -> None:
    suite = write_suite(tmp_path / "s", {"7": "[7]"}, 'program = "cat"\n')
    command = ["bash", "-c", f"echo '[1]' | {' '.join(XTEST)} new s"]
    with terminal(command, tmp_path) as shown:
        shown.await_that(lambda lines: "[y/N]" in "\n".join(lines))
        shown.type(key)
        shown.to_the_end()
        assert shown.running.wait() == status
    assert (suite / "8-in.json").exists() is (status == 0)
