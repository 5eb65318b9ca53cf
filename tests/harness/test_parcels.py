"""Events between processes of xtest's own: what comes out is what went in."""

from __future__ import annotations

import pytest

from harness.events import (
    Bytes,
    DeliveriesDiffer,
    Event,
    Evidence,
    Judged,
    Problem,
    ShownDifference,
)
from harness.parcels import packed, unpacked
from harness.records import Verdict

NOTHING = Bytes(b"", 0)
PASSED = Judged(
    *("s\udcff", "bad-7", "cat", "slow", Verdict.PASSED, "as expected", 0, None, 1.5, None, 0.1),
    *(9.25, 2, 3, 4, ("a", "b"), ("xtest", "run")),
)
DIFFERENCE = ShownDifference("/0", "1", None)
EVIDENCE = Evidence(Bytes(b"\xff", 70_000), NOTHING, NOTHING, NOTHING, (DIFFERENCE,), 1)


@pytest.mark.parametrize(
    "event",
    [
        PASSED,
        PASSED._replace(verdict=Verdict.CRASHED, exit=None, signal="SIGKILL", first_byte_s=0.25),
        PASSED._replace(verdict=Verdict.DIFFERS, evidence=EVIDENCE),
        DeliveriesDiffer("s/1", "cat", 1, 2, "fails only when the input is slow"),
        Problem("s", "cannot be read"),
    ],
)
def test_an_event_comes_out_as_it_went_in(event: Event) -> None:
    came = unpacked(packed(event))
    assert came == event
    assert type(came) is type(event)
    if isinstance(came, Judged):
        assert isinstance(came.verdict, Verdict)


def test_a_run_that_passed_takes_the_short_way() -> None:
    assert packed(PASSED)[:1] != packed(PASSED._replace(evidence=EVIDENCE))[:1]
