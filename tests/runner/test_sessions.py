"""Sessions: one process answers many cases, and only passes are taken from it."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from support.processes import lives
from support.suites import read_events, write_files, write_suite
from support.xtest import Xtest

DOUBLE = "import sys\nfor line in sys.stdin:\n    print(2 * int(line))\n"
ANSWERER = """
import json, os, sys
def answer(n):
    {answer}
if os.environ.get("XTEST_SESSION") == "protocol":
    for line in sys.stdin:
        request = json.loads(line)
        if "protocol" in request:
            print(json.dumps({{**request, "implementation": "double"}}))
        else:
            print(json.dumps({{"id": request["id"], "out": [answer(n) for n in request["in"]]}}))
            {noise}
else:
    for line in sys.stdin:
        print(answer(int(line)))
"""


NOISY = ANSWERER.format(answer="return 2 * n", noise='print("debug", request["id"])')


def run(
    xtest: Xtest,
    program: str,
    *options: str,
    cases: int = 100,
    kind: str = "stream",
    settings: str = "stateless = true\n",
    python: str = sys.executable,
) -> tuple[int, dict[str, Any]]:
    """Run a program that doubles; return the exit status, and the events by kind."""
    numbers = {str(n): (str(n), str(2 * n)) for n in range(1, cases + 1)}
    write_suite(xtest.folder / "s", numbers, settings)
    # The tests of planted faults set both; a path of its own for modules would refuse forks.
    variables = '{ PYTHONPATH = "", PYTHONSAFEPATH = "" }'
    subject = f'[subjects.p]\ncommand = ["{python}", "prog.py"]\nsession = "{kind}"\n'
    subject += f"environment = {variables}\n"
    write_files(xtest.folder, {"prog.py": program, "xtest.toml": f'suites = ["s"]\n{subject}'})
    done = xtest("run", "--results=results.jsonl", "--replace", "-q", *options)
    found: dict[str, Any] = defaultdict(list)
    for event in read_events(xtest.folder / "results.jsonl"):
        found[event["event"]].append(event)
    return done.returncode, found


def failures(events: dict[str, Any]) -> dict[str, str]:
    """Return the verdict of each case that did not pass; each case is judged once."""
    found = {event["case"]: event["verdict"] for event in events["judged"]}
    assert len(found) == len(events["judged"])
    return {case: verdict for case, verdict in found.items() if verdict != "passed"}


def ways(events: dict[str, Any]) -> Counter[str]:
    """Return how many verdicts were reached in each way."""
    return Counter(event.get("reached", "fresh") for event in events["judged"])


def fresh(events: dict[str, Any]) -> set[str]:
    """Return the cases that were judged in processes of their own."""
    return {event["case"] for event in events["judged"] if "reached" not in event}


def test_a_python_program_is_forked_for_each_case(xtest: Xtest) -> None:
    write_files(xtest.folder, {"helper.py": "values = []\n"})
    program = f"import helper\n{DOUBLE}helper.values.append(1)\nassert len(helper.values) == 1\n"
    status, events = run(xtest, program, "--session-sample", "5", "-j1", kind="fork")
    assert (status, ways(events)) == (0, {"fork": 95, "fresh": 5})
    (summary,) = events["sessions-ended"]
    assert (summary["sessions"], summary["repeated"]) == (1, 5)


def test_what_a_library_of_a_fork_session_leaves_behind_is_killed(xtest: Xtest) -> None:
    daemon = "(sh -c 'echo $$ >> left; exec sleep 600' > log 2>&1 &)"
    wait = f"while not os.path.exists({str(xtest.folder / 'left')!r}): time.sleep(0.01)"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = f"venv/lib/{version}/site-packages/library.py"
    files = {library: f"import os, time\nos.system({daemon!r})\n{wait}\n"}
    home = f"home = {Path(sys.executable).resolve().parent}\n"
    write_files(xtest.folder, {"venv/pyvenv.cfg": home, "venv/bin/none": "", **files})
    python = xtest.folder / "venv" / "bin" / "python3"
    python.symlink_to(Path(sys.executable).resolve())
    status, events = run(
        xtest,
        f"import library\n{DOUBLE}",
        *("--sessions", "trust"),
        kind="fork",
        cases=30,
        python=str(python),
    )
    assert status == 0 and ways(events)["fork"]
    left = (xtest.folder / "left").read_text().split()
    assert left and not any(lives(int(pid)) for pid in left)


def test_what_fails_in_a_fork_runs_alone(xtest: Xtest) -> None:
    program = DOUBLE.replace("2 * int(line)", "2 * int(line) if int(line) % 20 else 0")
    status, events = run(xtest, program, "--sessions", "trust", "-j1", kind="fork")
    assert (status, ways(events)) == (1, {"fork": 95, "fresh": 5})
    assert failures(events) == {str(20 * n): "differs" for n in range(1, 6)}


def test_a_program_in_a_sandbox_is_not_forked(xtest: Xtest) -> None:
    status, events = run(xtest, DOUBLE, "-j1", "--sandbox", kind="fork", cases=20)
    assert (status, ways(events)) == (0, {"fresh": 20})
    (summary,) = events["sessions-ended"]
    assert (summary["sessions"], summary["alone"]) == (0, 20)
    assert "forked processes would be outside it" in summary["stopped"]


@pytest.mark.parametrize(
    ("kind", "program", "noise"),
    [("stream", DOUBLE, []), ("protocol", NOISY, ["debug 1", "debug 2", "debug 3"])],
    ids=["stream", "protocol"],
)
def test_trusted_sessions_answer_everything(
    xtest: Xtest, kind: str, program: str, noise: list[str]
) -> None:
    status, events = run(xtest, program, "--sessions", "trust", "-j1", kind=kind)
    assert (status, ways(events)) == (0, {kind: 100})
    (summary,) = events["sessions-ended"]
    # The sessions have 8, 16, 32 and 44 cases.
    expected = {"kind": kind, "passed": 100, "alone": 0, "sessions": 4, "repeated": 0}
    assert {name: summary[name] for name in expected} == expected
    assert summary.get("noise", []) == noise


def test_the_seed_chooses_the_sample_that_is_repeated_alone(xtest: Xtest) -> None:
    samples = []
    for seed in ("1", "1", "2"):
        options = ("--session-sample", "20", "--session-seed", seed, "-j1")
        status, events = run(xtest, DOUBLE, *options)
        assert (status, ways(events)) == (0, {"stream": 80, "fresh": 20})
        (summary,) = events["sessions-ended"]
        expected = {"passed": 80, "repeated": 20, "differing": 0, "alone": 0, "seed": int(seed)}
        assert {name: summary[name] for name in expected} == expected
        samples.append(fresh(events))
    assert samples[0] == samples[1] != samples[2]


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--sessions", "off"], "stateless = true"),
        (["--repeat", "2"], "stateless = true"),
        (["--check"], "stateless = true"),
        ([], "stateless = false"),
    ],
)
def test_other_runs_use_no_session(xtest: Xtest, options: list[str], settings: str) -> None:
    status, events = run(xtest, DOUBLE, *options, cases=10, settings=settings)
    assert (status, ways(events)) == (0, {"fresh": 10})
    assert not events["sessions-ended"]


CRASHES = "if n % 20 == 0: raise SystemExit(3)\n    return 2 * n"
WRONG = "return 7 if n % 20 == 0 else 2 * n"
HANGS = "import time\n    if n == 20: time.sleep(60)\n    return 2 * n"


@pytest.mark.parametrize("kind", ["stream", "protocol"])
@pytest.mark.parametrize(
    ("answer", "verdict", "failing"),
    [(CRASHES, "exit-status", 5), (WRONG, "differs", 5), (HANGS, "silent", 1)],
    ids=["crashes", "wrong", "hangs"],
)
def test_what_a_session_does_not_settle_runs_alone(
    xtest: Xtest, kind: str, answer: str, verdict: str, failing: int
) -> None:
    program = ANSWERER.format(answer=answer, noise="")
    status, events = run(xtest, program, "--sessions", "trust", "-j1", "--wall", "1", kind=kind)
    expected = {str(20 * n): verdict for n in range(1, failing + 1)}
    assert (status, failures(events), len(events["judged"])) == (1, expected, 100)
    assert set(expected) <= fresh(events)
    assert len(fresh(events)) < 50  # the others are settled in smaller sessions


MEMOISES = """
import sys
seen = set()
for line in sys.stdin:
    n = int(line)
    seen.add(n)
    print(2 * n if n != 50 or 30 in seen else 0)
