"""Benchmarks: they run, and memory and verdicts are as promised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from judge_memory import MOST, output, ratio
from stress import busy_processors, false_verdicts, plan, verdicts, write_suite
from support.debian import need
from support.xtest import TOP

from harness.model.limits import MIB


def printed_by(benchmark: str, folder: Path, *words: str) -> str:
    command = [sys.executable, str(TOP / "benchmarks" / benchmark), *words]
    # With PYTHONSAFEPATH, as tox sets it, a script does not find the modules beside it.
    environment = {**os.environ, "PYTHONSAFEPATH": ""}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.system
def test_the_speed_benchmark_runs_and_both_sides_pass(tmp_path: Path) -> None:
    need("gcc")
    printed = printed_by("run_speed.py", tmp_path, "20", "1")
    assert printed.startswith("20 cases of cat, two at once, 1 rounds in turn; medians:\n")


@pytest.mark.system
def test_the_benchmark_of_dialogues_runs_and_both_sides_pass(tmp_path: Path) -> None:
    need("gcc")
    printed = printed_by("dialogues.py", tmp_path, "20", "1")
    assert printed.startswith("20 scripts of 10 exchanges, 1 rounds in turn; medians:\n")


def test_the_benchmark_of_sessions_runs_and_its_verdicts_are_right(tmp_path: Path) -> None:
    sizes = ("--cases", "5", "--alone", "2", "--rounds", "1", "--skip", "fork")
    printed = printed_by("sessions.py", tmp_path, *sizes)
    assert printed.startswith("5 cases in sessions, 2 alone, 1 rounds:\n")


def test_the_benchmark_of_large_corpora_runs(tmp_path: Path) -> None:
    printed = printed_by("large_corpora.py", tmp_path, "--cases", "20", "--rounds", "1")
    assert printed.startswith("20 cases, 1 rounds; decoding and comparing: ")


@pytest.mark.parametrize("kind", ["objects", "digits", "empty arrays"])
def test_judging_takes_a_bounded_multiple_of_the_output(kind: str) -> None:
    assert ratio(b"[0]", output(kind, 4 * MIB)) <= MOST


def test_there_are_no_false_verdicts_on_a_busy_machine(tmp_path: Path) -> None:
    behaviours = plan(300)
    write_suite(tmp_path, behaviours)
    with busy_processors():
        seen = verdicts(tmp_path)
    assert not false_verdicts(behaviours, seen)


@pytest.mark.slow
@pytest.mark.system
@pytest.mark.needs("namespaces")  # each run writes a file of the same name
def test_a_cohort_that_is_built_and_writes_temporary_files_is_graded_alike_in_parallel(
    tmp_path: Path,
) -> None:
    need("gcc")
    need("javac")
    printed = printed_by("cohort.py", tmp_path, "4", "3")
    graded = [line.partition(" in ")[0] + line.partition(" s")[2] for line in printed.splitlines()]
    assert graded == [f"-j{jobs}: 24 verdicts, 0 false" for jobs in (1, 2, 2)]
