"""Planted disagreements are found within 5,000 inputs, and shrunk to the smallest ones."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from fuzz_zoo.fuzz_zoo import FAULTS, answer, parse, schema_of
from support.fuzz import compiled, removals, simplifications
from support.suites import write_files, write_suite
from support.xtest import Xtest

from harness.fuzz.causes import examine
from harness.fuzz.generator import Generator
from harness.fuzz.mutation import InputMaker
from harness.fuzz.shrinker import Shrinker
from harness.jsonio.decoder import Json, encode
from harness.model.case import Policy
from harness.model.limits import Limits
from harness.model.transcript import Exited, Transcript

ZOO = Path(__file__).parents[1] / "fuzz_zoo" / "fuzz_zoo.py"
INPUTS = 5_000


def strikes(name: str, value: Json) -> bool:
    """Return whether the programs disagree on an input: the array of its values."""
    return any(map(FAULTS[name].strikes, parse(encode(value))[0]))


def test_the_zoo_is_complete() -> None:
    assert len(FAULTS) >= 40
    for name, fault in FAULTS.items():
        assert fault.strikes(parse(fault.smallest)[0]), name


@pytest.mark.parametrize("seed", (1, 2, 3))
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_disagreement_is_found_and_shrunk(name: str, seed: int) -> None:
    schema = compiled(json.dumps(schema_of(name)))[0]
    maker = InputMaker(Generator(schema), (), seed)
    made = (maker.make(number)[0] for number in range(INPUTS))
    found = next((value for value in made if value is not None and strikes(name, value)), None)
    assert found is not None
    shrinker = Shrinker(found, maker)
    while batch := shrinker.next_batch():
        shrinker.hear([strikes(name, value) for value in batch])
    assert len(encode(shrinker.best)) == len(f"[{FAULTS[name].smallest}]"), encode(shrinker.best)
    assert maker.accepts(shrinker.best)
    assert shrinker.tries < 2_000
    for smaller in (*removals(shrinker.best), *simplifications(shrinker.best)):
        assert not (maker.accepts(smaller) and strikes(name, smaller)), smaller


PROJECT = """
suites = ["s"]
[subjects.left]
command = ["{python}", "-SE", "{zoo}", "left", "{name}"]
session = "stream"
[subjects.other]
command = ["{python}", "-SE", "{zoo}", "respelled", "{name}"]
session = "stream"
[subjects.right]
command = ["{python}", "-SE", "{zoo}", "right", "{name}"]
session = "stream"
"""


def write_project(folder: Path, name: str) -> None:
    cases = {"1": ("[0]", '{"size": 2, "kind": "list", "wrong": false}')}
    write_suite(folder / "s", cases, 'input = "in.schema.json"\n')
    project = PROJECT.format(python=sys.executable, zoo=ZOO, name=name)
    write_files(folder, {"xtest.toml": project, "s/in.schema.json": schema_of(name)})


@pytest.mark.slow
@pytest.mark.parametrize("name", ("equal elements", "minus zero", "even objects"))
def test_programs_that_disagree(xtest: Xtest, tmp_path: Path, name: str) -> None:
    write_project(tmp_path, name)
    shown = [
        xtest(
            *("fuzz", "s", "--subject", "left", "--subject", "right", "--seed", "1"),
            *("--inputs", "500", "--examples", "1", "--to", "found", *more),
            cwd=tmp_path,
        ).stdout
        for more in (("-j1",), ("-j2",))
    ]
    smallest = FAULTS[name].smallest
    assert "1 case saved" in shown[0] and "1 were there" in shown[1]
    for each in shown:
        assert len([line for line in each.splitlines() if line.endswith(smallest)]) == 1, each
    varies = re.compile("a second|case|without an output")
    first, second = (
        [line for line in each.splitlines() if not varies.search(line)] for each in shown
    )
    assert first == second


@pytest.mark.slow
def test_programs_that_agree_in_other_words(xtest: Xtest, tmp_path: Path) -> None:
    for name in list(FAULTS)[::8]:
        write_project(tmp_path, name)
        done = xtest(
            *("fuzz", "s", "--subject", "left", "--subject", "other", "--inputs", "1000"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert "nothing found" in done.stdout, done.stdout


@pytest.mark.parametrize("name", list(FAULTS)[:20])
def test_a_right_answer_in_other_words_is_no_finding(name: str) -> None:
    schema = compiled(json.dumps(schema_of(name)))[0]
    maker = InputMaker(Generator(schema), (), 5)
    policy, limits = Policy(), Limits()
    for number in range(100):
        value = maker.make(number)[0]
        values = parse(encode(value))[0]
        found = [answer(each, is_wrong=False) for each in values]
        texts = [
            "".join(f"{json.dumps(each)}\n" for each in found),
            "".join(json.dumps(dict(reversed(each.items())), indent=1) for each in found),
        ]
        runs = [
            (Transcript(Exited(0), text.encode(), stdout_bytes=len(text)), limits) for text in texts
        ]
        stdin = encode(value).encode()
        assert examine(stdin, runs, policy, violation=None, has_details=False).cause is None


REFUSES_AN_EMPTY_ARRAY = """#!/bin/sh
read -r text
test "$text" != "[]" || exit 3
echo 1
"""


def test_a_crash_of_a_single_program_has_one_cause_and_a_smallest_input(
    xtest: Xtest, tmp_path: Path
) -> None:
    write_suite(tmp_path / "s", {"1": ("[4, 5]", "1"), "2": ("[6]", "1")})
    write_files(tmp_path, {"prog": REFUSES_AN_EMPTY_ARRAY})
    (tmp_path / "prog").chmod(0o755)
    options = ("--inputs", "60", "--seed", "1", "--to", "found", "--results", "r")
    done = xtest("fuzz", "s", *options, "--", "./prog", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert len([line for line in done.stdout.splitlines() if "exit status 3  " in line]) == 1
    assert "not confirmed" not in done.stdout
    assert [path.read_text() for path in (tmp_path / "found").glob("*-in.json")] == ["[]\n"]
    report = xtest("report", "r", "--to", "csv", cwd=tmp_path)
    assert report.returncode == 0, report.stderr


def test_seconds_must_be_a_positive_number(xtest: Xtest, tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {"1": ("[4, 5]", "1")})
    done = xtest("fuzz", "s", "--seconds", "nan", "--", "cat", cwd=tmp_path)
    assert done.returncode == 2
    assert "'nan' is not a number above 0" in done.stderr
