"""Selecting cases, stopping early and known failures on the command line: whole processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness.cli import run_command_line
from harness.events import Problem
from harness.records import Subject
from harness.runs.deliveries import Delivery
from harness.runs.plan import Selection, Target
from harness.runs.selecting import asked_deliveries, choose
from harness.suites.corpus import Suite
from harness.suites.policy import SuiteSettings
from harness.usage import UsageFault

TOP = Path(__file__).resolve().parent.parent.parent
CAT = Subject("cat", ("cat",))
XTEST = [sys.executable, "-m", "harness"]

SETTINGS = """
[[cases]]
match = "1-3"
tags = ["low"]
[[cases]]
match = "3"
tags = ["low", "slow"]
"""
KNOWN = """
[[known]]
match = "2"
reason = "two is not done yet"
link = "https://example.org/2"
"""


def xtest(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder, with a memory that is the folder's own."""
    return subprocess.run(
        [*XTEST, *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env=environment(folder, **variables),
    )  # fmt: skip


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """The environment of such a run."""
    here = {"PYTHONPATH": str(TOP), "XTEST_CACHE": str(folder / "cache")}
    return {**os.environ, **here, **variables}


def told(done: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    """The exit status, and the last line without its time."""
    return done.returncode, re.sub(" in [0-9.]+ s", "", done.stdout.splitlines()[-1])


def judged(folder: Path) -> list[str]:
    """The cases that have a verdict in the results file `r`, in order."""
    lines = (folder / "r").read_text(encoding="ascii").splitlines()
    return [event["case"] for event in map(json.loads, lines) if "verdict" in event]


def ended(folder: Path) -> dict[str, Any]:
    """The last event of the results file `r`."""
    event: dict[str, Any] = json.loads((folder / "r").read_text(encoding="ascii").splitlines()[-1])
    return event


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A folder with the suite `s`: cases 1 to 6, of which `cat` fails 2 and 5."""
    suite = tmp_path / "s"
    suite.mkdir()
    for number in range(1, 7):
        (suite / f"{number}-in.json").write_text(f"{number}\n", encoding="utf-8")
        right = number if number not in (2, 5) else -number
        (suite / f"{number}-out.json").write_text(f"{right}\n", encoding="utf-8")
    (suite / "suite.toml").write_text(SETTINGS, encoding="utf-8")
    return tmp_path


NO_TAGS = "no case has this tag; no suite.toml here gives any tags"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tag", ""], 'xtest: --tag "": a tag is missing; see suite.toml\n'),
        (["--tag", "!"], 'xtest: --tag "!": a tag is missing; see suite.toml\n'),
        *(
            (
                ["--shard", shard],
                f'xtest: --shard "{shown}": I/N is expected, the I-th of N parts,'
                " such as 1/3, 2/3 and 3/3\n",
            )
            for shard, shown in (("3/2", "3/2"), ("0/2", "0/2"), ("x\x1b", "x\\x1b"))
        ),
        (
            ["--case", "9", "--tag", "lwo", "--tag", "other"],
            "xtest: --case 9: means no case\n"
            'xtest: --tag lwo: no case has this tag; did you mean "low"?\n'
            "xtest: --tag other: no case has this tag; known: low, slow\n"
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--tag", "low", "--shard", "4/4"],
            "xtest: --shard 4/4: is empty: 3 selected; make fewer parts\n"
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--case", "s/1", "--case", "s/9"],
            "xtest: --case s/1: means no case; write --case 1\n"
            "xtest: --case s/9: means no case\n"
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--case", "1", "--tag", "slow"],
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--case", "1", "--tag", "slow", "--shard", "2/3"],
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--failed", "--", "cat"],
            "xtest: s: --failed: no run of cat on this suite is remembered; run it once without"
            " --failed\n"
            "xtest: nothing to list: no case was selected\n",
        ),
        (
            ["--new"],
            "xtest: s: no suite.toml names its program, so say which one to run:"
            " xtest run s -- COMMAND\n",
        ),
        (["--new", "--"], "xtest: no command stands behind --\n"),
        (["--shard"], "Error: Option '--shard' requires an argument.\n"),
        (["--failed=7"], "Error: Option '--failed' does not take a value.\n"),
        (["--case", "1", "--", "cat"], "xtest: list takes no command behind --\n"),
    ],
)
def test_nonsense_is_told_of_with_status_2(
    folder: Path,
    options: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XTEST_CACHE", str(folder / "cache"))
    cut = options.index("--") if "--" in options else len(options)
    command = tuple(options[cut + 1 :]) if "--" in options else None
    status = run_command_line(["list", "s", *options[:cut]], command)
    out, err = capsys.readouterr()
    assert (status, out, err) == (2, "", said)


def test_a_suite_without_tags_says_so(folder: Path) -> None:
    (folder / "s" / "suite.toml").unlink()
    done = xtest(folder, "run", "s", "--tag", "low", "--", "cat")
    assert (done.returncode, done.stdout) == (
        2,
        f"problem  --tag low: {NO_TAGS}\nnothing was run\n",
    )


def test_list_shows_what_run_would_run(folder: Path) -> None:
    done = xtest(folder, "list", "s", "--cases", "--tag", "low", "--tag", "!slow")
    assert (done.returncode, done.stdout, done.stderr) == (0, "s  2\n    1\n    2\n", "")
    done = xtest(folder, "list", "s", "--cases", "--shard", "2/4")
    assert (done.returncode, done.stdout) == (0, "s  2\n    2\n    6\n")
    options = ("--tag", "low", "--shard", "2/2", "--results", "r")
    assert told(xtest(folder, "run", "s", *options, "--", "cat")) == (
        1,
        "0 of 1 passed: 1 differs",
    )
    assert judged(folder) == ["2"]


def test_a_loop_that_mends_what_failed_ends_with_status_0(folder: Path) -> None:
    assert told(xtest(folder, "run", "s", "--", "cat"))[0] == 1
    listed = xtest(folder, "list", "s", "--cases", "--failed", "--", "cat")
    assert (listed.returncode, listed.stdout) == (0, "s  2\n    2\n    5\n")
    failed = ("run", "s", "--failed", "--results", "r", "--", "cat")
    for number in (2, 5):
        assert xtest(folder, *failed).returncode == 1
        (folder / "s" / f"{number}-out.json").write_text(f"{number}", encoding="utf-8")
    assert told(xtest(folder, *failed)) == (0, "all 1 passed")
    assert judged(folder) == ["5"]
    done = xtest(folder, *failed)
    said = "nothing was run: nothing fell short the last time"
    assert (done.returncode, done.stdout) == (0, f"{said}\n")
    assert ended(folder)["idle"] == "nothing fell short the last time"
    listed = xtest(folder, "list", "s", "--failed", "--", "cat")
    said = "xtest: nothing to list: nothing fell short the last time\n"
    assert (listed.returncode, listed.stdout, listed.stderr) == (0, "", said)


def test_new_is_what_was_never_run_or_was_changed(folder: Path) -> None:
    new = ("run", "s", "--new", "--results", "r", "--", "cat")
    xtest(folder, "run", "s", "--case", "1-5", "--", "cat")
    assert told(xtest(folder, *new)) == (0, "all 1 passed")
    assert judged(folder) == ["6"]
    (folder / "s" / "2-out.json").write_text("2", encoding="utf-8")
    assert told(xtest(folder, *new)) == (0, "all 1 passed")
    assert judged(folder) == ["2"]
    done = xtest(folder, *new)
    assert (done.returncode, done.stdout) == (0, "nothing was run: no case is new or changed\n")


def test_an_interrupted_run_is_remembered(folder: Path) -> None:
    script = "read n; [ $n -lt 3 ] || { touch waits; exec sleep 60; }; echo $n"
    command = [*XTEST, "run", "s", "-j1", "--wall", "60", "--", "sh", "-c", script]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment(folder)
    ) as running:
        while not (folder / "waits").exists():
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate()
    assert running.returncode == 130
    assert out.splitlines()[-1].startswith("interrupted after 2 runs, 1 passed, in ")
    for option, cases in (("--failed", "    2"), ("--new", "    3\n    4\n    5\n    6")):
        done = xtest(folder, "list", "s", "--cases", option, "--", "sh", "-c", script)
        assert done.stdout.split("\n", 1)[1] == f"{cases}\n"


def test_without_a_place_to_write_a_run_is_as_any_other(folder: Path) -> None:
    done = xtest(folder, "run", "s", "--case", "1", "--", "cat", XTEST_CACHE="/dev/null")
    assert (*told(done), done.stderr) == (0, "all 1 passed", "")
    done = xtest(folder, "run", "s", "--failed", "--", "cat", XTEST_CACHE="/dev/null")
    assert (done.returncode, done.stdout) == (
        2,
        "problem  s: --failed: no run of cat on this suite is remembered; run it once without"
        " --failed\nnothing was run\n",
    )


def test_after_so_many_failures_no_more_are_run_and_the_last_line_says_so(folder: Path) -> None:
    run = ("run", "s", "-q", "-j1", "--results", "r")
    done = xtest(folder, *run, "--fail-fast", "--", "cat")
    assert told(done) == (1, "1 of 2 passed: 1 differs; stopped early, 4 cases not run")
    assert judged(folder) == ["1", "2"]
    assert (ended(folder)["stopped"], ended(folder)["not_run"]) == (True, 4)
    done = xtest(folder, *run, "--max-failures", "2", "--", "cat")
    assert told(done) == (1, "3 of 5 passed: 2 differs; stopped early, 1 case not run")
    done = xtest(folder, *run, "--case", "1-5", "--max-failures", "2", "--", "cat")
    assert told(done) == (1, "3 of 5 passed: 2 differs")
    assert "stopped" not in ended(folder)


def test_what_still_runs_is_killed_so_that_no_more_failures_are_shown(folder: Path) -> None:
    script = "read n; [ $n = 1 ] && { while ! [ -e other ]; do :; done; exit 1; }"
    script += "; touch other; exec sleep 60"
    options = ("-j2", "--wall", "60", "--fail-fast", "--results", "r")
    done = xtest(folder, "run", "s", *options, "--", "sh", "-c", script)
    assert told(done) == (1, "0 of 1 passed: 1 too-few; stopped early, 5 cases not run")
    assert judged(folder) == ["1"]


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_number_of_failures_is_at_least_one(folder: Path, number: str) -> None:
    done = xtest(folder, "run", "s", "--max-failures", number, "--", "cat")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Invalid value for '--max-failures'" in done.stderr


def test_a_known_failure_is_one_line_and_no_failure(folder: Path) -> None:
    (folder / "s" / "suite.toml").write_text(KNOWN, encoding="utf-8")
    chosen = ("run", "s", "--case", "1-3", "--results", "r")
    done = xtest(folder, *chosen, "--", "cat")
    assert told(done) == (0, "2 of 3 passed; 1 known failure")
    assert done.stdout.splitlines()[:4] == [
        "known  s/2  differs: two is not done yet, https://example.org/2",
        "",
        "suite  subject  cases  passed  known  failed  broken",
        "s      cat          3       2      1       0       0",
    ]
    assert ended(folder)["known"] == {"differs": 1}
    full = xtest(folder, *chosen, "-v", "--", "cat").stdout
    assert "    known      two is not done yet, https://example.org/2\n    repeat " in full
    assert told(xtest(folder, "run", "s", "-q", "--max-failures", "2", "--", "cat")) == (
        1,
        "4 of 6 passed: 1 differs; 1 known failure",
    )
    assert xtest(folder, "list", "s", "--cases", "--failed", "--", "cat").stdout == "s  1\n    5\n"


def test_a_known_failure_that_passes_is_an_error(folder: Path) -> None:
    (folder / "s" / "suite.toml").write_text(KNOWN, encoding="utf-8")
    (folder / "s" / "2-out.json").write_text("2", encoding="utf-8")
    done = xtest(folder, "run", "s", "--case", "1-3", "--results", "r", "--", "cat")
    assert told(done) == (1, "all 3 passed; 1 passed, though listed as known")
    assert done.stdout.splitlines()[0] == (
        "passed  s/2  but it is listed as a known failure (two is not done yet,"
        " https://example.org/2): take it out of [[known]] in suite.toml"
    )
    assert (ended(folder)["outgrown"], ended(folder)["exit"]) == (1, 1)


def test_a_known_failure_that_means_no_case_or_another_subject(folder: Path) -> None:
    text = KNOWN + 'subject = "sort"\n' + KNOWN.replace('"2"', '"bad-*"')
    (folder / "s" / "suite.toml").write_text(text, encoding="utf-8")
    done = xtest(folder, "run", "s", "--case", "1-2", "--", "cat")
    assert told(done) == (2, "1 of 2 passed: 1 differs")
    assert done.stdout.splitlines()[0] == (
        'problem  s: suite.toml: no case is meant by match = "bad-*"'
    )


def test_a_run_is_repeated_with_its_options(folder: Path) -> None:
    options = ("--wall", "7.5", "--repeat", "2", "--check", "-j3", "--deliver", "cut")
    done = xtest(folder, "run", "s", "--case", "2", *options, "--", "cat")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("    repeat")]
    assert line == (
        "    repeat     xtest run s --case 2 --deliver cut --wall 7.5 --repeat 2 --check -- cat"
    )
    assert told(xtest(folder, *line.split()[2:])) == (1, "0 of 1 passed: 1 differs")


def test_deliveries_that_are_asked_for() -> None:
    assert asked_deliveries(None, "--deliver") == (Delivery.PLAIN,)
    assert asked_deliveries("cut,plain", "--deliver") == (Delivery.PLAIN, Delivery.CUT)
    assert asked_deliveries("all", "--deliver") is None  # as each suite has it
    with pytest.raises(UsageFault) as refused:
        asked_deliveries("slw\x1b", "--xtest-deliver")
    assert str(refused.value).startswith("--xtest-deliver slw\\x1b: unknown delivery ")


def test_value_by_value_is_refused_where_no_suite_is_a_conversation(folder: Path) -> None:
    run = ("run", "s", "--deliver", "value-by-value", "--", "cat")
    done = xtest(folder, *run)
    said = "this is for suites with conversation = true in suite.toml, which"
    problem = f"problem  --deliver value-by-value: {said}"
    assert (done.returncode, done.stdout) == (2, f"{problem} s is not\nnothing was run\n")
    shutil.copytree(folder / "s", folder / "t")
    done = xtest(folder, "run", "s", "t", *run[2:])
    assert done.stdout == f"{problem} none of these is: s, t\nnothing was run\n"
    (folder / "t" / "suite.toml").write_text("conversation = true\n", encoding="utf-8")
    done = xtest(folder, "run", "s", "t", *run[2:])
    assert done.returncode == 1
    assert re.findall("^[a-z]+ +cat", done.stdout, re.MULTILINE) == ["t      cat"]


def test_a_suite_of_conversations_among_others_is_enough_for_value_by_value() -> None:
    def problems(*conversations: bool) -> tuple[Problem, ...]:
        targets = [
            Target(Suite(f"s{at}", Path(), SuiteSettings(conversation=talks), {}), "", CAT, True)
            for at, talks in enumerate(conversations)
        ]
        return choose(targets, Selection(), (Delivery.VALUE_BY_VALUE,), "").problems

    assert not problems()
    assert not problems(False, True)
    said = "this is for suites with conversation = true in suite.toml, which"
    where = "--deliver value-by-value"
    assert problems(False) == (Problem(where, f"{said} s0 is not"),)
    assert problems(False, False) == (Problem(where, f"{said} none of these is: s0, s1"),)


def test_after_a_suite_that_cannot_be_used_nobody_speaks_of_selecting(folder: Path) -> None:
    (folder / "s" / "suite.toml").write_text("program = ./x\n", encoding="utf-8")
    done = xtest(folder, "run", "s", "--", "cat")
    assert (done.returncode, done.stdout) == (
        2,
        "problem  s: s/suite.toml: not TOML: Invalid value (at line 1, column 11); a text stands in"
        " quotes\nnothing was run\n",
    )
