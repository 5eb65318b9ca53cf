"""Execution: the stream of events of a request."""

from __future__ import annotations

import resource
from collections.abc import Iterator
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
from harness.runner.plan import Plan, PlannedRun, Selection
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


def test_several_workers_stop_after_the_last_allowed_failure(tmp_path: Path) -> None:
    write_suite(tmp_path / "s", {str(number): ("1", "2") for number in range(100)})
    subject = Subject("cat", ("/bin/cat",))
    target = Target(read_suite("s", tmp_path / "s"), "s", subject, is_default_subject=False)
    plan = Plan([target], Selection(), (Delivery.PLAIN,))
    ended, cases = execute(RunRequest(plan, (), 2, max_failures=1))
    assert (ended.stopped, ended.not_run, len(cases)) == (True, 99, 1)


def test_nothing_to_run_is_a_fault_unless_it_is_explained() -> None:
    assert execute(RunRequest((), (), 1))[0].exit == 2
    assert execute(RunRequest((), (), 1, idle="nothing failed"))[0].exit == 0


def test_limits_are_enforced_while_an_output_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Judging the first case takes until it is stopped; the others must not wait for it.
    monkeypatch.setattr(judge_process, "BOUNDS", Bounds(seconds=9))
    suite = write_suite(
        tmp_path / "s",
        {"1": ("1", '"aa"'), "2": ("2", "2"), "3": ("3", "3")},
        '[compare]\nstrings = { matching = "(a+)+" }\n[limits]\nwall_s = 3\n',
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
    assert judged["2"].verdict is Verdict.SILENT and judged["2"].wall_s < 9
    assert judged["3"].verdict is Verdict.PASSED


def test_a_large_input_is_laid_out_while_no_run_is_watched(tmp_path: Path) -> None:
    # Runs with input in pieces mostly wait, and do not count for the number of runs at once.
    large = "[" + "1, " * 30_000 + "1]"
    suite = write_suite(tmp_path / "s", {"1": large, "2": large})
    log = tmp_path / "log"
    program = f"echo begin >>{log}; cat; echo end >>{log}"
    subject = Subject("sh", ("/bin/sh", "-c", program))
    target = Target(read_suite("s", suite), "s", subject, is_default_subject=False)
    deliveries = (Delivery.PRETTY, Delivery.SLOW)
    *found, _ = events(RunRequest(Plan([target], Selection(), deliveries), (), 1))
    passed = [event for event in found if isinstance(event, Judged)]
    assert [event.verdict for event in passed] == [Verdict.PASSED] * 4
    assert log.read_text("ascii").split() == ["begin", "end"] * 4


class NoDescriptors:
    """Planned runs, of which only the first is read while files can be opened."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __iter__(self) -> Iterator[PlannedRun]:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        first, *others = self._plan
        yield first
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
        try:
            yield from others
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_case_that_cannot_be_opened_for_want_of_descriptors_is_not_to_blame(plan: Plan) -> None:
    found = list(events(RunRequest(NoDescriptors(plan), (), 1)))
    judged = {event.case: event for event in found if isinstance(event, Judged)}
    assert judged["1"].verdict is Verdict.DIFFERS
    assert judged["2"].verdict is judged["3"].verdict is Verdict.HARNESS_FAULT
    assert judged["2"].message == "a limit of this machine: too many open files"
    assert isinstance(found[-1], RunEnded) and found[-1].exit == 2


NO_EVENTS: list[CaseEvent] = []


def test_planned_cases_without_a_verdict_are_a_fault(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "run_cases", lambda *_: (event for event in NO_EVENTS))
    *_, diagnostic, ended = events(RunRequest(plan, (), 1))
    assert diagnostic == Diagnostic("xtest", "3 planned cases did not run; run again")
    assert isinstance(ended, RunEnded) and (ended.exit, ended.not_run) == (2, 3)


# Timeouts.

# Sleeps in the first run of each case in this folder, and is fast in the second.
SLOW_AT_FIRST = (
    """read n; if mkdir "$0/$n" 2>/dev/null; then [ $n = 2 ] && echo 2; sleep 60; fi; echo $n"""
)
SLOW = "read n; sleep 60"
BUSY = "while :; do :; done"


def run_with_retries(
    folder: Path, program: str, cases: int, deliveries: tuple[Delivery, ...] = (Delivery.PLAIN,)
) -> list[Event]:
    """Return the events of a program with a time limit of half a second."""
    texts = {str(number): str(number) for number in range(1, cases + 1)}
    suite = write_suite(folder / "s", texts, "[limits]\nwall_s = 0.5\n")
    state = folder / "state"
    state.mkdir()
    subject = Subject("sh", ("/bin/sh", "-c", program, str(state)))
    target = Target(read_suite("s", suite), "s", subject, is_default_subject=False)
    plan = Plan([target], Selection(), deliveries)
    return list(events(RunRequest(plan, (), 2, retry_timeouts=True)))


def test_a_run_that_timed_out_is_repeated_alone_and_counts_once(tmp_path: Path) -> None:
    *_, ended = found = run_with_retries(tmp_path, SLOW_AT_FIRST, 3)
    judged = [event for event in found if isinstance(event, Judged)]
    assert [event.verdict for event in judged] == [Verdict.PASSED] * 3
    assert all(event.retried for event in judged)
    assert isinstance(ended, RunEnded)
    assert (ended.counts, ended.exit, ended.retried, ended.not_run) == ({"passed": 3}, 0, 3, 0)


def test_a_program_that_hangs_is_not_repeated_for_every_case(tmp_path: Path) -> None:
    *_, ended = found = run_with_retries(tmp_path, SLOW, 5)
    retried = [event.retried for event in found if isinstance(event, Judged)]
    assert sorted(retried) == [False, False, True, True, True]
    assert isinstance(ended, RunEnded)
    assert (ended.counts, ended.exit, ended.not_run) == ({"silent": 5}, 1, 0)


def test_the_verdicts_of_deliveries_are_compared_after_the_repetition(tmp_path: Path) -> None:
    deliveries = (Delivery.PLAIN, Delivery.CUT)
    found = run_with_retries(tmp_path, SLOW_AT_FIRST, 1, deliveries)
    assert [type(event) for event in found] == [RunStarted, *[Judged] * len(found[2:]), RunEnded]
    assert {event.verdict for event in found if isinstance(event, Judged)} == {Verdict.PASSED}
