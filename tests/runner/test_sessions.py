"""Sessions: one process answers many cases, and only passes are taken from it."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.suites import read_events, write_suite
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


class Project:
    """A suite of `cases` numbers to double, and a subject with a session."""

    def __init__(self, folder: Path, xtest: Xtest) -> None:
        self._folder = folder
        self._xtest = xtest

    def run(
        self, program: str, *options: str, cases: int = 100, kind: str = "stream", keys: str = ""
    ) -> tuple[int, dict[str, Any]]:
        """Run the program; return the exit status, and the events by kind."""
        suite = self._folder / "s"
        if not suite.exists():
            numbers = {str(n): (str(n), str(2 * n)) for n in range(1, cases + 1)}
            write_suite(suite, numbers, f"stateless = true\n{keys}")
        (self._folder / "prog.py").write_text(program, encoding="utf-8")
        command = f'command = ["{sys.executable}", "prog.py"]'
        config = f'suites = ["s"]\n[subjects.p]\n{command}\nsession = "{kind}"\n'
        (self._folder / "xtest.toml").write_text(config, encoding="utf-8")
        results = self._folder / "results.jsonl"
        # Python runs a program differently with a path of its own for modules.
        xtest = replace(self._xtest, variables={"PYTHONPATH": ""} if kind == "fork" else {})
        done = xtest("run", "--results", str(results), "--replace", "-q", *options)
        found: dict[str, Any] = {"judged": [], "depends-on-order": [], "sessions-ended": [None]}
        for event in read_events(results):
            if event["event"] == "sessions-ended":
                found["sessions-ended"] = []
            found.setdefault(event["event"], []).append(event)
        return done.returncode, found


@pytest.fixture(name="project")
def _project(tmp_path: Path, xtest: Xtest) -> Project:
    return Project(tmp_path, xtest)


def verdicts(events: dict[str, Any]) -> dict[str, str]:
    """Return the verdict of each case."""
    found = {event["case"]: event["verdict"] for event in events["judged"]}
    assert len(found) == len(events["judged"])
    return found


def ways(events: dict[str, Any]) -> Counter[str]:
    """Return how many verdicts were reached in each way."""
    return Counter(event.get("reached", "fresh") for event in events["judged"])


def test_a_python_program_is_forked_for_each_case(project: Project, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("values = []\n", encoding="ascii")
    program = f"import helper\n{DOUBLE}helper.values.append(1)\nassert len(helper.values) == 1\n"
    status, events = project.run(program, "--session-sample", "5", "-j1", kind="fork")
    assert (status, ways(events)) == (0, {"fork": 95, "fresh": 5})
    (summary,) = events["sessions-ended"]
    assert (summary["sessions"], summary["repeated"]) == (1, 5)


def test_what_fails_in_a_fork_runs_alone(project: Project) -> None:
    program = DOUBLE.replace("2 * int(line)", "2 * int(line) if int(line) % 20 else 0")
    status, events = project.run(program, "--sessions", "trust", "-j1", kind="fork")
    assert (status, ways(events)) == (1, {"fork": 95, "fresh": 5})
    assert {verdicts(events)[str(20 * n)] for n in range(1, 6)} == {"differs"}


def test_a_program_that_cannot_be_forked_faithfully_runs_alone(project: Project) -> None:
    status, events = project.run(DOUBLE, "-j1", "--sandbox", kind="fork", cases=20)
    assert (status, ways(events)) == (0, {"fresh": 20})
    (summary,) = events["sessions-ended"]
    assert (summary["sessions"], summary["alone"], bool(summary["stopped"])) == (0, 20, True)


@pytest.mark.parametrize(
    ("kind", "program"),
    [("stream", DOUBLE), ("protocol", ANSWERER.format(answer="return 2 * n", noise=""))],
)
def test_trusted_sessions_answer_everything(project: Project, kind: str, program: str) -> None:
    status, events = project.run(program, "--sessions", "trust", "-j1", kind=kind)
    assert (status, ways(events)) == (0, {kind: 100})
    (summary,) = events["sessions-ended"]
    assert (summary["kind"], summary["passed"], summary["alone"]) == (kind, 100, 0)
    assert summary["sessions"] == 4  # of 8, 16, 32 and 44 cases
    assert summary["repeated"] == 0


def test_a_sample_of_the_passes_is_repeated_alone(project: Project) -> None:
    status, events = project.run(DOUBLE, "--session-sample", "20", "--session-seed", "1", "-j1")
    assert (status, ways(events)) == (0, {"stream": 80, "fresh": 20})
    (summary,) = events["sessions-ended"]
    expected = {"passed": 80, "repeated": 20, "differing": 0, "alone": 0, "seed": 1}
    assert {name: summary[name] for name in expected} == expected


def test_the_seed_chooses_the_sample(project: Project) -> None:
    samples = []
    for seed in ("1", "1", "2"):
        _, events = project.run(DOUBLE, "--session-sample", "20", "--session-seed", seed, "-j1")
        samples.append({each["case"] for each in events["judged"] if "reached" not in each})
    assert samples[0] == samples[1] != samples[2]


def test_the_default_sample_rules_out_one_percent(project: Project) -> None:
    _, events = project.run(DOUBLE)
    assert sum(event["repeated"] for event in events["sessions-ended"]) >= 95


@pytest.mark.parametrize("options", [("--sessions", "off"), ("--repeat", "2"), ("--check",)])
def test_other_runs_use_no_session(project: Project, options: tuple[str, ...]) -> None:
    status, events = project.run(DOUBLE, *options, cases=10)
    assert (status, ways(events), events["sessions-ended"]) == (0, {"fresh": 10}, [None])


def test_a_suite_that_is_not_stateless_is_not_streamed(project: Project, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {str(n): (str(n), str(2 * n)) for n in range(1, 11)})
    _, events = project.run(DOUBLE)
    assert ways(events) == {"fresh": 10}


CRASHES = "if n % 20 == 0: raise SystemExit(3)\n    return 2 * n"
WRONG = "return 7 if n % 20 == 0 else 2 * n"
HANGS = "import time\n    if n == 20: time.sleep(60)\n    return 2 * n"


@pytest.mark.parametrize("kind", ["stream", "protocol"])
@pytest.mark.parametrize(
    ("answer", "verdict", "failing"),
    [(CRASHES, "exit-status", 5), (WRONG, "differs", 5), (HANGS, "silent", 1)],
)
def test_what_a_session_does_not_settle_runs_alone(
    project: Project, kind: str, answer: str, verdict: str, failing: int
) -> None:
    program = ANSWERER.format(answer=answer, noise="")
    options = ("--sessions", "trust", "-j1", "--wall", "2")
    status, events = project.run(program, *options, kind=kind)
    assert status == 1
    expected = {str(20 * n): verdict for n in range(1, failing + 1)}
    found = verdicts(events)
    assert {case: each for case, each in found.items() if each != "passed"} == expected
    assert len(found) == 100
    fresh = {each["case"] for each in events["judged"] if "reached" not in each}
    assert set(expected) <= fresh
    assert len(fresh) < 50  # the others are settled in smaller sessions


MEMOISES = """
import sys
seen = set()
for line in sys.stdin:
    n = int(line)
    seen.add(n)
    print(2 * n if n != 50 or 30 in seen else 0)
