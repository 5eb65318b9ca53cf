"""Runs on real Dask workers, which are killed, interrupted, wrong or malicious."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from subprocess import CompletedProcess
from typing import Any

import pytest
from support.dask_cluster import DaskProcesses, start_dask, watch_workers
from support.processes import descendants_of, lives, processes_in, until
from support.suites import read_events, read_judged, write_files, write_program, write_suite
from support.xtest import Xtest, await_process

pytestmark = pytest.mark.slow

_CASES = 18  # two more than a probe
# The input "kill" kills the Dask worker: the parent of the process that runs batches, which is the
# parent of the process of xtest that runs this. Of a comparison, it is the parent itself.
_SUBJECT = """#!/bin/sh
above() { sed -n 's/^PPid:\\t//p' /proc/$1/status; }
read input
case $input in
'"once"') mkdir "$XTEST_SUITE/../killed" && kill -9 $(above $PPID) && sleep 10 ;;
'"end"') kill -9 $PPID; sleep 10 ;;
'"kill"') kill -9 $(above $(above $PPID)); sleep 10 ;;
'"wait"') touch "$XTEST_SUITE/../waiting"; sleep 100 ;;
'"wrong"') input=0 ;;
esac
echo "$input"
"""


@pytest.fixture(scope="module", name="dask")
def dask_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with start_dask(tmp_path_factory.mktemp("dask")) as running:
        running.start_workers(2)
        yield running


@pytest.fixture(name="xtest")
def xtest_fixture(xtest: Xtest) -> Xtest:
    """Run `xtest` in a folder with a suite, whose inputs are numbers, and a subject."""
    write_program(xtest.folder / "subject", _SUBJECT)
    write_suite(xtest.folder / "suite", {str(n): str(n) for n in range(1, _CASES + 1)})
    return xtest


def _write_case(xtest: Xtest, number: int, text: str) -> None:
    write_suite(xtest.folder / "suite", {str(number): text})


def _judged(file: Path) -> list[dict[str, Any]]:
    """Return the judged runs of a results file without times, in order of the cases."""
    measured = {"wall_s", "first_byte_s", "cpu_s", "processes", "peak_mib", "near_limits"}
    judged = [
        {name: value for name, value in event.items() if name not in measured}
        for event in read_judged(file)
    ]
    return sorted(judged, key=lambda event: int(event["case"]))


def test_results_are_those_of_one_machine_though_a_case_kills_its_workers(
    xtest: Xtest, dask: DaskProcesses
) -> None:
    _write_case(xtest, 7, '"wrong"')
    words = ("run", "suite", "--no-retry-timeouts", "--results")
    local = xtest(*words, "local.jsonl", "-j2", "--", "./subject")
    assert local.returncode == 1
    _write_case(xtest, 17, '"kill"')
    ended = xtest(*words, "far.jsonl", "--cluster", dask.address, "--", "./subject")
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "workers died; the cases in progress there ran again elsewhere" in ended.stderr
    far = _judged(xtest.folder / "far.jsonl")
    assert [event["case"] for event in far] == [str(case) for case in range(1, _CASES + 1)]
    assert far[16]["verdict"] == "harness-fault"
    expected = _judged(xtest.folder / "local.jsonl")
    assert far[:16] + far[17:] == expected[:16] + expected[17:]


_SLOW = """#!/bin/sh
read input
echo $PPID >> "$0.parents"
[ $input = 9 ] && mkdir "$0.was-here" && sleep 100
sleep 0.07
echo "$input"
"""


def test_timeouts_are_repeated_and_durations_are_remembered(
    xtest: Xtest, dask: DaskProcesses
) -> None:
    write_files(xtest.folder, {"subject": _SLOW, "suite/suite.toml": "[limits]\nwall_s = 4\n"})
    parents = xtest.folder / "subject.parents"  # one for each batch
    largest = []
    for results in ("first.jsonl", "second.jsonl"):
        words = ("run", "suite", "--results", results, "--cluster", dask.address)
        ended = xtest(*words, "--", "./subject")
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert {each["verdict"] for each in _judged(xtest.folder / results)} == {"passed"}
        largest.append(max(Counter(parents.read_text(encoding="utf-8").split()).values()))
        parents.unlink()
    assert largest[0] == 16  # nothing is known of the subject
    assert largest[1] <= 14  # a second of work
    ended_event = read_events(xtest.folder / "first.jsonl")[-1]
    assert ended_event["retried"] >= 1


def _interrupt(xtest: Xtest, *words: str, judged: int = 0) -> CompletedProcess[str]:
    """Run xtest, and interrupt it when the last case waits, and so many others have ended. Nothing
    runs afterwards."""
    _write_case(xtest, _CASES, '"wait"')
    with xtest.start(*words) as running:
        until((xtest.folder / "waiting").exists)
        until(lambda: not judged or len(_judged(xtest.folder / "results.jsonl")) >= judged)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate()
    until(lambda: not processes_in(xtest.folder, b"subject"))
    return CompletedProcess(words, running.returncode, output, errors)


def test_an_interrupted_run_is_resumed_here(xtest: Xtest, dask: DaskProcesses) -> None:
    words = ("run", "suite", "--results", "results.jsonl")
    cluster = ("--cluster", dask.address, "--", "./subject")
    ended = _interrupt(xtest, *words, *cluster, judged=_CASES - 2)
    assert ended.returncode == 130, ended.stderr
    assert len(_judged(xtest.folder / "results.jsonl")) == _CASES - 1  # one of the same batch, too
    _write_case(xtest, _CASES, "1")
    resumed = xtest(*words, "--resume", "--", "./subject")
    assert resumed.returncode == 0, resumed.stdout
    assert len(_judged(xtest.folder / "results.jsonl")) == _CASES


def test_an_interrupted_comparison_shows_what_has_ended(xtest: Xtest, dask: DaskProcesses) -> None:
    words = ("compare", "cat", "./subject", "--cluster", dask.address, "--", "suite")
    ended = _interrupt(xtest, *words)
    assert ended.returncode == 130, ended.stderr
    assert "interrupted after" in ended.stdout


def test_a_deadline_ends_what_still_runs(xtest: Xtest, dask: DaskProcesses) -> None:
    _write_case(xtest, 5, '"wait"')
    words = ("run", "suite", "--deadline=4", "--results=results.jsonl", "--cluster", dask.address)
    ended = xtest(*words, "--", "./subject")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    judged = _judged(xtest.folder / "results.jsonl")
    assert [event["case"] for event in judged] == [str(case) for case in range(1, _CASES + 1)]
    assert {event["verdict"] for event in judged} <= {"passed", "not-run"}
    assert judged[4]["verdict"] == "not-run"


@pytest.mark.parametrize(
    ("words", "ending"),
    [(("run", "suite"), ("only-here",)), (("compare", "cat", "only-here"), ("suite",))],
)
def test_workers_without_the_program_get_no_cases(
    xtest: Xtest, dask: DaskProcesses, words: tuple[str, ...], ending: tuple[str, ...]
) -> None:
    (xtest.folder / "bin").mkdir()
    (xtest.folder / "bin/only-here").symlink_to("/bin/cat")
    path = f"{xtest.folder}/bin{os.pathsep}{os.environ['PATH']}"
    ended = xtest(*words, "--cluster", dask.address, "--", *ending, env={"PATH": path})
    assert ended.returncode == 2
    assert ended.stderr.count("gets no cases: only-here: only-here: no such program") == 2
    assert ended.stderr.endswith("xtest: --cluster: no worker can run this\n")


_PROJECT = """
suites = ["suite"]
[subjects.wheat]
command = ["cat"]
session = "stream"
[subjects.ann]
command = ["true"]
tags = ["team"]
"""
_FEST = """
tests = "tests/*"
subjects = ["@team"]
wheats = ["wheat"]
chaffs = ["ann"]
"""


@pytest.mark.parametrize("words", [("matrix",), ("fest", "run", "--sandbox=none")])
def test_other_commands_print_the_same(
    xtest: Xtest, dask: DaskProcesses, words: tuple[str, ...]
) -> None:
    write_files(xtest.folder, {"xtest.toml": _PROJECT, "fest.toml": _FEST})
    write_files(xtest.folder, {"suite/suite.toml": "stateless = true\n"})
    copytree(xtest.folder / "suite", xtest.folder / "tests/ann")
    here = xtest(*words, "-j2")
    there = xtest(*words, "--cluster", dask.address, "--ship", "--results=there.jsonl")
    sessions = [each for each in read_events(xtest.folder / "there.jsonl") if "sessions" in each]
    assert sum(each["sessions"] for each in sessions) >= (words == ("matrix",))
    assert there.stdout == here.stdout and str(_CASES) in here.stdout
    assert there.returncode == here.returncode, there.stderr


def test_a_comparison_is_the_same_though_workers_end(xtest: Xtest, dask: DaskProcesses) -> None:
    for number, text in ((2, '  "wrong"'), (7, '"wrong"'), (12, '"wrong"'), (14, '"once"')):
        _write_case(xtest, number, text)
    killed = xtest.folder / "killed"
    killed.mkdir()
    words = ("compare", "cat", "./subject", "--limit=2", "--format=json")
    expected = json.loads(xtest(*words, "-j2", "--case=1-16", "--", "suite").stdout)
    assert [each["case"] for each in expected["separating"]] == ["7", "12", "2"]
    assert [each["case"] for each in expected["shown"]] == ["7", "12"]
    killed.rmdir()
    _write_case(xtest, 17, '"end"')  # the second batch
    ended = xtest(*words, "--case=1-17", "--cluster", dask.address, "--", "suite")
    assert ended.returncode == 2, ended.stderr
    assert killed.exists()
    remark = "without a sandbox, programs can kill xtest"
    message = f"a worker of xtest was killed by SIGKILL; {remark}"
    problem = {"where": "suite/17", "message": message}
    assert json.loads(ended.stdout) == expected | {"problems": [problem]}


@pytest.mark.system
def test_a_worker_with_other_files_gets_no_cases(xtest: Xtest, dask: DaskProcesses) -> None:
    other = copytree(xtest.folder / "suite", xtest.folder / "other")
    (other / "3-in.json").write_text("0", encoding="utf-8")
    folder = str(xtest.folder / "suite")
    hidden = ("bwrap", "--dev-bind", "/", "/", "--bind", str(other), folder, "--die-with-parent")
    write_program(xtest.folder / "subject", "until [ -e warned ]; do sleep 0.1; done; exec cat")
    with watch_workers(dask) as workers:
        before = workers()
        different = dask.start("worker", "--nthreads", "1", "--no-nanny", through=hidden)
        until(lambda: workers() - before)
    try:
        words = ("run", "suite", "--wall=60", "--cluster", dask.address, "--", "./subject")
        with xtest.start(*words) as running:
            assert running.stderr is not None
            warning = next(line for line in running.stderr if "gets no cases" in line)
            (xtest.folder / "warned").touch()
            output, errors = running.communicate()
    finally:
        different.kill()
    assert running.returncode == 0, output + errors
    assert "gets no cases: suite/3-in.json differs there" in warning
    assert "gets no cases" not in errors


@pytest.mark.system
def test_files_are_shipped_to_workers_that_have_none(
    xtest: Xtest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    subject = '#!/bin/sh\nread input; test "$(cat words.txt)" = known && echo "$input"\n'
    packed = '{"case":"1","in":{"text":"1"},"out":{"text":"1"}}\n'
    files = {"words.txt": "known", "subject": subject, "packed/cases.jsonl": packed}
    write_files(xtest.folder, files)
    hides = ("--dev-bind", "/", "/", "--tmpfs", str(xtest.folder), "--die-with-parent")
    folder = tmp_path_factory.mktemp("empty")
    with start_dask(folder) as empty:
        for _ in range(2):  # on one machine
            empty.start("worker", "--nthreads", "1", "--no-nanny", through=("bwrap", *hides))
        with watch_workers(empty) as workers:
            until(lambda: len(workers()) == 2)
        words = ("run", "suite", "packed", "--cluster", empty.address)
        refused = xtest(*words, "--", "./subject")
        ended = xtest(*words, "--ship", "--depends=words.txt", "--", f"{xtest.folder}/subject")
        shipped = folder / "cache/xtest/shipped"
        until(lambda: len(list(shipped.iterdir())) == 1)  # the archive; copies are removed
        again = xtest(*words, "--ship", "--depends=words.txt", "--", "./subject")
    assert refused.returncode == 2 and "no worker can run this" in refused.stderr
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"all {_CASES + 1} passed" in ended.stdout
    assert again.returncode == 0, again.stdout + again.stderr


_BUILDS = """
suites = ["suite"]
[subjects.ann]
folder = "ann"
build = ["sh", "-c", 'echo >> "$COUNT"; mv draft built']
command = ["./built"]
version = ["./built", "--version"]
environment = { COUNT = "COUNT" }
[subjects.bob]
folder = "ann"
build = ["sh", "-c", "exit 7"]
command = ["./built"]
"""


def test_builds_run_once_on_a_machine_that_files_are_shipped_to(
    xtest: Xtest, dask: DaskProcesses
) -> None:
    count = xtest.folder / "count"
    config = _BUILDS.replace('"COUNT"', json.dumps(str(count)))
    (xtest.folder / "xtest.toml").write_text(config, encoding="utf-8")
    (xtest.folder / "ann").mkdir()
    (xtest.folder / "subject").rename(xtest.folder / "ann/draft")
    ended = xtest("matrix", "--cluster", dask.address, "--ship", "--results", "results.jsonl")
    assert ended.returncode == 1, ended.stderr
    assert "version" not in ended.stderr
    judged = list(_judged(xtest.folder / "results.jsonl"))
    verdicts = {(event["subject"], event["verdict"]) for event in judged}
    assert verdicts == {("ann", "passed"), ("bob", "not-started")}
    messages = [event["message"] for event in judged if event["subject"] == "bob"]
    told = [each for each in messages if f"in {xtest.folder}/ann: exit status 7" in each]
    assert 0 < len(told) < len(messages)  # not once a case
    assert count.read_text(encoding="utf-8") == "\n"
    on_cluster = ("--cluster", dask.address, "--ship")
    compared = xtest("compare", *on_cluster, "ann", "cat", "--", "suite")
    assert compared.returncode == 0, compared.stderr
    refused = xtest("compare", *on_cluster, "ann", "bob", "--", "suite")
    assert refused.returncode == 2
    assert "gets no cases: bob: its build failed: sh -c" in refused.stderr
    assert count.read_text(encoding="utf-8") == "\n\n\n"
    fest = 'tests = "suites/*"\nsubjects = ["bob"]\nwheats = ["ann"]\n'
    (xtest.folder / "fest.toml").write_text(fest, encoding="utf-8")
    copytree(xtest.folder / "suite", xtest.folder / "suites/eve")
    words = ("fest", "run", "--sandbox=none", *on_cluster)
    played = xtest(*words, "--results=fest.jsonl")
    assert played.returncode == 0, played.stderr
    assert f"{_CASES} valid" in played.stdout
    assert count.read_text(encoding="utf-8") == "\n\n\n\n"
    assert os.listdir(xtest.folder / "ann") == ["draft"]
    (xtest.folder / "fest.toml").write_text(fest.replace('"ann"', '"bob"'), encoding="utf-8")
    refused = xtest(*words)
    assert refused.returncode == 2
    assert "gets no cases: wheat bob: its build failed: sh -c" in refused.stderr


def test_nothing_outlives_a_killed_run_on_a_local_cluster(xtest: Xtest) -> None:
    write_program(xtest.folder / "subject", "echo $$ > begun; exec sleep 600")
    words = ("run", "suite", "--wall", "600", "--cluster", "local:1", "--", "./subject")
    with xtest.start(*words) as running:
        await_process(xtest.folder / "begun", running)
        started = descendants_of(running.pid)
        assert len(started) > 3  # a scheduler, a worker, xtest there, and the subject
        running.kill()
        killed_at = time.monotonic()
        until(lambda: not any(map(lives, started)))
        assert time.monotonic() - killed_at < 5


# Kills its Dask worker the first time.
_KILLER = """#!/bin/sh
above() { sed -n 's/^PPid:\\t//p' /proc/$1/status; }
read input
cd "$XTEST_SUITE/.."
if [ "$input" = 3 ]; then
    if mkdir killed; then kill -9 $(above $(above $PPID)); sleep 60; fi
    touch again
fi
echo "$input"
"""


def test_the_runs_of_a_killed_worker_are_repeated_within_ten_seconds(
    xtest: Xtest, dask: DaskProcesses
) -> None:
    write_program(xtest.folder / "subject", _KILLER)
    dask.start_workers(1)
    done = xtest("run", "suite", "--wall=60", "--cluster", dask.address, "--", "./subject")
    assert f"all {_CASES} passed" in done.stdout, done.stderr
    killed, again = ((xtest.folder / name).stat().st_mtime for name in ("killed", "again"))
    assert again - killed < 10
