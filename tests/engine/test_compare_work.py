"""Comparisons on workers: the lines that a worker sends, and those that are refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from support.suites import Cases, target_in, write_suite

from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSetup
from harness.engine.compare_work import CompareWork
from harness.engine.plan import PlannedRun
from harness.model.sessions import SessionOptions
from harness.model.subject import Subject

_LINE: dict[str, Any] = {
    "event": "compared",
    "format": 1,
    "size": 1,
    "problem": "",
    "findings": [],
    "failures": ["", "crashed"],
    "groups": [[0], [1]],
}


@pytest.fixture(name="setup")
def setup_fixture(tmp_path: Path) -> CompareSetup:
    """Two subjects that differ on each of three inputs, of which the last is the smallest."""
    cases: Cases = {"1": ("[1, 2]", "1"), "2": ("[12]", "1"), "3": ("7", "1")}
    cat = target_in(write_suite(tmp_path / "s", cases), Subject("cat", ("cat",)))
    targets = (cat, cat._replace(subject=Subject("echo", ("echo", "0"))))
    return CompareSetup({"s": targets}, None, None, SessionOptions(), ("cat", "echo 0"), (), 1)


@pytest.fixture(name="work")
def work_fixture(setup: CompareSetup) -> CompareWork:
    return CompareWork(setup)


@pytest.fixture(name="items")
def items_fixture(setup: CompareSetup) -> list[PlannedRun]:
    target = setup.targets["s"][0]
    names = enumerate(target.suite.names)
    return [PlannedRun(target, name, (Delivery.PLAIN,), at) for at, name in names]


def test_only_the_smallest_inputs_of_a_batch_have_details(
    work: CompareWork, items: list[PlannedRun]
) -> None:
    request = json.loads(json.dumps({**work.pack(items), "parallel": 1}))
    lines = sorted(pickle.loads(pickle.dumps(work)).run(request, []))
    assert [bool(json.loads(line[2:]).get("details")) for line in lines] == [*(False, False, True)]
    results, missing = work.unpack(items, lines)
    assert not missing
    assert [each.compared.size for each in results] == [6, 4, 1]
    assert results[2].compared.details is not None
    repeat = ("xtest", "compare", "cat", "echo 0", "--case", "3", "--", "s")
    assert results[2].compared.details.repeat == repeat
    assert work.unpack(items, lines[1:]).missing == (items[0],)
    for old, new in (
        ('"members":[1]', '"members":[0]'),
        ('"compared_with":0', '"compared_with":1'),
    ):
        with pytest.raises(ValueError, match="details of other groups|from no earlier group"):
            work.unpack(items, [lines[2].replace(old, new)])


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"groups": [[0], [2]]}, "groups of other subjects"),
        ({"groups": [[1], [0]]}, "groups of other subjects"),
        ({"groups": [[0, 1], []]}, "groups of other subjects"),
        ({"groups": [0, 1]}, "groups: an array is expected"),
        ({"failures": [""]}, "failures of other subjects"),
        ({"failures": ["", "odd"]}, "'odd' is not a valid Verdict"),
        ({"more": 1}, 'unknown member "more"'),
    ],
)
def test_outputs_of_other_subjects_are_refused(
    work: CompareWork, items: list[PlannedRun], outputs: dict[str, Any], message: str
) -> None:
    line = json.dumps({**_LINE, **outputs})
    with pytest.raises(ValueError, match=message):
        work.unpack(items, [f"0 {line}"])


def test_only_inputs_that_were_asked_for_are_accepted(
    work: CompareWork, items: list[PlannedRun]
) -> None:
    line = json.dumps(_LINE)
    assert work.unpack(items, [f"2 {line}"]).missing == tuple(items[:2])
    for number in (3, -1, "x"):
        with pytest.raises(ValueError):
            work.unpack(items, [f"{number} {line}"])
    with pytest.raises(ValueError, match="an input without outputs"):
        work.unpack(items, [f"0 {json.dumps({**_LINE, 'groups': []})}"])
