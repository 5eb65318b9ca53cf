"""Events between processes of xtest's own: what comes out is what went in."""

from __future__ import annotations

import pytest

from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    Judged,
    KnownFailure,
    SessionsEnded,
    ShownDifference,
)
from harness.model.verdict import Verdict
from harness.runner.ipc import CaseEvent, pack_event, unpack_event

NOTHING = Excerpt(b"", 0)
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
EVIDENCE = Evidence(Excerpt(b"\xff", 70_000), NOTHING, NOTHING, NOTHING, (DIFFERENCE,), 1)


@pytest.mark.parametrize(
    "event",
    [
        PASSED,
        PASSED._replace(verdict=Verdict.CRASHED, exit=None, signal="SIGKILL", first_byte_s=0.25),
        PASSED._replace(verdict=Verdict.DIFFERS, evidence=EVIDENCE),
        PASSED._replace(known=KnownFailure("why", holds=False)),
        DeliveriesDiffer("s/1", "cat", 1, 2, "fails only when the input is slow"),
        DependsOnOrder("s/2", "cat", "1", "it passes in a session with 1", ("xtest", "run", "s")),
        SessionsEnded("cat", "stream", 2, 30, 4, 5, 1, 7, "a pass was not repeated", ("hello",)),
        Diagnostic("s", "cannot be read"),
    ],
)
def test_an_event_comes_out_as_it_went_in(event: Event) -> None:
    step = CaseEvent(7, event, is_last=False)
    came = unpack_event(pack_event(step)).event
    assert unpack_event(pack_event(step)) == step
    assert type(came) is type(event)
    if isinstance(came, Judged):
        assert isinstance(came.verdict, Verdict)
