"""Sessions that end early cost few processes, and hide no disagreement."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest
from support.processes import until
from support.suites import read_events, read_judged, write_files, write_program, write_suite
from support.xtest import Xtest

PROGRAM = """
import json, os, sys
side, refusal, starts = sys.argv[1:]
os.close(os.open(f"{starts}/{os.getpid()}", os.O_CREAT | os.O_WRONLY))
for line in sys.stdin:
    value = json.loads(line)
    if value % 10 == 3:
        if refusal == "prints":
            print('{"error": "refused"}')
        sys.exit(1)
    print(json.dumps(value + (side == "right" and value >= 990)), flush=True)
"""
PROJECT = """
suites = ["s"]
[subjects.left]
command = ["{python}", "-SE", "p.py", "left", "{refusal}", "{starts}"]
session = "stream"
[subjects.{other}]
command = ["{python}", "-SE", "p.py", "{other}", "{refusal}", "{starts}"]
session = "stream"
"""
SCHEMA: dict[str, object] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 1,
    "items": {"type": "integer", "minimum": 0, "maximum": 999},
}
INPUTS = 250


def fuzz(
    xtest: Xtest, folder: Path, other: str, refusal: str, more: str = ""
) -> tuple[str, int, int]:
    """Return what a run shows, its exit status, and how many processes it started."""
    starts = folder / "starts"
    starts.mkdir(parents=True)
    schema: dict[str, object] = SCHEMA
    if more:
        schema = SCHEMA | {"$defs": {"never": False}, "$dynamicRef": more}
    write_project(folder, other, refusal, schema)
    done = xtest(
        *("fuzz", "s", "--subject", "left", "--subject", other, "--seed", "1", "-j1"),
        *("--inputs", str(INPUTS)),
        cwd=folder,
    )
    return done.stdout + done.stderr, done.returncode, len(list(starts.iterdir()))


def write_project(folder: Path, other: str, refusal: str, schema: dict[str, object]) -> None:
    write_suite(folder / "s", {"1": ("[7]", "7")}, 'input = "in.schema.json"\n')
    starts = folder / "starts"
    project = PROJECT.format(python=sys.executable, other=other, refusal=refusal, starts=starts)
    files = {"xtest.toml": project, "p.py": PROGRAM, "s/in.schema.json": json.dumps(schema)}
    write_files(folder, files)


@pytest.mark.slow
@pytest.mark.parametrize("refusal", ("prints", "is silent"))
def test_inputs_that_end_sessions_cost_few_processes(
    xtest: Xtest, tmp_path: Path, refusal: str
) -> None:
    shown, status, starts = fuzz(xtest, tmp_path, "twin", refusal)
    assert "nothing found" in shown and status == 0, shown
    assert starts < INPUTS // 2, shown  # without sessions: twice as many as inputs


@pytest.mark.slow
def test_a_disagreement_behind_refused_inputs_is_found(xtest: Xtest, tmp_path: Path) -> None:
    shown, status, _ = fuzz(xtest, tmp_path, "right", "prints")
    assert status == 1, shown
    assert "A | B  at the whole output (number)" in shown


@pytest.mark.slow
def test_an_input_that_only_the_generator_accepts_is_not_reported(
    xtest: Xtest, tmp_path: Path
) -> None:
    shown, status, _ = fuzz(xtest, tmp_path, "right", "prints", "#/$defs/never")
    assert "not reported: it is not valid by the suite's validator" in shown
    assert status == 2, shown


REFUSER = """
import json, os, sys
side, starts = sys.argv[1:]
os.close(os.open(f"{starts}/{os.getpid()}", os.O_CREAT | os.O_WRONLY))
in_session = os.environ.get("XTEST_SESSION")
for line in sys.stdin:
    request = json.loads(line)
    if in_session and request["id"] == 0:
        print(json.dumps({"id": 0, "protocol": 1}))
        continue
    value = request["in"][0] if in_session else request
    answer = {"out": [value]}
    if value % 10 == 3:
        words = f"{value} is odd" if side == "left" else f"no {value}, please"
        answer = {"error": words}
    if in_session:
        print(json.dumps({"id": request["id"]} | answer))
    elif "out" in answer:
        print(json.dumps(value))
    else:
        print(json.dumps({"refused": value, "odd": side == "unlike" and value > 3}))
        sys.exit(1)
