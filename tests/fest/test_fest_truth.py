"""Fests whose truth is known by construction are graded as the definitions say."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace

import pytest
from support.fest import RIGHT, World
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
WRONG_WHEAT = replace(WORLD, wheats=WRONG_WHEATS, suites={**WORLD.suites, "gil": ZERO})
RULED = replace(
    WORLD, rulings={("emil", "1"): "valid", ("anna", "1"): "invalid", ("ben", "1"): "valid"}
)


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
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if "programs without tests" not in line)


@pytest.fixture(name="once", scope="module")
def _once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Xtest, bytes]:
    """xtest in the folder of a fest of WORLD that has ended, and the results."""
    xtest = Xtest(tmp_path_factory.mktemp("fest"), tmp_path_factory.mktemp("cache"))
    run_fest(xtest, WORLD)
    return xtest, (xtest.folder / "r.jsonl").read_bytes()


@pytest.fixture(name="ended")
def _ended(once: tuple[Xtest, bytes]) -> Xtest:
    """xtest in the folder of a fest of WORLD that has just ended."""
    xtest, results = once
    shutil.rmtree(xtest.folder)
    WORLD.write(xtest.folder)
    (xtest.folder / "r.jsonl").write_bytes(results)
    return xtest


def assert_graded_rightly(xtest: Xtest, world: World) -> None:
    cases, scores = report(xtest)
    statuses = {(row["team"], row["case"]): row["status"] for row in cases}
    assert statuses == {
        (team, str(number)): world.status(team, number)
        for team, suite in world.suites.items()
        for number in range(1, len(suite) + 1)
    }
    assert scores == world.scores()


def test_no_case_is_graded_wrongly(ended: Xtest) -> None:
    assert_graded_rightly(ended, WORLD)


def test_no_case_is_graded_wrongly_though_a_wheat_is_wrong(xtest: Xtest) -> None:
    run_fest(xtest, WRONG_WHEAT)
    assert_graded_rightly(xtest, WRONG_WHEAT)


def test_a_ruling_changes_scores_and_runs_nothing(ended: Xtest) -> None:
    before = (ended.folder / "r.jsonl").read_bytes()
    RULED.write(ended.folder)
    assert_graded_rightly(ended, RULED)
    assert (ended.folder / "r.jsonl").read_bytes() == before


def test_a_late_submission_runs_only_what_is_new(ended: Xtest) -> None:
    late = replace(WORLD, suites={**WORLD.suites, "fay": [("max", 3, 1, 3)]})
    wheats, chaffs, programs = (len(each) for each in (late.wheats, late.chaffs, late.programs))
    assert run_fest(ended, late).splitlines() == [
        f"xtest: wheats: {wheats} runs",
        f"xtest: wheats again: {2 * wheats} runs",
        f"xtest: chaffs: {chaffs} runs",
        f"xtest: programs: {programs} runs",
    ]
    assert report(ended)[1] == late.scores()
    assert run_fest(ended, late) == ""


def test_a_corrected_program_runs_alone(ended: Xtest) -> None:
    fixed = replace(WORLD, programs={**WORLD.programs, "dora": RIGHT})
    inputs = {json.dumps(case[:3]) for suite in WORLD.suites.values() for case in suite}
    assert run_fest(ended, fixed) == f"xtest: programs: {len(inputs)} runs\n"
    assert report(ended)[1] == fixed.scores()


def test_results_that_were_cut_short_are_continued(ended: Xtest) -> None:
    results = ended.folder / "r.jsonl"
    results.write_bytes(results.read_bytes()[:-900])  # in the middle of a line
    steps = run_fest(ended, WORLD)
    assert steps.startswith("xtest: programs: ")
    assert int(steps.split()[2]) < 9
    assert report(ended)[1] == WORLD.scores()
