"""Resuming: finished runs, kept events, and the remaining runs of a plan."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from support.suites import listed_target

from harness.delivery.registry import Delivery
from harness.engine.plan import Plan, PlannedRun, Selection
from harness.model.case_names import CaseName
from harness.model.events import DeliveriesDiffer, RunResult
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.results.resume import (
    CaseState,
    FinishedRuns,
    ReadState,
    SplitPlan,
    is_finished,
)

PLAIN, SLOW, CRLF = Delivery.PLAIN, Delivery.SLOW, Delivery.CRLF
CONTENT = "00000000ffffffff"
X = Subject("x", ("x",))


def plan_of(*numbers: int, wanted: tuple[Delivery, ...] = (PLAIN,), suite: str = "s") -> Plan:
    target = listed_target(suite, *(CaseName("", number) for number in numbers), subject=X)
    return Plan([target], Selection(), wanted)


def event(
    case: int, delivery: Delivery = PLAIN, verdict: Verdict = Verdict.PASSED, content: str = CONTENT
) -> RunResult:
    """A run of a case of the suite s by the subject x."""
    return RunResult("s", str(case), "x", delivery.value, verdict, "", content=content)


def unchanged(run: PlannedRun) -> CaseState:
    """All cases hold what they held, and all deliveries make a difference."""
    return CaseState(CONTENT, run.deliveries)


def left_of(plan: Plan, events: Iterable[RunResult], look: ReadState = unchanged) -> SplitPlan:
    return SplitPlan(plan, FinishedRuns(events), look)


def cases(runs: Iterable[PlannedRun]) -> list[str]:
    return [run.name.text for run in runs]


def differences(kept: SplitPlan, events: Iterable[RunResult]) -> list[DeliveriesDiffer | None]:
    """Replay these events, and return what they tell about deliveries."""
    return [found[1] for found in map(kept.replay, events) if found]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_run_with_a_verdict_on_the_subject_is_finished(verdict: Verdict) -> None:
    nothing = ("invalid-case", "skipped", "not-started", "harness-fault", "not-run")
    assert is_finished(event(1, verdict=verdict)) is (verdict.value not in nothing)
    assert not is_finished(event(1, verdict=verdict, content=""))


def test_the_last_run_of_a_whole_case_tells_how_its_deliveries_differ() -> None:
    events = [event(1, SLOW, Verdict.DIFFERS), event(1, PLAIN)]
    begun = left_of(plan_of(1, wanted=(PLAIN, SLOW, CRLF)), events)
    assert (differences(begun, events), begun.cases) == ([None, None], {"s": 0})
    whole = left_of(plan_of(1, wanted=(PLAIN, SLOW)), events)
    reason = "passes plain; fails only when the input arrives slowly (slow)"
    assert differences(whole, events) == [None, DeliveriesDiffer("s/1", "x", 1, 2, reason)]
    assert whole.cases == {"s": 1}


def test_a_delivery_that_makes_no_difference_now_is_not_waited_for() -> None:
    def look(_: PlannedRun) -> CaseState:
        return CaseState(CONTENT, (PLAIN,))

    kept = left_of(plan_of(1, wanted=(PLAIN, SLOW)), [event(1)], look)
    assert (cases(kept), kept.unplanned) == ([], [])


def test_runs_that_are_not_in_the_plan_are_named() -> None:
    done = FinishedRuns([event(1), event(1, SLOW), event(7)])
    kept = SplitPlan(plan_of(1), done, unchanged)
    assert kept.unplanned == ["s/1 (slow)"]
    assert done.remaining() == [("s", "x", "7")]


def test_names_that_are_not_utf_8_are_recognized_by_their_escapes() -> None:
    kept = left_of(plan_of(1, suite="s\udcff"), [event(1)._replace(suite="s\\udcff"), event(1)])
    assert (cases(kept), kept.cases) == ([], {"s\udcff": 1})
