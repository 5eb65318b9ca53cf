"""LoopOptions: the stream of events of a request."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.events import judged_runs
from support.suites import CAT, Cases, target_in, write_suite

from harness.delivery.registry import Delivery
from harness.engine import running, units
from harness.engine.execution import execute_cases, execute_request
from harness.engine.plan import Plan, PlannedRun, Selection
from harness.engine.progress import ProgressBoard
from harness.engine.request import RunPolicy, RunRequest
from harness.model.events import DeliveriesDiffer, Diagnostic, RunEnded, RunResult, RunStarted
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.process.killable import Bounds

PLAIN = (Delivery.PLAIN,)
# Where runs share their working folder: of one with many files, or just made, all may have changed.
HERE = Path(__file__).parent


def plan_of(
    folder: Path,
    cases: Cases,
    subject: Subject = CAT,
    deliveries: tuple[Delivery, ...] = PLAIN,
    settings: str = "",
) -> Plan:
    target = target_in(write_suite(folder / "s", cases, settings), subject)
    return Plan([target], Selection(), deliveries)


def shell(program: str, *words: str) -> Subject:
    return Subject("sh", ("/bin/sh", "-c", program, *words))


@pytest.fixture(name="plan")
def _plan(tmp_path: Path) -> Plan:
    """Three cases, of which `cat` fails the first two."""
    return plan_of(tmp_path, {"1": ("1", "2"), "2": ("2", "3"), "3": "3"})


def execute(request: RunRequest) -> tuple[RunEnded, list[RunResult]]:
    """Return the last event, and the judged runs in the order of their verdicts."""
    started, *found, ended = execute_request(request)
    assert isinstance(started, RunStarted) and isinstance(ended, RunEnded)
    return ended, list(judged_runs(tuple(found)))


def test_nothing_to_run_is_a_fault_unless_it_is_explained() -> None:
    assert execute(RunRequest(()))[0].exit == 2
    assert execute(RunRequest((), why_nothing_ran="nothing failed"))[0].exit == 0


def test_a_worker_runs_nothing_after_the_last_failure_that_is_allowed(plan: Plan) -> None:
    ended = execute_cases(RunRequest(plan, RunPolicy(max_failures=1)))
    assert [each.event.case for each in ended if isinstance(each.event, RunResult)] == ["1"]


def test_limits_are_enforced_while_an_output_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Judging the first case takes until it is stopped; the others must not wait for it.
    monkeypatch.setattr(units, "BOUNDS", Bounds(seconds=4))
    program = f"""read n; case $n in
        1) echo '"{"a" * 41}b"';;
        2) while :; do :; done;;
        3) sleep 0.2; echo 3;;
    esac"""
    settings = '[compare]\nstrings = { matching = "(a+)+" }\n[limits]\nwall_s = 2\n'
    cases: Cases = {"1": ("1", '"aa"'), "2": "2", "3": "3"}
    plan = plan_of(tmp_path, cases, shell(program), settings=settings)
    judged = {event.case: event for event in execute(RunRequest(plan, RunPolicy(3)))[1]}
    assert judged["1"].verdict is Verdict.HARNESS_FAULT
    assert judged["2"].verdict is Verdict.SILENT and judged["2"].wall_s < 4
    assert judged["3"].verdict is Verdict.PASSED


def test_a_large_input_is_laid_out_while_no_run_is_watched(tmp_path: Path) -> None:
    # Runs with input in pieces mostly wait, and do not count for the number of runs at once.
    large = "[" + "1, " * 30_000 + "1]"
    log = tmp_path / "log"
    program = shell(f"echo begin >>{log}; cat; echo end >>{log}")
    deliveries = (Delivery.PRETTY, Delivery.SLOW)
    plan = plan_of(tmp_path, {"1": large, "2": large}, program, deliveries)
    _, judged = execute(RunRequest(plan))
    assert [event.verdict for event in judged] == [Verdict.PASSED] * 4
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
    ended, judged = execute(RunRequest(NoDescriptors(plan)))
    verdicts = {event.case: event.verdict for event in judged}
    assert verdicts == {
        "1": Verdict.DIFFERS,
        "2": Verdict.HARNESS_FAULT,
        "3": Verdict.HARNESS_FAULT,
    }
    assert judged[-1].message == "a limit of this machine: too many open files"
    assert ended.exit == 2


def test_what_a_killed_worker_had_drawn_runs_alone_and_a_killer_gets_a_verdict(
    tmp_path: Path,
) -> None:
    # The second run of case 12 kills its worker, but not the third; each of case 14 does.
    program = """n=$(tr -dc 0-9); case $n in
        14) kill -9 $PPID;;
        12) mkdir "$0/first" 2>/dev/null || { mkdir "$0/second" 2>/dev/null && kill -9 $PPID; };;
    esac; echo "[$n]" """
    cases: Cases = {str(number): f"[{number}]" for number in range(11, 51)}
    subject = shell(program, str(tmp_path))
    plan = plan_of(tmp_path, cases, subject, (Delivery.PLAIN, Delivery.PRETTY))
    board = ProgressBoard(1)
    ended, judged = execute(RunRequest(plan, board=board))
    assert (ended.counts, ended.exit, ended.not_run) == ({"passed": 78, "harness-fault": 1}, 2, 0)
    assert len({(event.case, event.delivery) for event in judged}) == 79
    assert board.done == board.planned > 0  # those that ran again
    (killer,) = (event for event in judged if event.verdict is Verdict.HARNESS_FAULT)
    remark = "without a sandbox, programs can kill xtest"
    message = f"a worker of xtest was killed by SIGKILL; {remark}"
    assert (killer.case, killer.message) == ("14", message)


def test_planned_cases_without_a_verdict_are_a_fault(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "run_units", lambda *_, **__: (_ for _ in ()))
    *_, diagnostic, ended = execute_request(RunRequest(plan))
    assert diagnostic == Diagnostic("xtest", "3 planned cases did not run; run again")
    assert isinstance(ended, RunEnded) and (ended.exit, ended.not_run) == (2, 3)


# Sleeps in the first run of each case in this folder, and is fast in the second.
SLOW_AT_FIRST = (
    """read n; if mkdir "$0/$n" 2>/dev/null; then [ $n = 2 ] && echo 2; sleep 60; fi; echo $n"""
)
SLOW = "read n; sleep 60"


def retry_timeouts(
    folder: Path, program: str, cases: int, deliveries: tuple[Delivery, ...] = PLAIN
) -> RunRequest:
    """Return the request of a program with a time limit of half a second."""
    texts = {str(number): str(number) for number in range(1, cases + 1)}
    subject = shell(program, str(folder))
    plan = plan_of(folder, texts, subject, deliveries, "[limits]\nwall_s = 0.5\n")
    return RunRequest(plan, RunPolicy(2, retry_timeouts=True))


def test_a_run_that_timed_out_is_repeated_alone_and_counts_once(tmp_path: Path) -> None:
    ended, judged = execute(retry_timeouts(tmp_path, SLOW_AT_FIRST, 3))
    assert [(event.verdict, event.retried) for event in judged] == [(Verdict.PASSED, True)] * 3
    assert (ended.counts, ended.exit, ended.retried, ended.not_run) == ({"passed": 3}, 0, 3, 0)


def test_a_program_that_hangs_is_not_repeated_for_every_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    board = ProgressBoard(2)
    ended, judged = execute(retry_timeouts(tmp_path, SLOW, 5)._replace(board=board))
    assert sorted(event.retried for event in judged) == [False, False, True, True, True]
    assert (board.done, board.planned) == (3, 3)  # anew, without those that were not repeated
    assert (ended.counts, ended.exit, ended.not_run) == ({"silent": 5}, 1, 0)


def test_a_program_that_hangs_is_not_repeated_for_every_delivery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    request = retry_timeouts(tmp_path, SLOW, 3, (Delivery.PLAIN, Delivery.AT_ONCE))
    _, judged = execute(request)
    assert sorted(event.retried for event in judged) == [False, False, True, True, True, True]


def test_the_verdicts_of_deliveries_are_compared_after_the_repetition(tmp_path: Path) -> None:
    request = retry_timeouts(tmp_path, SLOW_AT_FIRST, 1, (Delivery.PLAIN, Delivery.CUT))
    found = tuple(execute_request(request))
    assert {event.verdict for event in judged_runs(found)} == {Verdict.PASSED}
    assert not any(isinstance(event, DeliveriesDiffer) for event in found)
