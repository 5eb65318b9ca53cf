"""The order of runs in reports, and what is held of them."""

from __future__ import annotations

from collections.abc import Iterator

from told_events import DIFFERS, ENDED, STARTED, bytes_of, evidence, run, source_of_events

from harness.documents.order import Order, ordered
from harness.events import Event, Judged, ShownDifference


def names(events: Iterator[Judged]) -> list[str]:
    """Suite, subject, case and delivery of each."""
    return [f"{one.suite} {one.subject} {one.case} {one.delivery}" for one in events]


def test_runs_stand_in_natural_order_and_plain_ones_first() -> None:
    events = (
        *(STARTED, run("10"), run("9", delivery="cut"), run("9", delivery="slow"), run("9")),
        *(run("1", suite="s10"), run("1", suite="s9", subject="b"), run("1", suite="s9"), ENDED),
    )
    assert names(ordered(source_of_events(*events))) == [
        *("s x 9 plain", "s x 9 cut", "s x 9 slow", "s x 10 plain"),
        *("s9 b 1 plain", "s9 x 1 plain", "s10 x 1 plain"),
    ]


class Counting:
    """A source that counts how often it is asked."""

    def __init__(self, *events: Event) -> None:
        self.events = events
        self.asked = 0

    def __call__(self) -> Iterator[Event]:
        self.asked += 1
        return iter(self.events)


def test_runs_that_stand_in_order_are_told_as_they_come() -> None:
    source = Counting(STARTED, run("1"), run("2"), ENDED)
    assert names(ordered(source)) == ["s x 1 plain", "s x 2 plain"]
    assert source.asked == 2
    assert not list(ordered(Counting()))


def test_what_is_held_is_bounded_and_the_source_is_asked_again_instead() -> None:
    large = evidence(ShownDifference("/0", "9" * 9_000, None), stdout="8" * 9_000)
    events = [DIFFERS._replace(case=str(case), evidence=large) for case in range(9, 0, -1)]
    source = Counting(*events)
    order = Order(held=50_000)
    assert list(order.noting(source())) == events
    assert names(order.runs(source)) == [f"s x {case} plain" for case in range(1, 10)]
    assert source.asked == 1 + 5  # two at a time
    assert bytes_of("ä").total == 2
