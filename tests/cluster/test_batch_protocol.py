"""The lines of results that a worker of a cluster sends, and those that are refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from support.suites import Cases, target_in, write_suite

from harness.cluster.batch_protocol import batch_request, read_batch, run_batch
from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSettings, CompareWorkload
from harness.engine.plan import PlannedRun
from harness.engine.workload import WorkOptions
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


@pytest.fixture(name="work")
def work_fixture(tmp_path: Path) -> CompareWorkload:
    """Two subjects that differ on each of three inputs, of which the last is the smallest."""
    cases: Cases = {"1": ("[1, 2]", "1"), "2": ("[12]", "1"), "3": ("7", "1")}
    cat = target_in(write_suite(tmp_path / "s", cases), Subject("cat", ("cat",)))
    targets = (cat, cat._replace(subject=Subject("echo", ("echo", "0"))))
    return CompareWorkload(targets, None, CompareSettings(("cat", "echo 0"), limit=1))


@pytest.fixture(name="items")
def items_fixture(work: CompareWorkload) -> list[PlannedRun]:
    target = work.targets[0]
    names = enumerate(target.suite.names)
    return [PlannedRun(target, name, (Delivery.PLAIN,), index) for index, name in names]


def test_a_batch_returns_each_result_with_the_names_of_the_client(
    work: CompareWorkload, items: list[PlannedRun]
) -> None:
    request = json.loads(json.dumps(batch_request(work, items, WorkOptions())))
    losses: list[str] = []
    lines = sorted(run_batch(pickle.loads(pickle.dumps(work)), request, losses))
    assert not losses
    results, missing = read_batch(work, items, lines)
    assert not missing
    assert [each.compared.size for each in results] == [6, 4, 1]
    assert results[2].compared.details is not None
    repeat = ("xtest", "compare", "cat", "echo 0", "--case", "3", "--", "s")
    assert results[2].compared.details.repeat == repeat
    assert read_batch(work, items, lines[1:]).missing == (items[0],)
    for old, new in (
        ('"members":[1]', '"members":[0]'),
        ('"compared_with":0', '"compared_with":1'),
    ):
        with pytest.raises(ValueError, match="details of other groups|from no earlier group"):
            read_batch(work, items, [lines[2].replace(old, new)])


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
    work: CompareWorkload, items: list[PlannedRun], outputs: dict[str, Any], message: str
) -> None:
    line = json.dumps({**_LINE, **outputs})
    with pytest.raises(ValueError, match=message):
        read_batch(work, items, [f"0 {line}"])


def test_only_inputs_that_were_asked_for_are_accepted(
    work: CompareWorkload, items: list[PlannedRun]
) -> None:
    line = json.dumps(_LINE)
    assert read_batch(work, items, [f"2 {line}"]).missing == tuple(items[:2])
    for number in (3, -1, "x", "-"):
        with pytest.raises(ValueError):
            read_batch(work, items, [f"{number} {line}"])
    with pytest.raises(ValueError, match="an input without outputs"):
        read_batch(work, items, [f"0 {json.dumps({**_LINE, 'groups': []})}"])
