"""Options that select cases; tests/cli/run/selecting.md has the rest as it looks to users."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.processes import until
from support.suites import read_judged, write_suite
from support.xtest import Xtest

from harness.model.case_names import CaseName, pattern_of, selects
from harness.results.selection import selection_of


def test_an_interrupted_run_is_remembered(tmp_path: Path, xtest: Xtest) -> None:
    write_suite(tmp_path / "s", {"1": "1", "2": ("2", "-2"), "3": "3", "4": "4"})
    command = ("--", "sh", "-c", "read n; [ $n -lt 3 ] || exec sleep 60; echo $n")
    results = tmp_path / "r"
    with xtest.start("run", "s", "-j1", "--wall", "60", "--results", "r", *command) as running:
        until(lambda: len(read_judged(results)) == 2 or running.poll() is not None)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate()
    assert running.returncode == 130
    assert out.splitlines()[-1].startswith("interrupted after 2 runs, 1 passed, in ")
    for option, cases in (("--failed", "    2"), ("--new", "    3\n    4")):
        done = xtest("list", "s", "--cases", option, *command)
        assert done.stdout.split("\n", 2)[2] == f"{cases}\n"


def patterns_of(text: str) -> tuple[str, ...]:
    return selection_of((text,), (), None, failed=False, new=False).patterns


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("1,2", ("1", "2")),
        ("1, 5-9,bad-*,", ("1", "5-9", "bad-*")),
        ("a[,]b-1,[!1,2]", ("a[,]b-1", "[!1,2]")),
        ("[,2", ("[", "2")),
        ("", ("",)),
        (",", (",",)),
    ],
)
def test_commas_separate_patterns(text: str, patterns: tuple[str, ...]) -> None:
    assert patterns_of(text) == patterns


def test_the_pattern_of_a_case_with_a_comma_selects_it_alone() -> None:
    pattern = pattern_of(CaseName("a,b", 1))
    assert patterns_of(pattern) == (pattern,)
    assert selects(pattern, CaseName("a,b", 1))
