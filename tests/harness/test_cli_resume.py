"""--resume as its users meet it: whole processes, killed at many points."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from spied_runs import (
    SUBJECT,
    XTEST,
    environment,
    events,
    judged,
    last_line,
    made_place,
    started,
    write_cases,
    xtest,
)


@pytest.fixture(name="place")
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and its subject, and a cache of its own."""
    monkeypatch.setenv("XTEST_CACHE", str(tmp_path / "cache"))
    return made_place(tmp_path)


RESUME = ("s", "-q", "--results", "r", "--resume")


def kill_after(place: Path, part: int) -> None:
    """Kill a part of a run: while it begins, or when its subject was started so often, or when so
    many lines are written."""
    words = [*XTEST, *RESUME, "-j2", "--", "./prog"]
    lines = len(judged(place))
    with subprocess.Popen(
        words, cwd=place, stdout=subprocess.DEVNULL, env=environment(part)
    ) as process:
        if part % 5 == 0:
            time.sleep(0.02 * part / 5)
        elif part % 2:
            while process.poll() is None and len(started(place, part)) < part % 7:
                time.sleep(0.001)
        else:
            while process.poll() is None and len(judged(place)) < lines + part % 7:
                time.sleep(0.001)
        process.kill()


def test_killed_at_twenty_points_a_run_loses_nothing_and_repeats_only_what_was_in_flight(
    place: Path,
) -> None:
    write_cases(place / "s", *range(1, 121))
    before: set[str] = set()
    for part in range(1, 21):
        kill_after(place, part)
        assert not before & set(started(place, part))
        now = judged(place)
        assert len(now) == len(set(now)) and before <= set(now)
        before = set(now)
    assert 20 < len(before) < 120
    done = xtest(*RESUME, "--", "./prog", folder=place, part=99)
    assert not before & set(started(place, 99))
    counts = "84 of 120 passed: 12 crashed, 12 malformed, 12 differs"
    assert (done.returncode, last_line(done)) == (1, f"{counts}; {len(before)} resumed")
    first, *between, last = events(place)
    assert (first["event"], first["runs"], first["resumed"]) == ("run-started", 120, len(before))
    assert {event["event"] for event in between} == {"judged"}
    assert sorted(map(int, judged(place))) == list(range(1, 121))
    assert last["resumed"] == len(before)
    # As one that nobody interrupted.
    alone = xtest("s", "--results", "alone", "-q", "--", "./prog", folder=place)
    assert (alone.returncode, last_line(alone)) == (1, counts)
    whole = json.loads((place / "alone").read_text(encoding="utf-8").splitlines()[-1])
    assert (last["counts"], last["exit"]) == (whole["counts"], whole["exit"])
    assert sorted(path.name for path in place.iterdir()) == [
        *("alone", "cache", "log", "prog", "r", "s")
    ]


@pytest.fixture(name="finished")
def _finished(place: Path) -> Path:
    """The same folder with the results of a whole run."""
    assert xtest(*RESUME, "--", "./prog", folder=place).returncode == 1
    return place


def test_a_run_that_is_complete_is_shown_again_and_not_repeated(finished: Path) -> None:
    done = xtest("s", "--results", "r", "--resume", "--", "./prog", folder=finished, part=1)
    assert not started(finished, 1)
    assert done.returncode == 1
    assert "crashed  s/8  ended by SIGKILL" in done.stdout
    assert "    repeat     xtest run s --case 8 -- ./prog" in done.stdout
    assert last_line(done) == "7 of 10 passed: 1 crashed, 1 malformed, 1 differs; 10 resumed"


def test_a_run_that_is_gone_on_with_says_of_its_suites_what_they_say_now(finished: Path) -> None:
    said = {"suite": "s", "folder": "s", "cases": 10, "selected": 10}
    assert events(finished)[0]["about"] == [said]
    (finished / "s/suite.toml").write_text("[grading]\npoints = 5\n", encoding="utf-8")
    xtest(*RESUME, "--", "./prog", folder=finished, part=1)
    # No verdict depends on it: nothing is run again.
    assert not started(finished, 1)
    assert events(finished)[0]["about"] == [said | {"points": 5.0}]


def test_a_file_of_before_there_was_anything_to_say_of_suites_is_gone_on_with(
    finished: Path,
) -> None:
    text = (finished / "r").read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    older = {name: value for name, value in json.loads(head).items() if name != "about"}
    (finished / "r").write_text(f"{json.dumps(older)}\n{rest}", encoding="utf-8")
    xtest(*RESUME, "--", "./prog", folder=finished, part=1)
    assert not started(finished, 1)
    assert events(finished)[0]["about"][0]["selected"] == 10


