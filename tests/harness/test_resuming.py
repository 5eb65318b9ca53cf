"""What is over, what of it holds, and what is left of a plan: by events that are built here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.events import DeliveriesDiffer, Judged
from harness.records import Subject, Verdict
from harness.runs.deliveries import Delivery
from harness.runs.plan import Plan, PlannedRun, Selection, Target
from harness.runs.resuming import Done, Kept, Left, Look, Now, is_over
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName
from harness.suites.policy import SuiteSettings

PLAIN, SLOW, CRLF = Delivery.PLAIN, Delivery.SLOW, Delivery.CRLF
CONTENT = "00000000ffffffff"
OTHER = "11111111ffffffff"


def plan_of(*numbers: int, wanted: tuple[Delivery, ...] = (PLAIN,), suite: str = "s") -> Plan:
    """The plan of a suite with these cases."""
    names = [CaseName("", number) for number in numbers]
    files = {name: (f"{name.text}-in.json", f"{name.text}-out.json") for name in names}
    listed = Suite(suite, Path(suite), SuiteSettings(), files)
    target = Target(listed, suite, Subject("x", ("x",)), is_default_subject=False)
    return Plan([target], Selection(), wanted)


def event(
    case: int, delivery: Delivery = PLAIN, verdict: Verdict = Verdict.PASSED, content: str = CONTENT
) -> Judged:
    """A run of a case of the suite s by the subject x."""
    return Judged("s", str(case), "x", delivery.value, verdict, "", content=content)


def done_of(events: Iterable[Judged]) -> Done:
    """What is over by these events."""
    done = Done()
    for one in events:
        done.add(one)
    return done


def unchanged(run: PlannedRun) -> Now:
    """All cases hold what they held, and all deliveries make a difference."""
    return Now(CONTENT, run.deliveries)


def left_of(plan: Iterable[PlannedRun], events: Iterable[Judged], look: Look = unchanged) -> Kept:
    """What is kept."""
    return Kept(plan, done_of(events), look)


def cases(runs: Iterable[PlannedRun]) -> list[str]:
    """The names of planned cases."""
    return [run.name.text for run in runs]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_run_is_over_whatever_its_verdict_unless_nothing_was_learnt(verdict: Verdict) -> None:
    nothing = ("invalid-case", "not-started", "harness-fault")
    assert is_over(event(1, verdict=verdict)) is (verdict.value not in nothing)
    assert not is_over(event(1, verdict=verdict, content=""))


def test_what_is_over_is_not_left_and_is_told_once() -> None:
    events = [event(3), event(1, verdict=Verdict.STALLED), event(3, verdict=Verdict.CRASHED)]
    kept = left_of(plan_of(1, 2, 3), events)
    assert (cases(kept.left), kept.cases, kept.runs) == (["2"], {"s": 2}, 2)
    # Gone through again: the session counts the runs before it makes them.
    assert cases(kept.left) == ["2"]
    told = [kept.told(one) for one in events]
    assert [found[0].name.text if found else None for found in told] == ["3", "1", None]
    assert [found[1] for found in told if found] == [None, None]


def test_what_has_changed_is_left_and_not_told() -> None:
    kept = left_of(plan_of(1, 2), [event(1), event(2, content=OTHER)])
    assert cases(kept.left) == ["2"]
    assert kept.told(event(2, content=OTHER)) is None
    assert kept.told(event(1, content=OTHER)) is None
    assert kept.told(event(1)) is not None


def test_a_case_that_is_broken_now_is_left() -> None:
    kept = left_of(plan_of(1), [event(1)], lambda run: None)
    assert (cases(kept.left), kept.cases, kept.runs) == (["1"], {"s": 0}, 0)


def test_of_a_case_that_was_another_one_the_runs_of_the_later_one_count() -> None:
    kept = left_of(plan_of(1), [event(1, content=OTHER), event(1)])
    assert cases(kept.left) == []
    assert kept.told(event(1, content=OTHER)) is None
    assert kept.told(event(1)) is not None


def test_nobody_looks_at_a_case_that_was_never_run() -> None:
    looked = []

    def look(run: PlannedRun) -> Now:
        looked.append(run.name.text)
        return unchanged(run)

    left_of(plan_of(1, 2, 3), [event(2)], look)
    assert looked == ["2"]


def test_of_a_case_that_was_begun_the_other_deliveries_are_left() -> None:
    plan = plan_of(1, 2, wanted=(PLAIN, SLOW, CRLF))
    events = [event(1, SLOW, Verdict.DIFFERS), event(1, PLAIN)]
    kept = left_of(plan, events)
    first, second = kept.left
    assert first.earlier == ((SLOW, Verdict.DIFFERS), (PLAIN, Verdict.PASSED))
    assert (second.earlier, kept.cases, kept.runs) == ((), {"s": 0}, 2)
    # What differs is said when all is known.
    assert [found[1] for found in map(kept.told, events) if found] == [None, None]


def test_when_a_whole_case_is_over_its_last_run_tells_how_deliveries_differ() -> None:
    events = [event(1, SLOW, Verdict.DIFFERS), event(1, PLAIN)]
    kept = left_of(plan_of(1, wanted=(PLAIN, SLOW)), events)
    told = [kept.told(one) for one in events]
    assert cases(kept.left) == []
    assert [found[1] if found else None for found in told] == [
        None,
        DeliveriesDiffer(
            *("s/1", "x", 1, 2, "passes plain; fails only when the input comes slowly (slow)")
        ),
    ]


def test_a_whole_case_whose_deliveries_agree_has_nothing_to_tell() -> None:
    events = [event(1, SLOW), event(1, PLAIN)]
    kept = left_of(plan_of(1, wanted=(PLAIN, SLOW)), events)
    assert [found[1] for found in map(kept.told, events) if found] == [None, None]


def test_a_delivery_that_makes_no_difference_now_is_not_waited_for() -> None:
    kept = left_of(plan_of(1, wanted=(PLAIN, SLOW)), [event(1)], lambda run: Now(CONTENT, (PLAIN,)))
    assert (cases(kept.left), kept.unasked) == ([], [])


def test_runs_that_nobody_asks_for_are_named() -> None:
    done = done_of([event(1), event(1, SLOW), event(7)])
    kept = Kept(plan_of(1), done, unchanged)
    assert kept.unasked == ["s/1 (slow)"]
    assert list(done.remaining()) == [("s", "x", "7")]


def test_a_case_of_which_only_other_deliveries_are_over_is_left_as_it_was() -> None:
    kept = left_of(plan_of(1), [event(1, SLOW)])
    (run,) = kept.left
    assert (run.earlier, kept.runs, kept.unasked) == ((), 0, ["s/1 (slow)"])


def test_what_is_left_can_be_gone_on_with_again() -> None:
    plan = plan_of(1, 2, wanted=(PLAIN, SLOW))
    first = left_of(plan, [event(1, PLAIN), event(2, PLAIN)])
    second = left_of(first.left, [event(1, SLOW, Verdict.CRASHED), event(2, PLAIN)])
    (run,) = second.left
    assert (run.name.text, run.earlier) == ("2", ((PLAIN, Verdict.PASSED),))
    told = second.told(event(1, SLOW, Verdict.CRASHED))
    assert told is not None and told[1] is not None
    assert (told[1].passed, told[1].of) == (1, 2)
    assert second.told(event(2, PLAIN)) is None


def test_a_plan_of_which_nothing_is_over_is_left_as_it_is() -> None:
    plan = plan_of(1, 2)
    assert list(Left(plan)) == list(plan)


def test_names_that_are_no_utf_8_are_known_by_what_is_written_of_them() -> None:
    kept = left_of(plan_of(1, suite="s\udcff"), [event(1)._replace(suite="s\\udcff"), event(1)])
    assert (cases(kept.left), kept.cases) == ([], {"s\udcff": 1})
