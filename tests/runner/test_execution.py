"""Execution: the stream of events of a request."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.suites import write_suite

from harness.delivery.registry import Delivery
from harness.model.events import Diagnostic, Event, Judged, RunEnded, RunStarted
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.process.killable import Bounds
from harness.project.targets import Target
from harness.runner import execution, judge_process
from harness.runner.execution import events
from harness.runner.ipc import CaseEvent
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


def test_limits_are_enforced_while_an_output_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Judging the first case takes until it is stopped; the others must not wait for it.
    monkeypatch.setattr(judge_process, "BOUNDS", Bounds(seconds=4))
    suite = write_suite(
        tmp_path / "s",
        {"1": ("1", '"aa"'), "2": ("2", "2"), "3": ("3", "3")},
        '[compare]\nstrings = { matching = "(a+)+" }\n[limits]\nwall_s = 1\n',
    )
    program = f"""read n; case $n in
        1) echo '"{"a" * 41}b"';;
        2) while :; do :; done;;
        3) sleep 0.2; echo 3;;
    esac"""
    subject = Subject("sh", ("/bin/sh", "-c", program))
    target = Target(read_suite("s", suite), "s", subject, is_default_subject=False)
    found = list(events(RunRequest(Plan([target], Selection(), (Delivery.PLAIN,)), (), 3)))
    judged = {event.case: event for event in found if isinstance(event, Judged)}
    assert judged["1"].verdict is Verdict.HARNESS_FAULT
    assert judged["2"].verdict is Verdict.SILENT and judged["2"].wall_s < 4
    assert judged["3"].verdict is Verdict.PASSED


NO_EVENTS: list[CaseEvent] = []


def test_planned_cases_without_a_verdict_are_a_fault(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "run_cases", lambda *_: (event for event in NO_EVENTS))
    *_, diagnostic, ended = events(RunRequest(plan, (), 1))
    assert diagnostic == Diagnostic("xtest", "3 planned cases did not run; run again")
    assert isinstance(ended, RunEnded) and (ended.exit, ended.not_run) == (2, 3)
