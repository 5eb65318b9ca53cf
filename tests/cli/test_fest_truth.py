"""Fests whose truth is known by construction are graded as the definitions say."""

from __future__ import annotations

import csv
import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from support.fest import RIGHT, World
from support.suites import read_events, write_files, write_program, write_suite
from support.xtest import Xtest, await_process

from harness.cli.fest import StepProgress

OTHER_RIGHT = RIGHT.replace("'any': a", "'any': b")
MAJORITY = RIGHT.replace("a * b", "abs(a * b)")  # the bug that most programs share
ABSENT = RIGHT.replace("'max': max(a, b), ", "")
GOOD = [("add", 1, 2, 3), ("mul", -2, 3, -6), ("max", 4, 9, 9)]
CHAFFS = {
    "absolute": MAJORITY,
    "first": RIGHT.replace("max(a, b)", "a"),
    "difference": RIGHT.replace("a + b", "a - b"),
    "uncatchable": RIGHT.replace("a * b", "0 if (a, b) == (77, 78) else a * b"),
}
WORLD = World(
    wheats={"one": RIGHT, "two": OTHER_RIGHT},
    chaffs=CHAFFS,
    programs={
        **{"anna": MAJORITY, "ben": MAJORITY, "carl": MAJORITY, "dora": ABSENT},
        **{"emil": RIGHT, "fay": "[][0]", "gil": RIGHT.replace("a + b", "a - b")},
    },
    suites={
        "anna": GOOD,
        "ben": [("any", 1, 2, 1), ("any", 5, 5, 5), ("any", 1, 2, 2), ("add", 1, 1, 2)],
        "carl": [("add", 1, 2, 3)] * 4,  # duplicates
        "dora": GOOD,  # copied
        "emil": [("mul", -2, 3, 6), ("max", 4, 9, 4), ("any", 8, 9, 7)],  # all wrong
        "gil": [("add", 7, 1, 8), ("mul", 2, 3, 6)],
    },
)
WRONG_WHEATS = {"one": RIGHT, "wrong": RIGHT.replace("a * b", "a * b or 1")}
ZERO = [("mul", 0, 3, 0), ("mul", 0, 3, 1), ("mul", 0, 4, 5), ("mul", 2, 3, 6)]
WORLDS = {
    "many-flaws": WORLD,
    "wrong-wheat": replace(WORLD, wheats=WRONG_WHEATS, suites={**WORLD.suites, "gil": ZERO}),
    "rulings": replace(
        WORLD, rulings={("emil", "1"): "valid", ("anna", "1"): "invalid", ("ben", "1"): "valid"}
    ),
}


def report(xtest: Xtest) -> tuple[list[dict[str, str]], dict[str, dict[str, str]]]:
    """Return the rows of cases.csv, and those of scores.csv by their team."""
    done = xtest("fest", "report", "r.jsonl", "--to", "csv=out")
    assert (done.returncode, done.stderr) == (0, "")
    cases, scores = (
        list(csv.DictReader((xtest.folder / "out" / name).read_text("utf-8").splitlines()))
        for name in ("cases.csv", "scores.csv")
    )
    return cases, {row["team"]: row for row in scores}


def run_fest(xtest: Xtest, world: World) -> str:
    """Run a fest to its end, and return the steps that it ran."""
    world.write(xtest.folder)
    done = xtest("fest", "run", "--results", "r.jsonl", "--sandbox=none")
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", WORLDS)
def test_no_case_is_graded_wrongly(name: str, xtest: Xtest) -> None:
    world = WORLDS[name]
    run_fest(xtest, world)
    cases, scores = report(xtest)
    statuses = {(row["team"], row["case"]): row["status"] for row in cases}
    assert statuses == {
        (team, str(number)): world.status(team, number)
        for team, suite in world.suites.items()
        for number in range(1, len(suite) + 1)
    }
    assert scores == world.scores()


def test_a_ruling_changes_scores_and_runs_nothing(xtest: Xtest) -> None:
    run_fest(xtest, WORLD)
    before = (xtest.folder / "r.jsonl").read_bytes()
    WORLDS["rulings"].write(xtest.folder)
    assert report(xtest)[1] == WORLDS["rulings"].scores()
    assert (xtest.folder / "r.jsonl").read_bytes() == before


def test_a_late_submission_runs_only_what_is_new(xtest: Xtest) -> None:
    run_fest(xtest, WORLD)
    late = replace(WORLD, suites={**WORLD.suites, "fay": [("max", 3, 1, 3)]})
    wheats, chaffs, programs = (len(each) for each in (late.wheats, late.chaffs, late.programs))
    assert run_fest(xtest, late).splitlines() == [
        f"xtest: wheats: {wheats} runs",
        f"xtest: wheats again: {2 * wheats} runs",
        f"xtest: chaffs: {chaffs} runs",
        f"xtest: programs: {programs} runs",
    ]
    assert report(xtest)[1] == late.scores()
    assert run_fest(xtest, late) == ""


def test_a_corrected_program_runs_alone(xtest: Xtest) -> None:
    run_fest(xtest, WORLD)
    fixed = replace(WORLD, programs={**WORLD.programs, "dora": RIGHT})
    inputs = {json.dumps(case[:3]) for suite in WORLD.suites.values() for case in suite}
    assert run_fest(xtest, fixed) == f"xtest: programs: {len(inputs)} runs\n"
    assert report(xtest)[1] == fixed.scores()


def test_results_that_were_cut_short_are_continued(xtest: Xtest) -> None:
    run_fest(xtest, WORLD)
    results = xtest.folder / "r.jsonl"
    results.write_bytes(results.read_bytes()[:-900])  # in the middle of a line
    steps = run_fest(xtest, WORLD)
    assert steps.startswith("xtest: programs: ")
    assert int(steps.split()[2]) < 9
    assert report(xtest)[1] == WORLD.scores()


