"""Interruptions and kills: what is kept, and what is continued."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from fcntl import F_SETPIPE_SZ, fcntl, ioctl
from pathlib import Path
from termios import FIONREAD

import pytest
from support.processes import until
from support.suites import read_events, read_judged, write_files, write_program, write_suite
from support.xtest import Xtest, await_process, without_notes

# Notes what it was started for, and does not pass all of it.
NOTING = """
read case
echo "$PART $case" >> log
sleep 0.005
case $case in
*7) echo 0 ;;
*8) kill -9 $$ ;;
*9) echo '[' ;;
*) echo "$case" ;;
esac
"""
BLOCKS_ON_3 = 'read line; test "$line" = 3 && echo $$ > begun && exec sleep 600; echo "$line"'


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interruption_waits_for_the_results_that_are_being_shown(
    xtest: Xtest, tmp_path: Path, signals: int
) -> None:
    write_suite(tmp_path / "s", {**{str(number): "1\n" for number in range(300)}, "300": "3\n"})
    write_program(tmp_path / "prog", BLOCKS_ON_3)
    words = ("-v", "-j1", "--wall", "600", "--results", "r", "--", "./prog")
    with xtest.start("run", "s", *words) as running:
        assert running.stdout is not None
        fcntl(running.stdout, F_SETPIPE_SZ, 4096)
        await_process(tmp_path / "begun", running)
        # xtest waits until its lines are read.
        stdout = running.stdout
        until(lambda: int.from_bytes(ioctl(stdout, FIONREAD, bytes(4)), sys.byteorder) >= 4000)
        for _ in range(signals):
            running.send_signal(signal.SIGINT)
            time.sleep(0.2)  # signals that come together count as one
        output, errors = running.communicate()
    errors = re.sub("xtest: [0-9]+ of 301 cases, .* left", "", without_notes(errors))
    assert (running.returncode, errors.strip()) == (130, "")
    if signals == 2:  # nothing more is shown
        return
    assert output.splitlines()[-1].startswith("interrupted after 300 runs, 300 passed")
    assert output.count("passed  ") == len(read_judged(tmp_path / "r")) + 1 == 301


@pytest.mark.parametrize(
    "words",
    [("run", "s"), ("accept", "s"), ("compare", "cat", "./prog"), ("new", "s"), ("selftest", "s")],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGQUIT])
def test_xtest_leaves_no_subject_running(
    xtest: Xtest, tmp_path: Path, words: tuple[str, ...], number: int
) -> None:
    files = {"suite.toml": "limits.wall_s = 600\n", "3-in.json": "3\n", "3-out.json": "3\n"}
    write_files(tmp_path / "s", files)
    write_program(tmp_path / "prog", BLOCKS_ON_3)
    write_files(tmp_path, {"new": " 3\n"})
    with (tmp_path / "new").open() as case:
        last = "s" if words[0] == "compare" else "./prog"
        with xtest.start(*words, "--", last, stdin=case.fileno()) as running:
            subject = await_process(tmp_path / "begun", running)
            running.send_signal(number)
            assert running.wait(timeout=60) == (-number if number == signal.SIGKILL else 130)
    until(lambda: not subject.exists())


RESUME = ("run", "s", "-q", "--results", "r", "--resume")


def cases_started(folder: Path, part: int) -> list[str]:
    """Return the cases that the subject was started for in one part of a run."""
    log = folder / "log"
    lines = log.read_text(encoding="ascii").splitlines() if log.exists() else []
    return [case for number, case in map(str.split, lines) if number == str(part)]


def judged_cases(folder: Path) -> list[str]:
    return [event["case"] for event in read_judged(folder / "r")]


def kill_part(xtest: Xtest, part: int) -> None:
    """Kill a run as it begins, or after some subjects were started or some lines written."""
    place, lines = xtest.folder, len(judged_cases(xtest.folder))
    with xtest.start(*RESUME, "-j2", "--", "./prog", PART=str(part)) as running:
        if part % 5 == 0:
            time.sleep(0.02 * part / 5)
        elif part % 2:
            while running.poll() is None and len(cases_started(place, part)) < part % 7:
                time.sleep(0.001)
        else:
            while running.poll() is None and len(judged_cases(place)) < lines + part % 7:
                time.sleep(0.001)


def summary(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line without its time."""
    head, _, tail = done.stdout.splitlines()[-1].partition(" in ")
    return head + tail.partition(" s")[2]


def test_a_run_killed_at_twenty_points_loses_nothing_and_repeats_only_what_was_in_flight(
    xtest: Xtest, tmp_path: Path
) -> None:
    write_suite(tmp_path / "s", {str(number): f"{number}\n" for number in range(1, 121)})
    write_program(tmp_path / "prog", NOTING)
    before: set[str] = set()
    for part in range(1, 21):
        kill_part(xtest, part)
        assert not before & set(cases_started(tmp_path, part))
        now = judged_cases(tmp_path)
        assert len(now) == len(set(now)) and before <= set(now)
        before = set(now)
    assert 20 < len(before) < 120
    done = xtest(*RESUME, "--", "./prog", env={"PART": "99"})
    assert not before & set(cases_started(tmp_path, 99))
    counts = "84 of 120 passed: 12 crashed, 12 malformed, 12 differs"
    assert (done.returncode, summary(done)) == (1, f"{counts}; {len(before)} resumed")
    first, *between, last = read_events(tmp_path / "r")
    assert (first["event"], first["runs"], first["resumed"]) == ("run-started", 120, len(before))
    assert {event["event"] for event in between} == {"judged"}
    assert sorted(map(int, judged_cases(tmp_path))) == list(range(1, 121))
    assert last["resumed"] == len(before)
    # The same as a run that was not interrupted.
    whole = xtest("run", "s", "--results", "alone", "-q", "--", "./prog")
    assert (whole.returncode, summary(whole)) == (1, counts)
    ended = read_events(tmp_path / "alone")[-1]
    assert (last["counts"], last["exit"]) == (ended["counts"], ended["exit"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "log", "prog", "r", "s"]


def test_slow_deliveries_of_many_cases_wait_at_once(xtest: Xtest, tmp_path: Path) -> None:
    texts = {str(case): " ".join(str(case * step) for step in range(30)) for case in range(40)}
    write_suite(tmp_path / "s", texts)
    words = ("--deliver", "slow", "--results", "r", "-j1", "--wall", "60")
    assert xtest("run", "s", *words, "--", "cat").returncode == 0
    alone = sum(event["wall_s"] for event in read_judged(tmp_path / "r"))
    assert read_events(tmp_path / "r")[-1]["wall_s"] < alone / 4