"""


def refusals(xtest: Xtest, folder: Path, *others: str) -> tuple[str, int, int]:
    """Return what a run with a program and others shows, its exit status, and its processes."""
    starts = folder / "starts"
    starts.mkdir(parents=True)
    settings = 'input = "in.schema.json"\n[[cases]]\nmatch = "refused-1"\nexit = 1\n'
    write_suite(folder / "s", {"1": ("[7]", "7"), "refused-1": ("3", '{"refused": 3}')}, settings)
    subjects = (
        f'[subjects.{side}]\nsession = "protocol"\n'
        f'command = ["{sys.executable}", "-SE", "p.py", "{side}", "{starts}"]\n'
        for side in ("left", *others)
    )
    project = f'suites = ["s"]\n{"".join(subjects)}'
    files = {"xtest.toml": project, "p.py": REFUSER, "s/in.schema.json": json.dumps(SCHEMA)}
    write_files(folder, files)
    words = [word for side in ("left", *others) for word in ("--subject", side)]
    done = xtest(*("fuzz", "s", *words, "--seed", "1", "-j1", "--inputs", str(INPUTS)), cwd=folder)
    return done.stdout + done.stderr, done.returncode, len(list(starts.iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize("others", (["twin"], []))
def test_refusals_in_any_words_agree_if_a_few_do_in_fresh_processes(
    xtest: Xtest, tmp_path: Path, others: list[str]
) -> None:
    shown, status, starts = refusals(xtest, tmp_path, *others)
    assert "nothing found" in shown and status == 0, shown
    assert starts < 50, shown  # 16 of a single program's inputs have another delivery


@pytest.mark.slow
def test_unlike_outputs_of_refusals_are_found(xtest: Xtest, tmp_path: Path) -> None:
    shown, status, _ = refusals(xtest, tmp_path, "unlike")
    assert status == 1, shown
    assert "A | B  status 1; status 1 at /odd (false or true)" in shown


COUNTED = 'echo run >> "$0.runs"; exit 3'


@pytest.mark.slow
@pytest.mark.parametrize("stop", (signal.SIGINT, signal.SIGTERM))
def test_what_a_stopped_run_without_sessions_found_is_shown(
    xtest: Xtest, tmp_path: Path, stop: signal.Signals
) -> None:
    write_suite(tmp_path / "s", {"1": ("[7]", "7")})
    project = 'suites = ["s"]\n[subjects.p]\ncommand = ["./p"]\nsession = "stream"\n'
    write_files(tmp_path, {"xtest.toml": project})
    write_program(tmp_path / "p", COUNTED)
    runs = tmp_path / "p.runs"
    words = ("--subject", "p", "--sessions", "off", "-j1", "--inputs", "100000")
    with xtest.start("fuzz", "s", *words) as running:
        # Each input is run at most three times: more than ten inputs have ended.
        until(lambda: runs.exists() and len(runs.read_text().splitlines()) > 60)
        running.send_signal(stop)
        shown, errors = running.communicate()
    assert running.returncode == 130, errors
    assert "exit status 3" in shown
    assert "interrupted before it was confirmed and shrunk" in shown


@pytest.mark.slow
@pytest.mark.parametrize("stop", (signal.SIGINT, signal.SIGTERM))
def test_what_a_stopped_run_in_sessions_found_is_shown_and_kept(
    xtest: Xtest, tmp_path: Path, stop: signal.Signals
) -> None:
    starts = tmp_path / "starts"
    starts.mkdir()
    tens = SCHEMA | {"items": {"type": "integer", "minimum": 0, "maximum": 999, "multipleOf": 10}}
    write_project(tmp_path, "right", "prints", tens)
    words = ("--subject", "left", "--subject", "right", "--inputs", "1000000", "-j2")
    with xtest.start("fuzz", "s", *words, "--results", "r", cwd=str(tmp_path)) as running:
        until(lambda: len(list(starts.iterdir())) > 12)  # of two subjects, for two parts at once
        running.send_signal(stop)
        shown, errors = running.communicate()
    assert running.returncode == 130, errors
    assert "A | B  at the whole output (number)" in shown
    assert "interrupted before it was confirmed and shrunk" in shown
    assert not any(Path("/proc", each.name).exists() for each in starts.iterdir())
    _, problem, ended = read_events(tmp_path / "r")
    assert problem["where"] == "s"
    assert problem["message"].startswith("left | right at the whole output (number): interrupted")
    assert (ended["exit"], ended["interrupted"]) == (130, True)


@pytest.mark.slow
def test_the_findings_of_several_suites_are_one_run(xtest: Xtest, tmp_path: Path) -> None:
    (tmp_path / "starts").mkdir()
    write_project(tmp_path, "right", "prints", SCHEMA)
    shutil.copytree(tmp_path / "s", tmp_path / "t")
    subjects = ("--subject", "left", "--subject", "right")
    words = (*subjects, "--inputs", "100", "--seed", "1", "--results", "r")
    done = xtest("fuzz", "s", "t", *words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    started, *_, ended = read_events(tmp_path / "r")
    assert (started["suites"], ended["exit"]) == (["s", "t"], 1)
    assert {event["suite"] for event in read_judged(tmp_path / "r")} == {"s", "t"}
    missing = xtest("fuzz", "s", *words[:-1], "no/r", cwd=tmp_path)
    assert missing.returncode == 2
    assert "no/r" in missing.stderr and missing.stdout == ""
