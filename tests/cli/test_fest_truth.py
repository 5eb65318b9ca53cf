"""Fests whose truth is known by construction are graded as the definitions say."""

from __future__ import annotations

import csv
import json
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.fest import RIGHT, World
from support.suites import read_events, write_program, write_suite
from support.xtest import Xtest

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
        WORLD,
        rulings={("emil", "1"): "valid", ("anna", "1"): "invalid", ("ben", "1"): "valid"},
    ),
}


def report(xtest: Xtest, folder: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the rows of cases.csv and scores.csv."""
    done = xtest("fest", "report", "r.jsonl", "--to", "csv=out", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    tables = []
    for name in ("cases.csv", "scores.csv"):
        with (folder / "out" / name).open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    return tables[0], tables[1]


def run_fest(xtest: Xtest, folder: Path, *words: str) -> str:
    """Run a fest to its end, and return the steps that it ran."""
    done = xtest("fest", "run", "--results", "r.jsonl", "--sandbox=none", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", WORLDS)
def test_no_case_is_graded_wrongly(name: str, tmp_path: Path, xtest: Xtest) -> None:
    world = WORLDS[name]
    folder = world.write(tmp_path / "fest")
    run_fest(xtest, folder)
    cases, scores = report(xtest, folder)
    statuses = {(row["team"], row["case"]): row["status"] for row in cases}
    assert statuses == {
        (team, str(number)): world.status(team, number)
        for team, suite in world.suites.items()
        for number in range(1, len(suite) + 1)
    }
    assert {row["team"]: row for row in scores} == world.scores()


def test_a_ruling_changes_scores_and_runs_nothing(tmp_path: Path, xtest: Xtest) -> None:
    folder = WORLD.write(tmp_path / "fest")
    run_fest(xtest, folder)
    before = (folder / "r.jsonl").read_bytes()
    ruled = WORLDS["rulings"]
    ruled.write(folder)
    _, scores = report(xtest, folder)
    assert {row["team"]: row for row in scores} == ruled.scores()
    assert (folder / "r.jsonl").read_bytes() == before


def test_a_late_submission_runs_only_what_is_new(tmp_path: Path, xtest: Xtest) -> None:
    late = replace(WORLD, suites={**WORLD.suites, "fay": [("max", 3, 1, 3)]})
    folder = WORLD.write(tmp_path / "fest")
    run_fest(xtest, folder)
    late.write(folder)
    steps = run_fest(xtest, folder)
    wheats, chaffs, programs = (len(each) for each in (late.wheats, late.chaffs, late.programs))
    assert steps.splitlines() == [
        f"xtest: wheats: {wheats} runs",
        f"xtest: wheats again: {2 * wheats} runs",
        f"xtest: chaffs: {chaffs} runs",
        f"xtest: programs: {programs} runs",
    ]
    assert {row["team"]: row for row in report(xtest, folder)[1]} == late.scores()
    assert run_fest(xtest, folder) == ""


def test_a_corrected_program_runs_alone(tmp_path: Path, xtest: Xtest) -> None:
    folder = WORLD.write(tmp_path / "fest")
    run_fest(xtest, folder)
    fixed = replace(WORLD, programs={**WORLD.programs, "dora": RIGHT})
    fixed.write(folder)
    inputs = {json.dumps(case[:3]) for suite in WORLD.suites.values() for case in suite}
    assert run_fest(xtest, folder) == f"xtest: programs: {len(inputs)} runs\n"
    assert {row["team"]: row for row in report(xtest, folder)[1]} == fixed.scores()


def test_results_that_were_cut_short_are_continued(tmp_path: Path, xtest: Xtest) -> None:
    folder = WORLD.write(tmp_path / "fest")
    run_fest(xtest, folder)
    whole = (folder / "r.jsonl").read_bytes()
    (folder / "r.jsonl").write_bytes(whole[: len(whole) - 900])  # in the middle of a line
    steps = run_fest(xtest, folder)
    assert steps.startswith("xtest: programs: ")
    assert int(steps.split()[2]) < 9
    assert {row["team"]: row for row in report(xtest, folder)[1]} == WORLD.scores()


def test_a_repeated_input_counts_once_if_the_first_counts(tmp_path: Path, xtest: Xtest) -> None:
    world = replace(WORLD, settings='duplicates = "first"\n')
    folder = world.write(tmp_path / "fest")
    run_fest(xtest, folder)
    cases, scores = report(xtest, folder)
    counted = [row for row in cases if row["status"] == "valid" and not row["reason"]]
    assert len(counted) == len({("add", 1, 2), ("mul", -2, 3), ("max", 4, 9)}) + 4
    total = {row["team"]: row["program_total"] for row in scores}
    assert (total["anna"], total["dora"], total["fay"]) == ("4", "7", "7")


def hostile_fest(folder: Path) -> None:
    """Write teams that try everything, beside two honest ones; inputs of 9 make wheats hang."""
    slow = "__import__('time').sleep(60) if (a, b) == (9, 9) else " + RIGHT
    others = ("../../wheats/one/solve", "[1] * 10**9", "__import__('os').kill(0, 9)")
    world = replace(
        WORLD,
        wheats={"one": slow, "two": slow},
        programs={"anna": MAJORITY, "gil": RIGHT, "zed": others[1], "zoe": others[2]},
        suites={"anna": GOOD, "gil": [("mul", 2, -3, -6)], "slow": [("add", 9, 9, 18)]},
    )
    world.write(folder)
    (folder / "suite.toml").write_text("[limits]\nwall_s = 3\noutput_mib = 1\nmemory_mib = 200\n")
    evil = write_suite(folder / "tests" / "evil", {"1": "[", "<b>-2": '["add", 1, 2]'})
    (evil / "3-in.json").symlink_to(folder / "wheats" / "one" / "solve")
    (evil / "suite.toml").write_text("[limits]\nwall_s = 0.001\n")
    (folder / "tests" / "link").symlink_to("anna")
    (folder / "teams" / "thief").mkdir()
    (folder / "teams" / "thief" / "solve").symlink_to(others[0])


def test_hostile_suites_and_programs_change_no_other_score(tmp_path: Path, xtest: Xtest) -> None:
    hostile_fest(tmp_path / "fest")
    run_fest(xtest, tmp_path / "fest")
    cases, scores = report(xtest, tmp_path / "fest")
    rows = {row["team"]: row for row in scores}
    assert {team: (row["valid"], row["program_passed"]) for team, row in rows.items()} == {
        **{"anna": ("3", "0"), "evil": ("0", "0"), "gil": ("1", "3"), "link": ("0", "0")},
        **{"slow": ("0", "0"), "thief": ("0", "0"), "zed": ("0", "0"), "zoe": ("0", "0")},
    }
    assert {row["program_total"] for team, row in rows.items() if team in ("zed", "evil")} == {"4"}
    reasons = {f"{row['team']}/{row['case']}": row["reason"] for row in cases}
    assert reasons["slow/1"].startswith("wheat one: silent: ")
    assert reasons["evil/3"] == "3-in.json is a symbolic link"
    assert reasons["evil/<b>-2"].startswith("wheat one: differs: ")


def test_chaffs_are_made_of_a_wheat_and_caught(tmp_path: Path, xtest: Xtest) -> None:
    folder = replace(WORLD, chaffs={}).write(tmp_path / "fest")
    made = xtest("fest", "chaffs", "--from", "wheats/one", "--most", "3", cwd=folder)
    assert (made.returncode, made.stdout.splitlines()) == (
        0,
        [
            "chaffs/mutant-01-prints-nothing  prints nothing",
            "chaffs/mutant-02-repeats-the-first-value  repeats the first value",
            "chaffs/mutant-03-0-plus-1  /0: plus 1",
        ],
    )
    run_fest(xtest, folder)
    assert {row["chaffs_caught"] for row in report(xtest, folder)[0] if row["case"] == "1"} == {
        *("0", "3")
    }
    again = xtest("fest", "chaffs", "--from", "one", cwd=folder)
    assert again.stderr.endswith("was made before; remove mutant-* first\n")


def test_a_program_of_staff_that_cannot_start_is_a_fault(tmp_path: Path, xtest: Xtest) -> None:
    folder = WORLD.write(tmp_path / "fest")
    (folder / "chaffs" / "first" / "solve").unlink()
    done = xtest("fest", "run", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xtest: chaff first: {folder}/chaffs/first/./solve: no such program\n"


def test_another_expected_output_of_a_known_input_is_judged(tmp_path: Path, xtest: Xtest) -> None:
    folder = replace(WORLD, suites={"gil": [("mul", 2, 3, 5)]}).write(tmp_path / "fest")
    run_fest(xtest, folder)
    late = replace(WORLD, suites={"gil": [("mul", 2, 3, 5)], "anna": [("mul", 2, 3, 6)]})
    late.write(folder)
    run_fest(xtest, folder)
    cases, scores = report(xtest, folder)
    assert [row["status"] for row in cases] == ["valid", "invalid"]
    assert {row["team"]: row for row in scores} == late.scores()


def test_an_interrupted_fest_keeps_its_answers_and_goes_on(tmp_path: Path, xtest: Xtest) -> None:
    world = replace(WORLD, programs={"anna": MAJORITY, "zed": RIGHT}, chaffs={})
    folder = world.write(tmp_path / "fest")
    hangs = "#!/bin/sh\necho $$ > ../../begun\nexec sleep 600\n"
    write_program(folder / "teams" / "zed" / "solve", hangs)
    (folder / "suite.toml").write_text("[limits]\nwall_s = 600\n", "utf-8")
    words = ("fest", "run", "-j1", "--sandbox=none", "--results", "r.jsonl")
    with replace(xtest, folder=folder).start(*words) as running:
        while not (folder / "begun").exists() or not (folder / "begun").read_bytes():
            assert running.poll() is None, running.communicate()
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        running.communicate()
    assert running.returncode == 130
    *_, answered, ended = read_events(folder / "r.jsonl")
    assert (answered["program"], ended["interrupted"]) == ("anna", True)
    assert not Path("/proc", (folder / "begun").read_text("ascii").strip()).exists()
    world.write(folder)
    assert run_fest(xtest, folder).startswith("xtest: programs: ")
    assert {row["team"]: row for row in report(xtest, folder)[1]} == world.scores()
