"""Events between processes of xtest's own: what comes out is what went in."""

from __future__ import annotations

import pytest

from harness.events import (
    Bytes,
    DeliveriesDiffer,
    Event,
    Evidence,
    Judged,
    Known,
    Problem,
    ShownDifference,
)
from harness.records import Verdict
from harness.runs.parcels import Step, packed, unpacked

NOTHING = Bytes(b"", 0)
PASSED = Judged(
    *("s\udcff", "bad-7", "cat", "slow", Verdict.PASSED, "as expected", 0, None, 1.5, None, 0.1),
    peak_mib=9.25,
    processes=2,
    stdout_bytes=3,
    stderr_bytes=4,
    tags=("a", "b"),
    repeat=("xtest", "run"),
)
DIFFERENCE = ShownDifference("/0", "1", None)
EVIDENCE = Evidence(Bytes(b"\xff", 70_000), NOTHING, NOTHING, NOTHING, (DIFFERENCE,), 1)


@pytest.mark.parametrize(
    "event",
    [
        PASSED,
        PASSED._replace(verdict=Verdict.CRASHED, exit=None, signal="SIGKILL", first_byte_s=0.25),
        PASSED._replace(verdict=Verdict.DIFFERS, evidence=EVIDENCE),
        PASSED._replace(known=Known("why", holds=False)),
        DeliveriesDiffer("s/1", "cat", 1, 2, "fails only when the input is slow"),
        Problem("s", "cannot be read"),
    ],
)
def test_an_event_comes_out_as_it_went_in(event: Event) -> None:
    step = Step(7, event, is_last=False)
    came = unpacked(packed(step)).event
    assert unpacked(packed(step)) == step
    assert type(came) is type(event)
    if isinstance(came, Judged):
        assert isinstance(came.verdict, Verdict)


def test_a_run_that_passed_takes_the_short_way() -> None:
    long_way = PASSED._replace(evidence=EVIDENCE)
    assert packed(Step(0, PASSED, is_last=True))[:1] != packed(Step(0, long_way, is_last=True))[:1]
