"""`xtest history` as its users meet it: whole processes, whole messages, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.eventlines import event_line
from harness.events import Event, Judged, RunEnded, RunStarted
from harness.records import Verdict

TOP = Path(__file__).resolve().parent.parent.parent
PASSED, DIFFERS = Verdict.PASSED, Verdict.DIFFERS


def history(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of xtest history in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "history", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TOP)},
    )


def run_of(day: int, *verdicts: Verdict) -> str:
    """The lines of a run on a day, whose cases got these verdicts."""
    events: list[Event] = [RunStarted("0", f"2026-01-{day:02}", ("s",), 1, 1)]
    events += (
        Judged("s", str(case), "x", "plain", verdict, "")
        for case, verdict in enumerate(verdicts, start=1)
    )
    return "".join(map(event_line, [*events, RunEnded({}, 0.0, 0)]))


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Path:
    """A folder with the results of three days: a, b and c."""
    for name, day, verdict in (("a", 1, PASSED), ("b", 2, DIFFERS), ("c", 3, DIFFERS)):
        (tmp_path / name).write_text(run_of(day, PASSED, verdict), encoding="ascii")
    return tmp_path


def test_runs_stand_in_the_order_of_time_whatever_the_order_of_files(place: Path) -> None:
    done = history("c", "a", "b", "a", folder=place)
    assert done.stdout.splitlines() == [
        "started     judged  passed  known  failed  began to fail  began to pass",
        "2026-01-01       2       2      0       0              0              0",
        "2026-01-02       2       1      0       1              1              0",
        "2026-01-03       2       1      0       1              0              0",
        "",
        "suite  subject  in runs  pass now  fail now  began to fail  began to pass",
        "s      x              3         1         1              1              0",
        "",
        "began to fail: 1",
        "    s/2  x  differs since 2026-01-02 (2 runs), passed before",
        "",
        "nothing began to fail in the newest of 3 runs",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_a_step_back_in_the_newest_run_is_status_1(place: Path) -> None:
    done = history("a", "b", folder=place)
    assert done.stdout.splitlines()[-1] == "1 began to fail in the newest of 2 runs"
    assert (done.returncode, done.stderr) == (1, "")


def test_a_file_may_hold_several_runs_in_any_order(place: Path) -> None:
    whole = "".join((place / name).read_text(encoding="ascii") for name in "bca")
    (place / "all").write_text(whole, encoding="ascii")
    assert history("all", folder=place).stdout == history("a", "b", "c", folder=place).stdout


def test_what_is_there_of_a_file_that_was_cut_off_counts(place: Path) -> None:
    text = (place / "b").read_text(encoding="ascii")
    (place / "b").write_text(text[: text.index('"run-ended"')], encoding="ascii")
    assert history("a", "b", folder=place).returncode == 1
    (place / "b").write_text(text[:20], encoding="ascii")
    done = history("a", "b", "c", folder=place)
    assert done.stderr == "xtest: note: b: no run is in it\n"
    assert done.stdout.splitlines()[-1] == "1 began to fail in the newest of 2 runs"


def test_programs_get_json(place: Path) -> None:
    done = history("a", "b", "--format", "json", folder=place)
    whole = json.loads(done.stdout)
    assert [run["file"] for run in whole["runs"]] == ["a", "b"]
    assert [(one["case"], one["since"]) for one in whole["changes"]] == [("2", "2026-01-02")]
    assert done.returncode == 1


def test_what_a_run_writes_can_be_followed(place: Path) -> None:
    suite = place / "s"
    suite.mkdir()
    for name in ("1-in.json", "1-out.json"):
        (suite / name).write_text("[1]", encoding="utf-8")
    for name, command in (("r1", ("cat",)), ("r2", ("sh", "-c", "echo 7"))):
        words = [sys.executable, "-m", "harness", "run", "s", "-q", "--results", name]
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        subprocess.run([*words, "--", *command], cwd=place, env=environment, check=False)
    done = history("r1", "r2", folder=place)
    assert done.returncode == 0  # two subjects: nothing of either changed
    assert done.stdout.splitlines()[-1] == "nothing began to fail in the newest of 2 runs"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none"], "history: none: no such file or directory"),
        (["s"], "history: s: is a directory"),
        (["a", "/dev/null"], "history: /dev/null: not a regular file"),
        (["empty"], "history: there is no run in any of these files"),
        (
            ["a", "headless"],
            "history: headless, line 1: a results file begins with run-started",
        ),
        (
            ["a", "broken"],
            "history: broken, line 2: not a line of a results file: Expecting value: line 1 column"
            " 1 (char 0)",
        ),
        (["a", "--", "cat"], "history takes no command behind --"),
    ],
)
def test_what_is_none_of_results_is_said(place: Path, words: list[str], said: str) -> None:
    lines = (place / "a").read_text(encoding="ascii").splitlines(keepends=True)
    (place / "s").mkdir()
    (place / "empty").write_text("", encoding="ascii")
    (place / "headless").write_text("".join(lines[1:]), encoding="ascii")
    (place / "broken").write_text("nonsense\n".join(lines), encoding="ascii")
    done = history(*words, folder=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"xtest: {said}"
