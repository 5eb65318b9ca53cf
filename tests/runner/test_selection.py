"""Options that select cases; tests/cli/run/selecting.md has the rest as it looks to users."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from support.suites import write_suite
from support.xtest import Xtest

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.case_names import CaseName, pattern_of, selects
from harness.model.events import Diagnostic
from harness.model.subject import Subject
from harness.project.targets import Target
from harness.runner.plan import Selection, Shard
from harness.runner.selection import requested_deliveries, select_runs, selection_of
from harness.suites.loading import Suite
from harness.suites.settings import SuiteSettings


def test_an_interrupted_run_is_remembered(tmp_path: Path, xtest: Xtest) -> None:
    write_suite(tmp_path / "s", {"1": "1", "2": ("2", "-2"), "3": "3", "4": "4"})
    command = ("--", "sh", "-c", "read n; [ $n -lt 3 ] || exec sleep 60; echo $n")
    results = tmp_path / "r"
    with xtest.start("run", "s", "-j1", "--wall", "60", "--results", "r", *command) as running:
        while not results.exists() or results.read_text("ascii").count('"judged"') < 2:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate()
    assert running.returncode == 130
    assert out.splitlines()[-1].startswith("interrupted after 2 runs, 1 passed, in ")
    for option, cases in (("--failed", "    2"), ("--new", "    3\n    4")):
        done = xtest("list", "s", "--cases", option, *command)
        assert done.stdout.split("\n", 2)[2] == f"{cases}\n"


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
    assert selection_of((text,), (), None, failed=False, new=False).patterns == patterns


def test_the_pattern_of_a_case_with_a_comma_selects_it_alone() -> None:
    pattern = pattern_of(CaseName("a,b", 1))
    assert selection_of((pattern,), (), None, failed=False, new=False).patterns == (pattern,)
    assert selects(pattern, CaseName("a,b", 1))


def test_requested_deliveries() -> None:
    assert requested_deliveries(None, "--deliver") == (Delivery.PLAIN,)
    assert requested_deliveries("cut,plain", "--deliver") == (Delivery.PLAIN, Delivery.CUT)
    assert requested_deliveries("all", "--deliver") is None
    with pytest.raises(UsageError) as refused:
        requested_deliveries("slw\x1b", "--xtest-deliver")
    assert str(refused.value).startswith("--xtest-deliver slw\\x1b: unknown delivery ")


@pytest.mark.parametrize(
    ("conversations", "problem"),
    [
        ((), ""),
        ((False, True), ""),
        ((False,), "s0 lacks"),
        ((False, False), "all of these lack: s0, s1"),
    ],
)
def test_value_by_value_requires_a_conversation(
    conversations: tuple[bool, ...], problem: str
) -> None:
    targets = []
    for at, conversation in enumerate(conversations):
        suite = Suite(f"s{at}", Path(), SuiteSettings(conversation=conversation), {})
        targets.append(Target(suite, "", Subject("cat", ("cat",)), is_default_subject=True))
    message = f"requires conversation = true in suite.toml, which {problem}"
    expected = (Diagnostic("--deliver value-by-value", message),) if problem else ()
    found = select_runs(targets, Selection(), (Delivery.VALUE_BY_VALUE,), "")
    assert found.problems == expected


@pytest.mark.parametrize(("number", "is_empty"), [(3, False), (4, True)])
def test_a_shard_beyond_the_number_of_cases_is_empty(number: int, is_empty: bool) -> None:
    files = {CaseName("", case): (f"{case}-in.json", f"{case}-out.json") for case in (1, 2, 3)}
    suite = Suite("s", Path(), SuiteSettings(), files)
    target = Target(suite, "s", Subject("cat", ("cat",)), is_default_subject=True)
    selection = Selection(shard=Shard(number, 4))
    found = select_runs([target], selection, (Delivery.PLAIN,), "").problems
    problem = Diagnostic("--shard 4/4", "is empty: only 3 selected; use fewer parts")
    assert found == ((problem,) if is_empty else ())
