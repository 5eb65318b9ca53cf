"""Laws of going on: what is told again and what is left are together the plan, each run once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.events import Judged
from harness.records import Subject, Verdict
from harness.runs.deliveries import Delivery
from harness.runs.plan import Plan, PlannedRun, Selection, Target
from harness.runs.resuming import Done, Kept, Now
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName
from harness.suites.policy import SuiteSettings

DELIVERIES = (Delivery.PLAIN, Delivery.SLOW, Delivery.CRLF)
CONTENTS = ("00" * 8, "11" * 8)
CASES = range(1, 5)

EVENTS = st.lists(
    st.builds(
        lambda case, delivery, verdict, content: Judged(
            "s", str(case), "x", delivery.value, verdict, "", content=content
        ),
        st.sampled_from(CASES),
        st.sampled_from(DELIVERIES),
        st.sampled_from([Verdict.PASSED, Verdict.DIFFERS, Verdict.STALLED]),
        st.sampled_from(CONTENTS),
    ),
    max_size=16,
)
# What each case holds now; None: it is broken.
NOW = st.lists(st.sampled_from([*CONTENTS, None]), min_size=len(CASES), max_size=len(CASES))


def plan() -> Plan:
    """All the cases in all the deliveries."""
    names = [CaseName("", case) for case in CASES]
    files = {name: (f"{name.text}-in.json", f"{name.text}-out.json") for name in names}
    suite = Suite("s", Path("s"), SuiteSettings(), files)
    target = Target(suite, "s", Subject("x", ("x",)), is_default_subject=False)
    return Plan([target], Selection(), DELIVERIES)


def kept_of(events: list[Judged], now: list[str | None]) -> Kept:
    """What holds of these events."""
    done = Done()
    for event in events:
        done.add(event)

    def look(run: PlannedRun) -> Now | None:
        content = now[run.at]
        return None if content is None else Now(content, run.deliveries)

    return Kept(plan(), done, look)


def told(kept: Kept, events: list[Judged]) -> list[tuple[str, Delivery, Verdict]]:
    """What is told again."""
    return [
        (event.case, Delivery(event.delivery), event.verdict)
        for event in events
        if kept.told(event) is not None
    ]


def to_be_run(kept: Kept) -> list[tuple[str, Delivery]]:
    """What is left, run by run."""
    return [
        (run.name.text, delivery)
        for run in kept.left
        for delivery in run.deliveries
        if delivery not in dict(run.earlier)
    ]


@settings(deadline=None)
@given(EVENTS, NOW)
def test_each_run_is_either_told_again_or_made(events: list[Judged], now: list[str | None]) -> None:
    """Together they are the plan, and no run is in both, or twice in one."""
    kept = kept_of(events, now)
    left = to_be_run(kept)
    again = [(case, delivery) for case, delivery, _ in told(kept, events)]
    assert len(again) == kept.runs
    everything = [(str(case), delivery) for case in CASES for delivery in DELIVERIES]
    assert sorted(again + left, key=str) == sorted(everything, key=str)


@settings(deadline=None)
@given(EVENTS, NOW)
def test_nothing_is_told_of_what_a_case_was(events: list[Judged], now: list[str | None]) -> None:
    """Only events with the content of now are told, and what is begun knows what is told."""
    kept = kept_of(events, now)
    begun = {
        (run.name.text, delivery): verdict for run in kept.left for delivery, verdict in run.earlier
    }
    held = [event for event in events if kept.told(event) is not None]
    assert all(event.content == now[int(event.case) - 1] for event in held)
    found = {(event.case, Delivery(event.delivery)): event.verdict for event in held}
    assert begun.items() <= found.items()


@settings(deadline=None)
@given(EVENTS, NOW)
def test_what_is_told_can_be_gone_on_with_to_the_same_end(
    events: list[Judged], now: list[str | None]
) -> None:
    """A file that was gone on with leaves what the file before it left."""
    first = kept_of(events, now)
    held = [event for event in events if first.told(event) is not None]
    again = kept_of(held, now)
    assert to_be_run(again) == to_be_run(kept_of(events, now))
    assert len(told(again, held)) == len(held)
