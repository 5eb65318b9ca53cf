"""`--report` and `xtest report` as users meet them: whole processes, real failing programs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from told_events import ALL, ENDED, STARTED, run

from harness.eventlines import event_line

TOP = Path(__file__).resolve().parent.parent.parent
# Doubles its input, but for three ways to be wrong.
SUBJECT = """#!/bin/sh
read value
case $value in
2) echo '[4' ;;
3) kill -SEGV $$ ;;
5) echo 11; echo 'rounded </failure> up' >&2 ;;
*) echo $((value * 2)) ;;
esac
"""
SETTINGS = """
[[known]]
match = "2"
reason = "brackets, see #4"
"""


def environment() -> dict[str, str]:
    """What xtest finds in the environment."""
    return {**os.environ, "PYTHONPATH": str(TOP)}


def xtest(*words: str, folder: Path, under: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """One run of xtest in a folder, under another program."""
    return subprocess.run(
        [*under, sys.executable, "-m", "harness", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Path:
    """A suite of five cases, and a program that passes two of them."""
    (tmp_path / "double").mkdir()
    for number in range(1, 6):
        (tmp_path / "double" / f"{number}-in.json").write_text(f"{number}\n", "ascii")
        (tmp_path / "double" / f"{number}-out.json").write_text(f"{2 * number}\n", "ascii")
    (tmp_path / "double" / "suite.toml").write_text(SETTINGS, "utf-8")
    (tmp_path / "double.sh").write_text(SUBJECT, "ascii")
    (tmp_path / "double.sh").chmod(0o755)
    return tmp_path


def test_several_reports_are_made_of_one_run_and_its_status_is_kept(place: Path) -> None:
    reports = ("--report", "junit=r.xml", "--report", "json=sub/r.json", "--report", "tap=r.tap")
    (place / "sub").mkdir()
    done = xtest("run", "double", *reports, "-q", "--", "./double.sh", folder=place)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("2 of 5 passed in ")
    (suite,) = ElementTree.parse(place / "r.xml").getroot()
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        *("5", "2", "0", "1"),
    ]
    messages = [found.get("message") for found in suite.iter("failure")]
    assert messages[0] == "ended by SIGSEGV, having printed nothing"
    assert str(messages[1]).startswith("1 difference, the first at /0: 10 expected, 11 printed")
    failure = list(suite.iter("failure"))[1]
    assert "    stderr     rounded </failure> up\n" in str(failure.text)
    assert str(failure.text).endswith("    repeat     xtest run double --case 5 -- ./double.sh")
    assert json.loads((place / "sub/r.json").read_text())["exit"] == 1
    assert (place / "r.tap").read_text().startswith("TAP version 13\n1..5\nok 1 - double/1, ")
    assert sorted(entry.name for entry in place.iterdir()) == [
        *("double", "double.sh", "r.tap", "r.xml", "sub"),
    ]


def test_the_same_report_can_be_made_later_from_the_results(place: Path) -> None:
    words = ("--results", "r.jsonl", "--report", "markdown=now.md", "--", "./double.sh")
    assert xtest("run", "double", *words, folder=place).returncode == 1
    done = xtest("report", "r.jsonl", "--to", "markdown", folder=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (place / "now.md").read_text(encoding="utf-8")
    done = xtest("report", "r.jsonl", "--to", "markdown=later.md", "--to", "tap=-", folder=place)
    assert (place / "later.md").read_bytes() == (place / "now.md").read_bytes()
    assert done.stdout.splitlines()[1] == "1..5"


def test_a_report_on_standard_output_has_it_alone(place: Path) -> None:
    done = xtest("run", "double", "--report", "json=-", "--", "./double.sh", folder=place)
    assert json.loads(done.stdout)["summary"]["failed"] == 2
    assert "crashed  double/3  ended by SIGSEGV" in done.stderr
    (place / "xtest.toml").write_text(
        'suites = ["double"]\n[subjects.sh]\ncommand = ["./double.sh"]\n'
        '[subjects.cat]\ncommand = ["cat"]\n'
    )
    done = xtest("matrix", "--report", "json=/dev/stdout", folder=place)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["matrix"]["subjects"]] == ["cat", "sh"]
    assert [group["subject"] for group in report["groups"]] == ["cat", "sh"]
    assert "subject      double\n" in done.stderr


def test_a_retry_counts_for_what_it_ran_again(place: Path) -> None:
    first = xtest("run", "double", "--results", "1", "--", "./double.sh", folder=place)
    (place / "double.sh").write_text(SUBJECT.replace("11", "10"), "ascii")
    again = ("--case", "5", "--results", "2", "--", "./double.sh")
    assert (first.returncode, xtest("run", "double", *again, folder=place).returncode) == (1, 0)
    report = json.loads(xtest("report", "1", "2", "--to", "json", folder=place).stdout)
    assert report["summary"]["runs"] == 5
    assert [one["outcome"] for one in report["runs"]] == [
        *("passed", "known", "failed", "passed", "passed"),
    ]


def test_a_run_that_is_gone_on_with_is_reported_as_a_whole(place: Path) -> None:
    words = ("double", "--results", "r", "--resume", "--report", "tap=r.tap", "--", "./double.sh")
    assert xtest("run", "--fail-fast", "-j1", *words, folder=place).returncode == 1
    early = (place / "r.tap").read_text()
    assert early.startswith("TAP version 13\n1..3\n")
    done = xtest("run", *words, folder=place)
    assert done.stdout.splitlines()[-1].endswith("; 3 resumed")
    assert (place / "r.tap").read_text().startswith("TAP version 13\n1..5\n")
    assert early.splitlines()[2] in (place / "r.tap").read_text()


def test_after_an_interruption_there_is_a_report_of_what_was_judged(place: Path) -> None:
    (place / "double.sh").write_text("#!/bin/sh\nread v\n[ $v = 5 ] && sleep 60\necho $v\n")
    command = ["run", "double", "-j1", "--report", "json=r.json", "--", "./double.sh"]
    with subprocess.Popen(
        [sys.executable, "-m", "harness", *command],
        cwd=place,
        stdout=subprocess.PIPE,
        env={**environment(), "TMPDIR": str(place)},
    ) as process:
        assert process.stdout is not None
        while b"/4" not in process.stdout.readline():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert process.returncode == 130
    report = json.loads((place / "r.json").read_text())
    assert (report["exit"], report["summary"]["runs"], report["summary"]["not_run"]) == (130, 4, 1)
    assert report["problems"] == [{"where": "xtest", "message": "interrupted; 1 case not run"}]
    assert not list(place.glob("xtest-*"))


def test_results_that_were_cut_short_are_reported_as_far_as_they_go(place: Path) -> None:
    xtest("run", "double", "-j1", "--results", "r", "--", "./double.sh", folder=place)
    lines = (place / "r").read_bytes().splitlines(keepends=True)
    (place / "r").write_bytes(b"".join(lines[:3]) + lines[3][:40])
    done = xtest("report", "r", "--to", "tap", folder=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if not line.startswith("  ")][1:] == [
        "1..3",
        "ok 1 - double/1, ./double.sh",
        "not ok 2 - double/2, ./double.sh # TODO brackets, see \\#4",
        "not ok 3 - problem: xtest",
    ]
    assert 'message: "the results end early: of 5 runs, 2 were judged"' in done.stdout


NO_FILE = "; write --report junit=FILE (- is standard output)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["junti=x"], 'junti=x: no format of reports is called "junti"; did you mean "junit"?'),
        (["junit"], f"junit: the file is missing{NO_FILE}"),
        (["junit=nix/r.xml"], "junit=nix/r.xml: no such file or directory"),
        (["junit=double"], "junit=double: is a directory"),
        (
            ["tap=r", "junit=./r"],
            "junit=./r: that is where tap goes; name another file",
        ),
        (["tap=results"], "tap=results: that is what it is made from; name another file"),
    ],
)
def test_what_cannot_be_is_told_before_anything_runs(
    place: Path, words: list[str], said: str
) -> None:
    (place / "double.sh").write_text("#!/bin/sh\ntouch ran\n")
    reports = [part for word in words for part in ("--report", word)]
    command = ("--results", "results", *reports, "--", "./double.sh")
    done = xtest("run", "double", *command, folder=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xtest: --report {said}\n"
    assert not (place / "ran").exists() and not (place / "results").exists()


def test_a_folder_that_is_closed_to_us_is_told_beforehand(place: Path) -> None:
    (place / "closed").mkdir(mode=0o500)
    # Root may write everywhere, unless it gives that up.
    under = ("setpriv", "--bounding-set=-dac_override") if os.geteuid() == 0 else ()
    words = ("run", "double", "--report", "tap=closed/r", "--", "cat")
    done = xtest(*words, folder=place, under=under)
    assert (done.returncode, done.stderr) == (
        2,
        "xtest: --report tap=closed/r: permission denied\n",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["r", "--to", "tpa"], '--to tpa: no format of reports is called "tpa"; did you mean'),
        (["nix", "--to", "tap"], "report: nix: no such file or directory"),
        (["double.sh", "--to", "tap"], "report: double.sh, line 1: a results file begins with"),
        (["broken", "--to", "tap=t"], "report: broken, line 2: not a line of a results file: "),
        (["r", "--to", "tap", "--", "cat"], "report takes no command behind --"),
    ],
)
def test_nonsense_is_told_and_nothing_is_written(place: Path, words: list[str], said: str) -> None:
    lines = [event_line(event) for event in ALL]
    (place / "r").write_text("".join(lines), "ascii")
    (place / "broken").write_text("".join([lines[0], "{}\n", *lines[1:]]), "ascii")
    done = xtest("report", *words, folder=place)
    assert done.returncode == 2
    assert done.stderr.startswith(f"xtest: {said}")
    assert not (place / "t").exists()


def test_a_device_is_written_to_and_stays_what_it_is(place: Path) -> None:
    (place / "r").write_text("".join(map(event_line, ALL)), "ascii")
    done = xtest("report", "r", "--to", "tap=/dev/full", "--to", "json=r.json", folder=place)
    assert done.returncode == 2
    assert done.stderr == "xtest: --to tap=/dev/full: no space left on device\n"
    assert (place / "r.json").exists()  # the others are made all the same
    os.mkfifo(place / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=place, stdout=subprocess.PIPE) as reader:
        assert xtest("report", "r", "--to", "tap=pipe", folder=place).returncode == 0
        assert reader.stdout is not None
        assert reader.stdout.read().startswith(b"TAP version 13\n1..9\n")
    assert (place / "pipe").is_fifo()
    words = ("--results", "/dev/null", "--report", "tap=t", "--", "./double.sh")
    assert xtest("run", "double", *words, folder=place).returncode == 1
    assert (place / "t").read_text().startswith("TAP version 13\n1..5\n")


def test_a_reader_that_goes_away_ends_it_quietly_and_one_of_a_file_is_told_of(place: Path) -> None:
    many = [run(str(number)) for number in range(3000)]
    lines = [event_line(STARTED), *map(event_line, many), event_line(ENDED)]
    (place / "r").write_text("".join(lines), "ascii")
    command = [sys.executable, "-m", "harness", "report", "r", "--to"]
    for words in (["json"], ["json", "--to", "tap=t"]):
        with subprocess.Popen(
            [*command, *words],
            cwd=place,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as done:
            assert done.stdout is not None and done.stderr is not None
            done.stdout.readline()
            done.stdout.close()
            assert (done.stderr.read(), done.wait()) == (b"", 141)
    os.mkfifo(place / "pipe")
    with subprocess.Popen(["head", "-n", "1", "pipe"], cwd=place, stdout=subprocess.DEVNULL):
        told = xtest("report", "r", "--to", "json=pipe", folder=place)
    assert (told.returncode, told.stderr) == (
        2,
        "xtest: --to json=pipe: whoever read it has gone\n",
    )


def test_without_a_temporary_folder_nothing_runs(place: Path) -> None:
    words = ("run", "double", "--report", "tap=t", "--", "./double.sh")
    script = "import tempfile; tempfile.tempdir = '/nix'; from harness.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "xtest: --report keeps the events of the run in a temporary file: no such file or"
        " directory; set TMPDIR\n",
    )
    assert not (place / "t").exists()


def test_the_file_of_a_report_keeps_its_mode_and_its_link(place: Path) -> None:
    (place / "real").mkdir()
    (place / "real" / "r.tap").write_text("old")
    (place / "real" / "r.tap").chmod(0o604)
    (place / "r.tap").symlink_to("real/r.tap")
    xtest("run", "double", "--report", "tap=r.tap", "--", "./double.sh", folder=place)
    assert (place / "r.tap").is_symlink()
    assert (place / "real" / "r.tap").stat().st_mode & 0o777 == 0o604
    assert (place / "real" / "r.tap").read_text().startswith("TAP")


def test_broken_cases_and_problems_are_errors(place: Path) -> None:
    (place / "double" / "1-out.json").write_text("nonsense")
    shutil.copy(place / "double" / "2-in.json", place / "double" / "9-in.json")
    done = xtest("run", "double", "--case", "1", "--report", "junit=r", "--", "cat", folder=place)
    assert done.returncode == 2
    (error,) = ElementTree.parse(place / "r").iter("error")
    assert error.get("type") == "invalid-case"
    done = xtest("run", "double", "--case", "77", "--report", "junit=r", "--", "cat", folder=place)
    assert done.returncode == 2
    (error,) = ElementTree.parse(place / "r").iter("error")
    assert (error.get("type"), error.get("message")) == ("problem", "means no case")