"""


def test_a_pass_that_is_not_repeated_is_taken_back_and_explained(project: Project) -> None:
    status, events = project.run(MEMOISES, "--session-sample", "all", "-j1")
    assert status == 1
    assert {case for case, verdict in verdicts(events).items() if verdict != "passed"} == {"50"}
    (found,) = events["depends-on-order"]
    assert (found["where"], found["polluter"]) == ("s/50", "30")
    assert found["repeat"][:5] == ["xtest", "run", "s", "--case", "30,50"]
    (summary,) = events["sessions-ended"]
    assert (summary["differing"], summary["stopped"]) == (1, "a pass could not be repeated alone")


def test_the_command_of_a_finding_shows_it_again(project: Project) -> None:
    project.run(MEMOISES, "--session-sample", "all", "-j1")
    options = ("--case", "30,50", "--session-sample", "all", "-j1")
    _, events = project.run(MEMOISES, *options)
    (found,) = events["depends-on-order"]
    assert (found["where"], found["polluter"]) == ("s/50", "30")


def test_a_program_that_is_only_right_in_a_session_has_no_polluter(project: Project) -> None:
    answer = 'return 2 * n if "XTEST_SESSION" in os.environ else 0'
    program = ANSWERER.format(answer=answer, noise="")
    status, events = project.run(program, "-j1", kind="protocol")
    assert (status, set(verdicts(events).values())) == (1, {"differs"})
    assert [event["polluter"] for event in events["depends-on-order"]] == [""] * len(
        events["depends-on-order"]
    )


def test_known_failures_do_not_hide_a_dependence_on_order(project: Project) -> None:
    known = '[[known]]\nmatch = "50"\nreason = "to do"\n'
    status, events = project.run(MEMOISES, "--session-sample", "all", "-j1", keys=known)
    assert (status, len(events["depends-on-order"])) == (1, 1)


def test_a_program_for_single_cases_soon_runs_without_sessions(project: Project) -> None:
    program = "import sys\nprint(2 * int(sys.stdin.readline()))\n"
    status, events = project.run(program, "-j1", "--sessions", "trust")
    assert (status, ways(events)) == (0, {"fresh": 100})
    (summary,) = events["sessions-ended"]
    assert summary["sessions"] <= 10
    assert summary["stopped"].endswith(" sessions settled only 0 cases")


def test_noise_is_kept(project: Project) -> None:
    program = ANSWERER.format(answer="return 2 * n", noise='print("debug", request["id"])')
    status, events = project.run(program, "--sessions", "trust", "-j1", kind="protocol")
    assert (status, ways(events)) == (0, {"protocol": 100})
    assert events["sessions-ended"][0]["noise"] == ["debug 1", "debug 2", "debug 3"]


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


def test_a_program_skips_cases_by_the_protocol(project: Project) -> None:
    status, events = project.run(SKIPS, "--sessions", "trust", "-j1", kind="protocol")
    assert (status, ways(events)) == (0, {"protocol": 100})
    assert {case for case, verdict in verdicts(events).items() if verdict != "passed"} == {"7"}
    (skipped,) = (each for each in events["judged"] if each["verdict"] == "skipped")
    assert (skipped["case"], skipped["message"]) == ("7", "odd")


def test_cases_that_cannot_share_a_process_run_alone(project: Project, tmp_path: Path) -> None:
    numbers = {str(n): (str(n), str(2 * n)) for n in range(1, 11)}
    rules = '[[cases]]\nmatch = "3"\ninput = "raw"\n[[cases]]\nmatch = "5"\nexit = 4\n'
    write_suite(tmp_path / "s", numbers, f"stateless = true\n{rules}")
    _, events = project.run(DOUBLE, "--sessions", "trust", "-j1")
    assert {each["case"] for each in events["judged"] if "reached" not in each} == {"3", "5"}
    assert verdicts(events)["5"] == "exit-status"
    assert verdicts(events)["3"] == "passed"


def test_a_subject_that_cannot_be_started_is_reported_for_each_case(
    project: Project, tmp_path: Path
) -> None:
    project.run(DOUBLE, cases=20)
    (tmp_path / "prog.py").unlink()
    config = (tmp_path / "xtest.toml").read_text(encoding="utf-8")
    (tmp_path / "xtest.toml").write_text(config.replace(sys.executable, "./none"), encoding="utf-8")
    xtest = Xtest(tmp_path, tmp_path / "cache")
    done = xtest("run", "--results", "r.jsonl", "-q")
    assert done.returncode == 1
    judged = [each for each in read_events(tmp_path / "r.jsonl") if each["event"] == "judged"]
    assert [each["verdict"] for each in judged] == ["not-started"] * 20