def test_a_repeated_input_counts_once_if_the_first_counts(xtest: Xtest) -> None:
    run_fest(xtest, replace(WORLD, settings='duplicates = "first"\n'))
    cases, scores = report(xtest)
    counted = [row for row in cases if row["status"] == "valid" and not row["reason"]]
    assert len(counted) == len({("add", 1, 2), ("mul", -2, 3), ("max", 4, 9)}) + 4
    totals = [scores[team]["program_total"] for team in ("anna", "dora", "fay")]
    assert totals == ["4", "7", "7"]


def test_hostile_suites_and_programs_change_no_other_score(tmp_path: Path, xtest: Xtest) -> None:
    # Teams try everything, beside two honest ones; inputs of 9 make the wheats hang.
    slow = "__import__('time').sleep(60) if (a, b) == (9, 9) else " + RIGHT
    world = replace(
        WORLD,
        wheats={"one": slow, "two": slow},
        programs={
            **{"anna": MAJORITY, "gil": RIGHT},
            **{"zed": "[1] * 10**9", "zoe": "__import__('os').kill(0, 9)"},
        },
        suites={"anna": GOOD, "gil": [("mul", 2, -3, -6)], "slow": [("add", 9, 9, 18)]},
    )
    settings = "[limits]\nwall_s = 3\noutput_mib = 1\nmemory_mib = 200\n"
    write_files(tmp_path, {"suite.toml": settings})
    cases = {"1": "[", "<b>-2": '["add", 1, 2]'}
    evil = write_suite(tmp_path / "tests" / "evil", cases, "[limits]\nwall_s = 0.001\n")
    (evil / "3-in.json").symlink_to(tmp_path / "wheats" / "one" / "solve")
    (tmp_path / "tests" / "link").symlink_to("anna")
    (tmp_path / "teams" / "thief").mkdir(parents=True)
    (tmp_path / "teams" / "thief" / "solve").symlink_to("../../wheats/one/solve")
    run_fest(xtest, world)
    rows, scores = report(xtest)
    assert {team: (row["valid"], row["program_passed"]) for team, row in scores.items()} == {
        **{"anna": ("3", "0"), "evil": ("0", "0"), "gil": ("1", "3"), "link": ("0", "0")},
        **{"slow": ("0", "0"), "thief": ("0", "0"), "zed": ("0", "0"), "zoe": ("0", "0")},
    }
    assert scores["zed"]["program_total"] == scores["evil"]["program_total"] == "4"
    reasons = {f"{row['team']}/{row['case']}": row["reason"] for row in rows}
    assert reasons["slow/1"].startswith("wheat one: silent: ")
    assert reasons["evil/3"] == "3-in.json is a symbolic link"
    assert reasons["evil/<b>-2"].startswith("wheat one: differs: ")


def test_another_expected_output_of_a_known_input_is_judged(xtest: Xtest) -> None:
    world = replace(WORLD, suites={"gil": [("mul", 2, 3, 5)]})
    run_fest(xtest, world)
    late = replace(WORLD, suites={**world.suites, "anna": [("mul", 2, 3, 6)]})
    run_fest(xtest, late)
    cases, scores = report(xtest)
    assert [row["status"] for row in cases] == ["valid", "invalid"]
    assert scores == late.scores()


def test_an_interrupted_fest_keeps_its_answers_and_goes_on(tmp_path: Path, xtest: Xtest) -> None:
    world = replace(WORLD, programs={"anna": MAJORITY, "zed": RIGHT}, chaffs={})
    world.write(tmp_path)
    write_program(tmp_path / "teams/zed/solve", "echo $$ > ../../begun; exec sleep 600")
    write_files(tmp_path, {"suite.toml": "[limits]\nwall_s = 600\n"})
    words = ("fest", "run", "-j1", "--sandbox=none", "--results", "r.jsonl")
    with xtest.start(*words) as running:
        program = await_process(tmp_path / "begun", running)
        running.send_signal(signal.SIGINT)
        running.communicate()
    assert running.returncode == 130
    *_, answered, ended = read_events(tmp_path / "r.jsonl")
    assert (answered["program"], ended["interrupted"]) == ("anna", True)
    assert not program.exists()
    assert "xtest: programs: " in run_fest(xtest, world)
    assert report(xtest)[1] == world.scores()


def test_a_fest_that_lost_a_worker_is_not_scored(xtest: Xtest) -> None:
    killer = "__import__('os').kill(__import__('os').getppid(), 9)"
    world = replace(WORLD, programs={"anna": RIGHT, "ben": killer, "zed": RIGHT}, chaffs={})
    world.write(xtest.folder)
    done = xtest("fest", "run", "-j1", "--sandbox=none", "--results", "r.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-3:] == [
        "xtest: a worker of xtest was killed by SIGKILL; cases are missing",
        "xtest: a worker was lost while these ran: team ben; "
        "without a sandbox, programs can kill xtest",
        "xtest: the fest is incomplete, so nothing is scored",
    ]
    assert read_events(xtest.folder / "r.jsonl")[-1]["interrupted"]


def test_a_step_tells_how_many_runs_have_ended(capsys: pytest.CaptureFixture[str]) -> None:
    for every_s in (0, 3_600):
        progress = StepProgress(every_s)
        progress.begin("wheats", 3)
        for _ in range(3):
            progress.count()
        progress.begin("chaffs", 0)
    assert capsys.readouterr().err.splitlines() == [
        *("xtest: wheats: 3 runs", "xtest: wheats: 1 of 3 runs", "xtest: wheats: 2 of 3 runs"),
        "xtest: wheats: 3 runs",
    ]
