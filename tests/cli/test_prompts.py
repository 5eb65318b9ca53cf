"""The prompts of xtest on a terminal; its output is in terminal.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.golden import Golden
from support.suites import Cases, write_suite
from support.terminals import Terminal, terminal
from support.xtest import XTEST

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
        assert not any("[q]uit: change" in line for line in shown.to_the_end())
        assert shown.running.wait() == status
    assert outputs(tmp_path / "s") == [second, third]
    assert not list((tmp_path / "s").glob(".*"))


def test_accept_asks_once_for_changes_of_one_kind_and_ends_with_q(tmp_path: Path) -> None:
    kinds = {str(at): (f'{{"a": {at}}}', f'{{"a": {at + at // 13}}}') for at in range(1, 26)}
    write_suite(tmp_path / "s", kinds | {"26": ("2", "1"), "27": ("[2]", "[1]")})
    with terminal(ACCEPT, tmp_path) as shown:
        answer(shown, "k\n", "q\n")
        lines = shown.to_the_end()
        assert shown.running.wait() == 1
    assert "    write s/13-out.json? [y]es [n]o [k]ind: all 13 like it [a]ll [q]uit: k" in lines
    assert "change  s/14  /a: 15 expected, 14 printed" in lines
    assert "3 more like s/13" in lines and not any("s/23 " in line for line in lines)
    assert lines[-3].startswith("    write s/26-out.json? [y]es [n]o [a]ll [q]uit: q")
    assert lines[-1] == "27 cases: 12 unchanged, 13 written, 1 not written, 1 not shown"


def test_the_last_line_of_accept_is_wrapped_at_spaces(tmp_path: Path) -> None:
    write_suite(tmp_path / "s", CHANGES)
    with terminal(ACCEPT, tmp_path, columns=36) as shown:
        answer(shown, "y\n", "q\n")
        last = shown.to_the_end()[-2:]
    assert last == ["3 cases: 1 unchanged, 1 written, 1", "        not written"]


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