def test_a_file_cut_at_any_byte_can_be_gone_on_with(finished: Path) -> None:
    data = (finished / "r").read_bytes()
    for part, length in enumerate(range(9, len(data), len(data) // 3), start=1):
        (finished / "r").write_bytes(data[:length])
        before = judged(finished)
        done = xtest(*RESUME, "--", "./prog", folder=finished, part=part)
        assert (done.returncode, done.stderr) == (1, "")
        assert sorted(started(finished, part), key=int) == [
            case for case in map(str, range(1, 11)) if case not in before
        ]
        assert len(judged(finished)) == 10


def test_a_case_that_changed_is_run_again_and_one_that_is_gone_goes(finished: Path) -> None:
    (finished / "s/7-out.json").write_text("[7]", encoding="utf-8")
    for side in ("in", "out"):
        (finished / f"s/8-{side}.json").unlink()
    write_cases(finished / "s", 11)
    done = xtest(*RESUME, "--", "./prog", folder=finished, part=1)
    assert sorted(started(finished, 1)) == ["11", "7"]
    assert last_line(done) == "8 of 10 passed: 1 malformed, 1 differs; 8 resumed"


@pytest.mark.parametrize("what", ["subject", "policy", "limit", "module"])
def test_what_verdicts_rest_on_is_looked_at(finished: Path, what: str) -> None:
    words = ["--depends", "lib"] if what == "module" else []
    (finished / "lib").mkdir()
    (finished / "lib/module.py").write_text("old", encoding="utf-8")
    if what == "module":
        # To depend on something else is a change, too.
        done = xtest(*RESUME, *words, "--", "./prog", folder=finished, part=9)
        assert len(started(finished, 9)) == 10
    if what == "subject":
        (finished / "prog").write_text(SUBJECT.replace("*7)", "x7)"), encoding="utf-8")
    elif what == "policy":
        (finished / "s/suite.toml").write_text('[compare]\nnumbers = "value"', encoding="utf-8")
    elif what == "limit":
        words = ["--wall", "9"]
    else:
        (finished / "lib/module.py").write_text("", encoding="utf-8")
    done = xtest(*RESUME, *words, "--", "./prog", folder=finished, part=1)
    assert len(started(finished, 1)) == 10
    assert "resumed" not in done.stdout
    assert len(judged(finished)) == 10


def test_one_can_go_on_behind_the_failure_that_stopped_a_run(place: Path) -> None:
    stop = (*RESUME, "-j1", "--fail-fast", "--", "./prog")
    for part, number in enumerate((1, 2, 3), start=1):
        done = xtest(*stop, folder=place, part=part)
        counts = events(place)[-1]["counts"]
        assert sum(counts.values()) - counts["passed"] == number
        assert done.returncode == 1
    done = xtest(*stop, folder=place, part=4)
    assert started(place, 4) == ["10"]
    assert last_line(done) == "7 of 10 passed: 1 crashed, 1 malformed, 1 differs; 9 resumed"


def test_of_a_case_cut_off_between_deliveries_the_others_are_left(place: Path) -> None:
    chosen = ("--deliver", "plain,pretty,crlf", "--case", "7", "--case", "1")
    words = (*RESUME, "-j1", *chosen, "--", "./prog")
    (place / "prog").write_text(SUBJECT.replace("*7)", "7?)"), encoding="utf-8")  # 7 and CR
    assert xtest(*words, folder=place).returncode == 1
    lines = (place / "r").read_bytes().splitlines(keepends=True)
    whole = sorted(json.dumps(event["event"]) for event in events(place))
    for part, count in enumerate((2, 4, len(lines) - 2), start=1):
        (place / "r").write_bytes(b"".join(lines[:count]))
        before = len(judged(place))
        done = xtest(*words, folder=place, part=part)
        assert (done.returncode, len(started(place, part))) == (1, len(lines) - 3 - before)
        assert sorted(json.dumps(event["event"]) for event in events(place)) == whole


def test_a_subject_that_could_not_be_started_is_tried_again(place: Path) -> None:
    (place / "prog").rename(place / "away")
    done = xtest(*RESUME, "--", "./prog", folder=place)
    assert last_line(done) == "0 of 10 passed: 10 not-started"
    (place / "away").rename(place / "prog")
    done = xtest(*RESUME, "--", "./prog", folder=place)
    assert last_line(done) == "7 of 10 passed: 1 crashed, 1 malformed, 1 differs"


def test_what_was_resumed_counts_for_failed(place: Path) -> None:
    xtest(*RESUME, "--", "./prog", folder=place)
    shutil.rmtree(place / "cache")
    xtest(*RESUME, "--", "./prog", folder=place)
    done = xtest("s", "-q", "--failed", "--", "./prog", folder=place)
    assert last_line(done) == "0 of 3 passed: 1 crashed, 1 malformed, 1 differs"
