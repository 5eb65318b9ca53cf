"""Execution: the stream of events of a request."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.suites import write_suite

from harness.delivery.registry import Delivery
from harness.model.events import Event, Judged, RunEnded, RunStarted
from harness.model.subject import Subject
from harness.project.targets import Target
from harness.runner.execution import events
from harness.runner.plan import Plan, Selection
from harness.runner.request import RunRequest
from harness.suites.loading import read_suite


@pytest.fixture(name="plan")
def _plan(tmp_path: Path) -> Plan:
    """Three cases, of which `cat` fails the first two."""
    write_suite(tmp_path / "s", {"1": ("1", "2"), "2": ("2", "3"), "3": "3"})
    subject = Subject("cat", ("/bin/cat",))
    target = Target(read_suite("s", tmp_path / "s"), "s", subject, is_default_subject=False)
    return Plan([target], Selection(), (Delivery.PLAIN,))


def execute(request: RunRequest) -> tuple[RunEnded, list[str]]:
    """Return the last event, and the cases in the order of their verdicts."""
    found: list[Event] = list(events(request))
    assert isinstance(found[0], RunStarted) and isinstance(found[-1], RunEnded)
    return found[-1], [event.case for event in found if isinstance(event, Judged)]


def test_every_case_is_judged_once_whatever_it_is_repeated(plan: Plan) -> None:
    ended, cases = execute(RunRequest(plan, (), 1, repeat=3))
    assert (ended.counts, ended.exit, cases) == ({"passed": 1, "differs": 2}, 1, ["1", "2", "3"])


def test_execution_stops_after_the_last_allowed_failure(plan: Plan) -> None:
    ended, cases = execute(RunRequest(plan, (), 1, max_failures=1))
    assert (ended.stopped, ended.not_run, cases) == (True, 2, ["1"])
    ended, cases = execute(RunRequest(plan, (), 1, max_failures=3))
    assert (ended.stopped, ended.not_run, len(cases)) == (False, 0, 3)


def test_nothing_to_run_is_a_fault_unless_it_is_explained() -> None:
    assert execute(RunRequest((), (), 1))[0].exit == 2
    assert execute(RunRequest((), (), 1, idle="nothing failed"))[0].exit == 0
