"""How subjects are run, as the command line offers it: deliveries, repetition, the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parent.parent.parent

# Answers each line as soon as it came, and gives up on a line that holds no whole value.
LINE_BY_LINE = """
import json, sys
for line in sys.stdin:
    if line.strip():
        print(json.dumps(json.loads(line)), flush=True)
"""


def xtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def judged(folder: Path) -> list[dict[str, Any]]:
    """The events that judge, from the results file `r`."""
    lines = (folder / "r").read_text(encoding="ascii").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == "judged"]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A folder with the suite `s`, of one case with two values, and a program for lines."""
    suite = tmp_path / "s"
    suite.mkdir()
    for side in ("in", "out"):
        (suite / f"1-{side}.json").write_text('{"a": ["é"]}\n[2]\n', encoding="utf-8")
    (tmp_path / "lines.py").write_text(LINE_BY_LINE, encoding="utf-8")
    return tmp_path


def test_deliveries_have_verdicts_of_their_own_and_one_line_says_how_they_differ(
    folder: Path,
) -> None:
    command = ("--", sys.executable, "lines.py")
    chosen = ("--deliver", "plain,pretty,slow,crlf", "--results", "r")
    done = xtest("run", "s", *chosen, *command, folder=folder)
    assert done.returncode == 1
    verdicts = {event["delivery"]: event["verdict"] for event in judged(folder)}
    assert verdicts == {"plain": "passed", "crlf": "passed", "slow": "passed", "pretty": "too-few"}
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("deliveries")]
    assert line == (
        "deliveries  s/1  3 of 4 deliveries passed: passes plain, crlf and slow;"
        " fails only when the input is spread over many lines (pretty)"
    )
    assert f"--case 1 --deliver pretty -- {sys.executable} lines.py" in done.stdout
    assert "s      " in done.stdout and "runs" in done.stdout


def test_all_means_what_the_suite_declares(folder: Path) -> None:
    text = 'program = "cat"\ndeliveries = ["plain", "no-final-newline", "byte-by-byte"]\n'
    (folder / "s" / "suite.toml").write_text(text, encoding="utf-8")
    assert xtest("run", "s", "--deliver", "all", "--results", "r", folder=folder).returncode == 0
    assert {event["delivery"] for event in judged(folder)} == {
        "plain",
        "no-final-newline",
        "byte-by-byte",
    }
    assert xtest("run", "s", "--results", "r", folder=folder).returncode == 0
    assert [event["delivery"] for event in judged(folder)] == ["plain"]


def test_value_by_value_waits_for_each_answer(folder: Path) -> None:
    text = "conversation = true\n[limits]\nwall_s = 5\nfirst_byte_s = 1\n"
    (folder / "s" / "suite.toml").write_text(text, encoding="utf-8")
    chosen = ("--deliver", "value-by-value", "--results", "r")
    assert (
        xtest("run", "s", *chosen, "--", sys.executable, "lines.py", folder=folder).returncode == 0
    )
    # One that answers only at the end of its input waits for it as long as we wait for its answer.
    assert xtest("run", "s", *chosen, "--", "sort", "-s", folder=folder).returncode == 1
    [event] = judged(folder)
    assert event["verdict"] == "silent"
    assert event["message"].endswith(
        "; xtest had sent 1 of 2 values, and waited for the answer to the last one: does it flush"
        " its output?"
    )


def test_many_slow_runs_wait_at_once(folder: Path) -> None:
    for number in range(2, 41):
        for side in ("in", "out"):
            text = " ".join(str(number * step) for step in range(30))
            (folder / "s" / f"{number}-{side}.json").write_text(text, encoding="utf-8")
    done = xtest(
        "run", "s", "--deliver", "slow", "--results", "r", "-j1", "--", "cat", folder=folder
    )
    assert done.returncode == 0
    alone = sum(event["wall_s"] for event in judged(folder))
    ended = json.loads((folder / "r").read_text(encoding="ascii").splitlines()[-1])
    assert ended["wall_s"] < alone / 4


def test_different_verdicts_of_repeated_runs_are_flaky(folder: Path) -> None:
    # Right every other time: whoever makes the folder answers, and takes it away the next time.
    script = "cat >now; if mkdir lock 2>/dev/null; then cat now; else rmdir lock; fi"
    done = xtest("run", "s", "-j1", "--repeat", "4", "--", "sh", "-c", script, folder=folder)
    assert done.returncode == 1
    assert "flaky  s/1  4 runs: 2 passed, 2 too-few; too-few: 2 values expected" in done.stdout
    assert "0 of 1 passed" in done.stdout
    done = xtest("run", "s", "--repeat", "3", "--", "cat", folder=folder)
    assert (done.returncode, done.stdout.splitlines()[-1][:12]) == (0, "all 1 passed")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("plane", 'xtest: --deliver plane: unknown delivery "plane"; did you mean "plain"?'),
        ("plain,,slow", "xtest: --deliver plain,,slow: "),
        ("", "xtest: --deliver : "),
    ],
)
def test_a_delivery_that_there_is_not_is_a_fault_of_usage(
    folder: Path, option: str, message: str
) -> None:
    done = xtest("run", "s", "--deliver", option, "--", "cat", folder=folder)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert done.stdout == ""


def test_without_bwrap_the_sandbox_is_refused_and_nothing_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = xtest("run", "s", "--sandbox", "--", "/bin/touch", "ran", folder=folder)
    assert done.returncode == 2
    assert done.stderr == (
        "xtest: --sandbox needs bwrap, which is not there (Debian: bubblewrap)\n"
    )
    assert not (folder / "ran").exists()


def test_a_folder_that_the_sandbox_hides_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bwrap").write_text("#!/bin/sh\n", encoding="ascii")
    (folder / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        hidden = Path(name).resolve()
        shutil.copytree(folder / "s", hidden / "s")
        done = xtest("run", "s", "--sandbox", "--", "/bin/touch", "ran", folder=hidden)
        assert not (hidden / "ran").exists()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "xtest: --sandbox hides /var/tmp with all that lies in it, and this folder is"
        f" {hidden}: work in another one\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        *(["run", "s", "--", "cat"], ["run", "s", "-q", "--", "cat"], ["list"]),
        *(
            ["compare", "cat", "cat -u", "--", "s"],
            ["--help"],
            ["run", "--report=json=-", "s", "--", "cat"],
        ),
    ],
)
def test_where_there_is_no_room_for_what_is_said_that_is_told(
    folder: Path, words: list[str]
) -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [sys.executable, "-m", "harness", *words],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(TOP)},
        )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("xtest: ") and last.endswith("no space left on device")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_results_that_nobody_has_room_for_are_told_by_name(folder: Path) -> None:
    done = xtest("run", "s", "--results", "/dev/full", "--", "cat", folder=folder)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: --results /dev/full: no space left on device\n",
    )


@pytest.mark.parametrize("words", [["run", "s", "--", "cat"], ["list", "s"], ["--help"]])
def test_nobody_who_reads_is_no_fault_of_the_subject(folder: Path, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for output, status in ((writing, 141), (None, 0)):
        done = subprocess.run(
            ["sh", "-c", 'exec "$@"' + ("" if output else " >&-"), "sh"]
            + [sys.executable, "-m", "harness", *words],
            cwd=folder,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(TOP)},
        )
        assert (done.returncode, done.stderr) == (status, "")
    os.close(writing)