"""


def test_a_pass_that_is_not_repeated_is_taken_back_and_explained(xtest: Xtest) -> None:
    status, events = run(xtest, MEMOISES, "--session-sample", "all", "-j1")
    assert (status, failures(events)) == (1, {"50": "differs"})
    (found,) = events["depends-on-order"]
    assert (found["where"], found["polluter"]) == ("s/50", "30")
    (summary,) = events["sessions-ended"]
    assert (summary["differing"], summary["stopped"]) == (
        1,
        "a case that passed in a session failed alone",
    )
    assert found["repeat"][:5] == ["xtest", "run", "s", "--case", "30,50"]
    _, events = run(xtest, MEMOISES, *found["repeat"][3:5], "--session-sample", "all", "-j1")
    (again,) = events["depends-on-order"]
    assert (again["where"], again["polluter"]) == ("s/50", "30")


def test_known_failures_do_not_hide_a_dependence_on_order(xtest: Xtest) -> None:
    settings = 'stateless = true\n[[known]]\nmatch = "50"\nreason = "to do"\n'
    options = ("--session-sample", "all", "-j1")
    status, events = run(xtest, MEMOISES, *options, settings=settings)
    assert (status, len(events["depends-on-order"])) == (1, 1)


def test_a_program_for_single_cases_soon_runs_without_sessions(xtest: Xtest) -> None:
    program = "import sys\nprint(2 * int(sys.stdin.readline()))\n"
    status, events = run(xtest, program, "-j1", "--sessions", "trust")
    assert (status, ways(events)) == (0, {"fresh": 100})
    (summary,) = events["sessions-ended"]
    assert summary["sessions"] <= 10
    assert " sessions gave verdicts for only 0 cases (1 value printed, " in summary["stopped"]


SKIPS = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["id"] == 0:
        print(line, end="")
    elif request["in"] == [7]:
        print(json.dumps({"id": request["id"], "skipped": "odd"}))
    else:
        print(json.dumps({"id": request["id"], "out": [2 * request["in"][0]]}))
"""


