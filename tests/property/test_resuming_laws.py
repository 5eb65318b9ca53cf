"""Laws of resuming: replayed events and remaining runs together are the plan, each run once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.delivery.registry import Delivery
from harness.model.case_names import CaseName
from harness.model.events import Judged
from harness.model.subject import Subject
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.runner.plan import Plan, PlannedRun, Selection
from harness.runner.resume import CaseState, FinishedRuns, KeptEvents
from harness.suites.loading import Suite
from harness.suites.settings import SuiteSettings

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
# The present content of each case, or None if it is broken.
NOW = st.lists(st.sampled_from([*CONTENTS, None]), min_size=len(CASES), max_size=len(CASES))


def plan() -> Plan:
    """Return a plan of all cases in all deliveries."""
    names = [CaseName("", case) for case in CASES]
    files = {name: (f"{name.text}-in.json", f"{name.text}-out.json") for name in names}
    suite = Suite("s", Path("s"), SuiteSettings(), files)
    target = Target(suite, "s", Subject("x", ("x",)), is_default_subject=False)
    return Plan([target], Selection(), DELIVERIES)


def kept_of(events: list[Judged], now: list[str | None]) -> KeptEvents:
    """Return which of these events are kept, given what the cases contain now."""

    def look(run: PlannedRun) -> CaseState | None:
        content = now[run.at]
        return None if content is None else CaseState(content, run.deliveries)

    return KeptEvents(plan(), FinishedRuns(events), look)


def replayed(kept: KeptEvents, events: list[Judged]) -> list[tuple[str, Delivery, Verdict]]:
    """Return the replayed runs."""
    return [
        (event.case, Delivery(event.delivery), event.verdict)
        for event in events
        if kept.replay(event) is not None
    ]


def remaining(kept: KeptEvents) -> list[tuple[str, Delivery]]:
    """Return the remaining runs."""
    return [
        (run.name.text, delivery)
        for run in kept.left
        for delivery in run.deliveries
        if delivery not in dict(run.earlier)
    ]


@settings(deadline=None)
@given(EVENTS, NOW)
def test_each_run_is_either_replayed_or_remains(
    events: list[Judged], now: list[str | None]
) -> None:
    """Together they are the plan, and no run is in both, or twice in one."""
    kept = kept_of(events, now)
    left = remaining(kept)
    again = [(case, delivery) for case, delivery, _ in replayed(kept, events)]
    assert len(again) == kept.runs
    everything = [(str(case), delivery) for case in CASES for delivery in DELIVERIES]
    assert sorted(again + left, key=str) == sorted(everything, key=str)


@settings(deadline=None)
@given(EVENTS, NOW)
def test_no_run_of_a_changed_case_is_replayed(events: list[Judged], now: list[str | None]) -> None:
    """Only events with the present content are replayed; started cases include them."""
    kept = kept_of(events, now)
    begun = {
        (run.name.text, delivery): verdict for run in kept.left for delivery, verdict in run.earlier
    }
    held = [event for event in events if kept.replay(event) is not None]
    assert all(event.content == now[int(event.case) - 1] for event in held)
    found = {(event.case, Delivery(event.delivery)): event.verdict for event in held}
    assert begun.items() <= found.items()


@settings(deadline=None)
@given(EVENTS, NOW)
def test_replayed_events_can_be_resumed_again(events: list[Judged], now: list[str | None]) -> None:
    """Resuming a resumed file leaves the same runs."""
    first = kept_of(events, now)
    held = [event for event in events if first.replay(event) is not None]
    again = kept_of(held, now)
    assert remaining(again) == remaining(kept_of(events, now))
    assert len(replayed(again, held)) == len(held)