def test_a_program_that_may_skip_cases_does_so_by_the_protocol(xtest: Xtest) -> None:
    kind = 'protocol"\nmay_skip = true\nlanguage = "python'
    status, events = run(xtest, SKIPS, "--sessions", "trust", "-j1", kind=kind)
    assert (status, ways(events), failures(events)) == (0, {"protocol": 100}, {"7": "skipped"})
    assert [each["message"] for each in events["judged"] if each["case"] == "7"] == ["odd"]


def test_a_case_that_no_program_may_skip_runs_alone(xtest: Xtest) -> None:
    status, events = run(xtest, SKIPS, "--sessions", "trust", "-j1", kind="protocol")
    assert (status, fresh(events), set(failures(events))) == (1, {"7"}, {"7"})


def test_cases_that_cannot_share_a_process_run_alone(xtest: Xtest) -> None:
    rules = '[[cases]]\nmatch = "3"\ninput = "raw"\n[[cases]]\nmatch = "5"\nexit = 4\n'
    settings = f"stateless = true\n{rules}"
    _, events = run(xtest, DOUBLE, "--sessions", "trust", "-j1", cases=10, settings=settings)
    assert fresh(events) == {"3", "5"}
    assert failures(events) == {"5": "exit-status"}


def test_a_subject_that_cannot_be_started_is_reported_for_each_case(xtest: Xtest) -> None:
    status, events = run(xtest, DOUBLE, cases=20, python="./none")
    assert (status, len(failures(events))) == (1, 20)
    assert set(failures(events).values()) == {"not-started"}
